import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import type { Response } from '../../../lib/http/middleware.ts';
import { disableAcquirer, enableAcquirer, limitAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import type { StoredAcquirer } from '../../../lib/operator/acquirers.ts';
import { issueApiKey } from '../../../lib/operator/apiKeys.ts';
import { getItem, table } from '../../../lib/table/client.ts';
import { acquirerKey } from '../../../lib/table/keys.ts';
import { Conflict } from '../../../lib/table/retry.ts';
import { type ApiResponse, call, eventOf, expectProblem, OPERATIONS, type Request } from '../../support/api.ts';
import { captureLog } from '../../support/log.ts';
import { branchBody } from '../../support/requests.ts';
import { storedBy } from '../../support/stored.ts';
import { type Caller, newAcquirer, newBranch, newTerminal, numbered, unique } from '../../support/world.ts';

/** A weight of 1 per window, besides the two reads that a process accepts without a lease. */
const TIGHT = { rate: 1, burst: 1 };
const ACCEPTED = 3;
const POLICY = '"requests";q=1;w=1';
const explanation = (quota: number) =>
  `You exceeded your rate limit, a total weight of ${quota} per 1 s. Wait for Retry-After seconds, then retry.`;
const EXPLANATION = explanation(1);

let caller: Caller;
let request: Request;
beforeAll(async () => {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const { mid } = await newBranch(provider);
  const { tid } = await newTerminal(provider, mid);
  await limitAcquirer(provider.id, TIGHT);
  // A key that no process has cached, as 30 seconds after the limit changed.
  caller = { ...provider, key: (await issueApiKey(provider.id, 'limited')).api_key };
  request = {
    key: caller.key,
    path: { mid, id: tid, method: 'paymentApp' },
    body: { mid: unique('MID'), master_merchant_id: unique('MM'), reason: 'x', terminals: [{ terminal_id: 'T1' }] },
  };
});

beforeEach(() => {
  // A window that does not end during a test.
  jest.spyOn(Date, 'now').mockReturnValue(Math.floor(Date.now() / 2000) * 2000 + 100);
});
afterEach(() => {
  table.middlewareStack.remove('table');
  process.env['LOG_LEVEL'] = 'ERROR';
  jest.restoreAllMocks();
});

/** Uses up the rest of the caller's window. */
const exhaust = async (): Promise<void> => {
  for (let sent = 0; sent < ACCEPTED; sent += 1) await call('unknownRoute', { key: caller.key });
};

describe.each(OPERATIONS.filter((operation) => operation !== 'memberCheck'))('%s', (operation) => {
  test('returns 429 above the rate limit and stores nothing', async () => {
    await exhaust();
    const { response, changed } = await storedBy(() => call(operation, request));
    expectProblem(response, 'rate_limited', EXPLANATION);
    expect(response.headers).toMatchObject({ 'ratelimit-policy': POLICY, ratelimit: '"requests";r=0;t=1' });
    // The rest of this window, and up to one more second.
    expect(['1', '2']).toContain(response.headers['retry-after']);
    expect(changed).toEqual({});
  });
});

describe('member checks', () => {
  const check: Request = {
    body: { amount: 1, card_id: 'c', card_pseudo_token: 't', currency: 'EUR', terminal_id: 'T', acquirer_id: 'a' },
  };

  test('have a separate quota that other requests do not use', async () => {
    await exhaust();
    const { status, headers, body } = await call('memberCheck', { ...check, key: caller.key });
    expect([status, body.data.member_identified]).toEqual([200, false]);
    expect(headers).toMatchObject({
      'ratelimit-policy': '"member-checks";q=1;w=1',
      ratelimit: '"member-checks";r=0;t=1',
    });
  });

  test('are limited too', async () => {
    for (let sent = 0; sent < ACCEPTED; sent += 1) await call('memberCheck', { ...check, key: caller.key });
    const response = await call('memberCheck', { ...check, key: caller.key });
    expectProblem(response, 'rate_limited', EXPLANATION);
    expect(response.headers['ratelimit']).toBe('"member-checks";r=0;t=1');
  });
});

describe('a limit', () => {
  test('counts rejected requests but none without a valid key', async () => {
    const { key } = await limited('Quickpay');
    for (let sent = 0; sent < 5; sent += 1) {
      const { status, headers } = await call('getBranch', { key: 'apk_wrong', path: { mid: 'M1' } });
      expect([status, headers['ratelimit-policy'], headers['ratelimit']]).toEqual([401, undefined, undefined]);
    }
    const statuses = [];
    for (let sent = 0; sent < ACCEPTED + 1; sent += 1)
      statuses.push((await call('getBranch', { key, path: { mid: 'NOSUCHMID' } })).status);
    expect(statuses).toEqual([404, 404, 404, 429]);
  });

  test('stores one item per window, which expires an hour after it', async () => {
    const { id, key } = await limited('Quickpay');
    const start = Math.floor(Date.now() / 1000);
    const { changed } = await storedBy(async () => {
      for (let sent = 0; sent < ACCEPTED + 1; sent += 1) await call('listBranches', { key });
    });
    expect(changed).toEqual({
      [`RATE_LIMIT#${id}#requests#${start} RATE_LIMIT`]: { taken: 1, ttl: start + 1 + 3600 },
    });
  });

  test.each([
    ['the end of the window', 0, '1'],
    ['the end of the next window', 0.999, '2'],
  ])('sets Retry-After at random, from the end of the window to that of the next: %s', async (_, random, seconds) => {
    await exhaust();
    jest.spyOn(Math, 'random').mockReturnValue(random);
    const { status, headers } = await call('listBranches', { key: caller.key });
    expect([status, headers['retry-after']]).toEqual([429, seconds]);
  });

  test('ends with its window', async () => {
    await exhaust();
    expect((await call('listBranches', { key: caller.key })).status).toBe(429);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 1000);
    const { status, headers } = await call('listBranches', { key: caller.key });
    expect([status, headers['ratelimit']]).toEqual([200, '"requests";r=0;t=1']);
  });

  test('applies to all keys of an acquirer together, and to no other acquirer', async () => {
    const { id } = await limited('Quickpay');
    const other = (await issueApiKey(id, 'other')).api_key;
    const stranger = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
    for (let sent = 0; sent < ACCEPTED; sent += 1) await call('listBranches', { key: other });
    expect((await call('listBranches', { key: other })).status).toBe(429);
    const { status, headers } = await call('listBranches', { key: stranger.key });
    // The stage of the tests has no limit.
    expect([status, headers['ratelimit-policy'], headers['ratelimit']]).toEqual([200, undefined, undefined]);
  });

  test('no longer applies after it is removed', async () => {
    const { id } = await limited('Quickpay');
    await limitAcquirer(id, undefined);
    const { api_key: key } = await issueApiKey(id, 'unlimited');
    for (let sent = 0; sent < 2 * ACCEPTED; sent += 1) expect((await call('listBranches', { key })).status).toBe(200);
    expect((await registered(id))?.limit).toBeUndefined();
  });

  test('is retained while its acquirer is disabled and can be changed meanwhile', async () => {
    const { id, key } = await limited('Quickpay');
    await disableAcquirer(id);
    await limitAcquirer(id, { rate: 5, burst: 10 });
    // The acquirer stays disabled.
    expect(await registered(id)).toMatchObject({
      limit: { rate: 5, burst: 10 },
      disabled_at: expect.anything(),
    });
    await enableAcquirer(id);
    const { headers } = await call('listBranches', { key });
    expect(headers).toMatchObject({ 'ratelimit-policy': '"requests";q=10;w=2', ratelimit: '"requests";r=9;t=2' });
  });

  test('is rejected if it is invalid, and nothing is stored', async () => {
    const { id } = await limited('Quickpay');
    const before = await registered(id);
    await expect(limitAcquirer(id, { rate: 10, burst: 15 })).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '', code: 'invalid_limit', detail: expect.stringContaining('not 10 and 15') }],
    });
    expect(await registered(id)).toEqual(before);
  });
});

