import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { BatchGetItemCommandInput, BatchGetItemCommandOutput } from '@aws-sdk/client-dynamodb';
import type { BatchGetCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { freePort } from '../../../infra/local/engine.ts';
import { getItem, getItems, queryItems, queryPrefix, table, tableName } from '../../../lib/table/client.ts';
import type { Key } from '../../../lib/table/keys.ts';
import { put, transact } from '../../../lib/table/transaction.ts';
import { call, expectProblem } from '../../support/api.ts';
import { SERVICE_BUSY } from '../../support/constants.ts';
import { fillQuota } from '../../support/quota.ts';
import { storedBy } from '../../support/stored.ts';
import { newAcquirer, newBranch, newTerminal, unique } from '../../support/world.ts';

/** The commands sent to the table in a test, with their inputs. */
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
  for (const name of ['record', 'send', 'leave unprocessed']) table.middlewareStack.remove(name);
  jest.restoreAllMocks();
});

const newKey = (): Key => ({ pk: unique('THING#'), sk: 'THING' });

/** From now on, this many BatchGetItem requests process none of their keys, or only the first. Returns how many were sent. */
function leaveUnprocessed(times: number, processed: 0 | 1 = 0): { batches: () => number } {
  let batches = 0;
  table.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        if (commandName !== 'BatchGetItemCommand') return result;
        batches += 1;
        if (batches > times) return result;
        const { Responses = {} } = result.output as BatchGetItemCommandOutput;
        const { Keys = [], ...options } = (args.input as BatchGetItemCommandInput).RequestItems?.[tableName()] ?? {};
        const sent = Keys.map(({ pk, sk }) => ({ pk: pk?.S, sk: sk?.S }));
        const unprocessed = sent.slice(processed);
        const isProcessed = ({ pk }: Record<string, unknown>) => processed === 1 && pk === sent[0]?.pk;
        const output = {
          $metadata: {},
          Responses: { [tableName()]: Responses[tableName()]?.filter(isProcessed) },
          UnprocessedKeys: unprocessed.length > 0 ? { [tableName()]: { ...options, Keys: unprocessed } } : {},
        };
        return { ...result, output: output as unknown as NonNullable<typeof result.output> };
      },
    { step: 'deserialize', name: 'leave unprocessed', priority: 'high', override: true },
  );
  return { batches: () => batches };
}

describe('getItem', () => {
  test('returns an item as it was stored, by a strongly consistent read', async () => {
    const key = newKey();
    await transact([put(key, { text: 'Ñandú 🏪', list: [1, { deep: null }] })]);
    expect(await getItem(key)).toEqual({ ...key, text: 'Ñandú 🏪', list: [1, { deep: null }] });
    expect(requests.at(-1)).toEqual({
      command: 'GetItemCommand',
      input: expect.objectContaining({ TableName: tableName(), ConsistentRead: true }),
    });
  });

  test('returns undefined for an item that does not exist', async () => {
    expect(await getItem(newKey())).toBeUndefined();
  });
});

