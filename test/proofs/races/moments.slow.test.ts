import { beforeAll, describe, test } from '@jest/globals';
import { FEED } from '../../../lib/events/feed.ts';
import { call } from '../../support/api.ts';
import { type Given, stepOf } from '../model/commands.ts';
import { atOnce, begin, take } from '../model/course.ts';
import { inOrderOf, installGate, oneAfterAnother } from '../model/interleaving.ts';
import { addMembers } from '../model/service.ts';
import type { Modelled } from '../model/state.ts';

/*
 * An operation reads a terminal and then its branch, and a list its count and a page. These tests make other changes
 * while one of its table requests is held up. The model says whether the response is possible.
 */

const createBranch = (mid: string): Given => ['createBranch', { body: { mid, master_merchant_id: '<B1>' } }];
const ofBranch = (operation: Modelled): Given => [operation, { path: { mid: '<M1>' } }];
const ofTerminal = (operation: Modelled, body?: object, terminal = 1): Given => [
  operation,
  { path: { id: `<tid${terminal}>` }, body },
];
const createTerminals = (mid: string, ...terminals: number[]): Given => [
  'createTerminals',
  { path: { id: mid }, body: { terminals: terminals.map((each) => ({ terminal_id: `<T${each}>` })) } },
];
const remove = (...terminals: number[]) => terminals.map((each) => ofTerminal('deleteTerminal', undefined, each));
const archiveTerminal = ofTerminal('archiveTerminal', { reason: 'Lost' });

beforeAll(async () => {
  FEED.horizonMs = 0;
  installGate();
  await addMembers();
});

/** Makes some calls, and then others while a table request of a call is held up. The first ones cache the API key. */
async function expectPossible(before: Given[], held: Given, freezesAt: number, meanwhile: Given[]): Promise<void> {
  const course = await begin(call);
  for (const each of before) await take(course, stepOf(each), atOnce);
  await take(course, { ...stepOf(held, ...meanwhile), freezesAt }, inOrderOf(oneAfterAnother()));
}

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

describe.each<[what: string, how: Given]>([
  ['leaves its branch', ofTerminal('reassignTerminal', { mid: '<M3>' })],
  ['is deleted', ofTerminal('deleteTerminal')],
  ['is archived', archiveTerminal],
])('a terminal %s and its branch is archived between two table requests of', (_, fate) => {
  const before = [createBranch('<M1>'), createBranch('<M3>'), createTerminals('<M1>', 1)];
  test.each(HELD)('%s %j', (...held) => expectPossible(before, held, 2, [fate, ofBranch('archiveBranch')]));
});

test('the field errors of a branch are those of one moment', () =>
  expectPossible(
    [['listBranches']],
    ['createBranch', { body: { mid: '<M1>', existing_master_merchant: '<P1.B1>' } }],
    2,
    [createBranch('<M1>')],
  ));

describe.each(['asc', 'desc'])('a list, %s,', (sort) => {
  test.each([
    [1, 3, 1],
    [1, 2, 2],
    [2, 1, 1],
    [2, 2, 2],
  ])(
    'of branches whose table request %i is held up while one is archived and one is created: %i per page, page %i',
    (freezesAt, per_page, page) =>
      expectPossible(
        [createBranch('<M1>'), createBranch('<M2>')],
        ['listBranches', { query: { sort, per_page: String(per_page), page: String(page) } }],
        freezesAt,
        [ofBranch('archiveBranch'), createBranch('<M3>')],
      ),
  );

  test.each<[what: string, meanwhile: Given[]]>([
    ['one is added', [createTerminals('<M1>', 6)]],
    ['an older one arrives', [ofTerminal('reassignTerminal', { mid: '<M1>' }, 5)]],
    ['some are deleted', remove(1, 2, 4)],
    ['all are deleted', remove(1, 2, 3, 4)],
  ])('of terminals whose page is held up while %s', async (_, meanwhile) => {
    const before = [createBranch('<M1>'), createBranch('<M3>')];
    before.push(createTerminals('<M3>', 5), createTerminals('<M1>', 1, 2), createTerminals('<M1>', 3, 4));
    for (const page of ['1', '2'])
      await expectPossible(
        before,
        ['listTerminals', { path: { id: '<M1>' }, query: { sort, per_page: '3', page } }],
        2,
        meanwhile,
      );
  });
});
