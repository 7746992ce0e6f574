import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { table } from '../../infra/admin/output.ts';
import { startEngine, Unusable } from '../../infra/local/engine.ts';
import { fail, shutDown, shutDownOnSignals, stops, unlessShuttingDown } from '../../infra/local/shutdown.ts';
import { ENDPOINTS } from '../../infra/template/definitions.ts';
import { startAwsTable } from '../awsTable/table.ts';
import type { Operation } from '../support/invoke.ts';
import { STATUSES } from '../support/promised.ts';
import { wrongInFeeds } from './feed.ts';
import { load, type Offence, type Outcome } from './load.ts';
import { startServer } from './server.ts';
import { type Acquirer, World } from './world.ts';

const HELP = `Runs scripts of all demo acquirers concurrently against a server of its own and checks each response. Then audits the
table. Fails if a response is not as documented, or if there is an invariant violation.

  npm run soak                          for a minute
  npm run soak -- --seconds <number>    for 1 to 900 seconds
  npm run soak -- --connections <n>     scripts at once, 1 to 50 (default 10: two for each acquirer)
  npm run soak -- --seed <number>       makes the choices of an earlier soak
  npm run soak -- --aws                 on a table that behaves as AWS's: with latency, conflicts and indexes that lag
`;

/** Each option's default and bounds. */
const OPTIONS = {
  seconds: [60, 1, 900],
  connections: [10, 1, 50],
  seed: [randomInt(1_000_000), 0, 1_000_000],
} as const;

/** Time beyond the soak for the start, the last responses and the audit, after which everything is ended. */
const SPARE_MS = 300_000;
const ENDING_MS = 30_000;

const MOST_BROKEN = 10;
const MOST_WRONG = 10;

/** The documented operations. */
const OPERATIONS = (Object.keys(STATUSES) as Operation[]).filter((name) => name !== 'unknownRoute');

type Options = Record<keyof typeof OPTIONS, number> & { aws: boolean };

function given(args: string[]): Partial<Record<keyof typeof OPTIONS, string>> & { aws?: boolean; help?: boolean } {
  const number = { type: 'string' } as const;
  const help = { type: 'boolean', short: 'h' } as const;
  try {
    const options = { seconds: number, connections: number, seed: number, aws: { type: 'boolean' }, help } as const;
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new Unusable(`${(error as Error).message} Try "npm run soak -- --help".`);
  }
}

/** @throws Unusable if the command line is invalid. */
function optionsOf(args: string[]): Options | undefined {
  const values = given(args);
  if (values.help) return undefined;
  const numbers = (Object.keys(OPTIONS) as (keyof typeof OPTIONS)[]).map((name) => {
    const [fallback, least, most] = OPTIONS[name];
    const value = Number(values[name] ?? fallback);
    if (!Number.isInteger(value) || value < least || value > most)
      throw new Unusable(`--${name} must be a whole number from ${least} to ${most}.`);
    return [name, value];
  });
  return { ...(Object.fromEntries(numbers) as Record<keyof typeof OPTIONS, number>), aws: values.aws ?? false };
}

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

/** The number of items of some kinds that the table must have, by the responses. */
const countsOf = (world: World, { saved }: Outcome): Record<string, number> => ({
  branch: world.acquirers
    .filter(({ type }) => type === 'PAYMENT_PROVIDER')
    .reduce((sum, provider) => sum + world.of(provider).listed, 0),
  terminal: world.terminals,
  idempotency_key: saved,
});

const memoryLine = (memory: Record<string, number>): string =>
  Object.entries(memory)
    .map(([name, megabytes]) => `${name} ${megabytes} MB`)
    .join(', ');

function showResponses({ responses, requests, seconds, latency, replays }: Outcome): void {
  const sum = (counts: [string, number][]) => counts.reduce((total, [, count]) => total + count, 0);
  const rows = [...OPERATIONS, 'unknownRoute'].map((operation) => {
    const counts = [...(responses.get(operation) ?? [])].sort(([a], [b]) => a.localeCompare(b));
    const problems = counts.filter(([kind]) => !kind.startsWith('2'));
    const texts = problems.map(([kind, count]) => `${kind} ${count}`).join(', ');
    return [operation, String(sum(counts)), String(sum(counts) - sum(problems)), texts];
  });
  print(`\n${table(['OPERATION', 'RESPONSES', 'OK', 'PROBLEMS'], rows)}\n`);
  print(`${requests} requests in ${seconds.toFixed(0)} s, ${(requests / seconds).toFixed(0)} per second.`);
  print(
    `Latency: half within ${latency.p50} ms, 90 % ${latency.p90} ms, 99 % ${latency.p99} ms, all ${latency.max} ms.`,
  );
  print(`Replayed by their Idempotency-Key: ${replays}.`);
}

