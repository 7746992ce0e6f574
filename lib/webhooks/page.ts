import { cursorAt } from '../base/cursor.ts';
import { type Event, EventPage } from '../events/event.ts';
import { addEvents, feedOf } from '../events/feed.ts';
import { withNames } from '../history/withNames.ts';
import type { Webhook } from './webhook.ts';

/** The most events and bytes of a page. Express accepts 100 KB by default. One event that is larger is a page alone. */
const MOST_EVENTS = 100;
const MOST_BYTES = 64 * 1024;

/** How many events the first request to the table reads: a page of large events has only a few of them. */
const FIRST = 25;

/** The bytes of what is around the events: `data`, `meta`, a cursor and a time. */
const ENVELOPE_BYTES = 200;

/** The most bytes of the name of a person in JSON: 255 characters. */
const MOST_NAME_BYTES = 4 * 255;

/** The largest size of an event that names a person, who may be renamed between two attempts to deliver it. */
function mostBytesOf(event: Event): number {
  const { person } = event.by;
  const bytes = Buffer.byteLength(JSON.stringify(event));
  return person ? bytes - Buffer.byteLength(JSON.stringify(person.name)) + MOST_NAME_BYTES + 2 : bytes;
}

/** The first of some events that fit into a page, at least one. */
function fitting(events: Event[]): Event[] {
  let bytes = ENVELOPE_BYTES;
  const end = events.findIndex((event, at) => {
    bytes += mostBytesOf(event) + 1;
    return at > 0 && bytes > MOST_BYTES;
  });
  return end < 0 ? events : events.slice(0, end);
}

/**
 * Reads events of an acquirer after one position and up to another, with the names that people have now: as many as fit
 * into a page or, of a page that was tried before, as many as it has.
 */
export async function readPage(
  acquirer: string,
  { after, to, events: fixed }: { after: string; to: string; events?: number | undefined },
): Promise<Event[]> {
  const read = new EventPage(fixed ?? MOST_EVENTS, fixed === undefined ? { mostBytes: MOST_BYTES } : {});
  if (after < to) await addEvents(read, acquirer, { after, to, first: FIRST });
  const events = await withNames(acquirer, read.events);
  return fixed === undefined ? fitting(events) : events;
}

/** The body of a delivery: a page as `GET /events` shows it. */
export function bodyOf(
  acquirer: string,
  events: Event[],
  { cursor, missed_before }: Pick<Webhook, 'cursor' | 'missed_before'>,
): string {
  const next = cursorAt(events.at(-1)?.id ?? cursor, feedOf(acquirer));
  return JSON.stringify({ data: events, meta: { next, missed_before: missed_before ?? null } });
}
