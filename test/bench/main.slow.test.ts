import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

const PARTS =
  /^error: .* Allowed choices are pages, searches, costs, events, coldStart, neighbours, shares, memory, bodies\.\n$/;

test.each([
  ['an unknown part', ['pages', 'nothing'], PARTS],
  ['an unknown option', ['--nothing'], /^error: unknown option '--nothing'\n$/],
  ['runs that are not a number', ['--runs', 'many'], /^Wrong usage: --runs <number>: Must be a whole number/],
  ['no runs', ['--runs', '0'], /^Wrong usage: --runs <number>: Must be a whole number of 1 or more\.\n$/],
])('the bench rejects %s with one line', (_, args, message) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/bench/main.ts', ...args], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(message);
});
