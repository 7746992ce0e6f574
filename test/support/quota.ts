import { table } from '../../lib/table/client.ts';
import { RetryQuota, retryStrategy } from '../../lib/table/retry.ts';

/** From now on the table's client has a full retry quota, as in a new process, whatever earlier tests have used of theirs. */
export function fillQuota(quota = new RetryQuota()): void {
  const strategy = retryStrategy(quota);
  table.config.retryStrategy = async () => strategy;
}

/** From now on the table's client has no retry quota, until it has earned some. */
export function emptyQuota(): void {
  const quota = new RetryQuota();
  while (quota.take());
  fillQuota(quota);
}
