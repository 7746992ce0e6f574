import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ownFolder, runScript } from '../support/scripts.ts';

const folder = ownFolder();

/** Runs the check with an npm that prints this and exits with code 1, as npm does for any problem. */
function checkWith(output: string) {
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\ncat <<'END'\n${output}\nEND\nexit 1\n`, { mode: 0o755 });
  return runScript(['test/packaged/vulnerabilities.ts'], { env: { PATH: `${folder}:${process.env['PATH']}` } });
}

const metadata = (total: number) => ({ vulnerabilities: { total }, dependencies: { prod: 77 } });

test('npm run vulnerabilities passes if npm reports none', async () => {
  expect(await checkWith(JSON.stringify({ vulnerabilities: {}, metadata: metadata(0) }))).toEqual({
    exitCode: 0,
    stdout: 'No known vulnerabilities in 77 packages.\n',
    stderr: '',
  });
});

test('npm run vulnerabilities fails and names each vulnerable package', async () => {
  const vulnerabilities = { uuid: { severity: 'high', range: '<14.0.3' } };
  expect(await checkWith(JSON.stringify({ vulnerabilities, metadata: metadata(1) }))).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'high: uuid <14.0.3\nSee "npm audit --omit=dev".\n',
  });
});

test('npm run vulnerabilities reports that it is skipped if the registry does not support npm audit', async () => {
  expect(await checkWith(JSON.stringify({ message: '405 Method Not Allowed', error: { summary: '' } }))).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: 'Skipped: the registry does not support npm audit (405 Method Not Allowed).\n',
  });
});

test.each(['npm: command failed', '', '{ "error": { "code": "ENOLOCK" } }'])(
  'npm run vulnerabilities fails with the output of npm if npm itself fails: %s',
  async (printed) => {
    expect(await checkWith(printed)).toEqual({ exitCode: 1, stdout: '', stderr: `npm audit failed:\n${printed}\n` });
  },
);
