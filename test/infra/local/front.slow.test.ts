import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, expect, test } from '@jest/globals';
import { type Files, startFront } from '../../../infra/local/front.ts';
import { serve } from '../../../infra/local/serve.ts';

/* start.test.ts has the requests that serverless-offline would handle differently from an HTTP API. */

const FILES = new Map([
  ['index.html', '<title>é</title>'],
  ['guides/a.md', '# A'],
  ['docs/a/index.html', 'A'],
  ['404.html', 'No page'],
]);

/** What the upstream server does with the next request. */
let respond: RequestListener;
const upstream = await serve((request, response) => respond(request, response));
const start = (files: Promise<Files>) => startFront(0, Number(new URL(upstream.url).port), files);
const front = await start(Promise.resolve(FILES));
afterAll(async () => {
  for (const { stop } of [front, upstream]) await stop();
});

const ANY = '*/*';
const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';
const HTML = 'text/html; charset=utf-8';
const NO_PAGE = [404, HTML, '7', 'No page'];
const FROM_API = [401, null, null, 'API'];

test.each([
  ['GET', '/', ANY, [200, HTML, '17', '<title>é</title>']],
  ['HEAD', '/', ANY, [200, HTML, '17', '']],
  ['GET', '/guides/a.md?b', ANY, [200, 'text/plain; charset=utf-8', '3', '# A']],
  ['GET', '/docs/a/', ANY, [200, HTML, '1', 'A']],
  ['GET', '/docs/a', ANY, [200, HTML, '1', 'A']],
  // Unknown paths of the site.
  ['GET', '/docs/no-such-page/', ANY, NO_PAGE],
  ['GET', '/docs', ANY, NO_PAGE],
  ['HEAD', '/reference/b', ANY, [404, HTML, '7', '']],
  // Other unknown paths.
  ['GET', '/v2/x', BROWSER, NO_PAGE],
  ['GET', '/docsx', BROWSER, NO_PAGE],
  ['GET', '/consoles', BROWSER, NO_PAGE],
  ['GET', '/v2/x', ANY, FROM_API],
  ['GET', '/docsx', ANY, FROM_API],
  // Paths and methods of the API.
  ['GET', '/ext/api/v1/x', BROWSER, FROM_API],
  ['GET', '/api/x', BROWSER, FROM_API],
  ['GET', '/console', BROWSER, FROM_API],
  ['GET', '/console?a', BROWSER, FROM_API],
  ['GET', '/console/sign-in?return_to=/console', BROWSER, FROM_API],
  ['POST', '/docs/no-such-page/', BROWSER, FROM_API],
])('responds to %s %s as %s with %j', async (method, path, accept, expected) => {
  respond = (_, response) => response.writeHead(401).end('API');
  const response = await fetch(front.url + path, { method, headers: { accept } });
  const { status, headers } = response;
  const got = [status, headers.get('content-type'), headers.get('content-length'), await response.text()];
  expect(got).toEqual(expected);
});

test('serves the API while the site is being built, and then the site', async () => {
  respond = (_, response) => response.end('API');
  const site = Promise.withResolvers<Files>();
  const waiting = await start(site.promise);
  const get = async (path: string) => (await fetch(waiting.url + path)).text();
  const page = get('/');
  expect(await get('/ext/api/v1/merchants')).toBe('API');
  site.resolve(new Map([['index.html', 'page']]));
  expect(await page).toBe('page');
  await waiting.stop();
});

test('forwards a request as an HTTP API does, and its response unchanged, but for hop-by-hop headers', async () => {
  const HEADERS = ['x-twice: a', 'x-twice: b', 'set-cookie: d=4; Path=/', 'set-cookie: e=5; Secure', 'date: today'];
  let got: unknown;
  respond = async (request, response) => {
    const { method, url, httpVersion, headersDistinct } = request;
    got = { method, url, httpVersion, headers: { ...headersDistinct }, body: await text(request) };
    const headers = [...HEADERS, 'content-length: 2', 'keep-alive: timeout=77'];
    response.writeHead(
      418,
      'Of Its Own',
      headers.flatMap((header) => header.split(': ')),
    );
    response.end('hi');
  };
  const lines = [
    'POST /?a=%zz&a HTTP/1.1',
    'Host: localhost',
    'API-KEY: a',
    'Api-Key: b',
    'Cookie: a=b==; b=2; c="x"; d=e,f; g; h=1;; __proto__=i; j k=l',
    'Cookie: m=3',
    'TE: trailers',
    'Trailer: x',
    'Connection: close, TE',
    'Transfer-Encoding: chunked',
    '',
    '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
  ];
  const socket = connect(Number(new URL(front.url).port), '127.0.0.1');
  socket.write(lines.join('\r\n'));
  const received = await text(socket);
  expect(got).toEqual({
    method: 'POST',
    url: '/?a=%zz&a',
    httpVersion: '1.1',
    headers: {
      host: ['localhost'],
      // Joined to one header, as an HTTP API does: not a valid key.
      'api-key': ['a,b'],
      // Without those that serverless-offline refuses.
      cookie: ['a=b==; b=2; h=1; m=3'],
      // So that serverless-offline does not parse it.
      'content-type': ['text/plain'],
      'transfer-encoding': ['chunked'],
      connection: ['keep-alive'],
    },
    body: 'abcde',
  });
  expect(received.split('\r\n')).toEqual([
    'HTTP/1.1 418 Of Its Own',
    ...HEADERS,
    'content-length: 2',
    'Connection: close',
    '',
    'hi',
  ]);
});

test('closes the connection if the upstream server does, before or within a response', async () => {
  respond = (request) => request.socket.destroy();
  await expect(fetch(`${front.url}/x`)).rejects.toThrow('fetch failed');
  respond = (_, response) => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('half', () => response.destroy());
  };
  await expect(fetch(`${front.url}/x`).then((each) => each.text())).rejects.toThrow('terminated');
});

test('closes the upstream request if its client disconnects, and continues to serve', async () => {
  const gone = Promise.withResolvers<void>();
  const client = new AbortController();
  respond = (_, response) => {
    response.once('close', () => gone.resolve());
    client.abort();
  };
  await expect(fetch(`${front.url}/x`, { signal: client.signal })).rejects.toThrow('aborted');
  await gone.promise;
  respond = async (request, response) => response.end(await buffer(request));
  const echoed = await fetch(`${front.url}/x`, { method: 'POST', body: 'é' });
  expect(await echoed.text()).toBe('é');
});
