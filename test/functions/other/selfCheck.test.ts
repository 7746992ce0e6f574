import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { freePort } from '../../../infra/local/engine.ts';
import { type SecretStore, type Secrets, startSecretStore } from '../../../infra/local/secretStore.ts';
import { type Served, serve } from '../../../infra/local/serve.ts';
import { putSecretText, rotateSelfCheckKey, SELF_CHECK } from '../../../infra/operate/cli/selfCheckKey.ts';
import { LOCAL_ENVIRONMENT, LOCAL_SECRETS } from '../../../infra/stack/localEnvironment.ts';
import { newApiKey } from '../../../lib/base/apiKeyFormat.ts';
import { selfCheck } from '../../../lib/selfCheck/selfCheck.ts';
import { kindOf, tidOf } from '../../../lib/table/keys.ts';
import { intercept } from '../../lib/table/intercept.ts';
import { asRole } from '../../support/access.ts';
import { call } from '../../support/api.ts';
import { TIME } from '../../support/constants.ts';
import { APPLICATION_LOG_LEVELS, isSent } from '../../support/lambdaFilter.ts';
import { captureLog, type Line } from '../../support/log.ts';
import { serveHandlers } from '../../support/overHttp.ts';
import { storedBy } from '../../support/stored.ts';

const NAME = LOCAL_ENVIRONMENT.SELF_CHECK_KEY_SECRET;
const LIST = "the self-check's key lists its own branch only";
const MEMBER_CHECK = 'a card of nobody identifies no member';
const WRITE = 'a change of its terminal is stored';
const UNKNOWN_KEY = 'an unknown key is refused';
const EXPECTED = {
  [LIST]: '200 with its own branch',
  [MEMBER_CHECK]: '200 without a member',
  [WRITE]: '200 with the changed terminal',
  [UNKNOWN_KEY]: '401 invalid_api_key',
};
const CHECKS = Object.keys(EXPECTED) as (keyof typeof EXPECTED)[];
/** The same failure of all checks. */
const all = <T>(failure: T): Record<string, T> => Object.fromEntries(CHECKS.map((check) => [check, failure]));
/** Without its list, a check cannot know its branch, so it changes nothing. */
const UNSENT = { [WRITE]: 'its branch is not known' };
/** The failures of checks that got this response. */
const got = (text: string, checks = CHECKS): Record<string, string | null> => ({
  ...all(null),
  ...Object.fromEntries(checks.map((check) => [check, `got ${text}, expected ${EXPECTED[check]}`])),
  ...(checks.includes(LIST) && UNSENT),
});
const UUID = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);

// A member check needs the card key.
const secrets: Secrets = { ...LOCAL_SECRETS };
let validKey: string | undefined;
let store: SecretStore;
let api: Served;
const before = { ...process.env };
beforeAll(async () => {
  // A store of its own: other test files may put keys into the shared one.
  store = await startSecretStore(secrets);
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = store.endpoint;
  api = await serveHandlers();
  await rotateSelfCheckKey((apiKey) => putSecretText(NAME, apiKey));
  validKey = secrets[NAME];
});
afterAll(async () => {
  await Promise.all([api.stop(), store.stop()]);
  Object.assign(process.env, before);
});

beforeEach(() => {
  secrets[NAME] = validKey;
  process.env['BASE_URL'] = api.url;
});
afterEach(() => void jest.restoreAllMocks());

/**
 * Runs the function and returns its log line: in a new process, or in that of an earlier run with the same `instance`.
 */
async function run(instance: string = randomUUID()): Promise<Line> {
  const { handler } = await import(`../../../functions/other/selfCheck.ts?${instance}`);
  const lines = captureLog();
  const checks = await asRole('selfCheck', () => handler({}, { awsRequestId: 'request' } as Context));
  const [line = {}] = lines().filter((each) => 'self_check_failures' in each);
  jest.restoreAllMocks();
  expect(line['checks']).toEqual(JSON.parse(JSON.stringify(checks)));
  return line;
}

/** The failure of each check. */
const failuresOf = ({ checks }: Line) =>
  Object.fromEntries(checks.map(({ check, failure }: { check: string; failure: string | null }) => [check, failure]));

/** Runs the checks against this server and returns the log line. */
async function runAgainst(listener: RequestListener): Promise<Line> {
  const served = await serve(listener);
  process.env['BASE_URL'] = served.url;
  const line = await run();
  await served.stop();
  return line;
}

test('several checks at once create one branch with one terminal', async () => {
  const { response, changed } = await storedBy(() =>
    Promise.all([1, 2, 3].map(() => selfCheck(api.url, async () => validKey as string))),
  );
  expect(response.flat().filter(({ failure }) => failure !== null)).toEqual([]);
  const kinds = Object.keys(changed).map(kindOf);
  expect(kinds.filter((kind) => ['BRANCH', 'TERMINAL'].includes(kind)).sort()).toEqual(['BRANCH', 'TERMINAL']);
});

