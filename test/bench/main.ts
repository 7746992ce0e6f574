import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Argument, Command } from 'commander';
import { startEngine, Unusable } from '../../infra/local/engine.ts';
import { startSecretStore } from '../../infra/local/secretStore.ts';
import { createTable } from '../../infra/local/table.ts';
import { option, wholeNumber } from '../../infra/operate/cli/input.ts';
import { fail, shutDown, shutDownOnSignals, stops } from '../../infra/operate/shutdown.ts';
import { LOCAL_ENVIRONMENT, LOCAL_SECRETS } from '../../infra/stack/localEnvironment.ts';
import { actAs } from '../../lib/record/operator.ts';
import { findings, type Part, publish } from './report.ts';

/** The parts, in the order of the report. They read the settings of what they measure when they are imported. */
const PARTS: Record<string, () => Promise<Part>> = {
  pages: async () => (await import('./pages.ts')).pages,
  searches: async () => (await import('./searches.ts')).searches,
  costs: async () => (await import('./costs.ts')).costs,
  coldStart: async () => (await import('./coldStart.ts')).coldStart,
  bodies: async () => (await import('./bodies.ts')).bodies,
};

const program = new Command('npm run bench --')
  .description('Measures parts and writes docs/benchmarks.md. Fails if a target of a count is not met.')
  .addArgument(new Argument('[parts...]').choices(Object.keys(PARTS)).default(Object.keys(PARTS), 'all'))
  .addOption(option('--runs <number>', 'processes of which cold starts are the median', wholeNumber).default(15));

/** @throws Unusable if the command line is invalid. */
function given(): { names: string[]; runs: number } {
  try {
    const { processedArgs } = program.parse();
    return { names: processedArgs[0], ...program.opts<{ runs: number }>() };
  } catch (error) {
    throw new Unusable((error as Error).message);
  }
}

/** Starts what the parts need, except the table, and sets the environment. */
async function startWorld(): Promise<void> {
  actAs(async () => 'bench');
  const engine = await startEngine();
  stops.push(engine.stop);
  const secretStore = await startSecretStore(LOCAL_SECRETS);
  stops.push(secretStore.stop);
  Object.assign(process.env, LOCAL_ENVIRONMENT, {
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secretStore.endpoint,
    BASE_URL: 'http://bench',
    // Avoids a log line for each of many calls.
    LOG_LEVEL: 'ERROR',
  });
}

async function main(): Promise<number> {
  const { names, runs } = given();
  await startWorld();
  const client = new DynamoDBClient();
  const { TABLE_NAME: TableName } = LOCAL_ENVIRONMENT;
  const unmet: string[] = [];
  for (const name of names) {
    const part = await (PARTS[name] as () => Promise<Part>)();
    await createTable(TableName);
    const result = await part.measure(runs);
    // No part measures items of another.
    await client.send(new DeleteTableCommand({ TableName }));
    process.stdout.write(`\n${part.title}\n\n${findings(result)}\n`);
    // Published after each part, so an interrupted run keeps its results.
    publish(name, part, result);
    unmet.push(...(result.unmet ?? []));
  }
  process.stderr.write(unmet.map((complaint) => `${complaint}\n`).join(''));
  return unmet.length > 0 ? 1 : 0;
}

shutDownOnSignals(1, 'Interrupted.\n');
main().then(shutDown, fail);
