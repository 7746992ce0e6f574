import { Problem } from '../base/problem.ts';
import { type OpenSession, resolvePerson } from '../people/session.ts';
import { refuseBoth } from './authenticate.ts';
import { recordUse } from './authorize.ts';
import { isSameOrigin, sessionCookieOf } from './cookies.ts';
import { chained } from './endpoint.ts';
import type { HandlerResult, Incoming, Middleware } from './middleware.ts';
import { countPerson, personRateLimit } from './rateLimit.ts';
import type { QuerySchema } from './requestSchema.ts';

/** `Acting-As` of a person who acts as none of their acquirers: see authenticate.ts. */
const NONE = 'none';

/** The event of an operation of a person's own session. */
export interface PersonCall<Query = unknown> extends Incoming {
  session: OpenSession;
  query: Query;
}

const authenticatePerson = (): Middleware => ({
  before: async function authenticatePerson({ event }) {
    refuseBoth(event);
    const isSent = event.headers['acting-as'] === NONE && isSameOrigin(event);
    const session = isSent ? await resolvePerson(sessionCookieOf(event), countPerson(event)) : undefined;
    if (!session) throw new Problem('invalid_session', `Sign in, and send Acting-As: ${NONE}.`);
    event.session = session;
  },
});

/** Wraps the handler of an operation of a person's own session, with `Acting-As: none`. */
export const personEndpoint = <C extends PersonCall>(
  handler: (call: C) => Promise<HandlerResult>,
  options: { query?: QuerySchema } = {},
) =>
  chained(handler as never, { needs: undefined, ...options }, [authenticatePerson(), recordUse(), personRateLimit()]);
