import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { tidOf } from '../../../lib/table/keys.ts';
import { call } from '../../support/api.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { type Caller, newAcquirer, newBranch, unique } from '../../support/world.ts';
import {
  below,
  callUntilDone,
  isBusy,
  type ListedTerminal,
  pick,
  record,
  sized,
  times,
  useAwsTable,
} from './bounds.ts';

/*
 * Lists of terminals while their index lags by seconds, and terminals are created, deleted, created again and moved
 * between branches. Every page is compared with a model of the branches.
 */

const PAGES = sized(400, 20_000);
const LAG_MS = sized(3_000, 5_000);
const BRANCHES = 3;
/** Terminals of each branch at the start, in requests of 40. */
const START = 160;
const MOST = 400;
const WRITERS = 3;
const READERS = 6;
/** Changes of each writer before all writers wait for some passes over every list. */
const CHANGES = 5;
const PASSES = sized(1, 4);

const EXACT = 'between changes: ';

useAwsTable({ lag: [LAG_MS, LAG_MS] });

interface Known extends ListedTerminal {
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

class Model {
  readonly branches = new Map<string, Map<string, Membership>>();

  begin(mid: string, terminal: Known): void {
    const members = this.branches.get(mid) as Map<string, Membership>;
    const isMember = members.get(terminal.tid)?.isMember ?? false;
    members.set(terminal.tid, { terminal, isMember, isChanging: true, changedAt: tick() });
  }

  end(mid: string, terminal: Known, isMember: boolean): void {
    this.branches.get(mid)?.set(terminal.tid, { terminal, isMember, isChanging: false, changedAt: tick() });
  }

  membersOf(mid: string): Known[] {
    const all = [...(this.branches.get(mid)?.values() ?? [])];
    return all.flatMap(({ terminal, isMember, isChanging }) => (isMember && !isChanging ? [terminal] : []));
  }
}

interface Asked {
  sort: 'asc' | 'desc';
  page: number;
  per_page: number;
}

const list = ({ key }: Caller, mid: string, { sort, page, per_page }: Asked) =>
  call('listTerminals', { key, path: { id: mid }, query: { sort, page: String(page), per_page: String(per_page) } });

/** Reads a page, and returns its first error, if any. */
async function wrongOf(caller: Caller, model: Model, mid: string, asked: Asked): Promise<string | undefined> {
  const members = model.branches.get(mid) as Map<string, Membership>;
  const began = tick();
  const response = await list(caller, mid, asked);
  if (response.status !== 200) return isBusy(response) ? 'busy' : 'failed';
  const { total }: { total: number } = response.body.meta;
  const data: ListedTerminal[] = response.body.data;
  if (data.length !== Math.max(0, Math.min(asked.per_page, total - (asked.page - 1) * asked.per_page)))
    return 'short or long';
  if (new Set(data.map(({ tid }) => tid)).size !== data.length) return 'a TID twice';
  const created = data.map(({ created_at }) => created_at);
  if (created.join() !== (asked.sort === 'asc' ? created.toSorted() : created.toSorted().reverse()).join())
    return 'out of order';
  let [least, most] = [0, 0];
  const [present, absent] = [new Set<string>(), new Set<string>()];
  for (const [tid, { isMember, isChanging, changedAt }] of members) {
    const isCertain = !isChanging && changedAt < began;
    if (isCertain && isMember) least += 1;
    if (!isCertain || isMember) most += 1;
    if (isCertain) (isMember ? present : absent).add(tid);
  }
  if (total < least) return 'total too low';
  if (total > most) return 'total too high';
  if (data.some(({ tid }) => absent.has(tid) || !members.has(tid))) return 'a terminal that is not there';
  // Nothing changed, so the page is known exactly.
  if (least !== most) return undefined;
  const sorted = model.membersOf(mid).sort(byOrder);
  if (asked.sort === 'desc') sorted.reverse();
  const expected = sorted.slice((asked.page - 1) * asked.per_page, asked.page * asked.per_page);
  return expected.map(({ tid }) => tid).join() === data.map(({ tid }) => tid).join() ? undefined : 'not exact';
}

/** Any page, often at an end of the list. */
function anyPage(total: number): Asked {
  const per_page = pick([1, 10, 40, 100, 1 + below(100)]);
  const last = Math.max(1, Math.ceil(total / per_page));
  return { sort: pick(['asc', 'desc']), per_page, page: pick([1, 2, last, last + 1, 1 + below(last)]) };
}

/** Changes terminals, and what the model knows of them. No two writers change the same terminal at once. */
class Writer {
  readonly #deleted: string[] = [];
  readonly #caller: Caller;
  readonly #model: Model;
  readonly #mids: string[];

  constructor(caller: Caller, model: Model, mids: string[]) {
    this.#caller = caller;
    this.#model = model;
    this.#mids = mids;
  }

