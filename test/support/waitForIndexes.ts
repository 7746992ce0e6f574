import { setTimeout as sleep } from 'node:timers/promises';

/** Whether indexes lag, as on the AWS-like table in test/awsTable. */
export const INDEXES_LAG = process.env['TABLE_LIKE'] === 'aws';

/** Longer than an index lags there, in milliseconds. */
const LAG_MS = 200;

/** Waits until lagging indexes have caught up; before that, a list can return values from before the last write. */
export const waitForIndexes = async (): Promise<void> => {
  if (INDEXES_LAG) await sleep(LAG_MS);
};
