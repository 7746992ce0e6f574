import { expect, test } from '@jest/globals';
import { markdownTable } from './tables.ts';

test('a table aligns numbers right with equal decimals, and names left with escaped bars', () => {
  const rows = [
    { operation: 'first | last', requests: 2, 'read units': 0.5, 'or none': 1 },
    { operation: 'all', requests: 12_345, 'read units': 1, other: 'yes' },
  ];
  expect(markdownTable(rows)).toBe(
    [
      '| operation     | requests | read units | or none | other |',
      '| ------------- | -------: | ---------: | ------: | ----- |',
      '| first \\| last |        2 |        0.5 |       1 |       |',
      '| all           |   12,345 |        1.0 |         | yes   |',
    ].join('\n'),
  );
});

test('a table without rows is empty', () => {
  expect(markdownTable([])).toBe('');
});
