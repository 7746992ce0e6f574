import type * as v from 'valibot';
import { clearable, objectOf, storedText } from '../../lib/base/fields.ts';
import { toBranch } from '../../lib/branches/branch.ts';
import { updateBranch } from '../../lib/branches/updateBranch.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { change } from '../../lib/http/endpoint.ts';
import type { Change } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

const Body = objectOf({
  branch_name: clearable(storedText),
  area: clearable(storedText),
  city: clearable(storedText),
});
type Body = v.InferOutput<typeof Body>;

/** PATCH /ext/api/v1/merchants/{mid}. */
const update = async ({ author, pathParameters, body: { branch_name: merchant_name, ...body } }: Change<'mid', Body>) =>
  ok(toBranch(await updateBranch(author, pathParameters.mid, { merchant_name, ...body })));

export const handler = change(update, { needs: 'change', body: Body });

export const contract = {
  tag: 'Branches',
  summary: 'Update a branch',
  description:
    'Changes only the fields that you send, also of an archived branch. `null` or a blank text clears a field. The master merchant cannot be changed.',
  path: { mid: 'mid' },
  isConditional: true,
  success: { status: 200, description: 'The updated branch.', data: 'Branch' },
} satisfies Contract;
