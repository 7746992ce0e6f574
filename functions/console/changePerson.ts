import type * as v from 'valibot';
import { PERSON_ROLES } from '../../lib/acquirers/roles.ts';
import { objectOf, oneOf } from '../../lib/base/fields.ts';
import { uuidValue } from '../../lib/base/values.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { ByPerson } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { changeRole } from '../../lib/people/people.ts';
import { personAuthor } from '../../lib/people/person.ts';

const Body = objectOf({ role: oneOf(PERSON_ROLES) });
type Body = v.InferOutput<typeof Body>;

/** PATCH /console/api/people/{id}. */
const change = async ({ acquirer, author, body: { role }, pathParameters: { id } }: ByPerson<'id', Body>) =>
  ok(await changeRole(acquirer.id, id, role, personAuthor(author.person)));

export const handler = endpoint(change, { needs: 'administer', body: Body });

export const contract = {
  tag: 'People',
  summary: 'Change the role of a person',
  description: 'Changes what a person may do, within 30 seconds. An acquirer keeps at least one admin.',
  path: { id: { description: 'UUID of the person.', id: uuidValue } },
  success: { status: 200, description: 'The role was changed.', data: 'Person' },
} satisfies Contract;
