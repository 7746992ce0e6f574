import { afterAll, expect, test } from '@jest/globals';
import { serve } from '../../../infra/local/serve.ts';
import { type Files, withSite } from '../../../infra/local/siteFiles.ts';

const FILES = new Map([
  ['index.html', '<title>é</title>'],
  ['guides/a.md', '# A'],
  ['docs/a/index.html', 'A'],
  ['404.html', 'No page'],
]);

const start = (files: Promise<Files>) => serve(withSite(files, (_, response) => response.writeHead(401).end('API')));
const server = await start(Promise.resolve(FILES));
afterAll(() => server.stop());

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
  const response = await fetch(server.url + path, { method, headers: { accept } });
  const { status, headers } = response;
  const got = [status, headers.get('content-type'), headers.get('content-length'), await response.text()];
  expect(got).toEqual(expected);
});

test('serves the API while the site is being built, and then the site', async () => {
  const site = Promise.withResolvers<Files>();
  const waiting = await start(site.promise);
  const get = async (path: string) => (await fetch(waiting.url + path)).text();
  const page = get('/');
  expect(await get('/ext/api/v1/merchants')).toBe('API');
  site.resolve(new Map([['index.html', 'page']]));
  expect(await page).toBe('page');
  await waiting.stop();
});
