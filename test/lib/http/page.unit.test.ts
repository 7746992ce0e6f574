import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { fieldErrorsOf } from '../../../lib/base/fieldErrors.ts';
import type { Incoming } from '../../../lib/http/middleware.ts';
import { PageQuery, page } from '../../../lib/http/page.ts';

const { BASE_URL } = process.env;
beforeAll(() => {
  process.env['BASE_URL'] = 'https://api.example.com';
});
afterAll(() => {
  if (BASE_URL === undefined) delete process.env['BASE_URL'];
  else process.env['BASE_URL'] = BASE_URL;
});

/** The response with one page of a list, for query parameters in this order. */
function pageFor(parameters: [string, string][], total: number, data: unknown[] = []) {
  const event = {
    routeKey: 'GET /ext/api/v1/terminals/{id}',
    pathParameters: { id: 'MÜ 1' },
    // Some gateways prefix the path with their stage.
    rawPath: '/prod/ext/api/v1/terminals/MÜ 1',
    rawQueryString: String(new URLSearchParams(parameters)),
  } as unknown as Incoming;
  return page({ ...event, query: v.parse(PageQuery, Object.fromEntries(parameters)) }, total, data);
}
const linkWith = (query: string) => `https://api.example.com/ext/api/v1/terminals/M%C3%9C%201?${query}`;

describe('a page', () => {
  test.each([
    // total, per_page, page, last, prev, next
    [0, 10, 1, 1, null, null],
    [10, 10, 1, 1, null, null],
    [11, 10, 1, 2, null, 2],
    [11, 10, 2, 2, 1, null],
    [30, 10, 2, 3, 1, 3],
    [30, 10, 99, 3, 3, null],
    [Number.MAX_SAFE_INTEGER, 1, 2, Number.MAX_SAFE_INTEGER, 1, 3],
  ])('of %d items by %d has meta and links for page %d', (total, per_page, current_page, last, prev, next) => {
    const link = (to: number | null) => to && linkWith(`page=${to}&per_page=${per_page}`);
    const parameters = { page: String(current_page), per_page: String(per_page) };
    expect(pageFor(Object.entries(parameters), total, ['an item'])).toEqual({
      status: 200,
      body: {
        data: ['an item'],
        links: { first: link(1), last: link(last), prev: link(prev), next: link(next) },
        meta: { current_page, per_page, total },
      },
    });
  });

  test('has links that keep every other query parameter and its place', () => {
    const linkTo = (page: number) => linkWith(`b=2&sort=asc&page=${page}&a=crm+%26+%C3%BC&b=%3D`);
    const parameters = { b: '2', sort: 'asc', page: '2', a: 'crm & ü' };
    const { links } = pageFor([...Object.entries(parameters), ['b', '=']], 25).body as unknown as { links: object };
    expect(Object.values(links)).toEqual([1, 3, 1, 3].map(linkTo));
  });

  test('has links that add the parameter page if the request has none', () => {
    expect(pageFor([], 11).body).toMatchObject({ links: { next: linkWith('page=2') }, meta: { per_page: 10 } });
  });
});

describe('the query of a page', () => {
  const parsed = (query: Record<string, unknown>) => {
    const { success, output, issues = [] } = v.safeParse(PageQuery, query);
    return success ? output : fieldErrorsOf(issues).map(({ pointer, detail }) => [pointer, detail]);
  };

  test.each([
    [{}, 'desc', 10, 1],
    [{ sort: 'asc' }, 'asc', 10, 1],
    [{ sort: 'desc', per_page: '1', page: '1' }, 'desc', 1, 1],
    [{ per_page: '100', page: '1000000000' }, 'desc', 100, 1_000_000_000],
    [{ per_page: '007' }, 'desc', 7, 1],
  ])('accepts %j', (query, sort, per_page, page) => {
    expect(parsed(query)).toEqual({ sort, per_page, page });
  });

  test.each(['', 'ASC', 'ascending', 'asc,desc', '__proto__'])('rejects the order %j', (sort) => {
    expect(parsed({ sort })).toEqual([['/sort', 'Must be asc or desc.']]);
  });

  test.each(['', '-1', '+1', '1.5', '1e1', '1,000', ' 1', '1\n', '٣', 'x'])('rejects the number %j', (number) => {
    expect(parsed({ page: number, per_page: number })).toEqual([
      ['/per_page', 'Must be a whole number.'],
      ['/page', 'Must be a whole number.'],
    ]);
  });

  test('rejects a page size or a page outside of its bounds', () => {
    expect(parsed({ per_page: '0', page: '0' })).toEqual([
      ['/per_page', 'Must be at least 1.'],
      ['/page', 'Must be at least 1.'],
    ]);
    expect(parsed({ per_page: '101', page: '1000000001' })).toEqual([
      ['/per_page', 'Must be at most 100.'],
      ['/page', 'Must be at most 1000000000.'],
    ]);
  });
});
