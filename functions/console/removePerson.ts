import * as v from 'valibot';
import { uuidValue } from '../../lib/base/values.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { ByPerson } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { removePerson } from '../../lib/people/people.ts';
import { personAuthor } from '../../lib/people/person.ts';

/** DELETE /console/api/people/{id}. */
async function remove({ acquirer, author, pathParameters: { id } }: ByPerson<'id'>) {
  await removePerson(acquirer.id, id, personAuthor(author.person));
  return ok({ id });
}

export const handler = endpoint(remove, { needs: 'administer' });

export const contract = {
  tag: 'People',
  summary: 'Remove a person',
  description:
    'Removes a person from the people of the acquirer, within 30 seconds. Events keep their name, ' +
    'as of then. An acquirer keeps at least one admin.',
  path: { id: { description: 'UUID of the person.', id: uuidValue } },
  success: { status: 200, description: 'The person was removed.', data: v.object({ id: uuidValue }) },
} satisfies Contract;
