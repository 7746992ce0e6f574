import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { getItem, getItems, queryItems, queryMembers, TABLE, table } from '../../../lib/table/client.ts';
import type { Key } from '../../../lib/table/keys.ts';
import { Contention } from '../../../lib/table/retry.ts';
import { put, transact } from '../../../lib/table/transaction.ts';
import { call, expectProblem } from '../../support/api.ts';
import { hurry } from '../../support/clock.ts';
import { SERVICE_BUSY } from '../../support/constants.ts';
import { storedBy } from '../../support/stored.ts';
import { newAcquirer, newBranch, newTerminal, unique } from '../../support/world.ts';

/** Names and inputs of the requests that were sent to the table in a test. */
let requests: { command: string; input: Record<string, unknown> }[];
beforeEach(() => {
  requests = [];
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
  table.middlewareStack.remove('record');
  table.middlewareStack.remove('too busy');
  jest.restoreAllMocks();
});

const newKey = (): Key => ({ pk: unique('THING#'), sk: 'THING' });

/** From now on the table is too busy to answer a BatchGetItem in full, so many times. */
function tooBusy(times: number): void {
  let left = times;
  table.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        left -= commandName === 'BatchGetItemCommand' ? 1 : 0;
        if (commandName !== 'BatchGetItemCommand' || left < 0) return result;
        const UnprocessedKeys = { [TABLE]: { Keys: [{ pk: { S: 'left' }, sk: { S: 'over' } }] } };
        return {
          ...result,
          output: { $metadata: {}, Responses: {}, UnprocessedKeys } as NonNullable<typeof result.output>,
        };
      },
    { step: 'deserialize', name: 'too busy', priority: 'high', override: true },
  );
}

describe('one item', () => {
  test('is read as it was stored, by a strongly consistent read', async () => {
    const key = newKey();
    await transact([put(key, { text: 'Ñandú 🏪', list: [1, { deep: null }] })]);
    expect(await getItem(key)).toEqual({ ...key, text: 'Ñandú 🏪', list: [1, { deep: null }] });
    expect(requests.at(-1)).toEqual({
      command: 'GetItemCommand',
      input: expect.objectContaining({ TableName: TABLE, ConsistentRead: true }),
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
    expect(requests[0]?.input['RequestItems']).toMatchObject({ [TABLE]: { ConsistentRead: true } });
  });

  test('are contention when the table was too busy for all of them', async () => {
    tooBusy(1);
    await expect(getItems([newKey()])).rejects.toThrow(Contention);
  });
});

describe('a table that is too busy to answer in full', () => {
  beforeEach(() => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });

  test('is asked again, and a partner notices nothing', async () => {
    const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    tooBusy(3);
    const branch = await newBranch(provider, { mid: 'BUSY1' });
    const { tid } = await newTerminal(provider, branch.mid);
    expect((await call('listBranches', { key: provider.key })).body.data).toEqual([
      expect.objectContaining({ mid: 'BUSY1' }),
    ]);

    requests = [];
    tooBusy(2);
    const { status } = await call('deleteTerminal', { key: provider.key, path: { id: tid } });
    expect(status).toBe(200);
    expect(requests.map(({ command }) => command)).toEqual([
      ...Array(3).fill('BatchGetItemCommand'),
      'GetItemCommand',
      'TransactWriteItemsCommand',
    ]);
  });

  test('for ever ends in a refusal that asks for a repetition, and nothing is stored', async () => {
    const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    tooBusy(Number.POSITIVE_INFINITY);
    jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    hurry();
    const { answer, changed } = await storedBy(() =>
      call('createBranch', { key: provider.key, body: { mid: unique('MID'), master_merchant_id: unique('MM') } }),
    );
    expectProblem(answer, 'server_error', SERVICE_BUSY);
    expect(answer.headers['retry-after']).toBe('2');
    expect(changed).toEqual({});
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

  test('of one prefix is read whole and strongly consistent', async () => {
    expect((await queryMembers<Key>({ pk, prefix: 'B#' })).map(skOf)).toEqual(['B#1', 'B#2', 'B#3', 'B#4', 'B#5']);
    for (const { input } of requests) expect(input).toMatchObject({ ConsistentRead: true });
  });

  test('without items is empty', async () => {
    expect(await queryMembers({ pk, prefix: 'Z#' })).toEqual([]);
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
      'retry-after': '2',
      'x-request-id': 'the-request',
    });
    expectProblem({ status: statusCode, headers, body: JSON.parse(body) }, 'server_error', SERVICE_BUSY);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] as string)).toMatchObject({
      level: 'ERROR',
      acquirer: null,
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
