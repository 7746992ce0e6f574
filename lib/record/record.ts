import * as v from 'valibot';
import { retrying } from '../aws/retry.ts';
import { DAY_MS, expiryOf, newEventId, retentionMs } from '../base/eventId.ts';
import { extend, seconds, time, uuidValue } from '../base/values.ts';
import { getItems, type Item, queryItems, queryPage, type Range } from '../table/client.ts';
import { recordKey, recordOf } from '../table/keys.ts';
import { type Condition, exists, put, type Step, transact } from '../table/transaction.ts';
import { operator } from './operator.ts';
import { RECORD_TYPES, type RecordType } from './recordTypes.ts';

/**
 * Details of a change, such as names, labels, limits and counts. They must not contain API keys, card identifiers,
 * member ids or content of an imported file.
 */
export type Details = Readonly<Record<string, unknown>>;

/** An event of the operator's record: a change that the operator made. */
const recordEvent = v.object({
  /** A version-7 UUID: ids sort by time. */
  id: uuidValue,
  type: v.picklist(RECORD_TYPES),
  at: time,
  /** Who made it: the ARN of an operator's IAM identity, a local user name, a person or, of a webhook, an API key. */
  by: v.pipe(v.string(), v.minLength(1)),
  details: v.record(v.string(), v.unknown()),
});
export type RecordEvent = v.InferOutput<typeof recordEvent>;

export const recordItem = extend(recordEvent, { ttl: seconds });

/** The requested page of a record: the newest `limit` events, or the newest before the event with the id `before`. */
export interface RecordPage {
  limit: number;
  before?: string | undefined;
}

/**
 * Makes an event, which {@link recordSteps} stores.
 *
 * @param author Who made the change; by default the operator.
 * @param at When; by default now.
 * @throws Error when no operator is set, so that no change is recorded without its author.
 */
export async function newEvent(
  type: RecordType,
  details: Details,
  author?: string,
  at = new Date().toISOString(),
): Promise<RecordEvent> {
  const by = author ?? (await operator());
  return { id: newEventId(at), type, at, by, details };
}

/** Events after which something may have to be erased again. */
const ERASING: readonly RecordType[] = ['member.erased', 'person.erased'];

/**
 * For how long erasures are recorded at least: point-in-time recovery can bring back what was erased up to 35 days ago
 * (DynamoDB Developer Guide, "Point-in-time backups for DynamoDB").
 */
const RECOVERABLE_MS = 36 * DAY_MS;

const storeUnder = (subject: string, event: RecordEvent, condition?: Condition): Step => {
  const retained = Math.max(retentionMs(), ERASING.includes(event.type) ? RECOVERABLE_MS : 0);
  return put(recordKey(subject, event.id), { ...event, ttl: expiryOf(event.at, retained) }, condition);
};

/**
 * Steps that store an event under each of its subjects. They belong in the transaction of the change.
 */
export const recordSteps = (event: RecordEvent, ...subjects: string[]): Step[] =>
  subjects.map((subject) => storeUnder(subject, event));

/**
 * Completes the event of a change that takes several transactions: sets `completed_at`, which is `null` until then, and
 * counts. It stores the whole event again, so nobody needs the permission to update or delete an event.
 *
 * @param lastSteps Steps of the change to store in the same transaction.
 */
export const complete = (
  event: RecordEvent,
  subjects: string[],
  counts: object,
  completed_at: string,
  ...lastSteps: Step[]
): Promise<void> => {
  const completed = { ...event, details: { ...event.details, ...counts, completed_at } };
  const isStored = exists(new Error('The event has expired.'));
  return retrying(() =>
    transact([...subjects.map((subject) => storeUnder(subject, completed, isStored)), ...lastSteps]),
  );
};

/** Queries the events of a subject before an id, the newest first. By default, `~` is after all ids. */
const eventsOf = (subject: string, before = '~'): Range => ({
  KeyConditionExpression: 'pk = :pk AND sk < :before',
  ExpressionAttributeValues: { ':pk': recordOf(subject).pk, ':before': before },
  ConsistentRead: true,
  ScanIndexForward: false,
});

/** Reads the events of a subject, the newest first. */
export const readRecord = (subject: string, { limit, before }: RecordPage): Promise<RecordEvent[]> =>
  queryItems<RecordEvent>(eventsOf(subject, before), limit);

/** Reads at most `limit` of them and 1 MB. `next` is the key of the last one, if there are more. */
export const readRecordPage = (subject: string, { limit, before }: RecordPage) =>
  queryPage<Item<RecordEvent>>(eventsOf(subject, before), limit);

/** Reads the events of a subject with these ids, if they are still retained. */
export const readRecordEvents = async (subject: string, ids: string[]): Promise<RecordEvent[]> =>
  (await getItems<RecordEvent[]>(ids.map((id) => recordKey(subject, id)))).filter((event) => event !== undefined);
