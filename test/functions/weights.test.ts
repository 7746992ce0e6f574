import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from '@jest/globals';
import type { AnyOperation } from '../../infra/publish/contract/invoke.ts';
import { referenceCache } from '../../lib/acquirers/reference.ts';
import type { Request } from '../support/api.ts';
import { branchBody } from '../support/requests.ts';
import { weightOf } from '../support/stated.ts';
import { numbered } from '../support/world.ts';

/** What requests weigh in the end is in test/proofs/limits/weights.slow.test.ts. */

const GUIDE = readFileSync('docs/guides/rate-limits.md', 'utf8');
/** The rows of the guide's table: what a request takes, by its text. */
const ROWS = new Map(
  [...GUIDE.matchAll(/^\| (.+?) \| (\d+) \| .+ \|$/gm)].map(([, request = '', takes]) => [request, Number(takes)]),
);

const provider = { id: 'b0000000-0000-4000-8000-000000000001', type: 'PAYMENT_PROVIDER' } as const;
const PARTNER = 'b0000000-0000-4000-8000-000000000002';
const path = { mid: 'M1', id: 'M1' };
const headers = { 'idempotency-key': 'key' };
const terminals = (count: number) => numbered('T', count).map((each, at) => ({ ...each, serial_no: `S${at}` }));
const branch = (more: object = {}) => ({ headers, body: branchBody(more) });
const add = (count: number): [AnyOperation, Request] => [
  'createTerminals',
  { path, headers, body: { terminals: terminals(count) } },
];
const of = (...operations: AnyOperation[]): [AnyOperation, Request][] => operations.map((each) => [each, { path }]);

afterEach(() => referenceCache.clear());

const REQUESTS: Record<string, [AnyOperation, Request][]> = {
  'Get or find; a member check': [
    ...of('getBranch', 'getRefusedRequest'),
    ['find', { query: { mid: 'M1' } }],
    [
      'memberCheck',
      {
        body: {
          amount: 1,
          card_id: 'c',
          card_pseudo_token: 't',
          currency: 'EUR',
          terminal_id: 'T1',
          acquirer_id: provider.id,
        },
      },
    ],
  ],
  'A list of 10 branches, or of 10 terminals of a branch': of('listBranches', 'listTerminals'),
  'A list of 100': [
    ['listBranches', { query: { per_page: '100' } }],
    ['listTerminals', { path, query: { per_page: '100' } }],
  ],
  '100 terminals of all branches': of('listAllTerminals'),
  '1,000 terminals of all branches': [['listAllTerminals', { query: { limit: '1000' } }]],
  'A search of branches, with 10 per page': [['listBranches', { query: { search: 'harbour' } }]],
  'A lookup of a list that was not read in the last 30 seconds': [['lookup', { path: { method: 'paymentApp' } }]],
  'A page of 100 events': of('listEvents'),
  'A history, with 20 events': of('getBranchHistory', 'getTerminalHistory'),
  'List or get webhooks; change, test, rewind or delete one': [
    ...of('listWebhooks', 'getWebhook', 'deleteWebhook', 'rotateWebhookSecret', 'testWebhook', 'listDeliveries'),
    ['updateWebhook', { path, body: { url: `https://hooks.example.com/${'a'.repeat(2000)}` } }],
    ['rewindWebhook', { path, body: { after: 'oldest' } }],
  ],
  'Create a webhook with a URL of up to 500 characters': [
    ['createWebhook', { headers, body: { url: `https://hooks.example.com/${'a'.repeat(474)}` } }],
  ],
  'A page of 100 deliveries': [['listDeliveries', { path, query: { limit: '100' } }]],
  'A page of 100 refused requests': [['listRefusedRequests', { query: { limit: '100' } }]],
  'The same with a filter': [['listRefusedRequests', { query: { limit: '100', status: '404' } }]],
  'Update, archive or restore a terminal; archive or restore a branch': [
    ['updateTerminal', { path, body: { terminal_model: 'New' } }],
    ['archiveTerminal', { path, body: { reason: 'Repair' } }],
    ...of('restoreTerminal', 'archiveBranch', 'restoreBranch'),
  ],
  'Change a serial number': [['updateTerminal', { path, body: { serial_no: 'S1' } }]],
  'Delete or reassign a terminal': [...of('deleteTerminal'), ['reassignTerminal', { path, body: { mid: 'M2' } }]],
  'Update the name, area and city of a branch, in six words': [
    ['updateBranch', { path, body: { branch_name: 'Harbour Café Central', area: 'Old Town', city: 'Braga' } }],
  ],
  'Create a branch': [['createBranch', branch()]],
  'Create a branch with a distributor': [['createBranch', branch({ distributor: PARTNER })]],
  'Create a terminal': [add(1)],
  'Create 10 terminals': [add(10)],
  'Create 40 terminals': [add(40)],
  'Create a branch with 40 terminals': [['createBranch', branch({ terminals: terminals(40) })]],
  'The same with [`validate_only=true`](change-safely.md#check-a-request-first)': [
    ['createBranch', { ...branch({ terminals: terminals(40) }), query: { validate_only: 'true' } }],
  ],
};

test('the guide on rate limits has what each of these requests takes, and no other', () => {
  expect([...ROWS.keys()]).toEqual(Object.keys(REQUESTS));
});

test.each(Object.keys(REQUESTS))('%s: takes what the guide says', async (request) => {
  const weights = await Promise.all(
    (REQUESTS[request] ?? []).map(([operation, each]) => weightOf(provider, operation, each)),
  );
  expect(new Set(weights)).toEqual(new Set([ROWS.get(request)]));
});

test('a lookup that needs no read takes 1', async () => {
  expect(await weightOf(provider, 'lookup', { path: { method: 'paymentProviders' } })).toBe(1);
  referenceCache.set(`PAYMENT_APPS#${provider.id}`, { references: [], hasMore: false });
  expect(await weightOf(provider, 'lookup', { path: { method: 'paymentApp' } })).toBe(1);
});
