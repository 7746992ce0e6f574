import { expect } from '@jest/globals';
import { apply, type Replica, type Event as Shown, update } from '../../../docs/client/examples/mirror.ts';
import type { Event } from '../../../lib/events/event.ts';
import type { Operation } from '../../support/invoke.ts';
import {
  ACQUIRERS_OF,
  clientOf,
  type Estate,
  type Mid,
  NAMES,
  type Name,
  type Send,
  sendingBy,
  type Tried,
} from './estate.ts';

type Item = { mid: string; tid?: string; terminal_id?: string };

/** All branches and terminals in the lists of an acquirer. */
async function listed({ keys }: Estate, name: Name, send: Send) {
  const all = async (operation: Operation, path: Record<string, string>): Promise<Item[]> => {
    const { body } = await send(operation, { key: keys[name], path, query: { sort: 'asc', per_page: '100' } });
    expect(body.links.next).toBeNull();
    return body.data;
  };
  const branches = await all('listBranches', {});
  const terminals = (await Promise.all(branches.map(({ mid }) => all('listTerminals', { id: mid })))).flat();
  return { branches, terminals };
}

const byKey = (one: object, other: object): number => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);

/** Expects a replica to equal the lists. */
function expectEqual({ branches, terminals }: Replica, lists: Awaited<ReturnType<typeof listed>>): void {
  const shown = [...branches.values()].map(({ archived_at, ...branch }) => branch);
  expect({ branches: shown.sort(byKey), terminals: [...terminals.values()].sort(byKey) }).toEqual({
    branches: lists.branches.sort(byKey),
    terminals: lists.terminals.sort(byKey),
  });
}

/** All events of an acquirer, read page by page. Reads each full page twice and expects the same. */
async function eventsOf({ keys }: Estate, name: Name, limit: number, send: Send): Promise<Event[]> {
  const events: Event[] = [];
  for (let query: Record<string, string> = { limit: `${limit}` }; ; ) {
    const page = () => send('listEvents', { key: keys[name], query });
    const { body } = await page();
    events.push(...body.data);
    if (body.meta.up_to_date) return events;
    if (query['after']) expect((await page()).body).toEqual(body);
    query = { ...query, after: body.meta.next };
  }
}

const TYPES: Partial<Record<Operation, Event['type']>> = {
  createBranch: 'branch.created',
  archiveBranch: 'branch.archived',
  createTerminals: 'terminals.created',
  updateTerminal: 'terminal.updated',
  archiveTerminal: 'terminal.archived',
  restoreTerminal: 'terminal.restored',
  deleteTerminal: 'terminal.deleted',
};

/** An event without what is checked elsewhere: its place among the others and its branch's status. */
type Essence = Pick<Event, 'type' | 'data' | 'by' | 'request_id'> & { acquirer: Name; mid: string };

/**
 * The events that must exist for a change, by its response; none if it changed nothing. `from` is the terminal's branch
 * before the change.
 */
function expectedOf(estate: Estate, { change, response }: Tried, from: string | undefined): Essence[] {
  const { operation, caller, isEmpty } = change;
  const { status, headers, body } = response;
  const isNothing = isEmpty && operation === 'updateTerminal';
  if (status >= 300 || headers['idempotent-replayed'] || isNothing) return [];
  const { ids, keyIds, prefix } = estate;
  const acquirersOf = (mid: string): Name[] => ACQUIRERS_OF[mid.slice(prefix.length) as Mid];
  const [first = body.data] = [body.data].flat();
  const mid: string = first.mid ?? from;
  const seen = (acquirer: Name, type: Event['type'], data: unknown = body.data, where = mid): Essence => ({
    acquirer,
    type,
    data,
    mid: where,
    by: {
      acquirer: ids[caller],
      key_id: acquirer === caller ? keyIds[caller] : null,
      key_label: acquirer === caller ? 'mirror' : null,
    },
    request_id: headers['x-request-id'] as string,
  });
  if (operation !== 'reassignTerminal')
    return acquirersOf(mid).map((acquirer) => seen(acquirer, TYPES[operation] as Event['type']));
  const [before, after] = [acquirersOf(from as string), acquirersOf(mid)];
  const { tid, terminal_id } = first;
  return NAMES.flatMap((acquirer) => {
    if (!after.includes(acquirer))
      return before.includes(acquirer) ? seen(acquirer, 'terminal.left', { tid, terminal_id }, from) : [];
    return seen(acquirer, before.includes(acquirer) ? 'terminal.reassigned' : 'terminal.joined');
  });
}

