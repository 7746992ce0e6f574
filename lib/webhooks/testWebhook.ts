import { randomUUID } from 'node:crypto';
import type * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { requestContext } from '../aws/requestContext.ts';
import { retrying } from '../aws/retry.ts';
import { Problem } from '../base/problem.ts';
import { shownAs } from '../base/values.ts';
import { rateLimitKey } from '../table/keys.ts';
import { type Step, transact, update } from '../table/transaction.ts';
import { attemptNow } from './changeWebhook.ts';
import { bodyOf } from './page.ts';
import { isDelivered, post } from './post.ts';
import { readWebhook, readWebhooks, shownOutcome } from './webhook.ts';

type Outcome = v.InferOutput<typeof shownOutcome>;

/** The most tests of an acquirer in a minute: a webhook is no tool to probe servers with. */
const MOST_TESTS = 10;
const MINUTE_S = 60;

/** A step that counts a test. @throws Problem `rate_limited` in its transaction. */
function countTest(acquirer: string): Step {
  const now = Math.floor(Date.now() / 1000);
  const start = now - (now % MINUTE_S);
  const retryAfter = start + MINUTE_S - now;
  const detail = `You have tested webhooks ${MOST_TESTS} times in this minute. Wait for Retry-After seconds, then retry.`;
  return update(
    rateLimitKey(acquirer, 'webhook-tests', start),
    { set: { ttl: start + 60 * MINUTE_S }, add: { taken: 1 } },
    {
      expression: 'attribute_not_exists(pk) OR #taken < :most',
      values: { ':most': MOST_TESTS },
      refusal: new Problem('rate_limited', detail, { retryAfter }),
    },
  );
}

/** Has a page that waits delivered now, unless the webhook was deleted meanwhile. Never rejects: it is tried later anyway. */
const deliverNow = (acquirer: string, id: string): Promise<unknown> =>
  retrying(async () => {
    const webhook = (await readWebhooks(acquirer)).find((each) => each.id === id);
    if (webhook) await transact([attemptNow(webhook, new Date().toISOString())]);
  }).catch((failure) => requestContext().failures.dueWebhook.push(failure));

/**
 * Posts an empty page to a webhook, whatever its status. If that succeeds, a page that waits is due at once.
 *
 * @param isValidation Whether nothing is posted.
 * @throws Problem `not_found`, `rate_limited`.
 */
export async function testWebhook(acquirer: Acquirer, id: string, isValidation: boolean): Promise<Outcome> {
  const webhook = await readWebhook(acquirer.id, id);
  await retrying(() => transact([countTest(acquirer.id)]));
  if (isValidation) return { status: null, duration_ms: 0, error: null };
  const body = bodyOf(acquirer.id, [], { cursor: webhook.cursor });
  const sent = await post(webhook, { id: randomUUID(), at: new Date().toISOString(), body });
  if (isDelivered(sent)) await deliverNow(acquirer.id, id);
  return shownAs(shownOutcome, sent);
}
