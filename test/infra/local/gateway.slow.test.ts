import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type Invoke, listener, respond } from '../../../infra/local/gateway.ts';
import { serve } from '../../../infra/local/serve.ts';

/* What functions get from an HTTP API, and its callers from functions. */

const ROUTES = {
  $default: 'unknownRoute',
  'GET /things': 'list',
  'POST /things': 'create',
  'GET /things/{id}': 'get',
  'GET /things/{path+}': 'below',
  'GET /things/{id}/parts/{part}': 'getPart',
  'GET /things/new': 'getNew',
  'ANY /anything': 'any',
};

let called: { name: string; event: APIGatewayProxyEventV2 }[];
let invoke: Invoke;
beforeEach(() => {
  called = [];
  invoke = async () => ({ statusCode: 200, body: 'ok' });
});
const server = await serve(
  listener((request) =>
    respond(ROUTES, request, (name, event) => {
      called.push({ name, event });
      return invoke(name, event);
    }),
  ),
);
afterAll(() => server.stop());
const { port } = new URL(server.url);

/** Sends bytes, and returns those of the response. */
async function send(...lines: string[]): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(lines.join('\r\n'));
  return text(socket);
}

const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
  fetch(`${server.url}/things`, { method: 'POST', body, headers });

test('passes a request as an event of the format 2.0', async () => {
  const before = Date.now();
  await send(
    'POST /things?a=1&b=x%20y&a=2&c=a+b&d=%zz&e HTTP/1.1',
    'Host: localhost',
    'API-KEY: a',
    'Api-Key: b',
    'Content-Type: application/json; charset=utf-8',
    'Cookie: a=b==; c="x";d=e,f; __proto__=i',
    'Cookie: m=3',
    'User-Agent: till/1',
    'Connection: close',
    'Transfer-Encoding: chunked',
    '',
    '4\r\n{"é\r\n2\r\n":\r\n2\r\n1}\r\n0\r\n\r\n',
  );
  const http = { method: 'POST', path: '/things', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'till/1' };
  const event = {
    version: '2.0',
    routeKey: 'POST /things',
    rawPath: '/things',
    rawQueryString: 'a=1&b=x%20y&a=2&c=a+b&d=%zz&e',
    cookies: ['a=b==', 'c="x"', 'd=e,f', '__proto__=i', 'm=3'],
    headers: {
      host: 'localhost',
      // Not a valid key.
      'api-key': 'a,b',
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'till/1',
      connection: 'close',
      'transfer-encoding': 'chunked',
    },
    queryStringParameters: { a: '1,2', b: 'x y', c: 'a b', d: '%zz', e: '' },
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: 'localhost',
      domainPrefix: 'localhost',
      http,
      requestId: expect.stringMatching(/^[\da-f-]{36}$/),
      routeKey: 'POST /things',
      stage: '$default',
      time: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
      timeEpoch: expect.any(Number),
    },
    body: '{"é":1}',
    isBase64Encoded: false,
  };
  expect(called).toEqual([{ name: 'create', event }]);
  expect(called[0]?.event.requestContext.timeEpoch).toBeGreaterThanOrEqual(before);
});

test('leaves out what a request does not have', async () => {
  await send('GET /things HTTP/1.0', 'Host: localhost', '', '');
  const event = called[0]?.event;
  expect(event).toMatchObject({ rawQueryString: '', headers: { host: 'localhost' }, isBase64Encoded: false });
  for (const absent of ['cookies', 'queryStringParameters', 'pathParameters', 'body'])
    expect(event).not.toHaveProperty(absent);
});

