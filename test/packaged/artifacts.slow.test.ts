import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { type SecretStore, startSecretStore } from '../../infra/local/secretStore.ts';
import { serve } from '../../infra/local/serve.ts';
import { rotateSelfCheckKey } from '../../infra/operate/cli/selfCheckKey.ts';
import { isOfWebhooks } from '../../infra/publish/contract/calls.ts';
import { CONSOLE_OPERATIONS } from '../../infra/publish/contract/invoke.ts';
import { tools } from '../../infra/stack/assistants/tools.ts';
import { LOCAL_ENVIRONMENT, LOCAL_SECRETS } from '../../infra/stack/localEnvironment.ts';
import { ENDPOINTS, type Endpoint, FUNCTIONS, logicalId, OPERATIONS } from '../../infra/stack/template/definitions.ts';
import { resourceOf, type Template } from '../../infra/stack/template/template.ts';
import { newEventId } from '../../lib/base/eventId.ts';
import { invitePerson } from '../../lib/people/people.ts';
import { call, eventOf, type Operation, STATUSES } from '../support/api.ts';
import { contractViolations } from '../support/contract.ts';
import { CLIENT_ID, CLIENT_SECRET, startIssuer, type TestIssuer } from '../support/issuer.ts';
import { serveHandlers } from '../support/overHttp.ts';
import { newRequests } from '../support/requests.ts';
import { ownFolder } from '../support/scripts.ts';
import { type Caller, newAcquirer } from '../support/world.ts';
import { resolved } from './deployed.ts';
import { invokeUnpacked, unpack, unzip } from './packaged.ts';
import { ISSUER, packagedAgain, packageOf } from './packaging.ts';

/*
 * The deployed zips of stage prod with an issuer. Each function runs from its own zip in a process of its own, with the
 * environment of the template and of Lambda; only the table and the secret store are local.
 */

const folder = ownFolder();
/** The names of the files in each zip, and its size in bytes. */
const files: Record<string, string[]> = {};
const sizes: Record<string, number> = {};
let template: Template;
/** The folder of the package. */
let packages: string;
let secretStore: SecretStore;

beforeAll(async () => {
  const packaged = await packageOf('prod', ISSUER);
  template = packaged.template;
  packages = packaged.folder;
  for (const name of Object.keys(FUNCTIONS)) {
    const zip = unzip(join(packaged.folder, `${name}.zip`));
    files[name] = Object.keys(zip);
    sizes[name] = statSync(join(packaged.folder, `${name}.zip`)).size;
    unpack(zip, join(folder, name));
  }
  // The secret store has the key with which the test's cards are hashed.
  const [key = ''] = Object.values(LOCAL_SECRETS);
  let selfCheckKey: string | undefined;
  await rotateSelfCheckKey(async (issued) => {
    selfCheckKey = issued;
  });
  secretStore = await startSecretStore({
    'acquirer-partner-api-prod/card-hmac-key': key,
    'acquirer-partner-api-prod/self-check-key': selfCheckKey,
    'acquirer-partner-api-prod/client-secret': CLIENT_SECRET,
    'acquirer-partner-api-prod/sealing-key': 'only-for-tests',
    'acquirer-partner-api-prod/webhook-key': LOCAL_SECRETS[LOCAL_ENVIRONMENT.WEBHOOK_KEY_SECRET],
  });
});

afterAll(() => secretStore.stop());

const propertiesOf = (name: string) => resourceOf(template, logicalId(name, 'LambdaFunction')).Properties;
const environmentOf = (name: string) =>
  resolved(template, propertiesOf(name).Environment.Variables) as Record<string, string>;

/** The functions that have responded. */
const responded = new Set<string>();

/**
 * Invokes a function with the environment that it has on AWS, except for the table's name and endpoints.
 *
 * @param more Other settings, such as the URL of an issuer of this test.
 */
async function invoke(name: string, event: object, more: Record<string, string> = {}) {
  const { Handler, FunctionName, MemorySize, Runtime } = propertiesOf(name);
  // Node.js is the one that it is deployed to, because a bundle can load on one and not on another.
  expect(`nodejs${process.versions.node}`).toContain(Runtime.replace('x', ''));
  const { AWS_ENDPOINT_URL_DYNAMODB = '', TABLE_NAME = '' } = process.env;
  const outcome = await invokeUnpacked(
    {
      folder: join(folder, name),
      handler: Handler,
      environment: {
        ...environmentOf(name),
        AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
        AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
        AWS_LAMBDA_FUNCTION_NAME: FunctionName,
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(MemorySize),
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: LOCAL_ENVIRONMENT.AWS_ACCESS_KEY_ID,
        AWS_SECRET_ACCESS_KEY: 'local',
        AWS_SESSION_TOKEN: 'local',
        TABLE_NAME,
        AWS_ENDPOINT_URL_DYNAMODB,
        AWS_ENDPOINT_URL_SECRETS_MANAGER: secretStore.endpoint,
        ...more,
      },
    },
    event,
  );
  responded.add(name);
  return outcome;
}

