import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { listPeople } from '../../lib/people/people.ts';

/** GET /console/api/people. */
const list = async ({ acquirer }: Call) => ok(await listPeople(acquirer.id));

export const handler = endpoint(list, { needs: 'administer' });

export const contract = {
  tag: 'People',
  summary: 'List people',
  description: 'Returns the people of the acquirer and its open invitations, the oldest first.',
  success: { status: 200, description: 'People and invitations.', data: 'People' },
} satisfies Contract;
