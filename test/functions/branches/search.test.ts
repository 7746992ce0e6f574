import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Branch } from '../../../lib/branches/branch.ts';
import { getItem, queryPrefix } from '../../../lib/table/client.ts';
import { branchKey, unindexedWordsOf } from '../../../lib/table/keys.ts';
import { throttled } from '../../lib/table/errors.ts';
import { intercept, release, truncateQueries } from '../../lib/table/intercept.ts';
import { call, expectProblem } from '../../support/api.ts';
import { bodyOf } from '../../support/outcomes.ts';
import { branchBody } from '../../support/requests.ts';
import { storeBranches } from '../../support/storeBranches.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import { type Caller, newAcquirer, newBranch, newSharedBranch, unique, useWorld } from '../../support/world.ts';

/*
 * test/proofs/search/search.slow.test.ts compares many searches with a filter; test/lib/base/words.unit.test.ts covers
 * words.
 */

const world = useWorld();

const search = ({ key }: Caller, text: string, query: Record<string, string> = {}) =>
  call('listBranches', { key, query: { search: text, ...query } });

/** The MIDs that a search finds, of at most 100. */
async function found(caller: Caller, text: string): Promise<string[]> {
  const { status, body } = await search(caller, text, { per_page: '100' });
  expect([status, body.warnings]).toEqual([200, undefined]);
  return body.data.map(({ mid }: { mid: string }) => mid);
}

describe('a search', () => {
  const NAMES = { branch_name: 'Café São João', area: 'Ribeira', city: 'Porto', master_merchant_name: 'Casa Verde' };
  const branches: Record<string, unknown>[] = [];
  beforeAll(async () => {
    for (const branch_name of ['Café São João', 'Café Ária Détoile Straße', 'Padaria L’Étoile'])
      branches.push(await newSharedBranch(world, { ...NAMES, branch_name }));
  });

  test('returns pages of the branches in which each word begins a word, to both acquirers', async () => {
    const SEARCH = 'https://api.example.com/ext/api/v1/merchants?search=POR+cafe&per_page=1';
    for (const caller of [world.provider, world.distributor]) {
      const all = await call('listBranches', { key: caller.key });
      expect(await bodyOf(() => search(caller, 'POR cafe', { per_page: '1' }))).toEqual({
        data: [all.body.data.find(({ mid }: { mid: string }) => mid === branches[1]?.['mid'])],
        links: { first: `${SEARCH}&page=1`, last: `${SEARCH}&page=2`, prev: null, next: `${SEARCH}&page=2` },
        meta: { current_page: 1, per_page: 1, total: 2 },
      });
      const last = await search(caller, 'POR cafe', { per_page: '1', page: '2' });
      expect(last.body.data).toEqual([expect.objectContaining({ mid: branches[0]?.['mid'] })]);
      const ascending = await search(caller, 'POR cafe', { sort: 'asc' });
      expect(ascending.body.data.map(({ mid }: { mid: string }) => mid)).toEqual(
        branches.slice(0, 2).map(({ mid }) => mid),
      );
    }
  });

  test('finds by beginnings of words and identifiers, and only what has all words', async () => {
    const { mid, master_merchant_id } = branches[0] as Record<string, string>;
    const texts: [text: string, ...at: number[]][] = [
      [`${mid}`.toLowerCase().slice(0, -2), 0],
      [`${master_merchant_id}`.slice(0, -2), 0],
      ['strasse', 1],
      ['letoile', 2],
      ['etoile padaria', 2],
      ['orto'],
      // Each is inside a word of a branch that has the other, whichever the search reads first.
      ['etoile aria'],
      ['cafe faro'],
    ];
    for (const [text, ...at] of texts)
      expect([text, await found(world.provider, text)]).toEqual([text, at.map((each) => branches[each]?.['mid'])]);
  });

  test('finds nothing of other acquirers', async () => {
    expect(await found(world.stranger, 'porto')).toEqual([]);
  });

  test('returns 400 for a text without words', async () => {
    const detail = 'search: Must have a letter or digit.';
    expectProblem(await search(world.provider, '☕'), 'invalid_query', detail);
  });
});

describe('a branch is found by its name as it is shown, by both acquirers', () => {
  const NAMES: [kind: string, stored: string, ...asked: string[]][] = [
    ['a digit at the end', 'Filiale 3', 'Filiale 3', 'filiale3'],
    ['a letter between', 'Pane e Vino', 'Pane e Vino', 'pane e'],
    ['a digit at the beginning', '7-Eleven', '7-Eleven', '7-E', '7eleven'],
    ['letters at the beginning', 'H&M Chiado', 'H&M Chiado', 'H&M', 'hm chiado'],
    ['initials', 'T.J. Maxx', 'T.J. Maxx', 'T.J. M', 'tj maxx'],
    ['numbers', '24/7', '24/7', '247'],
    ['a sign for number', 'Nº 3', 'Nº 3', 'no 3'],
    ['only letters', 'C & A', 'C & A', 'c&a'],
    ['one letter', 'Ø', 'ø', 'O'],
    ['one syllable', '집', '집'],
    ['eight words', 'La Casa de los Abuelos de la Plaza', 'La Casa de los Abuelos de la Plaza'],
    ['seven words', 'The Old Fish and Chips Shop Ltd', 'the old fish and chips shop ltd'],
    [
      'more words than are stored',
      'One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen',
      'One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen',
      'one two',
      'one two three four five six seven e',
    ],
    ['Japanese', '東京駅前カフェ', '東京駅前カフェ', '駅前', 'カフェ'],
    ['Chinese', '北京烤鸭店', '烤鸭', '北京烤'],
    ['Thai', 'ร้านกาแฟสยาม', 'กาแฟ', 'สยาม'],
    ['Khmer', 'ហាងកាហ្វេ', 'កាហ្វេ'],
    ['an okina', 'Kāneʻohe', 'kaneohe', 'Kāneʻohe'],
  ];

  test.each(NAMES)('with %s: %s', async (_, branch_name, ...asked) => {
    const { mid } = await newSharedBranch(world, { branch_name, master_merchant_name: 'Grande Loja' });
    for (const caller of [world.provider, world.distributor])
      for (const text of asked) expect([text, await found(caller, text)]).toEqual([text, [mid]]);
  });

  test('not by what it does not have', async () => {
    for (const text of ['H M Porto', '9 Chiado', 'T.J. Zara', '駅東', 'casa verde zz'])
      expect([text, await found(world.provider, text)]).toEqual([text, []]);
  });
});

