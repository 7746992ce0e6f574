import { DAY_MS } from '../base/eventId.ts';
import type { Author, ChangeOptions, Decision } from '../events/decision.ts';
import { decideWebhookChange, loadWebhook } from './changeWebhook.ts';
import { newSecret, sealSecret } from './secret.ts';
import { MOST_SECRETS, type ShownWebhook } from './webhook.ts';

/** For how long the secret before a rotation signs too. */
const OVERLAP_MS = DAY_MS;

/**
 * Decides to give a webhook a new secret. The one before signs too for 24 hours; those of earlier rotations keep their
 * end, and the oldest ends at once if there are too many.
 *
 * @returns Also the secret, which the decision contains only sealed.
 * @throws Problem `not_found`, `precondition_failed`.
 */
export async function decideRotateSecret(
  author: Author,
  id: string,
  options: ChangeOptions,
): Promise<Decision<ShownWebhook> & { secret: string }> {
  const loaded = await loadWebhook(author.acquirer, id, options);
  const { webhook, at } = loaded;
  const secret = newSecret();
  const ends_at = new Date(Date.parse(at) + OVERLAP_MS).toISOString();
  const earlier = webhook.secrets
    .map(({ sealed, ends_at: end = ends_at }) => ({ sealed, ends_at: end }))
    .filter((each) => each.ends_at > at)
    .slice(0, MOST_SECRETS - 1);
  const secrets = [{ sealed: await sealSecret(secret, id) }, ...earlier];
  const decision = await decideWebhookChange(author, options, loaded, { type: 'webhook.rotated', set: { secrets } });
  return { ...decision, secret };
}
