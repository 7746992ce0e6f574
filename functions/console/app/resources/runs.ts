import type { Event } from './data.ts';

/** Who made a change, as far as the caller may know it: the parameter that asks for all of theirs, and its value. */
export const authorIdOf = ({ by }: Pick<Event, 'by'>): string =>
  by.person ? `person.${by.person.id}` : by.key_id === null ? `partner.${by.acquirer}` : `key.${by.key_id}`;

/** What is one entry of a timeline. */
export type RunOf<Thing> = [Thing, ...Thing[]];
export type Run = RunOf<Event>;

const GAP_MS = 60_000;
const LEAST = 3;

/** The entries of a timeline. Three or more things that are each like the next are one: they would fill the page. */
export function entriesOf<Thing>(things: Thing[], isAlike: (one: Thing, next: Thing) => boolean): RunOf<Thing>[] {
  const runs: RunOf<Thing>[] = [];
  for (const thing of things) {
    const run = runs.at(-1);
    if (run && isAlike(run.at(-1) as Thing, thing)) run.push(thing);
    else runs.push([thing]);
  }
  return runs.flatMap((run) => (run.length < LEAST ? run.map((thing): RunOf<Thing> => [thing]) : [run]));
}

const isAlike = (newer: Event, older: Event): boolean =>
  newer.type === older.type &&
  authorIdOf(newer) === authorIdOf(older) &&
  Date.parse(newer.at) - Date.parse(older.at) <= GAP_MS;

/** Events of one kind and author, each within a minute of the next, are alike: such as those of an import. */
export const runsOf = (events: Event[]): Run[] => entriesOf(events, isAlike);
