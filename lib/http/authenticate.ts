import { resolveApiKey } from '../acquirers/apiKey.ts';
import type { Permission } from '../acquirers/roles.ts';
import { Problem } from '../base/problem.ts';
import { resolveSession } from '../people/session.ts';
import { changesAccess } from './authorize.ts';
import { isSameOrigin, sessionCookieOf } from './cookies.ts';
import type { Incoming, Middleware } from './middleware.ts';
import { countPerson } from './rateLimit.ts';

/**
 * Authenticates the request by its API key or, with the header `Acting-As`, by the session of a person, and sets
 * `acquirer`, `author` and `caller` on the event.
 *
 * A page of another origin cannot send `Acting-As` without a preflight, which it is never granted. So a session is
 * valid only with that header, and a cookie alone authenticates nothing (OWASP Cross-Site Request Forgery Prevention,
 * "Custom Request Headers").
 *
 * @param needs What the operation needs: see authorize.
 * @param caller Who can call it: for `keys`, a session counts for nothing, for `people`, an API key does.
 * @throws Problem `invalid_api_key`, `invalid_session`; `ambiguous_credentials` for a request with both.
 */
export const authenticate = (needs: Permission | undefined, caller: 'keys' | 'people' | 'both'): Middleware => ({
  before: async function authenticate({ event, context }) {
    const { 'api-key': apiKey, 'acting-as': actingAs } = event.headers;
    const request_id = context.awsRequestId;
    refuseBoth(event);
    // A session that was ended a moment ago must not leave a key or a person behind.
    const isCacheable = !changesAccess(needs, event);
    const isPerson = caller === 'people' || (caller === 'both' && actingAs !== undefined);
    if (isPerson) await byPerson(event, actingAs ?? '', request_id, isCacheable);
    else await byApiKey(event, apiKey ?? '', request_id);
  },
});

/**
 * Refuses a request with an API key and a session.
 *
 * @throws Problem `ambiguous_credentials`.
 */
export function refuseBoth({ headers }: Incoming): void {
  if (headers['acting-as'] !== undefined && headers['api-key'] !== undefined)
    throw new Problem('ambiguous_credentials', 'Send either an API key or a session with Acting-As, not both.');
}

/** A text with an API key and something around it: quotation marks of a file of settings, or the name of a scheme. */
const NOT_ALONE = /^(?!apk_).*apk_|["'\u201d\u2019]$/;
const SEND_ALONE =
  'Send the API key alone in the API-KEY header: without quotation marks, and without a word such as Bearer before it.';

async function byApiKey(event: Incoming, text: string, request_id: string): Promise<void> {
  const apiKey = await resolveApiKey(text);
  if (!apiKey)
    throw new Problem(
      'invalid_api_key',
      NOT_ALONE.test(text) ? SEND_ALONE : 'Send a valid API key in the API-KEY header.',
    );
  const { acquirer, key_id, label, role = 'full' } = apiKey;
  event.acquirer = acquirer;
  event.caller = { kind: 'API key', role };
  event.author = { acquirer, key_id, label, request_id };
}

/** @throws Problem `invalid_session`. */
async function byPerson(event: Incoming, actingAs: string, request_id: string, isCacheable: boolean): Promise<void> {
  const found = isSameOrigin(event)
    ? await resolveSession(sessionCookieOf(event), actingAs.toLowerCase(), { isCacheable, count: countPerson(event) })
    : undefined;
  if (!found)
    throw new Problem(
      'invalid_session',
      'Sign in, and send the UUID of one of your acquirers in Acting-As. Sessions work only on pages of this service.',
    );
  const { acquirer, person, role, auth_time, sha256, started_at } = found;
  event.acquirer = acquirer;
  event.caller = { kind: 'person', role, auth_time, sha256, started_at };
  event.author = { acquirer, person, request_id };
}
