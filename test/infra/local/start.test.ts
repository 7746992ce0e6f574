import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Demo } from '../../../infra/local/demo.ts';
import { freePort } from '../../../infra/local/engine.ts';

/*
 * `npm start` as its user sees it: the real script, DynamoDB Local and the routes of serverless.yml, called over HTTP
 * like a partner does.
 */

const folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-'));
const demoFile = join(folder, 'demo.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Run {
  process: ChildProcess;
  output: () => string;
  ended: Promise<number | null>;
}

/** Starts the script in its own process group, so that processes it leaves behind can be found. */
function start(environment: NodeJS.ProcessEnv, ...options: string[]): Run {
  const { AWS_ENDPOINT_URL_DYNAMODB: _, ...inherited } = process.env;
  const child = spawn(process.execPath, ['infra/local/start.ts', '--demo', demoFile, ...options], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...inherited, ...environment },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  return { process: child, output: () => output, ended: once(child, 'close').then(([code]) => code) };
}

/** The states of the processes of a group according to Linux; `Z` is a zombie. */
const statesOf = (group: number): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state = '', , processGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return Number(processGroup) === group ? [state] : [];
      } catch {
        return [];
      }
    });

/** Resolves once no process of a run is left, including Java and bundlers. */
async function allEnded({ process: { pid = 0 } }: Run): Promise<true> {
  const isLeft = () => {
    try {
      return process.kill(-pid, 0) && (!existsSync('/proc/self/stat') || statesOf(pid).some((state) => state !== 'Z'));
    } catch {
      return false;
    }
  };
  while (isLeft()) await sleep(50);
  return true;
}

/** Waits until the API is ready and returns its demo data. */
async function ready(run: Run): Promise<Demo & { base_url: string }> {
  while (!run.output().includes('Press Ctrl-C to stop')) {
    if (run.process.exitCode !== null) throw new Error(run.output());
    await sleep(50);
  }
  return JSON.parse(readFileSync(demoFile, 'utf8'));
}

