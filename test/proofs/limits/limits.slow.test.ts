import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type AttributeValue, BatchGetItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  type BatchGetCommandInput,
  type QueryCommandInput,
  type QueryCommandOutput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { SCHEMA } from '../../../infra/local/table.ts';
import { memberRowOf } from '../../../infra/operate/cli/import/memberRow.ts';
import { isObject } from '../../../infra/stack/template/template.ts';
import { issueApiKey, MOST_KEYS } from '../../../lib/acquirers/keyring.ts';
import { createAcquirer } from '../../../lib/acquirers/registry.ts';
import { inRequest, requestContext } from '../../../lib/aws/requestContext.ts';
import { Cache } from '../../../lib/base/cache.ts';
import { METRICS } from '../../../lib/base/metrics.ts';
import type { Branch } from '../../../lib/branches/branch.ts';
import { SEALING } from '../../../lib/branches/ranks.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { MAX_BODY_BYTES } from '../../../lib/http/limitedBody.ts';
import { log } from '../../../lib/http/log.ts';
import { UNITS_PER_TOKEN } from '../../../lib/http/rateLimit.ts';
import type { Reward } from '../../../lib/members/member.ts';
import { limitAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { addCard, addRewards } from '../../../lib/operator/memberImport.ts';
import { linkPartners } from '../../../lib/operator/partnerships.ts';
import { addReferenceData, MOST_NAMES } from '../../../lib/operator/referenceData.ts';
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
import { bytesOf, type Image, INDEXES, type Index } from '../../awsTable/requests.ts';
import { resolved } from '../../packaged/deployed.ts';
import { templateOf } from '../../packaged/packaging.ts';
import { call, eventOf, expectProblem, invoke, type Operation, type Request } from '../../support/api.ts';
import { captureLog } from '../../support/log.ts';
import { storeMany } from '../../support/storeMany.ts';
import { type Caller, newBranch, newDistributorOf, newTerminal, unique } from '../../support/world.ts';
import { succeed, waitForEngine } from '../bounds/bounds.ts';

/*
 * Makes the largest things that the service accepts, and compares them with the limits of AWS and with the column "Our
 * most" of docs/limits.md. A figure there must not be exceeded, nor be much larger than what is measured.
 */

const KB = 1024;
const MB = 1024 * KB;
const UNITS: Record<string, number> = { KB, MB };

const PAGE = readFileSync('docs/limits.md', 'utf8').split('\n');

/** The cells of the only row of the page that begins with these cells. */
function row(start: string): string[] {
  const [line, ...others] = PAGE.filter((each) => each.startsWith(`| ${start}`));
  if (line === undefined || others.length > 0) throw new Error(`docs/limits.md has no single row "${start}".`);
  return line.slice(2, -2).split(' | ');
}

/** The figures in a cell of the page: in bytes, if they have a unit of size. */
const figuresIn = (cell = ''): number[] =>
  [...cell.matchAll(/(?<![\w.])(\d[\d,]*(?:\.\d+)?)(?: (KB|MB))?/g)].map(
    ([, digits = '', unit = '']) => Number(digits.replaceAll(',', '')) * (UNITS[unit] ?? 1),
  );

/** Compares measured figures with those that a row has as "Our most". */
function expectMost(start: string, ...measured: number[]): void {
  const figures = figuresIn(row(start)[3]);
  for (const [at, one] of measured.entries()) {
    const figure = figures[at] ?? Number.NaN;
    expect([start, one, one <= figure, one > 0.8 * figure]).toEqual([start, one, true, true]);
  }
}

/** Compares a measured figure with the one in the third column of a row. */
function expectThird(start: string, measured: number): void {
  const [figure = 0] = figuresIn(row(start)[2]);
  expect(measured).toBeLessThanOrEqual(figure);
  // How well random texts compress varies a little.
  expect(measured).toBeGreaterThan(0.97 * figure);
}

/** A step of a transaction in DynamoDB's JSON. */
interface Step {
  Key?: Image;
  Item?: Image;
  UpdateExpression?: string;
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Image;
}

/** The transactions that were sent, each with its steps. */
const transactions: Step[][] = [];
/** The number of keys of each BatchGetItem. */
let batches: number[] = [];
/** The read units of each Query. */
let queries: number[] = [];
/** The units of the largest. AWS ends a page before the item that exceeds 1 MB; DynamoDB Local, some items later. */
const mostUnits = (unitsPerMb: number): number => Math.min(Math.max(...queries), unitsPerMb);
/** The estimated write units of each transaction. */
let estimates: number[] = [];
/** The longest partition and sort keys. */
const longest = { pk: 0, sk: 0 };

const noteKeys = (pk = '', sk = ''): void => {
  longest.pk = Math.max(longest.pk, Buffer.byteLength(pk));
  longest.sk = Math.max(longest.sk, Buffer.byteLength(sk));
};

table.middlewareStack.add(
  (next) => async (args) => {
    // The callers have no rate limit, so nothing else is charged.
    requestContext().charge ??= async (units) => void estimates.push(units);
    const result = await next(args);
    const { KeyConditionExpression, RequestItems } = args.input as QueryCommandInput & BatchGetCommandInput;
    const { ConsumedCapacity } = result.output as QueryCommandOutput;
    if (KeyConditionExpression) queries.push(ConsumedCapacity?.CapacityUnits ?? 0);
    const { Keys } = RequestItems?.[tableName()] ?? {};
    if (Keys) batches.push(Keys.length);
    for (const { pk, sk } of Keys ?? []) noteKeys(pk, sk);
    return result;
  },
  { step: 'initialize', priority: 'high', name: 'measured' },
);
table.middlewareStack.add(
  (next) => (args) => {
    const { headers, body } = args.request as { headers: Record<string, string>; body: Uint8Array };
    if (headers['x-amz-target']?.endsWith('.TransactWriteItems')) {
      const { TransactItems } = JSON.parse(new TextDecoder().decode(body));
      const steps: Step[] = TransactItems.flatMap((each: object) => Object.values(each));
      transactions.push(steps);
      for (const { Key, Item = Key } of steps) noteKeys(Item?.['pk']?.S, Item?.['sk']?.S);
    }
    return next(args);
  },
  { step: 'finalizeRequest', priority: 'low', name: 'sent transactions' },
);
const client = new DynamoDBClient();
afterAll(() => client.destroy());

/** Stored items in DynamoDB's JSON, in which binary values are Base64. */
async function imagesOf(keys: Key[]): Promise<Image[]> {
  const Keys = keys.map(({ pk, sk }) => ({ pk: { S: pk }, sk: { S: sk } }));
  const { Responses } = await client.send(new BatchGetItemCommand({ RequestItems: { [tableName()]: { Keys } } }));
  const toBase64 = (_: string, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
  return JSON.parse(JSON.stringify(Responses?.[tableName()] ?? [], toBase64));
}

/** The bytes of items as they are stored now. */
const sizesOf = async (keys: Key[]): Promise<number> => sum((await imagesOf(keys)).map(bytesOf));

const keyOf = ({ Key, Item }: Step): Key => {
  const { pk, sk } = Key ?? Item ?? {};
  return { pk: pk?.S ?? '', sk: sk?.S ?? '' };
};
/** The largest item of one kind that was put. */
const largestPut = (prefix: string): number =>
  Math.max(...transactions.flat().map(({ Item }) => (Item?.['pk']?.S?.startsWith(prefix) ? bytesOf(Item) : 0)));

/** How many levels of lists and maps a value has. */
const depthOf = ({ M, L }: AttributeValue): number =>
  M || L ? 1 + Math.max(0, ...Object.values(M ?? L ?? {}).map(depthOf)) : 0;

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
const lengthOf = (text: string): number => Buffer.byteLength(text);
const bytesOfBody = (body: unknown): number => Buffer.byteLength(JSON.stringify(body));
const begunKb = (bytes: number): number => Math.ceil(bytes / KB);

/** A text of four bytes per character that hardly compresses. */
const longText = (characters = 255): string =>
  String.fromCodePoint(...times(characters, () => 0x10000 + Math.floor(Math.random() * 0x100000)));

const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** An id that hardly compresses. */
const longId = (length = 255): string => times(length, () => ALPHANUMERIC[Math.floor(Math.random() * 62)]).join('');

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
  times(40, (at) => ({
    terminal_id: longId(),
    serial_no: longId(),
    terminal_model: longText(),
    payment_app: apps[at],
    acquirer_name: acquirers[at],
  }));

/** A text that JSON doubles in length. */
const QUOTES = '"'.repeat(255);

const master = {
  master_merchant_id: longId(),
  master_merchant_name: longText(),
  email: `${longId(63)}@${longId(63)}.${longId(63)}.${longId(63)}`,
  country_code: longText(),
  phone: `${'1 '.repeat(127)}1`,
  mcc: '5812',
  country: longText(),
};
const longBranch = (more: object = {}) => ({
  payment_provider: provider.id,
  distributor: distributor.id,
  mid: longId(64),
  branch_name: longText(),
  area: longText(),
  city: longText(),
  ...master,
  ...more,
});

const headers = () => ({ 'idempotency-key': longId() });

/** A branch with the longest texts and 1,000 terminals: those in `tids` have the longest texts, the others do not exist. */
let mid: string;
/** The steps of the largest create. */
let create: Step[];
/** The longest terminals in the order of their creation. */
const tids: string[] = [];
/** A terminal that was created this often, each time among 39 others, and deleted again. */
let recurring: string;
const LIVES = 9;

/** Lists terminals that do not exist in a branch, as its oldest. */
async function fill(to: string, count: number): Promise<void> {
  const tidOf = () => Buffer.from(randomUUID().replaceAll('-', ''), 'hex');
  const terminals = new Set(times(count, () => Buffer.concat([Buffer.alloc(7), tidOf()])));
  const UpdateExpression = 'ADD terminals :terminals';
  const ExpressionAttributeValues = { ':terminals': terminals };
  const input = { TableName: tableName(), Key: branchKey(to), UpdateExpression, ExpressionAttributeValues };
  await table.send(new UpdateCommand(input));
}

const createLong = async (terminals: object[]): Promise<string[]> => {
  const request = { key, headers: headers(), path: { id: mid }, body: { terminals } };
  const { body } = await succeed('createTerminals', request);
  return body.data.map(({ tid }: { tid: string }) => tid);
};

beforeAll(async () => {
  await waitForEngine();
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
    [batches, estimates] = [[], []];
    const body = longBranch({ terminals: longTerminals() });
    const response = await succeed('createBranch', { key, headers: headers(), body });
    expectMost('Request payload: 6 MB', MAX_BODY_BYTES);
    expect(bytesOfBody(body)).toBeLessThan(MAX_BODY_BYTES);
    // The entries of words, which do not fit it, are stored right after it.
    create = transactions.find((steps) => steps.some(({ Item }) => Item?.['sk']?.S === 'BRANCH')) ?? [];
    expectMost('Transaction: 100 items', create.length);
    expect(create.length).toBeLessThanOrEqual(MOST_STEPS);
    const [bytes, largest] = [
      await sizesOf(create.map(keyOf)),
      Math.max(largestPut('EVENTS'), largestPut('IDEMPOTENCY')),
    ];
    expect(bytes).toBeLessThan(4 * MB);
    expectMost('Item: 400 KB', largest, bytesOfBody(response.body));
    expectMost('`BatchGetItem`: 100 keys', sum(batches), batches.length);
    expect(Math.max(...batches)).toBeLessThanOrEqual(100);
    const entries = create.filter(({ Item }) => Item?.['sk']?.S?.startsWith('BRANCH_LIST#'));
    expectThird('Entries of a list that are not', Math.max(...entries.map(({ Item = {} }) => bytesOf(Item))));
    expectMost('Partition: 1,000 write', estimates[0] ?? 0, Math.ceil((estimates[0] ?? 0) / UNITS_PER_TOKEN));
    expectMost('The same, for one request on one key', 2 * begunKb(largestPut('EVENTS')));
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
    await fill(mid, 1000 - tids.length - 40);
    tids.push(...(await createLong(longTerminals())));
    expectMost('The same, for `createTerminals`', transactions.at(-1)?.length ?? 0);
    const { body } = await succeed('getBranch', { key, path: { mid } });
    expect(body.data.terminal_count).toBe(1000);
    expectMost('The same, for a branch', await sizesOf([branchKey(mid)]));
  });
});

