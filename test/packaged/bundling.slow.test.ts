import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { ownFolder, runScript } from '../support/scripts.ts';
import { unpackBundle } from './instance.ts';
import { ISSUER, packageOf } from './packaging.ts';

/*
 * What a bundle has, and what it loads (infra/stack/bundling.ts).
 */

const folder = ownFolder();
let bundle: string;
/** The files of which the bundle has code, by its source map. */
let sources: string[];
beforeAll(async () => {
  bundle = await unpackBundle(folder, 'getBranch');
  const packaged = await packageOf('prod', ISSUER);
  const map = readFileSync(join(packaged.folder, 'source-maps/functions/branches/getBranch.mjs.map'), 'utf8');
  sources = JSON.parse(map).sources;
});

/** Files of an HTTP client that Node.js loads with a module, and that no function uses. */
async function undiciFilesLoadedWith(module: string): Promise<number> {
  const script = `await import(${JSON.stringify(module)});
    console.log(process.moduleLoadList.filter((name) => name.includes('undici/')).length);`;
  const { exitCode, stdout } = await runScript(['--input-type=module', '--eval', script]);
  expect(exitCode).toBe(0);
  return Number(stdout);
}

test('a bundle does not load undici, which an import of node:http does', async () => {
  expect(await undiciFilesLoadedWith(bundle)).toBe(0);
  expect(await undiciFilesLoadedWith('node:http')).toBeGreaterThan(0);
});

test('a bundle has no code that the SDK needs only outside Lambda, such as for credentials in files', () => {
  expect(sources).toContainEqual(expect.stringContaining('credential-provider-env'));
  expect(sources.filter((file) => /credential-provider-(?!node|env)|EventStreamSerde/.test(file))).toEqual([]);
});