describe('getItems', () => {
  test('returns items in the order of their keys, with undefined for missing items and keys, by one consistent read', async () => {
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

  test('sends no request if there is no key', async () => {
    expect(await getItems([])).toEqual([]);
    expect(await getItems([undefined, undefined])).toEqual([undefined, undefined]);
    expect(requests).toEqual([]);
  });

  describe('with more keys than fit into one request', () => {
    const keys = Array.from({ length: 230 }, newKey);
    const names = keys.map((_, at) => (at % 3 === 0 ? undefined : `thing ${at}`));
    const keysOf = ({ input }: (typeof requests)[number]) =>
      (input['RequestItems'] as Record<string, { Keys: Key[] }>)[tableName()]?.Keys ?? [];
    beforeAll(async () => {
      const puts = keys.flatMap((key, at) => (names[at] ? [put(key, { name: names[at] })] : []));
      while (puts.length > 0) await transact(puts.splice(0, 100));
    });

    test('returns items in the order of their keys, by requests of up to 100', async () => {
      const found = await getItems<{ name: string }[]>([...keys, undefined, ...keys.slice(0, 5)]);
      expect(found.map((item) => item?.name)).toEqual([...names, undefined, ...names.slice(0, 5)]);
      expect(requests.map((request) => keysOf(request).length)).toEqual([100, 100, 30]);
      expect(new Set(requests.flatMap(keysOf).map(({ pk }) => pk)).size).toBe(230);
    });

    test('sends one request for exactly 100 different keys', async () => {
      const some = keys.slice(0, 100);
      await getItems([...some, ...some]);
      expect(requests.map((request) => keysOf(request).length)).toEqual([100]);
    });

    test('sends its requests concurrently', async () => {
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

    test('retries only the requests of which nothing was processed', async () => {
      jest.spyOn(Math, 'random').mockReturnValue(0);
      const { batches } = leaveUnprocessed(2);
      const found = await getItems<{ name: string }[]>(keys);
      expect(found.map((item) => item?.name)).toEqual(names);
      expect(batches()).toBe(5);
    });

    test('fails when one of its requests fails, once all have ended', async () => {
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

describe('a BatchGetItem that processes some of its keys', () => {
  test('is followed by requests for exactly the others, strongly consistent', async () => {
    const keys = Array.from({ length: 4 }, newKey);
    await transact(keys.map((key, at) => put(key, { at })));
    requests = [];
    leaveUnprocessed(Number.POSITIVE_INFINITY, 1);
    expect(await getItems(keys)).toEqual(keys.map((key, at) => ({ ...key, at })));
    expect(requests.map(({ input }) => (input as BatchGetCommandInput).RequestItems)).toEqual(
      keys.map((_, at) => ({ [tableName()]: { Keys: keys.slice(at), ConsistentRead: true } })),
    );
  });
});

describe('a BatchGetItem that processes none of its keys', () => {
  beforeEach(() => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });

  test('is retried up to six times, and unprocessed items do not count as missing', async () => {
    const key = newKey();
    await transact([put(key, { name: 'there' })]);
    const { batches } = leaveUnprocessed(6);
    expect(await getItems([key])).toEqual([{ ...key, name: 'there' }]);
    expect(batches()).toBe(7);
    // The client resends the request.
    expect(requests.map(({ command }) => command)).toEqual(['TransactWriteItemsCommand', 'BatchGetItemCommand']);
  });

  test('fails with a ThrottlingException when retries are exhausted', async () => {
    const { batches } = leaveUnprocessed(Number.POSITIVE_INFINITY);
    await expect(getItems([newKey()])).rejects.toMatchObject({
      name: 'ThrottlingException',
      message: 'BatchGetItem left all keys unprocessed',
    });
    expect(batches()).toBe(7);
  });

  test('is retried by itself, not with the whole operation, and a partner sees no error', async () => {
    const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const branch = await newBranch(provider, { mid: 'BUSY1' });
    const { tid } = await newTerminal(provider, branch.mid);
    await call('listBranches', { key: provider.key });

    requests = [];
    const { batches } = leaveUnprocessed(2);
    const { status } = await call('deleteTerminal', { key: provider.key, path: { id: tid } });
    expect(status).toBe(200);
    expect(batches()).toBe(3);
    expect(requests.map(({ command }) => command)).toEqual([
      'BatchGetItemCommand',
      'GetItemCommand',
      'TransactWriteItemsCommand',
    ]);
  });

  test('returns 400 with Retry-After when retries are exhausted, and stores nothing', async () => {
    const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const { batches } = leaveUnprocessed(Number.POSITIVE_INFINITY);
    jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const { response, changed } = await storedBy(() =>
      call('createBranch', { key: provider.key, body: { mid: unique('MID'), master_merchant_id: unique('MM') } }),
    );
    expectProblem(response, 'server_error', SERVICE_BUSY);
    expect(response.headers['retry-after']).toBe('1');
    expect(changed).toEqual({});
    expect(batches()).toBe(7);
  });
});

describe('queryItems', () => {
  const pk = unique('RANGE#');
  const names = ['A#1', 'B#1', 'B#2', 'B#3', 'B#4', 'B#5', 'C#1'];
  /** Five of these exceed the 1 MB of one response. */
  const filler = 'x'.repeat(350_000);
  beforeAll(async () => {
    for (const sk of names) await transact([put({ pk, sk }, { filler })]);
  });
  const bs = {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :b)',
    ExpressionAttributeValues: { ':pk': pk, ':b': 'B#' },
  };
  const skOf = ({ sk }: Key) => sk;

  test('reads to the end, with as many requests as necessary', async () => {
    expect((await queryItems<Key>(bs)).map(skOf)).toEqual(['B#1', 'B#2', 'B#3', 'B#4', 'B#5']);
    expect(requests.length).toBeGreaterThan(1);
  });

  test.each([1, 2, 3, 4, 5, 6])('reads up to a limit of %d', async (limit) => {
    expect((await queryItems<Key>(bs, limit)).map(skOf)).toEqual(['B#1', 'B#2', 'B#3', 'B#4', 'B#5'].slice(0, limit));
  });

  test('requests no more items than its limit', async () => {
    await queryItems(bs, 2);
    expect(requests).toEqual([{ command: 'QueryCommand', input: expect.objectContaining({ Limit: 2 }) }]);
  });

  test('requests only the rest of its limit in a further request', async () => {
    await queryItems(bs, 4);
    expect(requests.map(({ input }) => input['Limit'])).toEqual([4, 1]);
  });

  test('requests all items without a limit', async () => {
    await queryItems(bs);
    expect(requests.map(({ input }) => input['Limit'])).toEqual([undefined, undefined]);
  });

  test('reads backwards', async () => {
    expect((await queryItems<Key>({ ...bs, ScanIndexForward: false }, 2)).map(skOf)).toEqual(['B#5', 'B#4']);
  });

  describe('queryPrefix', () => {
    const [expression, of] = ['pk = :pk AND begins_with(sk, :prefix)', { ':pk': pk, ':prefix': 'B#' }];

    test('reads all items of a prefix, strongly consistently', async () => {
      expect((await queryPrefix({ pk, prefix: 'B#' })).map(skOf)).toEqual(['B#1', 'B#2', 'B#3', 'B#4', 'B#5']);
      expect(requests).toHaveLength(2);
      for (const { input } of requests) {
        expect(input).toMatchObject({ ConsistentRead: true, KeyConditionExpression: expression });
        expect(input['ExpressionAttributeValues']).toEqual(of);
      }
    });

    test('reads backwards, up to a limit and eventually consistently, if requested', async () => {
      const options = { limit: 2, ScanIndexForward: false, ConsistentRead: false };
      expect((await queryPrefix({ pk, prefix: 'B#' }, options)).map(skOf)).toEqual(['B#5', 'B#4']);
      expect(requests).toEqual([
        { command: 'QueryCommand', input: expect.objectContaining({ Limit: 2, ConsistentRead: false }) },
      ]);
    });

    test('returns no items for a prefix without items', async () => {
      expect(await queryPrefix({ pk, prefix: 'Z#' })).toEqual([]);
    });

    test('reads the whole partition for an empty prefix', async () => {
      expect((await queryPrefix({ pk, prefix: '' })).map(skOf)).toEqual(names);
      expect(requests[0]?.input['ExpressionAttributeValues']).toEqual({ ':pk': pk });
    });
  });
});

describe('an unreachable table', () => {
  test('makes requests fail with Retry-After and logs the reason without returning it', async () => {
    const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const port = await freePort();
    // In a separate process: Jest gives tests other Error classes than a real socket throws.
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
