import { afterEach, describe, expect, test } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { handler } from '../../../functions/other/unknownRoute.ts';
import { eventOf } from '../../support/api.ts';

/*
 * Preflights of browsers (CORS). What else leads to this function is tested with all operations.
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
