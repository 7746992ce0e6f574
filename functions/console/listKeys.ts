import { listApiKeys } from '../../lib/acquirers/keyring.ts';
import { toShownKey } from '../../lib/acquirers/shownKey.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

/** GET /console/api/keys. */
async function list({ acquirer }: Call) {
  const now = new Date().toISOString();
  const keys = await listApiKeys(acquirer.id);
  // The next change removes those that have ended.
  const valid = keys.filter(({ expires_at }) => !expires_at || expires_at > now);
  return ok(valid.map(toShownKey));
}

export const handler = endpoint(list, { needs: 'administer' });

export const contract = {
  tag: 'Keys',
  summary: 'List API keys',
  description:
    'Returns the API keys of the acquirer that have not ended, the oldest first, without the keys themselves.',
  success: { status: 200, description: 'The keys.', data: { listOf: 'ApiKey', most: 20 } },
} satisfies Contract;
