import { RetryStrategy } from '../../lib/aws/retry.ts';
import { table } from '../../lib/table/client.ts';

const use = (strategy: RetryStrategy): void => {
  table.config.retryStrategy = async () => strategy;
};

/** Gives the table's client a full retry quota, as in a new process. */
export const fillQuota = (): void => use(new RetryStrategy());

/** Gives the table's client an empty retry quota. */
export const emptyQuota = (): void => use(Object.assign(new RetryStrategy(), { capacity: 0 }));
