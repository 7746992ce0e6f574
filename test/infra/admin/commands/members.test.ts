import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals';
import { cardHash, memberHash } from '../../../../lib/members/member.ts';
import { addCard, addReward } from '../../../../lib/operator/memberImport.ts';
import { getMember } from '../../../../lib/operator/members.ts';
import { table } from '../../../../lib/table/client.ts';
import { call } from '../../../support/api.ts';
import { EVENT_ID, recorded, TIME } from '../../../support/constants.ts';
import { expectNoViolations } from '../../../support/invariants.ts';
import { splitRecord, storedBy } from '../../../support/stored.ts';
import { tableRequestsBy } from '../../../support/tableRequests.ts';
import { newAcquirer, newBranch, newTerminal, unique } from '../../../support/world.ts';
import { admin, done, failed, jsonOf, type Ran } from '../admin.ts';
import { testConfirmation } from '../confirmation.ts';

const folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  jest.restoreAllMocks();
});

const HEADER = 'member_id,card_id,card_pseudo_token,reward_id,name,currency,minimum_amount,valid_from,expires_at';
const ALWAYS = { valid_from: '2020-01-01T00:00:00.000Z', expires_at: '2099-12-31T23:59:59.000Z' };
const WELCOME = { reward_id: 'welcome', name: '5 EUR off', currency: 'EUR', minimum_amount: 50, ...ALWAYS };
const CARD = { card_id: 'card-anna', card_pseudo_token: 'token-anna' };

const jsonl = (...rows: object[]): string => rows.map((row) => JSON.stringify(row)).join('\n');

/** Imports a file and asserts that the output has no card identifier. */
async function imported(name: string, content: string | Buffer, ...options: string[]): Promise<Ran> {
  const file = join(folder, name);
  writeFileSync(file, content);
  const ran = await admin(['members', 'import', file, ...options]);
  expect(ran.stdout + ran.stderr).not.toMatch(/(card|token)-[^h]/);
  return ran;
}

/** The members of the changed cards, which are stored under hashes. */
const cardsIn = (changed: Record<string, Record<string, unknown> | null>) =>
  Object.entries(changed)
    .filter(([key]) => /^CARD#[\da-f]{64} CARD$/.test(key))
    .map(([, card]) => card?.['member_id']);

/** The events of a completed import. */
const importOf = (stored: number, refused: number) => ({
  MEMBERS: [recorded('members.imported', { stored, refused, completed_at: TIME })],
});

const HASH = expect.stringMatching(/^[\da-f]{64}$/);

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
    const { response, changed } = await storedBy(() => imported('members.csv', CSV));
    expect(response).toEqual({
      exitCode: 0,
      stdout: 'line 2  stored\nline 3  stored\nline 5  stored\n3 rows stored, 0 refused.\n',
      stderr: '',
    });
    expect(cardsIn(changed).sort()).toEqual(['anna-csv', 'bruno-csv']);
    const { others, events } = splitRecord(changed);
    expect(events).toEqual(importOf(3, 0));
    expect(Object.keys(others).filter((key) => /^MEMBER#(anna|bruno)-csv CARD#[\da-f]{64}$/.test(key))).toHaveLength(2);
    expect(Object.keys(others)).toHaveLength(6);
    const import_id = Object.keys(changed)
      .find((key) => key.startsWith('RECORD#MEMBERS '))
      ?.slice('RECORD#MEMBERS '.length);
    expect(others).toMatchObject({
      'MEMBER#anna-csv REWARD#welcome': {
        reward_id: 'welcome',
        name: '5 EUR "off", from 50',
        currency: 'EUR',
        minimum_amount: 50,
        valid_from: '2020-01-01T00:00:00.000Z',
        expires_at: '2099-12-31T23:59:59.500Z',
        import_id,
      },
      'MEMBER#bruno-csv REWARD#gold': {
        reward_id: 'gold',
        name: 'Gold',
        currency: 'USD',
        minimum_amount: 0,
        ...ALWAYS,
        import_id,
      },
    });
    expect(JSON.stringify(changed)).not.toMatch(/(card|token)-/);

    const again = await storedBy(() => imported('members.csv', CSV));
    expect({ ...again, changed: splitRecord(again.changed) }).toEqual({
      response,
      changed: { others: {}, events: importOf(3, 0) },
    });
  });

  test('is rejected as a whole if a column name is misspelled', async () => {
    const { response, changed } = await storedBy(() => imported('mistyped.csv', CSV.replace('card_id', 'card-id')));
    expect(response).toMatchObject({ exitCode: 1, stdout: '' });
    expect(response.stderr).toMatch(/^Nothing was imported: .*; column 2 is unknown or repeated\.\n$/);
    expect(changed).toEqual({});
  });

  test('is stored up to the first invalid row', async () => {
    const content =
      'member_id,card_id,card_pseudo_token\ncarla-csv,card-carla-csv,token\ndora,"card-d"x,y\nemil,card-e,z';
    const { response, changed } = await storedBy(() => imported('broken.csv', content));
    expect(response).toEqual({
      exitCode: 1,
      stdout:
        'line 2  stored\n' +
        'line 3  refused  Is not valid CSV; nothing from here on was read.\n' +
        '1 rows stored, 1 refused.\n',
      stderr: 'Refused 1 of 2 rows.\n',
    });
    expect(cardsIn(changed)).toEqual(['carla-csv']);
  });

  test('that is not in UTF-8 is rejected row by row', async () => {
    const content = Buffer.from(`${HEADER}\nzoë,card-z,token-z,,,,,,\nzoe,card-zoe-1,token-z,,,,,,\n`, 'latin1');
    const { response, changed } = await storedBy(() => imported('latin1.csv', content));
    expect(response.stdout).toBe('line 2  refused  Must be in UTF-8.\nline 3  stored\n1 rows stored, 1 refused.\n');
    expect(cardsIn(changed)).toEqual(['zoe']);
  });
});

