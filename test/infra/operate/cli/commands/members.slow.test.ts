import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { MAX } from 'uuid';
import { memberHashes } from '../../../../../lib/members/member.ts';
import { addCard, addReward } from '../../../../../lib/operator/memberImport.ts';
import { listErasures, repeatErasures } from '../../../../../lib/operator/repeatErasures.ts';
import { table, tableName } from '../../../../../lib/table/client.ts';
import { erasuresOf, type Key } from '../../../../../lib/table/keys.ts';
import { put, remove, transact } from '../../../../../lib/table/transaction.ts';
import { asRole } from '../../../../support/access.ts';
import { EVENT_ID, recorded, TIME } from '../../../../support/constants.ts';
import { cardHash } from '../../../../support/hashes.ts';
import { expectNoViolations } from '../../../../support/invariants.ts';
import { ownFolder } from '../../../../support/scripts.ts';
import { splitRecord, storedBy } from '../../../../support/stored.ts';
import { tableRequestsBy } from '../../../../support/tableRequests.ts';
import { unique } from '../../../../support/world.ts';
import { csvOf, done, expectFailure, jsonOf, operator, type Ran, RECOVERY } from '../operator.ts';

const folder = ownFolder();
afterAll(expectNoViolations);
afterEach(() => {
  jest.restoreAllMocks();
});

const HEADER = 'member_id,card_id,card_pseudo_token,reward_id,name,currency,minimum_amount,valid_from,expires_at';
const ALWAYS = { valid_from: '2020-01-01T00:00:00.000Z', expires_at: '2099-12-31T23:59:59.000Z' };
const WELCOME = { reward_id: 'welcome', name: '5 EUR off', currency: 'EUR', minimum_amount: 50, ...ALWAYS };
const TTL = Date.parse(ALWAYS.expires_at) / 1000;
const CARD = { card_id: 'card-anna', card_pseudo_token: 'token-anna' };
const HASH = expect.stringMatching(/^[\da-f]{64}$/);

/** Imports a file and asserts that the output has no card identifier. */
async function imported(name: string, content: string, ...options: string[]): Promise<Ran> {
  const file = join(folder, name);
  writeFileSync(file, content);
  const ran = await operator(['members', 'import', file, ...options]);
  expect(ran.stdout + ran.stderr).not.toMatch(/(card|token)-[^h]/);
  return ran;
}

/** Imports a file; returns what it changed apart from the operator's record. */
async function storedFrom(name: string, content: string) {
  const { response, changed } = await storedBy(() => imported(name, content));
  expect(JSON.stringify(changed)).not.toMatch(/(card|token)-/);
  return { ...response, ...splitRecord(changed) };
}

/** The event of an import in the operator's record. */
const importOf = (stored: number, refused: number) => ({
  MEMBERS: [recorded('members.imported', { stored, refused, completed_at: TIME })],
});

describe('a CSV file', () => {
  const CSV = [
    `\uFEFF${HEADER}`,
    'anna-csv,card-anna-csv,token-anna,,,,,,',
    'anna-csv,,,welcome,"5 EUR ""off"", from 50",EUR,50.00,2020-01-01T00:00:00+00:00,2099-12-31T23:59:59.5Z',
    '',
    'bruno-csv,card-bruno-csv,token-bruno,gold,Gold,USD,0,2020-01-01T00:00:00Z,2099-12-31T23:59:59Z',
    '',
  ].join('\r\n');

  test('is stored, and changes nothing when it is imported again', async () => {
    const { others, events, ...ran } = await storedFrom('members.csv', CSV);
    expect(ran).toEqual(done('3 rows stored, 0 refused.'));
    expect(events).toEqual(importOf(3, 0));
    const import_id = EVENT_ID;
    const [anna, bruno] = await Promise.all(['card-anna-csv', 'card-bruno-csv'].map(cardHash));
    expect(others).toEqual({
      [`CARD#${anna} CARD`]: { member_id: 'anna-csv', pseudo_token_hash: HASH, import_id },
      [`CARD#${bruno} CARD`]: { member_id: 'bruno-csv', pseudo_token_hash: HASH, import_id },
      [`MEMBER#anna-csv CARD#${anna}`]: {},
      [`MEMBER#bruno-csv CARD#${bruno}`]: {},
      'MEMBER#anna-csv REWARD#welcome': {
        ...WELCOME,
        name: '5 EUR "off", from 50',
        expires_at: '2099-12-31T23:59:59.500Z',
        ttl: TTL + 1,
        import_id,
      },
      'MEMBER#bruno-csv REWARD#gold': {
        reward_id: 'gold',
        name: 'Gold',
        currency: 'USD',
        minimum_amount: 0,
        ...ALWAYS,
        ttl: TTL,
        import_id,
      },
    });
    expect(await storedFrom('members.csv', CSV)).toEqual({ ...ran, others: {}, events: importOf(3, 0) });
  });
});

