import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { serve } from '../../../infra/local/serve.ts';
import { createTable } from '../../../infra/local/table.ts';
import { putSecretText } from '../../../infra/operate/cli/selfCheckKey.ts';
import { deep } from '../../support/depth.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { stored } from '../../support/stored.ts';
import { type Caller, newAcquirer, newBranch, newTerminal } from '../../support/world.ts';
import { endProcesses, newProcess, type Process, passMinutes, startCardKey, takeClocks } from './processes.ts';

const SECRET = process.env['CARD_HMAC_KEY_SECRET'] as string;
const everywhere = process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'];
const ownTable = process.env['TABLE_NAME'];

let restoreClocks: () => void;
let cardKey: Awaited<ReturnType<typeof startCardKey>>;
let caller: Caller;
let terminal_id: string;
beforeEach(async () => {
  restoreClocks = takeClocks();
  cardKey = await startCardKey();
  await useNewTable();
});
afterEach(async () => {
  await expectNoViolations();
  jest.restoreAllMocks();
  restoreClocks();
  endProcesses();
  await cardKey.stop();
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = everywhere;
});
afterAll(() => {
  process.env['TABLE_NAME'] = ownTable;
});

async function useNewTable(): Promise<void> {
  process.env['TABLE_NAME'] = `test-${randomUUID()}`;
  await createTable(process.env['TABLE_NAME']);
  caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  ({ terminal_id } = await newTerminal(caller, (await newBranch(caller)).mid));
}

const cardOf = (name: string) => ({ card_id: `card-${name}`, card_pseudo_token: `token-${name}` });
const rewardOf = (name: string) => ({
  reward_id: 'welcome',
  name: `Reward of ${name}`,
  currency: 'EUR',
  minimum_amount: 0,
  valid_from: '2020-01-01T00:00:00.000Z',
  expires_at: '2099-12-31T23:59:59.000Z',
});

/** A check by a process: the name of the member's reward, or why there is none. */
async function check(process: Process, name: string, token = name): Promise<string> {
  const body = { ...cardOf(name), card_pseudo_token: `token-${token}`, amount: 1, currency: 'EUR', terminal_id };
  const { result } = await process.checkMember(caller, { ...body, acquirer_id: caller.id });
  return result.member_identified ? (result.rewards[0]?.name ?? 'no reward') : 'not identified';
}

const rotate = (operator: Process) => operator.rotateCardKey((text, token) => putSecretText(SECRET, text, token));

/** Stores members, each with a card and a reward. */
async function enrol(operator: Process, ...names: string[]): Promise<void> {
  for (const name of names) {
    await operator.addCard(`member-${name}`, cardOf(name));
    await operator.addReward(`member-${name}`, rewardOf(name));
  }
}

