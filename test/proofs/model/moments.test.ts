import { beforeAll, describe, expect, test } from '@jest/globals';
import { installGate, interleaved, oneAfterAnother } from './interleaving.ts';
import { statesAfter } from './outcomes.ts';
import type { Call } from './state.ts';
import { addMembers, filled, newWorld, perform, type World } from './world.ts';

/*
 * An operation reads a terminal and then its branch, and a list its count and a page. These tests make other changes
 * while one of its table requests is held up. The model says whether the response is possible.
 */

type Request = Partial<Pick<Call, 'path' | 'query' | 'body'>>;
type Scene = [operation: Call['operation'], request: Request][];

const BRANCHES: Scene = [
  ['createBranch', { body: { mid: '<M1>', master_merchant_id: '<B1>' } }],
  ['createBranch', { body: { mid: '<M3>', existing_master_merchant: '<P1.B1>' } }],
  ['createTerminals', { path: { id: '<M1>' }, body: { terminals: [{ terminal_id: '<T1>' }] } }],
];
const LEAVE: Scene = [
  ['reassignTerminal', { path: { id: '<tid1>' }, body: { mid: '<M3>' } }],
  ['archiveBranch', { path: { mid: '<M1>' } }],
];
const GO: Scene = [
  ['deleteTerminal', { path: { id: '<tid1>' } }],
  ['archiveBranch', { path: { mid: '<M1>' } }],
];
const LOSE: Scene = [
  ['archiveTerminal', { path: { id: '<tid1>' }, body: { reason: 'Lost' } }],
  ['archiveBranch', { path: { mid: '<M1>' } }],
];
const check = { amount: 10, card_id: 'CARD1', card_pseudo_token: 'TOKEN1', currency: 'EUR' };

const CREATE: Scene = [['createBranch', { body: { mid: '<M3>', existing_master_merchant: '<P1.B1>' } }]];
const ARCHIVE: Scene = [['archiveBranch', { path: { mid: '<M1>' } }]];
/** Two branches; the caller's API key is cached. */
const TWO: Scene = [
  ...BRANCHES.slice(0, 1),
  ['createBranch', { body: { mid: '<M2>', existing_master_merchant: '<P1.B1>' } }],
];
const pageOf = (sort: string, per_page: number, page: number): Scene[number] => [
  'listBranches',
  { query: { sort, per_page: String(per_page), page: String(page) } },
];
const [COUNT, PAGE] = [1, 2];
const LISTS = [
  pageOf('asc', 1, 1),
  pageOf('asc', 2, 1),
  pageOf('asc', 3, 1),
  pageOf('asc', 1, 2),
  pageOf('asc', 2, 2),
  pageOf('desc', 1, 1),
  pageOf('desc', 3, 1),
  pageOf('desc', 1, 2),
  pageOf('desc', 2, 2),
];

const SCENES: [title: string, first: Scene, held: Scene[number], meanwhile: Scene][] = [
  [
    'a terminal that leaves its branch before the branch is archived can be archived',
    BRANCHES,
    ['archiveTerminal', { path: { id: '<tid1>' }, body: { reason: 'Lost' } }],
    LEAVE,
  ],
  [
    'a terminal that is deleted before its branch is archived is not found',
    BRANCHES,
    ['archiveTerminal', { path: { id: '<tid1>' }, body: { reason: 'Lost' } }],
    GO,
  ],
  [
    'a terminal that leaves its branch before the branch is archived always identifies members',
    BRANCHES,
    ['memberCheck', { body: { ...check, terminal_id: '<T1>', acquirer_id: '<P1>' } }],
    LEAVE,
  ],
  [
    'a terminal that leaves its branch before the branch is archived is never shown as archived',
    BRANCHES,
    ['updateTerminal', { path: { id: '<tid1>' }, body: {} }],
    LEAVE,
  ],
  [
    'a terminal that leaves its branch before the branch is archived is never found archived',
    BRANCHES,
    ['find', { query: { terminal_id: '<T1>' } }],
    LEAVE,
  ],
  [
    'a terminal that is deleted before its branch is archived is never found archived',
    BRANCHES,
    ['find', { query: { tid: '<tid1>' } }],
    GO,
  ],
  [
    'a terminal that is archived just before its branch may be found archived with its branch',
    BRANCHES,
    ['find', { query: { terminal_id: '<T1>' } }],
    LOSE,
  ],
  [
    'a terminal that leaves its branch has its history either before or after that',
    BRANCHES,
    ['getTerminalHistory', { path: { id: '<tid1>' } }],
    LEAVE,
  ],
  [
    'a terminal that is deleted has its history either before or after that',
    BRANCHES,
    ['getTerminalHistory', { path: { id: '<tid1>' } }],
    GO,
  ],
  ['a branch has its history of one moment', BRANCHES, ['getBranchHistory', { path: { mid: '<M1>' } }], LOSE],
  [
    'the field errors of a branch are those of one moment',
    // Caches the caller's API key, which then takes no request.
    [['listBranches', {}]],
    ['createBranch', { body: { mid: '<M1>', existing_master_merchant: '<P1.B1>' } }],
    BRANCHES.slice(0, 1),
  ],
];

const callIn = ({ names }: World, [operation, request]: Scene[number]): Call => ({
  operation,
  caller: names.get('P1'),
  path: {},
  query: {},
  headers: {},
  body: undefined,
  ...filled(request, names),
});

beforeAll(async () => {
  installGate();
  await addMembers();
});

async function expectExplained(first: Scene, held: Scene[number], freezesAt: number, meanwhile: Scene): Promise<void> {
  const world = await newWorld({ mids: 3, terminals: 1, serials: 1, businesses: 1 });
  let states = [world.state];
  for (const each of first) states = statesAfter(states, [await perform(world, callIn(world, each))]);
  const work = [held, ...meanwhile].map((each, at) => ({
    name: String(at),
    start: () => perform(world, callIn(world, each)),
    freezesAt: at === 0 ? freezesAt : undefined,
  }));
  const responses = await interleaved(oneAfterAnother(), work);
  expect(() => statesAfter(states, responses)).not.toThrow();
}

describe('changes between the two table requests of an operation', () => {
  test.each(SCENES)('%s', (_, first, held, meanwhile) => expectExplained(first, held, 2, meanwhile));
});

describe.each([
  ['the count', COUNT],
  ['the page', PAGE],
])('a list of branches whose request for %s is held up', (_, freezesAt) => {
  test.each(LISTS)('%s %j, while a branch is created', (...held) => expectExplained(TWO, held, freezesAt, CREATE));

  test.each(LISTS)('%s %j, while a branch is archived and one is created', (...held) =>
    expectExplained(TWO, held, freezesAt, [...ARCHIVE, ...CREATE]),
  );
});
