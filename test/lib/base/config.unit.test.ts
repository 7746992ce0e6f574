import { afterEach, expect, test } from '@jest/globals';
import { setting } from '../../../lib/base/config.ts';

const before = process.env['BASE_URL'];
afterEach(() => {
  process.env['BASE_URL'] = before;
});

test.each([
  ['is absent', () => delete process.env['BASE_URL']],
  ['is empty', () => Object.assign(process.env, { BASE_URL: '' })],
])('throws an error that names the setting if it %s', (_, unset) => {
  unset();
  expect(() => setting('BASE_URL')).toThrow('The environment variable BASE_URL is not set.');
});