describe('a change', () => {
  /** Creates an acquirer that may use this weight in a window. */
  const withQuota = async (quota: number) => {
    const acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Quickpay');
    await limitAcquirer(acquirer.id, { rate: quota, burst: quota });
    return acquirer;
  };
  const manyTerminals = () => ({ ...branchBody(), terminals: numbered(unique('T'), 40) });
  const left = ({ headers }: ApiResponse) => headers['ratelimit'];

  test('takes what it weighs, which the headers of its response show', async () => {
    const { key } = await withQuota(100);
    expect(left(await call('createBranch', { key, body: branchBody() }))).toBe('"requests";r=98;t=1');
    const heavy = await call('createBranch', { key, body: manyTerminals() });
    expect([heavy.status, heavy.headers['ratelimit-policy'], left(heavy)]).toEqual([
      201,
      '"requests";q=100;w=1',
      '"requests";r=88;t=1',
    ]);
    expect(left(await call('archiveBranch', { key, path: { mid: heavy.body.data.mid } }))).toBe('"requests";r=87;t=1');
  });

  test('weighs 1 if it is rejected before it is written', async () => {
    const { key } = await withQuota(100);
    const response = await call('createBranch', { key, body: { ...manyTerminals(), mid: '' } });
    expect([response.status, left(response)]).toEqual([422, '"requests";r=99;t=1']);
  });

  test('that weighs more than what is left returns 429 and stores nothing, and lighter requests still succeed', async () => {
    const { id, key } = await withQuota(12);
    for (const rest of [10, 8])
      expect(left(await call('createBranch', { key, body: branchBody() }))).toBe(`"requests";r=${rest};t=1`);
    const { response, changed } = await storedBy(() => call('createBranch', { key, body: manyTerminals() }));
    expectProblem(response, 'rate_limited', explanation(12));
    expect(left(response)).toBe('"requests";r=7;t=1');
    const window = `RATE_LIMIT#${id}#requests#${Math.floor(Date.now() / 1000)} RATE_LIMIT`;
    expect(Object.keys(changed)).toEqual([window]);
    expect((await call('createBranch', { key, body: branchBody() })).status).toBe(201);
  });

  test('that weighs more than the whole quota takes the quota of a new window', async () => {
    const { key } = await withQuota(4);
    const heavy = await call('createBranch', { key, body: manyTerminals() });
    expect([heavy.status, left(heavy)]).toEqual([201, '"requests";r=0;t=1']);
    expect((await call('createBranch', { key, body: branchBody() })).status).toBe(429);
  });

  test('that is written again after a conflict pays again', async () => {
    const { key } = await withQuota(100);
    let conflicts = 2;
    table.middlewareStack.add(
      (next, { commandName }) =>
        (args) =>
          commandName === 'TransactWriteItemsCommand' && conflicts-- > 0
            ? Promise.reject(new Conflict('The transaction conflicted with another write'))
            : next(args),
      { step: 'initialize', name: 'table' },
    );
    expect(left(await call('createBranch', { key, body: branchBody() }))).toBe('"requests";r=94;t=1');
  });
});

