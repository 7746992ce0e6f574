import { parseArgs } from 'node:util';
import { startEngine } from '../infra/local/engine.ts';
import { LOCAL_ENVIRONMENT, LOCAL_SECRETS } from '../infra/local/environment.ts';
import { startSecretStore } from '../infra/local/secretStore.ts';
import { createTable } from '../infra/local/table.ts';

/** The parts, each with what it measures. A part tells whether what it measured is what is promised. */
const PARTS: Record<string, [title: string, load: () => Promise<() => Promise<boolean>>]> = {
  costs: ['What each operation asks of the table', async () => (await import('./costs.ts')).costs],
  pages: ['Pages of a list of 20,000 branches', async () => (await import('./pages.ts')).pages],
  memory: ['What packaged functions compute and hold', async () => (await import('./memory.ts')).memory],
  bodies: ['Bodies of 6 MB that are the most work', async () => (await import('./bodies.ts')).bodies],
  timeouts: ['A table that never answers', async () => (await import('./timeouts.ts')).timeouts],
  creators: ['Creators of branches at once, for one acquirer', async () => (await import('./creators.ts')).creators],
};

const { positionals } = parseArgs({ allowPositionals: true });
const unknown = positionals.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  process.stderr.write(`No such part: ${unknown.join(', ')}. There are ${Object.keys(PARTS).join(', ')}.\n`);
  process.exit(1);
}

const engine = await startEngine();
const secretStore = await startSecretStore(LOCAL_SECRETS);
Object.assign(process.env, LOCAL_ENVIRONMENT, {
  AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: secretStore.endpoint,
  BASE_URL: 'http://bench',
  // No line for each of the many calls.
  LOG_LEVEL: 'ERROR',
});
await createTable(LOCAL_ENVIRONMENT.TABLE_NAME);
for (const name of positionals.length > 0 ? positionals : Object.keys(PARTS)) {
  const [title, load] = PARTS[name] as (typeof PARTS)[string];
  process.stdout.write(`\n${title}\n`);
  const part = await load();
  if (!(await part())) {
    process.stderr.write(`${name}: this is not what is promised.\n`);
    process.exitCode = 1;
  }
}
await secretStore.stop();
await engine.stop();
