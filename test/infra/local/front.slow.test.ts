import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../../../infra/local/engine.ts';
import { type Files, type Front, startFront } from '../../../infra/local/front.ts';
import { type Served, serve } from '../../../infra/local/serve.ts';

let upstream: Served;
let front: Front;
let port: number;
/** What the upstream server does with the next request. */
let respond: RequestListener;
/** Starts a front on this port. */
const startOn = (own: number, files: Promise<Files>, siteOrigin?: string): Promise<Front> =>
  startFront(own, Number(new URL(upstream.url).port), files, siteOrigin);

beforeAll(async () => {
  upstream = await serve((request, response) => respond(request, response));
  port = await freePort();
  const files = new Map([
    ['index.html', '<title>é</title>'],
    ['guides/a.md', '# A'],
    ['docs/a/index.html', 'A'],
    ['404.html', 'No page'],
  ]);
  front = await startOn(port, Promise.resolve(files));
});
afterAll(async () => {
  await front.stop();
  await upstream.stop();
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

describe('a path without a file', () => {
  const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';
  const sent = async (method: string, path: string, accept: string) => {
    respond = (_, response) => response.writeHead(401).end('API');
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { accept } });
    return [response.status, response.headers.get('content-type'), await response.text()];
  };

  test.each([
    ['GET', '/docs/no-such-page/', '*/*', 'No page'],
    ['GET', '/docs/a/b?c', '*/*', 'No page'],
    ['GET', '/docs', '*/*', 'No page'],
    ['GET', '/reference', '*/*', 'No page'],
    ['HEAD', '/reference/b', '*/*', ''],
    ['GET', '/v2/x', BROWSER, 'No page'],
    ['GET', '/docsx', BROWSER, 'No page'],
    ['GET', '/consoles', BROWSER, 'No page'],
  ])('gets the page for that: %s %s as %s', async (method, path, accept, body) => {
    expect(await sent(method, path, accept)).toEqual([404, 'text/html; charset=utf-8', body]);
  });

  test.each([
    ['GET', '/v2/x', '*/*'],
    ['GET', '/docsx', '*/*'],
    ['GET', '/ext/api/v1/x', BROWSER],
    ['GET', '/api/x', BROWSER],
    ['GET', '/console', BROWSER],
    ['GET', '/console?a', BROWSER],
    ['GET', '/console/sign-in?return_to=/console', BROWSER],
    ['POST', '/docs/no-such-page/', BROWSER],
  ])('gets the response of the API: %s %s as %s', async (method, path, accept) => {
    expect(await sent(method, path, accept)).toEqual([401, null, 'API']);
  });
});

test('serves the API while the site is being built, and then the site', async () => {
  respond = (_, response) => response.end('API');
  const site = Promise.withResolvers<Files>();
  const own = await freePort();
  const waiting = await startOn(own, site.promise);
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
        ['Set-Cookie', 'd=4; Path=/'],
        ['Set-Cookie', 'e=5; Secure'],
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
    'Cookie: a=1; b=2',
    'Cookie: c=3',
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
      cookie: ['a=1; b=2; c=3'],
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
    'set-cookie: d=4; Path=/',
    'set-cookie: e=5; Secure',
    'date: today',
    'content-length: 2',
    'Connection: close',
    '',
    'hi',
  ]);
});

describe('with a docs site on another origin', () => {
  const SITE = 'https://docs.example.com';
  const OTHER = 'https://shop.example';
  const PATH = '/ext/api/v1/merchants';
  const METHOD = 'access-control-request-method';
  const HEADERS = 'access-control-request-headers';
  const PREFLIGHT = { origin: SITE, [METHOD]: 'PATCH', [HEADERS]: 'api-key,If-Match, content-type' };
  let own: number;
  let allowing: Front;
  beforeAll(async () => {
    own = await freePort();
    allowing = await startOn(own, Promise.resolve(new Map()), SITE);
  });
  afterAll(() => allowing.stop());

  /** Sends a request and returns the status and all headers for other origins. */
  async function sent(to: number, init: RequestInit): Promise<[status: number, headers: Record<string, string>]> {
    const { status, headers } = await fetch(`http://127.0.0.1:${to}${PATH}`, init);
    return [status, Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')))];
  }
  const fromApi =
    (status: number): RequestListener =>
    (request, response) => {
      request.resume();
      response.writeHead(status, { 'access-control-allow-origin': '*' }).end();
    };
  const READABLE = {
    'access-control-allow-origin': SITE,
    'access-control-expose-headers':
      'etag,idempotent-replayed,location,ratelimit,ratelimit-policy,retry-after,x-request-id',
  };

  test.each([
    ['a method and headers of the API', PREFLIGHT],
    ['only a method', { origin: SITE, [METHOD]: 'GET' }],
  ])('allows a preflight for %s, without the API', async (_, headers) => {
    respond = fromApi(401);
    expect(await sent(own, { method: 'OPTIONS', headers })).toEqual([
      204,
      {
        'access-control-allow-origin': SITE,
        'access-control-allow-methods': 'GET,POST,PATCH,DELETE',
        'access-control-allow-headers': 'api-key,content-type,idempotency-key,if-match',
        'access-control-max-age': '3600',
      },
    ]);
  });

  test.each([
    ['from another origin', { ...PREFLIGHT, origin: OTHER }],
    ['for another method', { ...PREFLIGHT, [METHOD]: 'PUT' }],
    ['for another header', { ...PREFLIGHT, [HEADERS]: 'api-key,x-other' }],
  ])('allows no preflight %s', async (_, headers) => {
    respond = fromApi(401);
    expect(await sent(own, { method: 'OPTIONS', headers })).toEqual([204, {}]);
  });

  test.each([
    ['an origin', { [METHOD]: 'GET' }],
    ['a method', { origin: SITE }],
  ])('forwards OPTIONS without %s, which is no preflight', async (_, headers) => {
    respond = fromApi(401);
    expect(await sent(own, { method: 'OPTIONS', headers })).toEqual([401, {}]);
  });

  test.each([200, 401, 429])('lets its pages read a response with %i, and no other origin', async (status) => {
    respond = fromApi(status);
    for (const method of ['GET', 'POST', 'DELETE']) {
      expect(await sent(own, { method, headers: { origin: SITE } })).toEqual([status, READABLE]);
      for (const headers of [{}, { origin: OTHER }, { origin: `${SITE}.evil.example` }, { origin: '' }])
        expect(await sent(own, { method, headers })).toEqual([status, {}]);
    }
  });

  test('allows and adds nothing without that option', async () => {
    respond = fromApi(401);
    expect(await sent(port, { method: 'OPTIONS', headers: PREFLIGHT })).toEqual([401, {}]);
    expect(await sent(port, { headers: { origin: SITE } })).toEqual([401, {}]);
  });
});

test('closes the connection if the upstream server does, before or within a response', async () => {
  respond = (request) => request.socket.destroy();
  await expect(fetch(`http://127.0.0.1:${port}/x`)).rejects.toThrow('fetch failed');
  respond = (_, response) => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('half', () => response.destroy());
  };
  await expect(fetch(`http://127.0.0.1:${port}/x`).then((each) => each.text())).rejects.toThrow('terminated');
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
