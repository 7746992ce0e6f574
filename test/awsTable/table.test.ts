import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  ScanCommand,
  TransactGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { unique } from '../support/world.ts';
import { type AwsTable, startAwsTable } from './table.ts';

type Item = Record<string, unknown>;
type Query = Partial<Omit<QueryCommandInput, 'ExpressionAttributeValues'>> & { ExpressionAttributeValues?: Item };
type Steps = NonNullable<TransactWriteCommandInput['TransactItems']>;

const TableName = process.env['TABLE_NAME'] as string;
const clientOf = (endpoint: string) =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, maxAttempts: 1 }), {
    marshallOptions: { removeUndefinedValues: true },
  });

const ENGINE = process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string;
const local = clientOf(ENGINE);
let table: AwsTable;
let aws: DynamoDBDocumentClient;
beforeEach(async () => {
  table = await startAwsTable(ENGINE, { read: 0, write: 0, lag: [0, 0], visibility: [0, 0] });
  aws = clientOf(table.endpoint);
});
afterEach(async () => {
  jest.restoreAllMocks();
  aws.destroy();
  await table.stop();
});

const put = (item: Item, client = aws) => client.send(new PutCommand({ TableName, Item: item }));

describe('a transaction', () => {
  const transact = (steps: Steps, ClientRequestToken?: string) =>
    aws.send(new TransactWriteCommand({ TransactItems: steps, ClientRequestToken }));
  const keyOf = (pk: string, sk = 'BRANCH') => ({ pk: `BRANCH#${pk}`, sk });
  const stepOf = (kind: string, pk: string, sk?: string): Steps[number] => {
    const Key = keyOf(pk, sk);
    const steps: Record<string, Steps[number]> = {
      Put: { Put: { TableName, Item: { ...Key, stored: true } } },
      Update: {
        Update: { TableName, Key, UpdateExpression: 'ADD changes :one', ExpressionAttributeValues: { ':one': 1 } },
      },
      Delete: { Delete: { TableName, Key } },
      ConditionCheck: { ConditionCheck: { TableName, Key, ConditionExpression: 'attribute_not_exists(no_such)' } },
    };
    return steps[kind] as Steps[number];
  };
  const isStored = async (pk: string) =>
    (await local.send(new GetCommand({ TableName, Key: keyOf(pk), ConsistentRead: true }))).Item !== undefined;
  const have = async (transactions: number) => {
    while (table.counts.transactions < transactions) await new Promise(setImmediate);
  };
  /** Starts a transaction that takes at least 100 ms. */
  const begin = async (...parameters: Parameters<typeof transact>) => {
    table.settings.write = 200;
    const before = table.counts.transactions;
    const done = transact(...parameters);
    await have(before + 1);
    table.settings.write = 0;
    return { done };
  };

  const KINDS = ['Put', 'Update', 'Delete', 'ConditionCheck'];
  test.each(KINDS.flatMap((first) => KINDS.map((second) => [second, first])))(
    'is cancelled if its %s has the same item as a %s in progress, which continues',
    async (second, first) => {
      const [item, other, further] = [unique('A'), unique('B'), unique('C')];
      const { done } = await begin([stepOf('Put', further), stepOf(first, item)]);
      const error = await transact([stepOf('Put', other), stepOf(second, item)]).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(TransactionCanceledException);
      expect(error).toMatchObject({
        name: 'TransactionCanceledException',
        message:
          'Transaction cancelled, please refer cancellation reasons for specific reasons [None, TransactionConflict]',
        CancellationReasons: [
          { Code: 'None' },
          { Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' },
        ],
        $metadata: { httpStatusCode: 400, attempts: 1 },
      });
      await done;
      expect([await isStored(further), await isStored(other)]).toEqual([true, false]);
      expect(table.counts).toMatchObject({ transactions: 2, conflicts: 1, conflictsByKind: { 'BRANCH BRANCH': 1 } });
    },
  );

  test('is not cancelled because of a transaction with other items or one that has ended', async () => {
    const [item, other] = [unique('A'), unique('B')];
    const { done } = await begin([stepOf('Put', item)]);
    await transact([stepOf('Put', other), stepOf('Put', item, 'ANOTHER')]);
    await done;
    await transact([stepOf('Put', item)]);
    await transact([stepOf('Delete', item), stepOf('Delete', other)]);
    expect(table.counts).toMatchObject({ transactions: 4, conflicts: 0, conflictsByKind: {} });
  });

  test('that is cancelled does not conflict with others', async () => {
    const [item, other] = [unique('A'), unique('B')];
    const { done } = await begin([stepOf('Put', item)]);
    const cancelled = await begin([stepOf('Put', item), stepOf('Put', other)]);
    await transact([stepOf('Put', other)]);
    await expect(cancelled.done).rejects.toThrow('[TransactionConflict, None]');
    await done;
  });

  test('that fails releases its items', async () => {
    const item = unique('A');
    const fails = { ConditionExpression: 'attribute_exists(pk)' };
    const failing: Steps = [{ Put: { TableName, Item: keyOf(item), ...fails } }];
    await expect((await begin(failing)).done).rejects.toThrow('[ConditionalCheckFailed]');
    await transact([stepOf('Put', item)]);
    expect(table.counts.conflicts).toBe(0);
  });

  test('rejects single writes of its items but no reads', async () => {
    const item = unique('A');
    const { done } = await begin([stepOf('ConditionCheck', item)]);
    const Key = keyOf(item);
    for (const write of [
      put(Key),
      aws.send(new UpdateCommand({ TableName, Key })),
      aws.send(new DeleteCommand({ TableName, Key })),
    ])
      await expect(write).rejects.toMatchObject({ name: 'TransactionConflictException' });
    await aws.send(new GetCommand({ TableName, Key }));
    await put(keyOf(unique('B')));
    await done;
    await put(Key);
    expect(table.counts.conflicts).toBe(3);
  });

  test('that is sent again is in progress until it has ended, and is applied once', async () => {
    const item = unique('A');
    const token = unique('');
    const steps = [stepOf('Update', item)];
    const { done } = await begin(steps, token);
    await expect(transact(steps, token)).rejects.toMatchObject({ name: 'TransactionInProgressException' });
    await done;
    await transact(steps, token);
    const { Item } = await local.send(new GetCommand({ TableName, Key: keyOf(item) }));
    expect(Item).toMatchObject({ changes: 1 });
    expect(table.counts).toMatchObject({ transactions: 3, conflicts: 0 });
  });
});

const getAll = (Keys: Item[], client = aws) =>
  client.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }));