describe('a full branch', () => {
  const TOO_MANY =
    'A branch can have at most 1000 terminals, and this one has 1000. Delete some, or use another branch.';

  test('rejects one more terminal by a create or a reassignment, and stores nothing', async () => {
    const { tid } = await newTerminal(provider, (await newBranch(provider)).mid);
    const before = [transactions.length, await imagesOf([branchKey(mid), terminalKey(tid)])];
    const another = { terminals: [{ terminal_id: unique('T') }] };
    for (const response of [
      await call('createTerminals', { key, path: { id: mid }, body: another }),
      await call('reassignTerminal', { key, path: { id: tid }, body: { mid } }),
    ])
      expectProblem(response, 'too_many_terminals', TOO_MANY);
    expect([transactions.length, await imagesOf([branchKey(mid), terminalKey(tid)])]).toEqual(before);
  });

  test('lists 100 terminals with the longest texts and the longest links', async () => {
    // The second page, which has all links.
    const [id = '', ...others] = tids.slice(-200, -100);
    await succeed('updateTerminal', { key, path: { id }, body: { ...longTerminals()[1], terminal_id: undefined } });
    await succeed('archiveTerminal', { key, path: { id }, body: { reason: longText() } });
    const set = () => ({ archived_at: new Date().toISOString(), archive_reason: longText() });
    await transact(others.map((tid) => update(terminalKey(tid), { set: set() }, exists('stale'))));
    expectMost('The same, for a terminal', await sizesOf([terminalKey(id)]));
    // The gateway accepts 10,240 bytes of request line and headers. A link takes three for each of these characters.
    const rawQueryString = `per_page=100&page=2&other=${'~'.repeat(10_000)}`;
    const query = { per_page: '100', page: '2', other: '~' };
    queries = [];
    const event = eventOf('listTerminals', { key, path: { id: mid }, query });
    const { body } = await invoke('listTerminals', { ...event, rawQueryString });
    expect(body.data.map(({ tid }: { tid: string }) => tid)).toEqual([id, ...others].toReversed());
    expect(body.data[0].archive_reason).not.toBeNull();
    // Eventually consistent: half a unit for each 4 KB.
    expectMost('`Query`: 1 MB per page', Math.max(...queries) * 8 * KB);
    expectMost('`links` repeat the query', bytesOfBody(body.links));
    expectMost('Response payload: 6 MB', bytesOfBody(body));
  });

  test('is read and changed at the cost on the page', async () => {
    const size = await sizesOf([branchKey(mid)]);
    const terminals = create.flatMap(({ Item }) => (Item?.['branch_order'] ? begunKb(bytesOf(Item)) : []));
    expectThird('`BRANCH#mid` | Change', 2 * begunKb(size));
    expectThird('`BRANCH#mid` | Member check', Math.ceil(size / (4 * KB)));
    expectThird('`terminals-by-branch`, one branch', sum(terminals));
  });
});

