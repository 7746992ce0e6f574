import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { buildArtifact } from './artifact.ts';
import { restoreGroups, rollBack } from './rollback.ts';

/*
 * `npm run artifact -- <folder>` packages all stages into a folder. `npm run rollback -- --stage <stage>` rolls a stage
 * back, and verifies it; `--to` and `--restore-groups` are in docs/operations.md.
 */

const {
  values: { stage, to, 'restore-groups': onlyGroups },
  positionals: [command, folder],
} = parseArgs({
  allowPositionals: true,
  options: { stage: { type: 'string' }, to: { type: 'string' }, 'restore-groups': { type: 'boolean' } },
});

const COMMANDS: Record<string, () => Promise<unknown>> = {
  async artifact() {
    if (!folder) throw new Error('Name a new folder: npm run artifact -- artifact');
    await buildArtifact(folder);
  },
  async rollback() {
    if (!stage) throw new Error('Name the stage: npm run rollback -- --stage prod');
    if (onlyGroups) return restoreGroups(stage);
    await rollBack(stage, to);
    process.exitCode = spawnSync('npm', ['run', 'verify', '--', '--stage', stage], { stdio: 'inherit' }).status ?? 1;
  },
};

try {
  await COMMANDS[command ?? '']?.();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
