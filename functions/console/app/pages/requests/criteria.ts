import type { RefusedFilter } from '../../resources/data.ts';
import { ownValue } from '../../shared/address.ts';
import { spanOf } from '../activity/span.ts';
import { OPERATIONS, REASONS } from './texts.ts';

export const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/** The names of the filters in the address. */
export const FILTERS = ['key', 'code', 'operation', 'day', 'hour'] as const;

export interface Criteria {
  /** Those that are listed. */
  listed: RefusedFilter;
  /** Those of the picture: of all hours. */
  pictured: RefusedFilter;
  /** When the hours of the picture begin, the oldest first: those of the day, or the last 24. */
  hours: number[];
  /** When the chosen hour begins. */
  hour: number | undefined;
}

/** The beginning of an hour in the address. */
const HOUR = /^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z$/;

const spanFrom = (from: number, to: number) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
});

/** What is asked for by an address. What it has that is no filter is ignored. */
export function criteriaOf(values: URLSearchParams, now: number): Criteria {
  const key_id = /^[0-9a-f]{12}$/.exec(values.get('key') ?? '')?.[0];
  const [code, operation] = [values.get('code'), values.get('operation')];
  const day = spanOf(values.get('day'));
  const hour = Date.parse(HOUR.exec(values.get('hour') ?? '')?.[0] ?? '');
  const pictured: RefusedFilter = {
    ...(key_id && { key_id }),
    ...(code && ownValue(REASONS, code) && { code: code as NonNullable<RefusedFilter['code']> }),
    ...(operation && ownValue(OPERATIONS, operation) && { operation }),
    ...(day && { from: day.since, to: day.until }),
  };
  const first = day ? Date.parse(day.since) : new Date(now).setMinutes(0, 0, 0) - (DAY_HOURS - 1) * HOUR_MS;
  // A day has 23 or 25 hours when clocks change.
  const count = day ? Math.round((Date.parse(day.until) - first) / HOUR_MS) : DAY_HOURS;
  return {
    pictured,
    listed: Number.isNaN(hour) ? pictured : { ...pictured, ...spanFrom(hour, hour + HOUR_MS) },
    hours: Array.from({ length: count }, (_, at) => first + at * HOUR_MS),
    hour: Number.isNaN(hour) ? undefined : hour,
  };
}
