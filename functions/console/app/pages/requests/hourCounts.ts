import type { RefusedRequest } from '../../resources/data.ts';
import { HOUR_MS } from './criteria.ts';
import { type Times, timesOf } from './times.ts';

export interface HourCount extends Times {
  /** When the hour begins. */
  at: number;
  /** Whether requests of it were read, or all that there are later. */
  isKnown: boolean;
}

/** How many requests were refused in each hour, as far as they were read: the newest first. */
export function hourCounts(hours: number[], requests: RefusedRequest[], isComplete: boolean): HourCount[] {
  const oldest = isComplete
    ? Number.NEGATIVE_INFINITY
    : Date.parse(requests.at(-1)?.at ?? '') || Number.POSITIVE_INFINITY;
  const byHour = Map.groupBy(requests, ({ at }) => hours.findLast((hour) => hour <= Date.parse(at)));
  return hours.map((at) => ({
    at,
    isKnown: at + HOUR_MS > oldest,
    ...timesOf(byHour.get(at) ?? [], at >= oldest),
  }));
}
