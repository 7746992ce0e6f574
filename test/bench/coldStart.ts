import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { ENDPOINTS } from '../../infra/template/definitions.ts';
import { BUNDLING } from '../packaged/packaged.ts';
import { eventOf, type Operation } from '../support/invoke.ts';
import { type Case, cases } from './cases.ts';
import { runBundle, withFolder, writeBundle } from './instance.ts';
import { atMost, barsOf, type Figures, type Part, type Result } from './part.ts';
import { median } from './statistics.ts';

/** The largest size of a bundle, in bytes. */
const LARGEST_BUNDLE = 230_000;
/** The most that a function's import and first call may take, relative to its rivals. */
const MOST_OF_BARE = 1.15;
const MOST_OF_EXPRESS = 0.6;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The defaults of serverless-esbuild, but with the SDK, which it would leave to Lambda. */
const BY_DEFAULT: BuildOptions = { bundle: true, platform: 'node', target: 'node24', format: 'cjs', logLevel: 'error' };

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
  return { ...BY_DEFAULT, define: { ROUTE }, plugins: [plugin] };
}

/** A bundle, and its times in several fresh processes, in milliseconds. */
interface Contender {
  file: string;
  event: () => Promise<unknown>;
  /** The expected status. */
  status: number;
  imports: number[];
  /** Import and first call. */
  wholes: number[];
}

async function run({ file, event, status, imports, wholes }: Contender): Promise<void> {
  const { imported, calls } = await runBundle(file, [await event()], { LOG_LEVEL: 'INFO' });
  if (calls[0]?.status !== status) throw new Error(`${file} returned ${calls[0]?.status}, not ${status}`);
  imports.push(imported.milliseconds);
  wholes.push(imported.milliseconds + calls[0].milliseconds);
}

const rounded = (values: number[]): number => Number(median(values).toFixed(1));

/** Runs each function and its rivals in turn. */
async function measured(folder: string, files: Record<string, string>, runs: number) {
  let built = 0;
  const bundle = async (entry: string, options: BuildOptions): Promise<string> => {
    built += 1;
    const outfile = join(folder, `${built}.${options.format === 'cjs' ? 'cjs' : 'mjs'}`);
    await build({ ...options, entryPoints: [entry], outfile, absWorkingDir: ROOT });
    return outfile;
  };
  const bare = await bundle('test/bench/rivals/bare.ts', BUNDLING);
  const firstCases = new Map<Operation, Case>();
  for (const each of await cases()) if (!firstCases.has(each.operation)) firstCases.set(each.operation, each);
  const functions = [];
  for (const [operation, { status, prepare }] of firstCases) {
    const event = async () => eventOf(operation, (await prepare()).request);
    const contender = (file: string): Contender => ({ file, event, status, imports: [], wholes: [] });
    const source = ENDPOINTS[operation]?.handler.replace(/\.\w+$/, '.ts') as string;
    functions.push({
      operation,
      function: contender(files[operation] as string),
      byDefault: contender(await bundle(source, BY_DEFAULT)),
      bare: { ...contender(bare), event: async () => ({}), status: 404 },
      express: contender(await bundle(source, withExpress(operation))),
    });
  }
  for (let count = 0; count < runs; count += 1)
    for (const { operation: _, ...contenders } of functions)
      for (const contender of Object.values(contenders)) await run(contender);
  return functions;
}

function resultOf(functions: Awaited<ReturnType<typeof measured>>, sizes: Figures, runs: number): Result {
  const rows = functions.map(({ operation, function: ours, byDefault, bare, express }) => ({
    function: operation,
    bytes: Number(sizes[operation]),
    'import, ms': rounded(ours.imports),
    'and first call, ms': rounded(ours.wholes),
    'bundled by default, ms': rounded(byDefault.wholes),
    'bare function, ms': rounded(bare.wholes),
    'Express, ms': rounded(express.wholes),
  }));
  const ratio = (rival: 'bare function, ms' | 'Express, ms') =>
    Number(Math.max(...rows.map((row) => row['and first call, ms'] / row[rival])).toFixed(2));
  return {
    tables: [{ title: 'Each function', rows }],
    targets: [
      atMost(MOST_OF_BARE, 'times a function takes as long as the bare function', ratio('bare function, ms'), true),
      atMost(MOST_OF_EXPRESS, 'times a function takes as long as the Express app', ratio('Express, ms'), true),
    ],
    counts: {},
    chart: barsOf('Import and first call', 'milliseconds', rows, 'function', {
      'bare function': 'bare function, ms',
      function: 'and first call, ms',
      Express: 'Express, ms',
    }),
    notes: [
      `Import and first call, as medians of ${runs} processes.`,
      'Most functions send more than one request: they read the API key, then the items that the request is about, and may then write. `memberCheck` also fetches a secret, with a client of its own. So they cannot be as fast as the bare function.',
    ],
  };
}

export const coldStart: Part = {
  title: 'Cold start',
  about:
    'Import and first call of each packaged function, in fresh processes. They run in turn with two rivals: a bare function without middleware that sends one GetItem with the same client, and the same operation as an Express app behind serverless-http. They also run bundled with the defaults of serverless-esbuild. The file cache is warm, and the table is DynamoDB Local.',
  measure: ({ runs, check }) =>
    withFolder(async (folder) => {
      const files: Record<string, string> = {};
      const sizes: Figures = {};
      for (const operation of Object.keys(ENDPOINTS) as Operation[]) {
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
      return { ...result, targets: [size, ...result.targets], bytes };
    }),
};
