import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { option, wholeNumber } from '../../infra/operate/cli/input.ts';
import { fail, shutDown, shutDownOnSignals, stops, unlessShuttingDown } from '../../infra/operate/shutdown.ts';
import { sender } from '../../infra/publish/contract/send.ts';
import { LOCAL_ENVIRONMENT } from '../../infra/stack/localEnvironment.ts';
import { OPERATIONS as ROUTES } from '../../infra/stack/template/definitions.ts';
import { actAs } from '../../lib/record/operator.ts';
import { BASE_URL } from '../proofs/model/responses.ts';
import { startServer } from './server.ts';

const { seconds, seed } = new Command('npx node test/soak/main.ts --')
  .description(
    'Sends random calls to a server of its own in several lanes at once, and judges every response with the model of ' +
      'test/proofs/model. Then verifies the server, and audits the table.',
  )
  .addOption(option('--seconds <number>', 'for so many seconds', wholeNumber).default(60))
  .addOption(
    option('--seed <number>', 'make the choices of an earlier soak', wholeNumber).default(randomInt(1, 1e6), 'random'),
  )
  .parse()
  .opts<{ seconds: number; seed: number }>();

/** Time beyond the soak for the start, the last responses and the audit, after which everything is ended. */
const SPARE_MS = 300_000;
const MOST_SHOWN = 10;

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

/** Starts one instance of each function. All at once take a laptop longer than a call may take. */
async function startInstances(baseUrl: string): Promise<void> {
  for (const { events } of Object.values(ROUTES)) {
    const [method = '', path] = events[0].httpApi.replace(/\{\w+\}/g, 'any').split(' ');
    await fetch(baseUrl + path, { method });
  }
}

async function soak(): Promise<boolean> {
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
  print(`${outcome.courses} courses in ${seconds} s.`);

  let isSound = true;
  const find = (found: string[], what: string) => {
    print([`${found.length} ${what}`, ...found.slice(0, MOST_SHOWN)].join('\n  '));
    isSound &&= found.length === 0;
  };
  print(`\nFound with seed ${seed}:`);
  find(unverified, 'cases of npm run verify that failed');
  find(server.errors(), 'errors in the log');
  const { items, broken } = await server.audit();
  find(
    broken.map(({ invariant, item: { pk, sk }, detail }) => `${invariant}: ${pk} / ${sk}: ${detail}`),
    `invariant violations in the table of ${Object.values(items).reduce((sum, count) => sum + count)} items`,
  );
  find(outcome.failures, 'courses that the model cannot explain');
  return isSound;
}

shutDownOnSignals(1, 'Interrupted.\n');
setTimeout(() => shutDown(1, 'It takes too long.\n'), seconds * 1000 + SPARE_MS).unref();
soak().then((isSound) => shutDown(isSound ? 0 : 1), fail);
