/*
 * Values that an attacker sends, with descriptions. Values of fields are JSON text, because JavaScript would not write
 * all of them.
 */

/** Nested lists. */
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

/** JSON that is not valid for any text, identifier or number. */
export const NO_VALUES: [title: string, json: string][] = [
  ['NUL', '"a\\u0000b"'],
  ['an escape sequence', '"\\u001b[31m"'],
  ['DEL', '"\\u007f"'],
  ['a control character of C1', '"a\\u0085"'],
  ['the first half of a character', '"a\\ud83c"'],
  ['the second half of a character', '"\\udfeaa"'],
  ['halves of a character the wrong way round', '"\\udfea\\ud83c"'],
  ['256 characters of 4 bytes', `"${'🏪'.repeat(256)}"`],
  ['100,000 letters', `"${'A'.repeat(100_000)}"`],
  ['a boolean', 'true'],
  ['a list in a list', '[[]]'],
  ['a list of a text', '["A1"]'],
  ['an object', '{"A1":"A1"}'],
  ['an object with a constructor', '{"constructor":{"name":"String"},"toString":"A1","length":2}'],
  ['a query of a document database', '{"$ne":""}'],
  ['a value as DynamoDB writes it', '{"S":"A1"}'],
  ['1,000 nested lists', nested(1000)],
];

/** Numbers in JSON. None is a text. */
export const NUMBERS: [title: string, json: string][] = [
  ['zero', '0'],
  ['minus zero', '-0'],
  ['a number above the largest', '1e400'],
  ['a number below the smallest', '-1e400'],
  ['a number close to zero', '1e-400'],
  ['a number of 400 digits', '9'.repeat(400)],
];

/** Texts that are valid as a name of a shop but not as an identifier or code, and that are the name of nothing. */
const NO_IDENTIFIERS: [title: string, text: string][] = [
  ['__proto__', '__proto__'],
  ['the key of an item', 'BRANCH#A1'],
  ['another key of an item', 'A1#BRANCH'],
  ['a separator of keys', '#'],
  ['a path traversal', '../A1'],
  ['a character in percent-encoding', 'A%001'],
  ['a blank', 'A 1'],
  ['a line break', 'A\n1'],
  ['an SQL injection', "A1'; DROP TABLE branches; --"],
  ['markup', '<script>alert(1)</script>'],
  ['a template', '{{A1}}'],
  ['text from right to left', 'מרכז 1'],
  ['an Arabic number sign', 'A\u06001'],
  ['characters of 4 bytes', '🏪𠮷'],
  ['digits of another script', '١٢٣'],
  ['wide letters', 'Ａ１'],
  ['a letter that is one in lower case only', '\u212a1'],
];

/** Names of members of all JavaScript objects, and other words of programs. They could be identifiers. */
export const NAMES_OF_PROGRAMS = [
  ...['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'prototype', 'then', 'length'],
  ...['null', 'undefined', 'NaN', 'true', '0', '1e400'],
];

/** Texts that identify nothing in a path or a query. */
export const NO_NAMES: string[] = [
  ...NO_IDENTIFIERS.map(([, text]) => text),
  ...NAMES_OF_PROGRAMS,
  ...['', ' ', '\0', 'A1\0', '\ud800', '\udfff\ud800', '%', '%zz', '%2F', '/', '//', '\\', '.', '..', '*', '-0'],
  ...['{mid}', '$default', '[object Object]', 'A'.repeat(65), 'A'.repeat(10_000), '🏪'.repeat(2_500)],
  ...['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
];
