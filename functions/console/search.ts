import * as v from 'valibot';
import { searchText } from '../../lib/base/fields.ts';
import { findByText } from '../../lib/find/findByText.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { TOO_MANY_MATCHES, warn } from '../../lib/http/warnings.ts';
import { searchCost } from '../../lib/limits/cost.ts';

const Query = v.object({ q: v.pipe(searchText, v.nonEmpty('Must not be empty.')) });

/** GET /console/api/search. */
async function search(call: Call<never, unknown, v.InferOutput<typeof Query>>) {
  const { hasMore, ...found } = await findByText(call.acquirer, call.query.q);
  if (hasMore) warn(call, [{ ...TOO_MANY_MATCHES, parameter: 'q' }]);
  return ok(found);
}

export const handler = endpoint(search, { needs: 'read', isForPeople: true, query: Query, cost: searchCost(24) });

export const contract = {
  tag: 'Find',
  summary: 'Search terminals and branches',
  description:
    'Finds terminals and branches by one text, for a search box. A terminal is found by its `tid`, `terminal_id` or ' +
    '`serial_no`; a branch by its MID, or by words as in the list of branches: those ' +
    'that have the words whole come first. Identifiers must be complete. If nothing ' +
    'has an identifier as it is typed, the one in capitals is tried, then the one in small letters. A label such as ' +
    '`S/N:` is ignored and, in a text of at least four digits, so are spaces and dashes. A text that nothing matches ' +
    'finds nothing. If all words are very common, branches can be missing, and the warning `too_many_matches` says so.',
  success: { status: 200, description: 'What was found.', data: 'Found' },
} satisfies Contract;
