import * as v from 'valibot';
import { NO_CURSOR } from '../base/cursor.ts';
import type { PageRequest } from '../base/paging.ts';
import { count, link } from '../base/values.ts';
import type { HandlerResult, Incoming } from './middleware.ts';
import { urlOf } from './response.ts';

/** A query parameter from 1 to `max`. */
export const wholeNumber = (max: number) =>
  v.pipe(
    v.string(),
    v.regex(/^\d+$/, 'Must be a whole number.'),
    v.transform(Number),
    v.minValue(1),
    v.maxValue(max),
    v.metadata({ type: 'integer', minimum: 1, maximum: max }),
  );

/** A query parameter that takes a cursor of a list of events: see lib/base/cursor.ts. */
export const cursor = v.pipe(v.string(), v.regex(/^[0-9A-Za-z_-]{1,128}$/, NO_CURSOR), v.metadata({ maxLength: 128 }));

/** Query of a list (interface §4.1, §4.5). */
export const PageQuery = v.object({
  sort: v.optional(v.picklist(['asc', 'desc'], 'Must be asc or desc.'), 'desc'),
  per_page: v.optional(wholeNumber(100), '10'),
  page: v.optional(wholeNumber(Number.MAX_SAFE_INTEGER), '1'),
});

/** `links` of a page. */
export const shownLinks = v.object({ first: link, last: link, prev: v.nullable(link), next: v.nullable(link) });

/** `meta` of a page. */
export const shownMeta = v.object({ current_page: count, per_page: count, total: count });

/**
 * The list envelope (interface §2.3). Links are absolute and keep all other parameters of the query; past the end,
 * `prev` is the last page.
 */
export function page(
  { query, routeKey, pathParameters, rawQueryString }: Incoming & { query: PageRequest },
  total: number,
  data: unknown[],
): HandlerResult {
  const { page: current_page, per_page } = query;
  const last = Math.max(Math.ceil(total / per_page), 1);
  // Not the event's own path, to which a gateway may have added its stage.
  const [, route = ''] = routeKey.split(' ');
  const path = route.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(pathParameters?.[name] ?? ''));
  const linkTo = (number: number) => {
    const parameters = new URLSearchParams(rawQueryString);
    parameters.set('page', String(number));
    return urlOf(`${path}?${parameters}`);
  };
  const body = {
    data,
    links: {
      first: linkTo(1),
      last: linkTo(last),
      prev: current_page > 1 ? linkTo(Math.min(current_page - 1, last)) : null,
      next: current_page < last ? linkTo(current_page + 1) : null,
    },
    meta: { current_page, per_page, total },
  };
  return { status: 200, body };
}
