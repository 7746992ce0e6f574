import * as v from 'valibot';
import { EVENT_CURSOR } from '../../lib/base/cursor.ts';
import { code, published } from '../../lib/base/fields.ts';
import { PROBLEM_CODES } from '../../lib/base/problem.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { cursor, time, wholeNumber } from '../../lib/http/page.ts';
import { ok } from '../../lib/http/response.ts';
import { refusedRequestsCost } from '../../lib/limits/cost.ts';
import { listRefusedRequests, MOST_READ } from '../../lib/refusedRequests/read.ts';

const Query = v.object({
  status: v.optional(v.pipe(wholeNumber(499), v.minValue(400))),
  code: v.optional(v.picklist(PROBLEM_CODES, 'Must be the code of a problem.')),
  operation: v.optional(
    v.pipe(
      code,
      v.regex(/^[a-z][A-Za-z]{1,39}$/, 'Must be an operation, such as createBranch.'),
      v.metadata({ maxLength: 40 }),
    ),
  ),
  key_id: v.optional(
    v.pipe(code, v.regex(/^[0-9a-f]{12}$/, 'Must be the id of an API key.'), v.metadata({ maxLength: 12 })),
  ),
  from: v.optional(time),
  to: v.optional(time),
  after: v.optional(v.pipe(cursor, published({ pattern: `^${EVENT_CURSOR}$`, minLength: 64 }))),
  limit: v.optional(wholeNumber(100), '20'),
});
type Query = v.InferOutput<typeof Query>;

/** GET /ext/api/v1/refused-requests (docs/decisions/0049-refused-requests.md). */
async function list({ acquirer, query }: Call<never, unknown, Query>) {
  const { requests, next } = await listRefusedRequests(acquirer, query);
  return ok(requests, { meta: { next } });
}

const hasFilter = ({ status, code, operation, key_id }: Query): boolean =>
  (status ?? code ?? operation ?? key_id) !== undefined;

export const handler = endpoint(list, {
  needs: 'read',
  query: Query,
  cost: ({ query }) => refusedRequestsCost(hasFilter(query) ? MOST_READ : query.limit),
});

export const contract = {
  tag: 'Refused requests',
  summary: 'List refused requests',
  description: `Returns the requests of the last 30 days that were refused, of all your API keys and people, the newest \
first. Nothing that was sent is kept, but the ids of your branches, terminals and webhooks.

- \`from\` and \`to\` limit the time: from one time to before another.
- For the next page, send \`meta.next\` as \`after\`; it is \`null\` at the end. With another filter, a page can have \
fewer than \`limit\`, or none, although there are more: a request reads at most ${MOST_READ}.
- Requests without a valid API key are not kept. Of those over the rate limit, the first of each key and window is, \
with at least how many there were (\`times\`).`,
  success: {
    status: 200,
    description: 'A page of refused requests.',
    data: { listOf: 'RefusedRequest', most: 100 },
    meta: 'NextPageMeta',
  },
} satisfies Contract;
