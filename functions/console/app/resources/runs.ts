import type { Event } from './data.ts';

/** Who made a change, as far as the caller may know it: the parameter that asks for all of theirs, and its value. */
export const authorIdOf = ({ by }: Pick<Event, 'by'>): string =>
  by.person ? `person.${by.person.id}` : by.key_id === null ? `partner.${by.acquirer}` : `key.${by.key_id}`;

/** Events that are one entry of a timeline. */
export type Run = [Event, ...Event[]];

const GAP_MS = 60_000;
const LEAST = 3;

const isAlike = (newer: Event, older: Event): boolean =>
  newer.type === older.type &&
  authorIdOf(newer) === authorIdOf(older) &&
  Date.parse(newer.at) - Date.parse(older.at) <= GAP_MS;

/**
 * The entries of a timeline, the newest first. Three or more events of one kind and author, each within a minute of the
 * next, are one entry: an import would otherwise fill the page.
 */
export function runsOf(events: Event[]): Run[] {
  const runs: Run[] = [];
  for (const event of events) {
    const run = runs.at(-1);
    if (run && isAlike(run.at(-1) as Event, event)) run.push(event);
    else runs.push([event]);
  }
  return runs.flatMap((run) => (run.length < LEAST ? run.map((event): Run => [event]) : [run]));
}
