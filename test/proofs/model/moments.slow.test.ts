import { beforeAll, describe, test } from '@jest/globals';
import { FEED } from '../../../lib/events/feed.ts';
import { call } from '../../support/api.ts';
import type { Operation } from '../../support/invoke.ts';
import { type Given, stepOf } from './commands.ts';
import { expectExplained } from './course.ts';
import { inOrderOf, installGate, oneAfterAnother } from './interleaving.ts';
import { addMembers } from './world.ts';

/*
 * An operation reads a terminal and then its branch, and a list its count and a page. These tests make other changes
 * while one of its table requests is held up. The model says whether the response is possible.
 */

const createBranch = (mid: string): Given => ['createBranch', { body: { mid, master_merchant_id: '<B1>' } }];
const ofBranch = (operation: Operation): Given => [operation, { path: { mid: '<M1>' } }];
const ofTerminal = (operation: Operation, body?: object): Given => [operation, { path: { id: '<tid1>' }, body }];
const archiveTerminal = ofTerminal('archiveTerminal', { reason: 'Lost' });

/** What happens to the terminal before its branch is archived. */
const FATES: [what: string, how: Given][] = [
  ['leaves its branch', ofTerminal('reassignTerminal', { mid: '<M3>' })],
  ['is deleted', ofTerminal('deleteTerminal')],
  ['is archived', archiveTerminal],
];
const card = { card_id: 'CARD1', card_pseudo_token: 'TOKEN1' };
const check = { amount: 10, currency: 'EUR', terminal_id: '<T1>', acquirer_id: '<P1>', ...card };
const HELD: Given[] = [
  archiveTerminal,
  ['memberCheck', { body: check }],
  ofTerminal('updateTerminal', {}),
  ['find', { query: { terminal_id: '<T1>' } }],
  ['find', { query: { tid: '<tid1>' } }],
  ofTerminal('getTerminalHistory'),
  ofBranch('getBranchHistory'),
];

beforeAll(async () => {
  FEED.horizonMs = 0;
  installGate();
  await addMembers();
});

/** Makes some calls, and then others while a table request of a call is held up. The first ones cache the API key. */
const expectPossible = (before: Given[], held: Given, freezesAt: number, meanwhile: Given[]) =>
  expectExplained(
    call,
    [...before.map((each) => stepOf(each)), { ...stepOf(held, ...meanwhile), freezesAt }],
    inOrderOf(oneAfterAnother()),
  );

describe.each(FATES)('a terminal %s and its branch is archived between two table requests of', (_, fate) => {
  const terminals = [{ terminal_id: '<T1>' }];
  const before: Given[] = [
    createBranch('<M1>'),
    createBranch('<M3>'),
    ['createTerminals', { path: { id: '<M1>' }, body: { terminals } }],
  ];
  test.each(HELD)('%s %j', (...held) => expectPossible(before, held, 2, [fate, ofBranch('archiveBranch')]));
});

test('the field errors of a branch are those of one moment', () =>
  expectPossible(
    [['listBranches']],
    ['createBranch', { body: { mid: '<M1>', existing_master_merchant: '<P1.B1>' } }],
    2,
    [createBranch('<M1>')],
  ));

describe.each([
  ['count', 1],
  ['page', 2],
])('a list of branches whose request for its %s is held up', (_, freezesAt) => {
  const pages = [
    { per_page: '1', page: '1' },
    { per_page: '2', page: '1' },
    { per_page: '3', page: '1' },
    { per_page: '1', page: '2' },
    { per_page: '2', page: '2' },
  ];
  test.each(['asc', 'desc'].flatMap((sort) => pages.map((page) => ({ sort, ...page }))))(
    '%j, while a branch is archived and one is created',
    (query) =>
      expectPossible([createBranch('<M1>'), createBranch('<M2>')], ['listBranches', { query }], freezesAt, [
        ofBranch('archiveBranch'),
        createBranch('<M3>'),
      ]),
  );
});
