import * as v from 'valibot';
import { revokeApiKey } from '../../lib/acquirers/keyring.ts';
import { shownKeyId } from '../../lib/base/values.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { ByPerson } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { personAuthor } from '../../lib/people/person.ts';

/** DELETE /console/api/keys/{id}. */
async function revoke({ acquirer, author, pathParameters: { id } }: ByPerson<'id'>) {
  await revokeApiKey(acquirer.id, id, personAuthor(author.person));
  return ok({ key_id: id });
}

export const handler = endpoint(revoke, { needs: 'administer' });

export const contract = {
  tag: 'Keys',
  summary: 'Revoke an API key',
  description: 'Ends an API key within 30 seconds.',
  path: { id: { description: 'Id of the key.', id: shownKeyId } },
  success: { status: 200, description: 'The key was revoked.', data: v.object({ key_id: shownKeyId }) },
} satisfies Contract;
