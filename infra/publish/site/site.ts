import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hashOf, ROOT } from '../contract/generated.ts';
import { siteSettings } from './settings.ts';

const BUILD = fileURLToPath(new URL('build.ts', import.meta.url));
const REFRESH = fileURLToPath(new URL('../contract/generated.ts', import.meta.url));
/** In node_modules, so the pages' scripts can resolve their packages. */
const CACHE = join(ROOT, 'node_modules/.cache/site');
const INPUTS = [
  'docs/guides/*',
  'docs/*.json',
  'docs/client/*.*',
  'docs/client/{estate,examples}/*',
  'CHANGELOG.md',
  'infra/publish/contract/*.*',
  'infra/publish/site/*.*',
  'infra/publish/site/.vitepress/*.*',
  'infra/publish/site/.vitepress/theme/*',
  'lib/base/{invisible,problem,words}.ts',
  'package-lock.json',
];

/**
 * Builds the site, unless the cache has a build of the same inputs and settings. Returns its folder.
 *
 * @param env The environment variables with its settings.
 * @param signal Aborts the build.
 * @throws Error with the output of VitePress if the build fails.
 */
export async function builtSite(env = process.env, signal?: AbortSignal): Promise<string> {
  // Takes seconds if something is stale. In a process of its own, like the build, so that `npm start` responds meanwhile.
  const run = (...script: string[]) =>
    promisify(execFile)(process.execPath, script, { cwd: ROOT, env, ...(signal && { signal }) });
  await run(REFRESH);
  const folder = join(CACHE, hashOf(INPUTS, JSON.stringify(siteSettings(env))));
  if (existsSync(folder)) return folder;
  const draft = join(CACHE, `draft-${process.pid}`);
  mkdirSync(CACHE, { recursive: true });
  try {
    await run(BUILD, draft);
    // Another process may have finished first.
    if (!existsSync(folder)) renameSync(draft, folder);
  } finally {
    for (const left of [draft, `${draft}-sources`]) rmSync(left, { recursive: true, force: true });
  }
  return folder;
}

/** Reads the files of the site. Returns their contents by path. */
export const filesOf = (folder: string): Map<string, Buffer> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(folder, file), readFileSync(file)]),
  );
