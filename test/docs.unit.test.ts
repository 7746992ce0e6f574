import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { anchorOf } from '../infra/publish/site/guides.ts';
import { PARAMETERS } from '../infra/stack/template/parameters.ts';
import { SETTINGS } from '../lib/base/config.ts';

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

test.each(globSync('docs/*.md'))('each command on a stage names the stage in %s', (file) => {
  const blocks = matches(read(file), /```sh\n(.*?)```/gs)
    .join('')
    .replace(/\\\n */g, ' ');
  const commands = matches(blocks, /(npm run (?:package|deploy|remove|recover)\b.*)/g);
  expect(commands.filter((command) => !/--stage \w+/.test(command))).toEqual([]);
});

test('docs/operations.md describes every parameter of a stage', () => {
  const [, described = ''] = read('docs/operations.md').split('## Parameters of a stage');
  const unnamed = ['systemLogLevel', 'runbook'];
  const named = (name: string) => described.includes(`\`${name}\``) || unnamed.includes(name);
  expect(PARAMETERS.filter((name) => !named(name) && !described.includes(`\`${name}:`))).toEqual([]);
});

test('docs/operations.md shows what a deployment prints when it is right', () => {
  const print = read('node_modules/serverless/lib/plugins/aws/deploy/index.js');
  const [shown = ''] = matches(read('docs/operations.md'), /✔ (Service deployed to stack )/g);
  expect(print).toContain(`\`${shown}$`);
});

/** When it was accepted, and when it was last amended or what replaced it. */
const STATUS =
  /^Status: accepted on \d{4}-\d\d-\d\d(, last amended on \d{4}-\d\d-\d\d)?(, superseded on \d{4}-\d\d-\d\d by \[\d{4}\]\((\d{4}-[\w-]+\.md)\))?\.( It replaces \[\d{4}\]\(\d{4}-[\w-]+\.md\)\.)?$/;

test.each(globSync('docs/decisions/0*.md'))('%s has a status with its date, and is in the list of records', (file) => {
  const [heading = '', , status = ''] = read(file).split('\n');
  const [, number = '', title = ''] = /^# (\d{4}) (.*)$/.exec(heading) ?? [];
  expect(status).toMatch(STATUS);
  const [, , , by] = STATUS.exec(status) ?? [];
  // What replaces it says so.
  if (by) expect(read(`docs/decisions/${by}`).split('\n')[2]).toContain(`It replaces [${number}](${basename(file)}).`);
  expect(read('docs/decisions/README.md')).toContain(`| [${number}](${basename(file)}) | ${title} |`);
});

test('comments name only existing decision records', () => {
  const sources = globSync(['{functions,infra,lib,test}/**/*.{ts,tsx,yml}', '*.yml']);
  const named = sources.flatMap((file) => matches(read(file), /(docs\/decisions\/[\w-]+\.md)/g));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

const { paths }: { paths: Record<string, Record<string, { operationId: string; tags: [string] }>> } = JSON.parse(
  read('docs/openapi.json'),
);
const OPERATIONS = Object.entries(paths).flatMap(([path, methods]) =>
  Object.values(methods).map((each) => ({ ...each, path })),
);

test.each(OPERATIONS)('README.md has the folder and the path of $operationId', ({ operationId, tags: [tag], path }) => {
  const [file = ''] = globSync(`functions/*/${operationId}.ts`);
  const [row = ''] = matches(read('README.md'), RegExp(`^(.*\\[${tag}\\]\\(${dirname(file)}/\\).*)$`, 'gm'));
  expect(path).toContain(/`(.+)`/.exec(row)?.[1]);
});

test.each(OPERATIONS)('a guide names $operationId', ({ path }) => {
  const escaped = path.split(/\{\w+\}/).map(RegExp.escape);
  // A guide names its path, or calls it with a value in place of the parameter.
  const named = new RegExp(`${escaped.join('[^/\\s`]+')}(?![\\w/{])`);
  expect(globSync('docs/guides/*.md').filter((file) => named.test(read(file))).length).toBeGreaterThan(0);
});

test('docs/dependencies.md lists the packages of both package.json, each once', () => {
  const packagesOf = (path: string): string[] => {
    const { dependencies, devDependencies } = JSON.parse(read(path));
    return Object.keys({ ...dependencies, ...devDependencies });
  };
  const used = new Set([...packagesOf('package.json'), ...packagesOf('functions/console/app/package.json')]);
  const [packages = ''] = read('docs/dependencies.md').split('## Overrides');
  const listed = matches(packages, /^\| (`.*?) \|/gm).flatMap((cell) => matches(cell, /`([^`]+)`/g));
  expect(listed.sort()).toEqual([...used].sort());
});

test('docs/architecture.md describes every setting of the functions', () => {
  const settings = Object.keys(SETTINGS);
  const rows = matches(read('docs/architecture.md'), /^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm);
  expect(settings.length).toBeGreaterThan(5);
  expect(settings.filter((name) => !rows.some((row) => row.includes(`\`${name}\``)))).toEqual([]);
});