/** Starts one instance of each function. All at once take a laptop longer than a call may take. */
async function startInstances(baseUrl: string): Promise<void> {
  for (const { events } of Object.values(ENDPOINTS)) {
    const [method = '', path] = events[0].httpApi
      .replace('*', 'GET /')
      .replace(/\{\w+\}/g, 'any')
      .split(' ');
    await fetch(baseUrl + path, { method });
  }
}

/** A database whose table behaves like AWS's. */
async function startAwsEngine(): Promise<string> {
  const engine = await startEngine();
  stops.push(engine.stop);
  const aws = await startAwsTable(engine.endpoint);
  stops.push(aws.stop);
  return aws.endpoint;
}

async function soak({ seconds, connections, seed, aws }: Options): Promise<boolean> {
  const server = await startServer(stops, { engine: aws ? await startAwsEngine() : undefined });
  const { base_url: baseUrl } = server.demo;
  await startInstances(baseUrl);
  const world = new World(server.demo);
  const read = async ({ api_key }: Acquirer, path: string) => {
    const response = await fetch(baseUrl + path, { headers: { 'API-KEY': api_key } });
    const text = await response.text();
    if (!response.ok) throw new Unusable(`GET ${path}, beside the soak: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  await world.explore(read);
  print(`${connections} scripts call for ${seconds} s, with the choices of seed ${seed}.`);
  const before = memoryLine(server.memory());
  const outcome = await load(world, { baseUrl, seconds, connections, seed });
  const after = memoryLine(server.memory());
  // After an interrupt there is no report.
  await unlessShuttingDown();
  showResponses(outcome);
  if (before) print(`Memory of the server before: ${before}; after: ${after}.`);

  let isSound = true;
  const find = (count: number, what: string, first: string[]) => {
    print([`${count} ${what}`, ...first].join('\n  '));
    isSound &&= count === 0;
  };
  print(`\nFound with seed ${seed}:`);
  find(outcome.offended, 'undocumented responses', outcome.offences.map(offenceLines));
  const untried = untriedIn(outcome);
  find(untried.length, 'calls that never succeeded', untried);
  const { changes, since } = outcome;
  const wrong = await wrongInFeeds(world, changes, since, (acquirer, after) =>
    read(acquirer, `/ext/api/v1/events${after ? `?after=${after}` : ''}`),
  );
  find(wrong.length, `wrong or missing events of ${changes.size} changes`, wrong.slice(0, MOST_WRONG));
  const { requests, retries, errors, firstErrors } = await server.log();
  find(errors, `errors in the log of ${requests} requests, which took ${retries} retries`, firstErrors);
  const { items, broken } = await server.audit();
  const first = broken.slice(0, MOST_BROKEN);
  find(
    broken.length,
    `invariant violations in the table of ${Object.values(items).reduce((sum, count) => sum + count)} items`,
    first.map(({ invariant, item: { pk, sk }, detail }) => `${invariant}: ${pk} / ${sk}: ${detail}`),
  );
  const counted = countsOf(world, outcome);
  const differing = Object.keys(counted).filter((kind) => items[kind] !== counted[kind]);
  find(
    differing.length,
    'kinds of items whose number differs from the responses',
    differing.map((kind) => `${kind}: ${items[kind] ?? 0} instead of ${counted[kind]}`),
  );
  return isSound;
}

/** The calls that a soak should have tried but did not. */
const untriedIn = ({ responses, replays }: Outcome): string[] => [
  ...OPERATIONS.filter((operation) => !responses.get(operation)?.has(String(STATUSES[operation][0]))),
  ...(replays === 0 ? ['a replay by an Idempotency-Key'] : []),
];

const offenceLines = ({ broken, count, acquirer, request, response }: Offence): string =>
  [`${count} break: ${broken.join('; ')}. The first:`, `${acquirer}: ${request}`, response].join('\n    ');

async function main(): Promise<boolean> {
  const options = optionsOf(process.argv.slice(2));
  if (!options) return print(HELP);
  const limit = options.seconds * 1000 + SPARE_MS;
  setTimeout(() => shutDown(1, 'It takes too long.\n'), limit).unref();
  setTimeout(() => process.exit(1), limit + ENDING_MS).unref();
  return soak(options);
}

shutDownOnSignals(1, 'Interrupted.\n');
main().then((isSound) => shutDown(isSound ? 0 : 1), fail);
