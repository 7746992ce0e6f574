import * as v from 'valibot';
import { seconds, time, uuidValue } from './base/values.ts';
import { expiryOf, newEventId } from './eventId.ts';
import { operator } from './operator.ts';
import { RECORD_TYPES, type RecordType } from './recordTypes.ts';
import { getItems, queryItems } from './table/client.ts';
import { recordKey, recordOf } from './table/keys.ts';
import { retrying } from './table/retry.ts';
import { exists, put, type Step, transact, update } from './table/transaction.ts';

/**
 * Facts about a change: names, labels, limits, counts. Never an API key, a card identifier, a member id, or anything of
 * an imported file.
 */
export type Details = Readonly<Record<string, unknown>>;

/** A change that the operator made. */
const recordEvent = v.object({
  /** A version-7 UUID: ids sort by time. */
  id: uuidValue,
  type: v.picklist(RECORD_TYPES),
  at: time,
  /** Who made it: the ARN of an IAM identity, or the name of a user of the machine. */
  by: v.pipe(v.string(), v.minLength(1)),
  details: v.record(v.string(), v.unknown()),
});
export type RecordEvent = v.InferOutput<typeof recordEvent>;

/** The stored item of such a change. */
export const recordItem = v.object({ ...recordEvent.entries, ttl: seconds });

/** A page of a record: at most `limit` events, of those older than the event `before` if it is given. */
export interface RecordPage {
  limit: number;
  before?: string | undefined;
}

/**
 * A new event, which {@link stepsOf} stores. Rejects when it is not known who makes the change: so nothing is changed
 * without an author.
 */
export async function newEvent(type: RecordType, details: Details): Promise<RecordEvent> {
  const by = await operator();
  const at = new Date().toISOString();
  return { id: newEventId(at), type, at, by, details };
}

/**
 * The steps that store an event under each of its subjects. They belong into the transaction of the change, so that there
 * is neither without the other.
 */
export const stepsOf = (event: RecordEvent, ...subjects: string[]): Step[] =>
  subjects.map((subject) => put(recordKey(subject, event.id), { ...event, ttl: expiryOf(event.at) }));

/**
 * Adds to an event what a change of many transactions came to, and stores its last step with it. Until then, the event's
 * `completed_at` is `null`.
 */
export const complete = (
  event: RecordEvent,
  subject: string,
  counts: object,
  completed_at: string,
  ...lastSteps: Step[]
): Promise<void> => {
  const set = { details: { ...counts, completed_at } };
  const expired = new Error('The event has expired meanwhile.');
  return retrying(() => transact([update(recordKey(subject, event.id), { set }, exists(expired)), ...lastSteps]));
};

/** The events of a subject, the newest first. */
export const readRecord = (subject: string, { limit, before }: RecordPage): Promise<RecordEvent[]> =>
  queryItems<RecordEvent>(
    {
      KeyConditionExpression: before ? 'pk = :pk AND sk < :before' : 'pk = :pk',
      ExpressionAttributeValues: { ':pk': recordOf(subject).pk, ...(before && { ':before': before }) },
      ConsistentRead: true,
      ScanIndexForward: false,
    },
    limit,
  );

/** Those events of a subject that have these ids and are still kept. */
export const readRecordEvents = async (subject: string, ids: string[]): Promise<RecordEvent[]> =>
  (await getItems<RecordEvent[]>(ids.map((id) => recordKey(subject, id)))).filter((event) => event !== undefined);
