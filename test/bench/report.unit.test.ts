import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { filesOf } from './report.ts';

test('docs/benchmarks.json makes docs/benchmarks.md', () => {
  const [json = '', md] = ['json', 'md'].map((type) => readFileSync(`docs/benchmarks.${type}`, 'utf8'));
  expect(filesOf(JSON.parse(json))).toEqual({ 'benchmarks.json': json, 'benchmarks.md': md });
});
