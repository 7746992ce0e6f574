import * as v from 'valibot';
import { code, MID_KEYWORDS, objectOf, published } from '../../lib/base/fields.ts';
import { storedId } from '../../lib/base/mid.ts';
import { decideReassignTerminal } from '../../lib/branches/reassignTerminal.ts';
import { change } from '../../lib/http/change.ts';
import type { Contract } from '../../lib/http/contract.ts';
import type { ChangeCall } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

/** `mid` may be any text: one that is not a MID gets a 404, like that of an unknown branch. */
const Body = objectOf({ mid: v.pipe(code, published(MID_KEYWORDS), v.transform(storedId)) });

/** POST /ext/api/v1/terminals/{tid}/reassign. */
async function reassign({ acquirer, options, pathParameters, body }: ChangeCall<'id', v.InferOutput<typeof Body>>) {
  const decision = await decideReassignTerminal(acquirer, pathParameters.id, body.mid, options);
  return { decision, response: ok(decision.data) };
}

export const handler = change(reassign, { needs: 'change', body: Body, isIdempotent: true, cost: { write: 32 } });

export const contract = {
  tag: 'Terminals',
  summary: 'Reassign a terminal to another MID',
  description: 'Moves a terminal to another branch of the same payment provider. Its status is unchanged.',
  path: { id: 'tid' },
  isConditional: true,
  success: { status: 200, description: 'The terminal under its new MID.', data: 'Terminal' },
} satisfies Contract;
