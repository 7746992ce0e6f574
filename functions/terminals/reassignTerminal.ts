import * as v from 'valibot';
import { objectOf, text } from '../../lib/base/fields.ts';
import { lowerCaseUuid } from '../../lib/base/mid.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idempotent } from '../../lib/http/idempotency.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { type TerminalInBranch, toTerminal } from '../../lib/terminal.ts';
import { reassignTerminal } from '../../lib/terminalChanges.ts';

/** Any text will do: one that cannot be a MID names no branch. */
const Body = objectOf({ mid: v.pipe(text, v.transform(lowerCaseUuid)) });
type Body = v.InferOutput<typeof Body>;

/** POST /ext/api/v1/terminals/{tid}/reassign (interface §4.11). */
function reassign(call: Call<'id', Body>) {
  const { id: tid } = call.pathParameters;
  return idempotent<TerminalInBranch>(
    call,
    (alongside) => reassignTerminal(call.author, tid, call.body.mid, alongside),
    (terminal) => ok(toTerminal(terminal)),
  );
}

export const handler = endpoint(reassign, { body: Body });
