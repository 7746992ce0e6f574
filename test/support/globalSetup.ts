import { startEngine } from '../../infra/local/engine.ts';
import { LOCAL_SECRETS } from '../../infra/local/environment.ts';
import { startSecretStore } from '../../infra/local/secretStore.ts';

/**
 * Starts the secret store and the DynamoDB Local that all test files share. Set `AWS_ENDPOINT_URL_DYNAMODB` to use
 * another engine.
 */
export default async function globalSetup(): Promise<void> {
  // A test run is too short for the JVM's C2 compiler to pay off: without it, the suite uses a fifth less CPU.
  process.env['JAVA_TOOL_OPTIONS'] ??= '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';
  const store = await startSecretStore(LOCAL_SECRETS);
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = store.endpoint;
  const stops = [store.stop];
  if (!process.env['AWS_ENDPOINT_URL_DYNAMODB']) {
    const engine = await startEngine();
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = engine.endpoint;
    stops.push(engine.stop);
  }
  Object.assign(globalThis, { stops });
}
