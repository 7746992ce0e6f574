import * as v from 'valibot';
import { uuidValue } from '../../lib/base/values.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { ByPerson } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { revokeInvitation } from '../../lib/people/people.ts';
import { personAuthor } from '../../lib/people/person.ts';

/** DELETE /console/api/invitations/{id}. */
async function revoke({ acquirer, author, pathParameters: { id } }: ByPerson<'id'>) {
  await revokeInvitation(acquirer.id, id, personAuthor(author.person));
  return ok({ id });
}

export const handler = endpoint(revoke, { needs: 'administer' });

export const contract = {
  tag: 'People',
  summary: 'Revoke an invitation',
  description: 'Ends an open invitation.',
  path: { id: { description: 'UUID of the invitation.', id: uuidValue } },
  success: { status: 200, description: 'The invitation was revoked.', data: v.object({ id: uuidValue }) },
} satisfies Contract;
