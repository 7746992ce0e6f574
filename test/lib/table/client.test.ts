import type { BatchGetItemCommandInput, BatchGetItemCommandOutput } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { getItem, getItems, queryItems, queryPrefix, tableName } from '../../../lib/table/client.ts';
import type { Key } from '../../../lib/table/keys.ts';
import { put, transact } from '../../../lib/table/transaction.ts';
import { fillQuota } from '../../support/quota.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import { unique } from '../../support/world.ts';
import { intercept } from './intercept.ts';

beforeEach(() => {
  fillQuota();
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => void jest.restoreAllMocks());

/** From now on, this many requests process none of their keys, or only the first. Returns how many were sent. */
function leaveUnprocessed(times: number, processed: 0 | 1 = 0): () => number {
  let batches = 0;
  intercept(async (send, { input }) => {
    const result = await send();
    batches += 1;
    if (batches > times) return result;
    const { Responses = {} } = result.output as unknown as BatchGetItemCommandOutput;
    const { Keys = [], ...options } = (input as unknown as BatchGetItemCommandInput).RequestItems?.[tableName()] ?? {};
    const sent = Keys.map(({ pk, sk }) => ({ pk: pk?.S, sk: sk?.S }));
    const unprocessed = sent.slice(processed);
    const isProcessed = ({ pk }: Record<string, unknown>) => processed === 1 && pk === sent[0]?.pk;
    const output = {
      $metadata: {},
      Responses: { [tableName()]: Responses[tableName()]?.filter(isProcessed) },
      UnprocessedKeys: unprocessed.length > 0 ? { [tableName()]: { ...options, Keys: unprocessed } } : {},
    };
    return { ...result, output };
  }, 'deserialize');
  return () => batches;
}

const newKey = (): Key => ({ pk: unique('THING#'), sk: 'THING' });

test('getItem returns an item as it was stored, by a strongly consistent read', async () => {
  const key = newKey();
  const attributes = { text: 'Ñandú 🏪 e\u0301\r\n\u0000', list: [1, { deep: null }] };
  await transact([put(key, attributes)]);
  const { response, requests } = await tableRequestsBy(() => getItem(key));
  expect(response).toEqual({ ...key, ...attributes });
  expect(requests).toMatchObject([{ operation: 'GetItem', input: { TableName: tableName(), ConsistentRead: true } }]);
});

describe('getItems', () => {
  const keysOf = ({ input }: { input: object }): Key[] =>
    (input as { RequestItems: Record<string, { Keys: Key[] }> }).RequestItems[tableName()]?.Keys ?? [];

  test('returns items in the order of their keys, undefined for missing ones, by one consistent read', async () => {
    const [a, b, missing] = [newKey(), newKey(), newKey()];
    const otherSort = { ...a, sk: 'OTHER' };
    await transact([put(a, { name: 'a' }), put(b, { name: 'b' }), put(otherSort, { name: 'c' })]);
    const keys = [b, undefined, missing, a, otherSort, b];
    const { response, requests } = await tableRequestsBy(() => getItems<{ name: string }[]>(keys));
    expect(response).toEqual(
      ['b', undefined, undefined, 'a', 'c', 'b'].map((name, at) => name && { ...keys[at], name }),
    );
    expect(requests).toMatchObject([{ input: { RequestItems: { [tableName()]: { ConsistentRead: true } } } }]);
  });

  test('sends no request if there is no key', async () => {
    const { response, requests } = await tableRequestsBy(() => Promise.all([getItems([]), getItems([undefined])]));
    expect([response, requests]).toEqual([[[], [undefined]], []]);
  });

  describe('with more keys than fit into one request', () => {
    const keys = Array.from({ length: 230 }, newKey);
    const names = keys.map((_, at) => (at % 3 === 0 ? undefined : `thing ${at}`));
    const namesOf = async (some: (Key | undefined)[]) =>
      (await getItems<{ name: string }[]>(some)).map((item) => item?.name);
    beforeAll(async () => {
      const puts = keys.flatMap((key, at) => (names[at] ? [put(key, { name: names[at] })] : []));
      while (puts.length > 0) await transact(puts.splice(0, 100));
    });

    test('returns items in the order of their keys, by concurrent requests of up to 100', async () => {
      const { response, requests, atOnce } = await tableRequestsBy(() =>
        namesOf([...keys, undefined, ...keys.slice(0, 5)]),
      );
      expect(response).toEqual([...names, undefined, ...names.slice(0, 5)]);
      expect(requests.map((request) => keysOf(request).length)).toEqual([100, 100, 30]);
      expect(new Set(requests.flatMap(keysOf).map(({ pk }) => pk)).size).toBe(230);
      expect(atOnce).toBe(3);
    });

    test('retries only the requests of which nothing was processed', async () => {
      const batches = leaveUnprocessed(2);
      expect(await namesOf(keys)).toEqual(names);
      expect(batches()).toBe(5);
    });

    test('fails when one of its requests fails, once all have ended', async () => {
      const broken = new Error('broken');
      let [begun, ended] = [0, 0];
      intercept(async (send) => {
        begun += 1;
        if (begun === 2) throw broken;
        const result = await send();
        ended += 1;
        return result;
      }, 'deserialize');
      await expect(getItems(keys)).rejects.toBe(broken);
      expect([begun, ended]).toEqual([3, 2]);
    });
  });

  test('sends requests for exactly the keys that a response leaves unprocessed', async () => {
    const keys = Array.from({ length: 4 }, newKey);
    await transact(keys.map((key, at) => put(key, { at })));
    leaveUnprocessed(Number.POSITIVE_INFINITY, 1);
    const { response, requests } = await tableRequestsBy(() => getItems(keys));
    expect(response).toEqual(keys.map((key, at) => ({ ...key, at })));
    expect(requests.map(({ input }) => input['RequestItems'])).toEqual(
      keys.map((_, at) => ({ [tableName()]: { Keys: keys.slice(at), ConsistentRead: true } })),
    );
  });

  test('does not take unprocessed items for missing ones: the client retries up to six times', async () => {
    const key = newKey();
    await transact([put(key, { name: 'there' })]);
    const batches = leaveUnprocessed(6);
    const sent = await tableRequestsBy(() => getItems([key]));
    expect(sent.response).toEqual([{ ...key, name: 'there' }]);
    expect([batches(), operationsOf(sent)]).toEqual([7, 'BatchGetItem']);
  });

  test('fails as throttled if its keys are left unprocessed after all retries', async () => {
    const batches = leaveUnprocessed(Number.POSITIVE_INFINITY);
    await expect(getItems([newKey()])).rejects.toMatchObject({
      name: 'ThrottlingException',
      message: 'BatchGetItem left all keys unprocessed',
    });
    expect(batches()).toBe(7);
  });
});

describe('a query', () => {
  const pk = unique('RANGE#');
  const names = ['A#1', 'B#1', 'B#2', 'B#3', 'B#4', 'B#5', 'C#1'];
  const bs = names.slice(1, 6);
  beforeAll(async () => {
    // Five of these exceed the 1 MB of one response.
    for (const sk of names) await transact([put({ pk, sk }, { filler: 'x'.repeat(350_000) })]);
  });
  const range = {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': 'B#' },
  };
  /** Runs a query. Returns the sort keys that it found and the inputs of its requests. */
  async function run(query: () => Promise<Key[]>) {
    const { response, requests } = await tableRequestsBy(query);
    return { found: response.map(({ sk }) => sk), inputs: requests.map(({ input }) => input) };
  }
  const limitsOf = (inputs: Record<string, unknown>[]) => inputs.map(({ Limit }) => Limit);

  test('reads to the end, with as many requests as necessary', async () => {
    const { found, inputs } = await run(() => queryItems<Key>(range));
    expect([found, limitsOf(inputs)]).toEqual([bs, [undefined, undefined]]);
  });

  test.each([
    [1, [1]],
    [2, [2]],
    [3, [3]],
    [4, [4, 1]],
    [5, [5, 2]],
    [6, [6, 3]],
  ])('reads up to a limit of %d, and requests only what is still missing: %j', async (limit, limits) => {
    const { found, inputs } = await run(() => queryItems<Key>(range, limit));
    expect([found, limitsOf(inputs)]).toEqual([bs.slice(0, limit), limits]);
  });

  test('ends after a response with more items than were requested', async () => {
    intercept((send, { input }) => {
      input['Limit'] = Number(input['Limit']) + 1;
      return send();
    });
    const { found, inputs } = await run(() => queryItems<Key>(range, 2));
    expect([found, inputs.length]).toEqual([bs.slice(0, 3), 1]);
  });

  test('of a prefix reads all of its items, strongly consistently', async () => {
    const { found, inputs } = await run(() => queryPrefix({ pk, prefix: 'B#' }));
    expect(found).toEqual(bs);
    expect(inputs).toMatchObject([1, 2].map(() => ({ ...range, ConsistentRead: true })));
  });

  test('of a prefix reads backwards, up to a limit and eventually consistently, if requested', async () => {
    const options = { limit: 2, ScanIndexForward: false, ConsistentRead: false };
    const { found, inputs } = await run(() => queryPrefix({ pk, prefix: 'B#' }, options));
    expect(found).toEqual(['B#5', 'B#4']);
    expect(inputs).toMatchObject([{ Limit: 2, ConsistentRead: false }]);
  });

  test('of an empty prefix reads the whole partition', async () => {
    const { found, inputs } = await run(() => queryPrefix({ pk, prefix: '' }));
    expect(found).toEqual(names);
    expect(inputs[0]?.['ExpressionAttributeValues']).toEqual({ ':pk': pk });
  });
});
