import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { resolveApiKey } from '../../../lib/acquirers/apiKey.ts';
import { limitAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { issueApiKey } from '../../../lib/operator/apiKeys.ts';
import { table } from '../../../lib/table/client.ts';
import { Conflict } from '../../../lib/table/retry.ts';
import { call, type Operation, type Request } from '../../support/api.ts';
import { captureLog, type Line } from '../../support/log.ts';
import { type Caller, newBranch, newTerminal, newWorld, unique, type World } from '../../support/world.ts';

let world: World;
let provider: Caller;
let mid: string;
let tid: string;
beforeAll(async () => {
  world = await newWorld();
  provider = world.provider;
  ({ mid } = await newBranch(provider));
  ({ tid } = await newTerminal(provider, mid));
});

beforeEach(() => {
  process.env['LOG_LEVEL'] = 'INFO';
});
afterEach(() => {
  process.env['LOG_LEVEL'] = 'ERROR';
  table.middlewareStack.remove('broken');
  jest.restoreAllMocks();
});

/** Calls an operation and returns the only line that it logged. */
async function lineOf(operation: Operation, request: Request): Promise<Line & { request: string }> {
  const lines = captureLog();
  const { headers } = await call(operation, { key: provider.key, ...request });
  const [line, ...others] = lines();
  jest.restoreAllMocks();
  expect(others).toEqual([]);
  expect(line?.['request_id']).toBe(headers['x-request-id']);
  return line as Line & { request: string };
}

/** From now on, these requests to the table fail with this error. */
const breakTable = (commands: string[], error: () => unknown): void =>
  table.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) =>
        commands.includes(commandName.replace(/Command$/, '')) ? Promise.reject(error()) : next(args),
    { step: 'deserialize', name: 'broken' },
  );

/** The embedded metric format: which fields of a line are metrics. */
const emf = (...names: string[]) => ({
  Timestamp: expect.any(Number),
  CloudWatchMetrics: [
    {
      Namespace: 'acquirer-partner-api-local',
      Dimensions: [[]],
      Metrics: names.map((Name) => ({ Name, Unit: 'Count' })),
    },
  ],
});

describe('a request logs a single line', () => {
  test('when it succeeds', async () => {
    const apiKey = await resolveApiKey(provider.key);
    expect(await lineOf('getBranch', { path: { mid } })).toEqual({
      level: 'INFO',
      request_id: expect.any(String),
      route: 'GET /ext/api/v1/merchants/{mid}',
      acquirer: provider.id,
      key_id: apiKey?.key_id,
      key_label: 'test',
      status: 200,
      duration_ms: expect.any(Number),
      table_requests: 1,
      read_units: 1,
    });
  });

  test.each<[Operation, Request]>([
    ['getBranch', { path: { mid: 'NOSUCHMID' } }],
    ['listBranches', {}],
    ['lookup', { path: { method: 'masterMerchants' } }],
    ['createBranch', { body: { mid: 'M', master_merchant_id: 'M' } }],
    ['updateTerminal', { path: { id: '3f0e8a52-7c1d-4b9e-a6f4-5d2c1b0a9e87' }, body: { terminal_model: 'New' } }],
    ['unknownRoute', {}],
  ])('of at most 450 bytes for a routine request: %s', async (operation, request) => {
    const lines = captureLog();
    const { api_key: key } = await issueApiKey(provider.id, 'production-2026');
    await call(operation, { key, ...request });
    const [line] = lines();
    expect(Buffer.byteLength(`${JSON.stringify(line)}\n`)).toBeLessThanOrEqual(450);
    expect(line).not.toHaveProperty('_aws');
  });

  test('when it is not authenticated', async () => {
    expect(await lineOf('getBranch', { key: 'apk_wrong', path: { mid } })).toEqual({
      level: 'INFO',
      request_id: expect.any(String),
      route: 'GET /ext/api/v1/merchants/{mid}',
      status: 401,
      code: 'invalid_api_key',
      duration_ms: expect.any(Number),
      authentication_failures: 1,
      _aws: emf('authentication_failures'),
    });
  });

  test('when an acquirer exceeds its rate limit', async () => {
    const { id } = world.secondProvider;
    await limitAcquirer(id, { rate: 1, burst: 1 });
    const { api_key: key } = await issueApiKey(id, 'limited');
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now);
    const lines = captureLog();
    for (let sent = 0; sent < 4; sent += 1) await call('getBranch', { key, path: { mid } });
    const line = lines().at(-1);
    expect(line).toMatchObject({ level: 'INFO', acquirer: id, status: 429, code: 'rate_limited', rate_limited: 1 });
    expect(line?.['_aws']).toEqual(emf('rate_limited'));
  });

  test.each<[Operation, Request, number, string]>([
    ['getBranch', { path: { mid: 'NOSUCHMID' } }, 404, 'not_found'],
    ['createBranch', { body: {} }, 422, 'validation_failed'],
    ['createBranch', { body: '{' }, 400, 'malformed_json'],
    ['listBranches', { query: { page: '0' } }, 400, 'invalid_query'],
    ['unknownRoute', {}, 404, 'not_found'],
  ])('when %s rejects it', async (operation, request, status, code) => {
    expect(await lineOf(operation, request)).toMatchObject({
      level: 'INFO',
      status,
      code,
      key_label: 'test',
    });
  });

  test('when the service fails, with the causes', async () => {
    breakTable(['GetItem'], () => new TypeError('outer', { cause: new Error('inner') }));
    const line = await lineOf('getBranch', { path: { mid } });
    expect(line).toMatchObject({
      level: 'ERROR',
      acquirer: provider.id,
      status: 400,
      code: 'server_error',
      table_requests: 1,
      server_errors: 1,
      _aws: emf('server_errors'),
    });
    expect(line).not.toHaveProperty('retries_exhausted');
    expect(line['causes']).toEqual([
      { name: 'TypeError', message: 'outer', stack: expect.stringMatching(/^TypeError: outer\n {4}at /) },
      { name: 'Error', message: 'inner', stack: expect.stringMatching(/^Error: inner\n {4}at /) },
    ]);
  });

  test('with the time of its metrics', async () => {
    const { _aws } = await lineOf('getBranch', { key: 'apk_wrong', path: { mid } });
    expect(Math.abs(Date.now() - _aws.Timestamp)).toBeLessThan(60_000);
  });

  test('separate from those of concurrent requests', async () => {
    const lines = captureLog();
    const calls = ['NOSUCH1', mid, 'NOSUCH2', mid].map((each) =>
      call('getBranch', { key: provider.key, path: { mid: each } }),
    );
    const ids = (await Promise.all(calls)).map(({ headers, status }) => [headers['x-request-id'], status]);
    expect(lines().map(({ request_id, status }) => [request_id, status])).toEqual(expect.arrayContaining(ids));
    for (const line of lines()) expect(line).toMatchObject({ table_requests: 1, read_units: 1 });
  });
});

