import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { issueApiKey } from '../../../lib/acquirers/keyring.ts';
import { DAY_MS } from '../../../lib/base/eventId.ts';
import { Problem } from '../../../lib/base/problem.ts';
import { keepRefused } from '../../../lib/http/keepRefused.ts';
import { limitAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { erasePerson } from '../../../lib/operator/people.ts';
import { keptError } from '../../../lib/refusedRequests/keep.ts';
import type { RefusedRequest } from '../../../lib/refusedRequests/refusedRequest.ts';
import { getItem, table } from '../../../lib/table/client.ts';
import { rateLimitKey } from '../../../lib/table/keys.ts';
import { named } from '../../lib/table/errors.ts';
import { failTable, intercept } from '../../lib/table/intercept.ts';
import { type ApiResponse, call, expectProblem, type Request } from '../../support/api.ts';
import '../../support/awsUnits.ts';
import { NO_REFUSED_REQUEST, TIME } from '../../support/constants.ts';
import { cursorOf } from '../../support/cursors.ts';
import { captureLog } from '../../support/log.ts';
import { bodyOf } from '../../support/outcomes.ts';
import { personOf } from '../../support/people.ts';
import { storeRefused } from '../../support/refusedRequests.ts';
import { storedBy } from '../../support/stored.ts';
import { storeWebhook } from '../../support/webhooks.ts';
import {
  authorOf,
  type Caller,
  newAcquirer,
  newBranch,
  newSharedBranch,
  newTerminal,
  numbered,
  unique,
  useWorld,
} from '../../support/world.ts';

const world = useWorld();
const { KEEP_REFUSED_MS } = process.env;
afterEach(() => {
  Object.assign(process.env, { LOG_LEVEL: 'ERROR', KEEP_REFUSED_MS });
  jest.restoreAllMocks();
});

const newProvider = () => newAcquirer('PAYMENT_PROVIDER', 'Payfair');
const NO_MID = { path: { mid: 'NOSUCHMID' } };
const list = (key: string, query: Record<string, string> = {}) => call('listRefusedRequests', { key, query });
const shownOf = async (key: string, query?: Record<string, string>) => (await list(key, query)).body.data;

const pick = (item: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));

