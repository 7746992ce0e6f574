import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { resolveApiKey } from '../../../lib/acquirers/apiKey.ts';
import { issueApiKey } from '../../../lib/acquirers/keyring.ts';
import { inRequest, type RequestContext, requestContext } from '../../../lib/aws/requestContext.ts';
import { Conflict } from '../../../lib/aws/retry.ts';
import type { Metric } from '../../../lib/base/metrics.ts';
import { Problem, type ProblemCode } from '../../../lib/base/problem.ts';
import { log } from '../../../lib/http/log.ts';
import { call, type Operation, type Request } from '../../support/api.ts';
import { TIME } from '../../support/constants.ts';
import { APPLICATION_LOG_LEVELS, isSent } from '../../support/lambdaFilter.ts';
import { captureLog, type Line } from '../../support/log.ts';
import { newBranch, newTerminal, unique, useProvider } from '../../support/world.ts';
import { named, throttled } from '../table/errors.ts';
import { failTable } from '../table/intercept.ts';

const LABEL = 'production-2026';
/** The TID of no terminal. */
const UNKNOWN = '3f0e8a52-7c1d-4b9e-a6f4-5d2c1b0a9e87';

const provider = useProvider();
let mid: string;
let tid: string;
beforeAll(async () => {
  provider.key = (await issueApiKey(provider.id, LABEL)).api_key;
  ({ mid } = await newBranch(provider));
  ({ tid } = await newTerminal(provider, mid));
});

beforeEach(() => {
  process.env['LOG_LEVEL'] = 'INFO';
});
afterEach(() => {
  process.env['LOG_LEVEL'] = 'ERROR';
  jest.restoreAllMocks();
});

/** Calls an operation and returns the only line that it logged: at most 450 bytes, unless it says more than usual. */
async function lineOf(operation: Operation, request: Request): Promise<Line> {
  const lines = captureLog();
  const { headers } = await call(operation, { key: provider.key, ...request });
  const [line = {}, ...others] = lines();
  expect(others).toEqual([]);
  expect(line['request_id']).toBe(headers['x-request-id']);
  const { _aws, table, ...routine } = line;
  if (!_aws && !table) expect(Buffer.byteLength(JSON.stringify(routine)) + 1).toBeLessThanOrEqual(450);
  return line;
}
const getBranch = () => lineOf('getBranch', { path: { mid } });
const updateTerminal = () => lineOf('updateTerminal', { path: { id: tid }, body: { terminal_model: unique('M') } });

/** The embedded metric format: which fields of a line are metrics, those by route first. */
const emf = (byRoute: string[], others: string[] = []) => ({
  Timestamp: expect.any(Number),
  CloudWatchMetrics: [
    { Dimensions: [[], ['route']], names: byRoute },
    { Dimensions: [[]], names: others },
  ]
    .filter(({ names }) => names.length > 0)
    .map(({ Dimensions, names }) => ({
      Namespace: 'acquirer-partner-api-local',
      Dimensions,
      Metrics: names.map((Name) => ({ Name, Unit: 'Count' })),
    })),
});

