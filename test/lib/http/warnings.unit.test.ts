import { expect, test } from '@jest/globals';
import { unknownParameter } from '../../../lib/http/warnings.ts';

test.each([
  ['colour', 'colour'],
  ['4111 1111 1111 1111', ''],
  ['x'.repeat(41), ''],
  ['a\nb', ''],
])(
  'a warning about the parameter "%s" names "%s": nothing long, unprintable or with the digits of a card',
  (name, parameter) => {
    expect(unknownParameter(name)).toEqual({
      parameter,
      code: 'unknown_parameter',
      detail: 'Unknown query parameter. It was ignored.',
    });
  },
);