/** What is stored of a request that is refused; `undefined` if nothing is. */
async function keptOf(send: () => Promise<ApiResponse>): Promise<Partial<RefusedRequest> | undefined> {
  const { response, changed, refused } = await storedBy(send);
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(Object.keys(changed).filter((key) => !/^(RATE_LIMIT|API_KEY_USE|PEOPLE_USE|SESSION_USE)#/.test(key))).toEqual(
    [],
  );
  expect(refused?.length ?? 0).toBeLessThanOrEqual(1);
  return refused?.[0];
}

describe('getRefusedRequest', () => {
  test('200: returns why a request was refused, and where in its body', async () => {
    const { key } = await newProvider();
    const { headers } = await call('createBranch', { key, body: { mid: '!', mcc: 'abc' } });
    const request_id = headers['x-request-id'] as string;
    expect(await bodyOf(() => call('getRefusedRequest', { key, path: { request_id } }))).toEqual({
      data: {
        request_id,
        at: TIME,
        operation: 'createBranch',
        mid: null,
        tid: null,
        webhook: null,
        status: 422,
        code: 'validation_failed',
        errors: [
          { pointer: '/mid', code: 'invalid_format' },
          { pointer: '/mcc', code: 'invalid_format' },
          { pointer: '/existing_master_merchant', code: 'required' },
          { pointer: '/master_merchant_id', code: 'required' },
        ],
        more_errors: 0,
        validate_only: false,
        key_id: expect.stringMatching(/^[0-9a-f]{12}$/),
        key_label: 'test',
        person: null,
        duration_ms: expect.any(Number),
        weight: 1,
        times: 1,
      },
    });
  });

  test('404: of another acquirer, unknown, no request id, accepted, or older than 30 days', async () => {
    const [caller, other] = [await newProvider(), await newProvider()];
    const theirs = (await call('getBranch', { key: other.key, ...NO_MID })).body.request_id;
    const accepted = (await list(caller.key)).headers['x-request-id'] as string;
    const [old] = await storeRefused(caller, 1, () => ago(30 * DAY_MS + 1_000));
    for (const request_id of [theirs, accepted, old?.refused_request_id as string, 'x'.repeat(3_000), ''])
      expectProblem(
        await call('getRefusedRequest', { key: caller.key, path: { request_id } }),
        'not_found',
        NO_REFUSED_REQUEST,
      );
  });
});

/** When a request was sent, so many milliseconds ago. */
const ago = (ms: number) => ({ at: new Date(Date.now() - ms).toISOString() });

describe('listRefusedRequests', () => {
  const HOUR_MS = 3_600_000;
  let caller: Caller;
  /** The newest first. Ten of them are of one millisecond. */
  let stored: { refused_request_id: string; at: string }[];
  beforeAll(async () => {
    caller = await newProvider();
    const ages = [...Array.from({ length: 20 }, (_, at) => at * HOUR_MS), ...Array(10).fill(30 * HOUR_MS)];
    const shown = await storeRefused(caller, ages.length, (number) => ago(ages[number - 1] as number));
    await storeRefused(caller, 1, () => ago(30 * DAY_MS + 1_000));
    await storeRefused(await newProvider(), 1, () => ({}));
    stored = shown.sort((a, b) => (a.at < b.at ? 1 : -1));
  });
  const idsOf = (data: { request_id: string }[]) => data.map(({ request_id }) => request_id);

  test.each([1, 7, 29, 30, 31])('200: returns all of 30 days, the newest first, in pages of %i', async (limit) => {
    const found: { request_id: string; at: string }[] = [];
    let next: string | null = '';
    while (next !== null) {
      const { data, meta }: ApiResponse['body'] = (
        await list(caller.key, { limit: String(limit), ...(next && { after: next }) })
      ).body;
      expect(data.length === limit || meta.next === null).toBe(true);
      found.push(...data);
      next = meta.next;
    }
    expect(idsOf(found).sort()).toEqual(stored.map((each) => each.refused_request_id).sort());
    expect(found.map(({ at }) => at)).toEqual(stored.map(({ at }) => at));
  });

  test('200: from is included, to is not', async () => {
    const [at = '', earlier = ''] = [3, 5].map((index) => stored[index]?.at);
    expect((await shownOf(caller.key, { from: earlier, to: at })).map((each: { at: string }) => each.at)).toEqual(
      stored.slice(4, 6).map((each) => each.at),
    );
    expect(await shownOf(caller.key, { from: at, to: at })).toEqual([]);
    expect(await shownOf(caller.key, { from: '9999-12-31T23:59:59Z' })).toEqual([]);
    expect(await shownOf(caller.key, { to: '0001-01-01T00:00:00Z' })).toEqual([]);
    expect(
      await shownOf(caller.key, { from: '0001-01-01T00:00:00Z', to: '9999-12-31T23:59:59Z', limit: '100' }),
    ).toHaveLength(30);
  });

  test('200: filters, in pages that can be empty before the last', async () => {
    const busy = await newProvider();
    const rare = { status: 422, code: 'validation_failed', operation: 'createBranch', key_id: 'ba9876543210' } as const;
    const [wanted] = await storeRefused(busy, 1, () => ({ ...ago(HOUR_MS), ...rare }));
    const common = { operation: 'getBranch', status: 404, code: 'not_found', errors: undefined } as const;
    await storeRefused(busy, 450, (number) => ({ ...ago(number), ...common }));
    for (const [name, value] of Object.entries(rare)) {
      const filter = { [name]: String(value), limit: '2' };
      const first = (await list(busy.key, filter)).body;
      expect([first.data, first.meta.next]).toEqual([[], expect.any(String)]);
      const second = (await list(busy.key, { ...filter, after: first.meta.next })).body;
      expect([idsOf(second.data), second.meta.next]).toEqual([[wanted?.refused_request_id], null]);
    }
    expect(await shownOf(busy.key, { ...rare, status: '404' })).toEqual([]);
    // A filter that matches all is cut at the limit, and goes on there.
    const page = (await list(busy.key, { status: '404', limit: '100' })).body;
    const rest = (await list(busy.key, { status: '404', limit: '100', after: page.meta.next })).body;
    expect(new Set([...idsOf(page.data), ...idsOf(rest.data)]).size).toBe(200);
  });

  test('200: has those of all keys and people, with the names of people', async () => {
    const provider = await newProvider();
    const { api_key: other } = await issueApiKey(provider.id, 'warehouse');
    const ana = await personOf(provider.id, 'viewer');
    await call('getBranch', { key: provider.key, ...NO_MID });
    await call('getBranch', { key: other, ...NO_MID });
    await call('getBranch', { session: ana.session, ...NO_MID });
    const callers = (await shownOf(provider.key)).map(({ key_label, person }: Record<string, unknown>) => [
      key_label,
      person,
    ]);
    expect(callers).toEqual([
      [null, { id: ana.id, name: ana.identity.name }],
      ['warehouse', null],
      ['test', null],
    ]);
    const [{ request_id }] = await shownOf(provider.key);
    const { data } = (await call('getRefusedRequest', { key: provider.key, path: { request_id } })).body;
    expect(data.person).toEqual({ id: ana.id, name: ana.identity.name });
    await erasePerson(ana.id);
    expect((await shownOf(provider.key))[0].person).toEqual({ id: ana.id, name: null });
  });

  test.each([
    [{ status: '200' }, 'status: Must be at least 400.'],
    [{ code: 'forbidden' }, 'code: Must be the code of a problem.'],
    [{ operation: 'create-branch' }, 'operation: Must be an operation, such as createBranch.'],
    [{ from: 'yesterday' }, 'from: Must be a time in UTC (RFC 3339).'],
    [{ limit: '101' }, 'limit: Must be at most 100.'],
    [{ after: 'x' }, 'after: Must be a cursor from this list.'],
  ])('400: returns invalid_query for %j', async (query, detail) => {
    expectProblem(await list(caller.key, query as unknown as Record<string, string>), 'invalid_query', detail);
  });

  test('400: returns invalid_query for a cursor of another list, or of another acquirer', async () => {
    const { next } = (await list(caller.key, { limit: '1' })).body.meta;
    const other = await newProvider();
    for (const [key, after] of [
      [other.key, next],
      [caller.key, cursorOf(caller, ['events'])],
    ])
      expectProblem(await list(key, { after }), 'invalid_query', 'after: Must be a cursor from this list.');
  });
});

describe('what is kept of a refused request', () => {
  test('the branch, terminal or webhook of its path, if its acquirer can access that', async () => {
    const { provider, distributor, stranger } = world;
    const { mid } = await newSharedBranch(world);
    const { tid } = await newTerminal(provider, mid);
    const webhook = (await storeWebhook(provider, 'https://hooks.example.com')).id;
    const ofBranch = (id: string): Request => ({ path: { mid: id }, query: { limit: '0' } });
    const byId = (id: string): Request => ({ path: { id }, query: { limit: '0', page: '0' } });
    for (const [operation, { key }, request, ids] of [
      ['getBranchHistory', provider, ofBranch(mid), { mid }],
      ['getBranchHistory', distributor, ofBranch(mid), { mid }],
      ['getBranchHistory', stranger, ofBranch(mid), {}],
      ['getBranchHistory', provider, ofBranch('N0SUCH'), {}],
      ['getBranchHistory', provider, ofBranch('x'.repeat(3_000)), {}],
      ['listTerminals', provider, byId(mid), { mid }],
      ['listTerminals', provider, byId(tid), {}],
      ['getTerminalHistory', provider, byId(tid.toUpperCase()), { tid }],
      ['getTerminalHistory', stranger, byId(tid), {}],
      ['getTerminalHistory', provider, byId('x'.repeat(3_000)), {}],
      ['listDeliveries', provider, byId(webhook), { webhook }],
      ['listDeliveries', stranger, byId(webhook), {}],
    ] as const) {
      const { code, ...kept } = (await keptOf(() => call(operation, { key, ...request }))) ?? {};
      expect([code, operation, pick(kept, 'mid', 'tid', 'webhook')]).toEqual(['invalid_query', operation, ids]);
    }
  });

  test('its first eight field errors, and how many more there were', async () => {
    const { key } = await newProvider();
    const body = { terminals: Array(12).fill({}) };
    const kept = await keptOf(() => call('createTerminals', { key, path: { id: 'M1' }, body }));
    const errors = Array.from({ length: 8 }, (_, at) => ({
      pointer: `/terminals/${at}/terminal_id`,
      code: 'required',
    }));
    expect(kept).toMatchObject({ errors, more_errors: 4 });
    expect((await shownOf(key))[0]).toMatchObject({ errors, more_errors: 4 });
  });

  test('no name of a field that no schema has, but the spelling of a misplaced validate_only', async () => {
    const { key } = await newProvider();
    const body = {
      reason: 'Lost',
      'validate-Only': 1,
      '4111111111 dry run': [{ dryRun: 1 }],
      secret: [{ dry_run: 1 }],
    };
    const kept = await keptOf(() => call('archiveTerminal', { key, path: { id: 'T1' }, body }));
    expect(kept?.errors).toEqual(['/validate-Only', '', ''].map((pointer) => ({ pointer, code: 'unknown_field' })));
  });

  test('that it only validated a change', async () => {
    const { key } = await newProvider();
    const request = { key, query: { validate_only: 'true' }, body: {} };
    expect(await keptOf(() => call('createBranch', request))).toMatchObject({
      validate_only: true,
      operation: 'createBranch',
    });
    expect((await shownOf(key))[0].validate_only).toBe(true);
  });

  test('null as the operation if there is none of its method and path', async () => {
    const { key } = await newProvider();
    expect(await keptOf(() => call('unknownRoute', { key }))).not.toHaveProperty('operation');
    expect((await shownOf(key))[0]).toMatchObject({ operation: null, status: 404, code: 'not_found' });
  });

  test('what it weighed, with what it read for being kept', async () => {
    const provider = await newProvider();
    const { mid } = await newBranch(provider);
    for (let request = 0; request < 25; request += 1)
      await call('createTerminals', {
        key: provider.key,
        path: { id: mid },
        body: { terminals: numbered(unique('T'), 40) },
      });
    await limitAcquirer(provider.id, { rate: 100, burst: 100 });
    const { api_key: key } = await issueApiKey(provider.id, 'limited');
    const request = { key, path: { id: mid }, body: { terminals: [{ terminal_id: unique('T') }] } };
    const { body, headers } = await call('createTerminals', request);
    expect([body.code, headers['ratelimit']]).toEqual(['too_many_terminals', expect.stringMatching(/;r=98;/)]);
    expect((await shownOf(key))[0].weight).toBe(2);
  });

  test('nothing without a valid key, or a session of the acquirer', async () => {
    const provider = await newProvider();
    const { session } = await personOf(provider.id, 'viewer');
    expect(await keptOf(() => call('listBranches', { key: 'apk_wrong' }))).toBeUndefined();
    expect(
      await keptOf(() => call('listBranches', { session: { ...session, actingAs: world.provider.id } })),
    ).toBeUndefined();
  });
});

test('a check that its role does not permit is kept as a check', async () => {
  const provider = await newProvider();
  const key = (await issueApiKey(provider.id, 'viewer', { role: 'viewer' })).api_key;
  await call('archiveBranch', { key, path: { mid: 'A' }, query: { validate_only: 'true' } });
  expect(await shownOf(provider.key)).toMatchObject([{ code: 'insufficient_permission', validate_only: true }]);
});

test('the pointer of a misspelled check is kept, also within a terminal, and that of no other unknown field', () => {
  const pointers = ['/dry_run', '/terminals/39/validateOnly', '/my_list/0/dry_run', '/4111111111111111'];
  expect(pointers.map((pointer) => keptError({ pointer, code: 'unknown_field', detail: '' }).pointer)).toEqual([
    ...pointers.slice(0, 2),
    '',
    '',
  ]);
});

test('a 429 of the limit of a person is not kept, one of an operation is', async () => {
  const provider = await newProvider();
  const event = { acquirer: provider, author: authorOf(provider), routeKey: 'GET /ext/api/v1/merchants' };
  const keep = async (more: object) => {
    const context = { functionName: 'listBranches', awsRequestId: randomUUID() };
    const request = { event: { ...event, ...more }, context, error: new Problem('rate_limited', 'Wait.') };
    return (await storedBy(async () => keepRefused().onError?.(request as never))).refused?.length ?? 0;
  };
  expect([await keep({}), await keep({ charged: { stated: {} } })]).toEqual([0, 1]);
});

test('a 429 after the first token is kept by as many processes as the quota has tokens, too', async () => {
  const provider = await newProvider();
  const author = authorOf(provider);
  const keptWith = async (excess: number) => {
    const allowance = { isAccepted: false, start: Date.now() + excess, quota: 4, excess };
    const event = { acquirer: provider, author, routeKey: 'GET /', charged: { stated: {} }, allowance };
    const context = { functionName: 'listRefusedRequests', awsRequestId: randomUUID() };
    const request = { event, context, error: new Problem('rate_limited', 'Wait.') };
    return (await storedBy(async () => keepRefused().onError?.(request as never))).refused?.length ?? 0;
  };
  expect([await keptWith(4), await keptWith(5)]).toEqual([1, 0]);
});

/** Stops the clock in a window of a limit of so many requests a second, of which no process has taken anything. */
let second = Math.floor(Date.now() / 1000);
function newWindow(): number {
  second += 10;
  jest.spyOn(Date, 'now').mockReturnValue(second * 1000 + 100);
  // Leases do not time out, however slow this machine is.
  jest.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
  return second * 1000;
}

/** An acquirer with so many tokens a second, and a key of each role. */
async function limitedTo(burst: number) {
  const provider = await newProvider();
  await limitAcquirer(provider.id, { rate: burst, burst });
  const [full, viewer, till] = await Promise.all(
    (['full', 'viewer', 'till'] as const).map(async (role) => (await issueApiKey(provider.id, role, { role })).api_key),
  );
  return { ...provider, full, viewer, till } as Record<'id' | 'full' | 'viewer' | 'till', string>;
}

describe('a flood of refused requests', () => {
  /** The items that a flood of so many requests stores of refused requests, and how often it writes them. */
  async function flood(times: number, send: () => Promise<ApiResponse>) {
    const statuses: number[] = [];
    let writes = 0;
    intercept((write, { input }) => {
      writes += Number(JSON.stringify(input).includes('"pk":"REFUSED_REQUESTS#'));
      return write();
    });
    const { refused = [] } = await storedBy(async () => {
      for (let sent = 0; sent < times; sent += 1) statuses.push((await send()).status);
    });
    return { statuses, writes, items: refused as unknown as RefusedRequest[] };
  }

  test.each([
    ['422', 'full', 'createBranch', { body: {} }],
    ['404', 'full', 'archiveBranch', NO_MID],
    ['403', 'viewer', 'createBranch', { body: {} }],
    ['403', 'till', 'listBranches', {}],
  ] as const)(
    'of %s by a key of the role %s is kept as long as there are tokens, which it takes',
    async (status, role, operation, request) => {
      const acquirer = await limitedTo(20);
      const start = newWindow();
      const { items, writes } = await flood(30, () => call(operation, { key: acquirer[role], ...request }));
      const own = items.filter((item) => item.status === Number(status));
      // Those that the limit refuses are an item of their own. A 403 stays one.
      const limited = items.filter((item) => item.status === 429);
      expect([own.length, limited.map(({ times }) => times)]).toEqual([20, status === '403' ? [] : [10]]);
      expect(writes).toBe(20 + (status === '403' ? 0 : 2));
      const window = await getItem<{ taken: number }>(rateLimitKey(acquirer.id, 'requests', start / 1000));
      expect(window?.taken).toBeGreaterThanOrEqual(20);
      // Member checks have tokens of their own.
      expect((await call('memberCheck', { key: acquirer.till, body: {} })).status).toBe(422);
    },
  );

  test('of 429 is one item for each caller and window, which a process writes at its 1st, 10th, 100th …', async () => {
    const acquirer = await limitedTo(1);
    const start = newWindow();
    const send = (key: string) => () => call('createBranch', { key, body: {} });
    await call('createBranch', { key: acquirer.full, body: {} });
    const { statuses, writes, items } = await flood(120, send(acquirer.full));
    expect(new Set(statuses)).toEqual(new Set([429]));
    expect(writes).toBe(3);
    expect(items).toMatchObject([
      { at: new Date(start).toISOString(), code: 'rate_limited', key_label: 'full', times: 100, weight: 1 },
    ]);
    expect(items[0]).not.toHaveProperty('mid');
    // Another key, and the next window.
    expect((await flood(9, () => call('listBranches', { key: acquirer.viewer }))).items).toMatchObject([
      { key_label: 'viewer', times: 1 },
    ]);
    newWindow();
    await call('createBranch', { key: acquirer.full, body: {} });
    expect((await flood(1, send(acquirer.full))).items).toMatchObject([{ times: 1 }]);
    const shown: RefusedRequest[] = await shownOf(acquirer.viewer, { code: 'rate_limited' });
    expect(shown.map(({ key_label, times }) => `${key_label} ${times}`).sort()).toEqual([
      'full 1',
      'full 100',
      'viewer 1',
    ]);
  });
});

describe('if it cannot be kept', () => {
  const sentOf = async (key: string) => {
    process.env['LOG_LEVEL'] = 'INFO';
    const lines = captureLog();
    const { status, body } = await call('createBranch', { key, body: {} });
    expect([status, body.code, body.errors.length]).toEqual([422, 'validation_failed', 3]);
    return lines();
  };

  test('a request gets the same response, once, and the log counts it with the cause', async () => {
    const { key } = await newProvider();
    await list(key);
    const sent = failTable(() => named('ThrottlingException'), { operations: ['UpdateItem'], step: 'initialize' });
    expect(await sentOf(key)).toEqual([
      expect.objectContaining({
        level: 'ERROR',
        code: 'validation_failed',
        refused_requests_not_kept: 1,
        causes: [expect.objectContaining({ name: 'ThrottlingException' })],
      }),
    ]);
    expect(sent).toHaveLength(1);
    expect(await shownOf(key)).toEqual([]);
  });

  test('in time, the same, and its write is ended', async () => {
    const { key } = await newProvider();
    await list(key);
    const silent = createServer();
    const ended = new Promise((resolve) =>
      silent.once('connection', (socket) => socket.resume().once('close', resolve)),
    );
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    process.env['KEEP_REFUSED_MS'] = '50';
    table.middlewareStack.add(
      (next) => (args) => {
        if (JSON.stringify(args.input).includes('REFUSED_REQUESTS#')) Object.assign(args.request as object, { port });
        return next(args);
      },
      { step: 'build', name: 'silent' },
    );
    try {
      expect(await sentOf(key)).toEqual([
        expect.objectContaining({
          refused_requests_not_kept: 1,
          causes: [expect.objectContaining({ name: 'TimeoutError' })],
        }),
      ]);
      await ended;
    } finally {
      table.middlewareStack.remove('silent');
      silent.close();
    }
  });
});
