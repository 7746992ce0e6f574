import type { Acquirer } from '../acquirers/acquirer.ts';
import { expectState } from '../base/state.ts';
import { laterThan } from '../base/time.ts';
import type { Author, ChangeOptions, Decision } from '../events/decision.ts';
import { personAuthor } from '../people/person.ts';
import { type Details, newEvent, recordSteps } from '../record/record.ts';
import type { RecordType } from '../record/recordTypes.ts';
import type { Item } from '../table/client.ts';
import { acquirerSubject, apiKeySubject } from '../table/keys.ts';
import { isAsRead, type Step, update } from '../table/transaction.ts';
import {
  due,
  isDelivering,
  keyIn,
  NOT_DUE,
  readWebhook,
  type ShownWebhook,
  toWebhook,
  type Webhook,
} from './webhook.ts';

/**
 * Reads a webhook to change, and determines the time of the change.
 *
 * @throws Problem `not_found`, `precondition_failed`.
 */
export async function loadWebhook(
  { id: acquirer }: Acquirer,
  id: string,
  options: ChangeOptions,
): Promise<{ webhook: Item<Webhook>; at: string }> {
  const webhook = await readWebhook(acquirer, id);
  expectState(options, webhook);
  return { webhook, at: laterThan(webhook.updated_at) };
}

/** Condition: nobody has changed or deleted the webhook since it was read. Attempts change nothing. */
export const isUnchanged = (webhook: Item<Webhook>) => isAsRead(webhook, 'id', 'updated_at');

/** What makes a webhook attempt to deliver now or, unless it delivers, leaves it in peace. */
export const dueNow = (webhook: Webhook, at: string) => ({
  next_attempt_at: undefined,
  ...(isDelivering(webhook) ? due(webhook, at) : NOT_DUE),
});

/** A step after which a page that waits is due, if the webhook delivers. It changes nothing that the ETag is of. */
export const attemptNow = (webhook: Item<Webhook>, at: string): Step =>
  update(keyIn(webhook), { set: dueNow(webhook, at) }, isUnchanged(webhook));

interface Recorded {
  type: RecordType;
  details?: Details;
}

/**
 * Steps that record a change. Of the URL they have the origin only, because its path and query can contain a secret of
 * the partner, as those of chat services do.
 */
export async function webhookRecord(
  author: Author,
  { reason }: ChangeOptions,
  { id, url }: Pick<Webhook, 'id' | 'url'>,
  { type, details, at }: Recorded & { at: string },
): Promise<Step[]> {
  const by = author.person === undefined ? apiKeySubject(author.key_id) : personAuthor(author.person);
  const event = await newEvent(type, { webhook: id, origin: new URL(url).origin, ...details, reason }, by, at);
  return recordSteps(event, acquirerSubject(author.acquirer.id));
}

/** Decides on a change of a webhook's attributes; `undefined` removes one. Every change sets `updated_at`. */
export async function decideWebhookChange(
  author: Author,
  options: ChangeOptions,
  { webhook: before, at }: { webhook: Item<Webhook>; at: string },
  { set, ...recorded }: Recorded & { set: { [K in keyof Webhook]?: Webhook[K] | undefined } },
): Promise<Decision<ShownWebhook>> {
  const changed = { ...set, updated_at: at };
  const after = { ...before, ...changed } as Webhook;
  const steps = [
    update(keyIn(before), { set: changed }, isUnchanged(before)),
    ...(await webhookRecord(author, options, after, { ...recorded, at })),
  ];
  return { data: toWebhook(after), change: { steps, at, views: [] } };
}
