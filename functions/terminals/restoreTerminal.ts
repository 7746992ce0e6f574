import { decideRestoreTerminal } from '../../lib/branches/archiveOrRestoreTerminal.ts';
import { change } from '../../lib/http/change.ts';
import type { Contract } from '../../lib/http/contract.ts';
import type { ChangeCall } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

/** PATCH /ext/api/v1/terminals/{tid}/restore. */
async function restore({ acquirer, options, pathParameters: { id: tid } }: ChangeCall<'id'>) {
  const decision = await decideRestoreTerminal(acquirer, tid, options);
  return { decision, response: ok(decision.data) };
}

export const handler = change(restore, { needs: 'change' });

export const contract = {
  tag: 'Terminals',
  summary: 'Restore a terminal',
  description: 'Makes an archived terminal active again, even if it was archived with its branch.',
  path: { id: 'tid' },
  isConditional: true,
  success: { status: 200, description: 'The restored terminal.', data: 'Terminal' },
} satisfies Contract;