describe('a request logs a single line', () => {
  test('when it succeeds', async () => {
    expect(await getBranch()).toEqual({
      timestamp: TIME,
      level: 'INFO',
      request_id: expect.any(String),
      route: 'GET /ext/api/v1/merchants/{mid}',
      acquirer: provider.id,
      key_id: (await resolveApiKey(provider.key))?.key_id,
      key_label: LABEL,
      status: 200,
      duration_ms: expect.any(Number),
      table_requests: 1,
      read_units: 1,
    });
  });

  test('when it is not authenticated', async () => {
    const line = await lineOf('getBranch', { key: 'apk_wrong', path: { mid } });
    expect(line).toEqual({
      timestamp: TIME,
      level: 'WARN',
      request_id: expect.any(String),
      route: 'GET /ext/api/v1/merchants/{mid}',
      status: 401,
      code: 'invalid_api_key',
      duration_ms: expect.any(Number),
      authentication_failures: 1,
      _aws: emf([], ['authentication_failures']),
    });
    expect(Math.abs(Date.now() - line['_aws'].Timestamp)).toBeLessThan(60_000);
    expect(Date.parse(line['timestamp'])).toBe(line['_aws'].Timestamp);
  });

  test.each<[Operation, Request, number, string]>([
    ['getBranch', { path: { mid: 'NOSUCHMID' } }, 404, 'not_found'],
    ['updateTerminal', { path: { id: UNKNOWN }, body: { terminal_model: 'New' } }, 404, 'not_found'],
    ['createBranch', { body: {} }, 422, 'validation_failed'],
    ['unknownRoute', {}, 404, 'not_found'],
  ])('when %s rejects it', async (operation, request, status, code) => {
    const line = await lineOf(operation, request);
    expect(line).toMatchObject({ level: 'INFO', status, code, key_label: LABEL });
    expect(line).not.toHaveProperty('_aws');
  });

  test('when a body is malformed, without a word of it', async () => {
    const line = await lineOf('createBranch', { body: 'Secret Shop' });
    expect(line).toMatchObject({ level: 'INFO', status: 400, code: 'malformed_json' });
    expect(JSON.stringify(line)).not.toMatch(/Secret|Shop/);
  });

  test('when the service fails, with every cause but nothing else that an error carries', async () => {
    const error = new TypeError('outer', { cause: new Error('inner') });
    failTable(() => Object.assign(error, { Item: { merchant_name: { S: 'Secret Shop' } } }));
    const line = await getBranch();
    expect(line).toMatchObject({
      ...{
        level: 'ERROR',
        acquirer: provider.id,
        status: 400,
        code: 'server_error',
        table_requests: 2,
        server_errors: 1,
        refused_requests_not_kept: 1,
      },
      _aws: emf(['server_errors'], ['refused_requests_not_kept']),
    });
    expect(line).not.toHaveProperty('retries_exhausted');
    expect(line['causes']).toEqual([
      { name: 'TypeError', message: 'outer', stack: error.stack },
      { name: 'Error', message: 'inner', stack: (error.cause as Error).stack },
    ]);
    expect(JSON.stringify(line)).not.toContain('Secret Shop');
    expect(JSON.stringify(line)).not.toContain(provider.key);
  });

  test('separate from those of concurrent requests', async () => {
    const lines = captureLog();
    const calls = ['NOSUCH1', mid, 'NOSUCH2', mid].map((each) =>
      call('getBranch', { key: provider.key, path: { mid: each } }),
    );
    const ids = (await Promise.all(calls)).map(({ headers, status }) => [headers['x-request-id'], status]);
    expect(lines().map(({ request_id, status }) => [request_id, status])).toEqual(expect.arrayContaining(ids));
    // Those that are refused are kept, after a read of what their path names.
    for (const { code, table_requests, read_units, write_units } of lines())
      expect([table_requests, read_units, write_units]).toEqual(code ? [3, 2, 2] : [1, 1, undefined]);
  });
});

describe('the line includes table usage', () => {
  test('with the API key’s own read, once', async () => {
    const { api_key: key } = await issueApiKey(provider.id, 'new');
    const request = { key, path: { method: 'paymentProviders' } };
    expect(await lineOf('lookup', request)).toMatchObject({ table_requests: 1, read_units: 0.5 });
    jest.restoreAllMocks();
    const cached = await lineOf('lookup', request);
    expect([cached['table_requests'], cached['read_units']]).toEqual([undefined, undefined]);
  });

  test('in read and write units', async () => {
    const body = { mid: unique('M'), master_merchant_id: unique('MM') };
    const line = await lineOf('createBranch', { body });
    expect(line).toMatchObject({ status: 201, table_requests: 2 });
    expect(line).not.toHaveProperty('retries');
    expect(line['write_units']).toBeGreaterThan(0);
  });

  test('with retries after conflicts', async () => {
    const conflicts = { operations: ['TransactWriteItems'], times: 2, step: 'initialize' as const };
    failTable(() => new Conflict('The transaction conflicted with another write'), conflicts);
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const line = await updateTerminal();
    expect(line).toMatchObject({ status: 200, retries: 2 });
    expect(line).not.toHaveProperty('_aws');
  });

  test('with retries of the SDK, and that they were exhausted', async () => {
    failTable(throttled);
    jest.spyOn(Math, 'random').mockReturnValue(0);
    expect(await getBranch()).toMatchObject({
      ...{ retries: 6, level: 'ERROR', status: 400, table_requests: 2, server_errors: 1, retries_exhausted: 1 },
      _aws: emf(['server_errors'], ['retries_exhausted', 'refused_requests_not_kept']),
    });
  });
});

