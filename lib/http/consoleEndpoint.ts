import { byPerson, refuseBoth } from './authenticate.ts';
import { authorize, recordUse } from './authorize.ts';
import { chained } from './endpoint.ts';
import type { Call, HandlerResult, Middleware } from './middleware.ts';
import { rateLimit } from './rateLimit.ts';
import type { RequestSchema } from './requestSchema.ts';

/**
 * Authenticates a person by the session's cookie and `Acting-As`: see authenticate.ts. An API key counts for nothing.
 */
const authenticateSession = (): Middleware => ({
  before: async function authenticateSession({ event, context }) {
    refuseBoth(event);
    await byPerson(event, event.headers['acting-as'] ?? '', { request_id: context.awsRequestId }, true);
  },
});

/**
 * Wraps the handler of an operation with which people read data of an acquirer in the chain of all endpoints. API keys
 * that may read cannot call it: it is part of the console, and not promised to partners.
 *
 * @param options.query Schema of the query parameters.
 */
export const consoleEndpoint = <C extends Call>(
  handler: (call: C) => Promise<HandlerResult>,
  { query }: { query: RequestSchema },
) =>
  chained(handler, { needs: 'read', query }, [
    authenticateSession(),
    authorize('read'),
    recordUse(),
    rateLimit('requests'),
  ]);
