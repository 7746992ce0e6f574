import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { newApiKey } from '../../lib/base/apiKeyFormat.ts';
import { eventOf } from '../support/api.ts';
import { ownFolder, runScript } from '../support/scripts.ts';
import { BUNDLING, invokeUnpacked } from './packaged.ts';

const HANDLER = 'functions/branches/getBranch.handler';
const FILE = 'functions/branches/getBranch.mjs';

/** A bundle as deployed, and one without our plugins. */
const bundles = {} as Record<'tuned' | 'plain', { folder: string; inputs: string[] }>;
const root = ownFolder();
beforeAll(async () => {
  for (const kind of ['tuned', 'plain'] as const) {
    const { metafile } = await build({
      ...BUNDLING,
      ...(kind === 'plain' && { plugins: [] }),
      entryPoints: ['functions/branches/getBranch.ts'],
      outfile: join(root, kind, FILE),
      metafile: true,
    });
    bundles[kind] = { folder: join(root, kind), inputs: Object.keys(metafile.inputs) };
  }
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
const event = () => eventOf('getBranch', { key: newApiKey(), path: { mid: 'NOSUCHMID' } });

/** Files of an HTTP client that Node.js has loaded after importing a bundle, and that no function uses. */
async function undiciFilesLoadedBy(folder: string): Promise<number> {
  const script = `await import(${JSON.stringify(join(folder, FILE))});
    console.log(process.moduleLoadList.filter((name) => name.includes('undici/')).length);`;
  const { exitCode, stdout } = await runScript(['--input-type=module', '--eval', script], { env: environment });
  expect(exitCode).toBe(0);
  return Number(stdout);
}

describe('the bundle of a function', () => {
  test('does not load undici, unlike a bundle without our plugins', async () => {
    expect(await undiciFilesLoadedBy(bundles.tuned.folder)).toBe(0);
    expect(await undiciFilesLoadedBy(bundles.plain.folder)).toBeGreaterThan(0);
  });

  test('has no code that the SDK needs only outside Lambda, unlike a bundle without our plugins', () => {
    const elsewhere = (files: string[]) =>
      files.filter((file) => /credential-provider-(?!node|env)|EventStreamSerde/.test(file));
    expect(elsewhere(bundles.tuned.inputs)).toEqual([]);
    expect(elsewhere(bundles.plain.inputs)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('credential-provider-sso'),
        expect.stringContaining('EventStreamSerde'),
      ]),
    );
  });

  test('reads credentials from the environment and from no file', async () => {
    const home = join(root, 'home');
    mkdirSync(join(home, '.aws'), { recursive: true });
    writeFileSync(
      join(home, '.aws/credentials'),
      '[default]\naws_access_key_id = file\naws_secret_access_key = file\n',
    );
    const invoke = (folder: string, more = {}) =>
      invokeUnpacked({ folder, handler: HANDLER, environment: { ...environment, HOME: home, ...more } }, event());

    const { response, log } = await invoke(bundles.tuned.folder);
    expect(response.statusCode).toBe(400);
    expect(JSON.parse(log).causes).toEqual([
      expect.objectContaining({
        name: 'CredentialsProviderError',
        message: 'Unable to find environment variable credentials.',
      }),
    ]);
    const known = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
    expect((await invoke(bundles.tuned.folder, known)).response.statusCode).toBe(401);
    expect((await invoke(bundles.plain.folder)).response.statusCode).toBe(401);
  });
});
