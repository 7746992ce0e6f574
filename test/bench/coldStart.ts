import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { API_OPERATIONS } from '../../infra/publish/contract/calls.ts';
import { BUNDLED } from '../../infra/stack/bundling.ts';
import { eventOf } from '../support/invoke.ts';
import { cases } from './cases.ts';
import { runBundle, unpackBundle, withFolder } from './instance.ts';
import { median, type Part, rounded } from './report.ts';

const BARE = fileURLToPath(new URL('bareHandler.ts', import.meta.url));

/** Bundles the bare handler as any project does, or with our plugins as well. */
async function bareBundle(outfile: string, plugins: Plugin[]): Promise<string> {
  const plainly = { bundle: true, minify: true, platform: 'node', format: 'esm', target: 'node24' } as const;
  await build({ ...plainly, mainFields: ['module', 'main'], entryPoints: [BARE], outfile, plugins });
  return outfile;
}

/**
 * Measures the CPU milliseconds of import and first call of each function, and of the bare handler, in fresh processes.
 */
async function measured(folder: string, runs: number) {
  const operations = (await cases()).slice(0, API_OPERATIONS.length);
  const functions = await Promise.all(
    operations.map(async (each) => ({
      ...each,
      name: each.operation,
      file: await unpackBundle(folder, each.operation),
    })),
  );
  const getBranch = functions.find(({ name }) => name === 'getBranch') as (typeof functions)[number];
  const bare = {
    [PLAIN]: await bareBundle(join(folder, 'plain.mjs'), []),
    [WITH_PLUGINS]: await bareBundle(join(folder, 'withPlugins.mjs'), BUNDLED),
  };
  const all = [...functions, ...Object.entries(bare).map(([name, file]) => ({ ...getBranch, name, file }))];
  const measurements = all.map((each) => ({ ...each, cpu: [] as number[] }));
  for (let count = 0; count < runs; count += 1)
    for (const { name, operation, status, prepare, file, cpu } of measurements) {
      const event = eventOf(operation, (await prepare()).request);
      const { imported, calls } = await runBundle(file, [event], { LOG_LEVEL: 'INFO' });
      if (calls[0]?.status !== status) throw new Error(`${name} returned ${calls[0]?.status}, not ${status}`);
      cpu.push(imported.cpu + calls[0].cpu);
    }
  return measurements;
}

const PLAIN = 'a bare handler, bundled plainly';
const WITH_PLUGINS = 'a bare handler, with our plugins';

export const coldStart: Part = {
  title: 'Cold start',
  about:
    'CPU time of import and first call of each packaged function, in fresh processes that run in turn. The bare ' +
    'handler only reads a branch, with middy and the SDK.',
  measure: (runs) =>
    withFolder(async (folder) => {
      const rows = (await measured(folder, runs)).map(({ name, file, cpu }) => ({
        function: name,
        bytes: statSync(file).size,
        'CPU, ms': rounded(median(cpu), 1),
      }));
      return { tables: { 'Each function': rows }, notes: [`Medians of ${runs} processes.`] };
    }),
};
