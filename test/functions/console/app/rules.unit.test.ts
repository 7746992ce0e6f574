import { expect, test } from '@jest/globals';
import contract from '../../../../docs/openapi.json' with { type: 'json' };
import {
  BRANCH_FIELDS,
  EDITED_OF_BRANCH,
  EDITED_OF_TERMINAL,
  MOST_PER_REQUEST,
  TERMINAL_FIELDS,
} from '../../../../functions/console/app/fields/fields.ts';
import rules from '../../../../functions/console/app/fields/rules.json' with { type: 'json' };
import { brokenRule } from '../../../../functions/console/app/fields/rules.ts';
import { labelOf, textOf } from '../../../../functions/console/app/fields/wording.ts';

/** Fields whose values are chosen. */
const CHOSEN = ['payment_provider', 'distributor', 'existing_master_merchant'];

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

test('forms have the fields of the contract, in its order', () => {
  expect({
    createBranch: BRANCH_FIELDS,
    updateBranch: EDITED_OF_BRANCH,
    terminal: TERMINAL_FIELDS,
    updateTerminal: EDITED_OF_TERMINAL,
  }).toEqual({
    createBranch: Object.keys(rules.createBranch),
    updateBranch: Object.keys(rules.updateBranch),
    terminal: Object.keys(rules.terminal),
    updateTerminal: Object.keys(rules.updateTerminal),
  });
});

test('a request has at most as many terminals as the contract allows', () => {
  const { schema } = contract.paths['/ext/api/v1/terminals/{id}'].post.requestBody.content['application/json'];
  expect(schema.properties.terminals.maxItems).toBe(MOST_PER_REQUEST);
});

test('each field of a form has a label', () => {
  const fields = Object.values(rules).flatMap((form) => Object.keys(form));
  expect(fields.filter((field) => labelOf(field) === field)).toEqual([]);
});

test('each pattern of a typed field of a branch or terminal is said in words', () => {
  const unsaid = textOf({ code: 'invalid_format' }, 'a field without words');
  const forms: [field: string, rule: object][] = Object.entries({ ...rules.createBranch, ...rules.terminal });
  const patterned = forms.flatMap(([field, rule]) => ('pattern' in rule && !CHOSEN.includes(field) ? [field] : []));
  expect(patterned.filter((field) => textOf({ code: 'invalid_format' }, field) === unsaid)).toEqual([]);
});