test('finds a branch whose search entries did not fit its create, also before they are stored', async () => {
  const { distributor, provider } = world;
  const unindexed = (acquirer: Caller) => queryPrefix(unindexedWordsOf('BRANCHES', acquirer.id));
  const create = (mid: string) =>
    call('createBranch', {
      key: distributor.key,
      headers: { 'idempotency-key': unique('key') },
      body: {
        ...branchBody({ mid, branch_name: `One Two Three Four ${mid}`, city: 'Coimbra' }),
        payment_provider: provider.id,
        terminals: Array.from({ length: 40 }, () => ({ terminal_id: unique('T'), serial_no: unique('S') })),
      },
    });
  const [first, second] = [unique('MID'), unique('MID')];
  expect((await create(first)).status).toBe(201);
  for (const caller of [distributor, provider]) {
    for (const word of ['one', 'coimbra', first]) expect(await found(caller, word)).toContain(first);
    expect(await unindexed(caller)).toEqual([]);
  }
  // Of the second create, only the transaction itself succeeds.
  const writes: string[] = [];
  intercept((send, { operation }) => {
    if (operation === 'TransactWriteItems') writes.push(operation);
    return operation === 'TransactWriteItems' && writes.length > 1 ? Promise.reject(throttled()) : send();
  });
  expect((await create(second)).status).toBe(201);
  expect(await found(distributor, `three ${second}`)).toEqual([second]);
  expect(await unindexed(distributor)).toHaveLength(1);
  release();
  expect(await found(distributor, `three ${second}`)).toEqual([second]);
  expect(await unindexed(distributor)).toEqual([]);
  expect(await found(distributor, `three ${second}`)).toEqual([second]);
  // Those of the provider are not stored yet when the branch gets another name.
  expect(await unindexed(provider)).toHaveLength(1);
  await call('updateBranch', { key: provider.key, path: { mid: second }, body: { branch_name: 'Five' } });
  expect(await found(provider, `five ${second}`)).toEqual([second]);
  expect(await found(provider, `three ${second}`)).toEqual([]);
});

describe('among 300 branches with the same words', () => {
  let caller: Caller;
  let mids: string[];
  beforeAll(async () => {
    caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const { mid } = await newBranch(caller, { branch_name: 'Harbour Café' });
    const first = (await getItem<Branch>(branchKey(mid))) as Branch;
    // A MID's hash chooses its shard. Of these, each shard has more than a search reads at first.
    mids = Array.from({ length: 299 }, (_, at) => `WORDY${at}`);
    await storeBranches(mids.map((each) => ({ ...first, mid: each })));
    mids.push(mid);
  });

  test('a search for both words finds all, with four requests in sequence', async () => {
    // Caches the API key.
    await search(caller, 'harbour');
    const sent = await tableRequestsBy(() => search(caller, 'harbour cafe', { per_page: '100' }));
    expect(sent.response.body.meta).toEqual({ current_page: 1, per_page: 100, total: 300 });
    expect(sent.response.body.warnings).toBeUndefined();
    expect(operationsOf(sent)).toBe(`${'Query '.repeat(13)}BatchGetItem`);
    expect(new Set(sent.requests.map(({ wave }) => wave)).size).toBe(4);
  });

  test('a search that reads only a part of the entries warns too_many_matches', async () => {
    truncateQueries();
    const { status, body } = await search(caller, 'harbour');
    expect(status).toBe(200);
    expect(body.warnings).toEqual([
      {
        parameter: 'search',
        code: 'too_many_matches',
        detail: 'Not everything with these words was searched, so matches may be missing. Add a rarer word.',
      },
    ]);
  });

  test.each([
    ['an eventually consistent read is outdated', 1],
    ['two reads are outdated, because its transaction is in progress', 2],
  ])('a search shows a branch as it is now although %s', async (_, outdated) => {
    const mid = mids[outdated] as string;
    const before = (await getItem<Branch>(branchKey(mid))) as Branch;
    await call('updateBranch', { key: caller.key, path: { mid }, body: { city: 'Braga' } });
    const consistent: boolean[] = [];
    intercept(async (send, { operation, input }) => {
      const result = await send();
      if (operation !== 'BatchGetItem') return result;
      const [[table, { ConsistentRead }]] = Object.entries(input['RequestItems'] as object) as [
        [string, { ConsistentRead: boolean }],
      ];
      consistent.push(ConsistentRead);
      if (consistent.length <= outdated) Object.assign(result.output, { Responses: { [table]: [before] } });
      return result;
    });
    const { body } = await search(caller, `harbour braga ${mid}`);
    expect(body.data).toEqual([expect.objectContaining({ mid, city: 'Braga' })]);
    expect(consistent).toEqual(outdated === 1 ? [false, true] : [false, true, false]);
  });
});
