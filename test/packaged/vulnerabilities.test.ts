import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';

const folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the check with an npm that prints this and exits with code 1, as npm does for any problem. */
function checkWith(output: string) {
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\ncat <<'END'\n${output}\nEND\nexit 1\n`, { mode: 0o755 });
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/packaged/vulnerabilities.ts'], {
    encoding: 'utf8',
    env: { PATH: `${folder}:${process.env['PATH']}` },
  });
  return { status, stdout, stderr };
}

const metadata = (total: number) => ({ vulnerabilities: { total }, dependencies: { prod: 77 } });

test('npm run vulnerabilities passes if npm reports none', () => {
  expect(checkWith(JSON.stringify({ vulnerabilities: {}, metadata: metadata(0) }))).toEqual({
    status: 0,
    stdout: 'No known vulnerabilities in 77 packages.\n',
    stderr: '',
  });
});

test('npm run vulnerabilities fails and names each vulnerable package', () => {
  const vulnerabilities = { uuid: { severity: 'high', range: '<14.0.3' } };
  expect(checkWith(JSON.stringify({ vulnerabilities, metadata: metadata(1) }))).toEqual({
    status: 1,
    stdout: '',
    stderr: 'high: uuid <14.0.3\nSee "npm audit --omit=dev".\n',
  });
});

test('npm run vulnerabilities reports that it is skipped if the registry does not support npm audit', () => {
  expect(checkWith(JSON.stringify({ message: '405 Method Not Allowed', error: { summary: '' } }))).toEqual({
    status: 0,
    stderr: '',
    stdout: 'Skipped: the registry does not support npm audit (405 Method Not Allowed).\n',
  });
});

test.each(['npm: command failed', '', '{ "error": { "code": "ENOLOCK" } }'])(
  'npm run vulnerabilities fails with the output of npm if npm itself fails: %s',
  (printed) => {
    expect(checkWith(printed)).toEqual({ status: 1, stdout: '', stderr: `npm audit failed:\n${printed}\n` });
  },
);
