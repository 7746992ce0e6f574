import * as v from 'valibot';
import { uuidValue } from '../../lib/base/values.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { expired } from '../../lib/http/cookies.ts';
import { type PersonCall, personEndpoint } from '../../lib/http/personEndpoint.ts';
import { ok } from '../../lib/http/response.ts';
import { signOut } from '../../lib/people/admission.ts';
import { endSessions } from '../../lib/people/people.ts';
import { personAuthor } from '../../lib/people/person.ts';
import { SESSION_COOKIE } from '../../lib/people/session.ts';

const Query = v.object({
  everywhere: v.optional(v.picklist(['true', 'false'], 'Must be true or false.'), 'false'),
});

/** DELETE /console/api/session. */
async function end({ session: { sha256, person }, query: { everywhere } }: PersonCall<v.InferOutput<typeof Query>>) {
  // First, so that a failure can be retried with this session.
  if (everywhere === 'true') await endSessions(person.id, personAuthor(person.id));
  await signOut(sha256);
  return { ...ok({ person: person.id }), cookies: [expired(SESSION_COOKIE, 'Strict')] };
}

export const handler = personEndpoint(end, { query: Query });

export const contract = {
  tag: 'Session',
  summary: 'Sign out',
  description:
    'Ends the session, or with `everywhere=true` all sessions of the person. Other processes may accept them for 30 ' +
    'seconds.',
  success: {
    status: 200,
    description: 'The session has ended.',
    data: v.object({ person: uuidValue }),
  },
} satisfies Contract;
