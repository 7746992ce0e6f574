import * as v from 'valibot';
import { urlOf } from './answer.ts';
import type { Answer, Incoming } from './middleware.ts';

const wholeNumber = (max: number) =>
  v.pipe(v.string(), v.regex(/^\d+$/, 'Must be a whole number.'), v.transform(Number), v.minValue(1), v.maxValue(max));

/** Query of a list (interface §4.1, §4.5). */
export const PageQuery = v.object({
  sort: v.optional(v.picklist(['asc', 'desc'], 'Must be asc or desc.'), 'desc'),
  per_page: v.optional(wholeNumber(100), '10'),
  page: v.optional(wholeNumber(Number.MAX_SAFE_INTEGER), '1'),
});

/** Which page of a list is asked for. */
export type PageQuery = v.InferOutput<typeof PageQuery>;

/**
 * The list envelope (interface §2.3). Links are absolute and keep all other parameters of the query; past the end,
 * `prev` is the last page.
 */
export function page(
  { query, rawPath, rawQueryString }: Incoming & { query: PageQuery },
  total: number,
  data: unknown[],
): Answer {
  const { page: current_page, per_page } = query;
  const last = Math.max(Math.ceil(total / per_page), 1);
  const link = (number: number) => {
    const parameters = new URLSearchParams(rawQueryString);
    parameters.set('page', String(number));
    return urlOf(`${rawPath}?${parameters}`);
  };
  const body = {
    data,
    links: {
      first: link(1),
      last: link(last),
      prev: current_page > 1 ? link(Math.min(current_page - 1, last)) : null,
      next: current_page < last ? link(current_page + 1) : null,
    },
    meta: { current_page, per_page, total },
  };
  return { status: 200, body };
}
