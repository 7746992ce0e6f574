import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { PageQuery, page } from '../../../lib/http/page.ts';
import { eventOf } from '../../support/api.ts';

interface Envelope {
  data: unknown[];
  links: Record<'first' | 'last', string> & Record<'prev' | 'next', string | null>;
  meta: Record<'current_page' | 'per_page' | 'total', number>;
}

/** The envelope of one page of a list, for query parameters in this order. */
function envelope(parameters: [string, string][], total: number, data: unknown[] = []): Envelope {
  const event = {
    ...eventOf('listTerminals', { path: { id: 'MID1' } }),
    // Some gateways prefix the path with their stage.
    rawPath: '/prod/ext/api/v1/terminals/MID1',
    rawQueryString: String(new URLSearchParams(parameters)),
  };
  const query = v.parse(PageQuery, Object.fromEntries(parameters));
  const { status, body } = page({ ...event, query }, total, data);
  expect(status).toBe(200);
  return body as unknown as Envelope;
}

/** The query parameters of a link; asserts that the link is absolute. */
function parametersOf(link: string): [string, string][] {
  const url = new URL(link);
  expect(url.origin + url.pathname).toBe('https://api.example.com/ext/api/v1/terminals/MID1');
  return [...url.searchParams];
}
const pageOf = (link: string | null) => (link === null ? null : Number(Object.fromEntries(parametersOf(link))['page']));

const perPage = fc.integer({ min: 1, max: 100 });
/** From an empty list to one longer than any. */
const count = fc.oneof(fc.nat(300), fc.nat(Number.MAX_SAFE_INTEGER));

describe('the envelope of a page', () => {
  test('has matching meta and links for any page of any list', () => {
    const pages = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
    fc.assert(
      fc.property(count, pages, perPage, (total, current_page, per_page) => {
        const data = [{ any: 'item' }];
        const response = envelope(
          [
            ['page', String(current_page)],
            ['per_page', String(per_page)],
          ],
          total,
          data,
        );
        const last = Number(pageOf(response.links.last));

        const link = (page: number) =>
          `https://api.example.com/ext/api/v1/terminals/MID1?page=${page}&per_page=${per_page}`;
        expect(response).toEqual({
          data,
          links: {
            first: link(1),
            last: link(last),
            // Past the end, prev is the last page.
            prev: current_page === 1 ? null : link(Math.min(current_page - 1, last)),
            next: current_page < last ? link(current_page + 1) : null,
          },
          meta: { current_page, per_page, total },
        });
        // The last page has the last item; an empty list has one page.
        expect(BigInt(last) * BigInt(per_page)).toBeGreaterThanOrEqual(BigInt(total));
        expect(BigInt(last - 1) * BigInt(per_page)).toBeLessThan(BigInt(Math.max(total, 1)));
      }),
      { numRuns: 1000 },
    );
  });

  test('has links through the whole list: next from the first page to the last, prev back again', () => {
    fc.assert(
      fc.property(fc.nat(120), fc.integer({ min: 1, max: 20 }), (total, per_page) => {
        const walk = (from: string, direction: 'next' | 'prev'): (number | null)[] => {
          const { links } = envelope(parametersOf(from), total);
          const to = links[direction];
          return [pageOf(from), ...(to === null ? [] : walk(to, direction))];
        };
        const { first, last } = envelope([['per_page', String(per_page)]], total).links;
        const forth = walk(first, 'next');
        expect(forth).toEqual(Array.from({ length: Math.max(Math.ceil(total / per_page), 1) }, (_, at) => at + 1));
        expect(forth.at(-1)).toBe(pageOf(last));
        expect(walk(last, 'prev')).toEqual(forth.toReversed());
      }),
    );
  });

  test('has links that keep every other query parameter', () => {
    const name = fc.string({ unit: 'grapheme' }).filter((text) => !['page', 'per_page', 'sort'].includes(text));
    const others = fc.array(fc.tuple(name, fc.string({ unit: 'grapheme' })), { maxLength: 4 });
    fc.assert(
      fc.property(others, others, fc.constantFrom('asc', 'desc'), (before, after, sort) => {
        const parameters: [string, string][] = [...before, ['sort', sort], ['page', '2'], ...after];
        const { links } = envelope(parameters, 25);
        const on = (number: string) => [...before, ['sort', sort], ['page', number], ...after];
        expect(parametersOf(links.first)).toEqual(on('1'));
        expect(parametersOf(links.last)).toEqual(on('3'));
        expect(parametersOf(links.prev ?? '')).toEqual(on('1'));
        expect(parametersOf(links.next ?? '')).toEqual(on('3'));
      }),
    );
  });

  test('has exactly this shape', () => {
    const link = (number: number) => `https://api.example.com/ext/api/v1/terminals/MID1?sort=asc&page=${number}`;
    expect(envelope([['sort', 'asc']], 21, ['a', 'b'])).toEqual({
      data: ['a', 'b'],
      links: { first: link(1), last: link(3), prev: null, next: link(2) },
      meta: { current_page: 1, per_page: 10, total: 21 },
    });
    expect(envelope([], 0)).toEqual({
      data: [],
      links: {
        first: 'https://api.example.com/ext/api/v1/terminals/MID1?page=1',
        last: 'https://api.example.com/ext/api/v1/terminals/MID1?page=1',
        prev: null,
        next: null,
      },
      meta: { current_page: 1, per_page: 10, total: 0 },
    });
  });
});

describe('the query of a page', () => {
  const parsed = (query: Record<string, unknown>) => {
    const { success, output } = v.safeParse(PageQuery, query);
    return success ? output : 'rejected';
  };

  test('is the first ten, newest first, by default', () => {
    expect(parsed({})).toEqual({ sort: 'desc', per_page: 10, page: 1 });
  });

  test('accepts page sizes from 1 to 100 and pages from 1, in digits only', () => {
    const digits = fc.oneof(fc.nat(200).map(String), fc.bigInt({ min: 0n, max: 10n ** 20n }).map(String));
    const nearly = fc.string({ unit: fc.constantFrom(...'0123456789-+. e,x\n٣'), maxLength: 5 });
    fc.assert(
      fc.property(fc.oneof(digits, nearly, fc.string()), (value) => {
        const number = /^[0-9]+$/.test(value) ? BigInt(value) : 0n;
        const page = { sort: 'desc', per_page: 10, page: Number(number) };
        expect(parsed({ page: value })).toEqual(number >= 1n && number < 2n ** 53n ? page : 'rejected');
        const size = { sort: 'desc', per_page: Number(number), page: 1 };
        expect(parsed({ per_page: value })).toEqual(number >= 1n && number <= 100n ? size : 'rejected');
      }),
      { numRuns: 1000 },
    );
  });

  test.each(['asc', 'desc'])('accepts the order %s', (sort) => {
    expect(parsed({ sort })).toEqual({ sort, per_page: 10, page: 1 });
  });

  test.each(['', 'ASC', 'ascending', 'asc,desc', '__proto__'])('rejects the order %j', (sort) => {
    expect(parsed({ sort })).toBe('rejected');
  });
});
