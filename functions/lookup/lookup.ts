import * as v from 'valibot';
import type { Acquirer } from '../../lib/acquirers/acquirer.ts';
import { cachedReferences, knownReferences, named, type ReferencePage } from '../../lib/acquirers/reference.ts';
import { optional, searchText, uuid } from '../../lib/base/fields.ts';
import { Problem } from '../../lib/base/problem.ts';
import { fold, searchedWords } from '../../lib/base/words.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { ok } from '../../lib/http/response.ts';
import { TOO_MANY_MATCHES, unknownParameter, warn } from '../../lib/http/warnings.ts';
import { searchCost } from '../../lib/limits/cost.ts';
import type { ReferenceList } from '../../lib/table/keys.ts';
import { search } from '../../lib/table/wordSearch.ts';

const Query = v.object({ search: v.optional(searchText, ''), payment_provider: optional(uuid) });

/** The lookups. */
const LISTS = new Map<string, ReferenceList>([
  ['paymentProviders', 'PAYMENT_PROVIDERS'],
  ['distributors', 'DISTRIBUTORS'],
  ['acquirers', 'MASTER_ACQUIRERS'],
  ['paymentApp', 'PAYMENT_APPS'],
  ['masterMerchants', 'MASTER_MERCHANTS'],
]);

/**
 * A list that needs no read. Of paymentProviders and distributors, one lists the caller itself, the other its partners.
 */
const known = (caller: Acquirer, list: ReferenceList): ReferencePage | undefined =>
  list === `${caller.type}S` ? { references: [caller], hasMore: false } : knownReferences(caller, list);

/** The most items in a response, which is at most 2 MB then. */
const MOST_PER_REQUEST = 1_000;

/** The warning of a response that may lack items. */
const incomplete = (detail: string) => ({ parameter: 'search', code: 'incomplete', detail }) as const;
const TOO_MANY = incomplete(`More than ${MOST_PER_REQUEST} items match. Search for more of the name.`);
const TOO_LONG = 'This list is too long to be read as a whole, so items may be missing.';

const byLetter = (a: string, b: string): number => {
  const [one, other] = [a.toUpperCase(), b.toUpperCase()];
  return Number(one > other) - Number(one < other);
};

/** A comparison that ignores case and accents. A collator adds 5 ms to a cold start, so pure ASCII does without. */
const comparing = (texts: string[]): ((a: string, b: string) => number) =>
  texts.every((text) => /^[ -~]*$/.test(text)) ? byLetter : new Intl.Collator('en', { sensitivity: 'base' }).compare;

/** GET /ext/api/v1/lookup/{method}. */
async function lookup(call: Call<'method', unknown, v.InferOutput<typeof Query>>) {
  const { acquirer, pathParameters, query } = call;
  const list = LISTS.get(pathParameters.method);
  if (!list) throw new Problem('not_found', `Unknown lookup. Use one of ${[...LISTS.keys()].join(', ')}.`);
  const hasProviders = pathParameters.method === 'masterMerchants';
  if ('payment_provider' in query && !hasProviders) warn(call, [unknownParameter('payment_provider')]);
  const provider = hasProviders ? query.payment_provider : undefined;
  const text = fold(query.search);
  const page = known(acquirer, list) ?? (await cachedReferences(acquirer, list));
  const words = page.hasMore && hasProviders ? searchedWords(query.search) : undefined;
  const matches = words
    ? await searchMasterMerchants(acquirer, words)
    : {
        hasMore: false,
        references: page.references.filter(({ name, master_merchant_id = '' }) =>
          [name, master_merchant_id].some((each) => fold(each).includes(text)),
        ),
      };
  const items = matches.references
    .filter(({ payment_provider = acquirer.id }) => !provider || payment_provider === provider)
    .map(({ id, name, master_merchant_id }) => ({ key: id, text: name, master_merchant_id }));
  const compare = comparing(items.map(({ text }) => text));
  const byText = items.sort((a, b) => compare(a.text, b.text) || (a.key < b.key ? -1 : 1));
  const advice = hasProviders ? ' Search for words.' : '';
  if (page.hasMore && !words) warn(call, [incomplete(TOO_LONG + advice)]);
  else if (matches.hasMore) warn(call, [TOO_MANY_MATCHES]);
  else if (items.length > MOST_PER_REQUEST) warn(call, [TOO_MANY]);
  return ok(byText.slice(0, MOST_PER_REQUEST));
}

/** A long list is found by words, like branches. */
async function searchMasterMerchants({ id }: Acquirer, words: string[]): Promise<ReferencePage> {
  const { found, hasMore } = await search('MASTER_MERCHANTS', id, words);
  return { references: found.map(({ id, attributes }) => named(id, attributes)), hasMore };
}

export const handler = endpoint(lookup, {
  needs: 'read',
  query: Query,
  // Of a list that this process has not read in the last 30 seconds, up to 1 MB.
  cost({ acquirer, pathParameters, query }) {
    const list = LISTS.get(pathParameters.method);
    const page = list && known(acquirer, list);
    if (list && !page) return { read: 90 };
    return page?.hasMore && query.search ? searchCost(0) : {};
  },
});

export const contract = {
  tag: 'Reference data',
  summary: 'Look up reference data',
  description: `Returns the values that you can use in other requests, for dropdowns: sorted by text, at most 1,000 \
items.

- \`paymentProviders\` and \`distributors\` list you and your partners, \`masterMerchants\` the master merchants that \
you can use, and \`paymentApp\` and \`acquirers\` values for terminals.
- \`search\` returns the items whose text contains it; case, accents and apostrophes do not matter. Of \
\`masterMerchants\`, it also searches the \`master_merchant_id\`, and a list of more than 1 MB is searched by words, \
like branches.
- If items may be missing, \`warnings\` says so. A new value can be used at once, but can take 30 seconds to appear.`,
  path: {
    method: {
      description: 'Which list.',
      oneOf: ['paymentProviders', 'distributors', 'acquirers', 'paymentApp', 'masterMerchants'],
    },
  },
  success: { status: 200, description: 'The items.', data: { listOf: 'LookupItem', most: 1000 } },
} satisfies Contract;
