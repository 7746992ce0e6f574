import * as v from 'valibot';
import { field, uuidValue } from '../base/values.ts';
import type { Author, ChangeOptions, Decision } from '../events/decision.ts';
import { remove } from '../table/transaction.ts';
import { isUnchanged, loadWebhook, webhookRecord } from './changeWebhook.ts';
import { keyIn } from './webhook.ts';

export const deletedWebhook = v.object({ id: field(uuidValue, 'Id of the webhook.') });

/**
 * Decides to delete a webhook. An attempt that is under way ends, and its attempts expire by themselves.
 *
 * @throws Problem `not_found`, `precondition_failed`.
 */
export async function decideDeleteWebhook(
  author: Author,
  id: string,
  options: ChangeOptions,
): Promise<Decision<v.InferOutput<typeof deletedWebhook>>> {
  const { webhook, at } = await loadWebhook(author.acquirer, id, options);
  const steps = [
    remove(keyIn(webhook), isUnchanged(webhook)),
    ...(await webhookRecord(author, options, webhook, { type: 'webhook.deleted', at })),
  ];
  return { data: { id }, change: { steps, at, views: [] } };
}