const FAILED = { level: 'FATAL', self_check_is_enabled: 1, self_check_failures: 1 };
const PASSED = { ...FAILED, self_check_failures: 0 };

test('writes a single line, which is also its metrics, when every check passes', async () => {
  const line = await run();
  const [list, memberCheck, write] = line['checks'].map((each: { duration_ms: number }) => each.duration_ms);
  const durations = { self_check_list_ms: list, self_check_member_check_ms: memberCheck, self_check_write_ms: write };
  expect(line).toEqual({
    timestamp: TIME,
    level: 'FATAL',
    request_id: 'request',
    self_check_is_enabled: 1,
    self_check_failures: 0,
    ...durations,
    checks: CHECKS.map((check, at) => ({
      ...{ check, failure: null, request_id: UUID, duration_ms: expect.any(Number) },
      ...(at < 3 && { metric: Object.keys(durations)[at] }),
    })),
    _aws: {
      Timestamp: Date.parse(line['timestamp']),
      CloudWatchMetrics: [
        {
          Namespace: 'acquirer-partner-api-local',
          Dimensions: [[]],
          Metrics: [
            { Name: 'self_check_is_enabled', Unit: 'None' },
            { Name: 'self_check_failures', Unit: 'Count' },
            ...Object.keys(durations).map((Name) => ({ Name, Unit: 'Milliseconds' })),
          ],
        },
      ],
    },
  });
  expect(Math.abs(Date.now() - line['_aws'].Timestamp)).toBeLessThan(60_000);
  expect(JSON.stringify(line)).not.toContain('apk_');
  for (const level of APPLICATION_LOG_LEVELS) expect(isSent(JSON.stringify(line), level)).toBe(true);
});

test('accepts a slash at the end of BASE_URL', async () => {
  process.env['BASE_URL'] = `${api.url}/`;
  expect(failuresOf(await run())).toEqual(all(null));
});

describe('its branch and terminal', () => {
  /** What a check stored: the kinds of items, the number of events, and the terminal. */
  async function storedByCheck() {
    const { response, changed, events = {} } = await storedBy(run);
    expect(failuresOf(response)).toEqual(all(null));
    const kinds = Object.keys(changed)
      .map(kindOf)
      .filter((kind) => !kind.startsWith('API_KEY'));
    return {
      kinds,
      events: events[SELF_CHECK.id]?.map(({ type }) => type),
      terminal: Object.values(changed).find((item) => item?.['terminal_model']),
    };
  }

  test('are changed by each check, which stores the terminal and an event', async () => {
    await run();
    const [one, other] = [await storedByCheck(), await storedByCheck()];
    for (const { kinds, events } of [one, other]) expect([kinds, events]).toEqual([['TERMINAL'], ['terminal.updated']]);
    expect(one.terminal?.['terminal_model']).not.toBe(other.terminal?.['terminal_model']);
  });

  test('are created if they are missing, so also a terminal that was deleted', async () => {
    const { body } = await call('listBranches', { key: validKey });
    const { mid } = body.data[0];
    await call('deleteTerminal', { key: validKey, path: { id: tidOf(mid) } });
    const { kinds, events } = await storedByCheck();
    expect([kinds.sort(), events]).toEqual([
      ['BRANCH', 'TERMINAL'],
      ['terminals.created', 'terminal.updated'],
    ]);
  });
});

