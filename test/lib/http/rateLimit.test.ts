import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { issueApiKey } from '../../../lib/acquirers/keyring.ts';
import type { StoredAcquirer } from '../../../lib/acquirers/registry.ts';
import { Conflict } from '../../../lib/aws/retry.ts';
import type { Limit } from '../../../lib/base/rateAndBurst.ts';
import type { Response } from '../../../lib/http/middleware.ts';
import { disableAcquirer, enableAcquirer, limitAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { getItem } from '../../../lib/table/client.ts';
import { acquirerKey } from '../../../lib/table/keys.ts';
import { type ApiResponse, call, eventOf } from '../../support/api.ts';
import '../../support/awsUnits.ts';
import { captureLog } from '../../support/log.ts';
import { expectRefused } from '../../support/outcomes.ts';
import { rescan, storedBy } from '../../support/stored.ts';
import { type Caller, newAcquirer, newBranch, numbered, unique } from '../../support/world.ts';
import { named } from '../table/errors.ts';
import { failTable } from '../table/intercept.ts';

/** A weight of 1 per window, besides the two reads that a process accepts without a lease. */
const TIGHT = { rate: 1, burst: 1 };
const ACCEPTED = 3;
const explanation = (quota: number) =>
  `You exceeded your rate limit, a total weight of ${quota} per 1 s. Wait for Retry-After seconds, then retry.`;

/** The start of a window, and a time in it. */
const START_S = Math.floor(Date.now() / 2000) * 2;
const NOW = START_S * 1000 + 100;

const atTime = (time: number) => jest.spyOn(Date, 'now').mockReturnValue(time);
beforeEach(() => {
  atTime(NOW);
  // Leases do not time out, however slow this machine is.
  jest.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
});
afterEach(() => {
  process.env['LOG_LEVEL'] = 'ERROR';
  jest.restoreAllMocks();
});

/** Creates an acquirer with a limit that no process has cached. */
async function limited(limit: Limit = TIGHT): Promise<Caller> {
  const acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Quickpay');
  await limitAcquirer(acquirer.id, limit);
  return acquirer;
}
const registered = (id: string) => getItem<StoredAcquirer>(acquirerKey(id));

const list = (key: string) => call('listBranches', { key });
/** Lists branches so many times, one after the other. */
async function listTimes(times: number, key: string): Promise<number[]> {
  const statuses = [];
  for (let sent = 0; sent < times; sent += 1) statuses.push((await list(key)).status);
  return statuses;
}
const policyOf = ({ headers }: Pick<ApiResponse, 'headers'>) => headers['ratelimit-policy'];
const left = ({ headers }: ApiResponse) => headers['ratelimit'];
const branchBody = (more: object = {}) => ({ mid: unique('MID'), master_merchant_id: unique('MM'), ...more });
const create = (key: string, more?: object) => call('createBranch', { key, body: branchBody(more) });

/* That each operation is refused before it reads anything is in test/functions/refusedByRate.test.ts. */

describe('above the rate limit', () => {
  let key: string;
  let mid: string;
  beforeAll(async () => {
    const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    ({ mid } = await newBranch(provider));
    await limitAcquirer(provider.id, TIGHT);
    // A key that no process has cached, as 30 seconds after the limit changed.
    key = (await issueApiKey(provider.id, 'limited')).api_key;
  });
  beforeEach(async () => {
    // Uses up the window.
    for (let sent = 0; sent < ACCEPTED; sent += 1)
      await Promise.all([call('unknownRoute', { key }), call('memberCheck', { key })]);
  });

  test.each([
    ['createTerminals', 'requests'],
    ['memberCheck', 'member-checks'],
  ] as const)('%s returns 429 and stores nothing', async (operation, share) => {
    const request = { key, path: { id: mid }, body: { terminals: [{ terminal_id: 'T1' }] } };
    const response = await expectRefused(() => call(operation, request), 'rate_limited', explanation(1));
    expect(response.headers).toMatchObject({
      'ratelimit-policy': `"${share}";q=1;w=1`,
      ratelimit: `"${share}";r=0;t=1`,
      // The rest of this window, and up to one more second.
      'retry-after': expect.stringMatching(/^[12]$/),
    });
  });

  test.each([
    ['the end of the window', 0, '1'],
    ['the end of the next window', 0.999, '2'],
  ])('Retry-After is at random from the end of the window to that of the next: %s', async (_, random, seconds) => {
    jest.spyOn(Math, 'random').mockReturnValue(random);
    const { status, headers } = await list(key);
    expect([status, headers['retry-after']]).toEqual([429, seconds]);
  });
});

describe('a limit', () => {
  test('counts rejected requests but none without a valid key', async () => {
    const { key } = await limited();
    for (let sent = 0; sent < 5; sent += 1) {
      const response = await call('getBranch', { key: 'apk_wrong', path: { mid: 'M1' } });
      expect([response.status, policyOf(response), left(response)]).toEqual([401, undefined, undefined]);
    }
    const statuses = [];
    for (let sent = 0; sent < ACCEPTED + 1; sent += 1)
      statuses.push((await call('getBranch', { key, path: { mid: 'NOSUCHMID' } })).status);
    expect(statuses).toEqual([404, 404, 404, 429]);
  });

  test('leaves member checks a quota of their own', async () => {
    const { key } = await limited();
    expect(await listTimes(ACCEPTED + 1, key)).toEqual([200, 200, 200, 429]);
    const checks = [];
    for (let sent = 0; sent < ACCEPTED + 1; sent += 1) checks.push((await call('memberCheck', { key })).status);
    expect(checks).toEqual([422, 422, 422, 429]);
  });

  test('stores one item per window, which expires an hour after it', async () => {
    const { id, key } = await limited();
    const { changed } = await storedBy(() => listTimes(ACCEPTED + 1, key));
    expect(changed).toEqual({
      [`RATE_LIMIT#${id}#requests#${START_S} RATE_LIMIT`]: { taken: 1, ttl: START_S + 1 + 3600 },
    });
  });

  test('applies to all keys of an acquirer together, and to no other acquirer', async () => {
    const { id, key } = await limited();
    expect(await listTimes(ACCEPTED, (await issueApiKey(id, 'other')).api_key)).toEqual([200, 200, 200]);
    expect(await listTimes(1, key)).toEqual([429]);
    const response = await list((await newAcquirer('PAYMENT_PROVIDER', 'Trustcard')).key);
    // The stage of the tests has no limit.
    expect([response.status, policyOf(response), left(response)]).toEqual([200, undefined, undefined]);
  });

  test('no longer applies after it is removed', async () => {
    const { id, key } = await limited();
    await limitAcquirer(id, undefined);
    expect(await listTimes(ACCEPTED + 1, key)).toEqual(Array(ACCEPTED + 1).fill(200));
    expect((await registered(id))?.limit).toBeUndefined();
  });

  test('is retained while its acquirer is disabled and can be changed meanwhile', async () => {
    const { id, key } = await limited();
    await disableAcquirer(id);
    const limit = { rate: 5, burst: 10 };
    await limitAcquirer(id, limit);
    // The acquirer stays disabled.
    expect(await registered(id)).toMatchObject({ limit, disabled_at: expect.anything() });
    await enableAcquirer(id);
    const response = await list(key);
    expect([policyOf(response), left(response)]).toEqual(['"requests";q=10;w=2', '"requests";r=9;t=2']);
  });
});

describe('a change', () => {
  const withQuota = (quota: number) => limited({ rate: quota, burst: quota });
  const manyTerminals = () => ({ terminals: numbered(unique('T'), 40) });

  test('takes what it weighs, which the headers of its response show', async () => {
    const { key } = await withQuota(100);
    expect(left(await create(key))).toBe('"requests";r=98;t=1');
    const heavy = await create(key, manyTerminals());
    expect([heavy.status, policyOf(heavy), left(heavy)]).toEqual([201, '"requests";q=100;w=1', '"requests";r=88;t=1']);
    expect(left(await call('archiveBranch', { key, path: { mid: heavy.body.data.mid } }))).toBe('"requests";r=87;t=1');
  });

  test('weighs 1 if it is rejected before it is written', async () => {
    const { key } = await withQuota(100);
    const response = await create(key, { ...manyTerminals(), mid: '' });
    expect([response.status, left(response)]).toEqual([422, '"requests";r=99;t=1']);
  });

  test('that weighs more than what is left returns 429 and stores nothing; lighter ones succeed', async () => {
    const { id, key } = await withQuota(12);
    for (const rest of [10, 8]) expect(left(await create(key))).toBe(`"requests";r=${rest};t=1`);
    const { response, changed } = await storedBy(() => create(key, manyTerminals()));
    expect([response.status, response.body.detail, left(response)]).toEqual([
      429,
      explanation(12),
      '"requests";r=7;t=1',
    ]);
    expect(Object.keys(changed)).toEqual([`RATE_LIMIT#${id}#requests#${START_S} RATE_LIMIT`]);
    expect((await create(key)).status).toBe(201);
  });

  test('that weighs more than the whole quota takes the quota of a new window', async () => {
    const { key } = await withQuota(4);
    const heavy = await create(key, manyTerminals());
    expect([heavy.status, left(heavy)]).toEqual([201, '"requests";r=0;t=1']);
    expect((await create(key)).status).toBe(429);
  });

  test('that is written again after a conflict pays again', async () => {
    const { key } = await withQuota(100);
    const conflicts = { operations: ['TransactWriteItems'], times: 2, step: 'initialize' as const };
    failTable(() => new Conflict('The transaction conflicted with another write'), conflicts);
    expect(left(await create(key))).toBe('"requests";r=95;t=1');
  });
});

describe('a stage’s limit', () => {
  // The new processes record the use of their API keys.
  afterAll(rescan);

  /** The response of a new process with this limit. */
  async function unknownRoute(RATE: string, BURST: string, key: string): Promise<Response> {
    const before = { ...process.env };
    Object.assign(process.env, { RATE, BURST });
    try {
      let response: unknown;
      await jest.isolateModulesAsync(async () => {
        const { handler } = await import('../../../functions/other/unknownRoute.ts');
        response = await handler(eventOf('unknownRoute', { key }), { awsRequestId: 'the-request' } as Context);
      });
      return response as Response;
    } finally {
      process.env = before;
    }
  }

  test('applies to acquirers without a limit of their own', async () => {
    const { key } = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
    expect(policyOf(await unknownRoute('50', '100', key))).toBe('"requests";q=100;w=2');
    expect(policyOf(await unknownRoute('50', '100', (await limited()).key))).toBe('"requests";q=1;w=1');
  });

  test('makes every request fail while it is invalid, and the log names the variables', async () => {
    const { key } = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
    const lines = captureLog();
    const { statusCode, body = '' } = await unknownRoute('50', '75', key);
    expect([statusCode, JSON.parse(body)]).toEqual([400, expect.objectContaining({ code: 'server_error' })]);
    expect(lines()[0]?.['causes'][0].message).toBe(
      'The environment variables RATE and BURST are invalid. The rate must be a positive whole number and the burst ' +
        'a multiple of it, at most 60 times the rate: not 50 and 75.',
    );
  });
});

describe('while the table cannot lease', () => {
  /** The leases that were sent, and the lines of requests that could not lease. */
  function failLeases(name: string) {
    const sent = failTable(() => named(name), { operations: ['UpdateItem'] });
    process.env['LOG_LEVEL'] = 'INFO';
    const lines = captureLog();
    return { sent, failed: () => lines().filter(({ limiter_failures }) => limiter_failures) };
  }

  test('because it is throttled, changes and further reads are rejected, which is logged and counted', async () => {
    const { id, key } = await limited();
    const { sent, failed } = failLeases('ProvisionedThroughputExceededException');
    expect(await listTimes(4, key)).toEqual([200, 200, 429, 429]);
    await expectRefused(() => create(key), 'rate_limited', explanation(1));
    // A single attempt in this window, without retries.
    expect(sent).toHaveLength(1);
    expect(failed()).toEqual([
      expect.objectContaining({ level: 'ERROR', acquirer: id, status: 429, limiter_failures: 1, rate_limited: 1 }),
    ]);
  });

  test('for another reason, requests are accepted, and the failure is logged and counted', async () => {
    const { id, key } = await limited();
    const { sent, failed } = failLeases('TimeoutError');
    expect(await listTimes(10, key)).toEqual(Array(10).fill(200));
    expect(sent).toHaveLength(1);
    expect(failed()).toEqual([
      expect.objectContaining({
        level: 'ERROR',
        acquirer: id,
        status: 200,
        limiter_failures: 1,
        causes: [{ name: 'TimeoutError', message: 'TimeoutError', stack: expect.any(String) }],
      }),
    ]);
    expect(failed()[0]).not.toHaveProperty('code');
  });

  test('a lease without a response delays only one request, by at most 0.3 seconds', async () => {
    const { key } = await limited();
    captureLog();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    expect(await listTimes(ACCEPTED + 1, key)).toEqual(Array(ACCEPTED + 1).fill(200));
    expect(timeout.mock.calls).toEqual([[300]]);
  });
});
