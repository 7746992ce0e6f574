import { inflateRawSync } from 'node:zlib';
import * as v from 'valibot';
import { timeOfId } from '../base/eventId.ts';
import { text } from '../base/fields.ts';
import { MOST_PAGE_BYTES } from '../base/paging.ts';
import { bytes, seconds, uuidValue } from '../base/values.ts';
import { eventKey } from '../table/keys.ts';

export const EVENT_TYPES = [
  'branch.created',
  'branch.updated',
  'branch.archived',
  'branch.restored',
  'terminals.created',
  'terminal.updated',
  'terminal.archived',
  'terminal.restored',
  'terminal.reassigned',
  'terminal.deleted',
  // A reassignment to, or from, a branch that is not accessible to the acquirer.
  'terminal.left',
  'terminal.joined',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface Event {
  id: string;
  type: EventType;
  at: string;
  /** The branch that it, or its terminals, is about, and its status at the time. */
  branch: { mid: string; status: 'active' | 'archived'; archived_at: string | null };
  data: unknown;
  changes: object | null;
  reason: string | null;
  /**
   * The acquirer, by its name at the time. Key and person are shown only to that acquirer. A person has the name of
   * now: see withNames.
   */
  by: {
    acquirer: string;
    acquirer_name: string;
    key_id: string | null;
    key_label: string | null;
    person: { id: string; name: string | null } | null;
  };
  request_id: string;
}

/** The stored item of an event. Each acquirer that sees the event has a copy, with the same id. */
export const eventItem = v.object({
  /** The fields of the response from `type` on, without `at`, as JSON, deflated (RFC 1951) with {@link DICTIONARY}. */
  body: bytes,
  /** When it expires; DynamoDB deletes it later. */
  ttl: seconds,
  /** Partition of its index: see historyOf. */
  branch_history: text,
  /**
   * Partition of its index: see historyOf, or statusHistoryOf if the event changed the status of a branch's terminals.
   * Absent if it created several terminals, and for other changes of a branch.
   */
  terminal_history: v.optional(text),
  /** Id of the event that created its terminal, if that is not in the terminal's history: it created several. */
  creation_event: v.optional(uuidValue),
});
export type StoredEvent = v.InferOutput<typeof eventItem>;

/** The stored item that adds a reassignment to an acquirer's history of the branch that the terminal left. */
export const reassignmentItem = v.pick(eventItem, ['body', 'ttl', 'branch_history']);

/**
 * Compression dictionary of events. It makes an event of a terminal a third of the size, and each KB of each copy
 * costs. Changing it would make stored events unreadable.
 */
export const DICTIONARY = Buffer.from(
  [
    '{"type":"branch.created","branch.archived","terminals.created","terminal.updated","terminal.left","terminal.joined',
    '","terminal.deleted","terminal.restored","terminal.reassigned","changes":{"mid":"","serial_no":"","terminal_model":"',
    '","payment_app":"","acquirer_name":"","merchant_name":"","area":"","city":"","master_merchant_name":"',
    '","master_merchant_id":"","status":"active","created_at":"","existing_master_merchant":"","payment_provider":"',
    '","distributor":null,"terminal_count":1,"updated_at":"","archived_at":null,"terminals":[',
    '{"type":"terminal.archived","branch":{"mid":"","status":"active"},"data":{"tid":"","terminal_id":"","serial_no":null,',
    '"terminal_model":null,"payment_app":null,"acquirer_name":null,"mid":"","status":"archived","created_at":"202',
    '","updated_at":"202","archived_at":"202","archive_reason":"Archived with its branch."},"changes":null,',
    '"by":{"acquirer":"","key_id":null,"key_label":"production"},"request_id":"',
  ].join(''),
);

/** The month of an event id or of a position among events, by which events are partitioned. */
export const monthOf = (id: string): string => new Date(timeOfId(id)).toISOString().slice(0, 7);

export const monthBeside = (month: string, step: 1 | -1): string => {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + step)).toISOString().slice(0, 7);
};

export const copyKey = (acquirer: string, id: string) => eventKey(acquirer, monthOf(id), id);

const textOf = ({ body }: Pick<StoredEvent, 'body'>): string =>
  inflateRawSync(body, { dictionary: DICTIONARY }).toString();

const parsed = (id: string, text: string): Event => {
  const { type, branch, data, changes, reason = null, by, request_id } = JSON.parse(text);
  const { person = null, ...author } = by;
  const at = new Date(timeOfId(id)).toISOString();
  const names = { ...author, person: person && { id: person, name: null } };
  return { id, type, at, branch, data, changes, reason, by: names, request_id };
};

/** Converts a stored event for a response, without the name of a person: see withNames. */
export const toEvent = (copy: Pick<StoredEvent, 'body'> & { sk: string }): Event => parsed(copy.sk, textOf(copy));

/** The most bytes of an event in a response that are not in its stored body: `id` and `at`. */
const ENVELOPE_BYTES = 100;

/** Whether a page has an event. */
export type Matches = (event: Event) => boolean;

interface PageOptions {
  /** Which events it has; all by default. */
  matches?: Matches | undefined;
  /** The most bytes of all that it reads, unless that is one event. */
  mostBytes?: number;
}

/** The most events that a page reads to find those that match: about 1 MB, as a page of all events. */
const MOST_READ = 1000;

/** A page of events. It ends after `limit` events, or before one with which all that it has read would be too large. */
export class EventPage {
  readonly events: Event[] = [];
  /** The id of the last event that was read. */
  last: string | undefined;
  /** Whether an event did not fit. */
  isCut = false;
  #bytes = 0;
  #read = 0;
  readonly #limit: number;
  readonly #matches: Matches | undefined;
  readonly #mostBytes: number;

  constructor(limit: number, { matches, mostBytes = MOST_PAGE_BYTES }: PageOptions = {}) {
    this.#limit = limit;
    this.#matches = matches;
    this.#mostBytes = mostBytes;
  }

  /** Adds stored events until one does not fit. */
  add(copies: (Pick<StoredEvent, 'body'> & { sk: string })[]): void {
    for (const copy of copies) {
      if (this.isCut) return;
      const text = textOf(copy);
      this.#bytes += Buffer.byteLength(text) + ENVELOPE_BYTES;
      const isFull = this.events.length === this.#limit || this.room === 0;
      this.isCut = isFull || (this.#bytes > this.#mostBytes && this.#read > 0);
      if (this.isCut) return;
      this.last = copy.sk;
      this.#read += 1;
      const event = parsed(copy.sk, text);
      if (!this.#matches || this.#matches(event)) this.events.push(event);
    }
  }

  /** How many more events the page may read. */
  get room(): number {
    return this.isCut ? 0 : (this.#matches ? MOST_READ : this.#limit) - this.#read;
  }
}
