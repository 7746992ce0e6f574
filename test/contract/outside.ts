import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { partnerApi } from '../../docs/client/client.ts';
import { freePort } from '../../infra/local/engine.ts';
import { newApiKey } from '../../lib/apiKeyForm.ts';
import { type Server, startServer } from '../../soak/server.ts';

/*
 * What a partner holds in the hand, against what `npm start` serves: newman runs the Postman collection, directly and
 * through Prism, which holds every request and every answer against docs/openapi.json.
 */

const NEWMAN = 'node_modules/newman/bin/newman.js';
const PRISM = 'node_modules/@stoplight/prism-cli/dist/index.js';
const CONTRACT = 'docs/openapi.json';
const COLLECTION = 'docs/postman.json';
/** The header in which Prism tells what of an answer is not as the contract has it. */
const VIOLATIONS = 'sl-violations';

const folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-contract-'));
const stops: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true })];
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

let demo: Server['demo'];
const keyOf = (name: string): string => demo.acquirers.find((each) => each.name === name)?.api_key ?? '';

/** Starts Prism between its callers and a server; resolves to its URL once it listens. */
async function startPrism(upstream: string, contract = CONTRACT): Promise<string> {
  const port = await freePort();
  const args = [PRISM, 'proxy', contract, upstream, '--errors', '--host', '127.0.0.1', '--port', `${port}`];
  const prism: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [prism.stdout, prism.stderr]) stream?.on('data', (chunk) => (output += chunk));
  process.once('exit', () => prism.kill());
  const ended = once(prism, 'close');
  stops.push(async () => {
    prism.kill();
    await ended;
  });
  while (!output.includes('Prism is listening')) {
    if (prism.exitCode !== null) throw new Error(output);
    await sleep(50);
  }
  return `http://127.0.0.1:${port}`;
}

let upstream: string;
let prism: string;
beforeAll(async () => {
  ({ demo } = await startServer(stops));
  upstream = demo.base_url;
  prism = await startPrism(upstream);
}, 60_000);

interface Report {
  run: {
    stats: { assertions: { total: number; failed: number } };
    failures: { source?: { name: string }; error: { message: string } }[];
    executions: {
      item: { name: string };
      response: { code: number; header: { key: string; value: string }[] };
    }[];
  };
}

/** Runs the collection; resolves to what newman tells of it. */
async function newman(baseUrl: string, apiKey: string) {
  const report = join(folder, 'newman.json');
  const variables = Object.entries({ baseUrl, apiKey }).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
  const args = [NEWMAN, 'run', COLLECTION, ...variables, '-r', 'json', '--reporter-json-export', report];
  // It ends with 1 when an assertion fails, which is in the report.
  await new Promise((done) => execFile(process.execPath, args, done));
  const { run }: Report = JSON.parse(readFileSync(report, 'utf8'));
  rmSync(report);
  return {
    assertions: run.stats.assertions.total,
    failures: run.failures.map(({ source, error }) => `${source?.name}: ${error.message}`),
    violations: run.executions.flatMap(({ item, response }) =>
      response.header
        .filter(({ key }) => key.toLowerCase() === VIOLATIONS)
        .map(({ value }) => `${item.name}: ${value}`),
    ),
  };
}

const REQUESTS = JSON.parse(readFileSync(COLLECTION, 'utf8')).item.length;
const ALL_WELL = { assertions: REQUESTS, failures: [], violations: [] };

describe('the Postman collection', () => {
  test.each(['Payfair', 'Northgate Distribution'])(
    'runs from top to bottom, and again, with the key of %s',
    async (name) => {
      expect(await newman(upstream, keyOf(name))).toEqual(ALL_WELL);
      expect(await newman(upstream, keyOf(name))).toEqual(ALL_WELL);
    },
  );

  test('runs through Prism without a violation', async () => {
    expect(await newman(prism, keyOf('Payfair'))).toEqual(ALL_WELL);
  });

  test('fails with a key that is none', async () => {
    const { failures } = await newman(upstream, newApiKey());
    expect(failures.filter((each) => each.includes('expected response to have status code'))).toHaveLength(REQUESTS);
  });
});

interface Call {
  method: string;
  path: string;
  body?: unknown;
  /** Payfair's if none is given. */
  apiKey?: string;
  idempotencyKey?: string;
}

