import type { RefusedRequest } from '../../resources/data.ts';
import { countText } from '../../shared/format.ts';

/** How many requests there were, or at least. */
export interface Times {
  count: number;
  isLeast: boolean;
}

/** How many requests some entries stand for: one of the rate limit is for several. */
export const timesOf = (requests: RefusedRequest[], isComplete = true): Times => ({
  count: requests.reduce((sum, { times }) => sum + times, 0),
  isLeast: !isComplete || requests.some(({ times }) => times > 1),
});

export const timesText = (times: Times): string =>
  times.count === 1 && !times.isLeast ? 'once' : `${countText(times)} times`;
