import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { importedFiles } from './barrels.ts';

const CORE = fileURLToPath(new URL('../../../node_modules/@mantine/core', import.meta.url));
const APP = fileURLToPath(new URL('../../../functions/console/app', import.meta.url));

/** The modules with the class names of a component. The component's style has the same name. */
const CLASSES = /(\w+)\.module\.mjs$/;
const namesOf = (files: Iterable<string>): Set<string> =>
  new Set([...files].flatMap((file) => CLASSES.exec(basename(file))?.[1] ?? []));

/** A module and all that it imports, directly or not. */
function reached(file: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/ from ["'](\.[^"']+)["']/g))
    reached(join(dirname(file), path), found);
  return found;
}

const styleOf = (name: string): string => readFileSync(join(CORE, 'styles', `${name}.css`), 'utf8');

/** Leaves the styles of components that are not in use out of `@mantine/core/styles.css`. */
export const stylesInUse: Plugin = {
  name: 'styles-in-use',
  setup({ onLoad }) {
    onLoad({ filter: /@mantine\/core\/styles\.css$/ }, ({ path }) => {
      const sources = globSync(`${APP}/**/*.{ts,tsx}`).map((file) => readFileSync(file, 'utf8'));
      const modules = sources.flatMap((source) => importedFiles('@mantine/core', source));
      const used = namesOf(modules.flatMap((file) => [...reached(file)]));
      const unused = [...namesOf(globSync(`${CORE}/esm/**/*.module.mjs`))].filter((name) => !used.has(name));
      const styles = readFileSync(path, 'utf8');
      const contents = unused.reduce((left, name) => left.replace(styleOf(name), ''), styles);
      return { contents, loader: 'css', resolveDir: dirname(path) };
    });
  },
};
