import { BASE_URL, ok, Rejection } from './responses.ts';
import type { ApiResponse } from './state.ts';

/* Pages of lists. */

/** The default and the error of each query parameter of a list. */
export const QUERY: Record<string, { absent: string; wrong: (value: string) => string | undefined }> = {
  sort: { absent: 'desc', wrong: (value) => (/^(asc|desc)$/.test(value) ? undefined : 'Must be asc or desc.') },
  per_page: { absent: '10', wrong: (value) => wrongNumber(value, 100) },
  page: { absent: '1', wrong: (value) => wrongNumber(value, Number.MAX_SAFE_INTEGER) },
};

export function wrongNumber(value: string, most: number): string | undefined {
  if (!/^\d+$/.test(value)) return 'Must be a whole number.';
  if (Number(value) < 1) return 'Must be at least 1.';
  return Number(value) > most ? `Must be at most ${most}.` : undefined;
}

export function checkQuery(query: Record<string, string>): void {
  const fieldErrors = Object.entries(QUERY).flatMap(([name, { wrong }]) => {
    const failure = query[name] === undefined ? undefined : wrong(query[name]);
    return failure ? [`${name}: ${failure}`] : [];
  });
  if (fieldErrors.length > 0) throw new Rejection('invalid_query', fieldErrors.join(' '));
}

/**
 * A page of a list of ascending items. `total` may be of another moment than the items. The position of the page
 * depends on the `total`; in descending order it is counted from the nearer end.
 */
export function listPage(path: string, query: Record<string, string>, total: number, items: unknown[]): ApiResponse {
  const asked = (name: string): string => query[name] ?? QUERY[name]?.absent ?? '';
  const [page, per_page] = [Number(asked('page')), Number(asked('per_page'))];
  const skipped = (page - 1) * per_page;
  const sorted = asked('sort') === 'asc' ? items : items.toReversed();
  const behind = Math.max(0, total - skipped - per_page);
  const fromStart = sorted.slice(skipped, Math.min(skipped + per_page, total));
  const fromEnd = sorted
    .toReversed()
    .slice(behind, total - skipped)
    .toReversed();
  const data = asked('sort') === 'desc' && skipped > behind ? fromEnd : fromStart;
  const last = Math.max(1, Math.ceil(total / per_page));
  const link = (to: number) => {
    const parameters = new URLSearchParams(query);
    parameters.set('page', String(to));
    return `${BASE_URL}${path}?${parameters}`;
  };
  const prev = page > last ? last : page - 1;
  return {
    ...ok(undefined),
    body: {
      data: skipped >= total ? [] : data,
      links: {
        first: link(1),
        last: link(last),
        prev: page === 1 ? null : link(prev),
        next: page >= last ? null : link(page + 1),
      },
      meta: { current_page: page, per_page, total },
    },
  };
}
