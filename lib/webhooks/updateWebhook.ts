import { differences, type Update } from '../base/update.ts';
import type { Author, ChangeOptions, Decision } from '../events/decision.ts';
import { attemptNow, decideWebhookChange, dueNow, loadWebhook } from './changeWebhook.ts';
import { type ShownWebhook, toWebhook, type Webhook } from './webhook.ts';

/** What a partner can change of a webhook. */
type Settings = Pick<Webhook, 'url' | 'description' | 'status'>;

/**
 * Decides to change the supplied settings of a webhook. A page that waits is due at once if its URL changes, or if the
 * status is set to `active`, also of a webhook that is: whoever has mended their server need not wait.
 *
 * @throws Problem `not_found`, `precondition_failed`.
 */
export async function decideUpdateWebhook(
  author: Author,
  id: string,
  sent: Update<Settings>,
  options: ChangeOptions,
): Promise<Decision<ShownWebhook>> {
  const loaded = await loadWebhook(author.acquirer, id, options);
  const { webhook, at } = loaded;
  const { url, description = null, status } = webhook;
  const changed = differences<Settings>({ url, description, status }, sent);
  if (!changed && sent.status !== 'active') return { data: toWebhook(webhook) };
  if (!changed) {
    const data = toWebhook({ ...webhook, ...dueNow(webhook, at) });
    return { data, change: { steps: [attemptNow(webhook, at)], at, views: [] } };
  }
  const { set, changes } = changed;
  const startsAnew = set.url !== undefined || set.status === 'active';
  return decideWebhookChange(author, options, loaded, {
    type: 'webhook.updated',
    details: { changed: Object.keys(changes), status: set.status },
    set: {
      ...set,
      // Otherwise, the first failure would disable one that was paused for days while it failed.
      ...(startsAnew && { failing_since: undefined, failures: 0 }),
      ...((startsAnew || set.status) && dueNow({ ...webhook, ...set }, at)),
    },
  });
}
