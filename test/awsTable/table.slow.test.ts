import { isDeepStrictEqual } from 'node:util';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument, type QueryCommandInput, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { unique } from '../support/world.ts';
import { type AwsTable, startAwsTable } from './table.ts';

/* What the proofs on this table rely on. Its clock moves only when a test says so. */

// biome-ignore lint/suspicious/noExplicitAny: items of any attributes
type Item = Record<string, any>;
type Step = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

const TableName = process.env['TABLE_NAME'] as string;
const ENGINE = process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string;
const clientOf = (endpoint: string) => DynamoDBDocument.from(new DynamoDB({ endpoint, maxAttempts: 1 }));
const LATE_MS = 600_000;

const local = clientOf(ENGINE);
let table: AwsTable;
let aws: DynamoDBDocument;
let now = 0;
/** Ends the pauses of requests that wait. */
const waiting: (() => void)[] = [];
const pause = (milliseconds: number) =>
  milliseconds > 0 ? new Promise<void>((go) => waiting.push(go)) : Promise.resolve();
const goOn = () => {
  for (const go of waiting.splice(0)) go();
};
beforeAll(async () => {
  table = await startAwsTable(ENGINE, {}, { now: () => now, pause });
  aws = clientOf(table.endpoint);
});
beforeEach(() => {
  Object.assign(table.settings, { read: 0, write: 0, lag: [0, 0], visibility: [0, 0] });
  table.reset();
});
afterEach(async () => {
  now += LATE_MS;
  await table.settled();
  jest.restoreAllMocks();
});
afterAll(async () => {
  for (const client of [aws, local]) client.destroy();
  await table.stop();
});

const keyOf = ({ pk, sk }: Item) => ({ pk, sk });
const newItem = (more: Item = {}): Item => ({ pk: `BRANCH#${unique('A')}`, sk: 'BRANCH', ...more });
const put = (Item: Item) => aws.put({ TableName, Item });
const get = async (item: Item) => (await aws.get({ TableName, Key: keyOf(item), ConsistentRead: true })).Item;
const transact = (TransactItems: Step[], ClientRequestToken?: string) =>
  aws.transactWrite({ TransactItems, ClientRequestToken });
const putOf = (Item: Item): Step => ({ Put: { TableName, Item } });
const updateOf = (item: Item, name: string) => ({
  TableName,
  Key: keyOf(item),
  UpdateExpression: 'ADD changes :one SET merchant_name = :name',
  ExpressionAttributeValues: { ':one': 1, ':name': name },
});

/** Waits until a condition holds; fails if it never does. */
async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 1; !(await holds()); tries += 1) {
    if (tries === 10_000) throw new Error('The condition never holds.');
    await new Promise(setImmediate);
  }
}

test('a transaction cancels other writes and TransactGetItems of its items until it has ended, and is applied once', async () => {
  const [item, other] = [newItem(), newItem()];
  await put(item);
  const steps = [{ Update: updateOf(item, 'New') }];
  table.settings.write = 1;
  const done = transact(steps, 'token');
  await until(() => waiting.length === 1);
  table.settings.write = 0;
  const cancelled = '[None, TransactionConflict]';
  await expect(transact([putOf(other), putOf(item)])).rejects.toMatchObject({
    message: expect.stringContaining(cancelled),
    CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
  });
  const Gets = [other, item].map((each) => ({ Get: { TableName, Key: keyOf(each) } }));
  await expect(aws.transactGet({ TransactItems: Gets })).rejects.toThrow(cancelled);
  await expect(put(item)).rejects.toMatchObject({ name: 'TransactionConflictException' });
  await expect(transact(steps, 'token')).rejects.toMatchObject({ name: 'TransactionInProgressException' });
  await transact([putOf(other)]);
  goOn();
  await done;
  await transact(steps, 'token');
  expect(await get(item)).toMatchObject({ changes: 1 });
  expect(table.counts).toEqual({ transactions: 5, conflicts: 3 });
});

test('a transaction shows its items one by one and all before its response, unless a condition fails', async () => {
  const [first, second] = [newItem(), newItem()];
  table.settings.visibility = [0, 1];
  for (const lag of [0, 1]) jest.spyOn(Math, 'random').mockReturnValueOnce(lag);
  const done = transact([putOf(first), { Update: updateOf(second, 'New') }]);
  await until(async () => (await get(first)) !== undefined);
  expect(await get(second)).toBeUndefined();
  goOn();
  await done;
  table.settings.visibility = [0, 0];
  expect(await get(second)).toMatchObject({ changes: 1 });
  const isNew = { ConditionExpression: 'attribute_not_exists(pk)' };
  const another = newItem();
  const steps: Step[] = [putOf(another), { Put: { TableName, Item: first, ...isNew } }];
  await expect(transact(steps)).rejects.toThrow('[None, ConditionalCheckFailed]');
  expect(await get(another)).toBeUndefined();
});

const branch = (payment_provider: string, provider_position: number, more: Item = {}) =>
  newItem({ payment_provider, provider_position, merchant_name: 'Café', mid: unique('M'), ...more });