describe('other transactions and items', () => {
  test('a reassignment between branches of two distributors writes 8 items', async () => {
    const second = await newDistributorOf(provider);
    const [from, to] = [{ distributor: distributor.id }, { distributor: second.id }];
    const { tid } = await newTerminal(provider, (await newBranch(provider, from)).mid);
    const body = { mid: (await newBranch(provider, to)).mid };
    await succeed('reassignTerminal', { key, headers: headers(), path: { id: tid }, body });
    expectMost('The same, for a reassignment', transactions.at(-1)?.length ?? 0);
  });

  test('an update of a branch replaces all of its words', async () => {
    const words = () => times(10, () => longId(20)).join(' ');
    // Words with 256 bytes, of letters of four bytes.
    const master_merchant_name = `${'𐐀'.repeat(225)} ${'𐐁'.repeat(29)}`;
    const owner = { master_merchant_id: longId(10), master_merchant_name };
    const body = longBranch({ ...owner, mid: longId(10), branch_name: words(), area: undefined, city: undefined });
    const { mid } = (await succeed('createBranch', { key, body })).body.data;
    await succeed('updateBranch', { key, path: { mid }, body: { branch_name: words() } });
    expectMost('The same, for an update of a branch', transactions.at(-1)?.length ?? 0);
    const entry = largestPut('WORDS');
    expectMost('The same, for a search entry', entry);
    expectThird('`WORDS#acquirer#list', Math.ceil((600 * entry) / (4 * KB)));
  });

  test('an acquirer has at most 20 API keys with the longest labels, and an event of the record 99 names', async () => {
    const acquirer = await longAcquirer('PAYMENT_PROVIDER');
    await limitAcquirer(acquirer.id, { rate: 5, burst: 10 });
    for (let count = 1; count < MOST_KEYS; count += 1) await issueApiKey(acquirer.id, longText());
    expectMost('The same, for an acquirer with its API keys', await sizesOf([acquirerKey(acquirer.id)]));
    // Each names at most 99 names.
    expectMost('The same, for an event of the operator', largestPut('RECORD'));
    expectMost('The same, for operators', Math.max(...transactions.map(({ length }) => length)));
  });
});