describe('a stage’s limit', () => {
  const withLimit = async <T>(RATE: string, BURST: string, act: () => Promise<T>): Promise<T> => {
    const before = { ...process.env };
    Object.assign(process.env, { RATE, BURST });
    try {
      return await act();
    } finally {
      process.env = before;
    }
  };

  test('applies to acquirers without a limit of their own', async () => {
    const [{ key }, own] = await Promise.all([newAcquirer('PAYMENT_PROVIDER', 'Trustcard'), limited('Quickpay')]);
    await jest.isolateModulesAsync(async () => {
      const { handler } = await import('../../../functions/other/unknownRoute.ts');
      const policyOf = async (apiKey: string) => {
        const event = eventOf('unknownRoute', { key: apiKey });
        const { headers } = (await handler(event, { awsRequestId: 'the-request' } as Context)) as Response;
        return headers['ratelimit-policy'];
      };
      await withLimit('50', '100', async () => {
        expect(await policyOf(key)).toBe('"requests";q=100;w=2');
        expect(await policyOf(own.key)).toBe(POLICY);
      });
    });
  });

  test('makes every request fail while it is invalid, and the log names the variables', async () => {
    const { key } = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
    const lines = captureLog();
    await jest.isolateModulesAsync(async () => {
      const { handler } = await import('../../../functions/other/unknownRoute.ts');
      const event = eventOf('unknownRoute', { key });
      const { statusCode, body } = (await withLimit('50', '75', () =>
        handler(event, { awsRequestId: 'the-request' } as Context),
      )) as Response;
      expect([statusCode, JSON.parse(body ?? '')]).toEqual([400, expect.objectContaining({ code: 'server_error' })]);
    });
    const [line] = lines();
    expect(line?.['causes'][0].message).toBe(
      'The environment variables RATE and BURST are invalid. The rate must be a positive whole number and the burst a multiple of it, at most 60 times the rate: not 50 and 75.',
    );
  });
});