test('the zip of a function has only its bundle', () => {
  const bundles = Object.entries(FUNCTIONS).map(([name, { handler }]) => [name, [handler.replace('.handler', '.mjs')]]);
  expect(files).toEqual(Object.fromEntries(bundles));
});

test('the zips of two packagings are the same bytes, whoever made them where', async () => {
  const again = await packagedAgain('dev');
  const names = globSync('*.zip', { cwd: again });
  expect(names.length).toBeGreaterThan(20);
  const different = names.filter((name) => !readFileSync(join(again, name)).equals(readFileSync(join(packages, name))));
  expect(different).toEqual([]);
});

/** The functions of the sign-in: all others are without OpenID Connect. */
const SIGN_IN = ['signIn', 'callback'];

test('only the sign-in’s zips have OpenID Connect, and none but the console’s page and mcp is over 130 KB', () => {
  const having = Object.entries(FUNCTIONS).filter(([name, { handler }]) =>
    readFileSync(join(folder, name, handler.replace('.handler', '.mjs')), 'utf8').includes('oauth4webapi/'),
  );
  expect(having.map(([name]) => name)).toEqual(SIGN_IN);
  const large = Object.entries(sizes).filter(([, size]) => size > 130_000);
  expect(large.map(([name]) => name).sort()).toEqual(['mcp', 'openConsole']);
  // The protocol's SDK.
  expect(sizes['mcp']).toBeLessThan(180_000);
  // All browser code, compressed twice, and the scanner's reader once, in base64.
  expect(sizes['openConsole']).toBeLessThan(1_400_000);
});

const BASE_URL = 'https://a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com';