describe('a JSON Lines file', () => {
  test('is stored except for invalid rows, with JSON output for scripts', async () => {
    const content = [
      jsonl({ member_id: 'anna', ...CARD, reward_id: null }, { member_id: 'anna', ...WELCOME, pin: 1 }),
      '{"member_id":',
      jsonl({ member_id: 'anna', ...WELCOME }),
    ].join('\n');
    const { response, changed } = await storedBy(() => imported('members.jsonl', content, '--json'));
    expect(response).toMatchObject({ exitCode: 1, stderr: 'Refused 2 of 4 rows.\n' });
    expect(
      response.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { line: 1, result: 'stored' },
      { line: 2, result: 'refused', errors: [{ pointer: '', code: 'unknown_field', detail: expect.any(String) }] },
      { line: 3, result: 'refused', errors: [{ pointer: '', code: 'malformed', detail: expect.any(String) }] },
      { line: 4, result: 'stored' },
      { stored: 2, refused: 2 },
    ]);
    expect(cardsIn(changed)).toEqual(['anna']);
    const { others, events } = splitRecord(changed);
    expect(others['MEMBER#anna REWARD#welcome']).toEqual({ ...WELCOME, import_id: EVENT_ID });
    expect(Object.keys(others)).toHaveLength(3);
    expect(events).toEqual(importOf(2, 2));
  });

  test('can come from stdin', async () => {
    const args = ['members', 'import', '-', '--format', 'jsonl'];
    const input = jsonl({ member_id: 'stdin', ...CARD, card_id: 'card-stdin' });
    const { response, changed } = await storedBy(() => admin(args, { input }));
    expect(response).toEqual({ exitCode: 0, stdout: 'line 1  stored\n1 rows stored, 0 refused.\n', stderr: '' });
    expect(cardsIn(changed)).toEqual(['stdin']);
  });
});

