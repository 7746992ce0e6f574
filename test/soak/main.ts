import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { Unusable } from '../../infra/local/engine.ts';
import { option, wholeNumber } from '../../infra/operate/cli/input.ts';
import { table } from '../../infra/operate/cli/output.ts';
import { fail, shutDown, shutDownOnSignals, stops, unlessShuttingDown } from '../../infra/operate/shutdown.ts';
import { sender } from '../../infra/publish/contract/send.ts';
import { LOCAL_ENVIRONMENT } from '../../infra/stack/localEnvironment.ts';
import { OPERATIONS as ROUTES } from '../../infra/stack/template/definitions.ts';
import { actAs } from '../../lib/record/operator.ts';
import { BASE_URL } from '../proofs/model/responses.ts';
import type { Operation } from '../support/invoke.ts';
import { STATUSES } from '../support/promised.ts';
import { startServer } from './server.ts';

const program = new Command('npm run soak --')
  .description(
    'Sends random calls to a server of its own in several lanes at once, and judges every response with the model of ' +
      'test/proofs/model. Each lane has acquirers of its own. Then verifies the server, and audits the table. ' +
      'Fails if the model cannot explain a response, if a case fails, or if there is an invariant violation.',
  )
  .addOption(option('--seconds <number>', 'for so many seconds', wholeNumber).default(60))
  .addOption(
    option('--seed <number>', 'make the choices of an earlier soak', wholeNumber).default(
      randomInt(1, 1_000_000),
      'random',
    ),
  );

/** @throws Unusable if the command line is invalid. */
function given() {
  try {
    return program.parse().opts<{ seconds: number; seed: number }>();
  } catch (error) {
    throw new Unusable((error as Error).message);
  }
}

/** Time beyond the soak for the start, the last responses and the audit, after which everything is ended. */
const SPARE_MS = 300_000;
const ENDING_MS = 30_000;
const MOST_SHOWN = 10;
/** Random creates are refused nine times in ten, so a short soak may see no other response. */
const MOST_REFUSED = 100;

const OPERATIONS = Object.keys(STATUSES) as Operation[];

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

/** Starts one instance of each function. All at once take a laptop longer than a call may take. */
async function startInstances(baseUrl: string): Promise<void> {
  for (const { events } of Object.values(ROUTES)) {
    const [method = '', path] = events[0].httpApi.replace(/\{\w+\}/g, 'any').split(' ');
    await fetch(baseUrl + path, { method });
  }
}

async function soak(seconds: number, seed: number): Promise<boolean> {
  const server = await startServer(stops);
  const { base_url: baseUrl, environment } = server.demo;
  // The model's acquirers are registered in the server's table.
  Object.assign(process.env, LOCAL_ENVIRONMENT, environment);
  actAs(async () => 'soak');
  const { runLanes } = await import('./lanes.ts');
  await startInstances(baseUrl);
  print(`Calls for ${seconds} s, with the choices of seed ${seed}.`);
  const end = performance.now() + seconds * 1000;
  const outcome = await runLanes(sender(baseUrl, BASE_URL), () => performance.now() > end, seed);
  const unverified = await server.verify();
  // After an interrupt there is no report.
  await unlessShuttingDown();
  const responsesOf = (operation: Operation): string =>
    outcome.kinds
      .filter(([kind]) => kind.startsWith(`${operation} `) && !kind.includes('/'))
      .map(([kind, count]) => `${count} ${kind.slice(operation.length + 1)}`)
      .join(', ');
  const called = OPERATIONS.map((operation) => ({ operation, responses: responsesOf(operation) }));
  print(
    `\n${table(called, { OPERATION: 'operation', RESPONSES: 'responses' })}\n\n${outcome.courses} courses in ${seconds} s.`,
  );

  let isSound = true;
  const find = (found: string[], what: string) => {
    print([`${found.length} ${what}`, ...found.slice(0, MOST_SHOWN)].join('\n  '));
    isSound &&= found.length === 0;
  };
  print(`\nFound with seed ${seed}:`);
  const countOf = (operation: Operation, status = '') =>
    outcome.kinds.reduce((sum, [kind, count]) => sum + (kind.startsWith(`${operation} ${status}`) ? count : 0), 0);
  find(
    OPERATIONS.filter((each) => countOf(each) > MOST_REFUSED && countOf(each, `${STATUSES[each][0]}`) === 0),
    'operations that never succeeded',
  );
  find(unverified, 'cases of npm run verify that failed');
  find(server.errors(), 'errors in the log');
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
  const { seconds, seed } = given();
  const limit = seconds * 1000 + SPARE_MS;
  setTimeout(() => shutDown(1, 'It takes too long.\n'), limit).unref();
  setTimeout(() => process.exit(1), limit + ENDING_MS).unref();
  return soak(seconds, seed);
}

shutDownOnSignals(1, 'Interrupted.\n');
main().then((isSound) => shutDown(isSound ? 0 : 1), fail);
