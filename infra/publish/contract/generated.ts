import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/*
 * What the schemas of requests and responses determine is generated into files that git ignores: on `npm ci`, and by
 * whoever needs it while it is stale. `node infra/publish/contract/generated.ts` does so too.
 */

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export const GENERATED = {
  clientTypes: 'docs/client/schema.d.ts',
  consoleContract: 'docs/console.openapi.json',
  consoleTypes: 'functions/console/app/api/schema.d.ts',
  formRules: 'functions/console/app/fields/rules.json',
};

/** The file with their {@link stampOf}. It is in node_modules, so `npm ci` removes it. */
export const STAMP = `${ROOT}node_modules/.cache/generated`;

const SOURCES = [
  'functions/*/*.ts',
  'lib/**/*.ts',
  'infra/stack/**/*.{ts,yml}',
  'infra/publish/contract/*.ts',
  'package{,-lock}.json',
];

/** The hash of files of the project, by glob patterns, and of a text. */
export function hashOf(patterns: string[], text = ''): string {
  const hash = createHash('sha256').update(text);
  for (const file of globSync(patterns, { cwd: ROOT }).sort()) hash.update(file).update(readFileSync(ROOT + file));
  return hash.digest('hex').slice(0, 16);
}

/** The hash of the generated files and of what they are made of. */
export const stampOf = (): string => hashOf([...SOURCES, ...Object.values(GENERATED)]);

/** Generates the files again if one is missing, was changed, or is older than a change of what it is made of. */
export function refresh(): void {
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stampOf()) return;
  // Takes seconds, with settings of its own.
  execFileSync(process.execPath, [fileURLToPath(new URL('generate.ts', import.meta.url))]);
}

if (import.meta.main) refresh();
