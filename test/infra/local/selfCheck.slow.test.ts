import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Served } from '../../../infra/local/serve.ts';
import { rotateSelfCheckKey } from '../../../infra/operate/cli/selfCheckKey.ts';
import { newApiKey } from '../../../lib/base/apiKeyFormat.ts';
import { kindOf } from '../../../lib/table/keys.ts';
import { serveHandlers } from '../../support/overHttp.ts';
import { ownFolder, runScript } from '../../support/scripts.ts';
import { storedBy } from '../../support/stored.ts';
import { newAcquirer } from '../../support/world.ts';

/* start.test.ts has the self-check of the API that `npm start` runs. */

const keyFile = join(ownFolder(), 'key');

let key: string;
let api: Served;
beforeAll(async () => {
  await rotateSelfCheckKey(async (issued) => {
    key = issued;
  });
  api = await serveHandlers();
  // With the line break that editors add.
  writeFileSync(keyFile, `${key}\n`);
});
afterAll(() => api.stop());

async function selfCheck(args: string[], more: NodeJS.ProcessEnv = {}) {
  const { SELF_CHECK_KEY: _, ...env } = process.env;
  const script = ['infra/local/selfCheck.ts', ...args];
  const { exitCode, stdout, stderr } = await runScript(script, { env: { ...env, ...more } });
  expect(stdout + stderr).not.toContain('apk_');
  const lines = stdout.replace(/ \([\d.]+ ms\)$/gm, '').split('\n');
  return { exitCode, stderr, lines: lines.slice(0, -1) };
}

const LIST = "the self-check's key lists its own branch only";
const WITH_OWN_KEY = [LIST, 'a card of nobody identifies no member', 'a change of its terminal is stored'];
const CHECKS = [...WITH_OWN_KEY, 'an unknown key is refused'];

test.each<[title: string, args: () => string[], SELF_CHECK_KEY: () => string | undefined, failed: string[]]>([
  ['with a key from a file', () => ['--key-file', keyFile], () => undefined, []],
  ['with a key from the environment', () => [], () => key, []],
  ['and exits with 1 if one fails', () => [], newApiKey, WITH_OWN_KEY],
])('prints one line per check %s', async (_, args, givenKey, failed) => {
  const failure =
    /: (got 401 invalid_api_key, expected 200 with\w* .+ \(request [\da-f-]{36}\)|its branch is not known)$/;
  expect(await selfCheck(['--base-url', api.url, ...args()], { SELF_CHECK_KEY: givenKey() })).toEqual({
    exitCode: Number(failed.length > 0),
    stderr: '',
    lines: [
      api.url,
      ...CHECKS.map((check) =>
        failed.includes(check)
          ? expect.stringMatching(new RegExp(`^FAILED {2}${check}${failure.source}`))
          : `ok      ${check}`,
      ),
    ],
  });
});

test('creates nothing with the key of another acquirer', async () => {
  const other = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const { response, changed } = await storedBy(() => selfCheck(['--base-url', api.url], { SELF_CHECK_KEY: other.key }));
  expect(response.exitCode).toBe(1);
  expect(response.lines[1]).toMatch(
    /: got 200 with 0 of 0 branches, .+; POST \/ext\/api\/v1\/merchants got 422 validation_failed \(request [\da-f-]{36}\) /,
  );
  expect(Object.keys(changed).filter((key) => kindOf(key) !== 'API_KEY_USE')).toEqual([]);
});

test('prints why it cannot connect, and exits with 1', async () => {
  const { exitCode, lines } = await selfCheck(['--base-url', 'http://127.0.0.1:9/', '--key-file', keyFile]);
  expect(exitCode).toBe(1);
  expect(lines.slice(1)).toEqual(
    CHECKS.map((check) =>
      expect.stringMatching(new RegExp(`^FAILED {2}${check}: (fetch failed: .+|its branch is not known$)`)),
    ),
  );
});

test.each([
  [['--local', 'nonesuch.json'], 1, 'No local API is running. Run "npm start", or add --base-url.'],
  [['--base-url', 'https://x'], 2, 'Wrong usage: add the API key with --key-file or SELF_CHECK_KEY.'],
  [['--key', 'x'], 2, 'Wrong usage: Unknown option \'--key\' (see "npx node infra/local/selfCheck.ts --help")'],
  [['--key-file', '/nonesuch'], 1, "Cannot read the file: ENOENT: no such file or directory, open '/nonesuch'."],
])('prints one line for %j', async (args, exitCode, line) => {
  expect(await selfCheck(args)).toEqual({ exitCode, stderr: `${line}\n`, lines: [] });
});

test('prints the usage for --help', async () => {
  const { exitCode, lines } = await selfCheck(['--help']);
  expect([exitCode, lines.length]).toEqual([0, 8]);
});
