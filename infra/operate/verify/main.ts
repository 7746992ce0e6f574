import { Command, CommanderError } from 'commander';
import { connect } from '../cli/connection.ts';
import { explain, oneLine } from '../cli/explain.ts';
import { Stop, WRONG_USAGE } from '../cli/stop.ts';
import { DEMO_FILE, environmentFor, targetOf } from '../cli/target.ts';
import { shutDown, shutDownOnSignals, stops } from '../shutdown.ts';
import { type Options, verify } from './checks.ts';
import type { Outcome } from './verify.ts';

const NAME = 'npm run verify --';

const HELP = `
Without --stage, it verifies the API of a running "npm start".
Exit codes: 0 all passed or were skipped, 1 something failed, 2 wrong usage.

Example:
  $ ${NAME} --stage dev
`;

interface CommandLine extends Options {
  stage?: string;
  region?: string;
  local: string;
  json?: boolean;
}

const program = new Command(NAME)
  .description(
    'Verifies a deployed stage over its public URL: replays the requests from which the examples of the contract are recorded, ' +
      'then checks its logs, alarms, backup and the copy of the record. Names what it lacks.',
  )
  .option('--stage <stage>', 'verify this stage, with operator access to its table')
  .option('--region <region>', 'AWS Region (default: AWS_REGION, or else eu-central-1)')
  .option('--local <file>', 'file that "npm start" wrote', DEMO_FILE)
  .option('--only <text>', 'run only the checks whose names contain this text; a story is one check')
  .option('--pipeline', 'change nothing where the pipeline may not: the self-check stands for the stories')
  .option('--quick', 'leave out what waits: the feed of events')
  .option('--json', 'print JSON Lines')
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(`${oneLine(text.replace('error: ', 'Wrong usage: '))}\n`) })
  .addHelpText('after', HELP);

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

const lineOf = ({ outcome, name, detail, duration_ms }: Outcome): string =>
  `${outcome.toUpperCase().padEnd(8)}${name}${outcome === 'passed' ? ` (${(duration_ms / 1000).toFixed(1)} s)` : ''}${detail ? `\n        ${detail.replaceAll('\n', '\n        ')}` : ''}`;

async function main(): Promise<number> {
  const options = program.parse().opts<CommandLine>();
  const { stage, json } = options;
  connect(environmentFor(options, process.env));
  const { baseUrl = '' } = targetOf(options);
  const outcomes = await verify(stage ? { stage } : { baseUrl }, options, {
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
