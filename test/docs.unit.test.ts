import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { withTables } from './bench/scaleModel.ts';

const read = (file: string): string => readFileSync(file, 'utf8');
const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

const LINK = /\]\(([^)\s]+)\)/g;
const FILE = /`((?:functions|lib|infra|test|bench|soak|docs)\/[\w./-]+)`/g;
const SCRIPT = /npm run (?:--silent )?([\w:-]+)/g;

/** The anchor of a heading on GitHub. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

describe.each(['README.md', 'CHANGELOG.md', ...globSync('docs/**/*.md')])('%s', (file) => {
  const text = read(file);

  test('has no broken links', () => {
    const broken = matches(text, LINK).filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : join(dirname(file), path);
      if (!existsSync(target)) return true;
      return (
        anchor !== undefined && !matches(read(target), /^#+ (.*)$/gm).some((heading) => anchorOf(heading) === anchor)
      );
    });
    expect(broken).toEqual([]);
  });

  test('names only existing files of the project', () => {
    const named = matches(text, FILE);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });

  test('names only existing npm scripts', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = matches(text, SCRIPT);
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  });
});

test.each([
  ['links', LINK],
  ['files', FILE],
  ['npm scripts', SCRIPT],
])('the checks above find %s in the README', (_, pattern) => {
  expect(matches(read('README.md'), pattern)).not.toEqual([]);
});

test('the README describes each top-level path and each part of infra/', () => {
  const described = matches(read('README.md'), /^\| `([^`]+)`/gm);
  const missing = (paths: string[]) => paths.filter((path) => !described.some((each) => each.startsWith(path)));
  expect(
    missing([
      'functions/',
      'lib/',
      'infra/contract/',
      'infra/',
      'test/',
      'test/bench/',
      'test/soak/',
      'docs/',
      'serverless.yml',
      '.ci/run',
    ]),
  ).toEqual([]);
  expect(missing(globSync('infra/*/'))).toEqual([]);
});

test('the performance figures in the README are in docs/benchmarks.md', () => {
  const [, section = ''] = /^## Performance$(.*?)^## /ms.exec(read('README.md')) ?? [];
  const figures = matches(section, /(\d[\d,]*\.\d+)/g);
  const found = new Set(matches(read('docs/benchmarks.md'), /(\d[\d,]*\.\d+)/g));
  expect(figures.length).toBeGreaterThan(5);
  expect(figures.filter((figure) => !found.has(figure))).toEqual([]);
});

test('docs/scale.md has the tables that npm run scale computes from the recorded counts', () => {
  const text = read('docs/scale.md');
  expect(withTables(text)).toBe(text);
});
