import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { refresh } from '../../publish/contract/generated.ts';

/** The project's folder, in which serverless expects its configuration. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The configurations of a stage's stacks, in the order of their deployment: the API names what the data stack has. */
export const DATA = 'serverless.data.yml';
export const API = 'serverless.yml';

/** The folder of the data stack's package, in that of the API's. */
export const DATA_FOLDER = 'data';

/** Where serverless packages to, unless `--package` names another folder. */
const DEFAULT_FOLDER = '.serverless';

/** How serverless runs. By default in the project's folder, with this process's environment, and prints what it prints. */
export interface Surroundings {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  stdio?: 'inherit' | 'pipe';
}

/**
 * Runs a command of serverless on one stack.
 *
 * @throws Error with its output, unless that was inherited.
 */
async function serverless(
  config: string,
  args: string[],
  { cwd = ROOT, env = process.env, stdio = 'inherit' }: Surroundings,
): Promise<void> {
  // The console's bundle has rules of the contract.
  refresh();
  const file = join(ROOT, 'node_modules/serverless/bin/serverless.js');
  const child = spawn(process.execPath, [file, ...args, '--config', config], {
    cwd,
    env,
    stdio: ['ignore', stdio, stdio],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(output || `serverless ${args[0]} of ${config} failed.`);
}

/** The value of `--package`, and all other arguments. */
function folderIn(args: string[]): [folder: string | undefined, others: string[]] {
  const at = args.findIndex((each) => each === '--package' || each === '-p');
  return at < 0 ? [undefined, args] : [args[at + 1], args.toSpliced(at, 2)];
}

/**
 * Packages both stacks of a stage into a folder, which it replaces: the API's as serverless does, the data stack's in
 * {@link DATA_FOLDER} of it. Needs no network.
 */
export async function packageStacks(args: string[], surroundings: Surroundings = {}): Promise<void> {
  const { cwd = ROOT } = surroundings;
  const [folder = DEFAULT_FOLDER, others] = folderIn(args);
  const draft = join(cwd, `${DEFAULT_FOLDER}-${DATA_FOLDER}-${process.pid}`);
  try {
    await serverless(DATA, ['package', ...others], surroundings);
    // Packaging the API empties the folder.
    renameSync(join(cwd, DEFAULT_FOLDER), draft);
    await serverless(API, ['package', ...others, '--package', folder], surroundings);
    renameSync(draft, resolve(cwd, folder, DATA_FOLDER));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Deploys both stacks of a stage, from their packages if `--package` names the folder. */
export async function deployStacks(args: string[], surroundings: Surroundings = {}): Promise<void> {
  const [folder, others] = folderIn(args);
  const from = (...parts: string[]) => (folder ? ['--package', join(folder, ...parts)] : []);
  await serverless(DATA, ['deploy', '--force', ...others, ...from(DATA_FOLDER)], surroundings);
  await serverless(API, ['deploy', '--force', ...others, ...from()], surroundings);
}

/** Removes both stacks of a stage, the data stack last. A protected stack is refused. */
export async function removeStacks(args: string[], surroundings: Surroundings = {}): Promise<void> {
  await serverless(API, ['remove', ...args], surroundings);
  await serverless(DATA, ['remove', ...args], surroundings);
}
