import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { tidOf } from '../../../lib/table/keys.ts';
import { call } from '../../support/api.ts';
import { deep, runs } from '../../support/depth.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { type Caller, newAcquirer, newBranch, unique } from '../../support/world.ts';
import { below, count, isBusy, pick, succeed, times, useAwsTable } from './bounds.ts';

/*
 * Lists of terminals while their index lags by seconds, and terminals are created, deleted, created again and moved
 * between branches. Every page is compared with a model of the branches.
 */

const PAGES = runs(200, 100);
const LAG_MS = 3_000;
/** Terminals of each branch at the start. */
const START = deep ? 160 : 80;
const MOST = 400;
const WRITERS = 3;
const READERS = 6;
/** Changes of each writer before all writers wait for some passes over every list. */
const CHANGES = deep ? 5 : 3;
const PASSES = deep ? 4 : 1;

useAwsTable({ lag: [LAG_MS, LAG_MS] });

interface Listed {
  tid: string;
  created_at: string;
}
interface Known extends Listed {
  terminal_id: string;
  /** Place in the request that created it. */
  place: number;
}

/** Whether a branch has a terminal. */
interface Membership {
  terminal: Known;
  isMember: boolean;
  /** Whether a change of it is in progress. */
  isChanging: boolean;
  /** When a change last began or ended, by `now`. */
  changedAt: number;
}

/** A logical clock: each event has its own time. */
let now = 0;
const tick = (): number => {
  now += 1;
  return now;
};

const byOrder = (a: Known, b: Known): number =>
  a.created_at.localeCompare(b.created_at) || a.place - b.place || (a.tid < b.tid ? -1 : 1);

/** The branches: what they have by the responses so far. */
const branches = new Map<string, Map<string, Membership>>();
const membersOf = (mid: string) => branches.get(mid) as Map<string, Membership>;

function begin(mid: string, terminal: Known): void {
  const isMember = membersOf(mid).get(terminal.tid)?.isMember ?? false;
  membersOf(mid).set(terminal.tid, { terminal, isMember, isChanging: true, changedAt: tick() });
}

const end = (mid: string, terminal: Known, isMember: boolean) =>
  membersOf(mid).set(terminal.tid, { terminal, isMember, isChanging: false, changedAt: tick() });

/** The terminals of a branch that are not changing. */
const terminalsOf = (mid: string): Known[] =>
  [...membersOf(mid).values()].flatMap(({ terminal, isMember, isChanging }) =>
    isMember && !isChanging ? [terminal] : [],
  );

interface Asked {
  sort: 'asc' | 'desc';
  page: number;
  per_page: number;
}

/** Reads a page, and returns its first error, if any. */
async function wrongOf({ key }: Caller, mid: string, { sort, page, per_page }: Asked): Promise<string | undefined> {
  const began = tick();
  const query = { sort, page: String(page), per_page: String(per_page) };
  const response = await call('listTerminals', { key, path: { id: mid }, query });
  if (response.status !== 200) return isBusy(response) ? 'busy' : 'failed';
  const { total }: { total: number } = response.body.meta;
  const data: Listed[] = response.body.data;
  if (data.length !== Math.max(0, Math.min(per_page, total - (page - 1) * per_page))) return 'short or long';
  if (new Set(data.map(({ tid }) => tid)).size !== data.length) return 'a TID twice';
  const created = data.map(({ created_at }) => created_at);
  if (created.join() !== (sort === 'asc' ? created.toSorted() : created.toSorted().reverse()).join())
    return 'out of order';
  const all = [...membersOf(mid).values()];
  const isCertain = ({ isChanging, changedAt }: Membership) => !isChanging && changedAt < began;
  const certain = all.filter((each) => isCertain(each) && each.isMember);
  const absent = new Set(all.flatMap((each) => (isCertain(each) && !each.isMember ? [each.terminal.tid] : [])));
  if (total < certain.length) return 'total too low';
  if (total > all.length - absent.size) return 'total too high';
  if (data.some(({ tid }) => absent.has(tid) || !membersOf(mid).has(tid))) return 'a terminal that is not there';
  // Nothing changed, so the page is known exactly.
  if (certain.length !== all.length - absent.size) return undefined;
  const sorted = certain.map(({ terminal }) => terminal).sort(byOrder);
  if (sort === 'desc') sorted.reverse();
  const expected = sorted.slice((page - 1) * per_page, page * per_page);
  return expected.map(({ tid }) => tid).join() === data.map(({ tid }) => tid).join() ? undefined : 'not exact';
}

