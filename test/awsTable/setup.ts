import globalSetup from '../support/globalSetup.ts';
import { startAwsTable } from './table.ts';

/**
 * Starts the same as the suite, and a proxy that makes the table behave like AWS's: with latency, transaction conflicts
 * and lagging indexes. `TABLE_LIKE=aws` is set for tests.
 */
export default async function awsSetup(...projects: Parameters<typeof globalSetup>): Promise<void> {
  await globalSetup(...projects);
  const { endpoint, stop } = await startAwsTable(process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string);
  Object.assign(process.env, { AWS_ENDPOINT_URL_DYNAMODB: endpoint, TABLE_LIKE: 'aws' });
  const { stops } = globalThis as unknown as { stops: (() => Promise<void>)[] };
  stops.unshift(stop);
}