describe('a row is rejected', () => {
  const UTC = 'Must be a time in UTC (RFC 3339), such as 2026-01-31T23:59:59Z.';
  const BREAKS = 'Must not contain line breaks.';
  const UNKNOWN =
    'Has an unknown field. The fields are member_id, card_id, card_pseudo_token, reward_id, name, currency, minimum_amount, valid_from, expires_at.';

  test.each<[string, object, string]>([
    ['without a member_id', { member_id: undefined }, 'member_id: Is required.'],
    ['with a number as member_id', { member_id: 7 }, 'member_id: Must be a string.'],
    ['with a line break in an identifier', { reward_id: 'a\nb' }, `reward_id: ${BREAKS}`],
    ['with a long identifier', { reward_id: '六'.repeat(256) }, 'reward_id: Must have at most 255 characters.'],
    ['with an empty card_id', { card_id: '' }, 'card_id: Is required.'],
    ['with a blank token', { card_pseudo_token: ' ' }, 'card_pseudo_token: Is required.'],
    ['without a token', { card_pseudo_token: null }, 'card_pseudo_token: Is required.'],
    ['with the card of another member', { card_id: 'card-taken' }, 'card_id: Another member has this card.'],
    ['with an incomplete reward', { name: null, currency: null }, 'name: Is required.  currency: Is required.'],
    ['with a made-up currency', { currency: 'eur' }, 'currency: Must be an ISO 4217 code, such as EUR.'],
    ['with an amount as a string', { minimum_amount: '50' }, 'minimum_amount: Must be a number.'],
    ['with an amount below zero', { minimum_amount: -0.01 }, 'minimum_amount: Must be at least 0.'],
    ['with a huge amount', { minimum_amount: 1e300 }, 'minimum_amount: Must be at most 9007199254740991.'],
    ['with a tiny amount', { minimum_amount: 1e-200 }, 'minimum_amount: Must have at most 4 decimal places.'],
    ['with only a date', { valid_from: '2020-01-01' }, `valid_from: ${UTC}`],
    ['with a time that is not in UTC', { valid_from: '2020-01-01T00:00:00+01:00' }, `valid_from: ${UTC}`],
    ['with an invalid day', { valid_from: '2026-02-30T00:00:00Z' }, `valid_from: ${UTC}`],
    ['with an invalid time', { expires_at: '2026-02-20T24:00:01Z' }, `expires_at: ${UTC}`],
    ['with an empty period', { expires_at: ALWAYS.valid_from }, 'expires_at: Must be later than valid_from.'],
    ['with an unknown field', { birthday: '2000-01-01' }, UNKNOWN],
    ['with a field from JavaScript', JSON.parse('{"__proto__":1}'), UNKNOWN],
    [
      'with a card number as member_id',
      { member_id: '4242424242424242' },
      'member_id: Must not contain a payment card number.',
    ],
  ])('%s, and nothing of it is stored', async (_, overrides, reasons) => {
    await addCard('owner', { card_id: 'card-taken', card_pseudo_token: 'token' });
    const row = { member_id: 'bad', ...CARD, card_id: 'card-bad', ...WELCOME };
    const { response, changed } = await storedBy(() =>
      imported('bad.jsonl', JSON.stringify(Object.defineProperties(row, Object.getOwnPropertyDescriptors(overrides)))),
    );
    expect(response).toEqual({
      exitCode: 1,
      stdout: `line 1  refused  ${reasons}\n0 rows stored, 1 refused.\n`,
      stderr: 'Refused 1 of 1 rows.\n',
    });
    expect(splitRecord(changed)).toEqual({ others: {}, events: importOf(0, 1) });
  });

  test('with neither a card nor a reward', async () => {
    const { stdout } = await imported('nothing.jsonl', jsonl({ member_id: 'anna', card_id: null }));
    expect(stdout).toMatch(/^line 1 {2}refused {2}Has neither a card \(card_id, card_pseudo_token\) nor a reward/);
  });
});