describe('reports', () => {
  const json =
    (status: number, body: unknown, headers = {}): RequestListener =>
    (_, response) => {
      response.writeHead(status, headers).end(JSON.stringify(body));
    };

  test('an API that refuses connections', async () => {
    const port = await freePort();
    process.env['BASE_URL'] = `http://127.0.0.1:${port}`;
    const failure = `fetch failed: ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:${port}`;
    const line = await run();
    expect(line).toMatchObject(FAILED);
    expect(failuresOf(line)).toEqual({ ...all(failure), ...UNSENT });
  });

  test.each<[string, RequestListener, Record<string, string | null>]>([
    ['a 500 without JSON', (_, response) => response.writeHead(500).end('<html>'), got('500 without a code')],
    ['a 200 without data', json(200, null), got('200 without a code')],
    ['a 200 with other data', json(200, { data: { member_identified: true } }), got('200 with other data')],
    ['a list of others', json(200, { data: [{}], meta: { total: 26 } }), got('200 with 1 of 26 branches')],
    ['a 401 with another code', json(401, { code: 'disabled' }), got('401 disabled')],
    ['an API that knows no route', json(404, { code: 'not_found' }), got('404 not_found')],
  ])('%s', async (_, listener, failures) => {
    const line = await runAgainst(listener);
    expect(line).toMatchObject(FAILED);
    expect(failuresOf(line)).toEqual(failures);
  });

  test('a branch and a terminal that are missing and cannot be created, with the refusal', async () => {
    const request_id = randomUUID();
    const refused = json(422, { code: 'validation_failed' }, { 'x-request-id': request_id });
    const refusal = (route: string) =>
      `; ${route} got 422 validation_failed, expected 201 Created (request ${request_id})`;
    const withList =
      (data: object[]): RequestListener =>
      (request, response) => {
        const list = { data, meta: { total: data.length } };
        const isWrite = request.method === 'PATCH';
        const answer = isWrite ? json(404, { code: 'not_found' }) : json(200, list);
        (request.method === 'POST' ? refused : answer)(request, response);
      };
    const without = failuresOf(await runAgainst(withList([])));
    const listed = got('200 with 0 of 0 branches', [LIST])[LIST];
    expect(without[LIST]).toBe(`${listed}${refusal('POST /ext/api/v1/merchants')}`);
    expect(without[WRITE]).toBe(UNSENT[WRITE]);
    const mid = `SELFCHECK${'0'.repeat(32)}`;
    const with404 = failuresOf(await runAgainst(withList([{ mid }])));
    const written = got('404 not_found', [WRITE])[WRITE];
    expect(with404[LIST]).toBeNull();
    expect(with404[WRITE]).toBe(`${written}${refusal(`POST /ext/api/v1/terminals/${mid}`)}`);
  });

  test('a redirect, without following it', async () => {
    const location = `${api.url}/ext/api/v1/merchants`;
    const failures = failuresOf(await runAgainst(json(307, {}, { location })));
    expect(failures[LIST]).toBe('fetch failed: Error: unexpected redirect');
  });

  test('a server error, with the request_id of its log line', async () => {
    intercept((send, { operation }) => (operation === 'Query' ? Promise.reject(new TypeError('broken')) : send()));
    const line = await run();
    // A member check queries rewards.
    expect(failuresOf(line)).toEqual(got('400 server_error', [LIST, MEMBER_CHECK]));
    expect(line['checks'][0].request_id).toEqual(UUID);
  });

  test('a response that takes longer than 10 seconds', async () => {
    const timeout = jest.spyOn(AbortSignal, 'timeout');
    timeout.mockImplementation(() => AbortSignal.abort(new DOMException('late', 'TimeoutError')));
    const { handler } = await import(`../../../functions/other/selfCheck.ts?${randomUUID()}`);
    captureLog();
    const failure = 'no response within 10 s';
    const checks = await handler({}, {});
    expect(failuresOf({ checks })).toEqual({ ...all(failure), ...UNSENT });
    expect(timeout.mock.calls).toEqual(Array(3).fill([10_000]));
  });

  test('a secret that cannot be read, and still runs the other check', async () => {
    secrets[NAME] = '';
    const line = await run();
    expect(line).toMatchObject(FAILED);
    expect(failuresOf(line)).toEqual({
      ...all('no API key: Error: The secret has no text.'),
      ...UNSENT,
      [UNKNOWN_KEY]: null,
    });
  });

  test('a secret without an API key, without repeating it', async () => {
    secrets[NAME] = 'apk_not\na key';
    const line = await run();
    expect(failuresOf(line)).toEqual({ ...all('its API key is malformed'), ...UNSENT, [UNKNOWN_KEY]: null });
    expect(Object.keys(line)).not.toContain('self_check_list_ms');
    expect(JSON.stringify(line)).not.toContain('apk_');
  });

  test('a server that echoes the key, without repeating it', async () => {
    const line = await runAgainst(({ headers: { 'api-key': key = '' } }, response) => {
      response
        .writeHead(200, { 'x-request-id': key })
        .end(JSON.stringify({ code: key, meta: { total: key }, data: [key] }));
    });
    expect(failuresOf(line)).toEqual(got('200 with 1 of NaN branches'));
    const other = await runAgainst(({ headers: { 'api-key': key } }, response) => {
      response.writeHead(400).end(JSON.stringify({ code: key }));
    });
    expect(failuresOf(other)).toEqual(got('400 without a code'));
    expect(JSON.stringify([line, other])).not.toContain('apk_');
  });
});

test('checks nothing, and has not failed, while its secret is empty', async () => {
  secrets[NAME] = undefined;
  const line = await run();
  expect(line).toMatchObject({ level: 'FATAL', self_check_is_enabled: 0, self_check_failures: 0, checks: [] });
  expect(line['_aws'].CloudWatchMetrics).toMatchObject([
    { Metrics: [{ Name: 'self_check_is_enabled' }, { Name: 'self_check_failures' }] },
  ]);
});

describe('the key', () => {
  test('is cached while the check passes', async () => {
    const instance = randomUUID();
    await run(instance);
    secrets[NAME] = newApiKey();
    expect(await run(instance)).toMatchObject(PASSED);
  });

  test('is fetched again after a failure, so a rotated key fails once', async () => {
    const instance = randomUUID();
    secrets[NAME] = newApiKey();
    expect(await run(instance)).toMatchObject(FAILED);
    secrets[NAME] = validKey;
    expect(await run(instance)).toMatchObject(PASSED);
  });
});
