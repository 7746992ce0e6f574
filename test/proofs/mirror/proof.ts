import { expect } from '@jest/globals';
import { apply, type Replica, type Event as Shown } from '../../../docs/client/apply.ts';
import { update, walk } from '../../../docs/client/examples/mirror.ts';
import type { Event } from '../../../lib/events/event.ts';
import type { Operation } from '../../support/api.ts';
import type { Send, World } from '../../support/cast.ts';
import { pass } from './clocks.ts';
import { callerOf, clientOf, NAMES, type Name, type Tried, TYPES } from './estate.ts';

/** Longer than an event is held back, in milliseconds. */
export const LATER_MS = 35_000;

type Item = { mid: string; tid?: string };

/** All branches and terminals in the lists of an acquirer. */
export async function listed(world: World, name: Name, send: Send) {
  const all = async (operation: Operation, path: Record<string, string>): Promise<Item[]> => {
    const query = { sort: 'asc', per_page: '100' };
    const { body } = await send(operation, { ...callerOf(world, name), path, query });
    expect(body.links.next).toBeNull();
    return body.data;
  };
  const branches = await all('listBranches', {});
  const terminals = (await Promise.all(branches.map(({ mid }) => all('listTerminals', { id: mid })))).flat();
  return { branches, terminals };
}

const byKey = (one: object, other: object): number => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);

/** Expects a replica to equal the lists. */
export function expectEqual({ branches, terminals }: Replica, lists: Awaited<ReturnType<typeof listed>>): void {
  const listed = [...terminals.values()].map(({ last_seen_at: _, ...terminal }) => terminal);
  expect({ branches: [...branches.values()].sort(byKey), terminals: listed.sort(byKey) }).toEqual({
    branches: lists.branches.sort(byKey),
    terminals: lists.terminals.sort(byKey),
  });
}

/** All events of an acquirer, read page by page. */
async function eventsOf(world: World, name: Name, send: Send): Promise<Event[]> {
  const events: Event[] = [];
  for (let query: Record<string, string> = { limit: '20' }; ; ) {
    const { body } = await send('listEvents', { ...callerOf(world, name), query });
    events.push(...body.data);
    if (body.meta.up_to_date) return events;
    query = { ...query, after: body.meta.next };
  }
}

/** The event that the payment provider must see of a change, by its response; none if it changed nothing. */
function expectedOf({ change: { operation, isEmpty }, response: { status, headers, body } }: Tried) {
  const isNothing = isEmpty && operation.startsWith('update');
  if (status >= 300 || headers['idempotent-replayed'] || isNothing) return [];
  return [{ request_id: headers['x-request-id'] ?? '', type: TYPES.get(operation), data: body.data }];
}

const byRequest = (one: { request_id: string }, other: { request_id: string }) =>
  one.request_id < other.request_id ? -1 : 1;

/** The terminals in an event. */
const terminalsOf = ({ type, data }: Event): string[] => {
  const items = type === 'branch.created' ? (data as { terminals: Item[] }).terminals : [data as Item].flat();
  return items.flatMap(({ tid }) => tid ?? []);
};

/**
 * Expects one event of each change for its payment provider, no event twice for anyone, and the events of each terminal
 * at different times, in this order.
 */
function expectExact(tried: Tried[], feeds: Record<Name, Event[]>): void {
  const seen = [...feeds.P1, ...feeds.P2].map(({ request_id, type, data }) => ({ request_id, type, data }));
  expect(seen.sort(byRequest)).toEqual(tried.flatMap(expectedOf).sort(byRequest));
  for (const events of Object.values(feeds)) {
    const requests = events.map(({ request_id }) => request_id);
    expect(requests).toEqual([...new Set(requests)]);
    const times = new Map<string, string>();
    for (const event of events)
      for (const tid of terminalsOf(event)) {
        expect([event, event.at > (times.get(tid) ?? '')]).toEqual([event, true]);
        times.set(tid, event.at);
      }
  }
}

/** A replica of each acquirer's world, walked while others write. */
export type Walked = Partial<Record<Name, Replica>>;

/** Walks through the lists of all acquirers. Returns the work of each. */
export const walks = (world: World, walked: Walked, most: number, send: Send) =>
  NAMES.map((name) => ({
    name: `walk of ${name}`,
    start: async () => {
      walked[name] = await walk(clientOf(world, name, send), most);
    },
  }));

/**
 * Expects the events to be exact after these changes. Expects for every acquirer that a replica made of events alone
 * equals its lists, and so does the one that was walked while others wrote, once it is up to date.
 */
export async function expectProven(world: World, tried: Tried[], send: Send, walked: Walked): Promise<void> {
  // All events are visible then.
  pass(LATER_MS);
  const read = async (name: Name): Promise<[Name, Event[]]> => [name, await eventsOf(world, name, send)];
  const feeds = await Promise.all(NAMES.map(read));
  expectExact(tried, Object.fromEntries(feeds) as Record<Name, Event[]>);
  const compare = async ([name, events]: [Name, Event[]]) => {
    const lists = await listed(world, name, send);
    const fromOldest: Replica = { branches: new Map(), terminals: new Map(), cursor: '' };
    for (const event of events) apply(fromOldest, event as Shown);
    expectEqual(fromOldest, lists);
    expectEqual(await update(clientOf(world, name, send), walked[name] as Replica, () => {}), lists);
  };
  await Promise.all(feeds.map(compare));
}
