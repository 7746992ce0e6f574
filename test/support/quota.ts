import { RetryQuota, retryStrategy } from '../../lib/aws/retry.ts';
import { table } from '../../lib/table/client.ts';

/** Gives the table's client a full retry quota, as in a new process. */
export function fillQuota(quota = new RetryQuota()): void {
  const strategy = retryStrategy(quota);
  table.config.retryStrategy = async () => strategy;
}

/** Gives the table's client an empty retry quota. */
export function emptyQuota(): void {
  const quota = new RetryQuota();
  while (quota.take());
  fillQuota(quota);
}
