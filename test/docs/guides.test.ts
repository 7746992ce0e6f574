import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Server, startServer } from '../soak/server.ts';
import { guidesFrom, parseGuide, type Step } from './guide.ts';
import { run, startSite, type Values } from './reader.ts';

const guides = guidesFrom('quickstart.md');
const quickstart = guides[0]?.steps ?? [];
const inSection = (section: string): Step[] => quickstart.filter((step) => step.section === section);

/** Sets the variables that all guides use; the second one does it for a reader who has the repository. */
const [setup, ownMachine] = inSection('Base URL and API key') as [Step, Step];
/** What the quickstart says to install for TypeScript. */
const installation = inSection('TypeScript').slice(0, 2);

const LANGUAGES = ['curl', 'TypeScript', 'Python'];
const hasPython = spawnSync('python3', ['--version']).status === 0;

/** The guide for which the service has a rate limit, and that limit. */
const LIMITED = 'rate-limits.md';
const RATE = 5;

/** The example in the README of the client. */
const [, example = ''] = /^```ts\n(.*?)^```$/ms.exec(readFileSync('docs/client/README.md', 'utf8')) ?? [];
const readme: Step[] = [
  ...installation,
  {
    section: '',
    command: `cat > example.ts << 'END_OF_FILE'\n${example}END_OF_FILE\nnpx tsc\nnode example.js\n`,
    format: 'text',
    promised: 'There is no such branch, or it is not yours.',
  },
];

/** The first call in the README of the project. */
const [, firstCall = ''] = /^## First call$(.*?)^## /ms.exec(readFileSync('README.md', 'utf8')) ?? [];

/** What a reader runs in a folder of its own: the quickstart in each language, each of the other guides, and that example. */
const runs = [
  { name: 'README.md', steps: parseGuide('README.md', firstCall).steps },
  { name: 'README.md of the client', steps: readme },
  ...LANGUAGES.map((language) => ({ name: `quickstart.md, ${language}`, steps: inSection(language) })),
  ...guides.slice(1).map(({ name, steps, files }) => ({
    name,
    steps: [...([...files.keys()].some((file) => file.endsWith('.ts')) ? installation : []), ...steps],
  })),
];

test('each guide links to the next', () => {
  const files = globSync('docs/guides/*.md').map((file) => basename(file));
  expect(guides.map(({ name }) => name).sort()).toEqual(files.sort());
});

test('the programs in docs/client/examples/ are those of the guides', () => {
  const shown = guides.flatMap(({ files }) => [...files]).filter(([name]) => name.endsWith('.ts'));
  const examples = globSync('docs/client/examples/*').map((file) => [basename(file), readFileSync(file, 'utf8')]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(examples));
});

describe.each([
  ['', runs.filter(({ name }) => name !== LIMITED), {}],
  [' with a rate limit', runs.filter(({ name }) => name === LIMITED), { rate: RATE }],
])('what a guide says that a command%s prints', (_, told, options) => {
  const stops: (() => Promise<void>)[] = [];
  let server: Server;
  let values: Values;
  let folder: string;

  beforeAll(async () => {
    server = await startServer(stops, options);
    const { base_url, acquirers } = server.demo;
    const { api_key = '' } = acquirers.find(({ name }) => name === 'Payfair') ?? {};
    values = {
      '{base_url}': base_url,
      'http://127.0.0.1:3000': base_url,
      '<API_KEY>': api_key,
      '{site}': await startSite(stops),
    };
  }, 120_000);
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-guides-'));
    mkdirSync(join(folder, '.local'));
    writeFileSync(join(folder, '.local/demo.json'), JSON.stringify(server.demo));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  for (const { name, steps } of told) {
    const isSkipped = name.endsWith('Python') && !hasPython;
    const title = `is what it prints: ${name}${isSkipped ? ' (skipped: no python3 on this machine)' : ''}`;
    (isSkipped ? test.skip : test)(
      title,
      async () => {
        const results = await run([setup, ...steps], values, folder);
        expect(results.map(({ command, printed }) => ({ command, prints: printed }))).toEqual(
          results.map(({ command, promised }) => ({ command, prints: promised })),
        );
      },
      200_000,
    );
  }

  test('the commands for the own machine set the variables that all guides use', async () => {
    const promised = `${values['{base_url}']}\n${values['<API_KEY>']}\n`;
    const shown: Step = { section: '', command: 'printenv BASE_URL API_KEY\n', format: 'text', promised };
    const [, { printed }] = (await run([ownMachine, shown], values, folder)) as [unknown, { printed: unknown }];
    expect(printed).toEqual(promised.trimEnd().split('\n'));
  }, 30_000);
});

describe('errors.md', () => {
  const text = readFileSync('docs/guides/errors.md', 'utf8');
  const found = (source: string, pattern: RegExp): string[] =>
    [...source.matchAll(pattern)].flatMap(([, code]) => code ?? []);

  test('has a section for every code of a problem, and for none else', () => {
    const codes = found(readFileSync('lib/base/problem.ts', 'utf8'), /^ {2}(\w+): \[\d{3}, /gm);
    expect(codes.length).toBeGreaterThan(10);
    expect(found(text, /^## ([a-z_]+)$/gm)).toEqual(codes);
  });

  test('has a section for every code of a fault, and for none else', () => {
    /** Of what only the operator's tool does. */
    const operators = ['ambiguous', 'disabled', 'erased', 'invalid_limit', 'other_type', 'rotated'];
    const sources = globSync(['functions/**/*.ts', 'lib/**/*.ts']).map((file) => readFileSync(file, 'utf8'));
    const codes = sources.flatMap((source) => [
      ...found(source, /\bcode: '(\w+)'/g),
      ...found(source, /\bwithCode(?:<.*>)?\(\s*'(\w+)'/g),
    ]);
    // The codes that valibot's own checks get.
    const kinds = found(readFileSync('lib/base/fieldErrors.ts', 'utf8'), /(?:\[|\?\? )'(\w+)'/g);
    expect(kinds.length).toBeGreaterThan(5);
    expect(found(text, /^### ([a-z_]+)$/gm).sort()).toEqual(
      [...new Set([...codes, ...kinds])].filter((code) => !operators.includes(code)).sort(),
    );
  });
});
