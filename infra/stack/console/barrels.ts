import { readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Loader, Plugin } from 'esbuild';

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** Packages whose index only re-exports, and that index. */
const INDEXES: Record<string, string> = {
  '@mantine/core': join(MODULES, '@mantine/core/esm/index.mjs'),
  '@mantine/hooks': join(MODULES, '@mantine/hooks/esm/index.mjs'),
  'lucide-react': join(MODULES, 'lucide-react/dist/esm/lucide-react.mjs'),
};

/** `import { names } from '…'`, and `export { names } from '…'`. */
const NAMED = (from: string) => new RegExp(`^(?:im|ex)port \\{([^}]+)\\} from ["'](${from})["'];`, 'gm');

const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));

/** For each export of an index, what to import from where: `default as Archive` from `…/icons/archive.mjs`. */
const exportsOf = (index: string): Map<string, { imported: string; file: string }> =>
  new Map(
    [...readFileSync(index, 'utf8').matchAll(NAMED('\\./[^"\']+'))].flatMap(([, names = '', file = '']) =>
      namesIn(names).map((imported) => [
        imported.split(' as ').at(-1) as string,
        { imported, file: join(dirname(index), file) },
      ]),
    ),
  );

const EXPORTS = new Map(Object.entries(INDEXES).map(([name, index]) => [name, exportsOf(index)]));

/** The modules of a package that a source imports from its index. */
export const importedFiles = (name: string, source: string): string[] =>
  [...source.matchAll(NAMED(name))].flatMap(([, names = '']) =>
    namesIn(names).flatMap((each) => EXPORTS.get(name)?.get(each.split(' as ')[0] as string)?.file ?? []),
  );

/**
 * Imports from the modules behind an index instead of from the index. To esbuild's code splitting, a file needs all that
 * the index needs for any other file, so every component of a later view would be loaded with the first one
 * (https://github.com/evanw/esbuild/issues/1420).
 */
export const barrels: Plugin = {
  name: 'barrels',
  setup({ onLoad }) {
    const direct = (source: string): string =>
      source.replace(NAMED(Object.keys(INDEXES).join('|')), (_, names: string, from: string) =>
        namesIn(names)
          .map((name) => {
            const { imported, file } = EXPORTS.get(from)?.get(name.split(' as ')[0] as string) ?? {};
            if (!file) throw new Error(`${from} does not export ${name}.`);
            const local = name.split(' as ').at(-1);
            return `import { ${(imported as string).split(' as ')[0]} as ${local} } from ${JSON.stringify(file)};`;
          })
          .join(' '),
      );
    onLoad({ filter: /functions\/console\/app\/.*\.tsx?$|@mantine\/\w+\/esm\/.*\.mjs$/ }, ({ path }) => ({
      contents: direct(readFileSync(path, 'utf8')),
      loader: extname(path).slice(1).replace('mjs', 'js') as Loader,
    }));
  },
};
