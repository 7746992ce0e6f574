import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '../support/invoke.ts';
import type { Acquirer, World } from './world.ts';

/** A change in a response, with which the events of its request are compared. */
interface Change {
  acquirer: Acquirer;
  operation: Operation;
  /** Digest of the response's data, which would be too much to store. */
  digest: string;
}

/** All changes of a soak, by the ids of their requests. */
export type Changes = Map<string, Change>;

const digestOf = (data: unknown): string => createHash('sha256').update(JSON.stringify(data)).digest('base64');

/** Records a change. */
export const note = (changes: Changes, requestId: string, change: Omit<Change, 'digest'>, data: unknown) =>
  changes.set(requestId, { ...change, digest: digestOf(data) });

interface Event {
  id: string;
  type: string;
  at: string;
  branch: { mid: string };
  data: unknown;
  by: { acquirer: string };
  request_id: string;
}

/** A page of an acquirer's events. */
interface Page {
  data: Event[];
  meta: { next: string; up_to_date: boolean; complete_to: string };
}

/** Reads an acquirer's events after a cursor. */
export type ReadEvents = (acquirer: Acquirer, after: string | undefined) => Promise<Page>;

const PAUSE_MS = 1_000;

/** All events of an acquirer up to a time. Waits for that time, as events are visible only after some seconds. */
async function eventsUntil(end: string, acquirer: Acquirer, read: ReadEvents): Promise<Event[]> {
  const events: Event[] = [];
  for (let page = await read(acquirer, undefined); ; page = await read(acquirer, page.meta.next)) {
    events.push(...page.data);
    if (page.meta.up_to_date && page.meta.complete_to > end) return events;
    if (page.meta.up_to_date) await sleep(PAUSE_MS);
  }
}

/**
 * The errors in the acquirers' events after a soak: each change must be among them once, with the data of its response,
 * for each acquirer of its branch, and there must be no other events.
 *
 * @param since Start of the soak. Events of earlier changes are ignored.
 */
export async function wrongInFeeds(world: World, changes: Changes, since: string, read: ReadEvents): Promise<string[]> {
  const end = new Date().toISOString();
  const feeds = await Promise.all(
    world.acquirers.map(async (acquirer) => {
      const events = (await eventsUntil(end, acquirer, read)).filter(({ at }) => at >= since);
      return { acquirer, events, ids: new Set(events.map(({ id }) => id)) };
    }),
  );
  const wrong: string[] = [];
  const left = new Map(changes);
  for (const { acquirer, events } of feeds)
    for (const [at, event] of events.entries()) {
      const accuse = (what: string) => wrong.push(`${acquirer.name}: ${event.type} ${event.id} ${what}`);
      const change = changes.get(event.request_id);
      if (event.id <= (events[at - 1]?.id ?? '')) accuse('is not later than the event before it');
      if (change?.acquirer.id !== event.by.acquirer) accuse('belongs to no change in a response');
      if (event.by.acquirer === acquirer.id) {
        if (change?.digest !== digestOf(event.data)) accuse('has other data than the response');
        left.delete(event.request_id);
      }
      for (const other of feeds)
        if (world.maySee(other.acquirer, event.branch.mid) && !other.ids.has(event.id))
          accuse(`is not among the events of ${other.acquirer.name}`);
    }
  // An update that changes no value has no event.
  const missing = [...left].filter(([, { operation }]) => operation !== 'updateTerminal');
  return [
    ...wrong,
    ...missing.map(([id, { acquirer, operation }]) => `${acquirer.name}: no event of ${operation}, request ${id}`),
  ];
}
