import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SEALING } from '../../../lib/branches/ranks.ts';
import { call } from '../../support/api.ts';
import { runs, seed } from '../../support/depth.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { stored } from '../../support/stored.ts';
import { newBranch, newWorld, unique } from '../../support/world.ts';
import { served, useFleetClocks } from '../mirror/clocks.ts';
import { installGate, interleaved } from '../model/interleaving.ts';
import { listAll } from './bounds.ts';

/*
 * Branches that are stored late: by a process whose clock is behind, after younger ones were ranked. A seed decides the
 * order of all requests to the table.
 */

/** How far the clock of the late creates is behind, in milliseconds. */
const BEHIND_MS = 60_000;
const POLICY = { ...SEALING };

let endFleetClocks: () => void;
beforeAll(installGate);
beforeEach(() => {
  endFleetClocks = useFleetClocks();
  // Every entry is old enough, and each list ranks some.
  Object.assign(SEALING, { horizonMs: -1_000, least: 1, most: 3 });
});
afterEach(() => {
  endFleetClocks();
  Object.assign(SEALING, POLICY);
});

/** Whether each create is late, by creator. */
const creators = fc.array(fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }), { minLength: 3, maxLength: 3 });
const query = fc.record({
  sort: fc.constantFrom('asc', 'desc'),
  per_page: fc.constantFrom('1', '3', '100'),
  page: fc.constantFrom('1', '2', '4'),
});
/** The lists of each reader. */
const readers = fc.array(fc.array(query, { minLength: 4, maxLength: 4 }), { minLength: 2, maxLength: 2 });

test(
  'branches of which some are stored late are in both lists once, while these are read and ranked',
  async () => {
    const property = fc.asyncProperty(fc.scheduler(), creators, readers, async (scheduler, creates, lists) => {
      const { provider, distributor } = await newWorld();
      const callers = [provider, distributor];
      const mids: string[] = [];
      const all = creates.flat().length;
      const creating = creates.map((each, at) => async () => {
        for (const isLate of each) {
          const body = { mid: unique('M'), distributor: distributor.id };
          await served(isLate ? -BEHIND_MS : 0, () => newBranch(provider, body));
          mids.push(body.mid);
        }
        return at;
      });
      const reading = lists.map((each, at) => async () => {
        const { key } = callers[at % 2] as typeof provider;
        for (const query of each) {
          const least = mids.length;
          const { status, body } = await call('listBranches', { key, query });
          const { data = [], meta = { total: -1 } } = body;
          const size = Math.max(
            0,
            Math.min(Number(query.per_page), meta.total - (Number(query.page) - 1) * Number(query.per_page)),
          );
          const shown = new Set(data.map(({ mid }: { mid: string }) => mid));
          expect([status, query, shown.size, data.length]).toEqual([200, query, size, size]);
          expect([query, meta.total >= least, meta.total <= all]).toEqual([query, true, true]);
        }
        return at;
      });
      const work = [...creating, ...reading].map((start, at) => ({ name: String(at), start }));
      await interleaved(scheduler, work);

      for (const [caller, position] of [
        [provider, 'provider_position'],
        [distributor, 'distributor_position'],
      ] as const) {
        // Each list ranks three.
        for (let list = 0; list < all; list += 1) await call('listBranches', { key: caller.key });
        for (const sort of ['asc', 'desc']) {
          const { rows } = await listAll('listBranches', { key: caller.key }, sort);
          expect(rows.map(({ mid }) => mid).sort()).toEqual(mids.toSorted());
        }
        const branches = Object.values(await stored()).filter((item) => mids.includes(item['mid'] as string));
        const ranks = branches.flatMap((item) => (position in item ? Number(item[position]) : []));
        expect(ranks.sort((a, b) => a - b)).toEqual(mids.map((_, at) => at + 1));
      }
    });
    await fc.assert(property, { numRuns: runs(4, 150), seed, unbiased: true, endOnFailure: true });
    await expectNoViolations();
  },
  runs(600_000),
);
