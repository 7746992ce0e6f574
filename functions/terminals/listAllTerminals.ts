import * as v from 'valibot';
import { listAllTerminals } from '../../lib/branches/listAllTerminals.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { listCursor, wholeNumber } from '../../lib/http/page.ts';
import { ok } from '../../lib/http/response.ts';

const Query = v.object({
  after: v.optional(listCursor),
  limit: v.optional(wholeNumber(1_000), '100'),
  status: v.optional(v.picklist(['active', 'archived'], 'Must be active or archived.')),
});

/** GET /ext/api/v1/terminals. */
async function list({ acquirer, query }: Call<never, unknown, v.InferOutput<typeof Query>>) {
  const { terminals, next } = await listAllTerminals(acquirer, query);
  return ok(terminals, { meta: { next } });
}

export const handler = endpoint(list, {
  needs: 'read',
  query: Query,
  // The list of branches, up to 100 branches and their terminals.
  cost: ({ query }) => ({ read: 60 + 0.3 * query.limit }),
});

export const contract = {
  tag: 'Terminals',
  summary: 'List all terminals',
  description: `Returns the terminals of all branches that are accessible to you, each with its branch: the oldest \
branch first, then by time of creation.

- For the next page, send \`meta.next\` as \`after\`; it is \`null\` on the last page only. Other pages can be short \
or empty: a page reads at most 100 branches, and ends before its terminals exceed 1 MB.
- A terminal that stays in its branch while you read the pages is on exactly one of them; one that moves meanwhile \
can be missing or on two.
- A field that changed milliseconds ago may be outdated.`,
  success: {
    status: 200,
    description: 'A page of terminals.',
    data: { listOf: 'TerminalWithBranch', most: 1_000 },
    meta: 'NextPageMeta',
  },
} satisfies Contract;
