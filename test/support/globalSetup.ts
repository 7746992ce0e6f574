import { randomBytes } from 'node:crypto';
import { startEngine } from '../../infra/local/engine.ts';
import { startSecretStore } from '../../infra/local/secretStore.ts';
import { LOCAL_SECRETS } from '../../infra/stack/localEnvironment.ts';

/**
 * Starts the secret store and the DynamoDB Local that all test files share. Set `AWS_ENDPOINT_URL_DYNAMODB` to use
 * another engine.
 */
export default async function globalSetup(): Promise<void> {
  // The databases of the workers: LOCAL_ENVIRONMENT.
  process.env['LOCAL_DATABASE'] = randomBytes(16).toString('hex');
  const store = await startSecretStore(LOCAL_SECRETS);
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = store.endpoint;
  const stops = [store.stop];
  if (!process.env['AWS_ENDPOINT_URL_DYNAMODB']) {
    const engine = await startEngine();
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = engine.endpoint;
    stops.unshift(engine.stop);
  }
  Object.assign(globalThis, { stops });
}
