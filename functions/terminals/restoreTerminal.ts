import { restoreTerminal } from '../../lib/branches/archiveTerminal.ts';
import { toTerminal } from '../../lib/branches/terminal.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { change } from '../../lib/http/endpoint.ts';
import type { Change } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

/** PATCH /ext/api/v1/terminals/{tid}/restore. */
const restore = async ({ author, pathParameters: { id: tid } }: Change<'id'>) =>
  ok(toTerminal(await restoreTerminal(author, tid)));

export const handler = change(restore, { needs: 'change' });

export const contract = {
  tag: 'Terminals',
  summary: 'Restore a terminal',
  description: 'Makes an archived terminal active again, even if it was archived with its branch.',
  path: { id: 'tid' },
  isConditional: true,
  success: { status: 200, description: 'The restored terminal.', data: 'Terminal' },
} satisfies Contract;
