import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { issueApiKey, revokeApiKey } from '../../../lib/operator/apiKeys.ts';
import { table } from '../../../lib/table/client.ts';
import { call, eventOf, expectProblem, invoke, OPERATIONS, type Request } from '../../support/api.ts';
import { INVALID_KEY, SERVICE_BUSY } from '../../support/constants.ts';
import { captureLog } from '../../support/log.ts';
import { fillQuota } from '../../support/quota.ts';
import { storedBy } from '../../support/stored.ts';
import { type Caller, newAcquirer, newBranch, newTerminal } from '../../support/world.ts';

let provider: Caller;
let revoked: string;
/** A request that every operation would process with a valid key. */
let request: Request;
beforeAll(async () => {
  provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const { api_key, key_id } = await issueApiKey(provider.id, 'leaked');
  await revokeApiKey(provider.id, key_id);
  revoked = api_key;
  const { mid } = await newBranch(provider);
  const { tid } = await newTerminal(provider, mid);
  request = {
    path: { mid, id: tid, method: 'paymentApp' },
    body: { mid: 'NEW1', master_merchant_id: 'M1', reason: 'x' },
  };
});

afterEach(() => {
  table.middlewareStack.remove('table');
  jest.restoreAllMocks();
});

describe.each(OPERATIONS)('%s', (operation) => {
  test.each<[string, () => string]>([
    ['a revoked key', () => revoked],
    ['a key with one letter changed', () => provider.key.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))],
  ])('rejects %s', async (_, key) => {
    const { response, changed } = await storedBy(() => call(operation, { ...request, key: key() }));
    expectProblem(response, 'invalid_api_key', INVALID_KEY);
    expect(changed).toEqual({});
  });

  test('accepts no key while the table is unreachable', async () => {
    const lines = captureLog();
    fillQuota();
    // No backoff between the attempts.
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const { key } = await newAcquirer('PAYMENT_PROVIDER', 'Quickpay');
    const error = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:443'), { code: 'ECONNREFUSED' });
    const commands: (string | undefined)[] = [];
    table.middlewareStack.add(
      (_, { commandName }) =>
        () => {
          commands.push(commandName);
          return Promise.reject(error);
        },
      { step: 'deserialize', name: 'table' },
    );

    const { response, changed } = await storedBy(() => call(operation, { ...request, key }));

    expectProblem(response, 'server_error', SERVICE_BUSY);
    expect(response.headers['retry-after']).toBe('1');
    expect(changed).toEqual({});
    // Six retries of the API key's read, and none of the operation's requests.
    expect(commands).toEqual(Array(7).fill('GetItemCommand'));
    expect(lines()).toEqual([
      expect.objectContaining({
        level: 'ERROR',
        code: 'server_error',
        request_id: response.headers['x-request-id'],
        route: eventOf(operation, {}).routeKey,
        causes: [{ name: 'Error', message: error.message, stack: error.stack }],
      }),
    ]);
  });
});

describe('a key', () => {
  test.each<[string, (key: string) => object]>([
    ['the query', (key) => ({ queryStringParameters: { 'api-key': key } })],
    ['the header Authorization', (key) => ({ headers: { authorization: key } })],
    ['the header X-API-KEY', (key) => ({ headers: { 'x-api-key': key } })],
    ['a cookie', (key) => ({ cookies: [`api-key=${key}`] })],
  ])('is accepted in the API-KEY header only, not in %s', async (_, place) => {
    const event = { ...eventOf('listBranches', {}), ...place(provider.key) };
    expectProblem(await invoke('listBranches', event), 'invalid_api_key', INVALID_KEY);
  });

  test('determines whose branches are listed', async () => {
    const other = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
    const { mid } = await newBranch(other);
    const { body } = await call('listBranches', { key: other.key });
    expect(body.data).toEqual([expect.objectContaining({ mid })]);
    expect(body.meta.total).toBe(1);
  });

  test('is never repeated in a response, valid or not', async () => {
    for (const key of [provider.key, revoked])
      expect(JSON.stringify(await call('listBranches', { key }))).not.toContain(key.slice(4));
  });
});
