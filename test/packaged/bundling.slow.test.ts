import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { LOCAL_ENVIRONMENT } from '../../infra/stack/localEnvironment.ts';
import { newApiKey } from '../../lib/base/apiKeyFormat.ts';
import { eventOf } from '../support/api.ts';
import { ownFolder, runScript } from '../support/scripts.ts';
import { BUNDLING, invokeUnpacked } from './packaged.ts';

/*
 * What a bundle has, and what it loads (infra/stack/bundling.ts).
 */

const folder = ownFolder();
const FILE = 'functions/branches/getBranch.mjs';
/** The files of which the bundle is made. */
let inputs: string[];
beforeAll(async () => {
  const options = { ...BUNDLING, entryPoints: [FILE.replace('.mjs', '.ts')], outfile: join(folder, FILE) };
  const { metafile } = await build({ ...options, metafile: true });
  inputs = Object.keys(metafile.inputs);
});

/** The environment of a function on AWS, without credentials. */
const environment = {
  TABLE_NAME: process.env['TABLE_NAME'] ?? '',
  BASE_URL: 'https://api.example.com',
  LOG_LEVEL: 'INFO',
  METRICS_NAMESPACE: 'bundling',
  RATE: '100',
  BURST: '200',
  EVENT_DAYS: '400',
  AWS_REGION: 'eu-central-1',
  AWS_ENDPOINT_URL_DYNAMODB: process.env['AWS_ENDPOINT_URL_DYNAMODB'] ?? '',
};

/** Files of an HTTP client that Node.js loads with a module, and that no function uses. */
async function undiciFilesLoadedWith(module: string): Promise<number> {
  const script = `await import(${JSON.stringify(module)});
    console.log(process.moduleLoadList.filter((name) => name.includes('undici/')).length);`;
  const { stdout } = await runScript(['--input-type=module', '--eval', script], { env: environment });
  return Number(stdout);
}

test('a bundle does not load undici, which an import of node:http does', async () => {
  expect(await undiciFilesLoadedWith(join(folder, FILE))).toBe(0);
  expect(await undiciFilesLoadedWith('node:http')).toBeGreaterThan(0);
});

test('a bundle has no code that the SDK needs only outside Lambda', () => {
  expect(inputs).toContainEqual(expect.stringContaining('credential-provider-env'));
  expect(inputs.filter((file) => /credential-provider-(?!node|env)|EventStreamSerde/.test(file))).toEqual([]);
});

test('a bundle reads credentials from the environment and from no file', async () => {
  mkdirSync(join(folder, '.aws'));
  const known = '[default]\naws_access_key_id = file\naws_secret_access_key = file\n';
  writeFileSync(join(folder, '.aws/credentials'), known);
  const event = eventOf('getBranch', { key: newApiKey(), path: { mid: 'NOSUCHMID' } });
  const invoke = (more: Record<string, string> = {}) =>
    invokeUnpacked(
      { folder, handler: FILE.replace('mjs', 'handler'), environment: { ...environment, HOME: folder, ...more } },
      event,
    );
  const { response, log } = await invoke();
  expect(response.statusCode).toBe(400);
  expect(JSON.parse(log).causes).toEqual([
    expect.objectContaining({
      name: 'CredentialsProviderError',
      message: 'Unable to find environment variable credentials.',
    }),
  ]);
  const inEnvironment = { AWS_ACCESS_KEY_ID: LOCAL_ENVIRONMENT.AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: 'local' };
  expect((await invoke(inEnvironment)).response.statusCode).toBe(401);
});