const transactWrite = (...TransactItems: Steps) => aws.send(new TransactWriteCommand({ TransactItems }));
const transactGet = (...Keys: Item[]) =>
  aws.send(new TransactGetCommand({ TransactItems: Keys.map((Key) => ({ Get: { TableName, Key } })) }));

/** Large items, which are removed after each test because every test reads the whole table. */
const stored: Item[] = [];
afterEach(async () => {
  await Promise.all(stored.splice(0).map((Key) => local.send(new DeleteCommand({ TableName, Key }))));
});

/** Stores items of one partition. */
async function store(pk: string, count: number, kilobytes: number) {
  const keys = Array.from({ length: count }, (_, at) => ({ pk, sk: `${at}` }));
  stored.push(...keys);
  await Promise.all(keys.map((key) => put({ ...key, text: 'x'.repeat(kilobytes * 1024) }, local)));
  return keys;
}

describe('a BatchGetItem', () => {
  test('returns at most 1 MB of a partition, and the rest as unprocessed keys', async () => {
    const [large, small] = [await store(unique('L'), 8, 300), await store(unique('S'), 2, 1)];
    const absent = { pk: unique('N'), sk: '0' };
    const keys = [...large, ...small, absent];
    const pages: number[] = [];
    const read: unknown[] = [];
    for (let wanted = keys; wanted.length > 0; ) {
      const { Responses, UnprocessedKeys } = await getAll(wanted);
      const rest = UnprocessedKeys?.[TableName];
      if (rest) expect(rest.ConsistentRead).toBe(true);
      wanted = (rest?.Keys ?? []) as typeof keys;
      pages.push(Responses?.[TableName]?.length ?? 0);
      read.push(...(Responses?.[TableName] ?? []).map(({ pk, sk }) => ({ pk, sk })));
    }
    expect(pages).toEqual([3 + 2, 3, 2]);
    expect(new Set(read.map((key) => JSON.stringify(key)))).toEqual(
      new Set([...large, ...small].map((key) => JSON.stringify(key))),
    );
  });

  test('returns at most 16 MB, which DynamoDB Local ensures', async () => {
    const partitions = await Promise.all(Array.from({ length: 20 }, () => store(unique('L'), 3, 300)));
    const { Responses, UnprocessedKeys } = await getAll(partitions.flat());
    expect([Responses?.[TableName]?.length, UnprocessedKeys?.[TableName]?.Keys?.length]).toEqual([54, 6]);
  });

  test('is forwarded unchanged if it has little', async () => {
    const keys = await store(unique('S'), 3, 1);
    const { $metadata: _, ...response } = await getAll(keys);
    const { $metadata: __, ...expected } = await getAll(keys, local);
    expect(response).toEqual(expected);
  });
});

