import type * as v from 'valibot';
import { objectOf, storedText } from '../../lib/base/fields.ts';
import { decideArchiveTerminal } from '../../lib/branches/archiveOrRestoreTerminal.ts';
import { change } from '../../lib/http/change.ts';
import type { Contract } from '../../lib/http/contract.ts';
import type { ChangeCall } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

const Body = objectOf({ reason: storedText });

/** PATCH /ext/api/v1/terminals/{tid}/archive. */
async function archive({ acquirer, options, pathParameters, body }: ChangeCall<'id', v.InferOutput<typeof Body>>) {
  const decision = await decideArchiveTerminal(acquirer, pathParameters.id, body.reason, options);
  return { decision, response: ok(decision.data) };
}

export const handler = change(archive, { needs: 'change', body: Body });

export const contract = {
  tag: 'Terminals',
  summary: 'Archive a terminal',
  description: 'Archives a terminal. It is no longer active for processing.',
  path: { id: 'tid' },
  isConditional: true,
  success: { status: 200, description: 'The archived terminal.', data: 'Terminal' },
} satisfies Contract;