describe("Lambda's log filter", () => {
  const cause = new Error('cause');
  const problem = (code: ProblemCode, retryAfter?: number) => new Problem(code, 'detail', { cause, retryAfter });

  /** What a request does to count in each metric. Lines of other functions are in their tests. */
  const COUNTED: Record<
    Exclude<Metric, `self_check_${string}` | 'delivery_errors'>,
    (line: RequestContext) => Problem | undefined
  > = {
    server_errors: () => problem('server_error'),
    retries_exhausted: () => problem('server_error', 1),
    issuer_failures: () => problem('issuer_unavailable'),
    seal_failures: ({ failures }) => void failures.seal.push(cause),
    limiter_failures: ({ failures }) => void failures.limiter.push(cause),
    secret_failures: ({ failures }) => void failures.secret.push(cause),
    last_seen_failures: ({ failures }) => void failures.lastSeen.push(cause),
    refused_requests_not_kept: ({ failures }) => void failures.refusedRequest.push(cause),
    authentication_failures: () => problem('invalid_api_key'),
    rate_limited: () => problem('rate_limited'),
    failed_sign_ins: () => problem('not_invited'),
    clock_skew_ms: (line) => {
      line.clockSkewMs = 500;
      return undefined;
    },
  };
  const WARNINGS = ['authentication_failures', 'rate_limited', 'failed_sign_ins', 'clock_skew_ms'];

  /** The line of a request, as it is written. */
  async function textOf(act: (line: RequestContext) => Problem | undefined): Promise<string> {
    const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    await inRequest(async () => {
      const error = act(requestContext());
      const request = { event: { routeKey: 'GET /x' }, context: {}, response: { statusCode: 200, headers: {} }, error };
      await log().after?.(request as never);
    });
    const [text] = write.mock.lastCall as [string];
    write.mockRestore();
    return text;
  }
  const levelsThatSend = (text: string) => APPLICATION_LOG_LEVELS.filter((level) => isSent(text, level)).join(' ');

  test.each(Object.entries(COUNTED))('keeps lines with %s', async (metric, act) => {
    const text = await textOf(act);
    expect(JSON.parse(text)[metric]).toBeGreaterThan(0);
    const upToWarn = 'TRACE DEBUG INFO WARN';
    expect(levelsThatSend(text)).toBe(WARNINGS.includes(metric) ? upToWarn : `${upToWarn} ERROR`);
  });

  test('keeps lines without metrics up to INFO', async () => {
    const text = await textOf((line) => {
      line.clockSkewMs = 499;
      return undefined;
    });
    expect(JSON.parse(text)).not.toHaveProperty('_aws');
    expect(levelsThatSend(text)).toBe('TRACE DEBUG INFO');
  });
});

describe('LOG_LEVEL', () => {
  test('DEBUG adds each request to the table', async () => {
    process.env['LOG_LEVEL'] = 'DEBUG';
    const line = await updateTerminal();
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
    const { key } = provider;
    const lines = captureLog();
    await call('getBranch', { key, path: { mid } });
    await call('getBranch', { key: 'apk_wrong', path: { mid } });
    await call('createBranch', { key, body: {} });
    failTable(() => named('AccessDeniedException'));
    await call('getBranch', { key, path: { mid } });
    expect(lines()).toEqual([expect.objectContaining({ level: 'ERROR', server_errors: 1 })]);
  });
});

test('only the first request of a process is a cold start', async () => {
  await jest.isolateModulesAsync(async () => {
    const { handler } = await import('../../../functions/other/unknownRoute.ts');
    const lines = captureLog();
    const event = { headers: {}, routeKey: '$default', requestContext: { http: { method: 'PUT' } } };
    for (let time = 1; time <= 2; time += 1) await handler(event as never, {} as never);
    expect(lines().map(({ cold_start }) => cold_start)).toEqual([true, undefined]);
  });
});