describe('the line includes table usage', () => {
  test('with the API key’s own read, once', async () => {
    const { api_key: key } = await issueApiKey(world.stranger.id, 'new');
    const lookupSelf = () => lineOf('lookup', { key, path: { method: 'paymentProviders' } });
    expect(await lookupSelf()).toMatchObject({ table_requests: 1, read_units: 1 });
    const known = await lookupSelf();
    expect([known['table_requests'], known['read_units']]).toEqual([undefined, undefined]);
  });

  test('in read and write units', async () => {
    const body = { mid: unique('M'), master_merchant_id: unique('MM') };
    const line = await lineOf('createBranch', { body });
    expect(line).toMatchObject({ status: 201, table_requests: 2 });
    expect(line).not.toHaveProperty('retries');
    expect(line['write_units']).toBeGreaterThan(0);
  });

  test('with retries after conflicts', async () => {
    let conflicts = 2;
    table.middlewareStack.add(
      (next, { commandName }) =>
        (args) =>
          commandName === 'TransactWriteItemsCommand' && conflicts-- > 0
            ? Promise.reject(new Conflict('The transaction conflicted with another write'))
            : next(args),
      { step: 'initialize', name: 'broken' },
    );
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const line = await lineOf('updateTerminal', { path: { id: tid }, body: { terminal_model: 'New' } });
    expect(line).toMatchObject({ status: 200, retries: 2 });
    expect(line).not.toHaveProperty('_aws');
  });

  test('with retries of the SDK, and that they were exhausted', async () => {
    breakTable(['GetItem'], () => Object.assign(new Error('slow down'), { name: 'ThrottlingException' }));
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const line = await lineOf('getBranch', { path: { mid } });
    expect(line).toMatchObject({
      retries: 6,
      level: 'ERROR',
      status: 400,
      table_requests: 1,
      server_errors: 1,
      retries_exhausted: 1,
    });
  });
});

describe('LOG_LEVEL', () => {
  test('DEBUG adds each request to the table', async () => {
    process.env['LOG_LEVEL'] = 'DEBUG';
    const line = await lineOf('updateTerminal', { path: { id: tid }, body: { terminal_model: 'Newer' } });
    const request = { duration_ms: expect.any(Number), attempts: 1, write_units: 0 };
    expect(line['table']).toEqual([
      { ...request, operation: 'BatchGetItem', read_units: 1 },
      { ...request, operation: 'GetItem', read_units: 1 },
      { ...request, operation: 'TransactWriteItems', read_units: 0, write_units: expect.any(Number) },
    ]);
    expect(line).toMatchObject({ level: 'INFO', table_requests: 3, read_units: 2 });
  });

  test('ERROR logs only server errors', async () => {
    process.env['LOG_LEVEL'] = 'ERROR';
    const lines = captureLog();
    await call('getBranch', { key: provider.key, path: { mid } });
    await call('getBranch', { key: 'apk_wrong', path: { mid } });
    breakTable(['GetItem'], () => new Error('x'));
    await call('getBranch', { key: provider.key, path: { mid } });
    expect(lines()).toEqual([expect.objectContaining({ level: 'ERROR', server_errors: 1 })]);
  });
});

test('only the first request of a process is a cold start', async () => {
  await jest.isolateModulesAsync(async () => {
    const { handler } = await import('../../../functions/other/unknownRoute.ts');
    const lines = captureLog();
    for (let time = 1; time <= 2; time += 1) await handler({ headers: {}, routeKey: '$default' } as never, {} as never);
    expect(lines().map(({ cold_start }) => cold_start)).toEqual([true, undefined]);
  });
});
