import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { queryPrefix } from '../../../lib/table/client.ts';
import { unindexedWordsKey, unindexedWordsOf } from '../../../lib/table/keys.ts';
import { put, transact } from '../../../lib/table/transaction.ts';
import { truncateQueries } from '../../lib/table/intercept.ts';
import { call, expectProblem } from '../../support/api.ts';
import { bodyOf } from '../../support/outcomes.ts';
import { personOf, type SignedIn } from '../../support/people.ts';
import { branchBody, terminalBody } from '../../support/requests.ts';
import { tableRequestsBy, unitsOf } from '../../support/tableRequests.ts';
import { type Caller, newBranch, newTerminal, numbered, unique, useWorld, type World } from '../../support/world.ts';

/* test/functions/find and test/functions/branches/search.test.ts cover finding by an identifier and by words. */

const world = useWorld();
/** A person of each acquirer. */
const people = {} as Record<keyof World, SignedIn>;
beforeAll(async () => {
  for (const [name, { id }] of Object.entries(world)) people[name as keyof World] = await personOf(id, 'viewer');
});

const send = (who: keyof World, query: Record<string, string>) =>
  call('search', { session: people[who].session, query });

/** What a text finds for a person. */
async function found(q: string, who: keyof World = 'provider') {
  const { status, body } = await send(who, { q });
  expect([status, body.warnings]).toEqual([200, undefined]);
  return body.data;
}

const NOTHING = { terminals: [], released: [], branches: [], total_branches: 0 };
const midsOf = ({ branches }: { branches: { mid: string }[] }) => branches.map(({ mid }) => mid);

/** A branch as the list of branches shows it. */
async function listed({ key }: Caller, mid: string) {
  const { existing_master_merchant, payment_provider, distributor, terminal_count, ...branch } = (
    await call('getBranch', { key, path: { mid } })
  ).body.data;
  return branch;
}

/** A branch as a terminal in it shows it. */
async function summary(caller: Caller, mid: string) {
  const { merchant_name, city, status } = await listed(caller, mid);
  return { mid, merchant_name, city, status };
}

/** Creates a branch of the provider and the distributor, and a terminal of it. */
async function newPlace(fields: Record<string, unknown> = {}) {
  const { provider, distributor } = world;
  const { mid } = await newBranch(provider, {
    ...branchBody({ mid: unique('MID') }),
    distributor: distributor.id,
    ...fields,
  });
  return { mid: mid as string, terminal: await newTerminal(provider, mid, terminalBody()) };
}

const upperCase = (prefix: string): string => unique(prefix).toUpperCase();

