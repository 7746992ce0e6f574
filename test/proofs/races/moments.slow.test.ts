import { beforeAll, describe, expect, test } from '@jest/globals';
import { addCard, addReward } from '../../../lib/operator/memberImport.ts';
import { newWorld } from '../../support/cast.ts';
import { interleaved, oneAfterAnother } from '../../support/interleaving.ts';
import { type Given, send, sendAll, shapeOf, useRaces } from './given.ts';

/*
 * A read sends several requests to the table: for a terminal and then its branch, for a count and then a page. Other changes
 * are made before one of these. The response is what the read returns before the changes, between them or after them.
 */

const createBranch = (mid: string): Given => ['createBranch', { body: { mid, master_merchant_id: '<B1>' } }];
const archiveBranch: Given = ['archiveBranch', { path: { mid: '<M1>' } }];
const ofTerminal = (operation: Given[0], body?: object, terminal = 1): Given => [
  operation,
  { path: { id: `<tid${terminal}>` }, body },
];
const createTerminals = (mid: string, ...terminals: number[]): Given => [
  'createTerminals',
  { path: { id: mid }, body: { terminals: terminals.map((each) => ({ terminal_id: `<T${each}>` })) } },
];
const remove = (...terminals: number[]) => terminals.map((each) => ofTerminal('deleteTerminal', undefined, each));
const archiveTerminal = ofTerminal('archiveTerminal', { reason: 'Lost' });

const CARD = { card_id: 'CARD1', card_pseudo_token: 'TOKEN1' };
useRaces();
beforeAll(async () => {
  await addCard('anna', CARD);
  const times = { valid_from: '2020-01-01T00:00:00.000Z', expires_at: '2999-01-01T00:00:00.000Z' };
  await addReward('anna', { reward_id: 'R1', name: 'Welcome', currency: 'EUR', minimum_amount: 0, ...times });
});

/** Makes some calls, and then changes while the second table request of a read is held up. */
async function expectOfOneMoment(before: Given[], read: Given, changes: Given[], freezesAt = 2): Promise<void> {
  const world = await newWorld();
  await sendAll(world, before);
  const moments: unknown[] = [];
  const look = async () => void moments.push(shapeOf(world, await send(world, read)));
  const change = async () => {
    await look();
    for (const each of changes) {
      await send(world, each);
      await look();
    }
    return undefined;
  };
  const [held] = await interleaved(oneAfterAnother(), [
    { name: '0', start: () => send(world, read), freezesAt },
    { name: '1', start: change },
  ]);
  expect(moments).toContainEqual(shapeOf(world, held as Awaited<ReturnType<typeof send>>));
}

const check = { amount: 10, currency: 'EUR', terminal_id: '<T1>', acquirer_id: '<P1>', ...CARD };
const READS: Given[] = [
  ['memberCheck', { body: check }],
  ['find', { query: { terminal_id: '<T1>' } }],
  ['find', { query: { tid: '<tid1>' } }],
  ofTerminal('getTerminalHistory'),
  ['getBranchHistory', { path: { mid: '<M1>' } }],
];

describe.each<[what: string, changes: Given[]]>([
  ['leaves its branch, which is archived', [ofTerminal('reassignTerminal', { mid: '<M3>' }), archiveBranch]],
  ['is deleted and its branch archived', [ofTerminal('deleteTerminal'), archiveBranch]],
  ['is archived', [archiveTerminal]],
  ['is archived with its branch', [archiveBranch]],
])('a terminal %s between two table requests of', (_, changes) => {
  const before = [createBranch('<M1>'), createBranch('<M3>'), createTerminals('<M1>', 1)];
  test.each(READS)('%s %j', (...read) => expectOfOneMoment(before, read, changes));
});

describe.each(['asc', 'desc'])('a list, %s,', (sort) => {
  test.each([
    [1, 3, 1],
    [1, 2, 2],
    [2, 1, 1],
    [2, 2, 2],
  ])(
    'of branches whose table request %i is held up while one is archived or created: %i per page, page %i',
    async (freezesAt, per_page, page) => {
      const query = { sort, per_page: String(per_page), page: String(page) };
      // Which branches are on a page is of one moment, and what they are of another.
      for (const change of [archiveBranch, createBranch('<M3>')])
        await expectOfOneMoment(
          [createBranch('<M1>'), createBranch('<M2>')],
          ['listBranches', { query }],
          [change],
          freezesAt,
        );
    },
  );

  test.each<[what: string, changes: Given[]]>([
    ['one is added', [createTerminals('<M1>', 6)]],
    ['an older one arrives', [ofTerminal('reassignTerminal', { mid: '<M1>' }, 5)]],
    ['some are deleted', remove(1, 2, 4)],
    ['all are deleted', remove(1, 2, 3, 4)],
  ])('of terminals whose page is held up while %s', async (_, changes) => {
    const before = [createBranch('<M1>'), createBranch('<M3>')];
    before.push(createTerminals('<M3>', 5), createTerminals('<M1>', 1, 2), createTerminals('<M1>', 3, 4));
    for (const page of ['1', '2'])
      await expectOfOneMoment(
        before,
        ['listTerminals', { path: { id: '<M1>' }, query: { sort, per_page: '3', page } }],
        changes,
      );
  });
});