type Query = Omit<QueryCommandInput, 'TableName'>;
const ofProvider = (provider: string): Query => ({
  IndexName: 'branches-by-provider',
  KeyConditionExpression: 'payment_provider = :provider',
  ExpressionAttributeValues: { ':provider': provider },
});

/** All pages of a query in order. */
async function walk(client: DynamoDBDocument, input: Query) {
  const pages = [];
  for (let start: Item | undefined, isFirst = true; isFirst || start; isFirst = false) {
    const next = { TableName, ...input, ...(start && { ExclusiveStartKey: start }) };
    const { $metadata: _, ...page } = await client.query(next);
    pages.push(page);
    start = page.LastEvaluatedKey;
  }
  return pages;
}
/** The entries of a provider in the index: position and name. */
const shownBy = async (provider: string) =>
  (await walk(aws, ofProvider(provider))).flatMap(({ Items = [] }) =>
    Items.map((item) => [item['provider_position'], item['merchant_name']]),
  );

describe('an index', () => {
  test('shows that an entry has come, has changed or has gone only after its lag, in this order', async () => {
    const provider = unique('P');
    const item = branch(provider, 1);
    table.settings.lag = [LATE_MS, LATE_MS];
    const changes: [() => Promise<unknown>, [number, string][]][] = [
      [() => put(item), [[1, 'Café']]],
      [() => transact([{ Update: updateOf(item, 'New') }]), [[1, 'New']]],
      [() => aws.batchWrite({ RequestItems: { [TableName]: [{ DeleteRequest: { Key: keyOf(item) } }] } }), []],
    ];
    for (const [write, after] of changes) {
      const before = await shownBy(provider);
      await write();
      expect(await shownBy(provider)).toEqual(before);
      now += LATE_MS;
      await table.settled();
      expect(await shownBy(provider)).toEqual(after);
    }
  });

  test.each([
    { removal: 1, arrival: 0, meanwhile: [1, 2], title: 'at both places' },
    { removal: 0, arrival: 1, meanwhile: [], title: 'at neither place' },
  ])('shows an entry that moves $title, depending on the lags of its two changes', async (lags) => {
    const provider = unique('P');
    const item = branch(provider, 1);
    await put(item);
    await table.settled();
    table.settings.lag = [0, LATE_MS];
    jest.spyOn(Math, 'random').mockReturnValueOnce(lags.removal).mockReturnValueOnce(lags.arrival);
    await put({ ...item, provider_position: 2 });
    await until(async () =>
      isDeepStrictEqual(
        (await shownBy(provider)).map(([place]) => place),
        lags.meanwhile,
      ),
    );
    now += LATE_MS;
    await table.settled();
    expect(await shownBy(provider)).toEqual([[2, 'Café']]);
  });

  test('returns the same pages as DynamoDB Local once it has settled', async () => {
    const [provider, mid, big] = [unique('P'), unique('M'), unique('M')];
    const orders = ['', 'a', 'a#1', 'ab', 'b', 'B', 'é', '\u{1F600}', '9', '10'].map((text) => `x${text}`);
    const terminal = (of: string, branch_order: string, more: Item = {}) =>
      newItem({ sk: 'TERMINAL', mid: of, branch_order, ...more });
    const items = [
      ...[-12.5, 0, 1, 1.25, 2, 10, 1_732_222_222_222].map((position) => branch(provider, position)),
      ...orders.map((order) => terminal(mid, order)),
      ...Array.from({ length: 9 }, (_, at) => terminal(big, `${at}`, { text: 'é'.repeat(75_000) })),
    ];
    await Promise.all(items.map(put));
    await table.settled();
    const ofBranch = (of: string, condition = '', values: Item = {}): Query => ({
      IndexName: 'terminals-by-branch',
      KeyConditionExpression: `mid = :mid${condition}`,
      ExpressionAttributeValues: { ':mid': of, ...values },
    });
    const between = { ':low': 1, ':high': 10 };
    const positions: Query = {
      ...ofProvider(provider),
      KeyConditionExpression: 'payment_provider = :provider AND provider_position BETWEEN :low AND :high',
      ExpressionAttributeValues: { ':provider': provider, ...between },
    };
    const queries = [
      ...[ofProvider(provider), ofProvider('nobody'), positions, ofBranch(mid), ofBranch(big)],
      ...[
        ofBranch(mid, ' AND branch_order < :b', { ':b': 'xb' }),
        ofBranch(mid, ' AND branch_order >= :b', { ':b': 'xb' }),
      ],
      ofBranch(mid, ' AND begins_with(branch_order, :a)', { ':a': 'xa' }),
    ];
    for (const query of queries)
      for (const Limit of [undefined, 3])
        for (const ScanIndexForward of [true, false]) {
          const input: Query = { ...query, ...(Limit && { Limit }), ScanIndexForward, ReturnConsumedCapacity: 'TOTAL' };
          expect(await walk(aws, input)).toEqual(await walk(local, input));
        }
    await expect(walk(aws, ofBranch(mid, ' OR mid = :mid'))).rejects.toThrow('is none of the conditions known here.');
  });
});
