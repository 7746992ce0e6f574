import type { Acquirer } from '../acquirers/acquirer.ts';
import { positionIn } from '../base/cursor.ts';
import { lowerBoundId, retentionMs, timeOfId } from '../base/eventId.ts';
import { validationFailed } from '../base/problem.ts';
import { exists } from '../base/time.ts';
import type { Author, ChangeOptions, Decision } from '../events/decision.ts';
import { feedEnd, feedOf } from '../events/feed.ts';
import { decideWebhookChange, dueNow, loadWebhook } from './changeWebhook.ts';
import type { ShownWebhook } from './webhook.ts';

const refused = (code: string, detail: string) => validationFailed([{ pointer: '/after', code, detail }]);

/**
 * The position in an acquirer's feed that a request names: a cursor, a time or `oldest`.
 *
 * @throws Problem `validation_failed`.
 */
function positionFor(acquirer: Acquirer, after: string): string {
  const oldest = Date.now() - retentionMs();
  if (after === 'oldest') return lowerBoundId(oldest);
  const isTime = after.includes(':');
  if (isTime && !exists(after)) throw refused('invalid_format', 'Must be a time that exists.');
  const position = isTime ? lowerBoundId(Date.parse(after)) : positionIn(after, feedOf(acquirer.id));
  if (position === undefined) throw refused('invalid_format', 'Must be a cursor of your feed of events.');
  if (timeOfId(position) < oldest)
    throw refused('too_small', 'Events after this may have expired. Send oldest for all that are kept.');
  if (position > feedEnd())
    throw refused('too_large', 'The feed does not reach this time yet: it ends about 25 seconds ago.');
  return position;
}

/**
 * Decides to move the cursor of a webhook: what comes after it is delivered, again or for the first time. The page in
 * flight is given up; an attempt under way keeps its lease, so that no other begins beside it, and its result counts
 * for nothing.
 *
 * @param after A cursor of the feed, a time (RFC 3339) or `oldest`.
 * @throws Problem `not_found`, `precondition_failed`, `validation_failed`.
 */
export async function decideRewindWebhook(
  author: Author,
  id: string,
  after: string,
  options: ChangeOptions,
): Promise<Decision<ShownWebhook>> {
  const loaded = await loadWebhook(author.acquirer, id, options);
  const cursor = positionFor(author.acquirer, after);
  return decideWebhookChange(author, options, loaded, {
    type: 'webhook.rewound',
    details: { rewound_to: new Date(timeOfId(cursor)).toISOString() },
    set: { cursor, page: undefined, ...dueNow(loaded.webhook, loaded.at) },
  });
}
