import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { deleteTerminal } from '../../lib/terminals/deleteTerminal.ts';

/** DELETE /ext/api/v1/terminals/{tid}. */
async function remove({ author, pathParameters: { id: tid } }: Call<'id'>) {
  return ok(await deleteTerminal(author, tid));
}

export const handler = endpoint(remove);

export const contract = {
  tag: 'Terminals',
  summary: 'Delete a terminal',
  description: 'Deletes a terminal, whatever its status. Its `terminal_id` and `serial_no` can be used again.',
  path: { id: 'tid' },
  success: { status: 200, description: 'The deleted terminal.', data: 'DeletedTerminal' },
} satisfies Contract;
