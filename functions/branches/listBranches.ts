import * as v from 'valibot';
import { searchText } from '../../lib/base/fields.ts';
import { SEARCHED_WORDS, searchedWords } from '../../lib/base/words.ts';
import { toListedBranch } from '../../lib/branches/branch.ts';
import { listBranches } from '../../lib/branches/listBranches.ts';
import { searchBranches } from '../../lib/branches/searchBranches.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { PageQuery, page } from '../../lib/http/page.ts';
import { TOO_MANY_MATCHES, warn } from '../../lib/http/warnings.ts';
import { pageCost, searchCost } from '../../lib/limits/cost.ts';

const words = v.pipe(
  searchText,
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    if (dataset.value === '') return undefined;
    const searched = searchedWords(dataset.value);
    if (searched) return searched;
    addIssue({ message: `Must have ${SEARCHED_WORDS}.` });
    return NEVER;
  }),
);

const Query = v.object({ ...PageQuery.entries, search: v.optional(words) });

/** GET /ext/api/v1/merchants. */
async function list(call: Call<never, unknown, v.InferOutput<typeof Query>>) {
  const { acquirer, query } = call;
  if (!query.search) {
    const { total, branches } = await listBranches(acquirer, query);
    return page(call, total, branches.map(toListedBranch));
  }
  const { total, branches, hasMore } = await searchBranches(acquirer, query.search, query);
  if (hasMore) warn(call, [TOO_MANY_MATCHES]);
  return page(call, total, branches.map(toListedBranch));
}

export const handler = endpoint(list, {
  needs: 'read',
  query: Query,
  cost: ({ query: { search, per_page } }) => (search ? searchCost(per_page) : pageCost(per_page)),
});

export const contract = {
  tag: 'Branches',
  summary: 'List branches',
  description: `Returns the branches that are accessible to you, sorted by time of creation.

- With \`search\`, it returns the branches in which each word that you send begins a word of the name, area, city or \
master merchant’s name, or begins the MID or \`master_merchant_id\`. Case, accents and apostrophes do not matter: \
\`search=cafe+porto\` finds the Harbour Café in Porto.
- A search of one letter or digit finds only words of one. Scripts without spaces, such as Chinese and Thai, are \
searched by any two letters in sequence.
- A search uses 16 words of a branch; one that has more can also match by words that it does not have. If all words \
are very common, matches can be missing, and the warning \`too_many_matches\` says so.
- \`total\`, membership and order include branches that were just created. A status that changed milliseconds ago may \
be outdated.
- Every page takes about the same time, however long the list is. A page past the end is empty, and its \`prev\` is \
the last page.`,
  success: {
    status: 200,
    description: 'A page of branches.',
    data: { listOf: 'ListedBranch', most: 100 },
    isPage: true,
  },
} satisfies Contract;
