import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { BUNDLING } from '../../infra/stack/bundling.ts';
import { ownFolder, runScript } from '../support/scripts.ts';

/*
 * What a bundle has, and what it loads (infra/stack/bundling.ts).
 */

const outfile = join(ownFolder(), 'getBranch.mjs');
/** The files of which the bundle is made. */
let inputs: string[];
beforeAll(async () => {
  const entryPoints = ['functions/branches/getBranch.ts'];
  const { metafile } = await build({ ...BUNDLING, entryPoints, outfile, metafile: true });
  inputs = Object.keys(metafile.inputs);
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
  expect(await undiciFilesLoadedWith(outfile)).toBe(0);
  expect(await undiciFilesLoadedWith('node:http')).toBeGreaterThan(0);
});

test('a bundle has no code that the SDK needs only outside Lambda, such as for credentials in files', () => {
  expect(inputs).toContainEqual(expect.stringContaining('credential-provider-env'));
  expect(inputs.filter((file) => /credential-provider-(?!node|env)|EventStreamSerde/.test(file))).toEqual([]);
});
