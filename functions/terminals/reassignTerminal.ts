import * as v from 'valibot';
import { code, MID_KEYWORDS, objectOf, published } from '../../lib/base/fields.ts';
import { storedId } from '../../lib/base/mid.ts';
import { reassignTerminal } from '../../lib/branches/reassignTerminal.ts';
import { type TerminalInBranch, toTerminal } from '../../lib/branches/terminal.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { change } from '../../lib/http/endpoint.ts';
import { idempotent } from '../../lib/http/idempotency.ts';
import type { Change } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

/** `mid` may be any text: one that is not a MID gets a 404, like that of an unknown branch. */
const Body = objectOf({ mid: v.pipe(code, published(MID_KEYWORDS), v.transform(storedId)) });

/** POST /ext/api/v1/terminals/{tid}/reassign. */
function reassign(call: Change<'id', v.InferOutput<typeof Body>>) {
  const { id: tid } = call.pathParameters;
  return idempotent<TerminalInBranch>(
    call,
    (extraSteps) => reassignTerminal(call.author, tid, call.body.mid, extraSteps),
    (terminal) => ok(toTerminal(terminal)),
  );
}

export const handler = change(reassign, { needs: 'change', body: Body });

export const contract = {
  tag: 'Terminals',
  summary: 'Reassign a terminal to another MID',
  description: 'Moves a terminal to another branch of the same payment provider. Its status is unchanged.',
  path: { id: 'tid' },
  isIdempotent: true,
  isConditional: true,
  success: { status: 200, description: 'The terminal under its new MID.', data: 'Terminal' },
} satisfies Contract;
