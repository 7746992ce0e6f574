import { DAY_MS } from '../base/eventId.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The longest time until a worker checks a webhook that has no attempt ahead, in milliseconds. */
export const MOST_BETWEEN_CHECKS_MS = HOUR_MS;

/** The pauses after failed attempts, in milliseconds. The last one repeats. */
const PAUSES = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS];

/** For how long a webhook may fail before it is disabled, in milliseconds. */
const FAILING_MS = 3 * DAY_MS;

/** The status by which a server says that it wants no more (RFC 9110 §15.5.11). */
const GONE = 410;

interface Failed {
  status: number | null;
  /** The header `Retry-After` of the response, in seconds. */
  retry_after_s?: number;
  /** When the failed attempt began, and when the first one since the last delivery did; in milliseconds. */
  at: number;
  failing_since: number;
  /** How many have failed since then, this one included. */
  failures: number;
}

/**
 * Returns the pause until the next attempt, in milliseconds, at most a tenth longer than scheduled, at random.
 * `undefined` if the webhook is to be disabled: it failed for three days, or the server responded 410.
 */
export function pauseAfter({ status, retry_after_s = 0, at, failing_since, failures }: Failed): number | undefined {
  if (status === GONE || at - failing_since >= FAILING_MS) return undefined;
  const scheduled = PAUSES[Math.min(failures, PAUSES.length) - 1] as number;
  const asked = Math.min(retry_after_s * SECOND_MS, HOUR_MS);
  return Math.round(Math.max(scheduled, asked) * (1 + Math.random() / 10));
}
