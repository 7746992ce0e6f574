import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createClient } from '../../../docs/client/client.ts';
import type { Demo } from '../../../infra/local/demo.ts';
import { freePort } from '../../../infra/local/engine.ts';
import { LOCAL_ENVIRONMENT } from '../../../infra/stack/localEnvironment.ts';
import { ownFolder, runScript } from '../../support/scripts.ts';

/*
 * `npm start` as its user sees it: the real script, DynamoDB Local and the routes of serverless.yml, called over HTTP
 * like a partner does.
 */

const folder = ownFolder();
const demoFile = join(folder, 'demo.json');

interface Started extends Demo {
  base_url: string;
  issuer: string;
  people: { name: string; email: string; roles: string[] }[];
  environment: { AWS_ENDPOINT_URL_SECRETS_MANAGER: string };
}

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
async function ready(run: Run): Promise<Started> {
  while (!run.output().includes('Press Ctrl-C to stop')) {
    if (run.process.exitCode !== null) throw new Error(run.output());
    await sleep(50);
  }
  return JSON.parse(readFileSync(demoFile, 'utf8'));
}

describe('npm start', () => {
  let port: number;
  let run: Run;
  let demo: Started;
  let key: string;

  beforeAll(async () => {
    port = await freePort();
    // A rate that nothing here reaches.
    run = start({ PORT: String(port) }, '--data', join(folder, 'data'), '--rate', '999999');
    demo = await ready(run);
    key = demo.acquirers.find(({ name }) => name === 'Payfair')?.api_key ?? '';
  });
  afterAll(async () => {
    run.process.kill('SIGTERM');
    await run.ended;
  });

  async function http(method: string, path: string) {
    const response = await fetch(demo.base_url + path, { method, headers: { 'API-KEY': key, origin: SITE } });
    expect(response.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    return { headers: response.headers, body: JSON.parse(await response.text()) };
  }

  /** Sends a request about the card key to the secret store. */
  async function secret(action: string, input: object = {}): Promise<{ SecretString?: string }> {
    const response = await fetch(demo.environment.AWS_ENDPOINT_URL_SECRETS_MANAGER, {
      method: 'POST',
      headers: { 'x-amz-target': `secretsmanager.${action}` },
      body: JSON.stringify({ SecretId: LOCAL_ENVIRONMENT.CARD_HMAC_KEY_SECRET, ...input }),
    });
    return (await response.json()) as { SecretString?: string };
  }

  test('prints a first request that works when pasted', async () => {
    const [, apiKey = '', url = ''] = /^ {2}curl -H 'API-KEY: (.*)' '(.*)'$/m.exec(run.output()) ?? [];
    const response = await fetch(url, { headers: { 'API-KEY': apiKey } });
    const { data, meta } = JSON.parse(await response.text());
    expect(data).toHaveLength(3);
    expect(response.headers.get('ratelimit-policy')).toBe('"requests";q=1999998;w=2');
    expect(meta).toEqual({ current_page: 1, per_page: 3, total: 25 });
  });

  test('has an issuer, where demo people sign in, and prints where, and who, and writes both to the file', () => {
    expect(run.output()).toContain(
      `\nConsole for people: ${demo.base_url}/console, as one of:\n` +
        '  Ana Almeida       ana@payfair.example     Payfair · admin\n',
    );
    expect(demo.issuer).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(demo.people).toHaveLength(5);
    expect(demo.people).toContainEqual({
      name: 'Nuno Nogueira',
      email: 'nuno@northgate.example',
      roles: ['Northgate Distribution · admin', 'Payfair · viewer'],
    });
  });

  test('passes the self-check', async () => {
    const { exitCode, stdout } = await runScript(['infra/local/selfCheck.ts', '--local', demoFile]);
    expect(stdout).toMatch(new RegExp(`^${demo.base_url}\n(ok {6}.+\n){4}$`));
    expect(exitCode).toBe(0);
  });

  test('creates two distributors, three payment providers and members, with everything a request needs', () => {
    expect(demo.base_url).toBe(`http://127.0.0.1:${port}`);
    const acquirer = {
      id: expect.any(String),
      name: expect.any(String),
      api_key: expect.stringMatching(/^apk_[\w-]{48}$/),
      partners: expect.any(Array),
      payment_apps: ['Checkout Go', 'Counter Plus'],
      master_acquirers: ['Atlantic Acquiring', 'Baltic Merchant Bank'],
      // The samples of the reference are tested to succeed elsewhere.
      examples: expect.objectContaining({ createBranch: expect.any(Object) }),
    };
    expect(demo.acquirers).toEqual([
      ...[1, 2].map(() => ({ ...acquirer, type: 'DISTRIBUTOR' })),
      ...[1, 2, 3].map(() => ({ ...acquirer, type: 'PAYMENT_PROVIDER' })),
    ]);
    const [first, , ...providers] = demo.acquirers;
    expect(providers.filter(({ id }) => !first?.partners.includes(id))).toHaveLength(1);
    expect(demo.members).toHaveLength(3);
  });

  // The guides, which test/docs runs, have valid requests of the client.
  test('serves the typed client, whose requests have the types of the contract', async () => {
    const api = createClient({ baseUrl: demo.base_url, apiKey: key });
    // @ts-expect-error: a branch has a MID.
    const { error } = await api.POST('/ext/api/v1/merchants', { body: {} });
    expect(error?.errors?.map(({ pointer, code }) => [pointer, code])).toContainEqual(['/mid', 'required']);
    // @ts-expect-error: a branch has a master merchant.
    const { response } = await api.POST('/ext/api/v1/merchants', { body: { mid: 'TYPED2' } });
    expect(response.status).toBe(422);
  });

  test('serves the docs site with the demo’s API keys, and no other files', async () => {
    const got = await fetch(`${demo.base_url}/?from=somewhere`);
    expect(got.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await got.text()).toContain('<title>Acquirer Partner API</title>');
    expect(await (await fetch(`${demo.base_url}/settings.json`)).json()).toEqual({
      environments: [{ name: 'This server, with demo data', base_url: demo.base_url, can_send: true }],
      acquirers: demo.acquirers,
    });
    const contract = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
    // No support contact is configured.
    delete contract.info.contact;
    expect(await (await fetch(`${demo.base_url}/openapi.json`)).json()).toEqual(contract);
    expect((await fetch(`${demo.base_url}/docs/errors/not_found`)).url).toBe(`${demo.base_url}/docs/errors/not_found/`);

    expect((await http('POST', '/')).body.code).toBe('not_found');
    for (const path of ['/index.htm', '/infra/page/main.ts', '/../package.json', '/constructor'])
      expect((await http('GET', path)).body.code).toBe('not_found');
  });

  const PATH = '/ext/api/v1/merchants';
  const SITE = 'https://docs.example.com';
  const PREFLIGHT = ['Origin: https://shop.example', 'Access-Control-Request-Method: GET'];
  /** A request as text, with the API key unless there is another one. */
  const request = (line: string, headers: string[] = [], body = ''): string =>
    [
      `${line} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Connection: close',
      ...(headers.some((header) => header.startsWith('API-KEY')) ? [] : [`API-KEY: ${key}`]),
      ...headers,
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
  const json = (body: string): string => request(`POST ${PATH}`, ['Content-Type: application/json'], body);

  /** Sends bytes and returns the status, the head and the body of the response. */
  async function responseTo(bytes: string): Promise<{ status: number; head: string; body: string }> {
    const socket = connect(port, '127.0.0.1');
    socket.write(bytes, 'latin1');
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    return { status: Number(head.split(' ')[1]), head, body };
  }

  type Rejected = [title: string, bytes: () => string, status: number, code: string | undefined];
  // Requests that few client libraries would send. There is no code if serverless-offline itself rejects them.
  test.each<Rejected>([
    ...(
      [
        ['/%zz', 400, undefined],
        ['/%c0%af', 400, undefined],
        ['/%00', 404, 'not_found'],
        ['/%2F', 404, 'not_found'],
        ['/..%2f', 404, 'not_found'],
        ['/%F0%9F%8F%AA', 404, 'not_found'],
        ['/__proto__', 404, 'not_found'],
        ['/DEMOMID001%0a', 404, 'not_found'],
        ['/', 404, 'not_found'],
        ['?page=%zz', 400, 'invalid_query'],
        ['?page=1&page=1', 400, 'invalid_query'],
      ] as const
    ).map(([path, status, code]): Rejected => [`the path ${path}`, () => request(`GET ${PATH}${path}`), status, code]),
    ['HEAD of an operation with GET', () => request(`HEAD ${PATH}`), 404, undefined],
    ['an unsupported method', () => request(`TRACE ${PATH}`), 404, 'not_found'],
    ['a preflight without a key', () => request(`OPTIONS ${PATH}`, ['API-KEY:', ...PREFLIGHT]), 401, 'invalid_api_key'],
    ['a preflight', () => request(`OPTIONS ${PATH}`, PREFLIGHT), 404, 'not_found'],
    ['no body', () => request(`POST ${PATH}`), 422, 'validation_failed'],
    ['the body null', () => json('null'), 422, 'validation_failed'],
    ['a truncated body', () => json('{'), 400, 'malformed_json'],
    ['a body of 6 MB', () => json(`{"mid":"${'x'.repeat(6_000_000)}"}`), 400, 'body_too_large'],
  ])('rejects %s', async (_, bytes, status, code) => {
    const response = await responseTo(bytes());
    expect(response.status).toBe(status);
    expect(/"code":"(\w+)","request_id"/.exec(response.body)?.[1]).toBe(code);
    // No other origin may read it.
    expect(response.head).not.toMatch(/access-control/i);
  });

  test.each([
    ['HTTP/1.0', () => `GET ${PATH} HTTP/1.0\r\nAPI-KEY: ${key}\r\n\r\n`],
    ['a whole URL', () => request(`GET http://evil.example${PATH}`)],
    ['another host', () => request(`GET ${PATH}`, ['X-Forwarded-Host: evil.example'])],
  ])('responds to %s with links to itself', async (_, bytes) => {
    const { status, body } = await responseTo(bytes());
    expect(status).toBe(200);
    expect(JSON.parse(body).links.first).toBe(`${demo.base_url}${PATH}?page=1`);
  });

  test('says in one line that its port is taken, and leaves no process running', async () => {
    const second = start({ PORT: String(port) });
    expect(await second.ended).toBe(1);
    expect(second.output()).toBe(`Port ${port} cannot be used (EADDRINUSE). Choose another with PORT=<number>.\n`);
    expect(await allEnded(second)).toBe(true);
  });

  test('stops on Ctrl-C, including Java, and has the same data, API keys and card key when started again on the same folder, now with a --site', async () => {
    const api = createClient({ baseUrl: demo.base_url, apiKey: key });
    const { response } = await api.POST(PATH, { body: { mid: 'KEPT1', master_merchant_id: 'KEPT1' } });
    expect(response.status).toBe(201);
    const { meta } = (await http('GET', PATH)).body;
    expect(meta.total).toBe(26);
    const { SecretString } = await secret('GetSecretValue');
    const rotated = `${SecretString}\nthe second key`;
    await secret('PutSecretValue', { SecretString: rotated });
    run.process.kill('SIGINT');
    expect(await run.ended).toBe(0);
    expect(await allEnded(run)).toBe(true);

    run = start({ PORT: String(port) }, '--data', join(folder, 'data'), '--rate', '5', '--site', SITE);
    demo = await ready(run);
    expect(await secret('GetSecretValue')).toMatchObject({ SecretString: rotated });
    const { body, headers } = await http('GET', PATH);
    expect(body.meta).toEqual(meta);
    expect(headers.get('ratelimit-policy')).toBe('"requests";q=10;w=2');
    expect(headers.get('access-control-allow-origin')).toBe(SITE);
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

  test.each([
    [['--nope'], /^Unknown option '--nope'.* Try "npm start -- --help"\.\n$/],
    [['--rate', '0'], /^--rate must be a whole number from 1 to 999999, not "0"\.\n$/],
    [['--issuer-port', 'http'], /^--issuer-port must be a free port, not "http" \(ERR_SOCKET_BAD_PORT\)\.\n$/],
    [['--site', 'https://a.example/'], /^--site must be an origin such as .*, not "https:\/\/a\.example\/"\.\n$/],
  ])('says in one line that %s is wrong', async (options, line) => {
    const run = start({ PORT: String(await freePort()) }, ...options);
    expect(await run.ended).toBe(1);
    expect(run.output()).toMatch(line);
  });

  test('prints its options for --help', async () => {
    const { exitCode, stdout } = await runScript(['infra/local/start.ts', '--help']);
    expect(stdout.match(/--[\w-]+ <\w+> {2,}\w+/g)?.map((option) => option.split(' ')[0])).toEqual([
      '--data',
      '--rate',
      '--site',
      '--issuer-port',
      '--demo',
    ]);
    expect(exitCode).toBe(0);
  });

  test('says in one line that dependencies are not installed', async () => {
    const script = join(process.cwd(), 'infra/local/check-install.mjs');
    const { exitCode, stderr } = await runScript([script], { cwd: folder });
    expect(stderr).toBe('Dependencies or Node.js 24 are not installed. Run "npm ci" first.\n');
    expect(exitCode).toBe(1);
    expect(existsSync(join(folder, 'node_modules'))).toBe(false);
  });
});
