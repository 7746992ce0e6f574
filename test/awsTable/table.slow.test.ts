import { isDeepStrictEqual } from 'node:util';
import { DynamoDB, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument, type QueryCommandInput, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { unique } from '../support/world.ts';
import { type AwsTable, startAwsTable } from './table.ts';

// biome-ignore lint/suspicious/noExplicitAny: items of any attributes
type Item = Record<string, any>;
type Query = Omit<QueryCommandInput, 'TableName'>;
type Step = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

const TableName = process.env['TABLE_NAME'] as string;
const clientOf = (endpoint: string) => DynamoDBDocument.from(new DynamoDB({ endpoint, maxAttempts: 1 }));

const ENGINE = process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string;
const PARTITIONS = { read: 3_000, write: 1_000 };
const PLAIN = { read: 0, write: 0, lag: [0, 0], visibility: [0, 0], partitions: PARTITIONS } as const;
/** Longer than any test. */
const LATE = 600_000;
/** For how long indexes lag and items of transactions are hidden until the clock skips it. */
const LATER = [LATE, LATE] as const;

const local = clientOf(ENGINE);
let table: AwsTable;
let aws: DynamoDBDocument;
beforeAll(async () => {
  table = await startAwsTable(ENGINE);
  aws = clientOf(table.endpoint);
});
const now = performance.now.bind(performance);
let skipped = 0;
/** Advances the clock of the table. */
const skip = (milliseconds: number) => {
  skipped += milliseconds;
};
beforeEach(() => {
  Object.assign(table.settings, PLAIN);
  table.reset();
  jest.spyOn(performance, 'now').mockImplementation(() => now() + skipped);
});
const caughtUp = async () => {
  skip(LATE);
  await table.settled();
};
afterEach(async () => {
  await caughtUp();
  jest.restoreAllMocks();
});
afterAll(async () => {
  for (const client of [aws, local]) client.destroy();
  await table.stop();
});

const keyOf = ({ pk, sk }: Item) => ({ pk, sk });
const put = (Item: Item, client = aws) => client.put({ TableName, Item });
const get = async (item: Item, client = aws) =>
  (await client.get({ TableName, Key: keyOf(item), ConsistentRead: true })).Item;
const getAll = async (...items: Item[]) => {
  const RequestItems = { [TableName]: { Keys: items.map(keyOf), ConsistentRead: true } };
  const { Responses, UnprocessedKeys } = await aws.batchGet({ RequestItems });
  return { found: Responses?.[TableName], left: UnprocessedKeys?.[TableName]?.Keys };
};
const batchWrite = (...requests: object[]) => aws.batchWrite({ RequestItems: { [TableName]: requests } });
const transact = (TransactItems: Step[], ClientRequestToken?: string) =>
  aws.transactWrite({ TransactItems, ClientRequestToken });
const transactGet = (...items: Item[]) =>
  aws.transactGet({ TransactItems: items.map((item) => ({ Get: { TableName, Key: keyOf(item) } })) });

/** All pages of a query in order. */
async function walk(client: DynamoDBDocument, input: Query) {
  const pages = [];
  for (let start: Item | undefined, isFirst = true; isFirst || start; isFirst = false) {
    const { $metadata: _, ...page } = await client.query({
      TableName,
      ...input,
      ...(start && { ExclusiveStartKey: start }),
    });
    pages.push(page);
    start = page.LastEvaluatedKey;
  }
  return pages;
}

/* Steps of transactions. */
const puts = (...items: Item[]): Step[] => items.map((Item) => ({ Put: { TableName, Item } }));
const putNew = (Item: Item): Step => ({ Put: { TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' } });
const deletion = (item: Item): Step => ({ Delete: { TableName, Key: keyOf(item) } });
const check = (item: Item): Step => ({
  ConditionCheck: { TableName, Key: keyOf(item), ConditionExpression: 'attribute_not_exists(no_such)' },
});
const updateOf = (item: Item, name: string) => ({
  TableName,
  Key: keyOf(item),
  UpdateExpression: 'ADD changes :one SET merchant_name = :name',
  ExpressionAttributeValues: { ':one': 1, ':name': name },
});

/** A new item of a partition of its own. */
const newItem = (more: Item = {}): Item => ({ pk: `BRANCH#${unique('A')}`, sk: 'BRANCH', ...more });
/** The same, stored with a text of so many kilobytes. */
async function stored(kilobytes = 0, more: Item = {}): Promise<Item> {
  const item = newItem({ text: 'x'.repeat(kilobytes * 1024), ...more });
  await put(item, local);
  return item;
}

/** Waits until a condition holds; fails if it never does. */
async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 1; !(await holds()); tries += 1) {
    if (tries === 10_000) throw new Error('The condition never holds.');
    await new Promise(setImmediate);
  }
}

/** Begins a transaction, which holds its items until `end` is called. */
async function begin(steps: Step[], token?: string) {
  table.settings.visibility = LATER;
  const before = table.counts.transactions;
  const done = transact(steps, token);
  await until(() => table.counts.transactions > before);
  const end = async () => {
    // If it has not begun to wait yet, it is applied at once.
    table.settings.visibility = [0, 0];
    skip(LATE);
    await done;
  };
  return { end };
}

const THROTTLED = { name: 'ProvisionedThroughputExceededException', $metadata: { httpStatusCode: 400 } };

describe('a transaction', () => {
  test('cancels others with one of its items, and continues', async () => {
    const [one, two, three, four, other] = Array.from({ length: 5 }, () => newItem()) as [Item, Item, Item, Item, Item];
    const { end } = await begin([...puts(one), { Update: updateOf(two, 'Two') }, deletion(three), check(four)]);
    for (const step of [check(one), { Update: updateOf(two, 'New') }, deletion(three), ...puts(four)]) {
      const error = await transact([...puts(other), step]).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(TransactionCanceledException);
      const [Code, Message] = ['TransactionConflict', 'Transaction is ongoing for the item'];
      expect(error).toMatchObject({
        message: `Transaction cancelled, please refer cancellation reasons for specific reasons [None, ${Code}]`,
        CancellationReasons: [{ Code: 'None' }, { Code, Message }],
        $metadata: { httpStatusCode: 400, attempts: 1 },
      });
    }
    await end();
    expect((await getAll(one, two, other)).found).toEqual([one, { ...two, changes: 1, merchant_name: 'Two' }]);
    expect(table.counts).toMatchObject({ transactions: 5, conflicts: 4, conflictsByKind: { 'BRANCH BRANCH': 4 } });
  });

  test('conflicts with none of other items, and with none after it has ended, was cancelled or has failed', async () => {
    const [item, other] = [newItem(), newItem()];
    const { end } = await begin(puts(item));
    await expect(transact(puts(item, other))).rejects.toThrow('[TransactionConflict, None]');
    table.settings.visibility = [0, 0];
    await transact(puts(other, { ...item, sk: 'ANOTHER' }));
    await end();
    await expect(transact([putNew(item)])).rejects.toThrow('[ConditionalCheckFailed]');
    await transact([deletion(item), deletion(other)]);
    expect(table.counts).toMatchObject({ transactions: 5, conflicts: 1 });
  });

  test('rejects single writes and TransactGetItems of its items, but no BatchWriteItem', async () => {
    const [item, other] = [await stored(), await stored()];
    const { end } = await begin([check(item), ...puts(newItem())]);
    const writes = [put(item), aws.update(updateOf(item, 'New')), aws.delete({ TableName, Key: keyOf(item) })];
    for (const result of await Promise.allSettled(writes))
      expect(result).toMatchObject({ status: 'rejected', reason: { name: 'TransactionConflictException' } });
    await expect(transactGet(other, item)).rejects.toThrow('[None, TransactionConflict]');
    expect(table.counts.conflicts).toBe(4);
    const Item = { ...item, number: 1 };
    await batchWrite({ PutRequest: { Item } });
    await end();
    await put(other);
    expect((await transactGet(other, item)).Responses).toEqual([{ Item: other }, { Item }]);
  });

  test('that is sent again is in progress until it has ended, and is applied once', async () => {
    const item = newItem();
    const steps = [{ Update: updateOf(item, 'New') }];
    const { end } = await begin(steps, 'token');
    await expect(transact(steps, 'token')).rejects.toMatchObject({ name: 'TransactionInProgressException' });
    await end();
    await transact(steps, 'token');
    expect(await get(item)).toMatchObject({ changes: 1 });
    expect(table.counts).toMatchObject({ transactions: 3, conflicts: 0 });
  });
});

describe('a transaction that is applied item by item', () => {
  test('shows its items to each kind of read one by one, and all before its response', async () => {
    const pk = unique('V');
    const version = (sk: string, number: number): Item => ({ pk, sk, number });
    const before = ['b', 'c', 'd'].map((sk) => version(sk, 1));
    await Promise.all(before.map((item) => put(item)));
    // Of these, b and c are applied at once.
    for (const lag of [1, 0, 1, 0]) jest.spyOn(Math, 'random').mockReturnValueOnce(lag);
    table.settings.visibility = [0, LATE];
    const [a, b, e] = ['a', 'b', 'e'].map((sk) => version(sk, 2)) as [Item, Item, Item];
    const done = transact([...puts(a, b, e), deletion({ pk, sk: 'c' })]);
    const keys = ['a', 'b', 'c', 'd', 'e'].map((sk) => ({ pk, sk }));
    const seen = async () => [
      (await Promise.all(keys.map((key) => get(key)))).filter((item) => item !== undefined),
      (await getAll(...keys)).found,
      (await walk(aws, { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } }))[0]?.Items,
    ];
    const all = (...items: Item[]) => [items, items, items];
    const d = version('d', 1);
    await until(async () => isDeepStrictEqual(await seen(), all(b, d)));
    skip(LATE);
    await done;
    expect(await seen()).toEqual(all(a, b, d, e));
  });

  test('is applied as a whole or not at all', async () => {
    const [item, other] = [await stored(0, { changes: 1 }), newItem()];
    table.settings.visibility = [0, 1];
    const renaming = (changes: number): Step => {
      const { ExpressionAttributeValues, ...update } = updateOf(item, 'New');
      const condition = {
        ConditionExpression: '#changes = :read',
        ExpressionAttributeNames: { '#changes': 'changes' },
      };
      return {
        Update: {
          ...update,
          ...condition,
          ExpressionAttributeValues: { ...ExpressionAttributeValues, ':read': changes },
        },
      };
    };
    await expect(transact([...puts(other), renaming(2)])).rejects.toThrow('[None, ConditionalCheckFailed]');
    await expect(transact([...puts(other), putNew(item)])).rejects.toThrow('[None, ConditionalCheckFailed]');
    await expect(transact(puts(other, other))).rejects.toThrow('cannot include multiple operations on one item');
    expect((await getAll(item, other)).found).toEqual([item]);
    await transact([...puts(other), renaming(1)], 'once');
    await transact([...puts(other), renaming(1)], 'once');
    expect((await getAll(item, other)).found).toEqual([{ ...item, changes: 2, merchant_name: 'New' }, other]);
  });
});

describe('a partition', () => {
  test('throttles writes beyond its units a second, and no others', async () => {
    const [hot, other] = [await stored(3), await stored()];
    table.settings.partitions = { read: 1, write: 2 };
    await put(hot);
    await expect(put(hot)).rejects.toMatchObject(THROTTLED);
    await put(other);
    // Four units were charged and there were two.
    skip(1_100);
    await put(hot);
    table.settings.partitions = { read: Number.POSITIVE_INFINITY, write: Number.POSITIVE_INFINITY };
    for (let at = 0; at < 4; at += 1) await put(hot);
  });

  test('cancels transactions beyond its units, which cost twice', async () => {
    const [hot, updated, other] = [await stored(40), await stored(40), await stored()];
    // The sizes of stored items are known only if items are applied one by one.
    Object.assign(table.settings, { visibility: [0, 1], partitions: { read: 2, write: 60 } });
    const cancelled = {
      name: 'TransactionCanceledException',
      CancellationReasons: [{ Code: 'None' }, { Code: 'ThrottlingError' }],
    };
    for (const step of [...puts(hot), { Update: updateOf(updated, 'New') }]) {
      await transact([step]);
      await expect(transact([...puts(other), step])).rejects.toMatchObject(cancelled);
    }
    await put(other);
    await transactGet(hot);
    await expect(transactGet(other, hot)).rejects.toMatchObject(cancelled);
  });

  test('throttles reads beyond its units, half of which a read costs that is not consistent', async () => {
    const [hot, other] = [await stored(300), await stored()];
    table.settings.partitions = { read: 50, write: 50 };
    const Key = keyOf(hot);
    for (let read = 1; read <= 2; read += 1) await aws.get({ TableName, Key });
    const ofHot = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': hot['pk'] } };
    for (const read of [() => get(hot), () => getAll(hot), () => walk(aws, ofHot)])
      await expect(read()).rejects.toMatchObject(THROTTLED);
    expect(await getAll(hot, other)).toEqual({ found: [other], left: [Key] });
  });

  test('returns at most 1 MB to a BatchGetItem, and the rest as unprocessed keys', async () => {
    const { pk } = newItem();
    const large = await Promise.all(Array.from({ length: 8 }, (_, at) => stored(300, { pk, sk: String(at) })));
    const keys = [...large, await stored()].map(keyOf);
    const { found, left = [] } = await getAll(...keys, newItem());
    expect([found?.map(keyOf), left]).toEqual([[...keys.slice(0, 3), keys[8]], keys.slice(3, 8)]);
    expect((await getAll(...left)).left).toEqual(keys.slice(6, 8));
  });
});

describe('requests', () => {
  test('take between half and one and a half times the set latency', async () => {
    Object.assign(table.settings, { read: 60, write: 100 });
    jest.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(0.9).mockReturnValueOnce(0);
    const times = [performance.now()];
    for (const work of [() => get(newItem()), () => get(newItem()), () => transact([deletion(newItem())])]) {
      await work();
      times.push(performance.now());
    }
    for (const [at, least] of [29, 83, 49].entries())
      expect(Number(times[at + 1]) - Number(times[at])).toBeGreaterThan(least);
  });

  test('are counted by operation until the counts are reset', async () => {
    for (let reads = 1; reads <= 2; reads += 1) await get(newItem());
    await put(newItem());
    await shownBy('nobody');
    expect(table.counts.requests).toEqual({ GetItem: 2, PutItem: 1, Query: 1 });
    table.reset();
    expect(table.counts).toEqual({ requests: {}, transactions: 0, conflicts: 0, conflictsByKind: {} });
  });
});

const branch = (payment_provider: string, provider_position: number, more: Item = {}) =>
  newItem({ payment_provider, provider_position, merchant_name: 'Café', mid: unique('M'), terminal_count: 3, ...more });
const ofProvider = (provider: string): Query => ({
  IndexName: 'branches-by-provider',
  KeyConditionExpression: 'payment_provider = :provider',
  ExpressionAttributeValues: { ':provider': provider },
});
/** The entries of a provider in the index: position and name. */
const shownBy = async (provider: string) =>
  (await walk(aws, ofProvider(provider))).flatMap(({ Items = [] }) =>
    Items.map((item) => [item['provider_position'], item['merchant_name']]),
  );

describe('an index', () => {
  /** Stores a branch that the index shows at once. Later changes are shown after a lag. */
  async function newBranch() {
    const provider = unique('P');
    const item = branch(provider, 1);
    await put(item);
    await table.settled();
    table.settings.lag = LATER;
    return { item, provider };
  }

  test('shows that an entry has come, has changed or has gone only after its lag', async () => {
    const provider = unique('P');
    const item = branch(provider, 1);
    table.settings.lag = LATER;
    const changes: [() => Promise<unknown>, [number, string][]][] = [
      [() => put(item), [[1, 'Café']]],
      [() => put({ ...item, merchant_name: 'New' }), [[1, 'New']]],
      [() => aws.delete({ TableName, Key: keyOf(item) }), []],
    ];
    for (const [write, after] of changes) {
      const before = await shownBy(provider);
      await write();
      expect(await shownBy(provider)).toEqual(before);
      await caughtUp();
      expect(await shownBy(provider)).toEqual(after);
    }
  });

  test.each([
    { removal: 1, arrival: 0, meanwhile: [1, 2], title: 'at both places' },
    { removal: 0, arrival: 1, meanwhile: [], title: 'at neither place' },
  ])('shows an entry that moves $title, depending on the lags of its two changes', async (lags) => {
    const { item, provider } = await newBranch();
    table.settings.lag = [0, LATE];
    jest.spyOn(Math, 'random').mockReturnValueOnce(lags.removal).mockReturnValueOnce(lags.arrival);
    await transact(puts({ ...item, provider_position: 2 }));
    await until(async () =>
      isDeepStrictEqual(
        (await shownBy(provider)).map(([place]) => place),
        lags.meanwhile,
      ),
    );
    await caughtUp();
    expect(await shownBy(provider)).toEqual([[2, 'Café']]);
  });

  test('shows the changes of one entry in order, whatever their lags', async () => {
    const { item, provider } = await newBranch();
    await put({ ...item, merchant_name: 'New' });
    table.settings.lag = [0, 0];
    await put({ ...item, merchant_name: 'Newest' });
    expect(await shownBy(provider)).toEqual([[1, 'Café']]);
    await caughtUp();
    expect(await shownBy(provider)).toEqual([[1, 'Newest']]);
  });

  test('follows writes of all kinds, even concurrent ones of the same item', async () => {
    const provider = unique('P');
    const [first, second, third, fourth] = [1, 2, 3, 4].map((at) => branch(provider, at)) as [Item, Item, Item, Item];
    await put(first);
    await batchWrite(...[second, third].map((Item) => ({ PutRequest: { Item } })));
    await Promise.all(Array.from({ length: 30 }, (_, at) => aws.update(updateOf(second, `Name ${at}`))));
    await aws.update(updateOf(second, 'Last'));
    await transact([...puts(fourth), deletion(first), { Update: updateOf(third, 'Third') }]);
    await table.settled();
    expect(await shownBy(provider)).toEqual([
      [2, 'Last'],
      [3, 'Third'],
      [4, 'Café'],
    ]);
    await batchWrite(...[second, third].map((item) => ({ DeleteRequest: { Key: keyOf(item) } })));
    // An item that leaves the index stays in the table.
    await put(keyOf(fourth));
    await table.settled();
    expect(await shownBy(provider)).toEqual([]);
  });
});

describe('a settled index', () => {
  const [provider, equals, mid, big, edge] = ['P', 'P', 'M', 'M', 'M'].map(unique) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const positions = [-12.5, 0, 1, 1.25, 2, 9, 10, 11, 100, 1_732_222_222_222, Number.MAX_SAFE_INTEGER];
  const orders = ['', 'a', 'a#1', 'ab', 'b', 'B', 'é', '\uFFFD', '\u{1F600}', '9', '10'].map((text) => `x${text}`);
  /** Around 4 KB in steps of one byte, to show the size that is charged. */
  const sizes = Array.from({ length: 16 }, (_, at) => 3_872 + at);
  const VALUES = {
    ...{ negative: -12.345, zero: 0, hundred: 100, large: 1_732_222_222_222, flag: true, none: null, empty: '' },
    ...{ list: ['a', 1, []], map: { key: { deep: 'é' } }, bytes: Buffer.from('bytes') },
    set: new Set([Buffer.from('a'), Buffer.from('bcd')]),
  };
  const terminal = (of: string, branch_order: string, more: Item = {}) =>
    newItem({ sk: 'TERMINAL', mid: of, branch_order, ...more });
  const items: Item[] = [
    ...positions.map((position, at) => branch(provider, position, at % 2 ? { city: 'Porto' } : {})),
    ...Array.from({ length: 9 }, () => branch(equals, 5)),
    ...orders.map((order) => terminal(mid, order)),
    ...Array.from({ length: 9 }, (_, at) => terminal(big, `${at}`, { text: 'é'.repeat(75_000) })),
    ...sizes.map((bytes) => terminal(edge, `${bytes}`, { ...VALUES, text: 'x'.repeat(bytes) })),
  ];

  let other: AwsTable;
  let lagging: DynamoDBDocument;
  beforeAll(async () => {
    other = await startAwsTable(ENGINE, { ...PLAIN, lag: [0, 20] });
    lagging = clientOf(other.endpoint);
    // One half is stored before the proxy loads the table.
    await Promise.all(items.map((item, at) => at % 2 && put(item, local)));
    await Promise.all(items.map((item, at) => at % 2 || put(item, lagging)));
    await other.settled();
  });
  afterAll(async () => {
    lagging.destroy();
    await other.stop();
  });

  const ofPositions = (low: unknown, high: unknown): Query => ({
    IndexName: 'branches-by-provider',
    KeyConditionExpression: 'payment_provider = :owner AND provider_position BETWEEN :low AND :high',
    ExpressionAttributeValues: { ':owner': provider, ':low': low, ':high': high },
  });
  const ofBranch = (name: string, condition = '', values: Item = {}): Query => ({
    IndexName: 'terminals-by-branch',
    KeyConditionExpression: `mid = :mid${condition}`,
    ExpressionAttributeValues: { ':mid': name, ...values },
  });
  const beginning = (text: string) => ofBranch(mid, ' AND begins_with(branch_order, :a)', { ':a': text });

  test.each<[string, Query, number]>([
    ['a partition', ofProvider(provider), 11],
    ['an empty partition', ofProvider('nobody'), 0],
    ['positions', ofPositions(1, 11), 6],
    ['positions of which there are none', ofPositions(3, 8), 0],
    ['texts', ofBranch(mid), 11],
    ['texts before one', ofBranch(mid, ' AND branch_order < :b', { ':b': 'xb' }), 7],
    ['texts with a beginning', beginning('xa'), 3],
    ['texts with the last beginning', beginning('x\u{1F600}'), 1],
    ['more than 1 MB', ofBranch(big), 9],
  ])('returns the same pages as DynamoDB Local for a query of %s', async (_, input, count) => {
    for (const Limit of [undefined, 1, 3, 1000])
      for (const ScanIndexForward of [true, false]) {
        const paged: Query = { ...input, ...(Limit && { Limit }), ScanIndexForward, ReturnConsumedCapacity: 'TOTAL' };
        const pages = await walk(lagging, paged);
        expect(pages).toEqual(await walk(local, paged));
        expect(pages.reduce((sum, { Count = 0 }) => sum + Count, 0)).toBe(count);
      }
  });

  test.each([
    [1, true],
    [2, false],
  ])('returns each entry once if several have the same sort key, %s at a time', async (Limit, ScanIndexForward) => {
    const pages = await walk(lagging, { ...ofProvider(equals), Limit, ScanIndexForward });
    expect(pages).toHaveLength(Math.floor(9 / Limit) + 1);
    expect(new Set(pages.flatMap(({ Items = [] }) => Items.map((item) => item['mid']))).size).toBe(9);
  });

  test('throttles queries of one partition beyond its units', async () => {
    other.settings.partitions = { read: 1, write: 1 };
    await walk(lagging, ofBranch(edge));
    await expect(walk(lagging, ofBranch(edge))).rejects.toMatchObject(THROTTLED);
    expect(await walk(lagging, ofBranch(mid))).toMatchObject([{ Count: 11 }]);
    other.settings.partitions = PARTITIONS;
  });

  test('charges by the size of the items read', async () => {
    const input: Query = { ...ofBranch(edge), Limit: 1, ReturnConsumedCapacity: 'TOTAL' };
    const unitsFor = async (client: DynamoDBDocument) =>
      (await walk(client, input)).map(({ ConsumedCapacity }) => ConsumedCapacity?.CapacityUnits);
    const units = await unitsFor(lagging);
    expect(units).toEqual(await unitsFor(local));
    expect([units.at(0), units.at(-2)]).toEqual([0.5, 1]);
  });

  test.each<[string, Query, string]>([
    ['an unknown index', { ...ofProvider(provider), IndexName: 'other' }, 'infra/stack/table.yml has no index other.'],
    ['a filter', { ...ofBranch(mid), FilterExpression: 'tid = :mid' }, 'Reads take no FilterExpression.'],
    ['a consistent read', { ...ofBranch(mid), ConsistentRead: true }, 'Consistent reads are not supported on global'],
    ['another condition', ofBranch(mid, ' OR mid = :mid'), 'is none of the conditions known here.'],
    ['a condition of another attribute', ofBranch(mid, ' AND tid < :mid'), 'is none of the conditions known here.'],
    ['a value of another type', ofPositions('a', 'b'), 'cannot be compared with the key attribute'],
    ['bounds in the wrong order', ofPositions(2, 1), 'The upper bound of BETWEEN is below the lower bound.'],
  ])('rejects queries with %s', async (_, input, message) => {
    const rejected = { name: 'ValidationException', message: expect.stringContaining(message) };
    await expect(walk(lagging, input)).rejects.toMatchObject(rejected);
  });
});
