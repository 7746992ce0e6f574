import type * as v from 'valibot';
import { objectOf, storedText } from '../../lib/base/fields.ts';
import { archiveTerminal } from '../../lib/branches/archiveTerminal.ts';
import { toTerminal } from '../../lib/branches/terminal.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { change } from '../../lib/http/endpoint.ts';
import type { Change } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

const Body = objectOf({ reason: storedText });

/** PATCH /ext/api/v1/terminals/{tid}/archive. */
const archive = async ({ author, pathParameters: { id: tid }, body }: Change<'id', v.InferOutput<typeof Body>>) =>
  ok(toTerminal(await archiveTerminal(author, tid, body.reason)));

export const handler = change(archive, { needs: 'change', body: Body });

export const contract = {
  tag: 'Terminals',
  summary: 'Archive a terminal',
  description: 'Archives a terminal. It is no longer active for processing.',
  path: { id: 'tid' },
  isConditional: true,
  success: { status: 200, description: 'The archived terminal.', data: 'Terminal' },
} satisfies Contract;
