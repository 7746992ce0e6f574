import type * as v from 'valibot';
import { PERSON_ROLES } from '../../lib/acquirers/roles.ts';
import { email, objectOf, oneOf } from '../../lib/base/fields.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { ByPerson } from '../../lib/http/middleware.ts';
import { created, urlOf } from '../../lib/http/response.ts';
import { invitePerson } from '../../lib/people/people.ts';
import { personAuthor } from '../../lib/people/person.ts';

const Body = objectOf({ email, role: oneOf(PERSON_ROLES) });

/** POST /console/api/invitations. */
async function invite({ acquirer, author, body }: ByPerson<never, v.InferOutput<typeof Body>>) {
  const { link, ...invitation } = await invitePerson(acquirer.id, body, personAuthor(author.person));
  return created({ ...invitation, link: urlOf(link) }, '/console/api/people');
}

export const handler = endpoint(invite, { needs: 'administer', body: Body });

export const contract = {
  tag: 'People',
  summary: 'Invite a person',
  description:
    'Makes an invitation for 7 days. No mail is sent: hand over the link. Only a person whose issuer states that ' +
    'this address is theirs and verified can accept it. An earlier invitation of the address is revoked.',
  success: { status: 201, description: 'The invitation was made.', data: 'CreatedInvitation', hasLocation: true },
} satisfies Contract;
