import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as keys from '../../../lib/table/keys.ts';

const BUILDERS = Object.entries(keys).filter(([name]) => name.endsWith('Key')) as [
  string,
  (...texts: string[]) => keys.Key,
][];
/** As many as the builder with the most parameters takes. */
const TEXTS = ['a', 'b', 'c', 'd'] as const;
const kindsOf = (builders: typeof BUILDERS) => builders.map(([, make]) => keys.kindOf(make(...TEXTS).pk));
const KINDS = [...new Set(kindsOf(BUILDERS))];

/** Any character. fast-check's own `binary` first makes a table of all of them, which takes a second and more. */
const character = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

/** What a partner might send to reach an item of another kind. */
const hostile = fc.oneof(
  fc.constantFrom('', '#', '*', '?', '\n', '#API_KEY#1', ...KINDS, ...KINDS.map((kind) => `${kind}#1`)),
  fc.string({ unit: character }),
);

describe('the kind of a key', () => {
  test('is a word of capitals without a wildcard of IAM', () => {
    expect(KINDS.length).toBeGreaterThan(14);
    for (const kind of KINDS) expect(kind).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
  });

  test.each(BUILDERS)('does not depend on the arguments of %s', (_, make) => {
    const kind = keys.kindOf(make(...TEXTS).pk);
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, (...texts) => {
        const { pk } = make(...texts);
        expect(KINDS.filter((each) => pk === each || pk.startsWith(`${each}#`))).toEqual([kind]);
      }),
    );
  });
});