describe('rows with the same card or reward', () => {
  test('are stored in file order: the last row of a reward applies', async () => {
    const rows = Array.from({ length: 40 }, (_, at) => ({ member_id: 'often', ...WELCOME, minimum_amount: at }));
    const { response, changed } = await storedBy(() => imported('rewards.jsonl', jsonl(...rows)));
    expect(response.stdout).toMatch(/\n40 rows stored, 0 refused\.\n$/);
    expect(splitRecord(changed).others).toEqual({
      'MEMBER#often REWARD#welcome': { ...WELCOME, minimum_amount: 39, import_id: EVENT_ID },
    });
  });

  test('are stored in file order: a card belongs to its first member, with its last token', async () => {
    const card = { ...CARD, card_id: 'card-often' };
    const rows = Array.from({ length: 15 }, (_, at) => ({
      member_id: at % 5 === 4 ? 'late' : 'early',
      ...card,
      card_pseudo_token: `token-${at}`,
    }));
    const { response, changed } = await storedBy(() => imported('cards.jsonl', jsonl(...rows)));
    expect(response.stdout.split('\n').filter((line) => line.includes('refused  '))).toEqual(
      [5, 10, 15].map((line) => `line ${line}  refused  card_id: Another member has this card.`),
    );
    const stored = Object.entries(changed).find(([key]) => key.startsWith('CARD#'))?.[1];
    expect(stored).toEqual({ member_id: 'early', pseudo_token_hash: HASH, import_id: EVENT_ID });
    expect(await storedBy(() => addCard('early', { ...card, card_pseudo_token: 'token-13' }))).toMatchObject({
      changed: {},
    });
  });
});

test('rows of one member store their rewards in few transactions, except those whose card is rejected', async () => {
  await addCard('owner', { card_id: 'card-owned', card_pseudo_token: 'token' });
  const rows = Array.from({ length: 32 }, (_, at) => ({ member_id: 'few', ...WELCOME, reward_id: `reward-${at}` }));
  const rejectedRow = { ...rows[0], reward_id: 'refused', card_id: 'card-owned', card_pseudo_token: 'token' };
  const { requests, response } = await tableRequestsBy(() => imported('few.jsonl', jsonl(rejectedRow, ...rows)));
  expect(response.stdout).toMatch(/^line 1 {2}refused {2}card_id: Another member has this card\.\n/);
  expect(response.stdout).toMatch(/\n32 rows stored, 1 refused\.\n$/);
  // The event twice, the rejected card, and the rewards.
  expect(requests.filter(({ operation }) => operation === 'TransactWriteItems')).toHaveLength(2 + 1 + 3);
  expect((await getMember('few')).rewards.map(({ reward_id }) => reward_id).sort()).toEqual(
    rows.map(({ reward_id }) => reward_id).sort(),
  );
});

