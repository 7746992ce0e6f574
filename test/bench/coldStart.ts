import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { ENDPOINTS, OPERATIONS } from '../../infra/stack/template/definitions.ts';
import { BUNDLING } from '../packaged/packaged.ts';
import { eventOf, type Operation } from '../support/invoke.ts';
import { tableRequestsBy } from '../support/tableRequests.ts';
import { type Case, cases } from './cases.ts';
import { runBundle, withFolder, writeBundle } from './instance.ts';
import { atMost, type Figures, type Part, type Result } from './part.ts';
import type { Recorded } from './rivals/bare.ts';
import { median } from './statistics.ts';
import { call, withNewKey } from './world.ts';

/** The largest size of a bundle, in bytes. createBranch needs the most: its search entries are 5 KB of it. */
const LARGEST_BUNDLE = 280_000;
/** The most CPU time that import and first call may take, relative to rivals: the median of the functions, and each. */
const MOST_OF_BARE = 1.2;
const MOST_OF_EXPRESS = 0.6;
/** The same for a call of a warm getBranch, and how many calls warm it up and are measured. */
const MOST_OF_WARM_BARE = 1.5;
const WARM_CALLS = 1_000;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The defaults of serverless-esbuild, but with the SDK, which it would leave to Lambda. Its format has no top-level await,
 * with which memberCheck prepares its process.
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

/** The table requests of a call, as a list for each set that is sent at once. */
type Waves = Recorded[][];

/** The table requests of the last of some calls with a new API key, so that the first finds nothing cached. */
async function requestsOf({ operation, status, prepare }: Case, calls = 1): Promise<Waves> {
  const { caller, request } = await prepare();
  return withNewKey(caller, async (key) => {
    const once = () => tableRequestsBy(() => call(operation, { ...request, key }, status));
    for (let count = 1; count < calls; count += 1) await once();
    return Object.values(Object.groupBy((await once()).requests, ({ wave }) => wave)) as Waves;
  });
}

/**
 * A bundle with the events and the status of its calls, and the CPU milliseconds of several fresh processes for its import
 * and first call.
 */
const contender = (file: string, event: () => Promise<unknown>, status: number) => {
  const wholes: number[] = [];
  return { file, event, status, wholes };
};

async function run({ file, event, status, wholes }: ReturnType<typeof contender>): Promise<void> {
  const { imported, calls } = await runBundle(file, [await event()], { LOG_LEVEL: 'INFO' });
  if (calls[0]?.status !== status) throw new Error(`${file} returned ${calls[0]?.status}, not ${status}`);
  wholes.push(imported.cpu + calls[0].cpu);
}

const rounded = (value: number): number => Number(value.toFixed(2));
/** The median ratio of runs that were made in turn. */
const ratioOf = (ours: number[], theirs: number[]): number =>
  rounded(median(ours.map((each, at) => each / (theirs[at] as number))));

const builder = (folder: string) => {
  let built = 0;
  return async (entry: string, options: BuildOptions): Promise<string> => {
    built += 1;
    const outfile = join(folder, `${built}.${options.format === 'cjs' ? 'cjs' : 'mjs'}`);
    await build({ ...options, entryPoints: [entry], outfile, absWorkingDir: ROOT });
    return outfile;
  };
};

const bareOptions = (secret?: string): BuildOptions => ({
  ...BUNDLING,
  define: { ...BUNDLING.define, SECRET: JSON.stringify(secret ?? '') },
});

/** Runs functions and their rivals in turn. */
async function measured(folder: string, files: Record<string, string>, runs: number) {
  const bundle = builder(folder);
  const bare = await bundle('test/bench/rivals/bare.ts', bareOptions());
  const bareWithSecret = await bundle(
    'test/bench/rivals/bare.ts',
    bareOptions(process.env['CARD_HMAC_KEY_SECRET'] as string),
  );
  const firstCases = new Map<Operation, Case>();
  for (const each of await cases()) if (!firstCases.has(each.operation)) firstCases.set(each.operation, each);
  const functions = [];
  for (const each of firstCases.values()) {
    const { operation, status, prepare } = each;
    const event = async () => eventOf(operation, (await prepare()).request);
    const waves = await requestsOf(each);
    const source = ENDPOINTS[operation]?.handler.replace(/\.\w+$/, '.ts') as string;
    functions.push({
      operation,
      ours: contender(files[operation] as string, event, status),
      byDefault: contender(await bundle(source, BY_DEFAULT), event, status),
      bare: contender(operation === 'memberCheck' ? bareWithSecret : bare, async () => ({ waves }), 200),
      express: contender(await bundle(source, withExpress(operation)), event, status),
    });
  }
  for (let count = 0; count < runs; count += 1)
    for (const { operation: _, ...contenders } of functions)
      for (const each of Object.values(contenders)) await run(each);
  return functions;
}