describe('a list of branches with the longest texts', () => {
  const query = { per_page: '100' };
  const mids: string[] = [];
  let owner: Caller;

  test('fits a response', async () => {
    owner = await longAcquirer('PAYMENT_PROVIDER');
    const request = longBranch({ payment_provider: owner.id, distributor: undefined });
    mids.push((await succeed('createBranch', { key: owner.key, body: request })).body.data.mid);
    await fill(request.mid, 1000);
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
    queries = [];
    const { body } = await succeed('listBranches', { key: owner.key, query });
    expect(body.data).toHaveLength(100);
    expect(bytesOfBody(body)).toBeLessThan(6 * MB);
    const { Item: entry = {} } = transactions.flat().find(({ Item }) => Item?.['sk']?.S === 'BRANCH') ?? {};
    const { shown: projected } = INDEXES.get('branches-by-provider') as Index;
    const shown = Object.fromEntries(Object.entries(entry).filter(([name]) => projected.has(name)));
    expectThird('`branches-by-*`, one acquirer', 3 * begunKb(bytesOf(shown)));
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
    expectMost('Transaction: 4 MB', await sizesOf(seal.map(keyOf)));
    expectMost('`BatchGetItem`: partial result', await sizesOf(mids.slice(0, 100).map(branchKey)));
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
    if (types) {
      expect(events.map(({ type }) => type).reverse()).toEqual(types);
      for (const { type, data } of events) if (type === 'terminals.created') expect(data).toHaveLength(40);
      return;
    }
    expectMost('The same, for events and histories', Math.max(...sizes));
    expectThird('`EVENTS#acquirer#month` | Page of events', mostUnits(256));
  });

  test('store the largest create at the cost on the page', () => {
    const { Item = {} } = create.find((step) => step.Item?.['branch_history']) ?? {};
    const { ttl: _, ...entry } = Item;
    expectThird('`EVENTS#acquirer#month` | Create', 2 * begunKb(bytesOf(Item)));
    expectThird('`events-by-branch`', begunKb(bytesOf(entry)));
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
    const { Item = {} } = transactions.at(-1)?.at(-1) ?? {};
    expect(Item['minimum_amount']?.N).toBe('1234567890123.4568');
    expectMost('Number: 38 digits', Item['minimum_amount']?.N?.replace('.', '').length ?? 0);
    expectMost('Partition key: 2,048 bytes', longest.pk);
  });

  test('with more than 1 MB of rewards gets those of the first MB, with a warning', async () => {
    const [member, card] = [unique('member'), { card_id: unique('card'), card_pseudo_token: 'token' }];
    await addCard(member, card);
    // JSON escapes each character of the name, so the response is larger than what is read.
    await storeMany(1, 2_500, (number) => ({
      ...rewardKey(member, String(number)),
      ...rewardOf(String(number), QUOTES),
      import_id: randomUUID(),
    }));
    const { terminal_id } = await newTerminal(provider, (await newBranch(provider)).mid);
    queries = [];
    const check = { ...card, amount: 1, currency: 'EUR', terminal_id, acquirer_id: provider.id };
    const response = await succeed('memberCheck', { key, body: check });
    expect(response.body.warnings).toMatchObject([{ code: 'incomplete' }]);
    expect(response.body.data.rewards.length).toBeGreaterThan(2_000);
    expectMost('The same, for a member', bytesOfBody(response.body));
    expectThird('`MEMBER#id`', mostUnits(256));
  });
});

