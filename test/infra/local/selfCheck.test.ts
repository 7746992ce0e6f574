import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { LOCAL_ENVIRONMENT } from '../../../infra/local/environment.ts';
import { type SecretStore, startSecretStore } from '../../../infra/local/secretStore.ts';
import { type Served, serve } from '../../../infra/local/serve.ts';
import { newApiKey } from '../../../lib/base/apiKeyFormat.ts';
import { listBranches } from '../../support/listBranches.ts';
import { newAcquirer } from '../../support/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-'));
const local = join(folder, 'demo.json');
const keyFile = join(folder, 'key');

let key: string;
let api: Served;
let store: SecretStore;
beforeAll(async () => {
  ({ key } = await newAcquirer('PAYMENT_PROVIDER', 'Self-check'));
  api = await serve(listBranches);
  store = await startSecretStore({ [LOCAL_ENVIRONMENT.SELF_CHECK_KEY_SECRET]: key });
  const environment = { AWS_ENDPOINT_URL_SECRETS_MANAGER: store.endpoint };
  writeFileSync(local, JSON.stringify({ base_url: api.url, environment }));
  // With the line break that editors add.
  writeFileSync(keyFile, `${key}\n`);
});
afterAll(async () => {
  await Promise.all([api.stop(), store.stop()]);
  rmSync(folder, { recursive: true });
});

async function selfCheck(args: string[], more: NodeJS.ProcessEnv = {}) {
  const { SELF_CHECK_KEY: _, AWS_ENDPOINT_URL_SECRETS_MANAGER: __, ...env } = process.env;
  const child = spawn(process.execPath, ['infra/local/selfCheck.ts', ...args], {
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  expect(stdout + stderr).not.toContain('apk_');
  return {
    exitCode,
    stderr,
    lines: stdout
      .replace(/ \([\d.]+ ms\)$/gm, '')
      .trimEnd()
      .split('\n'),
  };
}

const ok = () => ({
  exitCode: 0,
  stderr: '',
  lines: [api.url, "ok      the self-check's key lists no branches", 'ok      an unknown key is refused'],
});

describe('prints', () => {
  test('one line per check of the API that npm start runs, with the key from its secret store', async () => {
    expect(await selfCheck(['--local', local])).toEqual(ok());
  });

  test('one line per check of any other URL, with a key from a file or the environment', async () => {
    expect(await selfCheck(['--base-url', api.url, '--key-file', keyFile])).toEqual(ok());
    expect(await selfCheck(['--base-url', api.url], { SELF_CHECK_KEY: key })).toEqual(ok());
  });

  test('the failure of a check, and exits with 1', async () => {
    expect(await selfCheck(['--base-url', api.url], { SELF_CHECK_KEY: newApiKey() })).toEqual({
      exitCode: 1,
      stderr: '',
      lines: [
        api.url,
        expect.stringMatching(
          /^FAILED {2}the self-check's key lists no branches: got 401 invalid_api_key, expected 200 with 0 of 0 branches \(request [\da-f-]{36}\)$/,
        ),
        'ok      an unknown key is refused',
      ],
    });
  });

  test('the failure to connect, and exits with 1', async () => {
    const { exitCode, lines } = await selfCheck(['--base-url', 'http://127.0.0.1:9/', '--key-file', keyFile]);
    expect(exitCode).toBe(1);
    expect(lines).toHaveLength(3);
    for (const line of lines.slice(1)) expect(line).toMatch(/^FAILED {2}.+: fetch failed: .+/);
  });
});

describe('prints', () => {
  test.each([
    [
      'if no local API is running',
      ['--local', 'nonesuch.json'],
      1,
      'No local API is running. Run "npm start", or add --base-url.',
    ],
    [
      'if the key is missing',
      ['--base-url', 'https://x'],
      2,
      'Wrong usage: add the API key with --key-file or SELF_CHECK_KEY.',
    ],
    [
      'if an option is unknown',
      ['--key', 'x'],
      2,
      'Wrong usage: Unknown option \'--key\' (see "npm run self-check -- --help")',
    ],
    [
      'if the file cannot be read',
      ['--key-file', '/nonesuch'],
      1,
      "Cannot read the file: ENOENT: no such file or directory, open '/nonesuch'.",
    ],
  ])('one line %s', async (_, args, exitCode, line) => {
    expect(await selfCheck(args)).toEqual({ exitCode, stderr: `${line}\n`, lines: [''] });
  });

  test('the usage for --help', async () => {
    const { exitCode, lines } = await selfCheck(['--help']);
    expect([exitCode, lines.length]).toEqual([0, 8]);
  });
});
