import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { LOCAL_ENVIRONMENT } from '../../stack/localEnvironment.ts';
import { CONSOLE } from './console.ts';
import { GENERATED, ROOT, STAMP, stampOf } from './generated.ts';
import { openapi } from './openapi.ts';
import { PARTNERS } from './partners.ts';
import { interfacePaths } from './paths.ts';
import { formRules } from './rules.ts';
import { typesOf } from './types.ts';

/*
 * Generates the files of generated.ts: `node infra/publish/contract/generate.ts`.
 */

Object.assign(process.env, LOCAL_ENVIRONMENT, { BASE_URL: 'https://api.acquirer.example' });
const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

/** Writes a file at once, as another process may read it. */
function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}

const [partners, console] = await Promise.all(
  [PARTNERS, CONSOLE].map(async (each) => JSON.parse(json(await openapi(each)))),
);
const contents: Record<keyof typeof GENERATED, string> = {
  clientTypes: await typesOf({ ...partners, paths: interfacePaths(partners.paths) }, 'docs/openapi.json'),
  consoleContract: json(console),
  consoleTypes: await typesOf(console, GENERATED.consoleContract),
  formRules: json(formRules(partners, console)),
};
for (const [name, file] of Object.entries(GENERATED)) write(ROOT + file, contents[name as keyof typeof GENERATED]);
write(STAMP, stampOf());
