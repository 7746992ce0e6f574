import { expect, test } from '@jest/globals';
import { wrapped } from '../../../../infra/operate/cli/output.ts';

const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`).join(' ');

test.each([
  ['a short text', 'one line', 1],
  ['many words', words(60), 5],
  ['a word that is longer than a line', `a ${'x'.repeat(250)} b`, 3],
])('a text is broken into lines at spaces, without losing any of it: %s', (_, text, count) => {
  const lines = wrapped(text, 4).split('\n');
  expect(lines).toHaveLength(count);
  for (const line of lines.slice(1)) expect(line).toMatch(/^ {4}\S/);
  for (const line of lines.filter((each) => !each.includes('x'))) expect(line.length).toBeLessThanOrEqual(104);
  expect(lines.join('').replace(/ /g, '')).toBe(text.replace(/ /g, ''));
});

test('a line break in a text becomes a space', () => {
  expect(wrapped('one\ntwo\r\nthree', 4)).toBe('one two three');
});
