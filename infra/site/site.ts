import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { siteSettings } from './settings.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUILD = fileURLToPath(new URL('build.ts', import.meta.url));
/** Below node_modules, where the pages' scripts find their packages. */
const CACHE = join(ROOT, 'node_modules/.cache/site');
/** All that the site is made of. */
const INPUTS = [
  ...[
    'docs/guides/*',
    'docs/*.json',
    'docs/client/*.*',
    'infra/contract/clientPackage.ts',
    'lib/base/problem.ts',
    'package-lock.json',
  ],
  ...['infra/site/*.*', 'infra/site/.vitepress/*.*', 'infra/site/.vitepress/theme/*'],
];

function version(): string {
  const hash = createHash('sha256').update(JSON.stringify(siteSettings()));
  for (const file of globSync(INPUTS, { cwd: ROOT }).sort()) hash.update(file).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 16);
}

/**
 * The folder that holds the site, which is built first unless that has been done before.
 *
 * @param signal Ends the build.
 * @throws Error with what VitePress printed, if the build fails.
 */
export async function builtSite(signal?: AbortSignal): Promise<string> {
  const folder = join(CACHE, version());
  if (existsSync(folder)) return folder;
  const draft = join(CACHE, `draft-${process.pid}`);
  mkdirSync(CACHE, { recursive: true });
  try {
    await promisify(execFile)(process.execPath, [BUILD, draft], { cwd: ROOT, ...(signal && { signal }) });
    // Another process may have been faster.
    if (!existsSync(folder)) renameSync(draft, folder);
  } finally {
    for (const left of [draft, `${draft}-sources`]) rmSync(left, { recursive: true, force: true });
  }
  return folder;
}

/** What the files of the site hold, by their paths. */
export const filesOf = (folder: string): Map<string, Buffer> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(folder, file), readFileSync(file)]),
  );
