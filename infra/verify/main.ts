import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, CommanderError, Option } from 'commander';
import { explain, oneLine } from '../admin/explain.ts';
import { option, baseUrl as validUrl } from '../admin/input.ts';
import { Stop, WRONG_USAGE } from '../admin/stop.ts';
import { environmentFor, isInAws } from '../admin/target.ts';
import { shutDown, shutDownOnSignals, stops } from '../local/shutdown.ts';
import { parameterOf } from '../template/definitions.ts';
import { PROBE_OUTPUT } from '../template/probe.ts';
import type { Case } from './case.ts';
import type { Logs, Outcome } from './verify.ts';
import type { Place } from './world.ts';

const NAME = 'npm run verify --';

const HELP = `
Without --stage or --url, it verifies the API of a running "npm start". With --url, what needs operator access is skipped.
Exit codes: 0 all passed or were skipped, 1 something failed, 2 wrong usage.

Examples:
  $ ${NAME} --stage dev
  $ ${NAME} --url https://partners.example.com --keys keys.json
`;

interface Options {
  stage?: string;
  region?: string;
  local: string;
  url?: string;
  keys?: string;
  only?: string;
  quick?: boolean;
  rollback?: boolean;
  json?: boolean;
}

const program = new Command(NAME)
  .description(
    'Verifies a deployed stage over its public URL: every operation, grant, route and index, then its logs, metrics and alarms. ' +
      'Names what it lacks.',
  )
  .addOption(new Option('--stage <stage>', 'verify this stage, with operator access to its table').conflicts(['url']))
  .option('--region <region>', 'AWS Region (default: AWS_REGION, or else eu-central-1)')
  .addOption(option('--url <url>', 'verify the API at this base URL, with --keys', validUrl))
  .option('--keys <file>', 'file with API keys: {"provider": "<key>", "distributor": "<key>"}, of two partners')
  .option('--local <file>', 'file that "npm start" wrote', '.local/demo.json')
  .option('--only <text>', 'run only the cases whose names contain this text')
  .option('--quick', 'leave out the cases that wait')
  .option('--rollback', 'rehearse a rollback: verify, roll back, verify, roll forward, verify')
  .option('--json', 'print JSON Lines')
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(`${oneLine(text.replace('error: ', 'Wrong usage: '))}\n`) })
  .addHelpText('after', HELP);

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

const lineOf = ({ outcome, name, detail, duration_ms }: Outcome): string =>
  `${outcome.toUpperCase().padEnd(8)}${name}${outcome === 'passed' ? ` (${(duration_ms / 1000).toFixed(1)} s)` : ''}${detail ? `\n        ${detail.replaceAll('\n', '\n        ')}` : ''}`;

/** What a run needs. */
interface Opened {
  place: Place;
  logs: Logs;
  /** Returns what is checked when all requests have been sent. */
  afterwards?: (since: number) => Case[];
}

/** The local file of a server; it says what is not in the table. */
function local(file: string): { base_url: string; log: string } {
  try {
    const { base_url } = JSON.parse(readFileSync(file, 'utf8'));
    return { base_url, log: file.replace(/[^/]+$/, 'server.log') };
  } catch {
    throw new Stop('No local API is running. Run "npm start", or add --stage or --url.');
  }
}

async function open({ keys, url, ...options }: Options): Promise<Opened> {
  if ((url === undefined) !== (keys === undefined))
    throw new Stop('Wrong usage: --url and --keys need each other.', WRONG_USAGE);
  if (!url) Object.assign(process.env, environmentFor(options, process.env));
  // Only now, because the AWS SDK reads the environment when it is loaded.
  const { asOperator, hasConsole, withKeys } = await import('./open.ts');
  const { sender } = await import('../contract/send.ts');
  const { logFile } = await import('./logs.ts');
  const at = (baseUrl: string) => ({ baseUrl, send: sender(baseUrl, baseUrl), wait: sleep });
  if (url && keys) {
    const place: Place = { ...at(url), ...(await withKeys(url, keys)), hasConsole: await hasConsole(url) };
    return { place, logs: { linesOf: async () => [] } };
  }
  if (options.stage) return openStage(options.stage);
  const { base_url, log } = local(options.local);
  const place: Place = {
    ...at(base_url),
    ...(await asOperator(isInAws(options))),
    hasConsole: true,
    personAtIssuer: 'rui@example.com',
  };
  return { place, logs: logFile(log) };
}

