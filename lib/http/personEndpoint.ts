import { Problem } from '../base/problem.ts';
import { type OpenSession, recordSessionUse, resolvePerson } from '../people/session.ts';
import { ambiguousCredentials } from './authenticate.ts';
import type { RequestSchema } from './body.ts';
import { isSameOrigin, sessionCookieOf } from './cookies.ts';
import { chained } from './endpoint.ts';
import type { HandlerResult, Incoming, Middleware } from './middleware.ts';
import { personRateLimit } from './rateLimit.ts';

/** `Acting-As` of a person who acts as none of their acquirers. It is required for the same reason: see authenticate.ts. */
const NONE = 'none';

/** The event of an operation of a person's own session. */
export interface PersonCall<Query = unknown> extends Incoming {
  session: OpenSession;
  query: Query;
}

/** Authenticates a person by the session's cookie, whichever acquirers they belong to. */
const authenticatePerson = (): Middleware => {
  const finish: NonNullable<Middleware['after']> = async function authenticatePerson({ event }) {
    await event.use;
  };
  return {
    before: async function authenticatePerson({ event }) {
      const { headers } = event;
      const actingAs = headers['acting-as'];
      if (headers['api-key'] !== undefined && actingAs !== undefined) throw ambiguousCredentials();
      const isSent = actingAs === NONE && isSameOrigin(event);
      const session = isSent ? await resolvePerson(sessionCookieOf(event)) : undefined;
      if (!session) throw new Problem('invalid_session', `Sign in, and send Acting-As: ${NONE}.`);
      event.session = session;
      event.use = recordSessionUse(session.sha256);
    },
    after: finish,
    onError: finish,
  };
};

/**
 * Wraps the handler of an operation of a person's own session in the chain of all endpoints, with `Acting-As: none`.
 *
 * @param options.query Schema of the query parameters; none by default.
 */
export const personEndpoint = <C extends PersonCall>(
  handler: (call: C) => Promise<HandlerResult>,
  options: { query?: RequestSchema } = {},
) => chained(handler as never, { needs: undefined, ...options }, [authenticatePerson(), personRateLimit()]);
