import {
  DynamoDBServiceException,
  InternalServerError,
  ThrottlingException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { handler as listBranches } from '../../../functions/branches/listBranches.ts';
import { table } from '../../../lib/table/client.ts';
import { Conflict } from '../../../lib/table/retry.ts';
import { call, eventOf, expectProblem } from '../../support/api.ts';
import { speedUpClock } from '../../support/clock.ts';
import { SERVICE_BUSY, SERVICE_FAILED } from '../../support/constants.ts';
import { captureLog, type Line } from '../../support/log.ts';
import { emptyQuota, fillQuota } from '../../support/quota.ts';
import { type Caller, newAcquirer, newBranch } from '../../support/world.ts';

let provider: Caller;
let mid: string;
beforeAll(async () => {
  provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  mid = (await newBranch(provider)).mid;
});

/** The lines logged by a test. */
let logged: () => Line[];
beforeEach(() => {
  logged = captureLog();
  fillQuota();
  // No backoff between the attempts of the table's client.
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  table.middlewareStack.remove('broken');
  jest.restoreAllMocks();
});

/** From now on, every request to the table fails with this error, and the time to retry runs out quickly. */
function breakTable(error: () => unknown): void {
  table.middlewareStack.add(() => () => Promise.reject(error()), { step: 'deserialize', name: 'broken' });
  speedUpClock();
}

const $metadata = { httpStatusCode: 400 };
const rejected = (message: string) =>
  new DynamoDBServiceException({ name: 'ValidationException', $fault: 'client', message, $metadata });
const withErrorCode = (code: string) => Object.assign(new Error(`connect ${code} 10.0.0.1:443`), { code });
const named = (name: string) => Object.assign(new Error('secret internals'), { name });

const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({ message: 'x', $metadata, CancellationReasons: codes.map((Code) => ({ Code })) });

describe('a transient failure', () => {
  test.each<[string, () => Error]>([
    ['another write conflicts', () => new Conflict('The transaction conflicted with another write')],
    ['the table is throttled', () => new ThrottlingException({ message: 'slow down', $metadata })],
    [
      'the table has an internal error',
      () => new InternalServerError({ message: 'x', $metadata: { httpStatusCode: 500 } }),
    ],
    ['the table is unavailable', () => Object.assign(named('Unavailable'), { $metadata: { httpStatusCode: 503 } })],
    ['throttling cancels a transaction', () => cancelled('None', 'ThrottlingError')],
    ['a conflict cancels a transaction that may be applied', () => cancelled('TransactionConflict')],
    ['a transaction is still in progress', () => named('TransactionInProgressException')],
    ['the table times out', () => named('TimeoutError')],
    ['the table refuses connections', () => withErrorCode('ECONNREFUSED')],
    ['a connection is reset', () => withErrorCode('ECONNRESET')],
    ['the name of the table cannot be resolved', () => withErrorCode('ENOTFOUND')],
    ['the cause of an error is transient', () => new Error('wrapped', { cause: withErrorCode('ETIMEDOUT') })],
  ])('returns 400 with Retry-After: %s', async (_, error) => {
    breakTable(error);
    const response = await call('getBranch', { key: provider.key, path: { mid } });
    expectProblem(response, 'server_error', SERVICE_BUSY);
    expect(response.headers['retry-after']).toBe('1');
    expect(logged()).toHaveLength(1);
  });

  test.each([
    [0, '1'],
    [0.199, '1'],
    [0.2, '2'],
    [0.5, '3'],
    [0.79, '4'],
    [0.8, '5'],
    [0.999999, '5'],
  ])('sets a random Retry-After of 1 to 5 s to spread retries (random %d: %s s)', async (share, seconds) => {
    emptyQuota();
    breakTable(() => new ThrottlingException({ message: 'slow down', $metadata }));
    jest.spyOn(Math, 'random').mockReturnValue(share);
    const response = await call('getBranch', { key: provider.key, path: { mid } });
    expectProblem(response, 'server_error', SERVICE_BUSY);
    expect(response.headers['retry-after']).toBe(seconds);
  });
});

describe('a permanent failure', () => {
  test.each<[string, () => Error]>([
    ['a bug in the code', () => new TypeError("Cannot read properties of undefined (reading 'secret')")],
    ['a request that the table rejects', () => rejected('secret')],
    ['a transaction that the table rejects', () => cancelled('ValidationError')],
    ['a missing table', () => named('ResourceNotFoundException')],
    ['a missing permission', () => named('AccessDeniedException')],
  ])('returns 400 without Retry-After: %s', async (_, error) => {
    breakTable(error);
    const response = await call('getBranch', { key: provider.key, path: { mid } });
    expectProblem(response, 'server_error', SERVICE_FAILED);
    expect(response.headers).not.toHaveProperty('retry-after');
    expect(logged()).toHaveLength(1);
  });
});

describe('the log of a failure', () => {
  test('is one JSON line with the request, its route and every cause with its stack', async () => {
    const error = new Error('outer', { cause: new TypeError('inner') });
    breakTable(() => error);
    const { headers } = await call('getBranch', { key: provider.key, path: { mid } });
    expect(logged()).toEqual([
      expect.objectContaining({
        level: 'ERROR',
        code: 'server_error',
        request_id: headers['x-request-id'],
        route: 'GET /ext/api/v1/merchants/{mid}',
        causes: [
          { name: 'Error', message: 'outer', stack: error.stack },
          { name: 'TypeError', message: 'inner', stack: (error.cause as Error).stack },
        ],
      }),
    ]);
  });

  test('contains nothing else that an error carries: no items, no API key', async () => {
    const error = rejected('nothing said');
    breakTable(() => Object.assign(error, { Item: { merchant_name: { S: 'Secret Shop' } } }));
    await call('getBranch', { key: provider.key, path: { mid } });
    const [line] = logged();
    expect(JSON.stringify(line)).not.toMatch(/Secret Shop/);
    expect(JSON.stringify(line)).not.toContain(provider.key);
    expect(line?.['causes']).toEqual([{ name: 'ValidationException', message: 'nothing said', stack: error.stack }]);
  });

  test('has no line at level ERROR for a rejected request', async () => {
    await call('getBranch', { key: 'apk_wrong', path: { mid } });
    await call('getBranch', { key: provider.key, path: { mid: 'NOSUCHMID' } });
    await call('createBranch', { key: provider.key, body: {} });
    await call('createBranch', { key: provider.key, body: '{' });
    await call('listBranches', { key: provider.key, query: { page: '0' } });
    expect(logged()).toEqual([]);
  });
});

describe('a problem', () => {
  test('that a retry cannot resolve has no Retry-After', async () => {
    const response = await call('getBranch', { key: provider.key, path: { mid: 'NOSUCHMID' } });
    expect(Object.keys(response.headers).sort()).toEqual(['cache-control', 'content-type', 'x-request-id']);
  });
});

describe('a request that runs out of time', () => {
  test('fails in time for a response, with Retry-After', async () => {
    await call('listBranches', { key: provider.key });
    table.middlewareStack.add(() => () => new Promise<never>(() => {}), { step: 'deserialize', name: 'broken' });
    const context = { awsRequestId: 'the-request', getRemainingTimeInMillis: () => 500 };

    const response = await listBranches(eventOf('listBranches', { key: provider.key }) as never, context as Context);

    const { statusCode, headers, body } = response as {
      statusCode: number;
      headers: Record<string, string>;
      body: string;
    };
    expect(statusCode).toBe(400);
    expect(headers['retry-after']).toBe('1');
    expectProblem({ status: statusCode, headers, body: JSON.parse(body) }, 'server_error', SERVICE_BUSY);
    expect(logged()).toEqual([
      expect.objectContaining({
        causes: [expect.objectContaining({ name: 'TimeoutError' })],
        request_id: 'the-request',
      }),
    ]);
  });
});