test.each<[line: string, name: string, routeKey: string, pathParameters?: Record<string, string>]>([
  ['GET /things', 'list', 'GET /things'],
  ['GET http://any.example/things?a', 'list', 'GET /things'],
  ['GET /things/7', 'get', 'GET /things/{id}', { id: '7' }],
  ['GET /things/new', 'getNew', 'GET /things/new'],
  ['GET /things/%C3%A9%2F..', 'get', 'GET /things/{id}', { id: 'é/..' }],
  ['GET /things/7/parts/8', 'getPart', 'GET /things/{id}/parts/{part}', { id: '7', part: '8' }],
  ['GET /things/7/8%209/', 'below', 'GET /things/{path+}', { path: '7/8 9/' }],
  ['PUT /anything', 'any', 'ANY /anything'],
  // No other path, and no other method.
  ['GET /things/', 'unknownRoute', '$default'],
  ['GET //things', 'unknownRoute', '$default'],
  ['GET /thingsx', 'unknownRoute', '$default'],
  ['HEAD /things', 'unknownRoute', '$default'],
  ['OPTIONS /things', 'unknownRoute', '$default'],
  ['OPTIONS *', 'unknownRoute', '$default'],
  ['DELETE /things/7', 'unknownRoute', '$default'],
])('routes %s to %s', async (line, name, routeKey, ...[pathParameters]) => {
  expect(await send(`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', '', '')).toMatch(/^HTTP\/1.1 200 /);
  expect(called.map((each) => [each.name, each.event.routeKey, each.event.pathParameters])).toEqual([
    [name, routeKey, pathParameters],
  ]);
});

test.each<[type: string | undefined, encoding: string | undefined, isBase64Encoded: boolean]>([
  ['application/json', undefined, false],
  ['text/csv', undefined, false],
  ['application/xml', undefined, false],
  ['application/json', 'gzip', true],
  ['application/x-www-form-urlencoded', undefined, true],
  ['application/octet-stream', undefined, true],
])('a body of type %s and encoding %s is text or base64', async (type, encoding, isBase64Encoded) => {
  const headers = { ...(type && { 'content-type': type }), ...(encoding && { 'content-encoding': encoding }) };
  await post(new Uint8Array([0x61, 0xff]), headers);
  expect(called.map(({ event: { body, isBase64Encoded } }) => ({ body, isBase64Encoded }))).toEqual([
    { body: isBase64Encoded ? 'Yf8=' : 'a\ufffd', isBase64Encoded },
  ]);
});

test('returns status, headers, cookies and body of a function, and of one in base64 its bytes', async () => {
  const cookies = ['d=4; Path=/', 'e=5; Secure'];
  invoke = async () => ({ statusCode: 418, headers: { 'x-a': 'b', 'content-type': 'a/b' }, cookies, body: 'é' });
  const response = await send('GET /things HTTP/1.1', 'Host: localhost', 'Connection: close', '', '');
  const date = expect.stringMatching(/^Date: /);
  expect(response.split('\r\n')).toEqual([
    "HTTP/1.1 418 I'm a Teapot",
    'x-a: b',
    'content-type: a/b',
    ...cookies.map((each) => `set-cookie: ${each}`),
    'content-length: 2',
    date,
    'Connection: close',
    '',
    'é',
  ]);
  invoke = async () => ({ statusCode: 200, body: 'Yf8=', isBase64Encoded: true });
  expect(await (await fetch(`${server.url}/things`)).bytes()).toEqual(new Uint8Array([0x61, 0xff]));
  invoke = async () => ({ statusCode: 204 });
  expect((await fetch(`${server.url}/things`)).headers.get('content-length')).toBeNull();
});

test.each<[what: string, status: number, message: string, request: () => Promise<Response>]>([
  ['a path that cannot be decoded', 400, 'Bad Request', () => fetch(`${server.url}/things/%zz`)],
  ['a path that is no UTF-8', 400, 'Bad Request', () => fetch(`${server.url}/%ff`)],
  [
    'headers of more than 10,240 bytes',
    431,
    'Request Header Fields Too Large',
    () => fetch(`${server.url}/things`, { headers: { 'x-a': 'a'.repeat(10_240) } }),
  ],
  ['a body of more than 6 MB', 413, 'Request Entity Too Large', () => post('x'.repeat(6 * 1024 ** 2 + 1), {})],
  ['a body of 11 MB', 413, 'Request Entity Too Large', () => post('x'.repeat(11 * 1024 ** 2), {})],
])('responds to %s itself', async (_, status, message, request) => {
  const response = await request();
  expect([response.status, await response.json(), called]).toEqual([status, { message }, []]);
});

test('accepts headers of 10,000 bytes and a body of 6 MB', async () => {
  const response = await post('x'.repeat(6 * 1024 ** 2), { 'x-a': 'a'.repeat(10_000), 'content-type': 'text/plain' });
  expect([response.status, called[0]?.event.body?.length]).toEqual([200, 6 * 1024 ** 2]);
});

test('responds with 500 when a function has failed', async () => {
  invoke = async () => undefined;
  const response = await fetch(`${server.url}/things`);
  expect([response.status, await response.json()]).toEqual([500, { message: 'Internal Server Error' }]);
});

test('goes on after a client has disconnected in the middle of its body', async () => {
  const socket = connect(Number(port), '127.0.0.1');
  socket.write('POST /things HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc', () => socket.destroy());
  await new Promise((closed) => socket.once('close', closed));
  expect((await fetch(`${server.url}/things`)).status).toBe(200);
  expect(called.map(({ name }) => name)).toEqual(['list']);
});
