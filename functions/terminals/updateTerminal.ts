import type * as v from 'valibot';
import { alphanumeric, clearable, name, objectOf, storedText } from '../../lib/base/fields.ts';
import { decideUpdateTerminal } from '../../lib/branches/updateTerminal.ts';
import { change } from '../../lib/http/change.ts';
import type { Contract } from '../../lib/http/contract.ts';
import type { ChangeCall } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

const Body = objectOf({
  serial_no: clearable(alphanumeric),
  terminal_model: clearable(storedText),
  payment_app: clearable(name),
  acquirer_name: clearable(name),
});

/** PATCH /ext/api/v1/terminals/{tid}. MIDs share the path level, so the parameter is named `id`. */
async function update({ acquirer, options, pathParameters, body }: ChangeCall<'id', v.InferOutput<typeof Body>>) {
  const decision = await decideUpdateTerminal(acquirer, pathParameters.id, body, options);
  return { decision, response: ok(decision.data) };
}

export const handler = change(update, {
  needs: 'change',
  body: Body,
  // A serial number is claimed, and another released.
  cost: ({ body }) => ({ write: body.serial_no === undefined ? 16 : 24 }),
});

export const contract = {
  tag: 'Terminals',
  summary: 'Update a terminal',
  description: 'Changes only the fields that you send. `null` or a blank text clears a field.',
  path: { id: 'tid' },
  isConditional: true,
  success: { status: 200, description: 'The updated terminal.', data: 'Terminal' },
} satisfies Contract;
