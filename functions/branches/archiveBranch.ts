import { archiveBranch } from '../../lib/branches/archiveBranch.ts';
import { toBranch } from '../../lib/branches/branch.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { change } from '../../lib/http/endpoint.ts';
import type { Change } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';

/** PATCH /ext/api/v1/merchants/{mid}/archive. */
const archive = async ({ author, pathParameters }: Change<'mid'>) =>
  ok(toBranch(await archiveBranch(author, pathParameters.mid)));

export const handler = change(archive, { needs: 'change' });

export const contract = {
  tag: 'Branches',
  summary: 'Archive a branch',
  description: 'Archives a branch and all of its terminals. Terminals cannot be added to it until it is restored.',
  path: { mid: 'mid' },
  isConditional: true,
  success: { status: 200, description: 'The archived branch.', data: 'Branch' },
} satisfies Contract;