describe('many rows', () => {
  test('are stored with their results in order, and member checks find their cards and rewards', async () => {
    const rows = Array.from({ length: 300 }, (_, at) => ({
      member_id: `member-${at}`,
      ...(at % 4 > 0 ? { card_id: `card-many-${at}`, card_pseudo_token: `token-${at}` } : WELCOME),
    }));
    rows.push({ member_id: 'member-7', ...WELCOME });
    const { stdout, exitCode } = await imported('many.jsonl', jsonl(...rows));
    expect(exitCode).toBe(0);
    expect(stdout.trimEnd().split('\n')).toEqual([
      ...rows.map((_, at) => `line ${at + 1}  stored`),
      '301 rows stored, 0 refused.',
    ]);

    const caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const { mid } = await newBranch(caller, { mid: unique('MID') });
    const { terminal_id } = await newTerminal(caller, mid);
    const { body } = await call('memberCheck', {
      key: caller.key,
      body: {
        amount: 50,
        card_id: 'card-many-7',
        card_pseudo_token: 'token-7',
        currency: 'EUR',
        terminal_id,
        acquirer_id: caller.id,
      },
    });
    expect(body).toEqual({ data: { member_identified: true, rewards_available: true, rewards: [WELCOME] } });
  });

  test('are counted on a progress bar at a terminal', async () => {
    const file = join(folder, 'bar.jsonl');
    writeFileSync(file, jsonl(...Array.from({ length: 100 }, (_, at) => ({ member_id: `bar-${at}`, ...WELCOME }))));
    const attended = await admin(['members', 'import', file], { keys: '' });
    expect(attended).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/\n100 rows stored, 0 refused\.\n$/) });
    expect(attended.stderr).not.toBe('');
    expect(await admin(['members', 'import', file, '--json'], { keys: '' })).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe('if the service fails', () => {
  /** Makes the writes for a member fail. */
  function failFor(member: string, failure: Error): void {
    const send = table.send.bind(table) as (command: object) => Promise<unknown>;
    jest.spyOn(table, 'send').mockImplementation((async (command: object & { input?: object }) => {
      const isWrite = command.constructor.name === 'TransactWriteCommand';
      if (isWrite && JSON.stringify(command.input).includes(member)) throw failure;
      return send(command);
    }) as never);
  }
  const named = (name: string) => Object.assign(new Error('an internal'), { name });

  test('an import retries while the table is throttled', async () => {
    const errors = [named('ThrottlingException'), named('ProvisionedThroughputExceededException')];
    const throttle = { step: 'deserialize', name: 'throttle' } as const;
    table.middlewareStack.add(
      (next, { commandName }) =>
        (args) => {
          const error = commandName === 'TransactWriteItemsCommand' && errors.shift();
          return error ? Promise.reject(error) : next(args);
        },
      throttle,
    );
    const { response, changed } = await storedBy(() =>
      imported('slow.jsonl', jsonl({ member_id: 'slow', ...WELCOME })),
    );
    expect(response).toMatchObject({ exitCode: 0, stderr: '' });
    expect(Object.keys(splitRecord(changed).others)).toEqual(['MEMBER#slow REWARD#welcome']);
    expect(errors).toEqual([]);
    table.middlewareStack.remove(throttle.name);
  });

  test('an import stops and says where; a second import continues', async () => {
    const rows = jsonl(...['a', 'b', 'c'].map((name) => ({ member_id: `stopped-${name}`, ...WELCOME })));
    failFor('stopped-b', named('AccessDeniedException'));
    const { response: ran, changed } = await storedBy(() => imported('stopped.jsonl', rows));
    expect(splitRecord(changed).events).toEqual({
      MEMBERS: [recorded('members.imported', { stored: null, refused: null, completed_at: null })],
    });
    expect(ran).toMatchObject({ exitCode: 1, stdout: 'line 1  stored\n' });
    expect(ran.stderr).toMatch(
      /^Stopped at line 2: No access to table .*: an internal Rows stored so far stay; import the file again to continue\.\n$/,
    );
    jest.restoreAllMocks();
    expect((await imported('stopped.jsonl', rows)).stdout).toMatch(/\n3 rows stored, 0 refused\.\n$/);
  });

  test.each([
    ['the table', () => jest.spyOn(table, 'send').mockImplementation(() => Promise.reject(named('TimeoutError'))), []],
    ['the secret', () => {}, ['--secret', 'nonesuch']],
  ])('an import does not start without %s', async (what, prepare, options) => {
    prepare();
    const ran = await imported('early.jsonl', 'no JSON', ...options);
    const { AWS_ENDPOINT_URL_SECRETS_MANAGER, AWS_ENDPOINT_URL_DYNAMODB, TABLE_NAME } = process.env;
    expect(ran).toEqual(
      failed(
        what === 'the secret'
          ? `There is no secret nonesuch at ${AWS_ENDPOINT_URL_SECRETS_MANAGER}.`
          : `Cannot reach table ${TABLE_NAME} at ${AWS_ENDPOINT_URL_DYNAMODB} (TimeoutError). Is "npm start" running?`,
      ),
    );
  });

  test.each([
    ['does not exist', 'nonesuch.csv', 'ENOENT: no such file or directory, open'],
    ['is a folder', '', 'EISDIR: illegal operation on a directory, read'],
  ])('a file that %s is reported in one line', async (_, name, reason) => {
    const ran = await admin(['members', 'import', join(folder, name), '--format', 'csv']);
    expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ran.stderr).toMatch(new RegExp(`^Cannot read the file: ${reason}.*\\.\n$`));
  });
});

