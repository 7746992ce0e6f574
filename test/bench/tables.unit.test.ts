import { expect, test } from '@jest/globals';
import { markdownTable } from './tables.ts';

test('numbers stand right, with equal decimals; names left, with their bars escaped', () => {
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

test('no rows make no table', () => {
  expect(markdownTable([])).toBe('');
});