  async change(): Promise<void> {
    const mid = pick(this.#mids);
    const count = this.#model.membersOf(mid).length;
    const kind = count > MOST ? 'delete' : pick(['create', 'recreate', 'delete', 'delete', 'move', 'move']);
    if (kind === 'create') return this.create(mid, 40);
    if (kind === 'recreate') return this.create(mid, 5, this.#deleted.splice(0, 5));
    // Several, of which each is another change.
    for (let number = 1; number <= (count > MOST ? 20 : 6); number += 1) {
      const terminal = pick(this.#model.membersOf(mid));
      if (!terminal) return;
      if (kind === 'delete') await this.#delete(mid, terminal);
      else await this.#move(mid, terminal, pick(this.#mids.filter((other) => other !== mid)));
    }
  }

  async create(mid: string, count: number, again: string[] = []): Promise<void> {
    const ids = [...again, ...Array.from({ length: count - again.length }, () => unique('T'))];
    const body = { terminals: ids.map((terminal_id) => ({ terminal_id })) };
    const known = ids.map((terminal_id, place) => ({ tid: tidOf(terminal_id), terminal_id, created_at: '', place }));
    for (const terminal of known) this.#model.begin(mid, terminal);
    const created: ListedTerminal[] = await this.#post('createTerminals', mid, body);
    for (const [place, terminal] of known.entries())
      this.#model.end(mid, { ...terminal, created_at: (created[place] as ListedTerminal).created_at }, true);
  }

  async #delete(mid: string, terminal: Known): Promise<void> {
    this.#model.begin(mid, terminal);
    const response = await callUntilDone('deleteTerminal', { key: this.#caller.key, path: { id: terminal.tid } });
    if (response.status !== 200) throw new Error(JSON.stringify(response.body));
    this.#model.end(mid, terminal, false);
    this.#deleted.push(terminal.terminal_id);
  }

  async #move(from: string, terminal: Known, to: string): Promise<void> {
    this.#model.begin(from, terminal);
    this.#model.begin(to, terminal);
    await this.#post('reassignTerminal', terminal.tid, { mid: to });
    this.#model.end(from, terminal, false);
    this.#model.end(to, terminal, true);
  }

  // biome-ignore lint/suspicious/noExplicitAny: a response's data
  async #post(operation: 'createTerminals' | 'reassignTerminal', id: string, body: object): Promise<any> {
    const headers = { 'idempotency-key': randomUUID() };
    const response = await callUntilDone(operation, { key: this.#caller.key, path: { id }, headers, body });
    if (response.status > 201) throw new Error(JSON.stringify(response.body));
    return response.body.data;
  }
}

test(`${PAGES} pages of terminals are right while they change, and exact when they do not, with an index ${LAG_MS} ms behind`, async () => {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const model = new Model();
  const mids: string[] = (await times(BRANCHES, () => newBranch(provider))).map(({ mid }) => mid);
  for (const mid of mids) model.branches.set(mid, new Map());
  const writers = Array.from({ length: WRITERS }, () => new Writer(provider, model, mids));
  for (const mid of mids) for (let count = 0; count < START; count += 40) await (writers[0] as Writer).create(mid, 40);

  let [read, exact] = [0, 0];
  const wrongs: Record<string, number> = {};
  const check = async (mid: string, asked: Asked, prefix: string) => {
    read += 1;
    if (prefix === EXACT) exact += 1;
    const wrong = await wrongOf(provider, model, mid, asked);
    if (wrong) wrongs[prefix + wrong] = (wrongs[prefix + wrong] ?? 0) + 1;
  };
  while (read < PAGES) {
    const busiest = pick(mids);
    let isWriting = true;
    const writing = Promise.all(
      writers.map(async (writer) => {
        for (let change = 1; change <= CHANGES; change += 1) await writer.change();
        // At last all change the same branch by as many terminals as they can.
        if (model.membersOf(busiest).length <= MOST) await writer.create(busiest, 40);
      }),
    ).finally(() => {
      isWriting = false;
    });
    const reading = times(READERS, async () => {
      while (isWriting) {
        const mid = pick(mids);
        await check(mid, anyPage(model.membersOf(mid).length), 'while terminals change: ');
      }
    });
    await Promise.all([writing, reading]);
    // The index is still behind.
    for (let pass = 1; pass <= PASSES; pass += 1)
      await Promise.all(
        mids.flatMap((mid) =>
          (['asc', 'desc'] as const).map(async (sort) => {
            const total = model.membersOf(mid).length;
            const per_page = pick([10, 40, 100]);
            for (let page = 1; (page - 1) * per_page < total + per_page; page += 1)
              await check(mid, { sort, per_page, page }, EXACT);
          }),
        ),
      );
  }
  record('lagging lists', { pages: read, exact, wrongs });
  expect(wrongs).toEqual({});
  await expectNoViolations();
});
