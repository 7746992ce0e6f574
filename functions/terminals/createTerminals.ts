import type * as v from 'valibot';
import { objectOf, terminals } from '../../lib/base/fields.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idempotent } from '../../lib/http/idempotency.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { created } from '../../lib/http/response.ts';
import { createTerminals } from '../../lib/terminals/createTerminals.ts';
import { type TerminalInBranch, toTerminal } from '../../lib/terminals/terminal.ts';

const Body = objectOf({ terminals });
type Body = v.InferOutput<typeof Body>;

/** POST /ext/api/v1/terminals/{mid}. TIDs share the path level, so the parameter is named `id`. */
function create(call: Call<'id', Body>) {
  const { id: mid } = call.pathParameters;
  return idempotent<TerminalInBranch[]>(
    call,
    (extraSteps) => createTerminals(call.author, mid, call.body.terminals, extraSteps),
    (terminals) => created(terminals.map(toTerminal), `/ext/api/v1/terminals/${mid}`),
  );
}

export const handler = endpoint(create, { body: Body });
