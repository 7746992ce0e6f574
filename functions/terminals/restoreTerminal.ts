import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { toTerminal } from '../../lib/terminal.ts';
import { restoreTerminal } from '../../lib/terminalChanges.ts';

/** PATCH /ext/api/v1/terminals/{tid}/restore. */
async function restore({ author, pathParameters: { id: tid } }: Call<'id'>) {
  return ok(toTerminal(await restoreTerminal(author, tid)));
}

export const handler = endpoint(restore);
