import type { Schemas } from '../api/client.ts';
import { UNDO_REASON } from '../fields/wording.ts';

type Event = Schemas['Event'];

/** A terminal that an event names. */
export type Named = { tid: string; terminal_id: string };

/** Who made a change, as far as the caller may know it: the parameter that asks for all of theirs, and its value. */
export const authorIdOf = ({ by }: Pick<Event, 'by'>): string =>
  by.person ? `person.${by.person.id}` : by.key_id === null ? `partner.${by.acquirer}` : `key.${by.key_id}`;

/** What is one entry of a timeline. */
export type RunOf<Thing> = [Thing, ...Thing[]];

/** Changes that are one entry, and when the newest was. `isLeast`: whether others, not read, may belong to it. */
export interface Run {
  at: string;
  events: RunOf<Event>;
  isLeast: boolean;
}

/** An event that is an entry of its own. */
export const single = (event: Event): Run => ({ at: event.at, events: [event], isLeast: false });

const GAP_MS = 60_000;
const LEAST = 3;

const isNear = (earlier: string, later: string) => Date.parse(later) - Date.parse(earlier) <= GAP_MS;

/** Three or more things are one entry, because they would fill the page; two are two. */
const entryOrSingles = <Thing>(run: RunOf<Thing>): RunOf<Thing>[] =>
  run.length < LEAST ? run.map((thing): RunOf<Thing> => [thing]) : [run];

/** The entries of a timeline, of things that are each like the next. */
export function entriesOf<Thing>(things: Thing[], isAlike: (one: Thing, next: Thing) => boolean): RunOf<Thing>[] {
  const runs: RunOf<Thing>[] = [];
  for (const thing of things) {
    const run = runs.at(-1);
    if (run && isAlike(run.at(-1) as Thing, thing)) run.push(thing);
    else runs.push([thing]);
  }
  return runs.flatMap(entryOrSingles);
}

/** Whether an event put another device in place of one: the terminal had a serial number, and has another. */
export const isSwap = ({ type, changes, data }: Event): boolean =>
  type === 'terminal.updated' && !!changes?.serial_no && !!(data as { serial_no: string | null }).serial_no;

export const isUndo = ({ reason }: Event): boolean => reason === UNDO_REASON;

/** What the events of an entry have in common: what was done, and by whom. */
const groupOf = (event: Event): string => [event.type, isSwap(event), isUndo(event), authorIdOf(event)].join();

/** The terminals that an event created. */
export const createdBy = ({ type, data }: Event): Named[] =>
  type === 'terminals.created' ? data : type === 'branch.created' ? data.terminals : [];

/** The terminals that an event is about. */
export const terminalsIn = (event: Event): Named[] => ('tid' in event.data ? [event.data] : createdBy(event));

/** The ids of what an event changed. */
const thingsOf = (event: Event): string[] => [
  ...(event.type.startsWith('branch.') ? [event.branch.mid] : []),
  ...terminalsIn(event).map(({ tid }) => tid),
];

/**
 * The entries of events, the newest first. Events of one kind and author, each within a minute of the next, are one
 * entry, such as those of an import, also if others made changes meanwhile. The changes of each thing stay in their order.
 *
 * @param since Down to when all events were read; `null` if there are no earlier ones.
 * @param until Before when events were read; without it, there are no later ones.
 */
export function runsOf(events: Event[], since: string | null, until?: string): Run[] {
  const runs: RunOf<Event>[] = [];
  // The places in `runs` of the last run of each group, and of the last run that has a change of each thing.
  const [ofGroup, ofThing] = [new Map<string, number>(), new Map<string, number>()];
  for (const event of events) {
    const [group, things] = [groupOf(event), thingsOf(event)];
    const last = ofGroup.get(group) ?? -1;
    const run = runs[last];
    const isInOrder = things.every((id) => (ofThing.get(id) ?? -1) <= last);
    const place = run && isNear(event.at, run.at(-1)?.at ?? '') && isInOrder ? last : runs.length;
    if (place === last) run?.push(event);
    else runs.push([event]);
    ofGroup.set(group, place);
    for (const id of things) ofThing.set(id, place);
  }
  const isCut = (run: RunOf<Event>) =>
    (since !== null && isNear(since, run.at(-1)?.at ?? '')) || (until !== undefined && isNear(run[0].at, until));
  return runs
    .flatMap(entryOrSingles)
    .map((run) => ({ at: run[0].at, events: run, isLeast: run.length >= LEAST && isCut(run) }))
    .sort(({ events: [one] }, { events: [other] }) => (one.id < other.id ? 1 : -1));
}
