import * as v from 'valibot';
import { EVENT_CURSOR, INVALID_CURSOR, LIST_CURSOR, TIME_CURSOR } from '../base/cursor.ts';
import { code, published } from '../base/fields.ts';
import type { PageRequest } from '../base/paging.ts';
import { exists } from '../base/time.ts';
import { link, shownNumber } from '../base/values.ts';
import type { HandlerResult, Incoming } from './middleware.ts';
import { urlOf } from './response.ts';

/** A query parameter: a whole number from 1 to `max`. */
export const wholeNumber = (max: number) =>
  v.pipe(
    v.string(),
    v.regex(/^[0-9]+$/, 'Must be a whole number.'),
    v.transform(Number),
    v.minValue(1),
    v.maxValue(max),
    v.metadata({ type: 'integer', format: 'int32', minimum: 1, maximum: max }),
  );

const cursorLike = (pattern: string, minLength: number, maxLength = 64) =>
  v.pipe(v.string(), v.regex(new RegExp(`^(?:${pattern})$`), INVALID_CURSOR), v.metadata({ minLength, maxLength }));

/** A query parameter: a cursor of a list of events. See lib/base/cursor.ts. */
export const cursor = cursorLike(`${TIME_CURSOR}|${EVENT_CURSOR}`, 34);

export const listCursor = cursorLike(LIST_CURSOR, 18, 144);

/** A query parameter: a cursor of a list of events, or `now`. */
export const cursorOrNow = cursorLike(`now|${TIME_CURSOR}|${EVENT_CURSOR}`, 3);

/** A query parameter: a time, in milliseconds since 1970. */
export const time = v.pipe(
  code,
  v.regex(
    /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{3})?Z$/,
    'Must be a time in UTC (RFC 3339).',
  ),
  published({ format: 'date-time', maxLength: 24 }),
  v.check(exists, 'Must be a time that exists.'),
  v.transform(Date.parse),
);

/** More pages and items than any list has. It fits into 32 bits. */
const LONGEST_LIST = 1_000_000_000;

/** Query parameters of GET /ext/api/v1/merchants and GET /ext/api/v1/terminals/{mid}. */
export const PageQuery = v.object({
  sort: v.optional(v.picklist(['asc', 'desc'], 'Must be asc or desc.'), 'desc'),
  per_page: v.optional(wholeNumber(100), '10'),
  page: v.optional(wholeNumber(LONGEST_LIST), '1'),
});

export const shownLinks = v.object({ first: link, last: link, prev: v.nullable(link), next: v.nullable(link) });

export const shownMeta = v.object({
  current_page: shownNumber(1, LONGEST_LIST),
  per_page: shownNumber(1, 100),
  total: shownNumber(0, LONGEST_LIST),
});

/**
 * A 200 with a page of a list. Links are absolute and keep all other query parameters. `prev` of a page past the end is
 * the last page.
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
