import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { MOST_KEYS } from '../../lib/acquirers/keyring.ts';
import { BUDGET_MS, RETRY_MS } from '../../lib/aws/retry.ts';
import { CACHE_MS } from '../../lib/base/cache.ts';
import { MOST_PER_REQUEST } from '../../lib/base/fields.ts';
import { MOST_PAGE_BYTES } from '../../lib/base/paging.ts';
import { HORIZON_MS } from '../../lib/base/time.ts';
import { MOST_TERMINALS } from '../../lib/branches/branch.ts';
import { MOST_SEEN } from '../../lib/branches/listLastSeen.ts';
import { SEALING } from '../../lib/branches/ranks.ts';
import { RECENT_S } from '../../lib/http/authorize.ts';
import { MAX_BODY_BYTES } from '../../lib/http/limitedBody.ts';
import { UNITS_PER_TOKEN } from '../../lib/limits/cost.ts';
import { MOST_CARD_KEYS } from '../../lib/members/cardKeys.ts';
import { INVITATION_MS, MOST_PEOPLE } from '../../lib/people/people.ts';
import { MOST_ACQUIRERS } from '../../lib/people/person.ts';
import { MOST_STEPS } from '../../lib/table/transaction.ts';
import { DESCRIBED } from '../support/contract.ts';

/*
 * Figures that the code decides, as the documents say them. Whoever changes one in the code finds here where it is
 * said.
 */

const read = (file: string): string => readFileSync(file, 'utf8').replace(/\s+/g, ' ');
const n = (value: number): string => value.toLocaleString('en');
const KB = 1024;
const MB = KB * KB;
const DAY_MS = 86_400_000;

/** The most that a parameter of an operation can be. */
function mostOf(operation: string, name: string): number {
  const parameter = DESCRIBED.get(operation)?.parameters.find((each) => 'name' in each && each.name === name);
  return Number(parameter && 'schema' in parameter ? parameter.schema['maximum'] : Number.NaN);
}

const SAID: Record<string, string[]> = {
  'docs/limits.md': [
    `One range of at most ${n(MOST_SEEN)}, or by key`,
    `Page of ${n(MOST_SEEN)} last-seen terminals`,
    `together | ${MOST_PEOPLE} |`,
    `API keys of an acquirer | ${MOST_KEYS} |`,
    `Acquirers of a person | ${MOST_ACQUIRERS} |`,
    `| Card keys | ${MOST_CARD_KEYS}, each of`,
    `One page of at most ${mostOf('getBranchHistory', 'limit')} and ${MOST_PAGE_BYTES / MB} MB`,
  ],
  'docs/decisions/0008-limits.md': [
    `At most ${n(MAX_BODY_BYTES)} bytes as received`,
    `1 to ${mostOf('listBranches', 'per_page')}; 1 to ${mostOf('listBranches', 'page')}, default 1`,
    `1 to ${MOST_PER_REQUEST}: with serials they fit one transaction (${MOST_STEPS} items)`,
    `At most ${n(MOST_TERMINALS)}, archived ones included`,
    `caches each lookup for ${CACHE_MS / 1000} s`,
  ],
  'docs/architecture.md': [
    `the set of its terminals, at most ${n(MOST_TERMINALS)};`,
    `expires after ${HORIZON_MS / 1000} s`,
    `expires after ${INVITATION_MS / DAY_MS} days`,
    `a seal ranks up to ${SEALING.most} entries`,
    `A token pays for ${UNITS_PER_TOKEN.read} read units and ${UNITS_PER_TOKEN.write} write units`,
    `ends ${HORIZON_MS / 1000} s before now`,
    `starts again from its reads, for up to ${RETRY_MS / 1000} s`,
    `is sent again with the same token for up to ${BUDGET_MS / 1000} s`,
  ],
  'docs/scale.md': [`the entries of the last ${HORIZON_MS / 1000} s`],
  'docs/guides/people-and-roles.md': [
    `a sign-in within the last ${RECENT_S / 60} minutes`,
    `It is valid for ${INVITATION_MS / DAY_MS} days`,
    `It takes effect within ${CACHE_MS / 1000} seconds`,
  ],
  'docs/guides/api-keys.md': [`It stops working within ${CACHE_MS / 1000} seconds`],
};

const CASES = Object.entries(SAID).flatMap(([file, texts]) => texts.map((text) => [file, text] as const));

test.each(CASES)('%s says: %s', (file, text) => {
  expect([text].filter((each) => !read(file).includes(each))).toEqual([]);
});
