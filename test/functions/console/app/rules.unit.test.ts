import { expect, test } from '@jest/globals';
import { brokenRule } from '../../../../functions/console/app/fields/rules.ts';
import { textOf } from '../../../../functions/console/app/fields/wording.ts';

test.each([
  ['phone', '+351\u00a0912\u202f345 678'],
  ['phone', ''],
  ['email', 'info@müller.de'],
  ['phone', '\u202d+351 220 000 000\u202c'],
  ['mid', '\u200bSHOP1\u2060'],
  ['email', ' jose\u0301@exemplo.pt\u00a0'],
])('a form takes the %s %j', (field, value) => {
  expect(brokenRule('createBranch', field, value)).toBeUndefined();
});

test.each([
  ['phone', '(0) 912', 'Digits with spaces between them, after an optional +, such as +351 210 000 000.'],
  ['email', 'info@müller', 'An e-mail address, such as name@example.com.'],
  ['mcc', '58１２', 'Four digits.'],
  ['mid', '', 'Is required.'],
])('a form says which %s is expected in place of %j', (field, value, text) => {
  const broken = brokenRule('createBranch', field, value);
  expect(broken && textOf(broken, field)).toBe(text);
});
