import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { API_OPERATIONS } from '../../infra/publish/contract/calls.ts';
import { BUNDLING } from '../../infra/stack/bundling.ts';
import { ENDPOINTS } from '../../infra/stack/template/definitions.ts';
import { eventOf } from '../support/invoke.ts';
import { cases } from './cases.ts';
import { runBundle, withFolder } from './instance.ts';
import { median, type Part, rounded } from './report.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Bundles each function, and measures the CPU milliseconds of its import and first call in fresh processes. */
async function measured(folder: string, runs: number) {
  const functions = [];
  for (const { operation, status, prepare } of (await cases()).slice(0, API_OPERATIONS.length)) {
    const entry = ENDPOINTS[operation]?.handler.replace(/\.\w+$/, '.ts') as string;
    const file = join(folder, `${operation}.mjs`);
    await build({ ...BUNDLING, entryPoints: [entry], outfile: file, absWorkingDir: ROOT });
    functions.push({ operation, status, prepare, file, cpu: [] as number[] });
  }
  for (let count = 0; count < runs; count += 1)
    for (const { operation, status, prepare, file, cpu } of functions) {
      const event = eventOf(operation, (await prepare()).request);
      const { imported, calls } = await runBundle(file, [event], { LOG_LEVEL: 'INFO' });
      if (calls[0]?.status !== status) throw new Error(`${operation} returned ${calls[0]?.status}, not ${status}`);
      cpu.push(imported.cpu + calls[0].cpu);
    }
  return functions;
}

export const coldStart: Part = {
  title: 'Cold start',
  about: 'CPU time of import and first call of each packaged function, in fresh processes that run in turn.',
  measure: (runs) =>
    withFolder(async (folder) => {
      const rows = (await measured(folder, runs)).map(({ operation, file, cpu }) => ({
        function: operation,
        bytes: statSync(file).size,
        'CPU, ms': rounded(median(cpu), 1),
      }));
      return { tables: { 'Each function': rows }, notes: [`Medians of ${runs} processes.`] };
    }),
};