describe('npm start', () => {
  let port: number;
  let run: Run;
  let demo: Demo & { base_url: string };
  let key: string;
  let distributorKey: string;

  beforeAll(async () => {
    port = await freePort();
    run = start({ PORT: String(port) }, '--data', join(folder, 'data'));
    demo = await ready(run);
    key = demo.acquirers[2]?.api_key ?? '';
    distributorKey = demo.acquirers[0]?.api_key ?? '';
  });
  afterAll(async () => {
    run.process.kill('SIGTERM');
    await run.ended;
  });

  async function http(method: string, path: string, body?: unknown, apiKey = key) {
    const response = await fetch(demo.base_url + path, {
      method,
      headers: { 'API-KEY': apiKey, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  }

  test('prints a first request that works when pasted', async () => {
    const [, apiKey = '', url = ''] = /^ {2}curl -H 'API-KEY: (.*)' '(.*)'$/m.exec(run.output()) ?? [];
    const response = await fetch(url, { headers: { 'API-KEY': apiKey } });
    const { data, meta } = JSON.parse(await response.text());
    expect(data).toHaveLength(3);
    expect(meta).toEqual({ current_page: 1, per_page: 3, total: 25 });
  });

  test('passes the self-check', async () => {
    const args = ['infra/local/selfCheck.ts', '--local', demoFile];
    const check = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [lines, [code]] = await Promise.all([text(check.stdout), once(check, 'close')]);
    expect(lines).toMatch(new RegExp(`^${demo.base_url}\nok {6}.+\nok {6}.+\n$`));
    expect(code).toBe(0);
  });

  test('creates two distributors, three payment providers and members, with everything a request needs', () => {
    expect(demo.base_url).toBe(`http://127.0.0.1:${port}`);
    expect(demo.acquirers.map(({ type }) => type).sort()).toEqual([
      'DISTRIBUTOR',
      'DISTRIBUTOR',
      'PAYMENT_PROVIDER',
      'PAYMENT_PROVIDER',
      'PAYMENT_PROVIDER',
    ]);
    for (const acquirer of demo.acquirers) {
      expect(acquirer).toEqual({
        id: expect.any(String),
        name: expect.any(String),
        type: expect.stringMatching(/^(DISTRIBUTOR|PAYMENT_PROVIDER)$/),
        api_key: expect.stringMatching(/^apk_[\w-]{48}$/),
        partners: expect.any(Array),
        payment_apps: ['Checkout Go', 'Counter Plus'],
        master_acquirers: ['Atlantic Acquiring', 'Baltic Merchant Bank'],
        // The samples of the reference are tested to succeed elsewhere.
        examples: expect.objectContaining({ createBranch: expect.any(Object) }),
      });
    }
    const [first] = demo.acquirers;
    const providers = demo.acquirers.filter(({ type }) => type === 'PAYMENT_PROVIDER');
    expect(providers.filter(({ id }) => !first?.partners.includes(id))).toHaveLength(1);
    expect(demo.members).toHaveLength(3);
  });

  test('serves the whole life of a branch and a terminal over HTTP', async () => {
    const [northgate, , payfair] = demo.acquirers;
    const created = await http(
      'POST',
      '/ext/api/v1/merchants',
      { mid: 'HTTP1', payment_provider: payfair?.id, master_merchant_id: 'HTTPMM1', branch_name: 'Délicatesse №1' },
      distributorKey,
    );
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(`${demo.base_url}/ext/api/v1/merchants/HTTP1`);
    expect(created.body.data).toMatchObject({ mid: 'HTTP1', distributor: northgate?.id });

    const terminals = await http('POST', '/ext/api/v1/terminals/HTTP1', {
      terminals: [{ terminal_id: 'HTTPT1', serial_no: 'HTTPSN1', payment_app: 'Checkout Go' }],
    });
    expect(terminals.status).toBe(201);
    const [{ tid }] = terminals.body.data;
    const terminal = `/ext/api/v1/terminals/${tid}`;

    const listed = await http('GET', '/ext/api/v1/terminals/HTTP1?sort=asc&per_page=1');
    expect(listed.body).toEqual({
      data: terminals.body.data,
      links: {
        first: `${demo.base_url}/ext/api/v1/terminals/HTTP1?sort=asc&per_page=1&page=1`,
        last: `${demo.base_url}/ext/api/v1/terminals/HTTP1?sort=asc&per_page=1&page=1`,
        prev: null,
        next: null,
      },
      meta: { current_page: 1, per_page: 1, total: 1 },
    });

    const updated = await http('PATCH', terminal, { terminal_model: 'Pocket', acquirer_name: 'Atlantic Acquiring' });
    expect(updated.body.data).toMatchObject({ terminal_model: 'Pocket', acquirer_name: 'Atlantic Acquiring' });
    const archived = await http('PATCH', `${terminal}/archive`, { reason: 'Repair' });
    expect(archived.body.data).toMatchObject({ status: 'archived', archive_reason: 'Repair' });
    expect((await http('PATCH', `${terminal}/archive`, { reason: 'Repair' })).body.code).toBe('already_archived');
    expect((await http('PATCH', `${terminal}/restore`)).body.data).toMatchObject({ status: 'active' });
    expect((await http('POST', `${terminal}/reassign`, { mid: 'DEMOMID001' })).body.data.mid).toBe('DEMOMID001');
    expect((await http('DELETE', terminal)).body).toEqual({ data: { tid, terminal_id: 'HTTPT1' } });
    expect((await http('DELETE', terminal)).status).toBe(404);

    expect((await http('PATCH', '/ext/api/v1/merchants/HTTP1/archive')).body.data.status).toBe('archived');
    const { data: branch } = (await http('GET', '/ext/api/v1/merchants/HTTP1')).body;
    expect(branch).toMatchObject({ mid: 'HTTP1', status: 'archived', terminal_count: 0 });
    const { body: page } = await http('GET', '/ext/api/v1/merchants?per_page=1');
    expect(page).toMatchObject({ data: [{ mid: 'HTTP1' }], meta: { total: 26 } });
    expect((await http('GET', new URL(page.links.last).pathname + new URL(page.links.last).search)).status).toBe(200);
  });

  test('serves lookups and member checks over HTTP', async () => {
    expect((await http('GET', '/ext/api/v1/lookup/masterMerchants?search=CAF%C3%89')).body.data).toEqual([
      { key: expect.any(String), text: 'Blue Harbour Cafés' },
    ]);
    const [member] = demo.members;
    const { data: terminals } = (await http('GET', '/ext/api/v1/terminals/DEMOMID002')).body;
    const { status, body } = await http('POST', '/api/v1/host/member-check', {
      ...member,
      amount: 1000,
      terminal_id: terminals[0].terminal_id,
      acquirer_id: demo.acquirers[2]?.id,
    });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ member_identified: true, rewards_available: true });
    expect(body.data.rewards).toHaveLength(1);
  });

  test('rejects requests over HTTP as in a handler', async () => {
    const wrongKey = await http('GET', '/ext/api/v1/merchants', undefined, 'apk_wrong');
    expect(wrongKey.status).toBe(401);
    expect(wrongKey.headers.get('content-type')).toBe('application/problem+json');
    expect((await http('GET', '/ext/api/v1/lookup/nothing')).status).toBe(404);
    expect((await http('PUT', '/ext/api/v1/merchants')).body.code).toBe('not_found');
    expect((await http('GET', '/nothing', undefined, '')).status).toBe(401);
    expect((await http('GET', '/ext/api/v1/merchants?per_page=0')).body.code).toBe('invalid_query');
    expect((await http('POST', '/ext/api/v1/merchants', { mid: '!' })).status).toBe(422);
    const strange = demo.acquirers[4]?.api_key;
    expect((await http('GET', '/ext/api/v1/merchants/DEMOMID001', undefined, strange)).status).toBe(404);
  });

  test('serves the docs site with the demo’s API keys, and no other files', async () => {
    const got = await fetch(`${demo.base_url}/?from=somewhere`);
    expect(got.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await got.text()).toContain('<title>Acquirer Partner API</title>');
    const headed = await fetch(`${demo.base_url}/`, { method: 'HEAD' });
    expect([headed.status, await headed.text()]).toEqual([200, '']);
    expect(headed.headers.get('content-length')).toBe(got.headers.get('content-length'));
    expect(await (await fetch(`${demo.base_url}/settings.json`)).json()).toEqual({ acquirers: demo.acquirers });
    expect(await (await fetch(`${demo.base_url}/openapi.json`)).json()).toEqual(
      JSON.parse(readFileSync('docs/openapi.json', 'utf8')),
    );
    expect((await fetch(`${demo.base_url}/docs/errors/not_found`)).url).toBe(`${demo.base_url}/docs/errors/not_found/`);

    expect((await http('POST', '/')).body.code).toBe('not_found');
    for (const path of ['/index.htm', '/infra/page/main.ts', '/../package.json', '/docs/', '/constructor'])
      expect((await http('GET', path)).body.code).toBe('not_found');
  });

  /**
   * Requests that no client library would send, with the status and code of the response; no code if the server itself
   * rejects them.
   */
  const HARDLY_HTTP: [title: string, bytes: (key: string) => string, status: number, code: string | undefined][] = [
    ...(
      [
        ['%zz', 400, undefined],
        ['%', 400, undefined],
        ['%c0%af', 400, undefined],
        ['%00', 404, 'not_found'],
        ['%2F', 404, 'not_found'],
        ['..%2f', 404, 'not_found'],
        ['%F0%9F%8F%AA', 404, 'not_found'],
        ['__proto__', 404, 'not_found'],
        ['DEMOMID001%0a', 404, 'not_found'],
        ['x'.repeat(10_000), 404, 'not_found'],
        ['?page=%zz', 400, 'invalid_query'],
        ['?page=1&page=1', 400, 'invalid_query'],
        [`?${'a=1&'.repeat(10_000)}`, 431, undefined],
      ] as const
    ).map(([path, status, code]): (typeof HARDLY_HTTP)[number] => [
      `the path ${path.slice(0, 30)}`,
      (apiKey) => request(`GET /ext/api/v1/merchants${path.startsWith('?') ? '' : '/'}${path}`, apiKey),
      status,
      code,
    ]),
    ['a constructor as a lookup', (apiKey) => request('GET /ext/api/v1/lookup/constructor', apiKey), 404, 'not_found'],
    // As behind an HTTP API: infra/local/gateway.ts.
    ['a slash at the end', (apiKey) => request('GET /ext/api/v1/merchants/', apiKey), 404, 'not_found'],
    ['HEAD of an operation with GET', (apiKey) => request('HEAD /ext/api/v1/merchants', apiKey), 404, undefined],
    ...['null', '"x"', '5', '[]'].map((body): (typeof HARDLY_HTTP)[number] => [
      `the body ${body}`,
      (apiKey) => posted(apiKey, body, 'Content-Type: application/json'),
      422,
      'validation_failed',
    ]),
    ['no body', (apiKey) => request('POST /ext/api/v1/merchants', apiKey), 422, 'validation_failed'],
    ['a truncated body', (apiKey) => posted(apiKey, '{'), 400, 'malformed_json'],
    [
      'the same key twice',
      (apiKey) => request('GET /ext/api/v1/merchants', apiKey, `API-KEY: ${apiKey}`),
      401,
      'invalid_api_key',
    ],
    [
      'a preflight without a key',
      () => request('OPTIONS /ext/api/v1/merchants', '', ...PREFLIGHT),
      401,
      'invalid_api_key',
    ],
    ['a preflight', (apiKey) => request('OPTIONS /ext/api/v1/merchants', apiKey, ...PREFLIGHT), 404, 'not_found'],
    ['an unsupported method', (apiKey) => request('TRACE /ext/api/v1/merchants', apiKey), 404, 'not_found'],
    ['an unknown method', (apiKey) => request('FOO /ext/api/v1/merchants', apiKey), 400, undefined],
    ['two keys', (apiKey) => request('GET /ext/api/v1/merchants', apiKey, 'Api-Key: apk_x'), 401, 'invalid_api_key'],
    ['a key of 9 KB', () => request('GET /ext/api/v1/merchants', 'x'.repeat(9_216)), 401, 'invalid_api_key'],
    ['a key of 12 KB', () => request('GET /ext/api/v1/merchants', 'x'.repeat(12_288)), 431, undefined],
    ['a header of 16 KB', (apiKey) => request('GET /nothing', apiKey, `X: ${'x'.repeat(16_384)}`), 431, undefined],
    [
      'two lengths',
      (apiKey) => request('POST /nothing', apiKey, 'Content-Length: 2', 'Content-Length: 3'),
      400,
      undefined,
    ],
    ['an invalid length', (apiKey) => request('POST /nothing', apiKey, 'Content-Length: x'), 400, undefined],
    [
      '10 MB and a byte',
      // The server reads the whole body before it responds.
      (apiKey) =>
        request('POST /nothing', apiKey, `Content-Length: ${10 * 2 ** 20 + 1}`) + 'x'.repeat(10 * 2 ** 20 + 1),
      413,
      undefined,
    ],
    [
      '6 MB',
      (apiKey) => posted(apiKey, `{"mid":"${'x'.repeat(6_000_000)}"}`, 'Content-Type: application/json'),
      400,
      'body_too_large',
    ],
    [
      '10,000 nested lists',
      (apiKey) =>
        `${request('POST /ext/api/v1/merchants', apiKey, 'Content-Length: 20000')}${'['.repeat(10_000)}${']'.repeat(10_000)}`,
      422,
      'validation_failed',
    ],
    ['bytes that are not HTTP', () => '\x16\x03\x01\0\xff', 400, undefined],
  ];

  const PREFLIGHT = ['Origin: https://shop.example', 'Access-Control-Request-Method: GET'];

  const request = (line: string, apiKey: string, ...headers: string[]): string =>
    [`${line} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close', `API-KEY: ${apiKey}`, ...headers, '', ''].join('\r\n');

  const posted = (apiKey: string, body: string, ...headers: string[]): string =>
    request('POST /ext/api/v1/merchants', apiKey, `Content-Length: ${body.length}`, ...headers) + body;

  /** Sends bytes and returns the status, head and body of the response. */
  async function responseTo(bytes: string): Promise<{ status: number; head: string; body: string }> {
    const socket = connect(port, '127.0.0.1');
    socket.write(bytes, 'latin1');
    const response = await text(socket);
    const [head = '', body = ''] = response.split('\r\n\r\n');
    return { status: Number(head.split(' ')[1]), head, body };
  }

  test.each(['OPTIONS /ext/api/v1/merchants', 'GET /ext/api/v1/merchants', 'GET /%zz', 'GET /'])(
    'allows no other origin to send %s',
    async (line) => {
      expect((await responseTo(request(line, key, ...PREFLIGHT))).head).not.toMatch(/access-control/i);
    },
  );

  test.each(HARDLY_HTTP)('rejects %s and continues to serve', async (_, bytes, status, code) => {
    const response = await responseTo(bytes(key));
    expect(response.status).toBe(status);
    expect(/"code":"(\w+)","request_id"/.exec(response.body)?.[1]).toBe(code);
    expect((await http('GET', '/ext/api/v1/merchants?per_page=1')).status).toBe(200);
  });

  test.each([
    ['HTTP/1.0', (apiKey: string) => `GET /ext/api/v1/merchants HTTP/1.0\r\nAPI-KEY: ${apiKey}\r\n\r\n`],
    ['a whole URL', (apiKey: string) => request('GET http://evil.example/ext/api/v1/merchants', apiKey)],
    [
      'another host',
      (apiKey: string) => request('GET /ext/api/v1/merchants', apiKey, 'X-Forwarded-Host: evil.example'),
    ],
  ])('responds to %s with links to itself', async (_, bytes) => {
    const { status, body } = await responseTo(bytes(key));
    expect(status).toBe(200);
    expect(JSON.parse(body).links.first).toBe(`${demo.base_url}/ext/api/v1/merchants?page=1`);
  });

  test('says in one line that its port is taken, and leaves no process running', async () => {
    const second = start({ PORT: String(port) });
    expect(await second.ended).toBe(1);
    expect(second.output()).toBe(`Port ${port} cannot be used (EADDRINUSE). Choose another with PORT=<number>.\n`);
    expect(await allEnded(second)).toBe(true);
  });

  test('stops on Ctrl-C, including Java, and has the same data and API keys when started again on the same folder', async () => {
    run.process.kill('SIGINT');
    expect(await run.ended).toBe(0);
    expect(await allEnded(run)).toBe(true);

    run = start({ PORT: String(port) }, '--data', join(folder, 'data'));
    await ready(run);
    expect((await http('GET', '/ext/api/v1/merchants/HTTP1')).body.data).toMatchObject({ status: 'archived' });
    expect((await http('GET', '/ext/api/v1/merchants')).body.meta.total).toBe(26);
  });
});

describe('npm start with a missing prerequisite', () => {
  test.each([
    [
      'a Java runtime',
      { PATH: dirname(process.execPath) },
      'No Java runtime found. Install Java 17 or later, so that "java -version" works.\n',
    ],
    ['a valid port number', { PORT: 'http' }, 'PORT must be a port number from 1 to 65535, not "http".\n'],
    [
      'a reachable engine',
      { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9' },
      'Cannot reach a DynamoDB-compatible engine at http://127.0.0.1:9.\n',
    ],
  ])('says in one line that it needs %s', async (_, environment, line) => {
    const run = start({ PORT: String(await freePort()), ...environment });
    expect(await run.ended).toBe(1);
    expect(run.output()).toBe(line);
    expect(await allEnded(run)).toBe(true);
  });

  test('says in one line that an option is unknown', async () => {
    const run = start({ PORT: String(await freePort()) }, '--nope');
    expect(await run.ended).toBe(1);
    expect(run.output()).toMatch(/^Unknown option '--nope'.* Try "npm start -- --help"\.\n$/);
  });

  test('says in one line that dependencies are not installed', async () => {
    const script = join(process.cwd(), 'infra/local/check-install.mjs');
    const check = spawn(process.execPath, [script], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    const [[text], [code]] = await Promise.all([once(check.stderr, 'data'), once(check, 'exit')]);
    expect(String(text)).toBe('Dependencies or Node.js 24 are not installed. Run "npm ci" first.\n');
    expect(code).toBe(1);
    expect(existsSync(join(folder, 'node_modules'))).toBe(false);
  });
});