test('a file from stdin is stored except for invalid rows, with JSON output for scripts', async () => {
  const input = csvOf({ member_id: 'anna', ...CARD }, { member_id: 'anna' }, { member_id: 'anna', ...WELCOME });
  const { response, changed } = await storedBy(() => operator(['members', 'import', '-', '--json'], { input }));
  expect(response).toMatchObject({ exitCode: 1, stderr: 'Refused 1 of 3 rows.\n' });
  expect(
    response.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { line: 2, result: 'stored' },
    { line: 3, result: 'refused', errors: [{ pointer: '', code: 'required', detail: expect.any(String) }] },
    { line: 4, result: 'stored' },
    { stored: 2, refused: 1 },
  ]);
  const { others, events } = splitRecord(changed);
  expect(others['MEMBER#anna REWARD#welcome']).toEqual({ ...WELCOME, ttl: TTL, import_id: EVENT_ID });
  expect(Object.keys(others)).toHaveLength(3);
  expect(events).toEqual(importOf(2, 1));
});

test('invalid rows are rejected with all reasons, and nothing of them is stored', async () => {
  const UTC = 'Must be a time in UTC (RFC 3339), such as 2026-01-31T23:59:59Z.';
  const NEITHER = 'Has neither a card (card_id, card_pseudo_token) nor a reward (reward_id, …).';
  const nothing = Object.fromEntries(Object.keys({ ...CARD, ...WELCOME }).map((name) => [name, '']));
  const rows: [fields: Record<string, string | number>, reasons: string][] = [
    [{ member_id: '' }, 'member_id: Is required.'],
    [{ member_id: '4242424242424242' }, 'member_id: Must not contain a payment card number.'],
    [{ reward_id: 'a\nb' }, 'reward_id: Must not contain line breaks.'],
    [{ reward_id: '六'.repeat(256) }, 'reward_id: Must have at most 255 characters.'],
    [{ card_id: '' }, 'card_id: Is required.'],
    [{ card_id: 'card-taken' }, 'card_id: Another member has this card.'],
    [{ card_pseudo_token: ' ' }, 'card_pseudo_token: Is required.'],
    [{ card_pseudo_token: '' }, 'card_pseudo_token: Is required.'],
    [{ name: '', currency: '' }, 'name: Is required.  currency: Is required.'],
    [{ name: 'Zo\uFFFD' }, 'Must be in UTF-8.'],
    [{ currency: 'eur' }, 'currency: Must be an ISO 4217 code, such as EUR.'],
    [{ minimum_amount: 'fifty' }, 'minimum_amount: Must be a number.'],
    [{ minimum_amount: -0.01 }, 'minimum_amount: Must be at least 0.'],
    [{ minimum_amount: '1'.repeat(20) }, 'minimum_amount: Must be at most 9007199254740991.'],
    [{ minimum_amount: '0.00001' }, 'minimum_amount: Must have at most 4 decimal places.'],
    [{ valid_from: '2020-01-01' }, `valid_from: ${UTC}`],
    [{ valid_from: '2020-01-01T00:00:00+01:00' }, `valid_from: ${UTC}`],
    [{ valid_from: '2026-02-30T00:00:00Z' }, `valid_from: ${UTC}`],
    [{ expires_at: '2026-02-20T24:00:01Z' }, `expires_at: ${UTC}`],
    [{ expires_at: ALWAYS.valid_from }, 'expires_at: Must be later than valid_from.'],
    [nothing, NEITHER],
  ];
  await addCard('owner', { card_id: 'card-taken', card_pseudo_token: 'token' });
  const valid = { member_id: 'bad', ...CARD, card_id: 'card-bad', ...WELCOME };
  const content = rows.map(([fields]) => ({ ...valid, ...fields }));
  const { others, events, stdout } = await storedFrom('bad.csv', csvOf(...content));
  // The header is a line, and the row with a line break counts by its second.
  const lineOf = (at: number) => at + (rows.findIndex(([{ reward_id }]) => reward_id === 'a\nb') <= at ? 3 : 2);
  expect(stdout.split('\n').slice(0, -2)).toEqual(
    rows.map(([, reasons], at) => `line ${lineOf(at)}  refused  ${reasons}`),
  );
  expect({ others, events }).toEqual({ others: {}, events: importOf(0, rows.length) });
});

