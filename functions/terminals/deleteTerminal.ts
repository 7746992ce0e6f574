import { decideDeleteTerminal } from '../../lib/branches/deleteTerminal.ts';
import { change } from '../../lib/http/change.ts';
import type { Contract } from '../../lib/http/contract.ts';
import type { ChangeCall } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

/** DELETE /ext/api/v1/terminals/{tid}. */
async function remove({ acquirer, options, pathParameters: { id: tid } }: ChangeCall<'id'>) {
  const decision = await decideDeleteTerminal(acquirer, tid, options);
  return { decision, response: ok(decision.data) };
}

export const handler = change(remove, { needs: 'delete', cost: { write: 24 } });

export const contract = {
  tag: 'Terminals',
  summary: 'Delete a terminal',
  description: 'Deletes a terminal, whatever its status. Its `terminal_id` and `serial_no` can be used again.',
  path: { id: 'tid' },
  isConditional: true,
  success: { status: 200, description: 'The deleted terminal.', data: 'DeletedTerminal' },
} satisfies Contract;
