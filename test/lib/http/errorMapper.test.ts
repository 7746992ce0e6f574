import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { handler as listBranches } from '../../../functions/branches/listBranches.ts';
import type { Response } from '../../../lib/http/middleware.ts';
import { call, eventOf, expectProblem } from '../../support/api.ts';
import { SERVICE_BUSY } from '../../support/constants.ts';
import { captureLog, type Line } from '../../support/log.ts';
import { emptyQuota } from '../../support/quota.ts';
import { useProvider } from '../../support/world.ts';
import { throttled } from '../table/errors.ts';
import { failTable, intercept } from '../table/intercept.ts';

const provider = useProvider();
let logged: () => Line[];
// Caches the API key.
beforeAll(async () => void (await call('listBranches', { key: provider.key })));
beforeEach(() => {
  logged = captureLog();
  emptyQuota();
});
afterEach(() => void jest.restoreAllMocks());

const getBranch = () => call('getBranch', { key: provider.key, path: { mid: 'NOSUCHMID' } });

describe('Retry-After', () => {
  test.each([
    [0, '1'],
    [0.2, '2'],
    [0.5, '3'],
    [0.999999, '5'],
  ])('is 1 to 5 s after a transient failure, at random to spread retries: %d of it is %s s', async (share, seconds) => {
    failTable(throttled);
    jest.spyOn(Math, 'random').mockReturnValue(share);
    const response = await getBranch();
    expectProblem(response, 'server_error', SERVICE_BUSY);
    expect(response.headers['retry-after']).toBe(seconds);
  });
});

test('a request that runs out of time fails while there is still time to keep it and respond, with Retry-After', async () => {
  intercept((send, { operation }) => (operation === 'UpdateItem' ? send() : new Promise(() => {})), 'deserialize');
  jest.spyOn(Math, 'random').mockReturnValue(0);
  const of = { awsRequestId: 'the-request', functionName: 'listBranches' };
  const context = { ...of, getRemainingTimeInMillis: () => 550 } as Context;
  const response = await listBranches(eventOf('listBranches', { key: provider.key }), context);
  const { statusCode: status = 0, headers, body = '' } = response as Response;
  expectProblem({ status, headers, body: JSON.parse(body) }, 'server_error', SERVICE_BUSY);
  expect(headers['retry-after']).toBe('1');
  expect(logged()).toEqual([
    expect.objectContaining({
      causes: [expect.objectContaining({ name: 'TimeoutError' })],
      request_id: 'the-request',
    }),
  ]);
  expect(logged()[0]).not.toHaveProperty('refused_requests_not_kept');
});
