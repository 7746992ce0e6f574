import { startEngine } from '../../infra/local/engine.ts';

/** Starts the one DynamoDB Local of the run; `AWS_ENDPOINT_URL_DYNAMODB` uses another engine instead. */
export default async function globalSetup(): Promise<void> {
  if (!process.env['AWS_ENDPOINT_URL_DYNAMODB']) {
    const engine = await startEngine();
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = engine.endpoint;
    Object.assign(globalThis, { stopEngine: engine.stop });
  }
}
