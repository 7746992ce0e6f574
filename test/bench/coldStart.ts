import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { ENDPOINTS } from '../../infra/template/definitions.ts';
import { issueApiKey, revokeApiKey } from '../../lib/operator/apiKeys.ts';
import { table } from '../../lib/table/client.ts';
import { BUNDLING } from '../packaged/packaged.ts';
import { withPackage } from '../packaged/packaging.ts';
import { eventOf, type Operation } from '../support/invoke.ts';
import { type Case, cases } from './cases.ts';
import { runBundle, unpackFunction } from './instance.ts';
import type { Part, Row } from './part.ts';
import type { Recorded } from './rivals/sameRequests.ts';
import { median } from './statistics.ts';
import { figure } from './tables.ts';
import { call } from './world.ts';

/** The largest size of a bundle, in bytes. */
const LARGEST_BUNDLE = 230_000;
/** The most that a function's import and first call may take, relative to its rivals. */
const MOST_OF_BARE = 1.15;
const MOST_OF_EXPRESS = 0.6;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The defaults of serverless-esbuild, but with the SDK, which it would leave to Lambda. */
const BY_DEFAULT: BuildOptions = { bundle: true, platform: 'node', target: 'node24', format: 'cjs', logLevel: 'error' };

/** Bundles the Express app for the operation of this route. */
const withExpress = (route: string) => {
  const plugin: Plugin = {
    name: 'express',
    setup({ onResolve }) {
      const path = join(ROOT, 'test/bench/rivals/expressEndpoint.ts');
      onResolve({ filter: /\/http\/endpoint\.ts$/ }, () => ({ path }));
    },
  };
  return { define: { ROUTE: JSON.stringify(route) }, plugins: [plugin] };
};

const milliseconds = (value: number): number => Number(value.toFixed(1));

/** These options with all of ours. */
const asHere = ({ define, plugins }: ReturnType<typeof withExpress>): BuildOptions => ({
  ...BUNDLING,
  define,
  plugins: [...plugins, ...(BUNDLING.plugins ?? [])],
});

/** A bundle, and its measurements in several fresh processes. */
interface Contender {
  file: string;
  imported: number[];
  /** Import and first call, in milliseconds. */
  whole: number[];
}
const contender = (file: string): Contender => ({ file, imported: [], whole: [] });

async function run({ file, imported, whole }: Contender, event: unknown, status: number): Promise<void> {
  const measured = await runBundle(file, [event], { LOG_LEVEL: 'INFO' });
  if (measured.statuses[0] !== status) throw new Error(`${file} returned ${measured.statuses}, not ${status}`);
  imported.push(measured.imported);
  whole.push(measured.imported + measured.firstCall);
}

const sourceOf = (operation: Operation): string => ENDPOINTS[operation]?.handler.replace(/\.\w+$/, '.ts') as string;

/** The table requests of a new process for a call, as a list for each set that is sent at once. */
async function requestsOf({ operation, status, prepare }: Case): Promise<{ waves: Recorded[][] }> {
  const { caller, request } = await prepare();
  const { api_key: key, key_id } = await issueApiKey(caller.id, 'bench');
  const waves: Recorded[][] = [];
  let pending = 0;
  table.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        // A request that is sent while another one is under way does not wait for it.
        if (pending === 0) waves.push([]);
        waves.at(-1)?.push({ operation: commandName.replace(/Command$/, ''), input: args.input });
        pending += 1;
        try {
          return await next(args);
        } finally {
          pending -= 1;
        }
      },
    { step: 'initialize', name: 'waves' },
  );
  await call(operation, { ...request, key }, status);
  table.middlewareStack.remove('waves');
  await revokeApiKey(caller.id, key_id);
  return { waves };
}