/** The numbers of stored cards by the version of their hashes. */
async function versions(): Promise<Record<string, number>> {
  const found = Object.keys(await stored()).flatMap((key) => /^CARD#(?:(\d)\.)?[\da-f]{64} /.exec(key)?.slice(1) ?? []);
  return Object.fromEntries(
    [...Map.groupBy(found, (version = '1') => version)].map(([version, { length }]) => [version, length]),
  );
}

/** Stores cards and rewards of another table. */
async function putCards({ table }: Process, items: [key: string, item: object][]): Promise<void> {
  for (const [key, item] of items)
    if (/^(CARD|MEMBER)#/.test(key)) {
      const [pk, sk] = key.split(' ');
      await table.send(new PutCommand({ TableName: process.env['TABLE_NAME'], Item: { pk, sk, ...item } }));
    }
}

const MEMBERS = Array.from({ length: deep ? 200 : 14 }, (_, at) => `m${at}`);
/** Checks that are in progress at the same time. */
const AT_ONCE = 10;
/** Members whose cards are blocked. */
const BLOCKED = ['lost-1', 'lost-2'];

/**
 * Checks by a process that started before anything happened, and one that starts after the rotation, through everything
 * that can happen to cards, with or without a rotation. Returns each result.
 *
 * @param longImport Imports for hours, and so knows the old key only until it fetches the keys again.
 */
async function course(rotates: boolean, old: Process, longImport: Process, another: Process): Promise<string[]> {
  const results: string[] = [];
  const processes = [old, old];
  /** Sends checks of both processes while some work is in progress, and after it. */
  const checksDuring = async (title: string, work: (() => Promise<unknown>) | undefined, names: string[] = MEMBERS) => {
    const outcomes = async (when: string) => {
      const checks = [
        ...names.map((name, at) => [processes[at % 2] as Process, name, name] as const),
        ...names.slice(0, 5).map((name) => [old, name, 'other'] as const),
        ...[...BLOCKED, 'unknown'].flatMap((name) => processes.map((each) => [each, name, name] as const)),
      ];
      for (let at = 0; at < checks.length; at += AT_ONCE) {
        const batch = checks.slice(at, at + AT_ONCE);
        const found = await Promise.all(batch.map(([process, name, token]) => check(process, name, token)));
        for (const [index, [, name, token]] of batch.entries())
          results.push(`${title}, ${when}: ${name} with the token of ${token}: ${found[index]}`);
      }
    };
    if (work) await Promise.all([work(), outcomes('during')]);
    await outcomes('after');
  };

  await enrol(longImport, ...MEMBERS, ...BLOCKED, 'leaver', 'returner');
  for (const name of BLOCKED) await longImport.setCardBlocked(`member-${name}`, cardOf(name), true);
  const { id: importId } = await longImport.beginImport();
  await longImport.addCard('member-long', cardOf('long-1'), importId);

  await checksDuring('rotation', async () => rotates && rotate(another));
  const operator = await newProcess();
  processes[1] = operator;
  passMinutes(2);
  // Written by a process that knows the new key, and read by those that do not.
  await checksDuring('an import after it', async () => enrol(operator, 'new-1'));
  await checksDuring('the cards of that import', undefined, ['new-1', ...MEMBERS]);
  await operator.eraseMember('member-leaver');
  results.push(
    await longImport.addCard('member-leaver', cardOf('leaver'), importId).then(
      () => 'stored',
      ({ code }) => code,
    ),
  );
  passMinutes(57);
  await checksDuring('an hour', async () => operator.setCardBlocked('member-new-1', cardOf('new-1'), true));
  passMinutes(7);
  await longImport.addCard('member-long', cardOf('long-2'), importId);
  await checksDuring('a late import', async () => enrol(longImport, 'new-2'), ['long-1', 'long-2', ...MEMBERS]);
  passMinutes(5);
  const churn = async () => {
    await Promise.all([
      ...MEMBERS.slice(0, 10).map((name) => longImport.addCard(`member-${name}`, cardOf(name))),
      another.setCardBlocked('member-new-2', cardOf('new-2'), true),
      another.eraseMember('member-returner'),
      enrol(longImport, 'new-3'),
    ]);
  };
  await checksDuring('a rehash that crashes', async () => rotates && crash(another));
  await checksDuring('a rehash, twice at once, with changes', async () => {
    const runs = rotates ? [operator.rehash(), another.rehash()] : [];
    await Promise.all([...runs, churn()]);
  });
  await enrol(operator, 'returner');
  await checksDuring('everything', undefined, ['returner', 'leaver', 'new-1', 'new-2', 'new-3', ...MEMBERS]);
  return results;
}

/** Runs some work of a process that ends after so many writes. */
async function endAfter<T>(process: Process, writes: number, work: () => Promise<T>): Promise<T> {
  const send = process.table.send.bind(process.table) as (command: object) => Promise<unknown>;
  let count = 0;
  process.table.send = (async (command: object) => {
    if (command.constructor.name === 'TransactWriteCommand' && ++count > writes) throw new Error('The end');
    return send(command);
  }) as never;
  return work().finally(() => {
    process.table.send = send as never;
  });
}

const crash = (process: Process) => expect(endAfter(process, 12, process.rehash)).rejects.toThrow('The end');

test('through a rotation and a rehash, every check has the result that it would have had without', async () => {
  const processes = [await newProcess(), await newProcess(), await newProcess()] as const;
  const without = await course(false, ...processes);
  expect(await versions()).toEqual({ 1: expect.any(Number) });
  await expectNoViolations();
  await useNewTable();
  const withRotation = await course(true, ...processes);
  expect(withRotation).toEqual(without);
  expect(without.filter((result) => /: (m\d+) with the token of \1: not identified/.test(result))).toEqual([]);

  const [, , operator] = processes;
  expect((await operator.rehash()).left).toEqual([]);
  expect(await versions()).toEqual({ 2: MEMBERS.length + BLOCKED.length + 6 });
  expect(await operator.rehash()).toEqual({ cards: 0, erasures: 0, left: [] });
  expect(Object.keys(await stored()).filter((key) => /^(MEMBER#.* CARD#|ERASURE#)[\da-f]{64}/.test(key))).toEqual([]);
});

test('a rotation is refused beside another, while older hashes are stored, and beyond eight keys', async () => {
  const [operator, another] = [await newProcess(), await newProcess()];
  await enrol(operator, 'anna', 'bruno');
  await operator.eraseMember('member-bruno');
  const refused = (code: string) => expect.objectContaining({ errors: [expect.objectContaining({ code })] });
  const bothHaveRead = Promise.withResolvers<void>();
  let arrived = 0;
  const rotateTogether = (process: Process) =>
    process.rotateCardKey(async (text, token) => {
      arrived += 1;
      if (arrived === 2) bothHaveRead.resolve();
      await bothHaveRead.promise;
      return putSecretText(SECRET, text, token);
    });
  const both = await Promise.allSettled([operator, another].map(rotateTogether));
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { name: 'ResourceExistsException' },
  });
  expect(cardKey.keys()).toEqual(['the first key', expect.stringMatching(/^[\w-]{64}$/)]);
  passMinutes(69);
  for (const early of [rotate(another), another.rehash()]) await expect(early).rejects.toEqual(refused('too_early'));
  passMinutes(2);
  await expect(rotate(another)).rejects.toEqual(refused('not_rehashed'));
  for (let keys = 2; ; keys += 1) {
    expect(await another.rehash()).toEqual({ cards: 1, erasures: 1, left: [] });
    expect([await versions(), await check(another, 'anna')]).toEqual([{ [keys]: 1 }, 'Reward of anna']);
    if (keys === 8) break;
    expect(await rotate(another)).toBe(keys + 1);
    passMinutes(71);
  }
  await expect(rotate(another)).rejects.toEqual(refused('too_many'));
  // The record has the erasure under the first key's hash.
  const hashes = await another.memberHashes('member-bruno');
  expect(hashes.map((hash) => hash.slice(0, 2))).toEqual(['8.', '7.', '6.', '5.', '4.', '3.', '2.', expect.anything()]);
  const items = await stored();
  expect(Object.keys(items).filter((key) => key.startsWith(`RECORD#MEMBER#${hashes.at(-1)}`))).toHaveLength(1);
  expect(JSON.stringify(items)).not.toContain(cardKey.keys()[1]);
});

test('a card that is moved between the reads of its two hashes is found', async () => {
  const operator = await newProcess();
  await enrol(operator, 'anna');
  await rotate(operator);
  passMinutes(71);
  const till = await newProcess();
  const send = till.table.send.bind(till.table) as (command: object) => Promise<object>;
  let batches = 0;
  till.table.send = (async (command: object) => {
    if (command.constructor.name !== 'BatchGetCommand' || ++batches > 1) return send(command);
    // The new hash is read before the move, the old one after it.
    const before = await send(command);
    expect(await operator.rehash()).toMatchObject({ cards: 1 });
    const after = await send(command);
    const responses = (output: object) => Object.entries((output as BatchOutput).Responses);
    return {
      Responses: Object.fromEntries(
        responses(before).map(([name, items]) => {
          const isNew = ({ pk }: { pk: string }) => pk.startsWith('CARD#2.');
          const others = new Map(responses(after)).get(name) ?? [];
          return [name, [...items.filter(isNew), ...others.filter((item) => !isNew(item))]];
        }),
      ),
    };
  }) as never;
  expect(await check(till, 'anna')).toBe('Reward of anna');
  expect(batches).toBe(2);
});

interface BatchOutput {
  Responses: Record<string, { pk: string }[]>;
}

test('an interrupted erasure keeps its cards where it will look for them, and a rehash says so', async () => {
  const [operator, another] = [await newProcess(), await newProcess()];
  await enrol(operator, 'anna');
  await rotate(operator);
  passMinutes(71);
  await expect(endAfter(another, 1, () => another.eraseMember('member-anna'))).rejects.toThrow('The end');
  const reason = 'The erasure of its member is not complete: run "members erase".';
  const left = [{ card: expect.stringMatching(/^[\da-f]{12}$/), member_id: 'member-anna', reason }];
  expect(await operator.rehash()).toEqual({ cards: 0, erasures: 0, left });
  expect(await another.eraseMember('member-anna')).toEqual({ cards: 1, rewards: 1 });
  expect(await versions()).toEqual({});
  expect(await operator.rehash()).toEqual({ cards: 0, erasures: 0, left: [] });
});

test('a restored table with hashes from before two rotations is taken to the newest key at once', async () => {
  const operator = await newProcess();
  await enrol(operator, 'anna', 'lost');
  await operator.setCardBlocked('member-lost', cardOf('lost'), true);
  const before = Object.entries(await stored());
  await rotate(operator);
  // Checks find the first key's cards.
  expect(await operator.rehashRestored()).toBeUndefined();
  passMinutes(71);
  await operator.rehash();
  await rotate(operator);
  await useNewTable();
  await putCards(operator, before);
  await expect(operator.rehashRestored()).rejects.toMatchObject({ errors: [{ code: 'too_early' }] });
  passMinutes(71);
  expect(await check(operator, 'anna')).toBe('not identified');
  // Imported again before the cards were moved: it stays blocked.
  await operator.addCard('member-lost', cardOf('lost'));
  expect(await operator.rehashRestored()).toEqual({ cards: 2, erasures: 0, left: [] });
  expect([await check(operator, 'anna'), await check(operator, 'lost')]).toEqual(['Reward of anna', 'not identified']);
});

test('a card that was blocked after the point is blocked in a restored table with a newer hash', async () => {
  const operator = await newProcess();
  await enrol(operator, 'lost');
  const [copy, before] = [Object.entries(await stored()), process.env['TABLE_NAME'] as string];
  await operator.setCardBlocked('member-lost', cardOf('lost'), true);
  await rotate(operator);
  passMinutes(71);
  process.env['TABLE_NAME'] = `test-${randomUUID()}`;
  await createTable(process.env['TABLE_NAME']);
  await putCards(operator, copy);
  expect(await operator.rehashRestored()).toMatchObject({ cards: 1 });
  expect((await operator.lowerRights(operator.table, before, null)).changed).toEqual({ 'cards blocked': 1 });
  expect((await operator.lowerRights(operator.table, before, null)).changed).toEqual({});
  expect((await operator.getMember('member-lost')).cards).toMatchObject([{ blocked_at: expect.any(String) }]);
});

test('after a rotation, a check reads one unit more, and sends the same requests for an unknown card', async () => {
  const till = await newProcess();
  await enrol(till, 'anna');
  const usedBy = (process: Process, name: string) =>
    process.inRequest(async () => {
      await check(process, name);
      const { tableRequests: requests } = process.requestContext();
      return {
        // Once an hour, a check also records that its terminal was seen.
        operations: requests.map(({ operation }) => operation).filter((operation) => operation !== 'UpdateItem'),
        units: requests.reduce((sum, { read_units }) => sum + read_units, 0),
      };
    });
  const before = await usedBy(till, 'anna');
  await rotate(till);
  passMinutes(71);
  await till.rehash();
  const { operations, units } = await usedBy(till, 'anna');
  expect({ operations, units }).toEqual({ operations: before.operations, units: before.units + 1 });
  expect((await usedBy(till, 'unknown')).operations).toEqual(operations);
});

test('a key of unknown age is neither rotated nor rehashed', async () => {
  const { url, stop } = await serve((_, response) => response.end(JSON.stringify({ SecretString: 'one\ntwo' })));
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = url;
  const operator = await newProcess();
  const detail = 'The age of the card key is unknown: the response of Secrets Manager has no Date or CreatedDate.';
  for (const refused of [rotate(operator), operator.rehash()])
    await expect(refused).rejects.toMatchObject({ errors: [{ code: 'unknown_age', detail }] });
  await stop();
});
