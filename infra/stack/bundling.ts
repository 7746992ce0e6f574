import { mkdirSync, renameSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';
import { tools, version } from './assistants/tools.ts';
import { buildConsole } from './console/build.ts';

/**
 * Replaces imports of Node's built-in modules by `process.getBuiltinModule`. An `import 'node:http'` in an ES module
 * would run every lazy getter of the module to list its exports, and one of them loads all of undici: a fifth of a cold
 * start. Imports get named exports. `require` and the process module get the whole module: the names in the process
 * module depend on how Node was started, and the same code must produce the same bundle.
 */
const builtins: Plugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^(node:)?(${builtinModules.join('|')})$`) }, ({ path, kind }) => ({
      path: path.replace(/^(node:)?/, 'node:'),
      namespace: kind === 'import-statement' && !/(^|:)process$/.test(path) ? 'builtin' : 'builtin-whole',
      sideEffects: false,
    }));
    onLoad({ filter: /./, namespace: 'builtin-whole' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => {
      const names = Object.getOwnPropertyNames(process.getBuiltinModule(path)).sort();
      // Pure, so esbuild drops the names that nothing imports.
      const exported = names.map(
        (name) => `const $${name} = /* @__PURE__ */ Reflect.get(all, '${name}'); export { $${name} as '${name}' };`,
      );
      const all = `const all = /* @__PURE__ */ process.getBuiltinModule('${path}'); export default all;`;
      return { contents: [all, ...exported].join('\n') };
    });
  },
};

/**
 * Leaves out of the AWS SDK what Lambda does not need. Lambda passes credentials in the environment; local tools are not
 * bundled, so they have the whole provider chain. The import of event streams that remains runs for no operation that
 * functions call. A client whose operations have them, such as CloudWatch Logs, imports them itself and still has them.
 */
const sdk: Plugin = {
  name: 'sdk',
  setup({ onResolve, onLoad }) {
    onLoad({ filter: /@aws-sdk\/credential-provider-node\// }, ({ path }) => ({
      contents: "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
      resolveDir: dirname(path),
    }));
    onResolve({ filter: /^@smithy\/core\/event-streams$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { external: true } : undefined,
    );
  },
};

/** Builds the console's browser code, and puts it into the bundle of the function that serves it. */
const consoleApp: Plugin = {
  name: 'console-app',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^#console-app$/ }, ({ path }) => ({ path, namespace: 'console-app' }));
    onLoad({ filter: /./, namespace: 'console-app' }, async () => ({
      contents: `export const app = ${JSON.stringify(await buildConsole())};`,
    }));
  },
};

/** Puts the tools of assistants into a bundle, without the contract that they are made of. */
const assistantTools: Plugin = {
  name: 'assistant-tools',
  setup({ onLoad }) {
    onLoad({ filter: /\/infra\/stack\/assistants\/tools\.ts$/ }, () => ({
      contents: `export const version = ${JSON.stringify(version)}; export const tools = ${JSON.stringify(tools)};`,
    }));
  },
};

/** What a bundle leaves out, or has in another form. */
export const BUNDLED: Plugin[] = [builtins, sdk, consoleApp, assistantTools];

/**
 * Keeps source maps with the package, in its folder `source-maps`: serverless-esbuild zips what is in its build folder, and
 * copies `.serverless` beside that to the package.
 */
const sourceMaps: Plugin = {
  name: 'source-maps',
  setup({ initialOptions: { entryPoints, outdir = '' }, onEnd }) {
    const [entry = ''] = entryPoints as string[];
    const file = join(outdir, `${basename(entry, '.ts')}.mjs.map`);
    const kept = file.replace('/.build/', '/.serverless/source-maps/');
    onEnd(({ errors }) => {
      if (errors.length > 0) return;
      mkdirSync(dirname(kept), { recursive: true });
      renameSync(file, kept);
    });
  },
};

/** The plugins of esbuild, as serverless-esbuild takes them (serverless.yml). */
export default [...BUNDLED, sourceMaps];
