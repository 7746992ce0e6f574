import * as v from 'valibot';
import { INVALID_CURSOR } from '../base/cursor.ts';
import type { PageRequest } from '../base/paging.ts';
import { count, link } from '../base/values.ts';
import type { HandlerResult, Incoming } from './middleware.ts';
import { urlOf } from './response.ts';

/** A query parameter: a whole number from 1 to `max`. */
export const wholeNumber = (max: number) =>
  v.pipe(
    v.string(),
    v.regex(/^\d+$/, 'Must be a whole number.'),
    v.transform(Number),
    v.minValue(1),
    v.maxValue(max),
    v.metadata({ type: 'integer', minimum: 1, maximum: max }),
  );

/** A query parameter: a cursor of a list of events. See lib/base/cursor.ts. */
export const cursor = v.pipe(
  v.string(),
  v.regex(/^[0-9A-Za-z_-]{1,128}$/, INVALID_CURSOR),
  v.metadata({ maxLength: 128 }),
);

/** Query parameters of GET /ext/api/v1/merchants and GET /ext/api/v1/terminals/{mid}. */
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
 * A 200 with a page of a list. Links are absolute and keep all other query parameters. `prev` of a page past the end is
 * the last page.
 *
 * @param total Number of items in the list.
 * @param data Items of the page.
 */
export function page(
  { query, routeKey, pathParameters, rawQueryString }: Incoming & { query: PageRequest },
  total: number,
  data: unknown[],
): HandlerResult {
  const { page: current_page, per_page } = query;
  const last = Math.max(Math.ceil(total / per_page), 1);
  // The event's own path may start with the gateway's stage.
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
