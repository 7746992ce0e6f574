import * as v from 'valibot';
import { uuidValue } from '../../lib/base/values.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { ByPerson } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { removePerson } from '../../lib/people/people.ts';
import { personAuthor } from '../../lib/people/person.ts';

/** DELETE /console/api/membership. */
async function leave({ acquirer, author: { person } }: ByPerson) {
  await removePerson(acquirer.id, person, personAuthor(person));
  return ok({ acquirer: acquirer.id });
}

export const handler = endpoint(leave, { needs: 'read', isForPeople: true });

export const contract = {
  tag: 'Session',
  summary: 'Leave an acquirer',
  description:
    'Removes you from the people of the acquirer in `Acting-As`, within 30 seconds. Its events keep your name, ' +
    'as of then. The only admin cannot leave.',
  success: {
    status: 200,
    description: 'You no longer belong to the acquirer.',
    data: v.object({ acquirer: uuidValue }),
  },
} satisfies Contract;
