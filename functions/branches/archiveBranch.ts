import { SHORT_PAUSE } from '../../lib/aws/retry.ts';
import { decideArchiveBranch } from '../../lib/branches/archiveOrRestoreBranch.ts';
import { change } from '../../lib/http/change.ts';
import type { Contract } from '../../lib/http/contract.ts';
import type { ChangeCall } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

/** PATCH /ext/api/v1/merchants/{mid}/archive. */
async function archive({ acquirer, options, pathParameters: { mid } }: ChangeCall<'mid'>) {
  const decision = await decideArchiveBranch(acquirer, mid, options);
  return { decision, response: ok(decision.data) };
}

export const handler = change(archive, { needs: 'change', pause: SHORT_PAUSE });

export const contract = {
  tag: 'Branches',
  summary: 'Archive a branch',
  description: 'Archives a branch and all of its terminals. Terminals cannot be added to it until it is restored.',
  path: { mid: 'mid' },
  isConditional: true,
  success: { status: 200, description: 'The archived branch.', data: 'Branch' },
} satisfies Contract;
