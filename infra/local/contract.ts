import { writeFileSync } from 'node:fs';
import { mock } from 'node:test';
import { actAs } from '../../lib/record/operator.ts';
import { clientTypes, consoleTypes } from '../publish/contract/client.ts';
import { CONSOLE } from '../publish/contract/console.ts';
import { openapi } from '../publish/contract/openapi.ts';
import { PARTNERS } from '../publish/contract/partners.ts';
import { record, recordConsole } from '../publish/contract/record.ts';
import { formRules } from '../publish/contract/rules.ts';
import { LOCAL_ENVIRONMENT, LOCAL_SECRETS } from '../stack/localEnvironment.ts';
import { startEngine } from './engine.ts';
import { startSecretStore } from './secretStore.ts';
import { createTable } from './table.ts';

const engine = await startEngine();
const secrets = await startSecretStore(LOCAL_SECRETS);
Object.assign(process.env, LOCAL_ENVIRONMENT, {
  AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
  BASE_URL: 'https://api.acquirer.example',
  LOG_LEVEL: 'ERROR',
});
actAs(async () => 'contract');

/** Records a story on a table of its own. */
async function recorded<T>(story: string, tell: (setClock: (now: number) => void) => Promise<T>): Promise<T> {
  process.env['TABLE_NAME'] = story;
  await createTable(story);
  mock.timers.enable({ apis: ['Date'] });
  try {
    return await tell((now) => mock.timers.setTime(now));
  } finally {
    mock.timers.reset();
  }
}

const examples = await recorded('partners', record);
const consoleExamples = await recorded('console', recordConsole);
await engine.stop();
await secrets.stop();

const write = (file: string, text: string) => writeFileSync(new URL(`../../${file}`, import.meta.url), text);
const json = (content: object): string => `${JSON.stringify(content, null, 2)}\n`;

write('infra/publish/contract/examples.json', json(examples));
const contract = json(await openapi(PARTNERS, JSON.parse(json(examples))));
write('docs/openapi.json', contract);
write('docs/client/schema.d.ts', await clientTypes(JSON.parse(contract)));
write('infra/publish/contract/consoleExamples.json', json(consoleExamples));
const consoleContract = json(await openapi(CONSOLE, JSON.parse(json(consoleExamples))));
write('docs/console.openapi.json', consoleContract);
write('functions/console/app/schema.d.ts', await consoleTypes(JSON.parse(consoleContract)));
write('functions/console/app/rules.json', json(formRules(JSON.parse(contract), JSON.parse(consoleContract))));
