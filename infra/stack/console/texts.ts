import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

const RUNTIME = fileURLToPath(new URL('../../../functions/console/app/jsx.ts', import.meta.url));

/** Makes the elements of all components, those of packages included, with the console's JSX runtime. */
export const texts: Plugin = {
  name: 'texts',
  setup({ onResolve }) {
    onResolve({ filter: /^react\/jsx-runtime$/ }, ({ importer }) =>
      importer === RUNTIME ? undefined : { path: RUNTIME },
    );
  },
};
