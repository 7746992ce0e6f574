import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../../infra/local/engine.ts';
import { type Files, type Front, startFront } from '../../../infra/local/front.ts';

let upstream: Server;
let front: Front;
let port: number;
/** What the upstream server does with the next request. */
let respond: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  upstream = createServer((request, response) => respond(request, response)).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  port = await freePort();
  const files = new Map([
    ['index.html', '<title>é</title>'],
    ['guides/a.md', '# A'],
    ['docs/a/index.html', 'A'],
  ]);
  front = await startFront(port, (upstream.address() as AddressInfo).port, Promise.resolve(files));
});
afterAll(async () => {
  await front.stop();
  upstream.close();
});

/** Sends lines and returns everything received until the connection is closed. */
async function exchange(...lines: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(lines.join('\r\n'));
  return text(socket);
}

test.each([
  ['GET', '/', '<title>é</title>', 'text/html; charset=utf-8', '17'],
  ['GET', '/guides/a.md?b', '# A', 'text/plain; charset=utf-8', '3'],
  ['GET', '/docs/a/', 'A', 'text/html; charset=utf-8', '1'],
  ['GET', '/docs/a', 'A', 'text/html; charset=utf-8', '1'],
  ['HEAD', '/', '', 'text/html; charset=utf-8', '17'],
])('serves %s %s itself', async (method, path, body, type, length) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
  expect([response.status, response.headers.get('content-type'), response.headers.get('content-length')]).toEqual([
    200,
    type,
    length,
  ]);
  expect(await response.text()).toBe(body);
});

test('serves the API while the site is being built, and then the site', async () => {
  respond = (_, response) => response.end('API');
  const site = Promise.withResolvers<Files>();
  const own = await freePort();
  const waiting = await startFront(own, (upstream.address() as AddressInfo).port, site.promise);
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${own}${path}`)).text();
  const page = get('/');
  expect(await get('/ext/api/v1/merchants')).toBe('API');
  site.resolve(new Map([['index.html', 'page']]));
  expect(await page).toBe('page');
  await waiting.stop();
});

test('forwards a request and its response unchanged, except for hop-by-hop headers', async () => {
  let got: unknown;
  respond = async (request, response) => {
    const { method, url, httpVersion, headersDistinct } = request;
    got = { method, url, httpVersion, headers: { ...headersDistinct }, body: await text(request) };
    response.writeHead(
      418,
      'Of Its Own',
      [
        ['X-Twice', 'a'],
        ['X-Twice', 'b'],
        ['Date', 'today'],
        ['Keep-Alive', 'timeout=77'],
        ['Content-Length', '2'],
      ].flat(),
    );
    response.end('hi');
  };
  const received = await exchange(
    'POST /?a=%zz&a HTTP/1.1',
    'Host: example',
    'API-KEY: a',
    'Api-Key: b',
    'TE: trailers',
    'Trailer: x',
    'Connection: close, TE',
    'Transfer-Encoding: chunked',
    '',
    '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
  );
  expect(got).toEqual({
    method: 'POST',
    url: '/?a=%zz&a',
    httpVersion: '1.1',
    headers: {
      host: ['example'],
      // Joined to one header, as an HTTP API does: not a valid key.
      'api-key': ['a,b'],
      'content-type': ['text/plain'],
      'transfer-encoding': ['chunked'],
      connection: ['keep-alive'],
    },
    body: 'abcde',
  });
  expect(received.split('\r\n')).toEqual([
    'HTTP/1.1 418 Of Its Own',
    'x-twice: a',
    'x-twice: b',
    'date: today',
    'content-length: 2',
    'Connection: close',
    '',
    'hi',
  ]);
});

describe('limits', () => {
  /** Sends a body, of which the upstream server returns so many bytes. */
  async function statusOf(body: string | undefined, returned: number, headers: Record<string, string> = {}) {
    respond = async (request, response) => {
      await buffer(request);
      response.end('x'.repeat(returned));
    };
    const response = await fetch(`http://127.0.0.1:${port}/x`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    });
    const received = await response.text();
    return response.status === 200 ? received.length : [response.status, received];
  }
  const MEGABYTE = 2 ** 20;
  const BODY = [413, '{"message":"Request Entity Too Large"}'];

  test('let large requests and responses pass', async () => {
    expect(await statusOf('x'.repeat(6 * MEGABYTE - 1_000), 6 * MEGABYTE - 1_000)).toBe(6 * MEGABYTE - 1_000);
  });

  test.each([
    ['an event over 6 MB', 6 * MEGABYTE],
    ['a body of 10 MB', 10 * MEGABYTE],
    ['a body over 10 MB', 10 * MEGABYTE + 1],
    ['a body of 30 MB', 30 * MEGABYTE],
  ])('refuse %s like the gateway, and continue to serve', async (_, bytes) => {
    expect(await statusOf('x'.repeat(bytes), 1)).toEqual(BODY);
    expect(await statusOf('x', 1)).toBe(1);
  });

  test.each([6 * MEGABYTE, 30 * MEGABYTE])('replace a response of %i bytes', async (bytes) => {
    expect(await statusOf('x', bytes)).toEqual([500, '{"message":"Internal Server Error"}']);
  });

  test.each([
    ['just under 10 KB', 9_900, 1],
    ['over 10 KB', 10_240, [431, '{"message":"Request Header Fields Too Large"}']],
    ['over the limit of Node.js', 20_000, [431, '{"message":"Request Header Fields Too Large"}']],
  ])('consider headers %s', async (_, bytes, expected) => {
    expect(await statusOf(undefined, 1, { long: 'x'.repeat(bytes) })).toEqual(expected);
  });
});

test('closes the connection if the upstream server does, before or within a response', async () => {
  respond = (request) => request.socket.destroy();
  await expect(fetch(`http://127.0.0.1:${port}/x`)).rejects.toThrow('fetch failed');
  respond = (_, response) => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('half', () => response.destroy());
  };
  await expect(fetch(`http://127.0.0.1:${port}/x`)).rejects.toThrow('fetch failed');
});

test('closes the upstream request if its client disconnects, and continues to serve', async () => {
  const gone = Promise.withResolvers<void>();
  const requested = Promise.withResolvers<void>();
  respond = (_, response) => {
    response.once('close', () => gone.resolve());
    requested.resolve();
  };
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /x HTTP/1.1\r\nHost: x\r\n\r\n');
  await requested.promise;
  socket.destroy();
  await gone.promise;
  respond = async (request, response) => response.end(await buffer(request));
  const echoed = await fetch(`http://127.0.0.1:${port}/x`, { method: 'POST', body: 'é' });
  expect(await echoed.text()).toBe('é');
});