describe('200', () => {
  test.each(['tid', 'terminal_id', 'serial_no'])(
    'finds a terminal by its %s, with its branch, for people of both acquirers, and stores nothing',
    async (by) => {
      const { mid, terminal } = await newPlace();
      for (const who of ['provider', 'distributor'] as const) {
        expect(await bodyOf(() => send(who, { q: ` ${terminal[by]}\n` }))).toEqual({
          data: {
            ...NOTHING,
            terminals: [{ ...terminal, last_seen_at: null, branch: await summary(world.provider, mid) }],
          },
        });
      }
    },
  );

  test('finds a branch by its MID first, and then the newest that begin with it: eight of all', async () => {
    const mid = upperCase('MID');
    for (const number of ['', 1, 2, 3, 4, 5, 6, 7, 8, 9]) await newBranch(world.provider, { mid: `${mid}${number}` });
    const data = await found(mid);
    expect(data).toEqual({ ...NOTHING, branches: expect.any(Array), total_branches: 10 });
    expect(midsOf(data)).toEqual([mid, ...[9, 8, 7, 6, 5, 4, 3].map((number) => `${mid}${number}`)]);
    expect(data.branches[0]).toEqual(await listed(world.provider, mid));
    expect(data.branches[1]).toEqual(await listed(world.provider, `${mid}9`));
  });

  test('finds branches by words, as the list does', async () => {
    const { mid } = await newPlace({ branch_name: 'Padaria São João', city: 'Coimbra' });
    const data = await found('coimbra sao');
    expect(data).toEqual({ ...NOTHING, branches: [await listed(world.provider, mid)], total_branches: 1 });
    const { body } = await call('listBranches', { key: world.provider.key, query: { search: 'coimbra sao' } });
    expect(data.branches).toEqual(body.data);
  });

  test('finds branches that have the words whole before newer ones that only begin with them', async () => {
    const word = upperCase('CASA').slice(0, 12);
    const whole = [await newPlace({ branch_name: `${word} Verde` }), await newPlace({ branch_name: `A ${word} Azul` })];
    const begun: string[] = [];
    for (const end of ['BLANCA', 'NOVA', 'DOS', 'MIA', 'REAL', 'BELA', 'MAR', 'SOL'])
      begun.push((await newPlace({ branch_name: `${word}${end}` })).mid);
    const data = await found(word.toLowerCase());
    expect(midsOf(data)).toEqual([...whole.reverse().map(({ mid }) => mid), ...begun.reverse().slice(0, 6)]);
    expect(data.total_branches).toBe(10);
    // A word that is not whole does not count.
    const [azul] = whole;
    expect(midsOf(await found(`${word} az`))).toEqual([azul?.mid]);
  });

  test('finds everything that a text means: a MID, a terminal_id and a serial_no', async () => {
    const [text, other] = [upperCase('X'), unique('T')];
    const { mid } = await newPlace({ mid: text });
    await newTerminal(world.provider, mid, { terminal_id: text });
    await newTerminal(world.provider, mid, { terminal_id: other, serial_no: text });
    const data = await found(text);
    expect(data.terminals.map(({ terminal_id }: { terminal_id: string }) => terminal_id)).toEqual([text, other]);
    expect([midsOf(data), data.total_branches]).toEqual([[text], 1]);
  });

  test('returns a terminal once whose terminal_id is its serial_no', async () => {
    const id = upperCase('T');
    const { mid } = await newPlace();
    await newTerminal(world.provider, mid, { terminal_id: id, serial_no: id });
    expect((await found(id)).terminals).toHaveLength(1);
  });

  test('finds identifiers in small letters', async () => {
    const [mid, terminal_id, serial_no] = [upperCase('MID'), upperCase('T'), upperCase('S')];
    await newPlace({ mid });
    const terminal = await newTerminal(world.provider, mid, { terminal_id, serial_no });
    const found_ = { ...terminal, last_seen_at: null, branch: await summary(world.provider, mid) };
    for (const id of [terminal_id, serial_no])
      expect(await found(id.toLowerCase())).toEqual({ ...NOTHING, terminals: [found_] });
    expect(midsOf(await found(mid.toLowerCase()))).toEqual([mid]);
  });

  test.each([
    ['dashes', (id: string) => id.replace(/(\d{3})(?=\d)/g, '$1-')],
    ['spaces', (id: string) => id.replace(/(\d{3})(?=\d)/g, '$1 ')],
    ['a label', (id: string) => `S/N: ${id}`],
    ['a label without a colon', (id: string) => `s/n ${id}`],
    ['a label in another language, and dots', (id: string) => `Série nº: ${id.replace(/(\d{3})(?=\d)/g, '$1.')}`],
    ['wide digits', (id: string) => id.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))],
  ])('finds a serial number as people read it: with %s', async (_, written) => {
    const serial_no = String(Math.trunc(1e8 + Math.random() * 9e8));
    const { mid } = await newPlace();
    const terminal = await newTerminal(world.provider, mid, { terminal_id: unique('T'), serial_no });
    expect(await found(written(serial_no))).toEqual({
      ...NOTHING,
      terminals: [{ ...terminal, last_seen_at: null, branch: await summary(world.provider, mid) }],
    });
  });

  test('prefers an identifier as it is typed to the one in capitals', async () => {
    const [capitals, { mid }] = [upperCase('T'), await newPlace()];
    const small = capitals.toLowerCase();
    for (const terminal_id of [capitals, small]) await newTerminal(world.provider, mid, { terminal_id });
    for (const id of [capitals, small])
      expect((await found(id)).terminals).toEqual([expect.objectContaining({ terminal_id: id })]);
  });

  test('finds UUIDs in either case, also with a label', async () => {
    const { mid, terminal } = await newPlace({ mid: crypto.randomUUID() });
    expect(midsOf(await found(mid.toUpperCase()))).toEqual([mid]);
    for (const text of [terminal.tid.toUpperCase(), `TID: ${terminal.tid}`])
      expect((await found(text)).terminals).toEqual([expect.objectContaining({ tid: terminal.tid })]);
  });

  test('finds a branch whose MID has one letter', async () => {
    await newPlace({ mid: 'Q' });
    expect(await found('q')).toEqual({ ...NOTHING, branches: [await listed(world.provider, 'Q')], total_branches: 1 });
  });

  test('leads to the terminal that released a serial_no, in either case, unless a terminal has it', async () => {
    const { mid, terminal } = await newPlace();
    const { tid, terminal_id } = terminal;
    const serial_no = upperCase('S');
    const update = (value: string) =>
      call('updateTerminal', { key: world.provider.key, path: { id: tid }, body: { serial_no: value } });
    await update(serial_no);
    const until = (await update(unique('S'))).body.data.updated_at;
    const released = [{ tid, terminal_id, mid, until }];
    expect(await found(serial_no.toLowerCase())).toEqual({ ...NOTHING, released });
    expect(await found(serial_no, 'stranger')).toEqual(NOTHING);
    await newTerminal(world.provider, mid, { terminal_id: unique('T'), serial_no: serial_no.toLowerCase() });
    expect(await found(serial_no)).toMatchObject({ terminals: [{ serial_no: serial_no.toLowerCase() }], released: [] });
  });

  test('finds nothing of other acquirers', async () => {
    const { mid, terminal } = await newPlace();
    const texts = [mid, terminal.tid, terminal.terminal_id, terminal.serial_no, 'harbour', 'café porto'];
    for (const who of ['secondProvider', 'stranger', 'strangeDistributor'] as const)
      for (const text of texts) expect([text, await found(text, who)]).toEqual([text, NOTHING]);
    // Of a partner, but not shared with it.
    const unshared = await newBranch(world.provider, { terminals: numbered(unique('T'), 1), branch_name: 'Unshared' });
    for (const text of [unshared.mid, unshared.terminals[0].terminal_id, 'unshared'])
      expect(await found(text, 'distributor')).toEqual(NOTHING);
  });

  test.each([
    ['no letter or digit', '☕'],
    ['half of a surrogate pair', '\ud83c'],
    ['a table key', 'X#TERMINAL'],
    ['255 characters', '🦀'.repeat(255)],
  ])('finds nothing by a text that cannot be searched: %s', async (_, text) => {
    expect(await found(text)).toEqual(NOTHING);
  });

  test('warns if it has not read all matches', async () => {
    await newPlace({ branch_name: 'Truncated' });
    truncateQueries();
    const { status, body } = await send('provider', { q: 'truncated' });
    expect([status, body.data.total_branches]).toEqual([200, 1]);
    expect(body.warnings).toEqual([
      {
        parameter: 'q',
        code: 'too_many_matches',
        detail: 'Not everything with these words was searched, so matches may be missing. Add a rarer word.',
      },
    ]);
  });
});

