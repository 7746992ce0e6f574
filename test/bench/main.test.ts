import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

const PARTS = /There are pages, costs, events, coldStart, neighbours, shares, memory, bodies, timeouts\.\n$/;

test.each([
  ['an unknown part', ['pages', 'nothing'], PARTS],
  ['an unknown option', ['--nothing'], /^Unknown option '--nothing'.* Try "npm run bench -- --help"\.\n$/],
  ['runs that are not a number', ['--runs', 'many'], /^--runs must be a whole number from 1 to 1000\.\n$/],
  ['no runs', ['--runs', '0'], /^--runs must be a whole number from 1 to 1000\.\n$/],
])('the bench rejects %s with one line', (_, args, message) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/bench/main.ts', ...args], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(message);
});
