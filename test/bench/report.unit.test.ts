import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { filesOf, type Report } from './report.ts';

const REPORT: Report = {
  pages: {
    title: 'Any page',
    about: 'What a page takes.',
    date: '2026-09-27',
    machine: '2 × Some Processor, 24 GB of memory, Linux, x64',
    versions: { 'Node.js': '24.21.0', middy: '7.9.2' },
    result: {
      tables: [{ title: 'By page', rows: [{ page: 'last', units: 1.5 }] }],
      chart: {
        title: 'Units by page',
        unit: 'read units',
        kind: 'bars',
        categories: ['last'],
        series: [{ name: 'ours', values: [1.5] }],
      },
      targets: [
        { target: 'At most 1.5 units', measured: '1.5', isMet: true },
        { target: 'At most 1 ms', measured: '2 ms', isMet: false, isTime: true },
      ],
      counts: { 'last page: read units': 1.5 },
      notes: ['Nothing else was running.', 'The table was full.'],
    },
  },
  waits: {
    title: 'Waiting',
    about: 'How long it takes.',
    date: '2026-09-28',
    machine: '8 × Another Processor, 16 GB of memory, Darwin, arm64',
    versions: { 'Node.js': '24.22.0' },
    result: { tables: [], targets: [], counts: {} },
  },
};

describe('the published report', () => {
  const files = filesOf(REPORT);

  test('has a page, the figures, and a picture for each part with a chart', () => {
    expect(Object.keys(files)).toEqual(['benchmarks.json', 'benchmarks.md', 'benchmarks/pages.svg']);
  });

  test('has the report as its figures', () => {
    expect(JSON.parse(files['benchmarks.json'] as string)).toEqual(REPORT);
  });

  test('has a page with a section for each part', () => {
    const page = files['benchmarks.md'] as string;
    expect(page.slice(0, page.indexOf('\n\n'))).toBe('# Benchmarks');
    expect(page.slice(page.indexOf('## '))).toBe(`## Any page

What a page takes.

![Units by page](benchmarks/pages.svg)

| target            | measured | met | gate |
| ----------------- | -------- | --- | ---- |
| At most 1.5 units | 1.5      | yes | yes  |
| At most 1 ms      | 2 ms     | no  | no   |

### By page

| page | units |
| ---- | ----: |
| last |   1.5 |

- Nothing else was running.
- The table was full.

\`npm run bench pages\` on 2026-09-27: 2 × Some Processor, 24 GB of memory, Linux, x64; Node.js 24.21.0, middy 7.9.2.

## Waiting

How long it takes.

\`npm run bench waits\` on 2026-09-28: 8 × Another Processor, 16 GB of memory, Darwin, arm64; Node.js 24.22.0.
`);
  });
});

test('equals docs/benchmarks.md and its pictures when made from docs/benchmarks.json', () => {
  const { 'benchmarks.json': _, ...made } = filesOf(JSON.parse(readFileSync('docs/benchmarks.json', 'utf8')));
  const paths = globSync(['benchmarks.md', 'benchmarks/*'], { cwd: 'docs' });
  expect(Object.fromEntries(paths.map((path) => [path, readFileSync(`docs/${path}`, 'utf8')]))).toEqual(made);
});