describe('rows of one member or card', () => {
  test('are stored in file order: the last row of a reward or token applies, a card’s first member', async () => {
    const card_id = 'card-often';
    const rows = Array.from({ length: 40 }, (_, at) => ({
      member_id: at % 20 === 19 ? 'late' : 'early',
      ...(at % 2 === 0 ? { ...WELCOME, minimum_amount: at } : { card_id, card_pseudo_token: `token-${at}` }),
    }));
    const { stdout, others } = await storedFrom('often.csv', csvOf(...rows));
    expect(stdout.split('\n')).toEqual([
      'line 21  refused  card_id: Another member has this card.',
      'line 41  refused  card_id: Another member has this card.',
      '38 rows stored, 2 refused.',
      '',
    ]);
    const hash = await cardHash(card_id);
    expect(others).toEqual({
      'MEMBER#early REWARD#welcome': { ...WELCOME, minimum_amount: 38, ttl: TTL, import_id: EVENT_ID },
      [`CARD#${hash} CARD`]: { member_id: 'early', pseudo_token_hash: HASH, import_id: EVENT_ID },
      [`MEMBER#early CARD#${hash}`]: {},
    });
    const { changed } = await storedBy(() => addCard('early', { card_id, card_pseudo_token: 'token-37' }));
    expect(changed).toEqual({});
  });
});

