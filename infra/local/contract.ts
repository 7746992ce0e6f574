import { writeFileSync } from 'node:fs';
import { mock } from 'node:test';
import { actAs } from '../../lib/record/operator.ts';
import { openapi } from '../publish/contract/openapi.ts';
import { PARTNERS } from '../publish/contract/partners.ts';
import { record } from '../publish/contract/record.ts';
import { LOCAL_ENVIRONMENT, LOCAL_SECRETS } from '../stack/localEnvironment.ts';
import { startEngine } from './engine.ts';
import { startSecretStore } from './secretStore.ts';
import { createTable } from './table.ts';

/* Writes docs/openapi.json, with what is recorded on a table of its own. */

const engine = await startEngine();
const secrets = await startSecretStore(LOCAL_SECRETS);
Object.assign(process.env, LOCAL_ENVIRONMENT, {
  AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
  BASE_URL: 'https://api.acquirer.example',
  // As on a stage.
  WEBHOOK_HOSTS: '',
  LOG_LEVEL: 'ERROR',
});
actAs(async () => 'contract');
await createTable(LOCAL_ENVIRONMENT.TABLE_NAME);
mock.timers.enable({ apis: ['Date'] });
const examples = await record((now) => mock.timers.setTime(now));
mock.timers.reset();
await engine.stop();
await secrets.stop();

const contract = await openapi(PARTNERS, examples);
writeFileSync(new URL('../../docs/openapi.json', import.meta.url), `${JSON.stringify(contract, null, 2)}\n`);
