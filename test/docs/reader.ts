import { execFile } from 'node:child_process';
import { delimiter } from 'node:path';
import { promisify } from 'node:util';
import { compared, type Step } from './guide.ts';

/* Does what a reader of the guides does: fills in placeholders and runs commands, without the project's files. */

/** What a reader fills in for the placeholders of a guide. */
export type Values = Record<string, string>;

/** The programs of this machine, without those that npm installed for this project. */
const PATH = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

/** The environment of a reader. npm uses its cache if possible. */
export function readersEnvironment(): NodeJS.ProcessEnv {
  const { BASE_URL: _, ...env } = process.env;
  return { ...env, PATH, npm_config_prefer_offline: 'true' };
}

/** A character that no command prints. */
const MARK = '\u001e';

const filled = (script: string, values: Values): string =>
  Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), script);

/** Ends only what hangs: `npm install` may wait for a registry. */
const shell = (args: string[], cwd: string) =>
  promisify(execFile)('sh', args, { cwd, env: readersEnvironment(), timeout: 600_000 });

/** Runs commands in one shell, all of them, whether they fail or not. Resolves to their output. */
export const runAll = (commands: string[], values: Values, cwd: string) =>
  shell(['-c', `${filled(commands.join(''), values)}true\n`], cwd);

/**
 * Runs commands in one shell. Resolves to the output of each, with its promised output.
 *
 * @throws Error with the output if a command fails.
 */
export async function run(steps: Step[], values: Values, cwd: string) {
  const script = steps.map(({ command }) => `${command}printf '${MARK}'\n`).join('');
  const { stdout } = await shell(['-euc', filled(script, values)], cwd);
  const outputs = stdout.split(MARK);
  return steps.map((step, at) => ({ command: step.command, ...compared(step, outputs[at] ?? '') }));
}
