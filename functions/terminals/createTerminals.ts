import type * as v from 'valibot';
import { MOST_PER_REQUEST, objectOf, terminals } from '../../lib/base/fields.ts';
import { decideCreateTerminals } from '../../lib/branches/createTerminals.ts';
import { change } from '../../lib/http/change.ts';
import type { Contract } from '../../lib/http/contract.ts';
import type { ChangeCall } from '../../lib/http/middleware.ts';
import { created } from '../../lib/http/response.ts';
import { eventsUnits, terminalsCost } from '../../lib/limits/cost.ts';

const Body = objectOf({ terminals });

/** POST /ext/api/v1/terminals/{mid}. TIDs share the path level, so the parameter is named `id`. */
async function create({ author, pathParameters: { id: mid }, body }: ChangeCall<'id', v.InferOutput<typeof Body>>) {
  const decision = await decideCreateTerminals(author, mid, body.terminals);
  return { decision, response: created(decision.data, `/ext/api/v1/terminals/${mid}`) };
}

export const handler = change(create, {
  needs: 'change',
  body: Body,
  isIdempotent: true,
  cost(call) {
    const { read, write } = terminalsCost(call.body.terminals);
    return { read, write: 6 + write + eventsUnits(call) };
  },
});

export const contract = {
  tag: 'Terminals',
  summary: 'Create terminals for a branch',
  description:
    `Creates 1 to ${MOST_PER_REQUEST} terminals: all or none. ` +
    'Each `terminal_id`, and each `serial_no` if present, must be unique across all terminals. ' +
    'All field errors are reported at once.',
  path: { id: 'mid' },
  success: {
    status: 201,
    description: 'The terminals were created. `Location` is the list of the branch’s terminals.',
    data: { listOf: 'Terminal', most: MOST_PER_REQUEST },
    hasLocation: true,
  },
} satisfies Contract;
