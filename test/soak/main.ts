import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { table } from '../../infra/admin/output.ts';
import { startEngine, Unusable } from '../../infra/local/engine.ts';
import { LOCAL_ENVIRONMENT } from '../../infra/local/environment.ts';
import { fail, shutDown, shutDownOnSignals, stops, unlessShuttingDown } from '../../infra/local/shutdown.ts';
import { ENDPOINTS } from '../../infra/template/definitions.ts';
import { actAs } from '../../lib/operator/operator.ts';
import { startAwsTable } from '../awsTable/table.ts';
import type { Operation } from '../support/invoke.ts';
import { STATUSES } from '../support/promised.ts';
import { startServer } from './server.ts';

const HELP = `Sends random calls to a server of its own in several lanes at once, and judges every response with the model of
test/proofs/model. Each lane has acquirers of its own. Then audits the table. Fails if the model cannot explain a
response, or if there is an invariant violation.

  npm run soak                          for a minute
  npm run soak -- --seconds <number>    for 1 to 900 seconds
  npm run soak -- --lanes <number>      lanes at once, 1 to 50 (default 6)
  npm run soak -- --seed <number>       makes the choices of an earlier soak
  npm run soak -- --aws                 on a table that behaves as AWS's: with latency, conflicts and indexes that lag
`;

/** Each option's default and bounds. */
const NUMBERS = { seconds: [60, 1, 900], lanes: [6, 1, 50], seed: [randomInt(1_000_000), 0, 1_000_000] } as const;
type Options = Record<keyof typeof NUMBERS, number> & { aws: boolean };

/** Time beyond the soak for the start, the last responses and the audit, after which everything is ended. */
const SPARE_MS = 300_000;
const ENDING_MS = 30_000;
const MOST_SHOWN = 10;

const OPERATIONS = Object.keys(STATUSES) as Operation[];

function given() {
  const number = { type: 'string' } as const;
  const help = { type: 'boolean', short: 'h' } as const;
  const options = { seconds: number, lanes: number, seed: number, aws: { type: 'boolean' }, help } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    throw new Unusable(`${(error as Error).message} Try "npm run soak -- --help".`);
  }
}

/** @throws Unusable if the command line is invalid. */
function optionsOf({ aws = false, ...texts }: ReturnType<typeof given>): Options {
  const numberOf = (name: keyof typeof NUMBERS): number => {
    const [fallback, least, most] = NUMBERS[name];
    const value = Number(texts[name] ?? fallback);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw new Unusable(`--${name} must be a whole number from ${least} to ${most}.`);
  };
  return { seconds: numberOf('seconds'), lanes: numberOf('lanes'), seed: numberOf('seed'), aws };
}

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

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

type Outcome = Awaited<ReturnType<typeof import('./lanes.ts').runLanes>>;

function show({ kinds, courses, seconds, times }: Outcome): void {
  const of = (operation: Operation) =>
    kinds.filter(([kind]) => kind.startsWith(`${operation} `) && !kind.includes('/'));
  const text = (operation: Operation) =>
    of(operation).map(([kind, count]) => `${count} ${kind.replace(`${operation} `, '')}`);
  print(
    `\n${table(
      ['OPERATION', 'RESPONSES'],
      OPERATIONS.map((each) => [each, text(each).join(', ')]),
    )}\n`,
  );
  const within = (share: number) => `${Math.round(times[Math.ceil(share * times.length) - 1] ?? 0)} ms`;
  print(`${courses} courses, ${times.length} requests in ${seconds.toFixed(0)} s.`);
  print(`Half took up to ${within(0.5)}, 90 % ${within(0.9)}, 99 % ${within(0.99)}, all ${within(1)}.`);
}

async function soak({ seconds, lanes, seed, aws }: Options): Promise<boolean> {
  const server = await startServer(stops, { engine: aws ? await startAwsEngine() : undefined });
  const { base_url: baseUrl, environment } = server.demo;
  // The model's acquirers are registered in the server's table. TABLE_LIKE is read when the model is imported.
  Object.assign(process.env, LOCAL_ENVIRONMENT, environment, aws && { TABLE_LIKE: 'aws' });
  actAs(async () => 'soak');
  const { runLanes } = await import('./lanes.ts');
  await startInstances(baseUrl);
  print(`${lanes} lanes call for ${seconds} s, with the choices of seed ${seed}.`);
  const outcome = await runLanes(baseUrl, { seconds, lanes, seed });
  // After an interrupt there is no report.
  await unlessShuttingDown();
  show(outcome);

  let isSound = true;
  const find = (found: string[], what: string) => {
    print([`${found.length} ${what}`, ...found.slice(0, MOST_SHOWN)].join('\n  '));
    isSound &&= found.length === 0;
  };
  print(`\nFound with seed ${seed}:`);
  const hasReturned = (operation: Operation, status = '') =>
    outcome.kinds.some(([kind]) => kind.startsWith(`${operation} ${status}`));
  find(
    // A short soak may not call each.
    OPERATIONS.filter((each) => hasReturned(each) && !hasReturned(each, String(STATUSES[each][0]))),
    'operations that never succeeded',
  );
  find(await server.errors(), 'errors in the log');
  const { items, broken } = await server.audit();
  find(
    broken.map(({ invariant, item: { pk, sk }, detail }) => `${invariant}: ${pk} / ${sk}: ${detail}`),
    `invariant violations in the table of ${Object.values(items).reduce((sum, count) => sum + count)} items`,
  );
  await outcome.compareFeeds();
  find(outcome.failures, 'courses that the model cannot explain');
  return isSound;
}

async function main(): Promise<boolean> {
  const { help, ...values } = given();
  if (help) return print(HELP);
  const options = optionsOf(values);
  const limit = options.seconds * 1000 + SPARE_MS;
  setTimeout(() => shutDown(1, 'It takes too long.\n'), limit).unref();
  setTimeout(() => process.exit(1), limit + ENDING_MS).unref();
  return soak(options);
}

shutDownOnSignals(1, 'Interrupted.\n');
main().then((isSound) => shutDown(isSound ? 0 : 1), fail);