describe('the packaged function', () => {
  let requestOf: Awaited<ReturnType<typeof newRequests>>['requestOf'];
  let caller: Caller;
  beforeAll(async () => {
    const { world, ...requests } = await newRequests();
    caller = world.provider;
    requestOf = requests.requestOf;
  });

  /** A response without what differs between two branches or two requests. */
  const common = (body: unknown): unknown =>
    JSON.parse(
      JSON.stringify(body)
        .replaceAll(BASE_URL, process.env['BASE_URL'] as string)
        .replace(/[0-9a-fx]{32}/g, 'ID')
        .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
        .replace(/"next":"[^"]+"/g, '"next":"CURSOR"')
        .replace(/"secret":"whsec_[^"]+"/, '"secret":"SECRET"')
        // What became of a test. No name leads anywhere in the test of a package.
        .replace(/"status":\w+,"duration_ms":\d+,"error":[^}]+/, '"status":"OUTCOME"'),
    );

  const ofPartners = Object.entries(ENDPOINTS).filter(([name]) => name in OPERATIONS || name === 'unknownRoute');
  test.each(ofPartners as [Operation, Endpoint][])(
    '%s responds as the handler that is not packaged',
    async (name, { events: [{ httpApi }] }) => {
      // Events are shown after some seconds.
      const request = name === 'listEvents' ? { key: caller.key, query: { after: 'now' } } : await requestOf(name);
      const { response, log } = await invoke(name, eventOf(name, request));
      const status = STATUSES[name][0];
      const body = JSON.parse(response.body ?? '');
      const headers = response.headers as Record<string, string>;
      if (name !== 'unknownRoute') expect(contractViolations(name, { status, headers, body })).toEqual([]);
      const isRead = /^(GET|\*)|member-check/.test(httpApi);
      expect(common(body)).toEqual(common((await call(name, isRead ? request : await requestOf(name))).body));
      expect(response.statusCode).toBe(status);
      // The rate limiter gives up a lease after 300 ms, which a busy machine may need, and the request goes on.
      const { causes = [], ...line } = JSON.parse(log);
      expect(causes.filter(({ name }: Error) => !/^(Abort|Timeout)Error$/.test(name))).toEqual([]);
      // A webhook is of an acquirer of its own.
      const acquirer = isOfWebhooks(name) ? expect.any(String) : caller.id;
      expect(line).toMatchObject({ status, cold_start: true, acquirer });
    },
  );

  test('createBranch logs a stack that leads to the line in lib that threw', async () => {
    const { response, log } = await invoke('createBranch', eventOf('createBranch', await requestOf('createBranch')), {
      EVENT_DAYS: 'seven',
    });
    expect(JSON.parse(String(response.body))).toMatchObject({ status: 400, code: 'server_error' });
    expect(log).toMatch(/createBranch\.mjs:\d+:\d+/);
    const script = ['infra/operate/stackTrace.ts', packages];
    const { status, stdout } = spawnSync(process.execPath, script, { input: log, encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stdout).not.toContain('.mjs:');
    const [, file = '', line] = /(\S*?lib\/[\w/]+\.ts):(\d+):\d+/.exec(stdout.replaceAll('(', ' ')) ?? [];
    const [source] = readFileSync(file, 'utf8')
      .split('\n')
      .slice(Number(line) - 1);
    expect(source).toMatch(/throw new Error\(`The environment variable .* must be/);
    expect(stdout).toMatch(/\blib\/events\/decision\.ts:\d+:\d+/);
  });

  test.each(CONSOLE_OPERATIONS)('%s responds with 401 without a session', async (name) => {
    const session = { cookie: '', actingAs: /^(getSession|signOut)$/.test(name) ? 'none' : caller.id };
    const { response, log } = await invoke(name, eventOf(name, { session, path: { id: caller.id } }));
    expect(JSON.parse(String(response.body))).toMatchObject({ status: 401, code: 'invalid_session' });
    expect(JSON.parse(log)).toMatchObject({ status: 401, cold_start: true });
  });

  test('selfCheck calls the base URL with the key in its secret', async () => {
    const api = await serveHandlers();
    expect(environmentOf('selfCheck')['BASE_URL']).toBe(BASE_URL);
    const { log } = await invoke('selfCheck', {}, { BASE_URL: api.url });
    await api.stop();
    expect(JSON.parse(log)).toMatchObject({
      self_check_is_enabled: 1,
      self_check_failures: 0,
      _aws: { CloudWatchMetrics: [{ Namespace: 'acquirer-partner-api-prod' }] },
    });
  });

  test('mcp lists the tools of the contract, and learns at the base URL whose key it has', async () => {
    const api = await serveHandlers();
    const headers = { authorization: `Bearer ${caller.key}`, accept: 'application/json, text/event-stream' };
    const http = { method: 'POST', path: '/mcp' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const event = {
      ...{ routeKey: 'ANY /mcp', headers: { 'content-type': 'application/json', ...headers } },
      ...{ body, isBase64Encoded: false, requestContext: { http } },
    };
    const { response } = await invoke('mcp', event, { BASE_URL: api.url });
    await api.stop();
    const offered = JSON.parse(String(response.body)).result.tools.map(({ name }: { name: string }) => name);
    expect(offered).toEqual(tools.map(({ name }) => name));
  });

  test('keepRecord sends a change of the record to the log', async () => {
    const sent: string[] = [];
    const logs = await serve(async (request, response) => {
      sent.push(await text(request));
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' }).end('{}');
    });
    const keys = { pk: { S: 'RECORD#MEMBERS' }, sk: { S: '1' } };
    const dynamodb = { Keys: keys, NewImage: keys, ApproximateCreationDateTime: 1_800_000_000 };
    const event = { Records: [{ eventName: 'INSERT', dynamodb }] } satisfies DynamoDBStreamEvent;
    await invoke('keepRecord', event, { AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: logs.url });
    await logs.stop();
    expect(sent.map((body) => JSON.parse(body))).toEqual([
      {
        logGroupName: '/acquirer-partner-api-prod/record',
        logStreamName: 'changes',
        logEvents: [
          { timestamp: expect.any(Number), message: expect.stringContaining('"after":{"pk":"RECORD#MEMBERS"') },
        ],
      },
    ]);
  });
});

describe('what delivers to webhooks', () => {
  test('sends a message for new events to the queue, handles it, and looks which webhooks are due', async () => {
    const sent: { QueueUrl: string; Entries: { MessageBody: string; DelaySeconds: number }[] }[] = [];
    const sqs = await serve(async (request, response) => {
      sent.push(JSON.parse(await text(request)));
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{"Successful":[]}');
    });
    const environment = {
      AWS_ENDPOINT_URL_SQS: sqs.url,
      WEBHOOK_QUEUE_URL: `${sqs.url}/1/webhooks`,
      SLOW_WEBHOOK_QUEUE_URL: `${sqs.url}/1/slow-webhooks`,
    };
    const [acquirer, id] = [randomUUID(), newEventId('2026-11-20T09:41:00.000Z')];
    const dynamodb = { Keys: { pk: { S: `EVENTS#${acquirer}#2026-11` }, sk: { S: id } } };
    await invoke('wakeWebhooks', { Records: [{ eventName: 'INSERT', dynamodb }] }, environment);
    const [entry] = sent[0]?.Entries ?? [];
    expect([sent[0]?.QueueUrl, entry?.DelaySeconds]).toEqual([environment.WEBHOOK_QUEUE_URL, 25]);
    const record = { messageId: '1', body: entry?.MessageBody, eventSourceARN: 'arn:aws:sqs:eu-central-1:1:webhooks' };
    for (const event of [{ Records: [record] }, {}])
      expect((await invoke('deliverWebhooks', event, environment)).response).toEqual({ batchItemFailures: [] });
    // Those of other tests may be due.
    for (const { QueueUrl } of sent.slice(1)) expect(QueueUrl).toBe(environment.SLOW_WEBHOOK_QUEUE_URL);
    await sqs.stop();
  });
});

describe('the packaged console', () => {
  const open = async (path: string, headers: Record<string, string> = {}) => {
    const [, ...rest] = path.split('/').slice(1);
    const event = { headers, pathParameters: { path: rest.join('/') }, requestContext: { http: { method: 'GET' } } };
    return (await invoke('openConsole', event)).response;
  };

  test('is a page whose assets it has, of at most 280 KB before the first view', async () => {
    const { statusCode, headers, body = '' } = await open('/console');
    expect([statusCode, headers?.['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toContain('data-stage="prod"');
    const assets = [...body.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(assets.length).toBeGreaterThan(3);
    let bytes = 0;
    for (const path of assets) {
      const asset = await open(path, { 'accept-encoding': 'gzip' });
      expect([path, asset.statusCode, asset.isBase64Encoded]).toEqual([path, 200, true]);
      bytes += Buffer.from(asset.body ?? '', 'base64').length;
    }
    expect(bytes).toBeLessThan(280_000);
  });
});

describe('the packaged sign-in', () => {
  let issuer: TestIssuer;
  beforeAll(async () => {
    issuer = await startIssuer(`${BASE_URL}/console/callback`);
  });
  afterAll(() => issuer.stop());

  /** Opens a page as a browser, and returns the response. */
  async function open(name: 'signIn' | 'callback', search: string, cookies: string[] = [], at = 0) {
    const event = {
      routeKey: ENDPOINTS[name]?.events[at]?.httpApi,
      rawQueryString: search.replace('?', ''),
      queryStringParameters: Object.fromEntries(new URLSearchParams(search)),
      headers: {},
      cookies,
      requestContext: { http: { method: 'GET', sourceIp: '203.0.113.1' } },
    };
    const { response } = await invoke(name, event, { ISSUER: issuer.url, CLIENT_ID });
    return { ...response, cookie: response.cookies?.[0]?.replace(/;.*/, '') ?? '' };
  }

  test('signs an invited person in, with a new process for each request', async () => {
    const { id } = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const { link } = await invitePerson(id, { email: 'anna@example.com', role: 'viewer' });
    issuer.accounts['anna'] = { email: 'anna@example.com', email_verified: true, name: 'Anna' };
    issuer.signsIn.account = 'anna';
    const begun = await open('signIn', new URL(link, BASE_URL).search);
    expect(begun.statusCode).toBe(303);
    const back = await issuer.visit(String(begun.headers?.['location']));
    const asked = await open('callback', back.search, [begun.cookie]);
    expect([asked.statusCode, asked.body]).toEqual([200, expect.stringContaining('Join Payfair?')]);
    const done = await open('callback', `?state=${back.searchParams.get('state')}`, [asked.cookie], 1);
    expect([done.statusCode, done.headers?.['location']]).toEqual([303, `${BASE_URL}/console`]);
    const event = eventOf('getSession', { session: { cookie: done.cookie.split('=')[1] ?? '', actingAs: 'none' } });
    const { response } = await invoke('getSession', event);
    expect(JSON.parse(String(response.body))).toMatchObject({
      data: { person: { name: 'Anna', email: 'anna@example.com' }, acquirers: [{ id, role: 'viewer' }] },
    });
  });
});

test('each function responded from its zip', () => {
  expect([...responded].sort()).toEqual(Object.keys(FUNCTIONS).sort());
});
