import * as v from 'valibot';
import { type Acquirer, listMembers, type Named } from '../../lib/acquirer.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { listMasterMerchants } from '../../lib/masterMerchant.ts';
import { Problem } from '../../lib/problem.ts';

const Query = v.object({ search: v.optional(v.string(), '') });
type Query = v.InferOutput<typeof Query>;

/** Each list holds what the caller may use: itself on its own side of a partnership, its partners on the other. */
const LISTS = new Map<string, (acquirer: Acquirer) => Promise<Named[]> | Named[]>([
  ['paymentProviders', (caller) => (caller.type === 'PAYMENT_PROVIDER' ? [caller] : listMembers(caller, 'PROVIDER'))],
  ['distributors', (caller) => (caller.type === 'DISTRIBUTOR' ? [caller] : listMembers(caller, 'DISTRIBUTOR'))],
  ['acquirers', (caller) => listMembers(caller, 'MASTER_ACQUIRER')],
  ['paymentApp', (caller) => listMembers(caller, 'PAYMENT_APP')],
  ['masterMerchants', listMasterMerchants],
]);

/** The longest texts of so many fit an answer (6 MB: AWS Lambda quotas); `search` finds the others. */
const MOST_ITEMS = 2_500;

/**
 * Letters without their case, and an accent the same whether it is a character of its own or not. In capitals, as small
 * letters differ by where they stand (σ, ς), and some (ß, ı) are none's.
 */
const fold = (text: string): string => text.normalize('NFC').toUpperCase().normalize('NFC');

/** What a text is sorted by: its letters without case and accents. A collator would take 5 ms of each cold start. */
const orderOf = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toUpperCase();

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** GET /ext/api/v1/lookup/{method} (interface §4.12). */
async function lookup({ acquirer, pathParameters: { method }, query }: Call<'method', unknown, Query>) {
  const list = LISTS.get(method);
  if (!list) throw new Problem('not_found', `No such lookup; there are ${[...LISTS.keys()].join(', ')}.`);
  const search = fold(query.search);
  const items = (await list(acquirer))
    .map(({ id, name }) => ({ key: id, text: name }))
    .filter(({ text }) => fold(text).includes(search))
    .sort((a, b) => compare(orderOf(a.text), orderOf(b.text)))
    .slice(0, MOST_ITEMS);
  return ok(items);
}

export const handler = endpoint(lookup, { query: Query });
