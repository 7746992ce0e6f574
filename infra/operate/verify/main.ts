import { Command, CommanderError, Option } from 'commander';
import { connect } from '../cli/connection.ts';
import { explain, oneLine } from '../cli/explain.ts';
import { option, baseUrl as validUrl } from '../cli/input.ts';
import { Stop, WRONG_USAGE } from '../cli/stop.ts';
import { DEMO_FILE, environmentFor, targetOf } from '../cli/target.ts';
import { shutDown, shutDownOnSignals, stops } from '../shutdown.ts';
import { type Options, type Target, verify } from './checks.ts';
import { logFile } from './logs.ts';
import type { Outcome } from './verify.ts';

const NAME = 'npm run verify --';

const HELP = `
Without --stage or --url, it verifies the API of a running "npm start". With --url, what needs operator access is skipped.
Exit codes: 0 all passed or were skipped, 1 something failed, 2 wrong usage.

Examples:
  $ ${NAME} --stage dev
  $ ${NAME} --url https://partners.example.com --keys keys.json
`;

interface CommandLine extends Options {
  stage?: string;
  region?: string;
  local: string;
  url?: string;
  keys?: string;
  json?: boolean;
}

const program = new Command(NAME)
  .description(
    'Verifies a deployed stage over its public URL: replays the requests from which the examples of the contract are recorded, ' +
      'then checks its logs, metrics, alarms, backup and the copy of the record. Names what it lacks.',
  )
  .addOption(new Option('--stage <stage>', 'verify this stage, with operator access to its table').conflicts(['url']))
  .option('--region <region>', 'AWS Region (default: AWS_REGION, or else eu-central-1)')
  .addOption(option('--url <url>', 'verify the API at this base URL, with --keys', validUrl))
  .option('--keys <file>', 'file with API keys: {"provider": "<key>", "distributor": "<key>"}, of two partners')
  .option('--local <file>', 'file that "npm start" wrote', DEMO_FILE)
  .option('--only <text>', 'run only the checks whose names contain this text; a story is one check')
  .option('--quick', 'leave out what waits: the feed of events, and metrics')
  .option('--json', 'print JSON Lines')
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(`${oneLine(text.replace('error: ', 'Wrong usage: '))}\n`) })
  .addHelpText('after', HELP);

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

const lineOf = ({ outcome, name, detail, duration_ms }: Outcome): string =>
  `${outcome.toUpperCase().padEnd(8)}${name}${outcome === 'passed' ? ` (${(duration_ms / 1000).toFixed(1)} s)` : ''}${detail ? `\n        ${detail.replaceAll('\n', '\n        ')}` : ''}`;

async function main(): Promise<number> {
  const options = program.parse().opts<CommandLine>();
  const { url, keys, stage, json } = options;
  if ((url === undefined) !== (keys === undefined))
    throw new Stop('Wrong usage: --url and --keys need each other.', WRONG_USAGE);
  if (!url) connect(environmentFor(options, process.env));
  const { baseUrl, logs } = targetOf(options);
  const local = { baseUrl: baseUrl ?? '', logs: logFile('file' in logs ? logs.file : '') };
  const target: Target = url && keys ? { baseUrl: url, keys } : stage ? { stage } : local;
  const outcomes = await verify(target, options, {
    onBegin(baseUrl, tidy) {
      stops.push(tidy);
      if (!json) print(`Verifies ${baseUrl}.\n`);
    },
    onOutcome: (outcome) => print(json ? JSON.stringify(outcome) : lineOf(outcome)),
  });
  const count = (wanted: Outcome['outcome']) => outcomes.filter(({ outcome }) => outcome === wanted).length;
  if (!json) print(`\n${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped.`);
  return Number(count('failed') > 0);
}

shutDownOnSignals(1, 'Interrupted. Tidies up.\n');
main().then(
  (exitCode) => shutDown(exitCode),
  (error) => {
    if (error instanceof CommanderError) return shutDown(error.exitCode === 0 ? 0 : WRONG_USAGE);
    return shutDown(error instanceof Stop ? error.exitCode : 1, `${explain(error as Error)}\n`);
  },
);
