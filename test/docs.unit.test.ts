import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { interfacePath } from '../infra/publish/contract/paths.ts';
import { anchorOf } from '../infra/publish/site/guides.ts';
import { withTables } from './bench/scaleModel.ts';

const read = (file: string): string => readFileSync(file, 'utf8');
const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

const LINK = /\]\(([^)\s]+)\)/g;
const FILE = /`((?:functions|lib|infra|test|docs)\/[\w./-]+)`/g;
const SCRIPT = /npm run (?:--silent )?([\w:-]+)/g;
/** The path of the tests that a command runs. */
const TESTS = /npm (?:test|run [\w:-]+) -- (test\/[\w/.-]+)/g;

describe.each(['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md')])('%s', (file) => {
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
    const named = matches(text, FILE).filter((path) => !existsSync(path));
    const run = matches(text, TESTS).filter((path) => globSync([`${path}*`, `${path}*/**/*.test.ts`]).length === 0);
    expect([...named, ...run]).toEqual([]);
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

describe('README.md', () => {
  const text = read('README.md');

  test('has at most 120 lines', () => {
    expect(text.split('\n').length - 1).toBeLessThanOrEqual(120);
  });

  test('says what each top-level folder contains', () => {
    const rows = matches(text, /^\| `([^`]+)` \| \S/gm);
    const folders = globSync('*/', { exclude: ['node_modules', 'coverage'] });
    expect(
      [...folders.map((folder) => `${folder}/`), 'serverless.yml', 'serverless.data.yml', '.ci/run'].filter(
        (path) => !rows.includes(path),
      ),
    ).toEqual([]);
  });

  test('lists every operation of the contract', () => {
    const { paths } = JSON.parse(read('docs/openapi.json')) as {
      paths: Record<string, Record<string, { summary: string; operationId: string; parameters: object[] }>>;
    };
    const rows = [...text.matchAll(/^\| \[(.+)\]\(functions\/\w+\/(\w+)\.ts\) \| `(.+)` \|$/gm)];
    expect(rows.map(([, summary, operation, request]) => [operation, summary, request]).sort()).toEqual(
      Object.entries(paths)
        .flatMap(([path, methods]) =>
          Object.entries(methods).map(([method, operation]) => [
            operation.operationId,
            operation.summary,
            `${method.toUpperCase()} ${interfacePath(path, operation)}`,
          ]),
        )
        .sort(),
    );
  });

  test('repeats figures of the benchmarks only', () => {
    const figures = matches(text, /(\d[\d,]*\.\d+) read units/g);
    const found = new Set(matches(read('docs/benchmarks.md'), /(\d[\d,]*\.\d+)/g));
    expect(figures.length).toBeGreaterThan(0);
    expect(figures.filter((figure) => !found.has(figure))).toEqual([]);
  });
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

test('docs/architecture.md says what each part of infra/ and test/ contains', () => {
  const rows = matches(read('docs/architecture.md'), /^\| `([^`]+)` \| \S/gm);
  const parts = globSync(['infra/*/', 'test/*/', 'test/proofs/*/']).map((part) => `${part}/`);
  expect(parts.filter((part) => !rows.includes(part))).toEqual([]);
});

test('docs/architecture.md describes every setting of the functions', () => {
  const settings = matches(read('lib/base/config.ts'), /^ {2}\| '(\w+)'/gm);
  const rows = matches(read('docs/architecture.md'), /^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm);
  expect(settings.length).toBeGreaterThan(5);
  expect(settings.filter((name) => !rows.some((row) => row.includes(`\`${name}\``)))).toEqual([]);
});

test('package.json, the contract and the changelog have the same version', () => {
  const { version } = JSON.parse(read('package.json'));
  const [released] = matches(read('CHANGELOG.md'), /^## \[(\d[^\]]*)\]/gm);
  expect({ contract: JSON.parse(read('docs/openapi.json')).info.version, released }).toEqual({
    contract: version,
    released: version,
  });
});

test('docs/scale.md has the tables that npm run scale computes from the recorded counts', () => {
  const text = read('docs/scale.md');
  expect(withTables(text)).toBe(text);
});
