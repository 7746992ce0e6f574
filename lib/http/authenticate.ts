import { resolveApiKey } from '../acquirers/apiKey.ts';
import { Problem } from '../base/problem.ts';
import type { Middleware } from './middleware.ts';

/**
 * Authenticates the request by its API key, and sets `acquirer` and `author` on the event.
 *
 * @throws Problem `invalid_api_key`.
 */
export const authenticate = (): Middleware => ({
  before: async function authenticate({ event, context }) {
    const apiKey = await resolveApiKey(event.headers['api-key'] ?? '');
    if (!apiKey) throw new Problem('invalid_api_key', 'Send a valid API key in the API-KEY header.');
    event.acquirer = apiKey.acquirer;
    event.author = { ...apiKey, request_id: context.awsRequestId, if_match: event.headers['if-match'] };
  },
});
