import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as v from 'valibot';
import type { ApiKey } from './apiKey.ts';
import { mid } from './base/fields.ts';
import { bytes, seconds, time, uuidValue } from './base/values.ts';
import { expiryOf, newEventId, timeOfId } from './eventId.ts';
import { eventKey, reassignmentKey } from './table/keys.ts';
import { put, type Step } from './table/transaction.ts';

/** Types of events. */
export const EVENT_TYPES = [
  'branch.created',
  'branch.archived',
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

/** Who makes a change: an acquirer, with an API key, in a request. */
export interface Author extends Pick<ApiKey, 'acquirer' | 'key_id' | 'label'> {
  request_id: string;
}

/** A change as one acquirer sees it. */
export interface View {
  /** Id of the acquirer. */
  acquirer: string;
  type: EventType;
  branch: Event['branch'];
  /** What the operation returns: the resource after the change. */
  data: unknown;
  /** The fields that changed, with their previous values. */
  changes?: object;
}

/** A change of a branch or of its terminals. */
export interface Change {
  /** Time of the change: RFC 3339 UTC with milliseconds. */
  at: string;
  /** The branch whose history has the change. The histories' indexes hold its payment provider's copy. */
  branch: { mid: string; payment_provider: string };
  /** The changed terminal. Absent for a create, which is found by its terminals' creation time: see history.ts. */
  terminal?: { tid: string; created_at: string };
  /** MID of the branch that a reassigned terminal leaves. */
  from?: string;
  views: View[];
}

/** An event in a response. */
export interface Event {
  id: string;
  type: EventType;
  at: string;
  /** The branch that it is about, or whose terminals it is about, and the branch's status at the time. */
  branch: { mid: string; status: 'active' | 'archived' };
  data: unknown;
  changes: object | null;
  /** The API key is shown only to the acquirer that owns it. */
  by: { acquirer: string; key_id: string | null; key_label: string | null };
  request_id: string;
}

/** The stored item of an event. Each acquirer that sees the event has a copy, with the same id. */
export const eventItem = v.object({
  /** The fields of the response from `type` on, without `at`, as JSON, deflated (RFC 1951) with {@link DICTIONARY}. */
  body: bytes,
  /** When it expires; DynamoDB deletes it later. */
  ttl: seconds,
  /** MID and TID: keys of the histories' indexes. Only the payment provider's copy has them. */
  branch_history: v.optional(mid),
  terminal_history: v.optional(uuidValue),
  /** When its terminal was created. */
  terminal_created_at: v.optional(time),
});
export type StoredEvent = v.InferOutput<typeof eventItem>;

/** The stored item that adds a reassignment to the history of the branch that the terminal left. */
export const reassignmentItem = v.object({ branch_history: mid, ttl: seconds });

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

/** The next month, or the previous one. */
export const monthBeside = (month: string, step: 1 | -1): string => {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + step)).toISOString().slice(0, 7);
};

/** The key of an acquirer's copy of an event. */
export const copyKey = (acquirer: string, id: string) => eventKey(acquirer, monthOf(id), id);

/**
 * Steps that store a change as events: a copy for each acquirer that sees it. They belong in the transaction of the
 * change. No other write uses these items, so they never cause a conflict.
 */
export function eventSteps(
  author: Author,
  { at, branch: { mid, payment_provider }, terminal, from, views }: Change,
): Step[] {
  const id = newEventId(at, author.request_id);
  const ttl = expiryOf(at);
  const copies = views.map(({ acquirer, type, branch, data, changes = null }) => {
    const isOwn = acquirer === author.acquirer.id;
    const body = {
      type,
      branch,
      data,
      changes,
      by: {
        acquirer: author.acquirer.id,
        key_id: isOwn ? author.key_id : null,
        key_label: isOwn ? author.label : null,
      },
      request_id: author.request_id,
    } satisfies Omit<Event, 'id' | 'at'>;
    return put(copyKey(acquirer, id), {
      body: deflateRawSync(JSON.stringify(body), { dictionary: DICTIONARY }),
      ttl,
      ...(acquirer === payment_provider && { branch_history: mid, terminal_history: terminal?.tid }),
      terminal_created_at: terminal?.created_at,
    } satisfies StoredEvent);
  });
  const left = from && put(reassignmentKey(from, id), { branch_history: from, ttl });
  return [...copies, ...(left ? [left] : [])];
}

/** Converts a stored event for a response. Deterministic: an item always gives the same event. */
export function toEvent({ sk: id, body }: Pick<StoredEvent, 'body'> & { sk: string }): Event {
  const { type, ...rest } = JSON.parse(inflateRawSync(body, { dictionary: DICTIONARY }).toString());
  return { id, type, at: new Date(timeOfId(id)).toISOString(), ...rest };
}
