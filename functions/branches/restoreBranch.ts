import { restoreBranch } from '../../lib/branches/archiveBranch.ts';
import { toBranch } from '../../lib/branches/branch.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { change } from '../../lib/http/endpoint.ts';
import type { Change } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

/** PATCH /ext/api/v1/merchants/{mid}/restore. */
const restore = async ({ author, pathParameters }: Change<'mid'>) =>
  ok(toBranch(await restoreBranch(author, pathParameters.mid)));

export const handler = change(restore, { needs: 'change' });

export const contract = {
  tag: 'Branches',
  summary: 'Restore a branch',
  description:
    'Makes an archived branch active again, and with it the terminals that were archived with it. Terminals that were archived by themselves stay archived.',
  path: { mid: 'mid' },
  isConditional: true,
  success: { status: 200, description: 'The restored branch.', data: 'Branch' },
} satisfies Contract;