describe('a transaction with a time to become visible', () => {
  const LATE = 1_000;
  const version = (pk: string, sk: string, number: number) => ({ pk, sk, number });
  const get = async ({ pk, sk }: Item) =>
    (await aws.send(new GetCommand({ TableName, Key: { pk, sk }, ConsistentRead: true }))).Item;
  const queried = async (pk: string, more: Query = {}) => {
    const condition = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } };
    return walk(aws, { ...condition, ConsistentRead: true, ...more });
  };
  const applied = async (pk: string, sk: string, number: number) => {
    const Key = { pk, sk };
    await until(async () =>
      expect(await local.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).toMatchObject({
        Item: { number },
      }),
    );
  };

  /** Creates 'a' and 'e', changes 'b' and deletes 'c'; 'd' is not written. Resolves once this is applied but hidden. */
  const begin = async (pk: string) => {
    await Promise.all(['b', 'c', 'd'].map((sk) => put(version(pk, sk, 1))));
    table.settings.visibility = [LATE, LATE];
    const done = transactWrite(
      { Put: { TableName, Item: version(pk, 'a', 2) } },
      { Put: { TableName, Item: version(pk, 'b', 2) } },
      { Delete: { TableName, Key: { pk, sk: 'c' } } },
      { Put: { TableName, Item: version(pk, 'e', 2) } },
    );
    await applied(pk, 'b', 2);
    return { done };
  };

  test('shows its items only after it, and its response comes last', async () => {
    const pk = unique('V');
    const started = performance.now();
    const { done } = await begin(pk);
    const keys = ['a', 'b', 'c', 'd', 'e'].map((sk) => ({ pk, sk }));
    const before = ['b', 'c', 'd'].map((sk) => version(pk, sk, 1));
    const after = [version(pk, 'a', 2), version(pk, 'b', 2), version(pk, 'd', 1), version(pk, 'e', 2)];
    const seen = async () => {
      const batch = (await getAll(keys)).Responses?.[TableName] ?? [];
      return [
        (await Promise.all(keys.map(get))).filter((item) => item !== undefined),
        batch.toSorted((a, b) => `${a['sk']}`.localeCompare(`${b['sk']}`)),
        (await queried(pk)).flatMap(({ Items }) => Items),
      ];
    };
    expect(await seen()).toEqual([before, before, before]);
    await done;
    expect(performance.now() - started).toBeGreaterThan(LATE - 1);
    expect(await seen()).toEqual([after, after, after]);
  });

  test.each<[string, Query, string[]]>([
    ['all items', {}, ['bcd']],
    ['all items in reverse', { ScanIndexForward: false }, ['dcb']],
    ['pages of one item', { Limit: 1 }, ['b', 'c', 'd', '']],
    ['pages of two items', { Limit: 2 }, ['bc', 'd']],
    ['pages of two items in reverse', { Limit: 2, ScanIndexForward: false }, ['dc', 'b']],
    ['items up to one', { KeyConditionExpression: 'pk = :pk AND sk <= :b' }, ['b']],
    ['items from one', { KeyConditionExpression: 'pk = :pk AND sk > :b' }, ['cd']],
  ])('lets a query of %s read pages as before it', async (_, query, pages) => {
    const pk = unique('V');
    const { done } = await begin(pk);
    const ExpressionAttributeValues = { ':pk': pk, ...(query.KeyConditionExpression && { ':b': 'b' }) };
    const read = await queried(pk, { ...query, ExpressionAttributeValues });
    expect(read.map(({ Items = [] }) => Items.map(({ sk }) => sk).join(''))).toEqual(pages);
    expect(read.map(({ Count }) => Count)).toEqual(pages.map(({ length }) => length));
    await done;
  });

  test('holds its items until all are visible, for writes and for TransactGetItems', async () => {
    const pk = unique('V');
    const { done } = await begin(pk);
    await expect(put(version(pk, 'b', 3))).rejects.toMatchObject({ name: 'TransactionConflictException' });
    await expect(transactWrite({ Put: { TableName, Item: version(pk, 'b', 3) } })).rejects.toThrow(
      '[TransactionConflict]',
    );
    await expect(transactGet({ pk, sk: 'd' }, { pk, sk: 'b' })).rejects.toThrow('[None, TransactionConflict]');
    await done;
    expect((await transactGet({ pk, sk: 'b' })).Responses).toEqual([{ Item: version(pk, 'b', 2) }]);
    expect(table.counts.conflicts).toBe(3);
  });

  test('shows its items one by one', async () => {
    const pk = unique('V');
    table.settings.visibility = [0, LATE];
    jest.spyOn(Math, 'random').mockReturnValueOnce(1).mockReturnValueOnce(0);
    const done = transactWrite(
      { Put: { TableName, Item: version(pk, 'a', 1) } },
      { Put: { TableName, Item: version(pk, 'b', 1) } },
    );
    await applied(pk, 'b', 1);
    await until(async () => expect(await queried(pk)).toMatchObject([{ Items: [{ sk: 'b' }] }]));
    await done;
    expect(await queried(pk)).toMatchObject([{ Items: [{ sk: 'a' }, { sk: 'b' }] }]);
  });

  test('is hidden from nobody if it fails', async () => {
    const pk = unique('V');
    await put(version(pk, 'a', 1));
    table.settings.visibility = [10_000, 10_000];
    const Item = version(pk, 'a', 2);
    await expect(
      transactWrite({ Put: { TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' } }),
    ).rejects.toThrow('[ConditionalCheckFailed]');
    await expect(transactWrite({ Put: { TableName, Item } }, { Put: { TableName, Item } })).rejects.toThrow(
      'Transaction request cannot include multiple operations on one item',
    );
    expect(await get(Item)).toEqual(version(pk, 'a', 1));
  });

  test('is followed by the indexes after it is visible', async () => {
    const item = branch(unique('P'), 1);
    table.settings.lag = [LATE, LATE];
    table.settings.visibility = [LATE, LATE];
    const started = performance.now();
    await transactWrite({ Put: { TableName, Item: item } });
    expect(performance.now() - started).toBeGreaterThan(LATE - 1);
    expect(await shownBy(item.payment_provider)).toEqual([]);
    await table.settled();
    expect(performance.now() - started).toBeGreaterThan(2 * LATE - 1);
    expect(await shownBy(item.payment_provider)).toMatchObject([{ provider_position: 1 }]);
  });

  test('lets BatchWriteItem read its own writes', async () => {
    const pk = unique('V');
    const { done } = await begin(pk);
    const Item = version(pk, 'b', 3);
    await aws.send(new BatchWriteCommand({ RequestItems: { [TableName]: [{ PutRequest: { Item } }] } }));
    expect(await get(Item)).toEqual(Item);
    await done;
  });

  test.each<[string, () => Promise<unknown>]>([
    [
      'a projection',
      () => aws.send(new GetCommand({ TableName, Key: { pk: 'a', sk: 'b' }, ProjectionExpression: 'tid' })),
    ],
    ['a count', () => queried('a', { Select: 'COUNT' })],
    ['another condition', () => queried('a', { KeyConditionExpression: ':pk = pk' })],
  ])('rejects reads with %s, which could not be shown as before it', async (_, read) => {
    table.settings.visibility = [0, 1];
    await expect(read()).rejects.toMatchObject({ name: 'ValidationException' });
    table.settings.visibility = [0, 0];
    await read().catch(({ message }) => expect(message).toContain('KeyConditionExpression'));
  });
});

describe('a partition', () => {
  const THROTTLED = { name: 'ProvisionedThroughputExceededException' };
  const keyOf = ({ pk, sk }: Item) => ({ pk, sk });
  const get = (key: Item) => aws.send(new GetCommand({ TableName, Key: keyOf(key) }));
  const item = (name: string, kilobytes = 0) => ({ pk: unique(name), sk: '0', text: 'x'.repeat(kilobytes * 1024) });
  const [HOT, OTHER] = ['H', 'O'] as const;

  test('throttles writes beyond its units a second, and no others', async () => {
    const [hot, other] = [item(HOT, 3), item(OTHER)];
    table.settings.partitions = { read: 1, write: 2 };
    await put(hot);
    await expect(put(hot)).rejects.toMatchObject(THROTTLED);
    await put(other);
    // Four units were charged and there were two, so the next ones come after a second.
    const started = performance.now();
    await until(async () => expect(await put(keyOf(hot))).toBeDefined(), 3_000);
    expect(performance.now() - started).toBeGreaterThan(500);
  });

  test('cancels transactions beyond its units, which cost twice', async () => {
    const [hot, other] = [item(HOT, 40), item(OTHER)];
    table.settings.partitions = { read: 2, write: 60 };
    await transactWrite({ Put: { TableName, Item: hot } });
    await expect(
      transactWrite({ Put: { TableName, Item: other } }, { Put: { TableName, Item: hot } }),
    ).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      CancellationReasons: [{ Code: 'None' }, { Code: 'ThrottlingError' }],
    });
    await put(other);
    await transactGet(keyOf(hot));
    await expect(transactGet(keyOf(other), keyOf(hot))).rejects.toThrow('[None, ThrottlingError]');
  });

  test('charges updates by the size of the item if items are read before', async () => {
    const [key] = await store(unique(HOT), 1, 300);
    const Update = { TableName, Key: key, UpdateExpression: 'REMOVE no_such' };
    Object.assign(table.settings, { visibility: [0, 1], partitions: { read: 1, write: 10 } });
    await transactWrite({ Update });
    await expect(transactWrite({ Update })).rejects.toThrow('[ThrottlingError]');
  });

  test('throttles reads beyond its units, half of which a read costs that is not consistent', async () => {
    const hot = item(HOT, 300);
    await put(hot);
    table.settings.partitions = { read: 50, write: 50 };
    await get(hot);
    await get(hot);
    await expect(get(hot)).rejects.toMatchObject(THROTTLED);
    const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': hot.pk } };
    await expect(send(aws, query)).rejects.toMatchObject(THROTTLED);
  });

  test('leaves keys of a BatchGetItem unprocessed beyond its units', async () => {
    const [hot, other] = [item(HOT, 300), item(OTHER, 300)];
    await Promise.all([put(hot), put(other)]);
    table.settings.partitions = { read: 1, write: 1 };
    await getAll([keyOf(hot)]);
    expect(await getAll([keyOf(hot), keyOf(other)])).toMatchObject({
      Responses: { [TableName]: [other] },
      UnprocessedKeys: { [TableName]: { Keys: [keyOf(hot)], ConsistentRead: true } },
    });
    await expect(getAll([keyOf(hot), keyOf(other)])).rejects.toMatchObject(THROTTLED);
  });

  test('of an index throttles its queries', async () => {
    const mid = unique('M');
    const ofBranch = (of: string) => ({
      IndexName: 'terminals-by-branch',
      KeyConditionExpression: 'mid = :mid',
      ExpressionAttributeValues: { ':mid': of },
    });
    await put({ ...item(HOT, 300), mid, branch_order: 'a' });
    await table.settled();
    table.settings.partitions = { read: 1, write: 1 };
    await send(aws, ofBranch(mid));
    await expect(send(aws, ofBranch(mid))).rejects.toMatchObject(THROTTLED);
    expect(await send(aws, ofBranch(unique('M')))).toMatchObject({ Items: [] });
  });

  test('throttles nothing if its units are infinite', async () => {
    const hot = item(HOT, 300);
    table.settings.partitions = { read: Number.POSITIVE_INFINITY, write: Number.POSITIVE_INFINITY };
    for (let at = 0; at < 8; at += 1) await put(hot);
  });
});

