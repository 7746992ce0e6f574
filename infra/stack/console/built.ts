import { createHash, randomUUID } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole, type ConsoleApp } from './build.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/console.json');
/** The code of the browser, what it shares (infra/dependencies.config.mjs), and what builds it. */
const INPUTS = [
  'functions/console/app/**/*.*',
  'docs/client/apply.ts',
  'docs/client/estate/*.ts',
  'lib/base/{invisible,words}.ts',
  'infra/stack/console/*.ts',
  'package-lock.json',
];

/** Builds the console, unless the last build had the same inputs. */
async function builtConsole(): Promise<ConsoleApp> {
  const hash = createHash('sha256');
  for (const file of globSync(INPUTS, { cwd: ROOT, exclude: ['**/node_modules'] }).sort())
    hash.update(file).update(readFileSync(join(ROOT, file)));
  const version = hash.digest('hex');
  const last = existsSync(CACHE) ? JSON.parse(readFileSync(CACHE, 'utf8')) : {};
  if (last.version === version) return last.app;
  const app = await buildConsole();
  const draft = `${CACHE}.${randomUUID()}`;
  mkdirSync(dirname(CACHE), { recursive: true });
  writeFileSync(draft, JSON.stringify({ version, app }));
  renameSync(draft, CACHE);
  return app;
}

/** The console's page and assets. In a bundle, infra/stack/bundling.ts puts the built ones here. */
export const app = await builtConsole();
