import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
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

/** Files of the AWS SDK that Lambda does not need, and what a bundle has in their place. */
export const REPLACEMENTS: [file: RegExp, contents: string][] = [
  // Lambda passes credentials in the environment. Local tools are not bundled, so they have the whole provider chain.
  [
    /@aws-sdk\/credential-provider-node\/dist-es\/index\.js$/,
    "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
  ],
  // Lambda has no ~/.aws. To the SDK, this looks like a missing file.
  [
    /shared-ini-file-loader\/readFile\.js$/,
    "export const filePromises = {}, fileIntercept = {}, readFile = async () => { throw new Error('no files'); };",
  ],
  // No operation of DynamoDB or Secrets Manager has an event stream.
  [
    /@smithy\/core\/dist-es\/submodules\/event-streams\/index\.js$/,
    "throw new Error('Event streams are left out: infra/bundling.ts');",
  ],
  // It encodes the headers of events in a stream, to sign them.
  [/@smithy\/signature-v4\/dist-es\/HeaderFormatter\.js$/, 'export class HeaderFormatter {}'],
  // Only the retry mode `adaptive` limits its rate. The clients have a strategy of their own (lib/table/retry.ts).
  [
    /@smithy\/core\/dist-es\/submodules\/retry\/util-retry\/DefaultRateLimiter\.js$/,
    'export class DefaultRateLimiter {}',
  ],
  // Lambda sets AWS_REGION, and has no instance metadata.
  [
    /@smithy\/core\/dist-es\/submodules\/config\/config-resolver\/regionConfig\/getInstanceMetadataRegion\.js$/,
    'export const getInstanceMetadataRegion = async () => undefined;',
  ],
  // The SDK's own SHA-256 is for builds of Node.js without crypto.
  [/@smithy\/core\/dist-es\/submodules\/checksum\/sha256\/Sha256Js\.js$/, 'export class Sha256Js {}'],
  // Functions read page by page themselves, and never scan.
  [
    /@aws-sdk\/lib-dynamodb\/dist-es\/pagination\/index\.js$/,
    'export const paginateQuery = undefined, paginateScan = undefined;',
  ],
  // Endpoint discovery is off, unless an environment variable turns it on. No function has that variable.
  [/@aws-sdk\/endpoint-cache\/dist-es\/index\.js$/, 'export class EndpointCache {}'],
];

const replacements: Plugin = {
  name: 'replacements',
  setup({ onLoad }) {
    for (const [filter, contents] of REPLACEMENTS)
      onLoad({ filter }, ({ path }) => ({ contents, resolveDir: dirname(path) }));
  },
};

/** Reduces the package.json of AWS SDK clients to the version, the only field that they read. */
const versions: Plugin = {
  name: 'versions',
  setup({ onLoad }) {
    onLoad({ filter: /@aws-sdk\/client-[\w-]+\/package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

/** The declaration of a function without side effects. A call can be left out if nothing uses its result. */
const PURE_FUNCTION = /@__NO_SIDE_EFFECTS__(?: \*\/)?\n(?:export )?(?:const|function) (\w+)/g;

/**
 * Lets esbuild leave out what a function does not use: its contract, which is exported for tools only, and schemas, by
 * marking the calls that make them. esbuild itself respects `@__NO_SIDE_EFFECTS__` only in the file of the declaration.
 */
const schemas: Plugin = {
  name: 'schemas',
  setup({ onLoad }) {
    const pureIn = (...modules: string[]) =>
      modules
        .map((module) => readFileSync(fileURLToPath(import.meta.resolve(module)), 'utf8'))
        .flatMap((source) => [...source.matchAll(PURE_FUNCTION)].map(([, name]) => name))
        .join('|');
    const own = pureIn('../lib/base/fields.ts', '../lib/base/values.ts');
    const calls = new RegExp(`(?<![\\w.#])(?:v\\.(?:${pureIn('valibot')})|${own})(?=[<(])`, 'g');
    onLoad({ filter: /\/(lib|functions)\/.*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replace(/^export (?=const contract\b)/m, '')
        .replace(calls, '/* @__PURE__ */ $&'),
      loader: 'ts',
    }));
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

/** The esbuild plugins of serverless.yml. `npm run bench coldStart` measures their effect. */
export default [builtins, replacements, versions, schemas, consoleApp];
