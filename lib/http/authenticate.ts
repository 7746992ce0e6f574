import { resolveApiKey } from '../apiKey.ts';
import { Problem } from '../base/problem.ts';
import type { Middleware } from './middleware.ts';

/** Refuses whoever sends no valid API key (interface §5), before anything else of the request is looked at. */
export const authenticate = (): Middleware => ({
  before: async function authenticate({ event, context }) {
    const apiKey = await resolveApiKey(event.headers['api-key'] ?? '');
    if (!apiKey) throw new Problem('invalid_api_key', 'Send a valid API key in the header API-KEY.');
    event.acquirer = apiKey.acquirer;
    event.author = { ...apiKey, request_id: context.awsRequestId };
  },
});
