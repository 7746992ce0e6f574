import { setTimeout as sleep } from 'node:timers/promises';

/** More than an index lags on the table like AWS's. */
const LAG_MS = 200;

/** Waits where indexes lag, as a list shows what changed milliseconds ago as it was: see awsSetup.ts. */
export const indexesFollow = async (): Promise<void> => {
  if (process.env['TABLE_LIKE'] === 'aws') await sleep(LAG_MS);
};
