import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { secretText } from '../../lib/secret.ts';
import { type Outcome, selfCheck } from '../../lib/selfCheck.ts';
import { Stop, WRONG_USAGE } from '../admin/stop.ts';
import { LOCAL_ENVIRONMENT } from './environment.ts';

const HELP = `Calls an API as its self-check does, and prints a line per check. The exit code is 0 when all is well, 1 when
something is wrong, and 2 for wrong usage.

  npm run self-check                                             the API of a running "npm start"
  npm run self-check -- --base-url <URL> --key-file <file>       another one, with the API key in a file

  --local <file>    what "npm start" wrote about itself (default .local/demo.json)
  SELF_CHECK_KEY    the API key, instead of --key-file
`;

function options() {
  try {
    return parseArgs({
      options: {
        'base-url': { type: 'string' },
        'key-file': { type: 'string' },
        local: { type: 'string', default: '.local/demo.json' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new Stop(`Wrong usage: ${(error as Error).message} (see "npm run self-check -- --help")`, WRONG_USAGE);
  }
}

/** The API key that the user gives, if any: never as an argument, which other users of the machine can read. */
function givenKey(keyFile: string | undefined): string | undefined {
  if (keyFile === undefined) return process.env['SELF_CHECK_KEY'];
  try {
    return readFileSync(keyFile, 'utf8');
  } catch (error) {
    throw new Stop(`The file cannot be read: ${(error as Error).message}.`);
  }
}

/** What `npm start` wrote about itself. */
function running(local: string): { base_url: string; environment: NodeJS.ProcessEnv } {
  try {
    return JSON.parse(readFileSync(local, 'utf8'));
  } catch {
    throw new Stop('Nothing runs on this machine: start it with "npm start", or give --base-url.');
  }
}

/** The key that `npm start` put into its secret store, fetched as the function does. */
async function storedKey(environment: NodeJS.ProcessEnv): Promise<string> {
  Object.assign(process.env, LOCAL_ENVIRONMENT, environment);
  return secretText(() => LOCAL_ENVIRONMENT.SELF_CHECK_KEY_SECRET)();
}

const lineOf = ({ check, failure, request_id, duration_ms }: Outcome): string =>
  failure === null
    ? `ok      ${check} (${duration_ms} ms)`
    : `FAILED  ${check}: ${failure}${request_id ? ` (request ${request_id})` : ''}`;

/** @returns The exit code. */
async function main(): Promise<number> {
  const { 'base-url': baseUrl, 'key-file': keyFile, local, help } = options();
  if (help) {
    process.stdout.write(HELP);
    return 0;
  }
  const key = givenKey(keyFile);
  if (baseUrl && !key) throw new Stop('Wrong usage: give the API key by --key-file or SELF_CHECK_KEY.', WRONG_USAGE);
  const { base_url: url, environment } = baseUrl ? { base_url: baseUrl } : running(local);
  const outcomes = await selfCheck(url.replace(/\/$/, ''), async () => key ?? storedKey(environment ?? {}));
  process.stdout.write(`${[url, ...outcomes.map(lineOf)].join('\n')}\n`);
  return Number(outcomes.some(({ failure }) => failure !== null));
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Stop ? error.message : (error as Error).stack}\n`);
  process.exitCode = error instanceof Stop ? error.exitCode : 1;
}
