import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { secretText } from '../../lib/aws/secret.ts';
import { type Outcome, selfCheck } from '../../lib/selfCheck/selfCheck.ts';
import { Stop, WRONG_USAGE } from '../operate/cli/stop.ts';
import { LOCAL_ENVIRONMENT } from '../stack/localEnvironment.ts';

const program = new Command('npx node infra/local/selfCheck.ts')
  .description('Runs the self-check against an API and prints a line per check.')
  .option('--base-url <URL>', 'check this API instead of that of a running "npm start"')
  .option('--key-file <file>', 'file with the API key (default: the environment variable SELF_CHECK_KEY)')
  .option('--local <file>', 'file that "npm start" wrote', '.local/demo.json')
  .addHelpText('after', '\nExit codes: 0 all checks passed, 1 a check failed, 2 wrong usage.')
  .exitOverride(({ exitCode }) => process.exit(exitCode && WRONG_USAGE));

/** Reads a file, or ends with a line that says why that is impossible. */
function contentOf(file: string, lineFor: (error: Error) => string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Stop(lineFor(error as Error));
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
  const { baseUrl, keyFile, local } = program.parse().opts<{ baseUrl?: string; keyFile?: string; local: string }>();
  // The key is never an argument, because other users of the machine can read those.
  const key = keyFile
    ? contentOf(keyFile, ({ message }) => `Cannot read the file: ${message}.`)
    : process.env['SELF_CHECK_KEY'];
  if (baseUrl && !key) throw new Stop('Wrong usage: add the API key with --key-file or SELF_CHECK_KEY.', WRONG_USAGE);
  const noLocal = () => 'No local API is running. Run "npm start", or add --base-url.';
  const { base_url: url, environment } = baseUrl ? { base_url: baseUrl } : JSON.parse(contentOf(local, noLocal));
  const outcomes = await selfCheck(url, async () => key ?? storedKey(environment));
  process.stdout.write(`${[url, ...outcomes.map(lineOf)].join('\n')}\n`);
  return Number(outcomes.some(({ failure }) => failure !== null));
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Stop ? error.message : (error as Error).stack}\n`);
  process.exitCode = error instanceof Stop ? error.exitCode : 1;
}
