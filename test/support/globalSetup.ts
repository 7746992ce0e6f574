import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine } from '../../infra/local/engine.ts';
import { startSecretStore } from '../../infra/local/secretStore.ts';
import { LOCAL_SECRETS } from '../../infra/stack/localEnvironment.ts';
import { noteIn } from './grants.ts';

/** What Jest was asked to run. */
interface Asked {
  testPathPatterns: { patterns: string[] };
  testNamePattern?: string;
  onlyChanged: boolean;
  watch: boolean;
}

/**
 * Starts the secret store and the DynamoDB Local that all test files share. Set `AWS_ENDPOINT_URL_DYNAMODB` to use
 * another engine.
 */
export default async function globalSetup(
  { testPathPatterns, testNamePattern, onlyChanged, watch }: Asked,
  { displayName }: { displayName: { name: string } },
): Promise<void> {
  const store = await startSecretStore(LOCAL_SECRETS);
  process.env['AWS_ENDPOINT_URL_SECRETS_MANAGER'] = store.endpoint;
  const stops = [store.stop];
  // Only a run of all tests shows whether a grant is needed.
  if (testPathPatterns.patterns.length === 0 && !testNamePattern && !onlyChanged && !watch)
    noteIn(join(tmpdir(), `needed-grants-${process.pid}-${displayName.name}`));
  if (!process.env['AWS_ENDPOINT_URL_DYNAMODB']) {
    // The tests of `npm test` run in this process, with its access key. Those that start others share a database.
    const isSeparate = displayName.name === 'suite';
    if (isSeparate) process.env['DATABASES'] = 'separate';
    const engine = await startEngine(undefined, isSeparate ? 'separate' : 'shared');
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = engine.endpoint;
    stops.push(engine.stop);
  }
  Object.assign(globalThis, { stops });
}
