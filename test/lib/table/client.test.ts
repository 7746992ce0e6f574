import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import type { BatchGetItemCommandOutput } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { getItem, getItems, queryItems, queryPrefix, table, tableName } from '../../../lib/table/client.ts';
import type { Key } from '../../../lib/table/keys.ts';
import { put, transact } from '../../../lib/table/transaction.ts';
import { call, expectProblem } from '../../support/api.ts';
import { SERVICE_BUSY } from '../../support/constants.ts';
import { fillQuota } from '../../support/quota.ts';
import { storedBy } from '../../support/stored.ts';
import { newAcquirer, newBranch, newTerminal, unique } from '../../support/world.ts';

/** Names and inputs of the requests that were sent to the table in a test. */
let requests: { command: string; input: Record<string, unknown> }[];
beforeEach(() => {
  requests = [];
  fillQuota();
  table.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        requests.push({ command: commandName ?? '', input: args.input as Record<string, unknown> });
        return next(args);
      },
    { step: 'initialize', name: 'record' },
  );
});
afterEach(() => {
  for (const name of ['record', 'send', 'too busy']) table.middlewareStack.remove(name);
  jest.restoreAllMocks();
});

const newKey = (): Key => ({ pk: unique('THING#'), sk: 'THING' });

/** From now on the table is too busy to answer a BatchGetItem in full, so many times. Returns how many were sent. */
function tooBusy(times: number): { batches: () => number } {
  let batches = 0;
  table.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        if (commandName !== 'BatchGetItemCommand') return result;
        batches += 1;
        if (batches > times) return result;
        const { Responses = {} } = result.output as BatchGetItemCommandOutput;
        const [found = [], Keys] = [Responses[tableName()], [{ pk: { S: 'left' }, sk: { S: 'over' } }]];
        const output = {
          $metadata: {},
          Responses: { [tableName()]: found.slice(1) },
          UnprocessedKeys: { [tableName()]: { Keys } },
        };
        return { ...result, output: output as NonNullable<typeof result.output> };
      },
    { step: 'deserialize', name: 'too busy', priority: 'high', override: true },
  );
  return { batches: () => batches };
}

describe('one item', () => {
  test('is read as it was stored, by a strongly consistent read', async () => {
    const key = newKey();
    await transact([put(key, { text: 'Ñandú 🏪', list: [1, { deep: null }] })]);
    expect(await getItem(key)).toEqual({ ...key, text: 'Ñandú 🏪', list: [1, { deep: null }] });
    expect(requests.at(-1)).toEqual({
      command: 'GetItemCommand',
      input: expect.objectContaining({ TableName: tableName(), ConsistentRead: true }),
    });
  });

  test('that is not there is undefined', async () => {
    expect(await getItem(newKey())).toBeUndefined();
  });
});

describe('several items', () => {
  test('come in the order of their keys, with holes where there is no item or no key, in one consistent read', async () => {
    const [a, b, missing] = [newKey(), newKey(), newKey()];
    const otherSort = { ...a, sk: 'OTHER' };
    await transact([put(a, { name: 'a' }), put(b, { name: 'b' }), put(otherSort, { name: 'c' })]);
    requests = [];

    expect(await getItems([b, undefined, missing, a, otherSort, b])).toEqual([
      { ...b, name: 'b' },
      undefined,
      undefined,
      { ...a, name: 'a' },
      { ...otherSort, name: 'c' },
      { ...b, name: 'b' },
    ]);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.input['RequestItems']).toMatchObject({ [tableName()]: { ConsistentRead: true } });
  });

  test('are none when no key is given, without a request', async () => {
    expect(await getItems([])).toEqual([]);
    expect(await getItems([undefined, undefined])).toEqual([undefined, undefined]);
    expect(requests).toEqual([]);
  });

  describe('that are more than one request takes', () => {
    const keys = Array.from({ length: 230 }, newKey);
    const names = keys.map((_, at) => (at % 3 === 0 ? undefined : `thing ${at}`));
    const keysOf = ({ input }: (typeof requests)[number]) =>
      (input['RequestItems'] as Record<string, { Keys: Key[] }>)[tableName()]?.Keys ?? [];
    beforeAll(async () => {
      const puts = keys.flatMap((key, at) => (names[at] ? [put(key, { name: names[at] })] : []));
      while (puts.length > 0) await transact(puts.splice(0, 100));
    });

    test('come in the order of their keys, by requests of up to 100', async () => {
      const found = await getItems<{ name: string }[]>([...keys, undefined, ...keys.slice(0, 5)]);
      expect(found.map((item) => item?.name)).toEqual([...names, undefined, ...names.slice(0, 5)]);
      expect(requests.map((request) => keysOf(request).length)).toEqual([100, 100, 30]);
      expect(new Set(requests.flatMap(keysOf).map(({ pk }) => pk)).size).toBe(230);
    });

    test('are one request for just 100 different keys', async () => {
      const some = keys.slice(0, 100);
      await getItems([...some, ...some]);
      expect(requests.map((request) => keysOf(request).length)).toEqual([100]);
    });

    test('are asked for all at once', async () => {
      const arrived = Promise.withResolvers<void>();
      let sent = 0;
      table.middlewareStack.add(
        (next) => async (args) => {
          sent += 1;
          if (sent === 3) arrived.resolve();
          await arrived.promise;
          return next(args);
        },
        { step: 'deserialize', name: 'send' },
      );
      expect(await getItems(keys)).toHaveLength(230);
    });

    test('are asked for again where the table left some, and only there', async () => {
      jest.spyOn(Math, 'random').mockReturnValue(0);
      const { batches } = tooBusy(2);
      const found = await getItems<{ name: string }[]>(keys);
      expect(found.map((item) => item?.name)).toEqual(names);
      expect(batches()).toBe(5);
    });

    test('fail when one of the requests fails, once all have ended', async () => {
      const broken = new Error('broken');
      let [begun, ended] = [0, 0];
      table.middlewareStack.add(
        (next) => async (args) => {
          begun += 1;
          if (begun === 2) throw broken;
          const result = await next(args);
          ended += 1;
          return result;
        },
        { step: 'deserialize', name: 'send' },
      );
      await expect(getItems(keys)).rejects.toBe(broken);
      expect([begun, ended]).toEqual([3, 2]);
    });
  });
});

