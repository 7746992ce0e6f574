import { describe, expect, test } from '@jest/globals';
import { differences, unmet } from './gate.ts';
import type { Result } from './part.ts';

const result = (found: Partial<Result>): Result => ({ tables: [], targets: [], counts: {}, ...found });
const REMEDY =
  'If that is meant, run `npm run bench costs` and commit docs/benchmarks*. README.md and docs/ may quote old figures.';

describe('differences from the record are', () => {
  const units = 'createBranch, a provider alone: write units';

  test.each([
    ['a count that grew', { [units]: 7 }, { [units]: 9 }, `${units} grew from 7 to 9. ${REMEDY}`],
    ['a count that shrank', { [units]: 1250.5 }, { [units]: 1250 }, `${units} shrank from 1,250.5 to 1,250. ${REMEDY}`],
    ['a count that is new', {}, { [units]: 7 }, `${units}: new, and 7. ${REMEDY}`],
    ['a count that is gone', { [units]: 7 }, {}, `${units}: gone, and was 7. ${REMEDY}`],
    ['a count of zero that grew', { [units]: 0 }, { [units]: 0.5 }, `${units} grew from 0 to 0.5. ${REMEDY}`],
  ])('%s', (_, before, now, sentence) => {
    expect(differences('costs', result({ counts: before }), result({ counts: now }))).toEqual([sentence]);
  });

  test('a sentence for each changed count', () => {
    const before = result({ counts: { same: 1, 'those that grew': 1, 'those that shrank': 2 } });
    const now = result({ counts: { same: 1, 'those that grew': 2, 'those that shrank': 1 } });
    expect(differences('costs', before, now)).toEqual([
      `those that grew grew from 1 to 2. ${REMEDY}`,
      `those that shrank shrank from 2 to 1. ${REMEDY}`,
    ]);
  });

  test.each([
    ['by 1 %', 200_000, 202_000, []],
    ['by more', 200_000, 202_001, [`getBranch: bytes grew from 200,000 to 202,001. ${REMEDY}`]],
    ['not, but shrank', 200_000, 100_000, []],
  ])('bytes that grew %s', (_, before, now, sentences) => {
    const bytes = (count: number) => result({ bytes: { 'getBranch: bytes': count } });
    expect(differences('costs', bytes(before), bytes(now))).toEqual(sentences);
  });

  test('sentences for the bytes of a new or removed function', () => {
    const bytes = (name: string) => result({ bytes: { [name]: 1000 } });
    expect(differences('costs', bytes('old: bytes'), bytes('young: bytes'))).toEqual([
      `old: bytes: gone, and was 1,000. ${REMEDY}`,
      `young: bytes: new, and 1,000. ${REMEDY}`,
    ]);
  });

  test('a sentence for a part that was never recorded', () => {
    expect(differences('costs', undefined, result({ counts: { [units]: 7 } }))).toEqual([
      'costs: not recorded yet; run `npm run bench costs` and commit docs/benchmarks*. README.md and docs/ may quote old figures.',
    ]);
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
