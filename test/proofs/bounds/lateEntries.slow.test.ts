import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { SEALING } from '../../../lib/branches/ranks.ts';
import { table } from '../../../lib/table/client.ts';
import { branchListKey, type Key } from '../../../lib/table/keys.ts';
import { call } from '../../support/api.ts';
import { runs } from '../../support/depth.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { stored } from '../../support/stored.ts';
import { type Caller, newBranch, newWorld, unique, type World } from '../../support/world.ts';
import { served, useFleetClocks } from '../mirror/clocks.ts';
import { below, codeOf, count, isBusy, listAll, pick, times, useAwsTable } from './bounds.ts';

/* Branches that are stored late: by a process whose clock is behind, after younger ones were ranked. */

const BRANCHES = runs(40, 25);
const CREATORS = 3;
const READERS = 4;
/** How far the clock of the late creates is behind, in milliseconds. */
const BEHIND_MS = 60_000;
/** More than a read looks up. */
const MANY = 110;
const AT_ONCE = 6;

const POLICY = { ...SEALING };

/** The shortest time between the read of a list and its seal in a busy process, in milliseconds. */
const GAP_MS = 100;

useAwsTable({ visibility: [0, 150] });
let endFleetClocks: () => void;
beforeEach(() => {
  endFleetClocks = useFleetClocks();
  table.middlewareStack.add(
    (next) => async (args) => {
      const { TransactItems: [first] = [] } = args.input as { TransactItems?: { Update?: { Key: Key } }[] };
      if (first?.Update?.Key.sk === branchListKey('').sk) await sleep(GAP_MS * (1 + 2 * Math.random()));
      return next(args);
    },
    { step: 'initialize', name: 'gap' },
  );
});
afterEach(() => {
  endFleetClocks();
  table.middlewareStack.remove('gap');
  Object.assign(SEALING, POLICY);
});

type Partners = Pick<World, 'provider' | 'distributor'>;

const create = ({ provider, distributor }: Partners, off: number): Promise<string> =>
  served(off, async () => (await newBranch(provider, { mid: unique('M'), distributor: distributor.id })).mid);

const list = ({ key }: Caller, query: Record<string, string>) => call('listBranches', { key, query });

/** Lists branches until the list responds, and returns how many requests that took. */
async function requestsUntilListed(caller: Caller): Promise<number> {
  for (let requests = 1; requests <= 20; requests += 1) {
    const response = await list(caller, {});
    if (response.status === 200) return requests;
    expect(isBusy(response)).toBe(true);
  }
  return Number.POSITIVE_INFINITY;
}

/** Ranks every branch, and asserts that each is in both lists once and that the ranks are 1 to the count. */
async function expectRankedOnce({ provider, distributor }: Partners, mids: string[]): Promise<void> {
  Object.assign(SEALING, { horizonMs: -1_000, least: 1, most: POLICY.most });
  for (const caller of [provider, distributor]) {
    const position = caller === provider ? 'provider_position' : 'distributor_position';
    let ranks: number[] = [];
    for (let attempt = 1; attempt <= mids.length; attempt += 1) {
      await requestsUntilListed(caller);
      if (attempt % 5 > 0) continue;
      const items = Object.entries(await stored()).flatMap(([name, item]) =>
        name.startsWith('BRANCH#') ? [item] : [],
      );
      ranks = items.filter((item) => item['payment_provider'] === provider.id).map((item) => Number(item[position]));
      if (Math.max(...ranks) <= mids.length) break;
    }
    expect(ranks.toSorted((a, b) => a - b)).toEqual(mids.map((_, at) => at + 1));
    for (const sort of ['asc', 'desc']) {
      const { rows } = await listAll('listBranches', { key: caller.key }, sort);
      expect(rows.map(({ mid }) => mid).sort()).toEqual(mids.toSorted());
    }
  }
  await expectNoViolations();
}

test(`${BRANCHES} branches of which half are stored late are in both lists once, while these are read and ranked`, async () => {
  const partners = await newWorld();
  const callers = [partners.provider, partners.distributor];
  Object.assign(SEALING, { horizonMs: 200, least: 1, most: 3 });
  const mids: string[] = [];
  const wrongs: Record<string, number> = {};
  let begun = 0;
  const creators = times(CREATORS, async () => {
    while (begun < BRANCHES) {
      begun += 1;
      mids.push(await create(partners, begun % 2 === 0 ? -BEHIND_MS : 0));
    }
  });
  let lists = 0;
  /** Lists that failed because each attempt found an entry whose branch was not visible yet: clocks are far off here. */
  let busy = 0;
  let isOver = false;
  const readers = times(READERS, async () => {
    while (!isOver) {
      lists += 1;
      const least = mids.length;
      const per_page = pick([1, 10, 100]);
      const query = { sort: pick(['asc', 'desc']), per_page: String(per_page), page: String(1 + below(5)) };
      const response = await list(pick(callers), query);
      if (isBusy(response)) {
        busy += 1;
        continue;
      }
      const shown: string[] = response.body.data?.map(({ mid }: { mid: string }) => mid) ?? [];
      const { total = 0 } = response.body.meta ?? {};
      const size = Math.max(0, Math.min(per_page, total - (Number(query.page) - 1) * per_page));
      const wrong =
        (response.status !== 200 && codeOf(response)) ||
        (total < least && 'total too low') ||
        (total > begun && 'total too high') ||
        (shown.length !== size && 'short or long') ||
        (new Set(shown).size !== shown.length && 'a MID twice');
      if (wrong) count(wrongs, wrong);
    }
  });
  await creators;
  isOver = true;
  await readers;
  expect(wrongs).toEqual({});
  expect(busy).toBeLessThan(lists / 2);
  await expectRankedOnce(partners, mids);
});

test(`a list responds again after at most 10 requests when ${MANY} branches are stored late at once`, async () => {
  const partners = await newWorld();
  const { provider, distributor } = partners;
  Object.assign(SEALING, { horizonMs: -1_000, least: 1, most: 5 });
  const mids = await times(5, () => create(partners, 0));
  // Ranks these.
  for (const caller of [provider, distributor]) await requestsUntilListed(caller);
  Object.assign(SEALING, POLICY, { probability: 0 });
  while (mids.length < MANY) mids.push(...(await times(AT_ONCE, () => create(partners, -BEHIND_MS))));
  for (const caller of [provider, distributor]) {
    const requests = await Promise.all([requestsUntilListed(caller), requestsUntilListed(caller)]);
    expect(Math.max(...requests)).toBeLessThanOrEqual(10);
  }
  await expectRankedOnce(partners, mids);
});
