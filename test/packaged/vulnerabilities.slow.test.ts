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
const UNSUPPORTED = '{ "message": "405 Method Not Allowed", "error": { "summary": "" } }';

test.each([
  ['passes if npm reports none', reportOf({}), 0, 'No known vulnerabilities in 77 packages.\n', ''],
  [
    'fails and names each vulnerable package',
    reportOf({ uuid: { severity: 'high', range: '<14.0.3' } }),
    1,
    '',
    'high: uuid <14.0.3\nSee "npm audit --omit=dev".\n',
  ],
  [
    'reports that it is skipped if the registry does not support npm audit',
    UNSUPPORTED,
    0,
    'Skipped: the registry does not support npm audit (405 Method Not Allowed).\n',
    '',
  ],
  ...['npm: command failed', '', '{ "error": { "code": "ENOLOCK" } }'].map(
    (printed) => [`fails with npm’s output "${printed}"`, printed, 1, '', `npm audit failed:\n${printed}\n`] as const,
  ),
] as const)('npm run vulnerabilities %s', async (_, printed, exitCode, stdout, stderr) => {
  // npm exits with code 1 for any problem.
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\ncat <<'END'\n${printed}\nEND\nexit 1\n`, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env['PATH']}` };
  expect(await runScript(['test/packaged/vulnerabilities.ts'], { env })).toEqual({ exitCode, stdout, stderr });
});
