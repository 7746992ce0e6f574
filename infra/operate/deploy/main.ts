import { text } from '@clack/prompts';
import { parametersOf } from '../../stack/template/parameters.ts';
import { buildArtifact } from './artifact.ts';
import { removeStage } from './removal.ts';
import { deployStacks, orderIn, packageStacks, removeStack } from './stacks.ts';

/*
 * `npm run package`, `deploy` and `remove` do for both stacks of a stage what serverless does for one, with its options, such as
 * `-- --stage prod --param deployment=AllAtOnce`. `npx node infra/operate/deploy/main.ts artifact <folder>` packages all stages into a folder.
 */

const [command = '', ...args] = process.argv.slice(2);

/** Does something to a stage whose parameters are right. What is wrong with them is said at once, not by serverless. */
const onStage = async (work: typeof deployStacks): Promise<void> => {
  const { stage, given } = orderIn(args);
  await parametersOf(stage, given);
  await work(args);
};

const isInteractive = process.stdin.isTTY && process.stdout.isTTY;

const COMMANDS: Record<string, () => Promise<void>> = {
  package: () => onStage(packageStacks),
  deploy: () => onStage(deployStacks),
  remove: () =>
    removeStage(args, {
      print: (line) => process.stdout.write(`${line}\n`),
      ask: isInteractive ? (message) => text({ message }) : undefined,
      remove: removeStack,
    }),
  async artifact() {
    const [folder] = args;
    if (!folder) throw new Error('Name a new folder: npx node infra/operate/deploy/main.ts artifact artifact');
    await buildArtifact(folder);
  },
};

try {
  await COMMANDS[command]?.();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
