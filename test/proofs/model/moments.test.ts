import { beforeAll, describe, expect, test } from '@jest/globals';
import { FEED } from '../../../lib/events/feed.ts';
import { call } from '../../support/api.ts';
import { installGate, interleaved, oneAfterAnother } from './interleaving.ts';
import { statesAfter } from './judge.ts';
import type { Call } from './state.ts';
import { addMembers, filled, newWorld, perform, type World } from './world.ts';

/*
 * An operation reads a terminal and then its branch, and a list its count and a page. These tests make other changes
 * while one of its table requests is held up. The model says whether the response is possible.
 */

type Ask = [operation: Call['operation'], request?: Partial<Pick<Call, 'path' | 'query' | 'body'>>];

const createBranch = (mid: string): Ask => [
  'createBranch',
  { body: { mid, ...(mid === '<M1>' ? { master_merchant_id: '<B1>' } : { existing_master_merchant: '<P1.B1>' }) } },
];
const ofBranch = (operation: Call['operation']): Ask => [operation, { path: { mid: '<M1>' } }];
const ofTerminal = (operation: Call['operation'], body?: object): Ask => [operation, { path: { id: '<tid1>' }, body }];
const archiveTerminal = ofTerminal('archiveTerminal', { reason: 'Lost' });
const find = (query: Record<string, string>): Ask => ['find', { query }];

const BRANCHES: Ask[] = [
  createBranch('<M1>'),
  createBranch('<M3>'),
  ['createTerminals', { path: { id: '<M1>' }, body: { terminals: [{ terminal_id: '<T1>' }] } }],
];
/** What happens to the terminal before its branch is archived. */
const FATES: [what: string, how: Ask][] = [
  ['leaves its branch', ofTerminal('reassignTerminal', { mid: '<M3>' })],
  ['is deleted', ofTerminal('deleteTerminal')],
  ['is archived', archiveTerminal],
];
const card = { card_id: 'CARD1', card_pseudo_token: 'TOKEN1' };
const check = { amount: 10, currency: 'EUR', terminal_id: '<T1>', acquirer_id: '<P1>', ...card };
const HELD: Ask[] = [
  archiveTerminal,
  ['memberCheck', { body: check }],
  ofTerminal('updateTerminal', {}),
  find({ terminal_id: '<T1>' }),
  find({ tid: '<tid1>' }),
  ofTerminal('getTerminalHistory'),
  ofBranch('getBranchHistory'),
];

/** Two branches; the caller's API key is cached. */
const TWO = ['<M1>', '<M2>'].map(createBranch);
const PAGES = [
  { per_page: '1', page: '1' },
  { per_page: '2', page: '1' },
  { per_page: '3', page: '1' },
  { per_page: '1', page: '2' },
  { per_page: '2', page: '2' },
];

const callIn = ({ names }: World, [operation, request = {}]: Ask): Call => ({
  operation,
  caller: names.get('P1'),
  path: {},
  query: {},
  headers: {},
  body: undefined,
  ...filled(request, names),
});

beforeAll(async () => {
  FEED.horizonMs = 0;
  installGate();
  await addMembers();
});

async function expectExplained(first: Ask[], held: Ask, freezesAt: number, meanwhile: Ask[]): Promise<void> {
  const world = await newWorld(call);
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

describe.each(FATES)('a terminal %s and its branch is archived between two table requests of', (_, fate) => {
  test.each(HELD)('%s %j', (...held) => expectExplained(BRANCHES, held, 2, [fate, ofBranch('archiveBranch')]));
});

test('the field errors of a branch are those of one moment', () =>
  // The first call caches the caller's API key, which then takes no request.
  expectExplained(
    [['listBranches']],
    ['createBranch', { body: { mid: '<M1>', existing_master_merchant: '<P1.B1>' } }],
    2,
    [createBranch('<M1>')],
  ));

describe.each([
  ['count', 1],
  ['page', 2],
])('a list of branches whose request for its %s is held up', (_, freezesAt) => {
  const queries = ['asc', 'desc'].flatMap((sort) => PAGES.map((page) => ({ sort, ...page })));
  test.each(queries)('%j, while a branch is archived and one is created', (query) =>
    expectExplained(TWO, ['listBranches', { query }], freezesAt, [ofBranch('archiveBranch'), createBranch('<M3>')]),
  );
});
