import type { Contract } from '../../lib/http/contract.ts';
import { type PersonCall, personEndpoint } from '../../lib/http/personEndpoint.ts';
import { ok } from '../../lib/http/response.ts';
import { acquirersOf, shownSession } from '../../lib/people/acquirersOf.ts';

/** GET /console/api/session. */
async function get({ session: { person, session } }: PersonCall) {
  const { id, name, email = null } = person;
  const { auth_time, ends_at } = session;
  const authenticated_at = auth_time > 0 ? new Date(auth_time * 1000).toISOString() : null;
  return ok({ person: { id, name, email }, acquirers: await acquirersOf(person), authenticated_at, ends_at });
}

export const handler = personEndpoint(get);

export const contract = {
  tag: 'Session',
  summary: 'Get the session',
  description: 'Returns who is signed in, and the acquirers as which they may act.',
  success: { status: 200, description: 'The session.', data: shownSession },
} satisfies Contract;