/** Calls through Prism. */
async function call({ method, path, body, apiKey = keyOf('Payfair'), idempotencyKey }: Call, through = prism) {
  const response = await fetch(through + path, {
    method,
    headers: {
      'API-KEY': apiKey,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // A request's violations are in the body by which Prism refuses it.
  const { code, validation = [] } = JSON.parse(await response.text());
  const { status, headers } = response;
  const violations = JSON.parse(headers.get(VIOLATIONS) ?? JSON.stringify(validation));
  return { status, code, violations, isOurs: headers.has('x-request-id') };
}

const MERCHANTS = '/ext/api/v1/merchants';
const TERMINALS = '/ext/api/v1/terminals';
const BRANCH = { mid: 'OUTSIDE1', master_merchant_id: 'OUTSIDE1' };
const NO_TERMINAL = `${TERMINALS}/7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a`;
const get = (path: string, more?: Partial<Call>): Call => ({ method: 'GET', path, ...more });
const post = (path: string, body: unknown, more?: Partial<Call>): Call => ({ method: 'POST', path, body, ...more });
const patch = (path: string, body?: unknown): Call => ({ method: 'PATCH', path, body });
const anew = { idempotencyKey: 'outside-1' };
const terminals = (terminal_id: string) => ({ terminals: [{ terminal_id }] });

describe('a refusal has no violation, nor has what led to it:', () => {
  /** Called in this order. */
  const CALLS: [title: string, status: number, code: string | undefined, request: Call][] = [
    ['a list with a key that is none', 401, 'invalid_api_key', get(MERCHANTS, { apiKey: newApiKey() })],
    ['a create with a key that is none', 401, 'invalid_api_key', post(MERCHANTS, BRANCH, { apiKey: newApiKey() })],
    ['an unknown branch', 404, 'not_found', get(`${MERCHANTS}/NOSUCHMID`)],
    ['terminals of an unknown branch', 404, 'not_found', get(`${TERMINALS}/NOSUCHMID`)],
    ['an unknown terminal', 404, 'not_found', { method: 'DELETE', path: NO_TERMINAL }],
    ['an update of an unknown terminal', 404, 'not_found', patch(NO_TERMINAL, { terminal_model: 'Pocket' })],
    ['a new branch', 201, undefined, post(MERCHANTS, BRANCH, anew)],
    ['its repetition', 201, undefined, post(MERCHANTS, BRANCH, anew)],
    ['another one by its key', 422, 'idempotency_key_reused', post(MERCHANTS, { ...BRANCH, mid: 'OUTSIDE2' }, anew)],
    ['a MID that is taken', 422, 'validation_failed', post(MERCHANTS, BRANCH)],
    ['a partner that is none', 422, 'validation_failed', post(MERCHANTS, { ...BRANCH, distributor: randomUUID() })],
    ['a new terminal', 201, undefined, post(`${TERMINALS}/OUTSIDE1`, terminals('OUTSIDE1'))],
    ['a terminal that is there', 422, 'validation_failed', post(`${TERMINALS}/OUTSIDE1`, terminals('OUTSIDE1'))],
    ['an archival', 200, undefined, patch(`${MERCHANTS}/OUTSIDE1/archive`)],
    ['an archival again', 400, 'already_archived', patch(`${MERCHANTS}/OUTSIDE1/archive`)],
    ['a terminal too late', 400, 'branch_archived', post(`${TERMINALS}/OUTSIDE1`, terminals('OUTSIDE2'))],
  ];
  test.each(CALLS)('%s', async (_, status, code, request) => {
    expect(await call(request)).toEqual({ status, code, violations: [], isOurs: true });
  });
});

test('the typed client calls, and is answered, as the compiler knows', async () => {
  const api = partnerApi(prism, keyOf('Payfair'));
  const body = { mid: 'TYPED1', master_merchant_id: 'TYPED1', terminals: [{ terminal_id: 'TYPED1' }] };
  const created = await api.POST('/ext/api/v1/merchants', { body });
  expect(created.data?.data.terminals[0]?.terminal_id).toBe('TYPED1');
  const read = await api.GET('/ext/api/v1/merchants/{mid}', { params: { path: { mid: 'TYPED1' } } });
  expect(read.data?.data.terminal_count).toBe(1);
  const { error } = await api.POST('/ext/api/v1/merchants', { body });
  expect(error && 'errors' in error && error.errors.map(({ pointer, code }) => [pointer, code])).toEqual([
    ['/mid', 'taken'],
    ['/master_merchant_id', 'taken'],
    ['/terminals/0/terminal_id', 'taken'],
  ]);

  // @ts-expect-error: a branch has a MID.
  const { response } = await api.POST('/ext/api/v1/merchants', { body: {} });
  expect(response.status).toBe(422);
});

describe('Prism finds a violation', () => {
  test('of a request', async () => {
    const { isOurs, violations } = await call(post(MERCHANTS, { ...BRANCH, mid: '!' }));
    expect(isOurs).toBe(false);
    expect(violations).toMatchObject([{ location: ['body', 'mid'], code: 'pattern' }]);
  });

  test('of an answer', async () => {
    const other = JSON.parse(readFileSync(CONTRACT, 'utf8'));
    other.components.schemas.Meta.properties.total = { type: 'string' };
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(other));
    const { isOurs, violations } = await call(get(MERCHANTS), await startPrism(upstream, file));
    expect(isOurs).toBe(false);
    expect(violations).toMatchObject([{ location: ['response', 'body', 'meta', 'total'], code: 'type' }]);
  });
});
