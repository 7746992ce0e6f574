import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startEngine, Unusable } from '../../infra/local/engine.ts';
import { LOCAL_ENVIRONMENT, LOCAL_SECRETS } from '../../infra/local/environment.ts';
import { startSecretStore } from '../../infra/local/secretStore.ts';
import { fail, shutDown, shutDownOnSignals, stops } from '../../infra/local/shutdown.ts';
import { createTable } from '../../infra/local/table.ts';
import { actAs } from '../../lib/operator/operator.ts';
import { differences, unmet } from './gate.ts';
import { settingHere } from './machine.ts';
import type { Part } from './part.ts';
import { filesOf, findings, type Report } from './report.ts';

/** The parts, in the order of the report. They read the settings of what they measure when they are imported. */
const PARTS: Record<string, () => Promise<Part>> = {
  pages: async () => (await import('./pages.ts')).pages,
  costs: async () => (await import('./costs.ts')).costs,
  events: async () => (await import('./events.ts')).events,
  coldStart: async () => (await import('./coldStart.ts')).coldStart,
  neighbours: async () => (await import('./neighbours.ts')).neighbours,
  shares: async () => (await import('./shares.ts')).shares,
  memory: async () => (await import('./memory.ts')).memory,
  bodies: async () => (await import('./bodies.ts')).bodies,
  timeouts: async () => (await import('./timeouts.ts')).timeouts,
};

const HELP = `Measures all parts, or those that are named, and writes docs/benchmarks*. Fails if a target is not met, unless it depends
on times.

  npm run bench <parts>             of ${Object.keys(PARTS).join(', ')}
  npm run bench -- --check          writes nothing; also fails if a count differs from docs/benchmarks.json, or code has grown by
                                    more than 1 %
  npm run bench -- --runs <number>  cold starts are medians of 1 to 1000 processes (default 15)
  npm run bench -- --redraw         measures nothing; writes docs/benchmarks.md and its charts from docs/benchmarks.json
`;

const DOCS = new URL('../../docs/', import.meta.url);
const REPORT = new URL('benchmarks.json', DOCS);

function given(args: string[]) {
  const flag = { type: 'boolean', default: false } as const;
  const runs = { type: 'string', default: '15' } as const;
  const options = { check: flag, redraw: flag, runs, help: { ...flag, short: 'h' } } as const;
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw new Unusable(`${(error as Error).message} Try "npm run bench -- --help".`);
  }
}

/** @throws Unusable if the command line is invalid. */
function optionsOf(args: string[]) {
  const { positionals, values } = given(args);
  const unknown = positionals.filter((name) => !Object.hasOwn(PARTS, name));
  if (unknown.length > 0)
    throw new Unusable(`No such part: ${unknown.join(', ')}. There are ${Object.keys(PARTS).join(', ')}.`);
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1 || runs > 1000)
    throw new Unusable('--runs must be a whole number from 1 to 1000.');
  return { ...values, runs, names: positionals.length > 0 ? positionals : Object.keys(PARTS) };
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
  // Removes pictures of parts that have none any more.
  rmSync(new URL('benchmarks/', DOCS), { recursive: true, force: true });
  mkdirSync(new URL('benchmarks/', DOCS));
  for (const [path, text] of Object.entries(filesOf(report))) writeFileSync(new URL(path, DOCS), text);
}

async function main(): Promise<number> {
  const { names, check, redraw, runs, help } = optionsOf(process.argv.slice(2));
  if (help) process.stdout.write(HELP);
  else if (redraw) publish({});
  if (help || redraw) return 0;
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
