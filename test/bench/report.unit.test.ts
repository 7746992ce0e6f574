import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { filesOf } from './report.ts';

test('docs/benchmarks.json makes docs/benchmarks.md and its pictures', () => {
  const files = globSync(['benchmarks.json', 'benchmarks.md', 'benchmarks/*'], { cwd: 'docs' });
  const texts = Object.fromEntries(files.map((file) => [file, readFileSync(`docs/${file}`, 'utf8')]));
  expect(filesOf(JSON.parse(texts['benchmarks.json'] as string))).toEqual(texts);
});
