import * as v from 'valibot';
import { rotateApiKey } from '../../lib/acquirers/keyring.ts';
import { toShownIssuedKey } from '../../lib/acquirers/shownKey.ts';
import { objectOf } from '../../lib/base/fields.ts';
import { shownKeyId } from '../../lib/base/values.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { ByPerson } from '../../lib/http/middleware.ts';
import { created } from '../../lib/http/response.ts';
import { personAuthor } from '../../lib/people/person.ts';

const HOUR_MS = 3_600_000;

/** At most 30 days. */
const Body = objectOf({
  overlap_hours: v.pipe(
    v.number(),
    v.integer('Must be a whole number.'),
    v.minValue(0),
    v.maxValue(720),
    v.metadata({ format: 'int32' }),
  ),
});

/** POST /console/api/keys/{id}/rotate. */
async function rotate({ acquirer, author, body, pathParameters: { id } }: ByPerson<'id', v.InferOutput<typeof Body>>) {
  const issued = await rotateApiKey(acquirer.id, id, body.overlap_hours * HOUR_MS, personAuthor(author.person));
  return created({ ...toShownIssuedKey(issued), rotated: issued.rotated }, '/console/api/keys');
}

export const handler = endpoint(rotate, { needs: 'administer', body: Body });

export const contract = {
  tag: 'Keys',
  summary: 'Rotate an API key',
  description:
    'Creates a successor with the same label and role. The earlier key works for `overlap_hours` more, so that you ' +
    'can switch without an outage; with 0 it ends at once.',
  path: { id: { description: 'Id of the key to replace.', id: shownKeyId } },
  success: { status: 201, description: 'The successor was created.', data: 'RotatedApiKey', hasLocation: true },
} satisfies Contract;