/** The terminals in an event. */
const terminalsOf = ({ type, data }: Event): string[] => {
  const items = type === 'branch.created' ? (data as { terminals: Item[] }).terminals : [data as Item].flat();
  return items.flatMap(({ tid }) => tid ?? []);
};

/** Follows the events of the payment providers. Returns the terminal's branch before each request. */
function followed(events: Event[]): Map<string, string> {
  const places = new Map<string, string>();
  const times = new Map<string, string>();
  const archived = new Set<string>();
  const before = new Map<string, string>();
  for (const event of events) {
    const { type, at, branch, data, changes, request_id } = event;
    if (type === 'branch.archived') archived.add(branch.mid);
    const arrives = ['branch.created', 'terminals.created', 'terminal.reassigned'].includes(type);
    if (arrives) expect([request_id, archived.has(branch.mid)]).toEqual([request_id, false]);
    for (const tid of terminalsOf(event)) {
      const [last = '', place] = [times.get(tid), places.get(tid)];
      const isNew = type === 'branch.created' || type === 'terminals.created';
      expect({ request_id, place, isLater: at > last }).toEqual({
        request_id,
        place: isNew ? undefined : expect.any(String),
        isLater: true,
      });
      if (type === 'terminal.reassigned') expect(changes).toEqual({ mid: place });
      else if (!isNew) expect(branch.mid).toBe(place);
      if (place) before.set(request_id, place);
      times.set(tid, at);
      if (type === 'terminal.deleted') places.delete(tid);
      else places.set(tid, branch.mid);
    }
    if (type !== 'branch.archived' && type !== 'terminal.deleted') expectTime(at, data);
  }
  return before;
}

/** Expects an event to have the time that its change stored, unless the resource was archived with its branch later. */
function expectTime(at: string, data: unknown): void {
  for (const item of [data as { updated_at: string; archived_at: string | null }].flat())
    expect([at, item.archived_at]).toContain(item.updated_at);
}

/** The events of every acquirer. Expects the same events whatever the page size. */
export async function feedsOf(estate: Estate, send: Send): Promise<Map<Name, Event[]>> {
  const feeds = NAMES.map(async (name) => {
    const events = await eventsOf(estate, name, 100, send);
    const ids = events.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(JSON.stringify(await eventsOf(estate, name, 5, send))).toBe(JSON.stringify(events));
    return [name, events] as const;
  });
  return new Map(await Promise.all(feeds));
}

/**
 * Proves that each change has one event for each acquirer of its branches, in the order in which they happened, and
 * that there are no other events.
 */
export function expectExact(estate: Estate, tried: Tried[], feeds: Map<Name, Event[]>): void {
  const feedOf = (name: Name) => feeds.get(name) as Event[];
  const before = new Map([...followed(feedOf('P1')), ...followed(feedOf('P2'))]);
  const expected = tried.flatMap((each) =>
    expectedOf(estate, each, before.get(each.response.headers['x-request-id'] as string)),
  );
  const found = NAMES.flatMap((acquirer) =>
    feedOf(acquirer).map(
      ({ type, data, by, request_id, branch }): Essence => ({ acquirer, type, data, mid: branch.mid, by, request_id }),
    ),
  );
  const inOrder = (all: Essence[]) =>
    all.sort((a, b) => (a.acquirer + a.request_id < b.acquirer + b.request_id ? -1 : 1));
  expect(inOrder(found)).toEqual(inOrder(expected));
}

/**
 * Proves for every acquirer that a replica made of events alone equals its lists, and so does one that was walked while
 * others wrote, once it is up to date.
 */
export async function expectMirrored(
  estate: Estate,
  feeds: Map<Name, Event[]>,
  walked: Map<Name, Replica>,
  send: Send,
): Promise<void> {
  const compare = async (name: Name, events: Event[]) => {
    const lists = await listed(estate, name, send);
    const fromOldest: Replica = { branches: new Map(), terminals: new Map(), cursor: '' };
    for (const event of events) apply(fromOldest, event as Shown);
    expectEqual(fromOldest, lists);
    const replica = walked.get(name);
    if (replica) expectEqual(await sendingBy(send, () => update(clientOf(estate, name), replica, () => {})), lists);
  };
  await Promise.all([...feeds].map(([name, events]) => compare(name, events)));
}