describe('an import', () => {
  test('stops if the service fails, and says where; a second import continues', async () => {
    const rows = csvOf(...['a', 'b', 'c'].map((name) => ({ member_id: `stopped-${name}`, ...WELCOME })));
    const send = table.send.bind(table) as (command: object) => Promise<unknown>;
    jest.spyOn(table, 'send').mockImplementation((async (command: object & { input?: object }) => {
      const isWrite = command.constructor.name === 'TransactWriteCommand';
      if (isWrite && JSON.stringify(command.input).includes('stopped-b'))
        throw Object.assign(new Error('an internal'), { name: 'AccessDeniedException' });
      return send(command);
    }) as never);
    const { events, exitCode, stdout, stderr } = await storedFrom('stopped.csv', rows);
    expect(events).toEqual({
      MEMBERS: [recorded('members.imported', { stored: null, refused: null, completed_at: null })],
    });
    expect([exitCode, stdout]).toEqual([1, '1 rows stored, 0 refused.\n']);
    expect(stderr).toMatch(
      /^Stopped at line 3: No access to table .*: an internal Rows stored so far stay; import the file again to continue\.\n$/,
    );
    jest.restoreAllMocks();
    expect((await imported('stopped.csv', rows)).stdout).toBe('3 rows stored, 0 refused.\n');
  });

  test('goes on after lines that are not CSV, and lists all refused rows at the end', async () => {
    const rows = ['member_id,card_id,card_pseudo_token', 'odd-1,card-odd-1,token', 'odd-2,card"odd-2,token'];
    const { exitCode, stdout, stderr } = await imported('odd.csv', [...rows, 'odd-3,card-odd-3,token', ''].join('\n'));
    const detail = 'Is not valid CSV: a quotation mark is within a cell or is not closed, or the line is too long.';
    expect([exitCode, stdout]).toEqual([1, `line 3  refused  ${detail}\n2 rows stored, 1 refused.\n`]);
    expect(stderr).toBe('Refused 1 of 3 rows.\n');
  });

  test('shows its progress on a terminal, and lists at most 10,000 refused rows', async () => {
    const file = join(folder, 'large.csv');
    writeFileSync(file, `member_id,card_id\n${'bad\n'.repeat(10_001)}`);
    const { stdout, stderr } = await operator(['members', 'import', file], { keys: '' });
    expect(stderr).toMatch(/:\n10000 so far\nRefused 10001 of 10001 rows\.\n$/);
    const lines = stdout.split('\n');
    expect(lines).toHaveLength(10_003);
    expect(lines.slice(-3)).toEqual(['… and 1 more: --json prints all.', '0 rows stored, 10001 refused.', '']);
  });

  test('stores the rewards of one member in consecutive rows in one transaction', async () => {
    const rows = Array.from({ length: 60 }, (_, at) => ({ member_id: 'many', ...WELCOME, reward_id: `R${at}` }));
    const { requests } = await tableRequestsBy(() => imported('many.csv', csvOf(...rows)));
    // Two for the record, and one for 50 rewards.
    expect(requests.filter(({ operation }) => operation === 'TransactWriteItems')).toHaveLength(4);
    expect((await jsonOf('members', 'show', 'many')).rewards).toHaveLength(60);
  });

  test('says how far it came when it is interrupted, and the record has it as not completed', async () => {
    const interruption = new AbortController();
    const { length } = Array.from({ length: 40 });
    async function* rowsUntilInterrupted() {
      yield Buffer.from(csvOf(...Array.from({ length }, (_, at) => ({ member_id: `long-${at}`, ...WELCOME }))));
      yield Buffer.from('\nlong-bad\n');
      interruption.abort();
      yield Buffer.from(csvOf({ member_id: 'long-last', ...WELCOME }));
    }
    const { response, changed } = await storedBy(() =>
      operator(['members', 'import', '-'], { input: rowsUntilInterrupted(), interrupted: interruption.signal }),
    );
    expect(response.exitCode).toBe(1);
    expect(response.stdout).toMatch(/^\d+ rows stored, 0 refused\.\n$/);
    expect(response.stderr).toMatch(
      /^Interrupted after line \d+\. Rows stored so far stay; import the file again to continue\.\n$/,
    );
    expect(splitRecord(changed).events).toEqual({
      MEMBERS: [recorded('members.imported', { stored: null, refused: null, completed_at: null })],
    });
  });

  test('with --check refuses the rows that an import would refuse, and stores nothing', async () => {
    await addCard('check-owner', { card_id: 'card-of-owner', card_pseudo_token: 'token' });
    await addReward('check-erased', WELCOME);
    // An erasure that was interrupted.
    const [erasure] = erasuresOf(await memberHashes('check-erased'));
    await transact([put(erasure as Key, { id: MAX, ttl: TTL })]);
    const card = (member_id: string, card_id: string) => ({ member_id, card_id, card_pseudo_token: 'token' });
    const file = join(folder, 'check.csv');
    const rows = [
      card('check-1', 'card-new'),
      card('check-2', 'card-new'),
      card('check-2', 'card-of-owner'),
      card('check-owner', 'card-of-owner'),
      { member_id: 'check-erased', ...WELCOME, name: 'New' },
      { member_id: 'check-1', ...WELCOME, currency: 'eur' },
    ];
    writeFileSync(file, csvOf(...rows));
    const { response, changed } = await storedBy(() => operator(['members', 'import', file, '--check']));
    expect(changed).toEqual({});
    const lines = [
      'line 3  refused  card_id: Another member has this card.',
      'line 4  refused  card_id: Another member has this card.',
      'line 6  refused  member_id: The member was erased after the import began, or its erasure is not complete.',
      'line 7  refused  currency: Must be an ISO 4217 code, such as EUR.',
    ];
    const checked = { exitCode: 1, stderr: 'Refused 4 of 6 rows.\n' };
    expect(response).toEqual({ ...checked, stdout: [...lines, '2 rows valid, 4 refused.', ''].join('\n') });
    // The import refuses the same.
    const stored = await operator(['members', 'import', file]);
    expect(stored).toEqual({ ...checked, stdout: [...lines, '2 rows stored, 4 refused.', ''].join('\n') });
    await transact([remove(erasure as Key)]);
  });

  test('reports a file that cannot be read in one line', async () => {
    const ran = await operator(['members', 'import', join(folder, 'nonesuch.csv')]);
    expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^Cannot read the file: ENOENT: no such file or directory, open.*\.\n$/);
  });
});

