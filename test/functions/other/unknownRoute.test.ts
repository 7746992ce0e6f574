import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { handler } from '../../../functions/other/unknownRoute.ts';
import type { Served } from '../../../infra/local/serve.ts';
import { CATALOGUE } from '../../../lib/base/problem.ts';
import { eventOf } from '../../support/api.ts';
import { serveHandlers } from '../../support/overHttp.ts';

/*
 * Preflights of browsers (CORS), and the `type`s of problems. What else leads to this function is tested with all
 * operations.
 */

const SITE = 'https://docs.example.com';
const PREFLIGHT = { origin: SITE, 'access-control-request-method': 'POST' };

const respond = (method: string, headers: Record<string, string>) => {
  const http = { method, path: '/ext/api/v1/merchants' };
  const requestContext = { http } as ReturnType<typeof eventOf>['requestContext'];
  return handler({ ...eventOf('unknownRoute', { headers }), requestContext }, { awsRequestId: 'a-request' } as Context);
};

describe('a preflight', () => {
  afterEach(() => {
    delete process.env['SITE_ORIGIN'];
  });

  test('returns 204 for the docs site of the stage', async () => {
    process.env['SITE_ORIGIN'] = SITE;
    expect(await respond('OPTIONS', PREFLIGHT)).toEqual({ statusCode: 204 });
  });

  test.each<[what: string, site: string | undefined, method: string, headers: Record<string, string>]>([
    ['another origin', SITE, 'OPTIONS', { ...PREFLIGHT, origin: 'https://shop.example' }],
    ['a stage without a docs site', undefined, 'OPTIONS', PREFLIGHT],
    ['an empty origin, without a docs site', undefined, 'OPTIONS', { ...PREFLIGHT, origin: '' }],
    ['another method', SITE, 'GET', PREFLIGHT],
    ['OPTIONS that is no preflight', SITE, 'OPTIONS', { origin: SITE }],
    ['OPTIONS without an origin', undefined, 'OPTIONS', { 'access-control-request-method': 'POST' }],
  ])('returns 401 for %s', async (_, site, method, headers) => {
    if (site !== undefined) process.env['SITE_ORIGIN'] = site;
    expect(await respond(method, headers)).toMatchObject({ statusCode: 401 });
  });
});

describe('a page of the docs site', () => {
  let api: Served;
  beforeAll(async () => {
    api = await serveHandlers();
  });
  afterAll(() => api.stop());
  afterEach(() => {
    delete process.env['SITE_URL'];
  });

  const open = async (path: string) => {
    const response = await fetch(api.url + path, { redirect: 'manual' });
    const { status, headers } = response;
    expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
    expect(headers.get('cache-control')).toBe('no-store');
    return {
      status,
      type: headers.get('content-type'),
      location: headers.get('location'),
      body: await response.text(),
    };
  };
  const redirect = (location: string) => ({ status: 308, type: null, location, body: '' });

  test.each(['https://docs.example.com', 'https://example.com/partners'])(
    'is on its own host %s, to which the types of problems and the links of the console lead without a key',
    async (site) => {
      process.env['SITE_URL'] = site;
      const pages = [
        ...Object.keys(CATALOGUE).map((code) => `/docs/errors/${code}`),
        '/docs/the-console',
        '/docs/errors',
        '/docs',
      ];
      for (const page of pages)
        for (const end of ['', '/', '?from=any']) expect(await open(page + end)).toEqual(redirect(`${site}${page}/`));
    },
  );

  test('is what the type of a refused request names', async () => {
    process.env['SITE_URL'] = 'https://docs.example.com';
    const { type } = (await (await fetch(`${api.url}/ext/api/v1/merchants`)).json()) as { type: string };
    const { pathname, origin } = new URL(type);
    expect(origin).toBe(process.env['BASE_URL']);
    expect(await open(pathname)).toEqual(redirect('https://docs.example.com/docs/errors/invalid_api_key/'));
  });

  test('is the title of a problem in a stage without a docs site, and nothing else', async () => {
    expect(await open('/docs/errors/already_archived')).toEqual({
      status: 200,
      type: 'text/plain; charset=utf-8',
      location: null,
      body: 'already_archived (HTTP 400): Already archived. The "detail" of the response says what to change.\n',
    });
    for (const path of ['/docs', '/docs/the-console/', '/docs/errors/no_such_code', '/docs/errors/constructor'])
      expect(await open(path)).toMatchObject({
        status: 404,
        location: null,
        body: expect.stringContaining('"code":"not_found"'),
      });
  });

  test.each([
    '/docs.json',
    '/docsite/',
    '/docs//evil.example/',
    '/docs/%2F%2Fevil.example',
    '/docs/https:%2F%2Fevil.example',
    '/docs/a%0d%0ab',
    '/reference/',
    '/',
  ])('is not %s, which is an unknown route', async (path) => {
    process.env['SITE_URL'] = 'https://docs.example.com';
    expect(await open(path)).toMatchObject({ status: 401, location: null });
  });
});