describe('a table that is too busy to answer in full', () => {
  beforeEach(() => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });

  test('is asked again, up to six times, and what it left out is not taken for missing', async () => {
    const key = newKey();
    await transact([put(key, { name: 'there' })]);
    const { batches } = tooBusy(6);
    expect(await getItems([key])).toEqual([{ ...key, name: 'there' }]);
    expect(batches()).toBe(7);
    // It is the request that is sent again.
    expect(requests.map(({ command }) => command)).toEqual(['TransactWriteItemsCommand', 'BatchGetItemCommand']);
  });

  test('is throttled in the end', async () => {
    const { batches } = tooBusy(Number.POSITIVE_INFINITY);
    await expect(getItems([newKey()])).rejects.toMatchObject({
      name: 'ThrottlingException',
      message: 'BatchGetItem left keys unprocessed',
    });
    expect(batches()).toBe(7);
  });

  test('is asked again for the request alone, not for the operation, and a partner notices nothing', async () => {
    const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const branch = await newBranch(provider, { mid: 'BUSY1' });
    const { tid } = await newTerminal(provider, branch.mid);
    await call('listBranches', { key: provider.key });

    requests = [];
    const { batches } = tooBusy(2);
    const { status } = await call('deleteTerminal', { key: provider.key, path: { id: tid } });
    expect(status).toBe(200);
    expect(batches()).toBe(3);
    expect(requests.map(({ command }) => command)).toEqual([
      'BatchGetItemCommand',
      'GetItemCommand',
      'TransactWriteItemsCommand',
    ]);
  });

  test('for ever ends in a refusal that asks for a repetition, and nothing is stored', async () => {
    const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const { batches } = tooBusy(Number.POSITIVE_INFINITY);
    jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    // Not 0: then creates look after their lists.
    jest.spyOn(Math, 'random').mockReturnValue(0.2);
    const { response, changed } = await storedBy(() =>
      call('createBranch', { key: provider.key, body: { mid: unique('MID'), master_merchant_id: unique('MM') } }),
    );
    expectProblem(response, 'server_error', SERVICE_BUSY);
    expect(response.headers['retry-after']).toBe('2');
    expect(changed).toEqual({});
    expect(batches()).toBe(7);
  });
});