/** Either turns the console on: docs/operations.md#sign-in. */
const CONSOLE_PARAMETERS = ['issuer', 'cognitoDomainPrefix'];

/** A deployed stage, with operator access. */
async function openStage(stage: string): Promise<Opened> {
  const { asOperator, hasConsole } = await import('./open.ts');
  const { cloudWatch, logGroups, outputsOf } = await import('./aws.ts');
  const { leadingKeysCase } = await import('./leadingKeys.ts');
  const { alarmNamesOf, watchCases } = await import('./cases/watch.ts');
  const { sender } = await import('../contract/send.ts');
  const { BaseUrl: baseUrl = '', [PROBE_OUTPUT]: probeRole } = await outputsOf(stage);
  const siteOrigin = String(parameterOf(stage, 'siteOrigin') ?? '');
  const place: Place = {
    baseUrl,
    send: sender(baseUrl, baseUrl),
    wait: sleep,
    ...(await asOperator(true)),
    // As it is configured, so that a lost route is not taken for a stage without a console.
    hasConsole: CONSOLE_PARAMETERS.some((name) => parameterOf(stage, name)) || (await hasConsole(baseUrl)),
    ...(siteOrigin && { siteOrigin }),
  };
  const names = await alarmNamesOf(stage, place.hasConsole);
  return {
    place,
    logs: logGroups(stage),
    afterwards: (since) => [
      leadingKeysCase(probeRole, process.env['TABLE_NAME'] as string),
      ...watchCases(cloudWatch(stage), names, since),
    ],
  };
}

/** Rehearses a rollback of a stage that nobody depends on. */
async function rehearseOn(options: Options): Promise<number> {
  const { stage } = options;
  if (!stage || String(parameterOf(stage, 'protection')) === 'true')
    throw new Stop('Wrong usage: --rollback needs --stage, and a stage that is not protected.', WRONG_USAGE);
  const { rehearse } = await import('./rehearse.ts');
  const { rollBack } = await import('../deploy/rollback.ts');
  return rehearse({ verify: () => verify(options), rollBack: (to) => rollBack(stage, to) });
}

/** Verifies what the options name. Returns the exit code. */
async function verify(options: Options): Promise<number> {
  const { place, logs, afterwards = () => [] } = await open(options);
  const { runCases, tidied } = await import('./verify.ts');
  const { casesOf } = await import('./cases.ts');
  const { World } = await import('./world.ts');
  const { operator } = place;
  const cases = casesOf(place.hasConsole).filter(
    ({ name, waits }) => name.includes(options.only ?? '') && !(options.quick && waits),
  );
  if (cases.length === 0) throw new Stop(`Wrong usage: no case has "${options.only}" in its name.`, WRONG_USAGE);
  const world = new World(place);
  const observer = { onOutcome: (outcome: Outcome) => print(options.json ? JSON.stringify(outcome) : lineOf(outcome)) };
  const outcomes: Outcome[] = [];
  const finish = async () => {
    outcomes.push(...(await runCases(world, logs, [tidied], observer)));
    if (typeof operator !== 'string') await operator.close();
  };
  stops.push(finish);
  if (!options.json) print(`Verifies ${place.baseUrl} with ${cases.length} cases.\n`);
  const since = Date.now();
  outcomes.push(...(await runCases(world, logs, cases, observer, options.only ? [] : afterwards(since))));
  await finish();
  stops.pop();
  const count = (wanted: Outcome['outcome']) => outcomes.filter(({ outcome }) => outcome === wanted).length;
  if (!options.json) print(`\n${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped.`);
  return Number(count('failed') > 0);
}

async function main(): Promise<number> {
  const options = program.parse().opts<Options>();
  return options.rollback ? rehearseOn(options) : verify(options);
}

shutDownOnSignals(1, 'Interrupted. Tidies up.\n');
main().then(
  (exitCode) => shutDown(exitCode),
  (error) => {
    if (error instanceof CommanderError) return shutDown(error.exitCode === 0 ? 0 : WRONG_USAGE);
    return shutDown(error instanceof Stop ? error.exitCode : 1, `${explain(error as Error)}\n`);
  },
);
