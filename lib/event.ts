import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as v from 'valibot';
import type { ApiKey } from './apiKey.ts';
import { mid } from './base/fields.ts';
import { bytes, seconds, time, uuidValue } from './base/values.ts';
import { expiryOf, newEventId, timeOfId } from './eventId.ts';
import { eventKey, reassignmentKey } from './table/keys.ts';
import { put, type Step } from './table/transaction.ts';

/** What can happen to a branch or a terminal, as one acquirer sees it. */
export const EVENT_TYPES = [
  'branch.created',
  'branch.archived',
  'terminals.created',
  'terminal.updated',
  'terminal.archived',
  'terminal.restored',
  'terminal.reassigned',
  'terminal.deleted',
  // It moved to a branch that the acquirer does not see, or came from one.
  'terminal.left',
  'terminal.joined',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Who changes something, with which API key, and in which request. */
export interface Author extends Pick<ApiKey, 'acquirer' | 'key_id' | 'label'> {
  request_id: string;
}

/** A change as one acquirer sees it. */
export interface View {
  viewer: string;
  type: EventType;
  branch: Event['branch'];
  /** The resource as the operation shows it after the change. */
  data: unknown;
  /** The fields that changed, with their values before. */
  changes?: object;
}

/** A change of a branch or of its terminals. */
export interface Change {
  /** The time that the change gives to what it changes. */
  at: string;
  /** The branch in whose history it is. Its payment provider's copy is the one that the histories' indexes hold. */
  branch: { mid: string; payment_provider: string };
  /** The one terminal that changes. A create of terminals is found by their time of creation: see history.ts. */
  terminal?: { tid: string; created_at: string };
  /** MID of the branch that a terminal leaves for another one of the same payment provider. */
  from?: string;
  views: View[];
}

/** An event as responses show it. */
export interface Event {
  id: string;
  type: EventType;
  at: string;
  /** The branch that it is about, or whose terminals it is about, and its status then. Its active terminals are archived when an active branch is. */
  branch: { mid: string; status: 'active' | 'archived' };
  data: unknown;
  changes: object | null;
  /** An API key is only told to the acquirer that it belongs to. */
  by: { acquirer: string; key_id: string | null; key_label: string | null };
  request_id: string;
}

/** The stored item of an event: one for each acquirer that sees it, with the same id. */
export const eventItem = v.object({
  /** The fields of the response from `type` on, without `at`, as JSON, deflated (RFC 1951) with {@link DICTIONARY}. */
  body: bytes,
  /** When it expires. DynamoDB deletes it later. */
  ttl: seconds,
  /** MID and TID of its branch and terminal, in the payment provider's copy only: keys of the histories' indexes. */
  branch_history: v.optional(mid),
  terminal_history: v.optional(uuidValue),
  /** When the one terminal that it is about was created. */
  terminal_created_at: v.optional(time),
});
export type StoredEvent = v.InferOutput<typeof eventItem>;

/** The stored item that puts a reassignment into the history of the branch that the terminal left. */
export const reassignmentItem = v.object({ branch_history: mid, ttl: seconds });

/**
 * What events have in common. An event of a terminal takes a third of the bytes with it, and each KB of each copy is paid for.
 * Stored events are read with it too: changing it would make them unreadable.
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

/** The month of an event or of a place among them, by which events are partitioned. */
export const monthOf = (id: string): string => new Date(timeOfId(id)).toISOString().slice(0, 7);

/** The month after one, or before it. */
export const monthBeside = (month: string, step: 1 | -1): string => {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + step)).toISOString().slice(0, 7);
};

/** The key of an acquirer's copy of an event. */
export const copyKey = (acquirer: string, id: string) => eventKey(acquirer, monthOf(id), id);

/**
 * Stores a change as one event for each acquirer that sees it, in the transaction of the change. No other write touches
 * these items, so nothing waits for them.
 */
export function record(
  author: Author,
  { at, branch: { mid, payment_provider }, terminal, from, views }: Change,
): Step[] {
  const id = newEventId(at, author.request_id);
  const ttl = expiryOf(at);
  const copies = views.map(({ viewer, type, branch, data, changes = null }) => {
    const isOwn = viewer === author.acquirer.id;
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
    return put(copyKey(viewer, id), {
      body: deflateRawSync(JSON.stringify(body), { dictionary: DICTIONARY }),
      ttl,
      ...(viewer === payment_provider && { branch_history: mid, terminal_history: terminal?.tid }),
      terminal_created_at: terminal?.created_at,
    } satisfies StoredEvent);
  });
  const left = from && put(reassignmentKey(from, id), { branch_history: from, ttl });
  return [...copies, ...(left ? [left] : [])];
}

/** A stored event as responses show it: the same bytes whenever it is read. */
export function toEvent({ sk: id, body }: Pick<StoredEvent, 'body'> & { sk: string }): Event {
  const { type, ...rest } = JSON.parse(inflateRawSync(body, { dictionary: DICTIONARY }).toString());
  return { id, type, at: new Date(timeOfId(id)).toISOString(), ...rest };
}
