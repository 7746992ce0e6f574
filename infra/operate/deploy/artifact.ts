import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { STAGES } from '../../stack/template/definitions.ts';
import { packageStacks } from './stacks.ts';

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

/**
 * The zips of an artifact that differ between stages, such as `lookup.zip`. Stages differ in their templates only, so
 * there should be none.
 */
export function differing(folder: string): string[] {
  const byName = Object.groupBy(globSync('*/*.zip', { cwd: folder }).sort(), (file) => file.split('/')[1] as string);
  return Object.entries(byName)
    .filter(([, files = []]) => new Set(files.map((file) => hashOf(join(folder, file)))).size > 1)
    .map(([name]) => name);
}

/** Writes the checksums of all files of an artifact to `SHA256SUMS` in its folder, as `sha256sum --check` reads them. */
export function writeChecksums(folder: string): void {
  const files = globSync('*/**/*.*', { cwd: folder }).sort();
  writeFileSync(join(folder, 'SHA256SUMS'), files.map((file) => `${hashOf(join(folder, file))}  ${file}\n`).join(''));
}

/**
 * Packages all stages into one folder, with their checksums.
 *
 * @throws Error if the folder exists, or if a zip is not the same in all stages.
 */
export async function buildArtifact(folder: string): Promise<void> {
  if (existsSync(folder)) throw new Error(`There is a folder ${folder} already.`);
  // One after another, because serverless packages all of them in the same folder.
  // Credentials and Regions have no influence on what is built.
  for (const stage of Object.keys(STAGES))
    await packageStacks(['--stage', stage, '--package', join(folder, stage)], {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], RUNBOOK: process.env['RUNBOOK'] },
      stdio: 'pipe',
    });
  const different = differing(folder);
  if (different.length > 0) throw new Error(`These differ between stages: ${different.join(', ')}.`);
  writeChecksums(folder);
}
