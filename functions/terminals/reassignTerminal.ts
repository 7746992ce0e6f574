import * as v from 'valibot';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { objectOf } from '../../lib/http/fields.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { reassignTerminal, toTerminal } from '../../lib/terminal.ts';

/** Any text will do: one that cannot be a MID names no branch. */
const Body = objectOf({ mid: v.pipe(v.string(), v.nonEmpty()) });
type Body = v.InferOutput<typeof Body>;

/** POST /ext/api/v1/terminals/{tid}/reassign (interface §4.11). */
async function reassign({ acquirer, pathParameters: { id: tid }, body }: Call<'id', Body>) {
  return ok(toTerminal(await reassignTerminal(acquirer, tid, body.mid)));
}

export const handler = endpoint(reassign, { body: Body });
