import type * as v from 'valibot';
import { SHORT_PAUSE } from '../../lib/aws/retry.ts';
import { clearable, objectOf } from '../../lib/base/fields.ts';
import { detailsIn, sentDetails } from '../../lib/branches/branchDetails.ts';
import { decideUpdateBranch } from '../../lib/branches/updateBranch.ts';
import { change } from '../../lib/http/change.ts';
import type { Contract } from '../../lib/http/contract.ts';
import type { ChangeCall } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { countWords } from '../../lib/limits/cost.ts';

const Body = objectOf(sentDetails(clearable<string>));
type Body = v.InferOutput<typeof Body>;

/** PATCH /ext/api/v1/merchants/{mid}. */
async function update({ acquirer, options, pathParameters: { mid }, body }: ChangeCall<'mid', Body>) {
  const decision = await decideUpdateBranch(acquirer, mid, detailsIn(body), options);
  return { decision, response: ok(decision.data) };
}

export const handler = change(update, {
  needs: 'change',
  body: Body,
  pause: SHORT_PAUSE,
  // The entries of its words are replaced, for each of its acquirers.
  cost({ acquirer, body }) {
    const words = countWords(...Object.values(detailsIn(body)).map((text) => text ?? ''));
    return { write: 10 + (acquirer.type === 'DISTRIBUTOR' ? 2 : 1) * (14 + 4 * words) };
  },
});

export const contract = {
  tag: 'Branches',
  summary: 'Update a branch',
  description:
    'Changes only the fields that you send, also of an archived branch. `null` or a blank text clears a field. The ' +
    'master merchant cannot be changed.',
  path: { mid: 'mid' },
  isConditional: true,
  success: { status: 200, description: 'The updated branch.', data: 'Branch' },
} satisfies Contract;