describe('a limit that DynamoDB Local does not enforce', () => {
  const text = (bytes: number) => 'x'.repeat(bytes);
  const query = (value: Item, more: Query = {}): Query => ({
    KeyConditionExpression: 'pk = :value',
    ExpressionAttributeValues: value,
    ...more,
  });
  const ofIndex = (sort: string, more: Query = {}): Query => ({
    IndexName: 'terminals-by-branch',
    KeyConditionExpression: 'mid = :mid AND branch_order > :order',
    ExpressionAttributeValues: { ':mid': 'm', ':order': sort },
    ...more,
  });
  const padded = (bytes: number) =>
    ofIndex('x', { KeyConditionExpression: 'mid = :mid AND branch_order > :order'.padEnd(bytes) });
  const named = (length: number): Query => {
    const name = `#${text(length - 1)}`;
    return ofIndex('x', {
      KeyConditionExpression: `${name} = :mid AND branch_order > :order`,
      ExpressionAttributeNames: { [name]: 'mid' },
    });
  };

  test.each<[string, (size: number) => Query, number, string]>([
    ['a partition key of a query', (size) => query({ ':value': text(size) }), 2_048, 'Size of hashkey has exceeded'],
    ['a sort key of an index query', (size) => ofIndex(text(size)), 1_024, 'Aggregated size of all range keys'],
    ['an expression of an index query', padded, 4_096, 'Expression size has exceeded the maximum allowed size'],
    ['a placeholder of an index query', named, 255, 'contains a key that is too long'],
  ])('is the size of %s', async (_, queryOf, most, message) => {
    await send(aws, queryOf(most));
    const rejected = { name: 'ValidationException', message: expect.stringContaining(message) };
    await expect(send(aws, queryOf(most + 1))).rejects.toMatchObject(rejected);
  });

  test('is 4 MB of stored items in a transaction', async () => {
    const keys = await store(unique('L'), 11, 390);
    Object.assign(table.settings, { visibility: [0, 1], partitions: { read: 1, write: Number.POSITIVE_INFINITY } });
    const touch = (all: Item[]) =>
      transactWrite(...all.map((Key) => ({ Update: { TableName, Key, UpdateExpression: 'REMOVE no_such' } })));
    await touch(keys.slice(1));
    await expect(touch(keys)).rejects.toThrow('Transaction payload size cannot exceed 4MB');
  });
});

