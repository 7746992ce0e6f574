import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { API_OPERATIONS } from '../../infra/publish/contract/calls.ts';
import { BUNDLING } from '../../infra/stack/bundling.ts';
import { ENDPOINTS } from '../../infra/stack/template/definitions.ts';
import { eventOf, type Operation } from '../support/invoke.ts';
import { tableRequestsBy } from '../support/tableRequests.ts';
import { type Case, cases } from './cases.ts';
import { runBundle, withFolder } from './instance.ts';
import { median, type Part, rounded } from './report.ts';
import type { Recorded } from './rivals/bare.ts';
import { call, withNewKey } from './world.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BARE = 'test/bench/rivals/bare.ts';

/**
 * esbuild's defaults for Node.js. Their format has no top-level await, with which memberCheck prepares its process.
 */
const BY_DEFAULT: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  logLevel: 'error',
  define: { 'process.env.AWS_LAMBDA_INITIALIZATION_TYPE': 'undefined' },
};

/** Options that bundle an operation as an Express app. */
function withExpress(operation: Operation): BuildOptions {
  const plugin: Plugin = {
    name: 'express',
    setup({ onResolve }) {
      const path = join(ROOT, 'test/bench/rivals/expressEndpoint.ts');
      onResolve({ filter: /\/http\/endpoint\.ts$/ }, () => ({ path }));
    },
  };
  const ROUTE = JSON.stringify(ENDPOINTS[operation]?.events[0].httpApi);
  return { ...BY_DEFAULT, define: { ...BY_DEFAULT.define, ROUTE }, plugins: [plugin] };
}

/** Options that bundle the bare function, which fetches the secret if the operation does. */
const withBare = (operation: Operation): BuildOptions => {
  const secret = operation === 'memberCheck' ? process.env['CARD_HMAC_KEY_SECRET'] : '';
  return { ...BUNDLING, define: { ...BUNDLING.define, SECRET: JSON.stringify(secret) } };
};

/** The table requests of a call with a new API key, as a list for each set that is sent at once. */
async function requestsOf({ operation, status, prepare }: Case): Promise<Recorded[][]> {
  const { caller, request } = await prepare();
  return withNewKey(caller, async (key) => {
    const { requests } = await tableRequestsBy(() => call(operation, { ...request, key }, status));
    return Object.values(Object.groupBy(requests, ({ wave }) => wave)) as Recorded[][];
  });
}

/** A bundle and its events, with the CPU milliseconds of fresh processes for its import and first call. */
interface Contender {
  file: string;
  event: () => Promise<unknown>;
  status: number;
  cpu: number[];
}

async function run({ file, event, status, cpu }: Contender): Promise<void> {
  const { imported, calls } = await runBundle(file, [await event()], { LOG_LEVEL: 'INFO' });
  if (calls[0]?.status !== status) throw new Error(`${file} returned ${calls[0]?.status}, not ${status}`);
  cpu.push(imported.cpu + calls[0].cpu);
}

/** The median ratio of runs that were made in turn. */
const ratioOf = (ours: Contender, theirs: Contender): number =>
  rounded(median(ours.cpu.map((each, at) => each / (theirs.cpu[at] as number))), 2);

/** Bundles each function and its rivals, and runs them in turn. */
async function measured(folder: string, runs: number) {
  let built = 0;
  const bundle = async (entry: string, options: BuildOptions): Promise<string> => {
    built += 1;
    const outfile = join(folder, `${built}.${options.format === 'cjs' ? 'cjs' : 'mjs'}`);
    await build({ ...options, entryPoints: [entry], outfile, absWorkingDir: ROOT });
    return outfile;
  };
  const functions = [];
  for (const each of (await cases()).slice(0, API_OPERATIONS.length)) {
    const { operation, status, prepare } = each;
    const event = async () => eventOf(operation, (await prepare()).request);
    const waves = await requestsOf(each);
    const source = ENDPOINTS[operation]?.handler.replace(/\.\w+$/, '.ts') as string;
    const contender = async (entry: string, options: BuildOptions, more: Partial<Contender> = {}) => ({
      ...{ file: await bundle(entry, options), event, status, cpu: [] },
      ...more,
    });
    functions.push({
      operation,
      ours: await contender(source, BUNDLING),
      byDefault: await contender(source, BY_DEFAULT),
      bare: await contender(BARE, withBare(operation), { event: async () => ({ waves }), status: 200 }),
      express: await contender(source, withExpress(operation)),
    });
  }
  for (let count = 0; count < runs; count += 1)
    for (const { operation: _, ...contenders } of functions)
      for (const each of Object.values(contenders)) await run(each);
  return functions;
}

export const coldStart: Part = {
  title: 'Cold start',
  about:
    'CPU time of import and first call of each packaged function, in fresh processes. They run in turn with three ' +
    'others: the function bundled with the defaults of esbuild, a bare function that sends the same table' +
    ' requests and does nothing else, and the same operation as an Express app behind serverless-http, bundled with ' +
    'these defaults.',
  measure: (runs) =>
    withFolder(async (folder) => {
      const ms = ({ cpu }: Contender) => rounded(median(cpu), 1);
      const rows = (await measured(folder, runs)).map(({ operation, ours, byDefault, bare, express }) => ({
        function: operation,
        bytes: statSync(ours.file).size,
        'function, ms': ms(ours),
        'bundled by default, ms': ms(byDefault),
        'bare function, ms': ms(bare),
        'Express, ms': ms(express),
        'of bare': ratioOf(ours, bare),
        'of Express': ratioOf(ours, express),
      }));
      return {
        tables: { 'Each function': rows },
        notes: [`Medians of ${runs} processes, and of the ratios of runs made in turn.`],
      };
    }),
};
