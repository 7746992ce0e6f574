import { deleteTerminal } from '../../lib/branches/deleteTerminal.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { change } from '../../lib/http/endpoint.ts';
import type { Change } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

/** DELETE /ext/api/v1/terminals/{tid}. */
const remove = async ({ author, pathParameters: { id: tid } }: Change<'id'>) => ok(await deleteTerminal(author, tid));

export const handler = change(remove, { needs: 'delete' });

export const contract = {
  tag: 'Terminals',
  summary: 'Delete a terminal',
  description: 'Deletes a terminal, whatever its status. Its `terminal_id` and `serial_no` can be used again.',
  path: { id: 'tid' },
  isConditional: true,
  success: { status: 200, description: 'The deleted terminal.', data: 'DeletedTerminal' },
} satisfies Contract;
