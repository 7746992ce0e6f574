import globalSetup from '../support/globalSetup.ts';
import { startAwsTable } from './table.ts';

/**
 * Starts what the suite starts, and between it and the table one that behaves as AWS's does: with latency, conflicts of
 * transactions, and indexes that lag behind. `TABLE_LIKE=aws` tells tests so.
 */
export default async function awsSetup(): Promise<void> {
  await globalSetup();
  const { endpoint, stop } = await startAwsTable(process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string);
  Object.assign(process.env, { AWS_ENDPOINT_URL_DYNAMODB: endpoint, TABLE_LIKE: 'aws' });
  const { stops } = globalThis as unknown as { stops: (() => Promise<void>)[] };
  stops.unshift(stop);
}
