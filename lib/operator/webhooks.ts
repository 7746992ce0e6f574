import { listAcquirers } from '../acquirers/registry.ts';
import { retrying } from '../aws/retry.ts';
import { laterThan } from '../base/time.ts';
import { newEvent, recordSteps } from '../record/record.ts';
import type { Item } from '../table/client.ts';
import { acquirerIn, acquirerSubject } from '../table/keys.ts';
import { isAsRead, transact, update } from '../table/transaction.ts';
import { dueNow } from '../webhooks/changeWebhook.ts';
import { here, keyIn, readWebhook, readWebhooks, type Webhook } from '../webhooks/webhook.ts';

/**
 * Suspends a webhook: its events wait until {@link resumeWebhook}, whatever its acquirer does. An attempt that has
 * begun ends. Does nothing if it is suspended.
 *
 * @returns The webhook as it is now.
 * @throws Problem `not_found`.
 */
export const suspendWebhook = (acquirer: string, id: string): Promise<Webhook> =>
  retrying(async () => deliverIn(await readWebhook(acquirer, id), undefined));

/**
 * Lets a suspended webhook deliver from the table in use; if it is active, within a minute. Does nothing if it does.
 *
 * @returns The webhook as it is now.
 * @throws Problem `not_found`.
 */
export const resumeWebhook = (acquirer: string, id: string): Promise<Webhook> =>
  retrying(async () => deliverIn(await readWebhook(acquirer, id), here()));

/**
 * Resumes all webhooks that deliver from another table: those of a restored or copied one. Those that an operator has
 * suspended stay so. If it is interrupted, another call does the rest.
 *
 * @returns The webhooks that it has resumed.
 */
export async function resumeRestored(): Promise<Webhook[]> {
  const resumed: Webhook[] = [];
  for (const { id } of await listAcquirers())
    for (const { delivers_in, ...webhook } of await readWebhooks(id))
      if (delivers_in && delivers_in !== here()) resumed.push(await resumeWebhook(id, webhook.id));
  return resumed;
}

async function deliverIn(webhook: Item<Webhook>, delivers_in: string | undefined): Promise<Webhook> {
  const { id, url, status } = webhook;
  if (webhook.delivers_in === delivers_in) return webhook;
  const updated_at = laterThan(webhook.updated_at);
  const isResumed = delivers_in !== undefined && status === 'active';
  const set = { delivers_in, updated_at, ...(isResumed && dueNow({ ...webhook, delivers_in }, updated_at)) };
  const type = delivers_in ? 'webhook.unsuspended' : 'webhook.suspended';
  const acquirer = acquirerIn(webhook);
  const event = await newEvent(type, { acquirer, webhook: id, origin: new URL(url).origin }, undefined, updated_at);
  await transact([
    update(keyIn(webhook), { set }, isAsRead(webhook, 'id', 'updated_at', 'status', 'delivers_in')),
    ...recordSteps(event, acquirerSubject(acquirer)),
  ]);
  return { ...webhook, ...set };
}
