import { startEngine } from '../../infra/local/engine.ts';
import { startSecretStore } from '../../infra/local/secretStore.ts';
import { LOCAL_SECRETS } from '../../infra/stack/localEnvironment.ts';
import { startAwsTable } from '../awsTable/table.ts';

/**
 * Starts the secret store and the DynamoDB Local that all test files share. Set `AWS_ENDPOINT_URL_DYNAMODB` to use
 * another engine, and `TABLE_LIKE=aws` for a table that behaves like AWS's: with latency, conflicts and lagging indexes.
 */
export default async function globalSetup(): Promise<void> {
  const store = await startSecretStore(LOCAL_SECRETS);
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = store.endpoint;
  const stops = [store.stop];
  if (!process.env['AWS_ENDPOINT_URL_DYNAMODB']) {
    const engine = await startEngine(undefined, 'separate');
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = engine.endpoint;
    stops.unshift(engine.stop);
  }
  if (process.env['TABLE_LIKE'] === 'aws') {
    const table = await startAwsTable(process.env['AWS_ENDPOINT_URL_DYNAMODB']);
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = table.endpoint;
    stops.unshift(table.stop);
  }
  Object.assign(globalThis, { stops });
}
