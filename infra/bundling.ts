import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Node's own modules are taken from the process. An `import 'node:http'` in an ES module would run every lazy getter of
 * the module for its list of exports, and by one of them load the whole of undici: a fifth of a cold start. What is
 * imported by name is taken by name; only what is required, and the process itself, as a whole: what that has depends on
 * how it was started, and the same code is to make the same bundle.
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
      // Pure, so that esbuild drops those which nobody imports.
      const exported = names.map(
        (name) => `const $${name} = /* @__PURE__ */ Reflect.get(all, '${name}'); export { $${name} as '${name}' };`,
      );
      const all = `const all = /* @__PURE__ */ process.getBuiltinModule('${path}'); export default all;`;
      return { contents: [all, ...exported].join('\n') };
    });
  },
};

/** Files of the AWS SDK that only other places than Lambda need, and what stands in for them in a bundle. */
export const ELSEWHERE: [file: RegExp, contents: string][] = [
  // Lambda hands a function its credentials in the environment. Local tools have the whole chain, as they are no bundle.
  [
    /@aws-sdk\/credential-provider-node\/dist-es\/index\.js$/,
    "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
  ],
  // Nor has it a ~/.aws: to the SDK, this is a file that is not there.
  [
    /shared-ini-file-loader\/readFile\.js$/,
    "export const filePromises = {}, fileIntercept = {}, readFile = async () => { throw new Error('no files'); };",
  ],
  // No operation of DynamoDB or Secrets Manager streams events.
  [
    /@smithy\/core\/dist-es\/submodules\/event-streams\/index\.js$/,
    "throw new Error('Event streams are left out: infra/bundling.ts');",
  ],
  // Lambda's Node.js computes SHA-256 itself. The SDK has its own code for builds of Node.js that cannot.
  [/@smithy\/core\/dist-es\/submodules\/checksum\/sha256\/Sha256Js\.js$/, 'export class Sha256Js {}'],
  // Endpoints are made of the region, not discovered, unless a variable says so that no function has.
  [/@aws-sdk\/endpoint-cache\/dist-es\/index\.js$/, 'export class EndpointCache {}'],
];

const elsewhere: Plugin = {
  name: 'elsewhere',
  setup({ onLoad }) {
    for (const [filter, contents] of ELSEWHERE)
      onLoad({ filter }, ({ path }) => ({ contents, resolveDir: dirname(path) }));
  },
};

/** Of its own package.json, a client of the AWS SDK reads nothing but the version. */
const versions: Plugin = {
  name: 'versions',
  setup({ onLoad }) {
    onLoad({ filter: /@aws-sdk\/client-[\w-]+\/package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

/** What serverless.yml bundles functions with. What it gains: `npm run bench coldStart`. */
export default [builtins, elsewhere, versions];
