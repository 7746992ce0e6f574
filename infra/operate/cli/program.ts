import { CommanderError, Option } from 'commander';
import { SessionCommand } from './command.ts';
import { acquirers } from './commands/acquirers.ts';
import { audit } from './commands/audit.ts';
import { cards } from './commands/cards.ts';
import { find } from './commands/find.ts';
import { history } from './commands/history.ts';
import { keys } from './commands/keys.ts';
import { members } from './commands/members.ts';
import { partnerships } from './commands/partnerships.ts';
import { people } from './commands/people.ts';
import { referenceData } from './commands/referenceData.ts';
import { selfCheck } from './commands/selfCheck.ts';
import { webhooks } from './commands/webhooks.ts';
import { explain, oneLine } from './explain.ts';
import type { Host } from './session.ts';
import { Stop, WRONG_USAGE } from './stop.ts';

const GROUPS = [
  find,
  history,
  acquirers,
  partnerships,
  keys,
  people,
  referenceData,
  webhooks,
  members,
  cards,
  audit,
  selfCheck,
];

const NAME = 'npm run operator --';

const HELP = `
Without --stage or --table, commands use the table of a running "npm start".
Exit codes: 0 success, 1 refused or failed, 2 wrong usage.

Examples:
  $ ${NAME} find <TID, MID, serial number or any other id> --stage dev
  $ ${NAME} history <TID, MID, acquirer or API key> --stage dev
  $ ${NAME} acquirers create --type PAYMENT_PROVIDER --name Payfair --stage dev
  $ ${NAME} partnerships link 'Northgate Distribution' Payfair --stage dev
  $ ${NAME} keys issue Payfair --label production --stage dev
  $ ${NAME} people invite --acquirer Payfair --email anna@example.com --role admin --stage dev
  $ ${NAME} members import members.csv --stage dev
  $ ${NAME} audit --stage dev
  $ ${NAME} self-check enable --stage dev
  $ npm run --silent operator -- acquirers list --json | jq -r .[].name
`;

function program(host: Host): SessionCommand {
  const root = new SessionCommand(host)
    .name(NAME)
    .description("The operator's tool for the Acquirer Partner API.")
    .addOption(new Option('--stage <stage>', 'use the table of this stage in AWS').conflicts(['table', 'local']))
    .addOption(new Option('--table <name>', 'use this table in AWS, such as a restored one').conflicts('local'))
    .option('--region <region>', 'AWS Region (default: AWS_REGION, or else eu-central-1)')
    .option('--secret <name>', "secret with the card HMAC key (default: the stage's, or <table>/card-hmac-key)")
    .option('--local <file>', 'file that "npm start" wrote (default: .local/demo.json)')
    .option('--json', 'print JSON; imports print JSON Lines')
    .option('--yes', 'do not ask for confirmation')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
      outputError: (text, write) =>
        write(`${oneLine(text.replace('error: ', 'Wrong usage: '))} (see "${NAME} --help")\n`),
    })
    .exitOverride()
    .addHelpText('after', HELP);
  for (const addTo of GROUPS) addTo(root);
  return root;
}

/**
 * Runs one command. Never throws: a failure is one line on stderr.
 *
 * @param args As typed after `npm run operator --`.
 * @returns The exit code.
 */
export async function run(args: string[], host: Host): Promise<number> {
  try {
    await program(host).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already written its message, or the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    host.stderr.write(`${explain(error as Error)}\n`);
    return error instanceof Stop ? error.exitCode : 1;
  }
}
