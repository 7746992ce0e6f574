import { randomUUID } from 'node:crypto';
import type { BatchGetCommandInput, QueryCommandInput, QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { memberRowOf } from '../../../infra/operate/cli/import/memberRow.ts';
import { issueApiKey, MOST_KEYS, rotateApiKey } from '../../../lib/acquirers/keyring.ts';
import { createAcquirer } from '../../../lib/acquirers/registry.ts';
import { inRequest, requestContext } from '../../../lib/aws/requestContext.ts';
import type { Branch } from '../../../lib/branches/branch.ts';
import { sentDetails } from '../../../lib/branches/branchDetails.ts';
import { SEALING } from '../../../lib/branches/ranks.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { MAX_BODY_BYTES } from '../../../lib/http/limitedBody.ts';
import { log } from '../../../lib/http/log.ts';
import { tokensOf } from '../../../lib/limits/cost.ts';
import type { Reward } from '../../../lib/members/member.ts';
import { limitAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { addCard, addRewards } from '../../../lib/operator/memberImport.ts';
import { linkPartners } from '../../../lib/operator/partnerships.ts';
import { addReferenceData, MOST_NAMES } from '../../../lib/operator/referenceData.ts';
import { findRefusedRequest } from '../../../lib/refusedRequests/read.ts';
import { MOST_ERRORS } from '../../../lib/refusedRequests/refusedRequest.ts';
import { getItem, table, tableName } from '../../../lib/table/client.ts';
import {
  acquirerKey,
  branchKey,
  branchListEntryKey,
  branchListKey,
  type Key,
  paymentAppKey,
  rewardKey,
  terminalKey,
} from '../../../lib/table/keys.ts';
import { exists, MOST_STEPS, put, transact, update } from '../../../lib/table/transaction.ts';
import { entryIn, type Image, imagesOf, sizeOf } from '../../bench/units.ts';
import { listMissingTerminals } from '../../functions/terminals/terminals.ts';
import { call, eventOf, expectProblem, invoke, type Operation, type Request } from '../../support/api.ts';
import { captureLog } from '../../support/log.ts';
import { statedFor } from '../../support/stated.ts';
import { branchItemOf, terminalItemOf } from '../../support/stored.ts';
import { storeMany } from '../../support/storeMany.ts';
import { type Caller, newBranch, newDistributorOf, newTerminal, unique } from '../../support/world.ts';
import { succeed } from '../bounds/bounds.ts';
import { longBranch, longId, longTerminal, longText } from './texts.ts';

/*
 * Makes the largest things that the service accepts, and measures them. Each figure here is the most that there can be, and is
 * below the limit of AWS: 400 KB of an item, 100 items and 4 MB of a transaction, 6 MB of a response, 1 MB of a log line.
 */

const KB = 1024;
const MB = 1024 * KB;

/** Expects a figure to be at most so much, and close to it: otherwise, it is not measured at the edge. */
function expectAtMost(measured: number, most: number): void {
  expect(measured).toBeLessThanOrEqual(most);
  expect(measured).toBeGreaterThan(0.8 * most);
}

/** A step of a transaction. */
interface Step {
  Key?: Key;
  Item?: Key & Record<string, unknown>;
  UpdateExpression?: string;
  ConditionExpression?: string;
}

/** The transactions that were sent, each with its steps. */
const transactions: Step[][] = [];
/** The number of keys of each BatchGetItem. */
let batches: number[] = [];
/** The read units of each Query. */
let queries: number[] = [];
/** The units of the largest. AWS ends a page before the item that exceeds 1 MB; DynamoDB Local, some items later. */
const mostUnits = (unitsPerMb: number): number => Math.min(Math.max(...queries), unitsPerMb);
/** The longest partition and sort keys. */
const longest = { pk: 0, sk: 0 };

const noteKeys = (pk = '', sk = ''): void => {
  longest.pk = Math.max(longest.pk, Buffer.byteLength(pk));
  longest.sk = Math.max(longest.sk, Buffer.byteLength(sk));
};

table.middlewareStack.add(
  (next) => async (args) => {
    const input = args.input as QueryCommandInput & BatchGetCommandInput & { TransactItems?: Record<string, Step>[] };
    const { KeyConditionExpression, RequestItems, TransactItems } = input;
    const steps = (TransactItems ?? []).flatMap((each) => Object.values(each));
    if (TransactItems) transactions.push(steps);
    const result = await next(args);
    const { ConsumedCapacity } = result.output as QueryCommandOutput;
    if (KeyConditionExpression) queries.push(ConsumedCapacity?.CapacityUnits ?? 0);
    const { Keys } = RequestItems?.[tableName()] ?? {};
    if (Keys) batches.push(Keys.length);
    for (const { pk, sk } of [...(Keys ?? []), ...steps.map(keyOf)]) noteKeys(pk, sk);
    return result;
  },
  { step: 'initialize', priority: 'high', name: 'measured' },
);
/** The bytes of items as they are stored now. */
const sizesOf = async (keys: Key[]): Promise<number> => sum([...(await imagesOf(keys)).values()].map(sizeOf));

const keyOf = ({ Key, Item }: Step): Key => {
  const { pk, sk } = (Key ?? Item) as Key;
  return { pk, sk };
};
/** The largest item of one kind that was put. */
const largestPut = (prefix: string): number =>
  Math.max(...transactions.flat().map(({ Item }) => (Item?.pk.startsWith(prefix) ? sizeOf(Item) : 0)));

/** How many levels of lists and maps a value has. */
const depthOf = (value: unknown): number =>
  isPlainObject(value) || Array.isArray(value) ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
const bytesOfBody = (body: unknown): number => Buffer.byteLength(JSON.stringify(body));
const begunKb = (bytes: number): number => Math.ceil(bytes / KB);
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

let provider: Caller;
let distributor: Caller;
let key: string;
let apps: string[];
let acquirers: string[];

async function longAcquirer(type: Caller['type']): Promise<Caller> {
  const acquirer = { id: randomUUID(), type, name: longText() };
  await createAcquirer(acquirer);
  return { ...acquirer, key: (await issueApiKey(acquirer.id, longText())).api_key };
}

const longTerminals = () =>
  times(40, (at) => ({ ...longTerminal(), payment_app: apps[at], acquirer_name: acquirers[at] }));

const newLongBranch = (more: object = {}) => ({
  payment_provider: provider.id,
  distributor: distributor.id,
  ...longBranch(),
  ...more,
});

const headers = () => ({ 'idempotency-key': longId() });

/**
 * A branch with the longest texts and 1,000 terminals: those in `tids` have the longest texts, the others do not exist.
 */
let mid: string;
/** The steps of the largest create. */
let create: Step[];
/** The longest terminals in the order of their creation. */
const tids: string[] = [];
/** A terminal that was created this often, each time among 39 others, and deleted again. */
let recurring: string;
const LIVES = 5;

const createLong = async (terminals: object[]): Promise<string[]> => {
  const request = { key, headers: headers(), path: { id: mid }, body: { terminals } };
  const { body } = await succeed('createTerminals', request);
  return body.data.map(({ tid }: { tid: string }) => tid);
};

beforeAll(async () => {
  FEED.horizonMs = 0;
  [provider, distributor] = await Promise.all([longAcquirer('PAYMENT_PROVIDER'), longAcquirer('DISTRIBUTOR')]);
  await linkPartners(distributor.id, provider.id);
  ({ key } = provider);
  const names = () => times(MOST_NAMES, () => longText(250));
  [apps, acquirers] = [names(), names()];
  await addReferenceData(provider.id, 'PAYMENT_APPS', apps);
  await addReferenceData(provider.id, 'MASTER_ACQUIRERS', acquirers);
});

describe('the largest creates', () => {
  test('fit a transaction, their items, and a request body', async () => {
    batches = [];
    const body = newLongBranch({ terminals: longTerminals() });
    const response = await succeed('createBranch', { key, headers: headers(), body });
    expect(bytesOfBody(body)).toBeLessThan(MAX_BODY_BYTES);
    // The entries of words, which do not fit it, are stored right after it.
    create = transactions.find((steps) => steps.some(({ Item }) => Item?.sk === 'BRANCH')) ?? [];
    expectAtMost(create.length, MOST_STEPS);
    expect(await sizesOf(create.map(keyOf))).toBeLessThan(4 * MB);
    expectAtMost(Math.max(largestPut('EVENTS'), largestPut('IDEMPOTENCY')), 122 * KB);
    expectAtMost(bytesOfBody(response.body), 157 * KB);
    expect(batches).toHaveLength(2);
    expectAtMost(sum(batches), 164);
    const entries = create.filter(({ Item }) => Item?.sk.startsWith('BRANCH_LIST#'));
    expectAtMost(Math.max(...entries.map(({ Item }) => sizeOf(Item))), 150);
    const stated = await statedFor(provider, 'createBranch', { headers: headers(), body });
    expectAtMost((stated.write ?? 0) + (stated.later ?? 0), 1_860);
    expectAtMost(tokensOf(stated), 116);
    const { Item: event = {} } = create.find((step) => step.Item?.['branch_history']) ?? {};
    expectAtMost(2 * begunKb(sizeOf(event)), 244);
    ({ mid } = body);
    tids.push(...response.body.data.terminals.map(({ tid }: { tid: string }) => tid));
  });

  test('fill a branch to 1,000 terminals', async () => {
    const terminal_id = longId();
    for (let count = 1; count <= LIVES; count += 1) {
      const [tid = '', ...others] = await createLong([{ terminal_id }, ...longTerminals().slice(1)]);
      await succeed('deleteTerminal', { key, path: { id: tid } });
      recurring = tid;
      tids.push(...others);
    }
    await listMissingTerminals(mid, 1000 - tids.length - 40);
    tids.push(...(await createLong(longTerminals())));
    expectAtMost(transactions.at(-1)?.length ?? 0, 84);
    const { body } = await succeed('getBranch', { key, path: { mid } });
    expect(body.data.terminal_count).toBe(1000);
    const size = await sizesOf([branchKey(mid)]);
    expectAtMost(size, 28 * KB);
    // What a change of its terminals writes, and what a read of it costs.
    expectAtMost(2 * begunKb(size), 56);
    expectAtMost(Math.ceil(size / (4 * KB)), 7);
  });
});

describe('a full branch', () => {
  const TOO_MANY =
    'A branch can have at most 1000 terminals, and this one has 1000. Delete some, or use another branch.';

  // A create is in test/functions/terminals/createTerminals.test.ts.
  test('rejects one more terminal by a reassignment, and stores nothing', async () => {
    const { tid } = await newTerminal(provider, (await newBranch(provider)).mid);
    const before = [transactions.length, await branchItemOf(mid), await terminalItemOf(tid)];
    const response = await call('reassignTerminal', { key, path: { id: tid }, body: { mid } });
    expectProblem(response, 'too_many_terminals', TOO_MANY);
    expect([transactions.length, await branchItemOf(mid), await terminalItemOf(tid)]).toEqual(before);
  });

  test('lists 100 terminals with the longest texts and the longest links', async () => {
    // The second page, which has all links.
    const [id = '', ...others] = tids.slice(-200, -100);
    await succeed('updateTerminal', { key, path: { id }, body: { ...longTerminals()[1], terminal_id: undefined } });
    await succeed('archiveTerminal', { key, path: { id }, body: { reason: longText() } });
    const set = () => ({ archived_at: new Date().toISOString(), archive_reason: longText() });
    await transact(others.map((tid) => update(terminalKey(tid), { set: set() }, exists('stale'))));
    expectAtMost(await sizesOf([terminalKey(id)]), 4.9 * KB);
    // The gateway accepts 10,240 bytes of request line and headers. A link takes three for each of these characters.
    const rawQueryString = `per_page=100&page=2&other=${'~'.repeat(10_000)}`;
    const query = { per_page: '100', page: '2', other: '~' };
    queries = [];
    const event = eventOf('listTerminals', { key, path: { id: mid }, query });
    const { body } = await invoke('listTerminals', { ...event, rawQueryString });
    expect(body.data.map(({ tid }: { tid: string }) => tid)).toEqual([id, ...others].toReversed());
    // Eventually consistent: half a unit for each 4 KB.
    expectAtMost(Math.max(...queries) * 8 * KB, 0.5 * MB);
    expectAtMost(bytesOfBody(body.links), 120 * KB);
    expectAtMost(bytesOfBody(body), 0.6 * MB);
  });
});

describe('other transactions and items', () => {
  test('a reassignment between branches of two distributors writes 9 items', async () => {
    const second = await newDistributorOf(provider);
    const [from, to] = [{ distributor: distributor.id }, { distributor: second.id }];
    const { tid } = await newTerminal(provider, (await newBranch(provider, from)).mid);
    const body = { mid: (await newBranch(provider, to)).mid };
    await succeed('reassignTerminal', { key, headers: headers(), path: { id: tid }, body });
    expect(transactions.at(-1)).toHaveLength(9);
  });

  test('an update of a branch replaces all of its words', async () => {
    const words = () => times(18, () => longId(12)).join(' ');
    // Long words, of letters of four bytes.
    const letters = ['𐐀', '𐐁', '𐐂', '𐐃', '𐐄', '𐐅', '𐐆', '𐐇'].map((letter) => letter.repeat(10));
    const master_merchant_name = `${letters.join(' ')} ${'𐐉'.repeat(167)}`;
    const owner = { master_merchant_id: longId(), master_merchant_name };
    const body = newLongBranch({ ...owner, mid: longId(10), ...sentDetails(words) });
    const { data } = (await succeed('createBranch', { key, body })).body;
    await succeed('updateBranch', {
      key,
      path: { mid: data.mid },
      body: sentDetails(words),
    });
    expectAtMost(transactions.at(-1)?.length ?? 0, 85);
    const entry = largestPut('WORDS');
    expectAtMost(entry, 1.8 * KB);
    // A search reads up to 600 of them.
    expectAtMost(Math.ceil((600 * entry) / (4 * KB)), 265);
  });

  test('an acquirer has at most 20 API keys with the longest labels, and an event of the record 99 names', async () => {
    const acquirer = await longAcquirer('PAYMENT_PROVIDER');
    await limitAcquirer(acquirer.id, { rate: 5, burst: 10 });
    for (let count = 1; count < MOST_KEYS; count += 1) {
      const { key_id } = await issueApiKey(acquirer.id, longText());
      await rotateApiKey(acquirer.id, key_id, 0);
    }
    expectAtMost(await sizesOf([acquirerKey(acquirer.id)]), 25 * KB);
    // Each names at most 99 names.
    expectAtMost(largestPut('RECORD'), 98 * KB);
    expectAtMost(Math.max(...transactions.map(({ length }) => length)), MOST_STEPS);
  });
});

test('a refused request has less than 1 KB, with the longest label and MID and the longest pointers', async () => {
  const key = (await issueApiKey(provider.id, 'l'.repeat(64))).api_key;
  const branch = await newBranch(provider, { mid: longId(64) });
  // The pointers of the last terminals are the longest.
  const terminals = times(40, (at) => ({ terminal_id: `T${at}`, ...(at >= 32 && { terminal_model: '\uffff' }) }));
  const request = { key, path: { id: branch.mid }, query: { validate_only: 'true' }, body: { terminals } };
  const { body } = await call('createTerminals', request);
  const kept = await findRefusedRequest(body.request_id);
  expect(kept).toMatchObject({
    mid: branch.mid,
    validate_only: true,
    errors: times(MOST_ERRORS, () => expect.anything()),
  });
  expectAtMost(sizeOf(kept), KB);
});

describe('a list of branches with the longest texts', () => {
  const query = { per_page: '100' };
  const mids: string[] = [];
  let owner: Caller;

  test('fits a response', async () => {
    owner = await longAcquirer('PAYMENT_PROVIDER');
    const request = newLongBranch({ payment_provider: owner.id, distributor: undefined });
    mids.push((await succeed('createBranch', { key: owner.key, body: request })).body.data.mid);
    await listMissingTerminals(request.mid, 1000);
    const branch = (await getItem<Branch>(branchKey(request.mid))) as Branch;
    // Copies of it, all full, which are created a second earlier and later.
    for (const sign of [-1, 1]) {
      const copies = times(50, (at) => {
        const provider_position = (branch.provider_position as number) + sign * (1_000 + at);
        const created_at = new Date(provider_position).toISOString();
        return { ...branch, mid: longId(64), provider_position, created_at };
      });
      await transact(
        copies.flatMap((copy) => [
          put(branchKey(copy.mid), { ...copy, ...branchKey(copy.mid) }),
          put(branchListEntryKey(owner.id, copy.created_at, copy.mid), {}),
        ]),
      );
      mids.push(...copies.map((copy) => copy.mid));
    }
    const { body } = await succeed('listBranches', { key: owner.key, query });
    expect(body.data).toHaveLength(100);
    expect(bytesOfBody(body)).toBeLessThan(6 * MB);
    const { Item } = transactions.flat().find(({ Item }) => Item?.sk === 'BRANCH') ?? {};
    // A create and a ranking write it three times.
    expectAtMost(3 * begunKb(sizeOf(entryIn('branches-by-provider', Item))), 15);
  });

  test('is read and ranked even if 101 full branches arrived late', async () => {
    const sealed_to = '9999-12-31T23:59:59.999Z#M';
    await transact([put(branchListKey(owner.id), { count: 0, sealed: [], sealed_to })]);
    const before = transactions.length;
    batches = [];
    const { body } = await succeed('listBranches', { key: owner.key, query });
    expect([body.data.length, body.meta.total]).toEqual([100, 101]);
    // It looks up 100, ranks 25, and then looks up the others.
    expect(batches.slice(0, 2)).toEqual([100, 101 - SEALING.most]);
    const seal = transactions[before] as Step[];
    expect(seal).toHaveLength(1 + SEALING.most);
    expectAtMost(await sizesOf(seal.map(keyOf)), 0.7 * MB);
    expectAtMost(await sizesOf(mids.slice(0, 100).map(branchKey)), 2.7 * MB);
  });
});

describe('pages of events', () => {
  const lives = times(LIVES, () => ['terminals.created', 'terminal.deleted']).flat();

  test.each<[Operation, () => Request, types: string[] | undefined]>([
    ['listEvents', () => ({}), undefined],
    [
      'getBranchHistory',
      () => ({ path: { mid } }),
      ['branch.created', ...lives, 'terminals.created', 'terminal.updated', 'terminal.archived'],
    ],
    ['getTerminalHistory', () => ({ path: { id: tids.at(-2) as string } }), ['terminals.created']],
    ['getTerminalHistory', () => ({ path: { id: recurring } }), lives],
  ])('have at most 1 MB and each event once: %s', async (operation, request, types) => {
    const [events, sizes]: [{ id: string; type: string; data: object[] }[], number[]] = [[], []];
    queries = [];
    const { read = 0 } = await statedFor(provider, operation, { ...request(), query: { limit: '100' } });
    for (let query: Record<string, string> = { limit: '100' }; ; ) {
      const { body } = await succeed(operation, { key, ...request(), query });
      sizes.push(bytesOfBody(body));
      events.push(...body.data);
      const { next, up_to_date } = body.meta;
      if (next === null || up_to_date) break;
      query = { ...query, [operation === 'listEvents' ? 'after' : 'before']: next };
    }
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1.1 * MB);
    // What is charged before it is read.
    expect(mostUnits(256)).toBeLessThanOrEqual(read);
    if (types) {
      expect(events.map(({ type }) => type).reverse()).toEqual(types);
      for (const { type, data } of events) if (type === 'terminals.created') expect(data).toHaveLength(40);
      return;
    }
    expectAtMost(Math.max(...sizes), MB);
    expectAtMost(mostUnits(256), 256);
  });
});

describe('a member', () => {
  const rewardOf = (reward_id: string, name: string): Reward => ({
    reward_id,
    name,
    currency: 'EUR',
    minimum_amount: 0,
    valid_from: '2020-01-01T00:00:00.000Z',
    expires_at: '2099-12-31T23:59:59.000Z',
  });

  test('has the longest keys, and exact amounts', async () => {
    const member_id = longText(250);
    const reward = { ...rewardOf(longText(250), longText()), minimum_amount: 1_234_567_890_123.4568 };
    expect(memberRowOf({ member_id, ...reward })).toMatchObject({ reward });
    await addRewards(member_id, [reward]);
    const { minimum_amount } = reward;
    expect(await getItem(rewardKey(member_id, reward.reward_id))).toMatchObject({ minimum_amount });
    expectAtMost(longest.pk, 1_007);
  });

  test('with more than 1 MB of rewards gets those of the first MB, with a warning', async () => {
    const [member, card] = [unique('member'), { card_id: unique('card'), card_pseudo_token: 'token' }];
    await addCard(member, card);
    // JSON escapes each character of the name, so the response is larger than what is read.
    await storeMany(1, 2_500, (number) => ({
      ...rewardKey(member, String(number)),
      ...rewardOf(String(number), '"'.repeat(255)),
      import_id: randomUUID(),
    }));
    const { terminal_id } = await newTerminal(provider, (await newBranch(provider)).mid);
    queries = [];
    const check = { ...card, amount: 1, currency: 'EUR', terminal_id, acquirer_id: provider.id };
    const response = await succeed('memberCheck', { key, body: check });
    expect(response.body.warnings).toMatchObject([{ code: 'incomplete' }]);
    expect(response.body.data.rewards.length).toBeGreaterThan(2_000);
    expectAtMost(bytesOfBody(response.body), 1.5 * MB);
    // In pages of 5, 60 and the rest.
    expectAtMost(mostUnits(128), 128);
  });
});

describe('other responses', () => {
  test('a lookup returns up to 1 MB of the longest names, and accepts the longest request', async () => {
    await storeMany(1, 1_000, () => paymentAppKey(provider.id, longText(250)));
    queries = [];
    const { body } = await succeed('lookup', { key, path: { method: 'paymentApp' } });
    expectAtMost(bytesOfBody(body), 2 * MB);
    expectAtMost(mostUnits(128), 128);
    const query = { search: longText(), payment_provider: provider.id };
    const event = eventOf('lookup', { key, headers: headers(), path: { method: 'masterMerchants' }, query });
    expect((await invoke('lookup', event)).status).toBe(200);
    const request = `GET ${event.rawPath}?${event.rawQueryString} HTTP/1.1`;
    const lines = Object.entries(event.headers).map(([name, value = '']) => name.length + value.length + 4);
    expectAtMost(request.length + sum(lines), 4 * KB);
  });

  test('an unknown name of the most bytes is looked up', async () => {
    const terminals = [{ terminal_id: unique('T'), payment_app: '🏪'.repeat(255) }];
    const body = { mid: unique('M'), master_merchant_id: unique('MM'), terminals };
    const response = await call('createBranch', { key, body });
    expect(response.body.errors).toMatchObject([{ pointer: '/terminals/0/payment_app', code: 'not_found' }]);
    expectAtMost(longest.sk, 1_020);
  });

  test('a log line has at most 5 failures', async () => {
    process.env['LOG_LEVEL'] = 'INFO';
    const lines = captureLog();
    const long = 'x'.repeat(5_000);
    // Equal causes would be logged once.
    const failureAt = (number: number) =>
      new AggregateError(
        times(9, (at) => new Error(`${number}.${at} ${long}`)),
        `${number} ${long}`,
      );
    await inRequest(async () => {
      requestContext().failures.seal.push(...times(10, failureAt));
      const { after } = log();
      await after?.({ event: { routeKey: '' }, context: {}, response: { statusCode: 200, headers: {} } } as never);
    });
    process.env['LOG_LEVEL'] = 'ERROR';
    const [line = {}] = lines();
    jest.restoreAllMocks();
    expect(line['causes']).toHaveLength(25);
    expectAtMost(bytesOfBody(line), 200 * KB);
  });
});

test('all transactions above keep to the limits of DynamoDB', () => {
  for (const steps of transactions) {
    const keys = steps.map((step) => JSON.stringify(keyOf(step)));
    expect(new Set(keys).size).toBe(steps.length);
    expect(steps.length).toBeLessThanOrEqual(100);
  }
  const items: Image[] = transactions.flat().map(({ Item }) => Item);
  expect(Math.max(...items.map(sizeOf))).toBeLessThan(400 * KB);
  expect(Math.max(...items.map((item) => depthOf(item) - 1))).toBe(2);
  const expressions = transactions.flat().flatMap((step) => [step.UpdateExpression, step.ConditionExpression]);
  expect(Math.max(...expressions.map((each = '') => each.length))).toBeLessThan(4 * KB);
});
