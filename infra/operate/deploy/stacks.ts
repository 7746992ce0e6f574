import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { refresh } from '../../publish/contract/generated.ts';
import { STAGES } from '../../stack/template/definitions.ts';

/** The project's folder, in which serverless expects its configuration. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The folders of the stacks, each with its `serverless.yml`, in the order of deployment: the API names what the data stack has. */
export const DATA = 'infra/stack/data';
export const API = '.';

/** The folder of the data stack's package, in that of the API's. */
export const DATA_FOLDER = 'data';

/** Where serverless packages to, unless `--package` names another folder. */
const DEFAULT_FOLDER = '.serverless';

/** How serverless runs. By default in this project, with this process's environment, and prints what it prints. */
export interface Surroundings {
  /** The folder of the project. */
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
  stack: string,
  args: string[],
  { cwd = ROOT, env = process.env, stdio = 'inherit' }: Surroundings,
): Promise<void> {
  // The console's bundle has rules of the contract.
  refresh();
  // Zips have the mode of each file, and Lambda must be able to read it, whoever packages.
  process.umask(0o022);
  const file = join(ROOT, 'node_modules/serverless/bin/serverless.js');
  const child = spawn(process.execPath, [file, ...args], {
    cwd: join(cwd, stack),
    env,
    stdio: ['ignore', stdio, stdio],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(output || `serverless ${args[0]} in ${stack} failed.`);
}

/** What a command on a stage was asked for. */
interface Order {
  stage: string;
  /** The values of `--param`. */
  given: string[];
  /** The folder of `--package`. */
  folder: string | undefined;
  /** All arguments but `--package` and `--confirm`, as serverless takes them. */
  others: string[];
  /** The value of `--confirm`. */
  confirmed: string | undefined;
}

const OPTIONS = {
  stage: { type: 'string', short: 's' },
  param: { type: 'string', multiple: true },
  package: { type: 'string', short: 'p' },
  confirm: { type: 'string' },
} as const;

/**
 * Reads the arguments of a command.
 *
 * @throws Error without a stage. None is the default, because what is done to a stage cannot be undone.
 */
export function orderIn(args: string[]): Order {
  const { values, tokens } = parseArgs({ args, options: OPTIONS, strict: false, tokens: true });
  const { stage, param = [], package: folder, confirm } = values as { [name: string]: string } & { param?: string[] };
  if (typeof stage !== 'string')
    throw new Error(`Name the stage: add "-- --stage <stage>". Stages: ${Object.keys(STAGES).join(', ')}.`);
  const taken = new Set(
    tokens.flatMap((token) => {
      if (token.kind !== 'option' || !['package', 'confirm'].includes(token.name)) return [];
      return token.inlineValue === false ? [token.index, token.index + 1] : [token.index];
    }),
  );
  return { stage, given: param, folder, confirmed: confirm, others: args.filter((_, at) => !taken.has(at)) };
}

/**
 * Packages both stacks of a stage into a folder, which it replaces: the API's as serverless does, the data stack's in
 * {@link DATA_FOLDER} of it. Needs no network.
 */
export async function packageStacks(args: string[], surroundings: Surroundings = {}): Promise<void> {
  const { cwd = ROOT } = surroundings;
  const { folder = DEFAULT_FOLDER, others } = orderIn(args);
  // What an interrupted packaging left there would get into zips.
  rmSync(join(cwd, '.esbuild'), { recursive: true, force: true });
  const packages = resolve(cwd, folder);
  // The API's first: it empties the folder.
  await serverless(API, ['package', ...others, '--package', packages], surroundings);
  await serverless(DATA, ['package', ...others, '--package', join(packages, DATA_FOLDER)], surroundings);
}

/**
 * Deploys both stacks of a stage, from their packages if `--package` names the folder. Otherwise it packages both before it
 * deploys the first one, so that neither changes if the other cannot be packaged.
 *
 * @throws Error if the packages are of another stage.
 */
export async function deployStacks(args: string[], surroundings: Surroundings = {}): Promise<void> {
  const { cwd = ROOT } = surroundings;
  const { stage, given: params, folder: given, others } = orderIn(args);
  const folder = resolve(cwd, given ?? `${DEFAULT_FOLDER}-${process.pid}`);
  // The account is compared with the credentials, whatever is deployed.
  const late = given && params.find((each) => !each.startsWith('account='));
  if (late)
    throw new Error(`A package has its parameters. Package it again with --param ${late}. Nothing was changed.`);
  try {
    if (!given) await packageStacks([...others, '--package', folder], surroundings);
    for (const each of [folder, join(folder, DATA_FOLDER)]) checkPackage(each, stage);
    await serverless(DATA, ['deploy', '--force', ...others, '--package', join(folder, DATA_FOLDER)], surroundings);
    await serverless(API, ['deploy', '--force', ...others, '--package', folder], surroundings);
  } finally {
    if (!given) rmSync(folder, { recursive: true, force: true });
  }
}

/** Checks that a folder has the package of a stage: serverless would give one stage the template of another. */
function checkPackage(folder: string, stage: string): void {
  const state = join(folder, 'serverless-state.json');
  if (!existsSync(state)) throw new Error(`There is no package in ${folder}. Nothing was changed.`);
  const packaged = JSON.parse(readFileSync(state, 'utf8')).service.provider.stage;
  if (packaged !== stage)
    throw new Error(`The package in ${folder} is of stage ${packaged}, not of ${stage}. Nothing was changed.`);
}

/** Removes one stack of a stage, by its folder, without asking: see removal.ts. */
export const removeStack = (stack: string, args: string[]): Promise<void> =>
  serverless(stack, ['remove', ...orderIn(args).others], {});