test('show shows a member’s cards by reference and its rewards, without identifiers', async () => {
  await addCard('shown', { card_id: 'card-shown', card_pseudo_token: 'token-shown' });
  await imported('shown.csv', csvOf({ member_id: 'shown', ...WELCOME }));
  const card = (await cardHash('card-shown')).slice(0, 12);
  const { blocked_at } = await jsonOf('cards', 'block', 'shown', card);
  expect(await jsonOf('members', 'show', 'shown')).toEqual({
    cards: [{ card, imported_at: null, blocked_at }],
    rewards: [WELCOME],
  });
});

test('erase erases a member, once', async () => {
  await addReward('leaver', WELCOME);
  const erase = ['members', 'erase', 'leaver', '--yes'];
  expect(await jsonOf(...erase)).toEqual({ cards: 0, rewards: 1 });
  await expectFailure(erase, 'There is no such member.');
});

test('a recovery erases again who is on the list, with the permissions of operators', async () => {
  await addReward('leaver-3', WELCOME);
  await operator(['members', 'erase', 'leaver-3', '--yes']);
  // As a restore brings the member back.
  await addReward('leaver-3', WELCOME);
  const { members } = await asRole('erase', async () => repeatErasures(await listErasures(tableName())), RECOVERY);
  expect(members).toBeGreaterThan(0);
  await expectFailure(['members', 'show', 'leaver-3'], 'There is no such member.');
});

describe('a card', () => {
  const member = 'holder';
  const card_id = unique('card');
  let reference: string;
  beforeAll(async () => {
    await addCard(member, { card_id, card_pseudo_token: 'token' });
    reference = (await cardHash(card_id)).slice(0, 12);
  });

  test('cards block and cards unblock name a card by its reference and can be repeated', async () => {
    const blocked = await jsonOf('cards', 'block', member, reference);
    expect(blocked).toEqual({ card: reference, imported_at: null, blocked_at: TIME });
    expect((await jsonOf('members', 'show', member)).cards).toEqual([blocked]);
    expect(await jsonOf('cards', 'block', member, reference)).toEqual(blocked);
    for (let times = 0; times < 2; times += 1)
      expect(await jsonOf('cards', 'unblock', member, reference)).toEqual({ ...blocked, blocked_at: null });
  });

  test('cards block names a card by its card_id from stdin, without repeating it', async () => {
    const ran = await operator(['cards', 'block', member, '--card-id-stdin'], { input: `${card_id}\n` });
    const [{ blocked_at }] = (await jsonOf('members', 'show', member)).cards;
    expect(ran).toEqual(done(`Card ${reference} has been blocked since ${blocked_at}.`));
  });
});