describe('other responses', () => {
  test('a lookup returns up to 1 MB of the longest names, and accepts the longest request', async () => {
    await storeMany(1, 1_000, () => paymentAppKey(provider.id, longText(250)));
    queries = [];
    const { body } = await succeed('lookup', { key, path: { method: 'paymentApp' } });
    expectMost('The same, for lookups', bytesOfBody(body));
    expectThird('`MASTER_MERCHANTS#acquirer` and', mostUnits(128));
    const query = { search: longText(), payment_provider: provider.id };
    const event = eventOf('lookup', { key, headers: headers(), path: { method: 'masterMerchants' }, query });
    expect((await invoke('lookup', event)).status).toBe(200);
    const request = `GET ${event.rawPath}?${event.rawQueryString} HTTP/1.1`;
    expectMost(
      'Request line and headers',
      request.length + sum(Object.entries(event.headers).map(([name, value = '']) => name.length + value.length + 4)),
    );
  });

  test('warnings are 100 and a count, and field errors one per field', async () => {
    // Letters of four bytes.
    const unknown = Object.fromEntries(times(200, (at) => [String.fromCodePoint(0x2_0000 + at).repeat(40), 1]));
    const terminals = [{ terminal_id: unique('T'), ...unknown }];
    const path = { id: (await newBranch(provider)).mid };
    const { body } = await succeed('createTerminals', { key, path, body: { terminals } });
    expect(body.warnings).toHaveLength(101);
    expectMost('The same, for warnings', bytesOfBody(body.warnings));
    const wrong = { terminal_id: '', serial_no: '-', terminal_model: '\0', payment_app: '\0', acquirer_name: '\0' };
    const invalid = Object.fromEntries(Object.keys(longBranch()).map((field) => [field, '\0']));
    const rejected = await call('createBranch', { key, body: { ...invalid, terminals: times(40, () => wrong) } });
    expect(rejected.body.errors).toHaveLength(40 * 5 + Object.keys(invalid).length);
    expectMost('The same, for field errors', bytesOfBody(rejected.body));
  });

  test('an unknown name of the most bytes is looked up', async () => {
    const terminals = [{ terminal_id: unique('T'), payment_app: '🏪'.repeat(255) }];
    const body = { mid: unique('M'), master_merchant_id: unique('MM'), terminals };
    const response = await call('createBranch', { key, body });
    expect(response.body.errors).toMatchObject([{ pointer: '/terminals/0/payment_app', code: 'not_found' }]);
    expectMost('Sort key: 1,024 bytes', longest.sk);
  });
});