/** The CPU time of a call of a warm getBranch, relative to a bare function that sends the same request. */
async function warmRatio(folder: string, file: string): Promise<number> {
  const getBranch = (await cases()).find(({ operation }) => operation === 'getBranch') as Case;
  const bare = await builder(folder)('test/bench/rivals/bare.ts', bareOptions());
  const event = eventOf('getBranch', (await getBranch.prepare()).request);
  const waves = await requestsOf(getBranch, 2);
  const cpuOf = async (bundled: string, sent: unknown) => {
    const { calls } = await runBundle(bundled, Array(2 * WARM_CALLS).fill(sent), { LOG_LEVEL: 'INFO' });
    return calls.slice(WARM_CALLS).reduce((sum, { cpu }) => sum + cpu, 0);
  };
  const pairs = [];
  for (let count = 0; count < 3; count += 1) pairs.push((await cpuOf(file, event)) / (await cpuOf(bare, { waves })));
  return rounded(median(pairs));
}

function resultOf(functions: Awaited<ReturnType<typeof measured>>, sizes: Figures, runs: number): Result {
  const rows = functions.map(({ operation, ours, byDefault, bare, express }) => ({
    function: operation,
    bytes: Number(sizes[operation]),
    'function, ms': rounded(median(ours.wholes)),
    'bundled by default, ms': rounded(median(byDefault.wholes)),
    'bare function, ms': rounded(median(bare.wholes)),
    'Express, ms': rounded(median(express.wholes)),
    'of bare': ratioOf(ours.wholes, bare.wholes),
    'of Express': ratioOf(ours.wholes, express.wholes),
  }));
  const ofBare = rounded(median(rows.map((row) => row['of bare'])));
  const mostOfExpress = Math.max(...rows.map((row) => row['of Express']));
  return {
    tables: [{ title: 'Each function', rows }],
    targets: [
      atMost(MOST_OF_BARE, 'times the CPU time of the bare function, median of the functions', ofBare, true),
      atMost(MOST_OF_EXPRESS, 'times the CPU time of the Express app', mostOfExpress, true),
    ],
    counts: {},
    notes: [`CPU time of import and first call: medians of ${runs} processes, and of the ratios of runs made in turn.`],
  };
}

export const coldStart: Part = {
  title: 'Cold start',
  about:
    'Import and first call of each packaged function, in fresh processes. They run in turn with three others: the function bundled with the defaults of serverless-esbuild, a bare function that sends the same table requests and does nothing else, and the same operation as an Express app behind serverless-http, bundled with these defaults. The file cache is warm, and the table is DynamoDB Local.',
  measure: ({ runs, check }) =>
    withFolder(async (folder) => {
      const files: Record<string, string> = {};
      const sizes: Figures = {};
      // Bundles of the console may be larger: see test/packaged.
      for (const operation of [...Object.keys(OPERATIONS), 'unknownRoute'] as Operation[]) {
        const file = await writeBundle(folder, operation);
        files[operation] = file;
        sizes[operation] = statSync(file).size;
      }
      const size = atMost(LARGEST_BUNDLE, 'bytes of a bundle', Math.max(...Object.values(sizes)));
      const bytes = Object.fromEntries(
        Object.entries(sizes).map(([name, each]) => [`${name}: bytes of the bundle`, each]),
      );
      // Times are no gate.
      if (check) return { tables: [], targets: [size], counts: {}, bytes };
      const result = resultOf(await measured(folder, files, runs), sizes, runs);
      const warm = await warmRatio(folder, files['getBranch'] as string);
      const warmest = atMost(
        MOST_OF_WARM_BARE,
        'times the CPU time of the bare function for a warm getBranch',
        warm,
        true,
      );
      return { ...result, targets: [size, ...result.targets, warmest], bytes };
    }),
};
