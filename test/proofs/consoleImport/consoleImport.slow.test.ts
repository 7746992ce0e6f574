import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ExportProgress, exportBranches } from '../../../functions/console/app/estate/export.ts';
import { runImport } from '../../../functions/console/app/estate/run.ts';
import type { Served } from '../../../infra/local/serve.ts';
import { runs, seed } from '../../support/depth.ts';
import { serveHandlers } from '../../support/overHttp.ts';
import { newAcquirer, newBranch } from '../../support/world.ts';
import {
  closings,
  expectStored,
  exported,
  faulty,
  newEstate,
  planOf,
  reported,
  runUntil,
  signedIn,
  started,
  type Wire,
} from './estate.ts';

/* An import of 2,000 rows, of which 40 have a mistake, in browsers that are closed at any moment; and an export of several pages. */

let server: Served;
beforeAll(async () => {
  server = await serveHandlers();
});
afterAll(() => server.stop());

test('an import creates each row without a mistake once, and reports exactly the mistakes', async () => {
  const property = fc.asyncProperty(closings(100), fc.nat(), async (all, seed) => {
    const estate = await newEstate({ rows: 2000, mistakes: 28 }, seed);
    const plan = await planOf(estate);
    const client = await signedIn(estate.caller, server);
    const storage = await started(plan);
    const wire = faulty();
    for (const closing of all) await runUntil(closing, storage, client, wire);
    const ended = await runImport(client(wire), storage, { signal: new AbortController().signal });
    expect(ended.is).toBe('finished');
    expect(reported(plan, ended)).toEqual(estate.rows.map(({ expected }) => expected));
    await expectStored(estate, client());
  });
  await fc.assert(property, { numRuns: runs(2), seed, endOnFailure: true });
});

test('an export has each branch once, and those that are created meanwhile last', async () => {
  const caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const client = await signedIn(caller, server);
  const mids = await Promise.all(Array.from({ length: 101 }, async () => (await newBranch(caller)).mid));
  const fail = faulty();
  let last: string | undefined;
  const wire: Wire = async (request, send) => {
    if (request.url.includes('page=2')) last ??= (await newBranch(caller)).mid;
    return fail(request, send);
  };
  const progress: ExportProgress[] = [];
  const found = await exported(
    exportBranches(client(wire), { signal: new AbortController().signal, onProgress: (now) => progress.push(now) }),
  );
  expect(found.map(({ mid }) => mid).sort()).toEqual([...mids, last].sort());
  expect(found.at(-1)?.['mid']).toBe(last);
  expect(progress).toEqual([
    { done: 100, total: 101, isIncomplete: false },
    { done: 102, total: 102, isIncomplete: false },
  ]);
});
