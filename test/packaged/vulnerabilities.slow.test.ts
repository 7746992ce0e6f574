import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ownFolder, runScript } from '../support/scripts.ts';

const folder = ownFolder();
const reportOf = (vulnerabilities: object) =>
  JSON.stringify({
    vulnerabilities,
    metadata: { vulnerabilities: { total: Object.keys(vulnerabilities).length }, dependencies: { prod: 77 } },
  });
const VULNERABLE = reportOf({ uuid: { severity: 'high', range: '<14.0.3' } });
const UNSUPPORTED = '{ "message": "405 Method Not Allowed", "error": { "summary": "" } }';

test.each([
  ['passes', reportOf({}), 0, 'No known vulnerabilities in 77 packages.\n'],
  ['names each vulnerable package', VULNERABLE, 1, 'high: uuid <14.0.3\nSee "npm audit --omit=dev".\n'],
  [
    'is skipped if the registry does not support npm audit',
    UNSUPPORTED,
    0,
    'Skipped: the registry does not support npm audit (405 Method Not Allowed).\n',
  ],
  ['fails with output that is none', 'npm: command failed', 1, 'npm audit failed:\nnpm: command failed\n'],
])('npx node test/packaged/vulnerabilities.ts %s', async (_, printed, exitCode, output) => {
  // npm exits with code 1 for any problem.
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\ncat <<'END'\n${printed}\nEND\nexit 1\n`, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env['PATH']}` };
  const { stdout, stderr, ...outcome } = await runScript(['test/packaged/vulnerabilities.ts'], { env });
  expect({ ...outcome, output: stdout + stderr }).toEqual({ exitCode, output });
});
