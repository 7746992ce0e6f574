import { SHORT_PAUSE } from '../../lib/aws/retry.ts';
import { decideRestoreBranch } from '../../lib/branches/archiveOrRestoreBranch.ts';
import { change } from '../../lib/http/change.ts';
import type { Contract } from '../../lib/http/contract.ts';
import type { ChangeCall } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

/** PATCH /ext/api/v1/merchants/{mid}/restore. */
async function restore({ acquirer, options, pathParameters: { mid } }: ChangeCall<'mid'>) {
  const decision = await decideRestoreBranch(acquirer, mid, options);
  return { decision, response: ok(decision.data) };
}

export const handler = change(restore, { needs: 'change', pause: SHORT_PAUSE });

export const contract = {
  tag: 'Branches',
  summary: 'Restore a branch',
  description:
    'Makes an archived branch active again, and with it the terminals that were archived with it. Terminals that ' +
    'were archived by themselves stay archived.',
  path: { mid: 'mid' },
  isConditional: true,
  success: { status: 200, description: 'The restored branch.', data: 'Branch' },
} satisfies Contract;
