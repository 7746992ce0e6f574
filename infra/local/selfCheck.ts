import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { secretText } from '../../lib/aws/secret.ts';
import { type Outcome, selfCheck } from '../../lib/selfCheck/selfCheck.ts';
import { Stop, WRONG_USAGE } from '../operate/cli/stop.ts';
import { LOCAL_ENVIRONMENT } from '../stack/localEnvironment.ts';

const HELP = `Runs the self-check against an API and prints a line per check.
Exit codes: 0 all checks passed, 1 a check failed, 2 wrong usage.

  npx node infra/local/selfCheck.ts                                             checks the API of a running "npm start"
  npx node infra/local/selfCheck.ts --base-url <URL> --key-file <file>       checks another API, with the API key in a file

  --local <file>    file that "npm start" wrote (default: .local/demo.json)
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
    throw new Stop(
      `Wrong usage: ${(error as Error).message} (see "npx node infra/local/selfCheck.ts --help")`,
      WRONG_USAGE,
    );
  }
}

/** The API key from the user, if any. It is never an argument, because other users of the machine can read those. */
function givenKey(keyFile: string | undefined): string | undefined {
  if (keyFile === undefined) return process.env['SELF_CHECK_KEY'];
  try {
    return readFileSync(keyFile, 'utf8');
  } catch (error) {
    throw new Stop(`Cannot read the file: ${(error as Error).message}.`);
  }
}

/** Reads the file that `npm start` wrote. */
function readLocal(local: string): { base_url: string; environment: NodeJS.ProcessEnv } {
  try {
    return JSON.parse(readFileSync(local, 'utf8'));
  } catch {
    throw new Stop('No local API is running. Run "npm start", or add --base-url.');
  }
}

/** Reads the key from the secret store of `npm start`, as the function does. */
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
  if (baseUrl && !key) throw new Stop('Wrong usage: add the API key with --key-file or SELF_CHECK_KEY.', WRONG_USAGE);
  const { base_url: url, environment } = baseUrl ? { base_url: baseUrl } : readLocal(local);
  const outcomes = await selfCheck(url, async () => key ?? storedKey(environment ?? {}));
  process.stdout.write(`${[url, ...outcomes.map(lineOf)].join('\n')}\n`);
  return Number(outcomes.some(({ failure }) => failure !== null));
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Stop ? error.message : (error as Error).stack}\n`);
  process.exitCode = error instanceof Stop ? error.exitCode : 1;
}
