import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createClient } from '../../../docs/client/client.ts';
import type { Demo } from '../../../infra/local/demo.ts';
import { freePort } from '../../../infra/local/engine.ts';
import { type Served, serve } from '../../../infra/local/serve.ts';
import { LOCAL_ENVIRONMENT } from '../../../infra/stack/localEnvironment.ts';
import { ownFolder } from '../../support/scripts.ts';

/*
 * `npm start` as its user sees it: the real script, DynamoDB Local and the routes of infra/stack/functions.yml, called
 * over HTTP like a partner does.
 */

const folder = ownFolder();
const demoFile = join(folder, '.local', 'demo.json');
const data = join(folder, 'data');
const port = await freePort();
const PATH = '/ext/api/v1/merchants';

interface Started extends Demo {
  base_url: string;
  issuer: string;
  people: { name: string; email: string; roles: string[] }[];
  environment: Record<'AWS_ACCESS_KEY_ID' | `AWS_ENDPOINT_URL_${'DYNAMODB' | 'SECRETS_MANAGER'}`, string>;
}

type Run = ReturnType<typeof start>;

/** Starts the script in its own process group, so that processes it leaves behind can be found. */
function start(environment: NodeJS.ProcessEnv, ...options: string[]) {
  const { AWS_ENDPOINT_URL_DYNAMODB: _, ...inherited } = process.env;
  const child = spawn(process.execPath, ['infra/local/start.ts', '--demo', demoFile, ...options], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    // As `npm start` does.
    env: { ...inherited, NODE_COMPILE_CACHE: 'node_modules/.cache/compiled', ...environment },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return { process: child, output: () => output, ended: once(child, 'close').then(([code]) => code) };
}

/** Resolves once Linux has no process of a run, including Java, but for zombies, which nothing may collect. */
async function allEnded({ process: { pid } }: Run): Promise<void> {
  const find = () => spawnSync('grep', ['-qsE', `\\) [^Z] [0-9]+ ${pid} `, ...globSync('/proc/[0-9]*/stat')]);
  while (find().status === 0) await sleep(50);
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
  let run: Run;
  let demo: Started;
  let key: string;
  let proxy: Served;
  const proxied: string[] = [];

  beforeAll(async () => {
    // What an earlier version has left.
    for (const made of [data, dirname(demoFile)]) mkdirSync(made, { mode: 0o755 });
    for (const file of [demoFile, join(dirname(demoFile), 'server.log')]) writeFileSync(file, '', { mode: 0o644 });
    writeFileSync(join(data, 'access-key'), LOCAL_ENVIRONMENT.AWS_ACCESS_KEY_ID, { mode: 0o644 });
    writeFileSync(join(data, 'card-hmac-key'), 'an-earlier-key', { mode: 0o644 });
    proxy = await serve((request, response) => {
      proxied.push(`${request.method} ${request.url}`);
      response.writeHead(503).end();
    });
    const proxies = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
    run = start({ PORT: String(port), ...proxies }, '--data', data);
    demo = await ready(run);
    key = demo.acquirers.find(({ name }) => name === 'Payfair')?.api_key ?? '';
  });
  afterAll(async () => {
    run.process.kill('SIGTERM');
    await run.ended;
    await proxy.stop();
  });

  /** Sends a request to the secret store. */
  async function secret(action: string, input: { SecretId: string; SecretString?: string }): Promise<string> {
    const headers = { 'x-amz-target': `secretsmanager.${action}` };
    const init = { method: 'POST', headers, body: JSON.stringify(input) };
    const response = await fetch(demo.environment.AWS_ENDPOINT_URL_SECRETS_MANAGER, init);
    return ((await response.json()) as { SecretString: string }).SecretString;
  }

  test('prints a first request that works when pasted, and who can sign in', async () => {
    const [, apiKey = '', url = ''] = /^ {2}curl -H 'API-KEY: (.*)' '(.*)'$/m.exec(run.output()) ?? [];
    const response = await fetch(url, { headers: { 'API-KEY': apiKey } });
    expect(response.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    const active = { status: 'active' };
    expect(await response.json()).toMatchObject({ data: [active, active, active], meta: { per_page: 3, total: 25 } });
    expect(run.output()).toContain(
      `\nConsole for people: ${demo.base_url}/console, as one of:\n` +
        '  Ana Almeida       ana@payfair.example     Payfair · admin\n',
    );
  });

  test('writes two distributors, three payment providers, members and people, with everything a request needs', () => {
    expect(demo.base_url).toBe(`http://127.0.0.1:${port}`);
    expect(demo.issuer).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const [northgate, silverline, payfair, quickpay, trustcard] = demo.acquirers.map(({ id }) => id);
    const acquirer = (type: string, id: string | undefined, name: string, ...partners: (string | undefined)[]) => ({
      ...{ type, id, name, partners },
      api_key: expect.stringMatching(/^apk_[\w-]{48}$/),
      payment_apps: ['Checkout Go', 'Counter Plus'],
      master_acquirers: ['Atlantic Acquiring', 'Baltic Merchant Bank'],
    });
    expect(demo.acquirers).toEqual([
      acquirer('DISTRIBUTOR', northgate, 'Northgate Distribution', payfair, quickpay),
      acquirer('DISTRIBUTOR', silverline, 'Silverline Terminals', payfair, trustcard),
      acquirer('PAYMENT_PROVIDER', payfair, 'Payfair', northgate, silverline),
      acquirer('PAYMENT_PROVIDER', quickpay, 'Quickpay', northgate),
      acquirer('PAYMENT_PROVIDER', trustcard, 'Trustcard', silverline),
    ]);
    expect(demo.members).toHaveLength(3);
    expect(demo.people).toHaveLength(5);
    const roles = ['Northgate Distribution · admin', 'Payfair · viewer'];
    expect(demo.people).toContainEqual({ name: 'Nuno Nogueira', email: 'nuno@northgate.example', roles });
  });

  test('sends nothing for this machine to a proxy of the environment, also to sign in', async () => {
    // With a local issuer, a sign-in asks it for its metadata.
    const signIn = await fetch(`${demo.base_url}/console/sign-in`, { redirect: 'manual' });
    expect([signIn.status, signIn.headers.get('location')]).toEqual([303, expect.stringContaining(demo.issuer)]);
    expect(proxied).toEqual([]);
  });

  test('serves the docs site with Payfair’s API key', async () => {
    const home = await (await fetch(`${demo.base_url}/`)).text();
    expect(home).toContain('<title>Acquirer Partner API</title>');
    expect(home).toContain(`${demo.base_url}/ext/api/v1/merchants`);
    expect(await (await fetch(`${demo.base_url}/settings.json`)).json()).toEqual({
      environments: [{ name: 'This server', base_url: demo.base_url, can_send: true, has_console: true }],
      api_key: key,
    });
  });

  /** The sockets on which the processes of the run listen, as `address port` in hexadecimal, apart from Java's. */
  function listening(): string[] {
    const inGroup = (stat: string) => Number(stat.slice(stat.lastIndexOf(')')).split(' ')[3]) === run.process.pid;
    const fds = globSync('/proc/[0-9]*/stat').flatMap((file) => {
      const isOurs = existsSync(file) && inGroup(readFileSync(file, 'utf8')) && !isJava(dirname(file));
      return isOurs ? globSync(`${dirname(file)}/fd/*`) : [];
    });
    const inodes = new Set(fds.flatMap((fd) => /socket:\[(\d+)\]/.exec(readlinkSync(fd))?.[1] ?? []));
    const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => readFileSync(file, 'utf8').trim().split('\n'));
    return rows
      .map((row) => row.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode = '']) => state === '0A' && inodes.has(inode))
      .map(([, local = '']) => local.replace(':', ' '));
  }
  const isJava = (folder: string) => readFileSync(`${folder}/cmdline`, 'utf8').startsWith('java');

  test('listens on no other interface, and whoever else reaches its engine finds no table', async () => {
    // The API, the issuer and the secret store. 0100007F is 127.0.0.1.
    const sockets = listening();
    expect(sockets.length).toBe(3);
    expect(sockets.filter((socket) => !socket.startsWith('0100007F '))).toEqual([]);
    const { AWS_ENDPOINT_URL_DYNAMODB: endpoint = '', AWS_ACCESS_KEY_ID = '' } = demo.environment;
    expect(AWS_ACCESS_KEY_ID).toMatch(/^[\da-f]{32}/);
    const tablesOf = async (accessKeyId: string) => {
      const client = new DynamoDBClient({ endpoint, credentials: { accessKeyId, secretAccessKey: 'any' } });
      return (await client.send(new ListTablesCommand())).TableNames;
    };
    expect(await tablesOf(AWS_ACCESS_KEY_ID)).toEqual([LOCAL_ENVIRONMENT.TABLE_NAME]);
    for (const guess of ['local', 'guess']) expect(await tablesOf(guess)).toEqual([]);
    const headers = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' };
    const preflight = await fetch(endpoint, { method: 'OPTIONS', headers });
    expect(preflight.headers.get('access-control-allow-origin') ?? '').not.toMatch(/evil|\*/);
  });

  test('responds to no request for another host, on any of its ports, but with its own address', async () => {
    const ports = listening().map((socket) => Number.parseInt(socket.split(' ')[1] as string, 16));
    for (const each of ports) {
      const socket = connect(each, '127.0.0.1');
      socket.write('GET /settings.json HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
      const response = await text(socket);
      expect([each, response.slice(0, 12)]).toEqual([each, 'HTTP/1.1 421']);
      expect(response).toContain(`This server is for this machine only: open http://127.0.0.1:${each}/\n`);
    }
  });

  test('serves 64 requests at once from one process, and from another after code has changed', async () => {
    const paths = [
      'lookup/paymentApp',
      'merchants',
      'terminals',
      'events',
      'find?mid=DEMOMID001',
      'merchants/DEMOMID001',
    ];
    const get = (path = '') => fetch(`${demo.base_url}/ext/api/v1/${path}`, { headers: { 'API-KEY': key } });
    const burst = () => Promise.all(Array.from({ length: 64 }, (_, at) => get(paths[at % paths.length])));
    /** How many processes have served a request. */
    const processes = () =>
      readFileSync(join(dirname(demoFile), 'server.log'), 'utf8').match(/"cold_start":true/g)?.length ?? 0;
    expect((await burst()).map(({ status }) => status)).toEqual(Array(64).fill(200));
    const before = processes();
    expect(before).toBeGreaterThan(0);
    utimesSync('functions/lookup/lookup.ts', new Date(), new Date());
    while (processes() === before) await get(paths[0]);
    expect((await burst()).map(({ status }) => status)).toEqual(Array(64).fill(200));
    expect(processes()).toBe(before + 1);
  });

  // What gateway.slow.test.ts and the tests of functions have more of. There is no code if the gateway itself rejects a
  // request.
  test.each<[line: string, status: number, code?: string, headers?: string[], body?: string]>([
    [`GET ${PATH}/%zz`, 400],
    [`GET ${PATH}/__proto__`, 404, 'not_found'],
    ['GET /constructor', 404, 'not_found'],
    [`OPTIONS ${PATH}`, 404, 'not_found', ['Origin: https://shop.example', 'Access-Control-Request-Method: GET']],
    [`POST ${PATH}`, 400, 'malformed_json', ['Content-Type: application/json'], '{'],
    [`POST ${PATH}`, 400, 'body_too_large', ['Content-Type: application/json'], `{"mid":"${'x'.repeat(6_000_000)}"}`],
  ])('rejects %s with %i', async (line, status, ...[code, headers = [], body = '']) => {
    const socket = connect(port, '127.0.0.1');
    const head = ['Host: 127.0.0.1', 'Connection: close', `API-KEY: ${key}`, `Content-Length: ${body.length}`];
    socket.write([`${line} HTTP/1.1`, ...head, ...headers, '', body].join('\r\n'));
    const response = await text(socket);
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(/"code":"(\w+)","request_id"/.exec(response)?.[1]).toBe(code);
    // No other origin may read it.
    expect(response).not.toMatch(/^access-control/im);
  });

  test('delivers to a webhook on this machine, within seconds of the event’s appearance in the feed', async () => {
    const delivered: { type: string; branch: { mid: string } }[] = [];
    const receiver = await serve(async (request, response) => {
      delivered.push(...JSON.parse(await text(request)).data);
      response.writeHead(204).end();
    });
    const post = async (path: string, body: object) => {
      const init = { method: 'POST', headers: { 'API-KEY': key }, body: JSON.stringify(body) };
      return (await fetch(`${demo.base_url}/ext/api/v1/${path}`, init)).status;
    };
    expect(await post('webhooks', { url: receiver.url })).toBe(201);
    expect(await post('merchants', { mid: 'DELIVERED1', master_merchant_id: 'DELIVERED1' })).toBe(201);
    // Before it may be events of the demo that the feed did not show yet.
    while (!delivered.some(({ branch }) => branch.mid === 'DELIVERED1')) await sleep(200);
    expect(delivered.at(-1)).toMatchObject({ type: 'branch.created', branch: { mid: 'DELIVERED1' } });
    await receiver.stop();
  });

  test('stops on Ctrl-C, including Java, and has the same data and keys when started again on the folder', async () => {
    const api = createClient({ baseUrl: demo.base_url, apiKey: key });
    // @ts-expect-error: the types are of the contract, where a branch has a MID.
    expect((await api.POST(PATH, { body: { master_merchant_id: 'KEPT1' } })).response.status).toBe(422);
    const { response } = await api.POST(PATH, { body: { mid: 'KEPT1', master_merchant_id: 'KEPT1' } });
    expect(response.status).toBe(201);
    const SecretId = LOCAL_ENVIRONMENT.CARD_HMAC_KEY_SECRET;
    const SecretString = `${await secret('GetSecretValue', { SecretId })}\nthe second key`;
    await secret('PutSecretValue', { SecretId, SecretString });
    run.process.kill('SIGINT');
    expect(await run.ended).toBe(0);
    await allEnded(run);

    run = start({ PORT: String(port) }, '--data', data, '--rate', '5');
    demo = await ready(run);
    expect(await secret('GetSecretValue', { SecretId })).toBe(SecretString);
    const again = await fetch(demo.base_url + PATH, { headers: { 'API-KEY': key } });
    expect(await again.json()).toMatchObject({ meta: { total: 27 } });
    expect(again.headers.get('ratelimit-policy')).toBe('"requests";q=10;w=2');
  });

  test('keeps keys and data from other users of the machine, also where an earlier version did not', () => {
    const kept = [dirname(demoFile), data].flatMap((each) => [
      each,
      ...readdirSync(each).map((name) => join(each, name)),
    ]);
    for (const name of [demoFile, join(data, 'card-hmac-key'), join(data, 'access-key')]) expect(kept).toContain(name);
    // Both folders, three files with keys, the log and the files of DynamoDB Local.
    expect(kept.length).toBeGreaterThan(6);
    expect(kept.filter((each) => (statSync(each).mode & 0o077) !== 0)).toEqual([]);
  });

  const NOWHERE = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9' };
  const WITHOUT_JAVA = { PATH: dirname(process.execPath) };
  const wrong = (option: string, value: string) =>
    `error: option '${option}' argument '${value}' is invalid. It must be `;
  const taken = (option: string) => `Port ${port} cannot be used (EADDRINUSE). Choose another with ${option}.`;
  test.each<[line: string, environment: NodeJS.ProcessEnv, ...options: string[]]>([
    [taken('PORT=<number>'), { PORT: String(port) }],
    [taken('--issuer-port <port>'), NOWHERE, '--issuer-port', String(port)],
    ['PORT must be a port number from 1 to 65535, not "http".', { PORT: 'http' }],
    ['No Java runtime found. Install Java 17 or later, so that "java -version" works.', WITHOUT_JAVA],
    ['Cannot reach a DynamoDB-compatible engine at http://127.0.0.1:9.', NOWHERE],
    [`${wrong('--rate <count>', '0')}a whole number from 1 to 999999.`, {}, '--rate', '0'],
  ])('ends with the line %j, and leaves no process running', async (line, environment, ...options) => {
    const failed = start({ PORT: String(await freePort()), ...environment }, ...options);
    expect(await failed.ended).toBe(1);
    expect(failed.output()).toBe(`${line}\n`);
    await allEnded(failed);
  });
});