describe('show', () => {
  test('shows a member’s cards by reference and its rewards, without identifiers', async () => {
    await addCard('shown', { card_id: 'card-shown', card_pseudo_token: 'token-shown' });
    const rows = [
      { member_id: 'shown', card_id: 'card-imported', card_pseudo_token: 'token-shown' },
      { member_id: 'shown', ...WELCOME },
    ];
    await imported('shown.jsonl', jsonl(...rows));
    const [one, other] = await Promise.all(
      ['card-shown', 'card-imported'].map(async (id) => (await cardHash(id)).slice(0, 12)),
    );
    const { blocked_at } = await jsonOf('cards', 'block', 'shown', one as string);

    const shown = await jsonOf('members', 'show', 'shown');
    const cards = [
      { card: one, imported_at: null, blocked_at },
      { card: other, imported_at: TIME, blocked_at: null },
    ].toSorted((a, b) => ((a.card ?? '') < (b.card ?? '') ? -1 : 1));
    expect(shown).toEqual({ cards, rewards: [WELCOME] });

    const { stdout } = await admin(['members', 'show', 'shown']);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      // A card that was not imported has an empty cell, which merges with the gaps beside it.
      ['Cards:'],
      ['CARD', 'IMPORTED', 'BLOCKED'],
      ...shown.cards.map((card: Record<string, string | null>) =>
        card['blocked_at'] ? [card['card'], blocked_at] : [card['card'], card['imported_at']],
      ),
      [''],
      ['Rewards:'],
      ['ID', 'NAME', 'CURRENCY', 'MINIMUM', 'VALID FROM', 'EXPIRES'],
      ['welcome', '5 EUR off', 'EUR', '50', ALWAYS.valid_from, ALWAYS.expires_at],
      [''],
    ]);
    expect(stdout + JSON.stringify(shown)).not.toMatch(/(card|token)-(shown|imported)|[\da-f]{64}/);
  });

  test.each(['show', 'erase'])('rejects a member without data, as does %s', async (command) => {
    const { response, changed } = await storedBy(() => admin(['members', command, 'nobody', '--yes']));
    expect(response).toEqual(failed('There is no such member.'));
    expect(changed).toEqual({});
  });

  test('does not repeat a card number that is given as a member id', async () => {
    expect(await admin(['members', 'show', '4242424242424242'])).toEqual(
      failed('Wrong usage: <member-id>: Must not contain a payment card number.', 2),
    );
  });
});

describe('erase', () => {
  testConfirmation(async () => {
    await addCard('leaving', { card_id: 'card-leaving', card_pseudo_token: 'token-leaving' });
    await addReward('leaving', WELCOME);
    return { args: ['members', 'erase', 'leaving'], what: 'erase the member leaving for good (cards: 1, rewards: 1)' };
  });

  test('deletes everything of a member and nothing else, and records its id only as a hash', async () => {
    for (const member of ['leaver', 'leaver-2']) {
      await addCard(member, { card_id: `card-${member}`, card_pseudo_token: 'token' });
      await addReward(member, WELCOME);
    }
    const [card, member] = [await cardHash('card-leaver'), await memberHash('leaver')];
    const { response, changed } = await storedBy(() => admin(['members', 'erase', 'leaver', '--yes']));
    expect(response).toEqual(done('Erased the member (cards: 1, rewards: 1).'));
    expect(splitRecord(changed)).toEqual({
      others: {
        [`CARD#${card} CARD`]: null,
        [`MEMBER#leaver CARD#${card}`]: null,
        'MEMBER#leaver REWARD#welcome': null,
        [`ERASURE#${member} ERASURE`]: { id: EVENT_ID, ttl: expect.any(Number) },
      },
      events: { [`MEMBER#${member}`]: [recorded('member.erased', { cards: 1, rewards: 1, completed_at: TIME })] },
    });
    expect(JSON.stringify(Object.values(changed))).not.toContain('leaver');
    expect(await jsonOf('history', 'leaver')).toMatchObject([{ type: 'member.erased' }]);
    expect(await jsonOf('members', 'erase', 'leaver-2', '--yes')).toEqual({ cards: 1, rewards: 1 });
    await expectNoViolations();
  });
});