export const coldStart: Part = {
  title: 'Cold start',
  about:
    'Import and first call of each packaged function, in fresh processes. They run in turn with three rivals: a bare function without middleware that sends one GetItem with the same client; a bare function that sends the same table requests as ours; and the same operation as an Express app behind serverless-http, bundled with the defaults and as ours is. The file cache is warm, and the table is DynamoDB Local.',
  async measure({ runs }) {
    const folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-'));
    const folders = [folder];
    let built = 0;
    const bundle = async (entry: string, options: BuildOptions): Promise<string> => {
      built += 1;
      const outfile = join(folder, `${built}.${options.format === 'cjs' ? 'cjs' : 'mjs'}`);
      await build({ ...options, entryPoints: [entry], outfile, absWorkingDir: ROOT });
      return outfile;
    };

    try {
      const firstCases = new Map<Operation, Case>();
      for (const each of await cases()) if (!firstCases.has(each.operation)) firstCases.set(each.operation, each);
      const bare = await bundle('test/bench/rivals/bare.ts', BUNDLING);
      const sameRequests = await bundle('test/bench/rivals/sameRequests.ts', BUNDLING);
      const functions = await withPackage('prod', async ({ folder: packages }) => {
        const all = [];
        for (const each of firstCases.values()) {
          const { operation } = each;
          const unpacked = unpackFunction(packages, operation);
          folders.push(unpacked.folder);
          const route = ENDPOINTS[operation]?.events[0].httpApi as string;
          all.push({
            ...each,
            requests: await requestsOf(each),
            bytes: statSync(unpacked.file).size,
            function: contender(unpacked.file),
            bare: contender(bare),
            same: contender(sameRequests),
            express: contender(await bundle(sourceOf(operation), { ...BY_DEFAULT, ...withExpress(route) })),
            expressAsHere: contender(await bundle(sourceOf(operation), asHere(withExpress(route)))),
          });
        }
        return all;
      });
      const getBranch = firstCases.get('getBranch') as Case;
      const source = sourceOf('getBranch');
      const express = withExpress(ENDPOINTS['getBranch']?.events[0].httpApi as string);
      // The same three programs, bundled both ways.
      const bundled = {
        bare: [await bundle('test/bench/rivals/bare.ts', BY_DEFAULT), bare],
        'the function': [await bundle(source, BY_DEFAULT), await bundle(source, BUNDLING)],
        'the Express app': [await bundle(source, { ...BY_DEFAULT, ...express }), await bundle(source, asHere(express))],
      };
      const waysOf = Object.entries(bundled).map(([program, files]) => ({ program, ways: files.map(contender) }));
      for (let count = 0; count < runs; count += 1) {
        for (const { program, ways } of waysOf)
          for (const way of ways) {
            const { request } = await getBranch.prepare();
            await run(way, eventOf('getBranch', request), program === 'bare' ? 404 : 200);
          }
        for (const each of functions) {
          const event = async () => eventOf(each.operation, (await each.prepare()).request);
          await run(each.function, await event(), each.status);
          await run(each.bare, {}, 404);
          await run(each.same, each.requests, 200);
          await run(each.express, await event(), each.status);
          await run(each.expressAsHere, await event(), each.status);
        }
      }

      const rows = functions.map((each) => {
        const whole = median(each.function.whole);
        const of = (rival: Contender) => Number((whole / median(rival.whole)).toFixed(2));
        return {
          function: each.operation,
          bytes: each.bytes,
          'import, ms': milliseconds(median(each.function.imported)),
          'and first call, ms': milliseconds(whole),
          '÷ bare': of(each.bare),
          '÷ bare, same requests': of(each.same),
          '÷ Express': of(each.express),
          '÷ Express, bundled as here': of(each.expressAsHere),
        };
      });
      const most = (column: keyof (typeof rows)[number]) => Math.max(...rows.map((row) => Number(row[column])));
      const sameOfBare = Math.max(
        ...functions.map((each) => Number((median(each.same.whole) / median(each.bare.whole)).toFixed(2))),
      );
      const bareWhole = median(functions.flatMap((each) => each.bare.whole));
      return {
        tables: [
          { title: 'Each function', rows: rows satisfies Row[] },
          {
            title: 'getBranch by bundling: import and first call in ms',
            rows: waysOf.map(({ program, ways: [byDefault, tuned] }) => ({
              program,
              'by default': milliseconds(median((byDefault as Contender).whole)),
              'as here': milliseconds(median((tuned as Contender).whole)),
            })),
          },
        ],
        targets: [
          {
            target: `every bundle has at most ${figure(LARGEST_BUNDLE)} bytes`,
            measured: `${figure(most('bytes'))} at most`,
            isMet: most('bytes') <= LARGEST_BUNDLE,
          },
          {
            target: `import and first call of every function take at most ${MOST_OF_BARE} × those of the bare function`,
            measured: `${most('÷ bare')} × at most; with the same requests, the bare function itself takes up to ${sameOfBare} ×, and ours up to ${most('÷ bare, same requests')} × of that`,
            isMet: most('÷ bare') <= MOST_OF_BARE,
            isTime: true,
          },
          {
            target: `and at most ${MOST_OF_EXPRESS} × those of the Express app`,
            measured: `${most('÷ Express')} × at most; ${most('÷ Express, bundled as here')} × if Express is bundled as ours is`,
            isMet: most('÷ Express') <= MOST_OF_EXPRESS,
            isTime: true,
          },
        ],
        counts: {},
        bytes: Object.fromEntries(
          functions.map(({ operation, bytes }) => [`${operation}: bytes of the bundle`, bytes]),
        ),
        chart: {
          title: 'Import and first call',
          unit: 'ms',
          kind: 'bars',
          categories: functions.map(({ operation }) => operation),
          series: [
            { name: 'bare, one GetItem', values: functions.map(({ bare }) => Math.round(median(bare.whole))) },
            { name: 'bare, same requests', values: functions.map(({ same }) => Math.round(median(same.whole))) },
            { name: 'function', values: functions.map((each) => Math.round(median(each.function.whole))) },
            { name: 'Express', values: functions.map(({ express }) => Math.round(median(express.whole))) },
          ],
        },
        notes: [
          `Medians of ${runs} processes. The bare function takes ${milliseconds(bareWhole)} ms.`,
          'Most functions send more than one request: they read the API key, then the items that the request is about, and may then write. With this client, there is no faster way to the same result than the bare function with the same requests. So the second column of ratios shows what our own code costs: loading, validation, response and log. `memberCheck` also fetches a secret, with a client of its own.',
        ],
      };
    } finally {
      for (const each of folders) rmSync(each, { recursive: true });
    }
  },
};