/** Any page, often at an end of the list. */
function anyPage(total: number): Asked {
  const per_page = pick([1, 10, 40, 100, 1 + below(100)]);
  const last = Math.max(1, Math.ceil(total / per_page));
  return { sort: pick(['asc', 'desc']), per_page, page: pick([1, 2, last, last + 1, 1 + below(last)]) };
}

/** The terminal_ids of deleted terminals. */
const deleted: string[] = [];

async function post(operation: 'createTerminals' | 'reassignTerminal', { key }: Caller, id: string, body: object) {
  const headers = { 'idempotency-key': randomUUID() };
  return (await succeed(operation, { key, path: { id }, headers, body })).body.data;
}

async function create(caller: Caller, mid: string, count: number, again: string[] = []): Promise<void> {
  const ids = [...again, ...Array.from({ length: count - again.length }, () => unique('T'))];
  const known = ids.map((terminal_id, place) => ({ tid: tidOf(terminal_id), terminal_id, created_at: '', place }));
  for (const terminal of known) begin(mid, terminal);
  const terminals = ids.map((terminal_id) => ({ terminal_id }));
  const created: Listed[] = await post('createTerminals', caller, mid, { terminals });
  for (const [place, { created_at }] of created.entries()) end(mid, { ...(known[place] as Known), created_at }, true);
}

async function remove({ key }: Caller, mid: string, terminal: Known): Promise<void> {
  begin(mid, terminal);
  await succeed('deleteTerminal', { key, path: { id: terminal.tid } });
  end(mid, terminal, false);
  deleted.push(terminal.terminal_id);
}

async function move(caller: Caller, from: string, terminal: Known, to: string): Promise<void> {
  begin(from, terminal);
  begin(to, terminal);
  await post('reassignTerminal', caller, terminal.tid, { mid: to });
  end(from, terminal, false);
  end(to, terminal, true);
}

/** Changes terminals of a branch at random. No two writers change the same terminal at once. */
async function change(caller: Caller, mid: string): Promise<void> {
  const isFull = terminalsOf(mid).length > MOST;
  const kind = isFull ? 'delete' : pick(['create', 'recreate', 'delete', 'delete', 'move', 'move']);
  if (kind === 'create') return create(caller, mid, 40);
  if (kind === 'recreate') return create(caller, mid, 5, deleted.splice(0, 5));
  // Several, of which each is another change.
  for (let number = 1; number <= (isFull ? 20 : 6); number += 1) {
    const terminal = pick(terminalsOf(mid));
    if (!terminal) return;
    if (kind === 'delete') await remove(caller, mid, terminal);
    else await move(caller, mid, terminal, pick([...branches.keys()].filter((other) => other !== mid)));
  }
}

test(`${PAGES} pages of terminals are right while they change, and exact when they do not, with an index ${LAG_MS} ms behind`, async () => {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const mids: string[] = (await times(3, () => newBranch(provider))).map(({ mid }) => mid);
  for (const mid of mids) branches.set(mid, new Map());
  for (const mid of mids) for (let has = 0; has < START; has += 40) await create(provider, mid, 40);

  let read = 0;
  const wrongs: Record<string, number> = {};
  const check = async (mid: string, asked: Asked, when: string) => {
    read += 1;
    const wrong = await wrongOf(provider, mid, asked);
    if (wrong) count(wrongs, `${when}: ${wrong}`);
  };
  while (read < PAGES) {
    const busiest = pick(mids);
    let isWriting = true;
    const writing = times(WRITERS, async () => {
      for (let number = 1; number <= CHANGES; number += 1) await change(provider, pick(mids));
      // At last all change the same branch by as many terminals as they can.
      if (terminalsOf(busiest).length <= MOST) await create(provider, busiest, 40);
    }).finally(() => {
      isWriting = false;
    });
    const reading = times(READERS, async () => {
      while (isWriting) {
        const mid = pick(mids);
        await check(mid, anyPage(terminalsOf(mid).length), 'while terminals change');
      }
    });
    await Promise.all([writing, reading]);
    // The index is still behind.
    for (let pass = 1; pass <= PASSES; pass += 1)
      await Promise.all(
        mids.flatMap((mid) =>
          (['asc', 'desc'] as const).map(async (sort) => {
            const total = terminalsOf(mid).length;
            const per_page = pick([10, 40, 100]);
            for (let page = 1; (page - 1) * per_page < total + per_page; page += 1)
              await check(mid, { sort, per_page, page }, 'between changes');
          }),
        ),
      );
  }
  expect(wrongs).toEqual({});
  await expectNoViolations();
});