describe('a process', () => {
  test('logs at most 5 failures per line', async () => {
    process.env['LOG_LEVEL'] = 'INFO';
    const lines = captureLog();
    const long = 'x'.repeat(5_000);
    const failure = () =>
      new AggregateError(
        times(9, () => new Error(long)),
        long,
      );
    await inRequest(async () => {
      requestContext().failures.seal.push(...times(10, failure));
      const { after } = log();
      await after?.({ event: { routeKey: '' }, context: {}, response: { statusCode: 200, headers: {} } } as never);
    });
    process.env['LOG_LEVEL'] = 'ERROR';
    const [line = {}] = lines();
    jest.restoreAllMocks();
    expect(line['causes']).toHaveLength(25);
    expectMost('Log event: 1 MB', bytesOfBody(line));
  });

  test('has room for full caches', () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const used = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    /** Takes as much memory as the longest text. */
    const inMemory = () => randomBytes(1020).toString('utf16le');
    const before = used();
    const keys = new Cache<object>(10_000);
    for (let count = 0; count < 10_000; count += 1) {
      const acquirer = { id: randomUUID(), type: 'PAYMENT_PROVIDER', name: inMemory() };
      keys.set(randomUUID() + randomUUID(), { acquirer, key_id: randomUUID().slice(0, 12), label: inMemory() });
    }
    const lists = new Cache<object>(20);
    const item = (id: string, name: string) => ({
      id,
      name,
      master_merchant_id: undefined,
      payment_provider: undefined,
    });
    // An item of a short name takes 60 bytes in the table.
    const listOf = (list: number) => times(MB / 60, (at) => item(`${list}-${at}`, `${list}-${at}`));
    for (let list = 0; list < 20; list += 1) lists.set(randomUUID(), listOf(list));
    const after = used();
    expect(keys.get('') ?? lists.get('')).toBeUndefined();
    expectMost('Memory', after - before);
  });
});

