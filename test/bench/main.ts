import { readFileSync, writeFileSync } from 'node:fs';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Argument, Command } from 'commander';
import { startEngine, Unusable } from '../../infra/local/engine.ts';
import { startSecretStore } from '../../infra/local/secretStore.ts';
import { createTable } from '../../infra/local/table.ts';
import { option, wholeNumber } from '../../infra/operate/cli/input.ts';
import { fail, shutDown, shutDownOnSignals, stops } from '../../infra/operate/shutdown.ts';
import { LOCAL_ENVIRONMENT, LOCAL_SECRETS } from '../../infra/stack/localEnvironment.ts';
import { actAs } from '../../lib/record/operator.ts';
import { differences, unmet } from './gate.ts';
import { settingHere } from './machine.ts';
import type { Part } from './part.ts';
import { filesOf, findings, type Report } from './report.ts';

/** The parts, in the order of the report. They read the settings of what they measure when they are imported. */
const PARTS: Record<string, () => Promise<Part>> = {
  pages: async () => (await import('./pages.ts')).pages,
  searches: async () => (await import('./searches.ts')).searches,
  costs: async () => (await import('./costs.ts')).costs,
  events: async () => (await import('./events.ts')).events,
  coldStart: async () => (await import('./coldStart.ts')).coldStart,
  neighbours: async () => (await import('./neighbours.ts')).neighbours,
  shares: async () => (await import('./shares.ts')).shares,
  memory: async () => (await import('./memory.ts')).memory,
  bodies: async () => (await import('./bodies.ts')).bodies,
};

const DOCS = new URL('../../docs/', import.meta.url);
const REPORT = new URL('benchmarks.json', DOCS);

const program = new Command('npm run bench --')
  .description('Measures parts and writes docs/benchmarks*. Fails if a target is not met, unless it depends on times.')
  .addArgument(new Argument('[parts...]').choices(Object.keys(PARTS)).default(Object.keys(PARTS), 'all'))
  .option('--check', 'write nothing; fail also if a count differs from the record, or code has grown by more than 1 %')
  .option('--redraw', 'measure nothing; write docs/benchmarks.md from docs/benchmarks.json')
  .addOption(option('--runs <number>', 'processes of which cold starts are the median', wholeNumber).default(15));

/** @throws Unusable if the command line is invalid. */
function given() {
  try {
    program.parse();
  } catch (error) {
    throw new Unusable((error as Error).message);
  }
  const [names] = program.processedArgs as [string[]];
  return { names, ...program.opts<{ check?: true; redraw?: true; runs: number }>() };
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

const recorded = (): Report => JSON.parse(readFileSync(REPORT, 'utf8'));

/** Replaces earlier measurements of the same parts, and publishes all of them in the order of the parts. */
function publish(measured: Report): void {
  const all = { ...recorded(), ...measured };
  const report = Object.fromEntries(Object.keys(PARTS).flatMap((name) => (all[name] ? [[name, all[name]]] : [])));
  for (const [path, text] of Object.entries(filesOf(report))) writeFileSync(new URL(path, DOCS), text);
}

async function main(): Promise<number> {
  const { names, check = false, redraw, runs } = given();
  if (redraw) {
    publish({});
    return 0;
  }
  await startWorld();
  const client = new DynamoDBClient();
  const { TABLE_NAME: TableName } = LOCAL_ENVIRONMENT;
  const complaints: string[] = [];
  for (const name of names) {
    const { title, about, measure, isSampled } = await (PARTS[name] as () => Promise<Part>)();
    process.stdout.write(`\n${title}\n\n`);
    await createTable(TableName);
    const result = await measure({ runs, check });
    // No part measures items of another.
    await client.send(new DeleteTableCommand({ TableName }));
    process.stdout.write(`${findings(result)}\n`);
    complaints.push(...unmet(name, result));
    if (check) complaints.push(...differences(name, recorded()[name]?.result, result, isSampled));
    // Published after each part, so an interrupted run keeps its results.
    else publish({ [name]: { title, about, ...settingHere(), result } });
  }
  process.stderr.write(complaints.map((complaint) => `${complaint}\n`).join(''));
  return complaints.length > 0 ? 1 : 0;
}

shutDownOnSignals(1, 'Interrupted.\n');
main().then(shutDown, fail);
