import { afterEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Key, tidOf } from '../../../lib/table/keys.ts';
import { intercept } from '../../lib/table/intercept.ts';
import { deep, runs, seed } from '../../support/depth.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { terminalItemOf } from '../../support/stored.ts';
import { type Caller, newAcquirer, newBranch, unique } from '../../support/world.ts';
import { succeed } from './bounds.ts';

/*
 * Lists of terminals while each entry of their index lags by another time, and terminals are created, deleted, created
 * again and moved between branches. Every page is compared with what the branches have. Time passes only between
 * requests.
 */

/** The longest lag, in milliseconds. */
const LAG_MS = 3_000;
/** The most terminals of a branch. */
const MOST = deep ? 400 : 120;
const BRANCHES = 2;

afterEach(expectNoViolations);

/** A terminal in the table, and its entry in the index. */
interface Row {
  mid: string;
  branch_order: string;
}
interface Input {
  IndexName?: string;
  Limit?: number;
  ExpressionAttributeValues?: Record<':mid' | ':first' | ':last', string>;
  TransactItems?: Record<string, { Key?: Key; Item?: Key }>[];
}

/**
 * From now on, the index of terminals shows each change of an entry only after its lag. An entry that moves is removed
 * at one place and added at another, each with a lag of its own. The changes of a place stay in order.
 */
function lagIndex(nextLag: () => number, now: () => number): void {
  /** The terminals as they are in the table. */
  const known = new Map<string, Row>();
  /** What the index shows at each place: the last version that is due, nothing after a removal. */
  const places = new Map<string, { due: number; row: Row; isThere: boolean }[]>();
  const placeOf = ({ mid, branch_order }: Row) => `${mid} ${branch_order}`;
  const show = (row: Row, isThere: boolean) => {
    const versions = places.get(placeOf(row)) ?? [];
    const due = Math.max(now() + nextLag(), versions.at(-1)?.due ?? 0);
    places.set(placeOf(row), [...versions, { due, row, isThere }]);
  };
  async function follow(tid: string): Promise<void> {
    const before = known.get(tid);
    const after = (await terminalItemOf(tid)) as Row | undefined;
    if (before && (!after || placeOf(before) !== placeOf(after))) show(before, false);
    if (after) show(after, true);
    if (after) known.set(tid, after);
    else known.delete(tid);
  }
  intercept(async (send, sent) => {
    const { IndexName, Limit, ExpressionAttributeValues: values, TransactItems = [] }: Input = sent.input;
    if (IndexName !== 'terminals-by-branch' || !values) {
      const result = await send();
      const keys = TransactItems.flatMap((step) => Object.values(step).flatMap(({ Key, Item }) => Key ?? Item ?? []));
      for (const { pk, sk } of keys) if (sk === 'TERMINAL') await follow(pk.replace('TERMINAL#', ''));
      return result;
    }
    const { ':mid': mid, ':first': first, ':last': last } = values;
    const Items = [...places.values()]
      .map((versions) => versions.findLast(({ due }) => due <= now()))
      .flatMap((version) => (version?.isThere ? [version.row] : []))
      .filter(({ mid: of, branch_order: order }) => of === mid && order >= first && order <= last)
      .sort((a, b) => (a.branch_order < b.branch_order ? -1 : 1));
    return { output: { Items: Items.slice(0, Limit) } };
  });
}

interface Listed {
  tid: string;
  terminal_id: string;
  created_at: string;
  /** Place in the request that created it. */
  place: number;
}

const byOrder = (a: Listed, b: Listed): number =>
  a.created_at.localeCompare(b.created_at) || a.place - b.place || (a.tid < b.tid ? -1 : 1);

/** What happens to a branch, to terminals at these places, and how much time passes then. */
const step = fc.record({
  kind: fc.constantFrom('create', 'recreate', 'delete', 'move', 'move'),
  branch: fc.nat(BRANCHES - 1),
  places: fc.array(fc.nat(MOST - 1), { minLength: 1, maxLength: 6 }),
  passes: fc.constantFrom(0, 0, 10, 500, LAG_MS),
  per_page: fc.constantFrom(1, 10, 40, 100),
  page: fc.nat(5),
});

async function expectPage({ key }: Caller, mid: string, all: Listed[], sort: string, per_page: number, page: number) {
  const query = { sort, per_page: String(per_page), page: String(page) };
  const { body } = await succeed('listTerminals', { key, path: { id: mid }, query });
  const sorted = all.toSorted(byOrder);
  if (sort === 'desc') sorted.reverse();
  const expected = sorted.slice((page - 1) * per_page, page * per_page).map(({ tid }) => tid);
  expect([query, body.data.map(({ tid }: Listed) => tid), body.meta.total]).toEqual([query, expected, all.length]);
}

test(
  'pages of terminals are exact however far each entry of the index lags',
  async () => {
    const lags = fc.infiniteStream(fc.nat(LAG_MS));
    const property = fc.asyncProperty(fc.array(step, { minLength: 25, maxLength: 25 }), lags, async (steps, lags) => {
      let now = 0;
      lagIndex(
        () => lags.next().value,
        () => now,
      );
      const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
      const { key } = provider;
      const branches = new Map<string, Listed[]>();
      for (let count = 0; count < BRANCHES; count += 1) branches.set((await newBranch(provider)).mid, []);
      const deleted: string[] = [];

      async function create(mid: string, ids: string[]): Promise<void> {
        const body = { terminals: ids.map((terminal_id) => ({ terminal_id })) };
        const { data } = (await succeed('createTerminals', { key, path: { id: mid }, body })).body;
        branches.get(mid)?.push(...data.map((each: Listed, place: number) => ({ ...each, place })));
      }
      async function take(mid: string, place: number, target?: string): Promise<void> {
        const all = branches.get(mid) as Listed[];
        const [terminal] = all.splice(place % Math.max(all.length, 1), 1);
        if (!terminal) return;
        const path = { id: tidOf(terminal.terminal_id) };
        if (target) await succeed('reassignTerminal', { key, path, body: { mid: target } });
        else await succeed('deleteTerminal', { key, path });
        if (target) branches.get(target)?.push(terminal);
        else deleted.push(terminal.terminal_id);
      }

      for (const { kind, branch, places, passes, per_page, page } of steps) {
        const mids = [...branches.keys()];
        const [mid, other] = [mids[branch], mids[(branch + 1) % BRANCHES]] as [string, string];
        const isFull = (branches.get(mid)?.length ?? 0) > MOST - 40;
        if (kind === 'recreate' && deleted.length > 0 && !isFull) await create(mid, deleted.splice(0, places.length));
        else if (/create/.test(kind) && !isFull)
          await create(
            mid,
            Array.from({ length: 40 }, () => unique('T')),
          );
        else for (const place of places) await take(mid, place, kind === 'move' ? other : undefined);
        now += passes;
        for (const [each, all] of branches) {
          const last = Math.max(1, Math.ceil(all.length / per_page));
          for (const sort of ['asc', 'desc'])
            for (const number of new Set([1, last, 1 + (page % (last + 1))]))
              await expectPage(provider, each, all, sort, per_page, number);
        }
      }
    });
    await fc.assert(property, { numRuns: runs(1, 200), seed, unbiased: true, endOnFailure: true });
  },
  runs(600_000),
);