describe('while the table cannot lease', () => {
  const failing = (name: string): void =>
    table.middlewareStack.add(
      (next, { commandName }) =>
        (args) =>
          commandName === 'UpdateItemCommand' ? Promise.reject(Object.assign(new Error('No.'), { name })) : next(args),
      { step: 'initialize', priority: 'low', name: 'table' },
    );

  test('because it is throttled, changes and further reads are rejected, which is logged and counted', async () => {
    const { id, key } = await limited('Quickpay');
    failing('ProvisionedThroughputExceededException');
    process.env['LOG_LEVEL'] = 'INFO';
    const lines = captureLog();
    const statuses = [];
    for (let sent = 0; sent < 4; sent += 1) statuses.push((await call('listBranches', { key })).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
    const { response, changed } = await storedBy(() => call('createBranch', { key, body: branchBody() }));
    expectProblem(response, 'rate_limited', EXPLANATION);
    expect(changed).toEqual({});
    // Only the first attempt to lease reaches the table.
    const failed = lines().filter(({ limiter_failures }) => limiter_failures);
    expect(failed).toEqual([
      expect.objectContaining({ level: 'ERROR', acquirer: id, status: 429, limiter_failures: 1, rate_limited: 1 }),
    ]);
  });

  test('requests are accepted, and the failure is logged and counted', async () => {
    const { id, key } = await limited('Quickpay');
    failing('AccessDeniedException');
    process.env['LOG_LEVEL'] = 'INFO';
    const lines = captureLog();
    for (let sent = 0; sent < 10; sent += 1) expect((await call('listBranches', { key })).status).toBe(200);
    const failed = lines().filter(({ limiter_failures }) => limiter_failures);
    // No other request waits until the window ends.
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatchObject({
      level: 'ERROR',
      acquirer: id,
      status: 200,
      limiter_failures: 1,
      causes: [{ name: 'AccessDeniedException', message: 'No.', stack: expect.any(String) }],
      _aws: { CloudWatchMetrics: [{ Metrics: [{ Name: 'limiter_failures', Unit: 'Count' }] }] },
    });
    expect(failed[0]?.['code']).toBeUndefined();
  });

  test('a lease without a response delays a request by at most 0.3 seconds and is not retried', async () => {
    const { key } = await limited('Quickpay');
    captureLog();
    const handler = table.config.requestHandler as unknown as { handle: typeof handle };
    const handle = (request: { headers: Record<string, string> }, options: { abortSignal: AbortSignal }) => {
      if (!request.headers['x-amz-target']?.endsWith('UpdateItem')) return sendOn(request, options);
      leases += 1;
      return new Promise((_, reject) => {
        options.abortSignal.onabort = () => reject(options.abortSignal.reason);
      });
    };
    const sendOn = handler.handle.bind(handler);
    let leases = 0;
    jest.spyOn(handler, 'handle').mockImplementation(handle);
    const timeout = jest.spyOn(AbortSignal, 'timeout');
    for (let accepted = 0; accepted < ACCEPTED; accepted += 1) {
      const { status } = await call('listBranches', { key });
      expect(status).toBe(200);
    }
    expect(timeout.mock.calls).toEqual([[300]]);
    expect(leases).toBe(1);
  });
});

const registered = (id: string) => getItem<StoredAcquirer>(acquirerKey(id));

/** Creates an acquirer with a tight limit that no process has cached. */
async function limited(name: string): Promise<Caller> {
  const acquirer = await newAcquirer('PAYMENT_PROVIDER', name);
  await limitAcquirer(acquirer.id, TIGHT);
  return acquirer;
}
