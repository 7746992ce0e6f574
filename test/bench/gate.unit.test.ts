import { describe, expect, test } from '@jest/globals';
import { differences, unmet } from './gate.ts';
import type { Figures, Result } from './part.ts';

const result = (found: Partial<Result>): Result => ({ tables: [], targets: [], counts: {}, ...found });
const REMEDY = 'run `npm run bench costs` and commit docs/benchmarks*. README.md and docs/ may quote old figures.';

const counts = (figures: Figures) => result({ counts: figures });
const bytes = (figures: Figures) => result({ bytes: figures });

describe('differences from the record are', () => {
  test.each([
    ['a count that grew', counts({ units: 7 }), counts({ units: 9 }), 'units grew from 7 to 9'],
    ['a count that shrank', counts({ units: 1250.5 }), counts({ units: 1250 }), 'units shrank from 1,250.5 to 1,250'],
    ['a count that is new', counts({}), counts({ units: 7 }), 'units: new, and 7'],
    ['a count that is gone', counts({ units: 7 }), counts({}), 'units: gone, and was 7'],
    ['a count of zero that grew', counts({ units: 0 }), counts({ units: 0.5 }), 'units grew from 0 to 0.5'],
    [
      'bytes that grew by over 1 %',
      bytes({ code: 2e5 }),
      bytes({ code: 202_001 }),
      'code grew from 200,000 to 202,001',
    ],
    ['the bytes of a new function', bytes({}), bytes({ code: 1000 }), 'code: new, and 1,000'],
    ['the bytes of a removed function', bytes({ code: 1000 }), bytes({}), 'code: gone, and was 1,000'],
  ])('%s', (_, before, now, difference) => {
    expect(differences('costs', before, now)).toEqual([`${difference}. If that is meant, ${REMEDY}`]);
  });

  test.each([
    ['no bytes that grew by 1 %', bytes({ code: 200_000 }), bytes({ code: 202_000 })],
    ['no bytes that shrank', bytes({ code: 200_000 }), bytes({ code: 100_000 })],
  ])('%s', (_, before, now) => {
    expect(differences('costs', before, now)).toEqual([]);
  });

  test('those of all counts, or of the measured ones if a check measures a sample', () => {
    const [before, now] = [counts({ a: 1, b: 2, c: 3 }), counts({ a: 2, b: 1 })];
    const found = ['a grew from 1 to 2', 'b shrank from 2 to 1'].map((each) => `${each}. If that is meant, ${REMEDY}`);
    expect(differences('costs', before, now, true)).toEqual(found);
    expect(differences('costs', before, now)).toHaveLength(3);
  });

  test('a sentence for a part that was never recorded', () => {
    expect(differences('costs', undefined, counts({ units: 7 }))).toEqual([`costs: not recorded yet; ${REMEDY}`]);
  });
});

test('sentences for unmet targets, but not for those of times', () => {
  const target = { target: 'Any page takes 1.5 read units', measured: '3 read units' };
  const targets = [
    { ...target, isMet: false },
    { ...target, isMet: true },
    { ...target, isMet: false, isTime: true },
  ];
  expect(unmet('pages', result({ targets }))).toEqual([
    'pages: the target "Any page takes 1.5 read units" is not met; measured: 3 read units.',
  ]);
});
