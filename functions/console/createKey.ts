import type * as v from 'valibot';
import { issueApiKey } from '../../lib/acquirers/keyring.ts';
import { KEY_ROLES } from '../../lib/acquirers/roles.ts';
import { toShownIssuedKey } from '../../lib/acquirers/shownKey.ts';
import { keyLabel, objectOf, oneOf } from '../../lib/base/fields.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { ByPerson } from '../../lib/http/middleware.ts';
import { created } from '../../lib/http/response.ts';
import { personAuthor } from '../../lib/people/person.ts';

const Body = objectOf({ label: keyLabel, role: oneOf(KEY_ROLES) });

/** POST /console/api/keys. */
async function create({ acquirer, author, body: { label, role } }: ByPerson<never, v.InferOutput<typeof Body>>) {
  const issued = await issueApiKey(acquirer.id, label, { role, by: personAuthor(author.person) });
  return created(toShownIssuedKey(issued), '/console/api/keys');
}

export const handler = endpoint(create, { needs: 'administer', body: Body });

export const contract = {
  tag: 'Keys',
  summary: 'Create an API key',
  description:
    'Creates an API key. It is shown only in this response, and works at once. An acquirer has at most 20 keys, ' +
    'with those that a rotation has not ended yet.',
  success: { status: 201, description: 'The key was created.', data: 'CreatedApiKey', hasLocation: true },
} satisfies Contract;