describe('requests', () => {
  const Key = { pk: 'ACQUIRER#a', sk: 'BRANCH_LIST' };
  const lasting = async (work: () => Promise<unknown>) => {
    const started = performance.now();
    await work();
    return performance.now() - started;
  };

  test('take between half and one and a half times the set latency', async () => {
    const get = () => aws.send(new GetCommand({ TableName, Key }));
    const write = () => aws.send(new TransactWriteCommand({ TransactItems: [{ Delete: { TableName, Key } }] }));
    Object.assign(table.settings, { read: 200, write: 400 });
    jest.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(0.9).mockReturnValueOnce(0);
    expect(await lasting(get)).toBeGreaterThan(99);
    expect(await lasting(get)).toBeGreaterThan(279);
    expect(await lasting(write)).toBeGreaterThan(199);
  });

  test('are counted by operation, until they are reset', async () => {
    await put(Key);
    await aws.send(new GetCommand({ TableName, Key }));
    await aws.send(new GetCommand({ TableName, Key }));
    await shownBy('nobody');
    await aws
      .send(
        new QueryCommand({ TableName, KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': '' } }),
      )
      .catch(() => {});
    expect(table.counts.requests).toEqual({ PutItem: 1, GetItem: 2, Query: 2 });
    expect(table.counts.indexQueries).toBe(1);
    table.reset();
    expect(table.counts).toEqual({ requests: {}, transactions: 0, conflicts: 0, conflictsByKind: {}, indexQueries: 0 });
  });

  test('all fail while the table throttles', async () => {
    const error = { name: 'ProvisionedThroughputExceededException', $metadata: { httpStatusCode: 400 } };
    table.settings.throttles = true;
    await expect(aws.send(new GetCommand({ TableName, Key }))).rejects.toMatchObject(error);
    await expect(put({ ...Key, pk: 'THROTTLED' })).rejects.toMatchObject(error);
    await expect(shownBy('nobody')).rejects.toMatchObject(error);
    table.settings.throttles = false;
    expect(await aws.send(new GetCommand({ TableName, Key: { ...Key, pk: 'THROTTLED' } }))).not.toHaveProperty('Item');
  });

  test('without an index are forwarded unchanged', async () => {
    await put({ ...Key, count: 3 });
    for (const request of [
      new ScanCommand({ TableName, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' }),
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        FilterExpression: '#count > :two',
        ExpressionAttributeNames: { '#count': 'count' },
        ExpressionAttributeValues: { ':pk': Key.pk, ':two': 2 },
      }),
    ]) {
      const { $metadata: _, ...response } = await aws.send(request as ScanCommand);
      const { $metadata: __, ...expected } = await local.send(request as ScanCommand);
      expect(response.Items).not.toEqual([]);
      expect(response).toEqual(expected);
    }
  });
});

const branch = (provider: string, position: number, mid = unique('M'), more: Item = {}) => ({
  pk: `BRANCH#${mid}`,
  sk: 'BRANCH',
  mid,
  payment_provider: provider,
  provider_position: position,
  merchant_name: 'Harbour Café',
  terminal_count: 3,
  ...more,
});
const ofProvider = (provider: string): Query => ({
  IndexName: 'branches-by-provider',
  KeyConditionExpression: 'payment_provider = :provider',
  ExpressionAttributeValues: { ':provider': provider },
});
const send = (client: DynamoDBDocumentClient, query: Query) =>
  client.send(new QueryCommand({ TableName, ...query } as QueryCommandInput));
/** The entries of a provider in the index. */
const shownBy = async (provider: string): Promise<Item[]> => (await send(aws, ofProvider(provider))).Items ?? [];

/** All pages of a query in order. */
async function walk(client: DynamoDBDocumentClient, query: Query) {
  const pages: Omit<QueryCommandOutput, '$metadata'>[] = [];
  let ExclusiveStartKey: Item | undefined;
  do {
    const { $metadata: _, ...page } = await send(client, { ...query, ...(ExclusiveStartKey && { ExclusiveStartKey }) });
    pages.push(page);
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return pages;
}

/** Waits until an expectation holds; fails with its error after a time in milliseconds. */
async function until(expectation: () => Promise<void>, patience = 1_000): Promise<void> {
  const end = performance.now() + patience;
  for (;;)
    try {
      return await expectation();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
}

describe('an index', () => {
  const LAG = 200;
  const remove = ({ pk, sk }: Item) => aws.send(new DeleteCommand({ TableName, Key: { pk, sk } }));

  test.each<[string, (item: Item) => Promise<unknown>, Item | undefined]>([
    ['has come', (item) => put(item), { provider_position: 1 }],
    ['has changed', (item) => put({ ...item, merchant_name: 'New' }), { merchant_name: 'New' }],
    ['has gone', remove, undefined],
  ])('shows that an entry %s only after its lag', async (change, write, shown) => {
    const item = branch(unique('P'), 1);
    const before = change === 'has come' ? [] : [item.merchant_name];
    if (change !== 'has come') await put(item);
    await table.settled();

    table.settings.lag = [LAG, LAG];
    const started = performance.now();
    await write(item);
    expect((await shownBy(item.payment_provider)).map(({ merchant_name }) => merchant_name)).toEqual(before);
    await table.settled();
    expect(performance.now() - started).toBeGreaterThan(LAG - 1);
    expect(await shownBy(item.payment_provider)).toMatchObject(shown ? [shown] : []);
  });

  test.each([
    { removal: 1, arrival: 0, meanwhile: [1, 2], title: 'at both places' },
    { removal: 0, arrival: 1, meanwhile: [], title: 'at neither place' },
  ])(
    'shows an entry that moves $title, depending on the lags of its two changes',
    async ({ removal, arrival, meanwhile }) => {
      const item = branch(unique('P'), 1);
      await put(item);
      await table.settled();
      table.settings.lag = [0, LAG];
      jest.spyOn(Math, 'random').mockReturnValueOnce(removal).mockReturnValueOnce(arrival);
      await put({ ...item, provider_position: 2 });
      const places = async () => (await shownBy(item.payment_provider)).map((each) => each['provider_position']);
      await until(async () => expect(await places()).toEqual(meanwhile));
      await table.settled();
      expect(await places()).toEqual([2]);
    },
  );

  test('shows the changes of one entry in order, whatever their lags', async () => {
    const item = branch(unique('P'), 1);
    const names = async () => (await shownBy(item.payment_provider)).map(({ merchant_name }) => merchant_name);
    table.settings.lag = [LAG, LAG];
    await put(item);
    table.settings.lag = [0, 0];
    await put({ ...item, merchant_name: 'New' });
    expect(await names()).toEqual([]);
    await table.settled();
    expect(await names()).toEqual(['New']);
  });

  test('distinguishes entries with the same sort key', async () => {
    const provider = unique('P');
    const mids = Array.from({ length: 9 }, () => unique('M')).sort();
    await Promise.all(mids.map((mid) => put(branch(provider, 5, mid))));
    await table.settled();
    for (const [Limit, ScanIndexForward] of [
      [1, true],
      [2, false],
    ] as const) {
      const pages = await walk(aws, { ...ofProvider(provider), Limit, ScanIndexForward });
      expect(pages.length).toBe(Math.floor(mids.length / Limit) + 1);
      expect(pages.flatMap(({ Items = [] }) => Items.map(({ mid }) => mid)).sort()).toEqual(mids);
    }
  });

  test('has earlier items at once and lags for later writes', async () => {
    const item = branch(unique('P'), 1);
    await put(item, local);
    table.settings.lag = [10_000, 10_000];
    await put({ ...item, provider_position: 2, merchant_name: 'New' });
    expect(await shownBy(item.payment_provider)).toMatchObject([
      { provider_position: 1, merchant_name: 'Harbour Café' },
    ]);
  });

  test('follows writes of all kinds, even concurrent ones of the same item', async () => {
    const provider = unique('P');
    const items: Item[] = Array.from({ length: 4 }, (_, at) => branch(provider, at + 1));
    const [first, second, third, fourth] = items as [Item, Item, Item, Item];
    const keyOf = ({ pk, sk }: Item) => ({ pk, sk });
    await put(first, local);
    const renaming = (name: string) => ({
      TableName,
      UpdateExpression: 'SET merchant_name = :name',
      ExpressionAttributeValues: { ':name': name },
    });
    await aws.send(
      new BatchWriteCommand({
        RequestItems: { [TableName]: [{ PutRequest: { Item: second } }, { PutRequest: { Item: third } }] },
      }),
    );
    await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        aws.send(new UpdateCommand({ Key: keyOf(second), ...renaming(`Name ${at}`) })),
      ),
    );
    await aws.send(new UpdateCommand({ Key: keyOf(second), ...renaming('Last') }));
    await aws.send(
      new TransactWriteCommand({
        TransactItems: [
          { Put: { TableName, Item: fourth } },
          { Delete: { TableName, Key: keyOf(first) } },
          { Update: { Key: keyOf(third), ...renaming('Third') } },
        ],
      }),
    );
    await table.settled();
    expect(await shownBy(provider)).toMatchObject([
      { provider_position: 2, merchant_name: 'Last' },
      { provider_position: 3, merchant_name: 'Third' },
      { provider_position: 4, merchant_name: 'Harbour Café' },
    ]);
    await aws.send(
      new BatchWriteCommand({
        RequestItems: { [TableName]: [second, third].map((item) => ({ DeleteRequest: { Key: keyOf(item) } })) },
      }),
    );
    // An item that leaves the index stays in the table.
    await put(keyOf(fourth));
    await table.settled();
    expect(await shownBy(provider)).toEqual([]);
  });
});

describe('a settled index', () => {
  const provider = unique('P');
  const mid = unique('M');
  const [large, edge] = [`${mid}LARGE`, `${mid}EDGE`];
  const positions = [-12.5, 0, 1, 1.25, 2, 9, 10, 11, 100, 1_732_222_222_222, Number.MAX_SAFE_INTEGER];
  const orders = ['', 'a', 'a#1', 'ab', 'b', 'B', 'é', '\uFFFD', '\u{1F600}', '9', '10'].map((text) => `x${text}`);
  /** Around 4 KB in steps of one byte, to show the size that is charged. */
  const sizes = Array.from({ length: 16 }, (_, at) => 3_857 + at);
  const VALUES = {
    negative: -12.345,
    zero: 0,
    hundred: 100,
    large: 1_732_222_222_222,
    flag: true,
    none: null,
    empty: '',
    list: ['a', 1, []],
    map: { key: { deep: 'é' } },
    set: new Set(['a', 'bb']),
    numbers: new Set([1, 22]),
    bytes: Buffer.from('bytes'),
  };
  const terminal = (branch: string, branch_order: string, more: Item = {}) => {
    return { pk: `TERMINAL#${unique('T')}`, sk: 'TERMINAL', mid: branch, branch_order, ...more };
  };
  const items: Item[] = [
    ...positions.map((position, at) => branch(provider, position, undefined, at % 2 ? { city: 'Porto' } : {})),
    ...orders.map((order) => terminal(mid, order)),
    ...Array.from({ length: 16 }, (_, at) => terminal(large, `${at}`, { text: 'é'.repeat(75_000) })),
    ...sizes.map((bytes) => terminal(edge, `${bytes}`, { ...VALUES, text: 'x'.repeat(bytes) })),
  ];

  let other: AwsTable;
  let lagging: DynamoDBDocumentClient;
  beforeAll(async () => {
    other = await startAwsTable(ENGINE, { read: 0, write: 0, lag: [0, 20], visibility: [0, 0] });
    lagging = clientOf(other.endpoint);
    // One half is stored before the proxy loads the table.
    const before = items.filter((_, at) => at % 2);
    await Promise.all(before.map((item) => put(item, local)));
    await Promise.all(items.filter((item) => !before.includes(item)).map((item) => put(item, lagging)));
    await other.settled();
  });
  afterAll(async () => {
    lagging.destroy();
    await other.stop();
  });

  const ofPositions = (condition: string, values: Item): Query => ({
    IndexName: 'branches-by-provider',
    KeyConditionExpression: `#owner = :owner AND #place ${condition}`,
    ExpressionAttributeNames: { '#owner': 'payment_provider', '#place': 'provider_position' },
    ExpressionAttributeValues: { ':owner': provider, ...values },
  });
  const ofBranch = (name: string, condition = '', values: Item = {}): Query => ({
    IndexName: 'terminals-by-branch',
    KeyConditionExpression: `mid = :mid${condition}`,
    ExpressionAttributeValues: { ':mid': name, ...values },
  });

  test.each<[string, Query, number]>([
    ['a partition', ofProvider(provider), 11],
    ['an empty partition', ofProvider('nobody'), 0],
    ['positions = 10', ofPositions('= :ten', { ':ten': 10 }), 1],
    ['positions < 10', ofPositions('< :ten', { ':ten': 10 }), 6],
    ['positions <= 10', ofPositions('<= :ten', { ':ten': 10 }), 7],
    ['positions > 10', ofPositions('> :ten', { ':ten': 10 }), 4],
    ['positions >= 10', ofPositions('>=:ten', { ':ten': 10 }), 5],
    ['positions between', ofPositions('BETWEEN :low AND :high', { ':low': 1, ':high': 11 }), 6],
    ['positions between that match none', ofPositions('between :low and :high', { ':low': 3, ':high': 8 }), 0],
    ['texts', ofBranch(mid), 11],
    ['texts behind one', ofBranch(mid, ' AND branch_order > :b', { ':b': 'xb' }), 3],
    ['texts with a beginning', ofBranch(mid, ' AND begins_with(branch_order, :a)', { ':a': 'xa' }), 3],
    ['texts with the last beginning', ofBranch(mid, ' AND begins_with(branch_order, :a)', { ':a': 'x\u{1F600}' }), 1],
    ['all attributes', { ...ofBranch(mid), Select: 'ALL_ATTRIBUTES' }, 11],
    ['numbers of entries', { ...ofBranch(mid), Select: 'COUNT' }, 11],
  ])('returns the same pages as DynamoDB Local for a query of %s', async (_, query, count) => {
    for (const Limit of [undefined, 1, 3, 1000])
      for (const ScanIndexForward of [true, false]) {
        const paged: Query = {
          ...query,
          ...(Limit && { Limit }),
          ScanIndexForward,
          ...(Limit !== 3 && { ReturnConsumedCapacity: Limit === 1 ? 'INDEXES' : 'TOTAL' }),
        };
        const pages = await walk(lagging, paged);
        expect(pages).toEqual(await walk(local, paged));
        expect(pages.reduce((sum, { Count = 0 }) => sum + Count, 0)).toBe(count);
      }
  });

  test('ends a page after the entry that exceeds 1 MB', async () => {
    for (const more of [{}, { ScanIndexForward: false }, { Select: 'COUNT' }, { Limit: 9 }] as Query[]) {
      const query: Query = { ...ofBranch(large), ...more, ReturnConsumedCapacity: 'TOTAL' };
      const pages = await walk(lagging, query);
      expect(pages).toEqual(await walk(local, query));
      expect(pages.map(({ Count }) => Count)).toEqual([7, 7, 2]);
    }
  });

  test('charges by the size of the items read', async () => {
    const query: Query = { ...ofBranch(edge), Limit: 1, ReturnConsumedCapacity: 'TOTAL' };
    const unitsFor = async (client: DynamoDBDocumentClient) =>
      (await walk(client, query)).map(({ ConsumedCapacity }) => ConsumedCapacity?.CapacityUnits);
    const units = await unitsFor(lagging);
    expect(units).toEqual(await unitsFor(local));
    expect([units.at(0), units.at(-2)]).toEqual([0.5, 1]);
  });

  test.each<[string, Query, string]>([
    ['an unknown index', { ...ofProvider(provider), IndexName: 'other' }, 'infra/table.yml has no index other.'],
    [
      'a filter',
      { ...ofBranch(mid), FilterExpression: 'tid = :mid' },
      'Queries of a lagging index take no FilterExpression.',
    ],
    ['a consistent read', { ...ofBranch(mid), ConsistentRead: true }, 'Consistent reads are not supported on global'],
    ['another condition', ofBranch(mid, ' OR mid = :mid'), 'is none of the conditions known here.'],
    ['a condition of another attribute', ofBranch(mid, ' AND tid = :mid'), 'is none of the conditions known here.'],
    ['a value of another type', ofPositions('= :a', { ':a': 'a' }), 'cannot be compared with the key attribute'],
  ])('rejects queries with %s', async (_, query, message) => {
    const rejected = { name: 'ValidationException', message: expect.stringContaining(message) };
    await expect(send(lagging, query)).rejects.toMatchObject(rejected);
  });
});
