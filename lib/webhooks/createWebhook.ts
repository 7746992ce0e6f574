import { newEventId } from '../base/eventId.ts';
import { Problem } from '../base/problem.ts';
import type { Author, ChangeOptions, Decision } from '../events/decision.ts';
import { feedEnd } from '../events/feed.ts';
import { webhookKey } from '../table/keys.ts';
import { isFree, put } from '../table/transaction.ts';
import { webhookRecord } from './changeWebhook.ts';
import { MOST_BETWEEN_CHECKS_MS } from './schedule.ts';
import { newSecret, sealSecret } from './secret.ts';
import { due, here, MOST_WEBHOOKS, readWebhooks, type ShownWebhook, toWebhook, type Webhook } from './webhook.ts';

interface NewWebhook {
  url: string;
  description?: string | undefined;
}

/**
 * Decides to create a webhook, which delivers the events that appear in the feed from now on.
 *
 * @returns Also its secret, which the decision contains only sealed.
 * @throws Problem `too_many_webhooks`.
 */
export async function decideCreateWebhook(
  author: Author,
  { url, description }: NewWebhook,
  options: ChangeOptions,
): Promise<Decision<ShownWebhook> & { secret: string }> {
  const acquirer = author.acquirer.id;
  const taken = new Set((await readWebhooks(acquirer)).map(({ sk }) => sk));
  const slots = Array.from({ length: MOST_WEBHOOKS }, (_, at) => webhookKey(acquirer, at + 1));
  const free = slots.filter(({ sk }) => !taken.has(sk));
  // At random, so that creates at once seldom choose the same.
  const slot = free[Math.floor(Math.random() * free.length)];
  if (!slot)
    throw new Problem(
      'too_many_webhooks',
      `You have ${MOST_WEBHOOKS} webhooks, the most that there can be. Delete one.`,
    );
  const now = Date.now();
  const at = new Date(now).toISOString();
  const id = newEventId(at, author.request_id);
  const secret = newSecret();
  const webhook: Webhook = {
    id,
    url,
    ...(description !== undefined && { description }),
    status: 'active',
    created_at: at,
    updated_at: at,
    secrets: [{ sealed: await sealSecret(secret, id) }],
    delivers_in: here(),
    cursor: feedEnd(now),
    failures: 0,
    is_slow: false,
    ...due({ id }, new Date(now + MOST_BETWEEN_CHECKS_MS).toISOString()),
  };
  const steps = [
    put(slot, webhook, isFree('stale')),
    ...(await webhookRecord(author, options, webhook, { type: 'webhook.created', at })),
  ];
  return { data: toWebhook(webhook), secret, change: { steps, at, views: [] } };
}