describe('a key range', () => {
  const pk = unique('RANGE#');
  const names = ['A#1', 'B#1', 'B#2', 'B#3', 'B#4', 'B#5', 'C#1'];
  /** Five of these are more than the 1 MB that one request answers. */
  const filler = 'x'.repeat(350_000);
  beforeAll(async () => {
    for (const sk of names) await transact([put({ pk, sk }, { filler })]);
  });
  const bs = {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :b)',
    ExpressionAttributeValues: { ':pk': pk, ':b': 'B#' },
  };
  const skOf = ({ sk }: Key) => sk;

  test('is read to its end, over as many requests as it takes', async () => {
    expect((await queryItems<Key>(bs)).map(skOf)).toEqual(['B#1', 'B#2', 'B#3', 'B#4', 'B#5']);
    expect(requests.length).toBeGreaterThan(1);
  });

  test.each([1, 2, 3, 4, 5, 6])('is read up to a limit of %d', async (limit) => {
    expect((await queryItems<Key>(bs, limit)).map(skOf)).toEqual(['B#1', 'B#2', 'B#3', 'B#4', 'B#5'].slice(0, limit));
  });

  test('asks for no more than its limit', async () => {
    await queryItems(bs, 2);
    expect(requests).toEqual([{ command: 'QueryCommand', input: expect.objectContaining({ Limit: 2 }) }]);
  });

  test('asks for no more than what is left of its limit, when that takes another request', async () => {
    await queryItems(bs, 4);
    expect(requests.map(({ input }) => input['Limit'])).toEqual([4, 1]);
  });

  test('asks for all when it has no limit', async () => {
    await queryItems(bs);
    expect(requests.map(({ input }) => input['Limit'])).toEqual([undefined, undefined]);
  });

  test('is read backwards', async () => {
    expect((await queryItems<Key>({ ...bs, ScanIndexForward: false }, 2)).map(skOf)).toEqual(['B#5', 'B#4']);
  });

  describe('of one prefix', () => {
    const [expression, of] = ['pk = :pk AND begins_with(sk, :prefix)', { ':pk': pk, ':prefix': 'B#' }];

    test('is read whole and strongly consistent', async () => {
      expect((await queryPrefix({ pk, prefix: 'B#' })).map(skOf)).toEqual(['B#1', 'B#2', 'B#3', 'B#4', 'B#5']);
      for (const { input } of requests) {
        expect(input).toMatchObject({ ConsistentRead: true, KeyConditionExpression: expression });
        expect(input['ExpressionAttributeValues']).toEqual(of);
      }
    });

    test('is read from its end, up to a limit, and not consistently where that is asked for', async () => {
      const options = { limit: 2, ScanIndexForward: false, ConsistentRead: false };
      expect((await queryPrefix({ pk, prefix: 'B#' }, options)).map(skOf)).toEqual(['B#5', 'B#4']);
      expect(requests).toEqual([
        { command: 'QueryCommand', input: expect.objectContaining({ Limit: 2, ConsistentRead: false }) },
      ]);
    });

    test('without items is empty', async () => {
      expect(await queryPrefix({ pk, prefix: 'Z#' })).toEqual([]);
    });

    test('that is empty is the whole partition', async () => {
      expect((await queryPrefix({ pk, prefix: '' })).map(skOf)).toEqual(names);
      expect(requests[0]?.input['ExpressionAttributeValues']).toEqual({ ':pk': pk });
    });
  });
});

describe('a table that cannot be reached', () => {
  /** A port that was free a moment ago. */
  const closedPort = () =>
    new Promise<number>((done) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const { port } = server.address() as { port: number };
        server.close(() => done(port));
      });
    });

  test('lets nobody in, asks for a repetition and says why only in the log', async () => {
    const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const port = await closedPort();
    // In a process of its own: jest gives tests other Error classes than a real socket throws.
    const script = `
      import { handler } from './functions/branches/listBranches.ts';
      const event = { routeKey: 'GET /ext/api/v1/merchants', headers: { 'api-key': process.argv[1] } };
      console.error(JSON.stringify(await handler(event, { awsRequestId: 'the-request' })));`;
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script, '--', provider.key],
      {
        cwd: new URL('../../..', import.meta.url),
        env: { ...process.env, NODE_OPTIONS: '', AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}` },
      },
    );

    const { statusCode, headers, body } = JSON.parse(stderr);
    expect(statusCode).toBe(400);
    expect(headers).toEqual({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'retry-after': expect.stringMatching(/^[1-5]$/),
      'x-request-id': 'the-request',
    });
    expectProblem({ status: statusCode, headers, body: JSON.parse(body) }, 'server_error', SERVICE_BUSY);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] as string)).toMatchObject({
      level: 'ERROR',
      code: 'server_error',
      request_id: 'the-request',
      route: 'GET /ext/api/v1/merchants',
      causes: [
        {
          name: 'Error',
          message: `connect ECONNREFUSED 127.0.0.1:${port}`,
          stack: expect.stringContaining('ECONNREFUSED'),
        },
      ],
    });
    expect(stdout).not.toContain(provider.key);
  });
});
