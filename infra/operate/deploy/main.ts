import { buildArtifact } from './artifact.ts';
import { deployStacks, packageStacks, removeStacks } from './stacks.ts';

/*
 * `npm run package`, `deploy` and `remove` do for both stacks of a stage what serverless does for one, with its options, such as
 * `-- --stage prod --param deployment=AllAtOnce`. `npx node infra/operate/deploy/main.ts artifact <folder>` packages all stages into a folder.
 */

const [command = '', ...args] = process.argv.slice(2);

const COMMANDS: Record<string, () => Promise<void>> = {
  package: () => packageStacks(args),
  deploy: () => deployStacks(args),
  remove: () => removeStacks(args),
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
