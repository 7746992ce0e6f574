import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';

import { KEY_USE } from '../../../lib/acquirers/keyUse.ts';
import { hashOf, newApiKey } from '../../../lib/base/apiKeyFormat.ts';
import { call, expectProblem } from '../../support/api.ts';
import { stopClocks } from '../../support/clock.ts';
import { captureLog } from '../../support/log.ts';
import { storedBy } from '../../support/stored.ts';
import { tableRequestsBy } from '../../support/tableRequests.ts';
import { type Caller, newAcquirer } from '../../support/world.ts';
import { lost, named, throttled } from '../table/errors.ts';
import { failTable, intercept } from '../table/intercept.ts';

const HOUR = 3_600_000;
const { intervalMs } = KEY_USE;

let caller: Caller;
/** The key of the item with the last use of the caller's API key. */
let item: string;
beforeEach(async () => {
  caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  item = `API_KEY_USE#${hashOf(caller.key).slice(0, 12)} API_KEY_USE`;
  KEY_USE.intervalMs = HOUR;
});
afterEach(() => {
  KEY_USE.intervalMs = intervalMs;
  jest.restoreAllMocks();
  process.env['LOG_LEVEL'] = 'ERROR';
});

const list = () => call('listBranches', { key: caller.key });
const getMissing = () => call('getBranch', { key: caller.key, path: { mid: 'NOSUCH' } });
const useAt = (time: number) => ({
  [item]: { used_at: new Date(time).toISOString(), ttl: Math.ceil(time / 1000) + 400 * 86_400 },
});
/** The writes that a call sends. */
const writesOf = async (work: () => Promise<unknown>): Promise<number> =>
  (await tableRequestsBy(work)).requests.filter(({ operation }) => operation === 'UpdateItem').length;

describe('the last use of an API key', () => {
  test('is stored by its first request, also by one that fails, and kept for 400 days', async () => {
    stopClocks();
    expect((await storedBy(getMissing)).changed).toEqual(useAt(Date.now()));
  });

  test('is not stored for an invalid key', async () => {
    const { response, changed } = await storedBy(() => call('listBranches', { key: newApiKey() }));
    expect([response.status, changed]).toEqual([401, {}]);
  });

  test('is attempted once an hour by a process', async () => {
    const wait = stopClocks();
    const start = Date.now();
    expect(await writesOf(list)).toBe(1);
    wait(HOUR);
    expect(await writesOf(list)).toBe(0);
    wait(HOUR + 1);
    expect((await storedBy(list)).changed).toEqual(useAt(start + HOUR + 1));
  });

  test('is unchanged if another process has stored it within the hour', async () => {
    const wait = stopClocks();
    await list();
    // As in another process, which has not attempted it yet.
    KEY_USE.intervalMs = 0;
    wait(1);
    await intercept(async (send, { input }) => {
      const values = input['ExpressionAttributeValues'] as Record<string, unknown> | undefined;
      if (values?.[':before']) values[':before'] = new Date(Date.now() - HOUR).toISOString();
      return send();
    });
    expect((await storedBy(list)).changed).toEqual({});
  });

  test('is stored while the handler runs, and before the response', async () => {
    const { requests, response } = await tableRequestsBy(list);
    expect(response.status).toBe(200);
    const [key, ...others] = requests;
    expect(key?.operation).toBe('GetItem');
    expect(others.map(({ operation }) => operation).sort()).toEqual(['Query', 'Query', 'UpdateItem']);
    expect(new Set(others.map(({ wave }) => wave)).size).toBe(1);
  });
});

describe('if the last use cannot be stored, the request succeeds', () => {
  test.each([
    ['it is throttled', throttled, { level: 'INFO' }],
    ['its response is lost', () => lost(), { level: 'INFO' }],
    [
      'there is another reason, which is logged',
      () => named('AccessDeniedException', 'not authorized'),
      {
        level: 'ERROR',
        causes: [{ name: 'AccessDeniedException', message: 'not authorized', stack: expect.any(String) }],
      },
    ],
  ])('if %s; it is sent once', async (_, error, line) => {
    process.env['LOG_LEVEL'] = 'INFO';
    const lines = captureLog();
    const sent = failTable(error, { operations: ['UpdateItem'] });
    const statuses = [(await list()).status, (await list()).status];
    expect([statuses, sent.length]).toEqual([[200, 200], 1]);
    expect(lines()).toEqual([{ status: 200, ...line }, { level: 'INFO' }].map((each) => expect.objectContaining(each)));
  });

  test('it is attempted again after a minute', async () => {
    const wait = stopClocks();
    captureLog();
    failTable(throttled, { operations: ['UpdateItem'], times: 1 });
    await list();
    wait(60_000);
    expect(await writesOf(list)).toBe(0);
    wait(60_001);
    expect((await storedBy(list)).changed).toEqual(useAt(Date.now()));
  });

  test('without an error in the log, and after at most 0.3 seconds, if there is no response', async () => {
    process.env['LOG_LEVEL'] = 'INFO';
    const lines = captureLog();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    expect((await list()).status).toBe(200);
    expect(timeout.mock.calls).toEqual([[300]]);
    expect(lines().map(({ level }) => level)).toEqual(['INFO']);
  });

  test('and a request that is refused has its own problem', async () => {
    captureLog();
    failTable(() => named('AccessDeniedException'), { operations: ['UpdateItem'] });
    expectProblem(await getMissing(), 'not_found', 'No branch with this MID exists or is accessible to you.');
  });
});