describe('the deployment', () => {
  test('has few settings, indexes and metrics', async () => {
    const template = await templateOf('prod');
    const sizes = Object.values(template.Resources).flatMap(({ Type, Properties }) => {
      if (Type !== 'AWS::Lambda::Function' || !isObject(Properties.Environment?.Variables)) return [];
      return [resolved(template, Properties.Environment.Variables) as Record<string, string>];
    });
    const bytes = sizes.map((each) => sum(Object.entries(each).flat().map(lengthOf)));
    expectMost('Environment variables: 4 KB', Math.max(...bytes));
    const indexes = SCHEMA.GlobalSecondaryIndexes ?? [];
    const projected = indexes.flatMap(({ Projection }) => Projection?.NonKeyAttributes ?? []);
    expectMost('Indexes: 20 per table', indexes.length, projected.length);
    expectMost('Metrics in a log event', Object.keys(METRICS).length);
    const stage = Object.values(template.Resources).find(({ Type }) => Type === 'AWS::ApiGatewayV2::Stage');
    expectMost('Access log', stage?.Properties.AccessLogSettings.Format.length);
  });
});

describe('all transactions above', () => {
  test('keep to the limits of DynamoDB', () => {
    for (const steps of transactions) {
      const keys = steps.map((step) => JSON.stringify(keyOf(step)));
      expect(new Set(keys).size).toBe(steps.length);
      expect(steps.length).toBeLessThanOrEqual(100);
    }
    expect(Math.max(...transactions.flat().map(({ Item }) => bytesOf(Item ?? {})))).toBeLessThan(400 * KB);
    const depths = transactions.flat().map(({ Item = {} }) => depthOf({ M: Item }) - 1);
    expectMost('Nesting: 32 levels', Math.max(...depths));
  });

  test('have the expressions on the page', async () => {
    const all = transactions.flat().filter(({ UpdateExpression }) => UpdateExpression);
    const expressions = all.flatMap((step) => [step.UpdateExpression ?? '', step.ConditionExpression ?? '']);
    const operators = all.map(({ UpdateExpression = '' }) => [...UpdateExpression.matchAll(/[A-Z]+|[=+-]/g)].length);
    const placeholders = all.flatMap((step) =>
      Object.keys({ ...step.ExpressionAttributeNames, ...step.ExpressionAttributeValues }),
    );
    const operands = all.map(
      ({ ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} }) =>
        sum(Object.entries(names).flat().map(lengthOf)) + bytesOf(values),
    );
    expectMost('Expression: 4 KB', Math.max(...expressions.map(lengthOf)));
    expectMost('Operators in an', Math.max(...operators));
    expectMost('Placeholder: 255 bytes', Math.max(...placeholders.map(lengthOf)), Math.max(...operands));
  });
});

describe('docs/limits.md', () => {
  /** A create reads and writes more than one request or partition can, in several. */
  const IN_PARTS = /^\| (`BatchGetItem`: 100 keys|Partition: 1,000 write)/;

  test('has no figure above its limit', () => {
    let limits: number[] = [];
    let compared = 0;
    for (const line of PAGE.filter((each) => /^\| .+\]\[\w+\] \|/.test(each))) {
      const [limit = '', , , most] = line.slice(2).split(' | ');
      if (!limit.startsWith('The same')) limits = figuresIn(limit);
      if (IN_PARTS.test(line) || !line.includes('`limits`')) continue;
      const [figure, least] = [figuresIn(most)[0], limits[0]];
      if (figure === undefined || least === undefined) continue;
      expect([line, figure <= least]).toEqual([line, true]);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(30);
  });

  test('has the rates that its units allow', () => {
    const rows = PAGE.filter((line) => /\| \d+ (written|read) \| [\d,]+ \|$/.test(line));
    expect(rows.length).toBeGreaterThan(5);
    for (const line of rows) {
      const [, , units = '', rate = ''] = line.split(' | ');
      const most = (units.endsWith('read') ? 3000 : 1000) / Number(figuresIn(units)[0]);
      const [figure = 0] = figuresIn(rate);
      expect([line, figure <= most, figure > 0.9 * most - 1]).toEqual([line, true, true]);
    }
  });
});
