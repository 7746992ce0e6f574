import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { withTables } from './bench/scaleModel.ts';

const read = (file: string): string => readFileSync(file, 'utf8');
const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

describe.each(['README.md', 'CHANGELOG.md', ...globSync('docs/**/*.md')])('%s', (file) => {
  const text = read(file);

  test('links to what exists', () => {
    const broken = matches(text, /\]\(([^)\s]+)\)/g).filter((link) => {
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

  test('names files of the project that exist', () => {
    const named = matches(text, /`((?:functions|lib|infra|test|bench|soak|docs)\/[\w./-]+)`/g);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });

  test('names commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = matches(text, /npm run (?:--silent )?([\w:-]+)/g);
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  });
});

test('the README tells why each path at the top exists, and each part of infra/', () => {
  const told = matches(read('README.md'), /^\| `([^`]+)`/gm);
  const missing = (paths: string[]) => paths.filter((path) => !told.some((each) => each.startsWith(path)));
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

test('docs/dependencies.md lists the packages of package.json, each once', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json'));
  const [packages = ''] = read('docs/dependencies.md').split('## Overrides');
  const listed = matches(packages, /^\| (`.*?) \|/gm).flatMap((cell) => matches(cell, /`([^`]+)`/g));
  expect(listed.sort()).toEqual(Object.keys({ ...dependencies, ...devDependencies }).sort());
});

test('docs/dependencies.md explains each override and install script', () => {
  const { overrides, allowScripts } = JSON.parse(read('package.json'));
  const [, explained = ''] = read('docs/dependencies.md').split('## Overrides');
  const names = Object.entries(overrides).flatMap(([name, value]) =>
    typeof value === 'string' ? name : Object.keys(value as object).map((inner) => `${name}.${inner}`),
  );
  expect([...names, ...Object.keys(allowScripts)].filter((name) => !explained.includes(`\`${name}\``))).toEqual([]);
});

test('the README tells of performance what the bench has found', () => {
  const [, section = ''] = /^## Performance$(.*?)^## /ms.exec(read('README.md')) ?? [];
  const figures = matches(section, /(\d[\d,]*\.\d+)/g);
  const found = new Set(matches(read('docs/benchmarks.md'), /(\d[\d,]*\.\d+)/g));
  expect(figures.length).toBeGreaterThan(5);
  expect(figures.filter((figure) => !found.has(figure))).toEqual([]);
});

test('docs/scale.md has the tables that `npm run scale` computes from the recorded counts', () => {
  const text = read('docs/scale.md');
  expect(withTables(text)).toBe(text);
});