// A create cannot store them if its transaction is full: test/functions/branches/search.test.ts.
test('stores the search entries of branches that a create left out', async () => {
  const { id } = world.stranger;
  await transact([put(unindexedWordsKey('BRANCHES', id, randomUUID()), { words: 'HARBOUR' })]);
  expect(await found('nothing', 'stranger')).toEqual(NOTHING);
  expect(await queryPrefix(unindexedWordsOf('BRANCHES', id))).toEqual([]);
});

describe('its table requests', () => {
  /** The requests of a search whose session is cached. */
  async function requestsFor(q: string) {
    await found('z');
    return tableRequestsBy(() => found(q));
  }

  test.each([
    ['an unknown id of digits', '40173588', 4],
    ['an unknown id in capitals', 'NOSUCHID1', 8],
    ['an unknown id in small letters', 'nosuchid1', 8],
    ['an unknown id in both', 'NoSuchId1', 12],
    ['an unknown UUID, whatever its case', '3f0e8a52-7c1d-5b9e-a6f4-5d2c1b0a9e87', 2],
    ['a text that cannot be an identifier', 'no such id', 0],
  ])('look for %s', async (_, text, reads) => {
    const { requests } = await requestsFor(text);
    expect(requests.filter(({ operation }) => operation === 'GetItem')).toHaveLength(reads);
  });

  test('are at most 24 for identifiers: others have two of the three cases, the acquirer has the third', async () => {
    const [capitals, { mid }] = [upperCase('X'), await newPlace()];
    const small = capitals.toLowerCase();
    const typed = `${capitals[0]}${small.slice(1)}`;
    for (const id of [typed, capitals]) {
      const theirs = await newBranch(world.stranger, { mid: id });
      await newTerminal(world.stranger, theirs.mid, { terminal_id: id });
      await newTerminal(world.stranger, theirs.mid, { terminal_id: unique('T'), serial_no: id });
    }
    await newPlace({ mid: small });
    await newTerminal(world.provider, mid, { terminal_id: small });
    await newTerminal(world.provider, mid, { terminal_id: unique('T'), serial_no: small });
    const sent = await requestsFor(typed);
    expect(sent.response.terminals).toHaveLength(2);
    expect(midsOf(sent.response)).toEqual([small]);
    const reads = sent.requests.filter(({ operation }) => operation === 'GetItem');
    expect([reads.length, unitsOf({ requests: reads, atOnce: 0 })]).toEqual([24, 24]);
    for (const { input } of reads) expect(input).toMatchObject({ ConsistentRead: true });
  });

  test('are sent at once', async () => {
    const sent = await requestsFor('40173588');
    const first = sent.requests.filter(({ wave }) => wave === 1).map(({ operation }) => operation);
    // The fourth is of a serial_no that nothing has.
    expect(first.sort().join(' ')).toMatch(/^(GetItem ){3,4}Query Query/);
    expect(sent.atOnce).toBeGreaterThanOrEqual(5);
  });
});

describe('400', () => {
  test.each([
    ['no q', {}, 'q: Is required.'],
    ['an empty one', { q: '' }, 'q: Must not be empty.'],
    ['a blank one', { q: ' \t\n' }, 'q: Must not be empty.'],
    ['one of 256 characters', { q: 'a'.repeat(256) }, 'q: Must have at most 255 characters.'],
  ])('returns invalid_query for %s, without a request to the table', async (_, query, detail) => {
    await found('z');
    const { response, requests } = await tableRequestsBy(() => send('provider', query as Record<string, string>));
    expectProblem(response, 'invalid_query', detail);
    expect(requests).toEqual([]);
  });
});
