import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CATALOGUE } from '../../lib/base/problem.ts';
import { type Server, startServer } from '../soak/server.ts';
import { CONTRACT } from '../support/contract.ts';
import { guidesFrom, parseGuide, type Step } from './guide.ts';
import { run, startSite, type Values } from './reader.ts';

const guides = guidesFrom('quickstart.md');
const quickstart = guides[0]?.steps ?? [];
const inSection = (section: string): Step[] => quickstart.filter((step) => step.section === section);

/** Commands that set the variables all guides use; the second is for readers with the repository. */
const [setup, ownMachine] = inSection('Base URL and API key') as [Step, Step];
/** The installation for TypeScript in the quickstart. */
const installation = inSection('TypeScript').slice(0, 2);

const LANGUAGES = ['curl', 'TypeScript', 'Python'];
const hasPython = spawnSync('python3', ['--version']).status === 0;

/** The guide that needs an API with this rate limit. */
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

/** What a reader runs in a folder of its own: the quickstart in each language, each other guide, and the README's example. */
const runs = [
  { name: 'README.md', steps: parseGuide('README.md', firstCall).steps },
  { name: 'README.md of the client', steps: readme },
  ...LANGUAGES.map((language) => ({ name: `quickstart.md, ${language}`, steps: inSection(language) })),
  ...guides.slice(1).map(({ name, steps, files }) => ({
    name,
    steps: [...([...files.keys()].some((file) => file.endsWith('.ts')) ? installation : []), ...steps],
  })),
];

test('each guide links to the next one', () => {
  const files = globSync('docs/guides/*.md').map((file) => basename(file));
  expect(guides.map(({ name }) => name).sort()).toEqual(files.sort());
});

test('the programs in docs/client/examples/ are those shown in the guides', () => {
  const shown = guides.flatMap(({ files }) => [...files]).filter(([name]) => name.endsWith('.ts'));
  const examples = globSync('docs/client/examples/*').map((file) => [basename(file), readFileSync(file, 'utf8')]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(examples));
});

describe.each([
  ['', runs.filter(({ name }) => name !== LIMITED), {}],
  [' with a rate limit', runs.filter(({ name }) => name === LIMITED), { rate: RATE }],
])('the output of each command%s', (_, selected, options) => {
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
  });
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-guides-'));
    mkdirSync(join(folder, '.local'));
    writeFileSync(join(folder, '.local/demo.json'), JSON.stringify(server.demo));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  for (const { name, steps } of selected) {
    const isSkipped = name.endsWith('Python') && !hasPython;
    const title = `is as the guide shows it: ${name}${isSkipped ? ' (skipped: no python3 on this machine)' : ''}`;
    (isSkipped ? test.skip : test)(title, async () => {
      const results = await run([setup, ...steps], values, folder);
      expect(results.filter(({ promised }) => promised !== undefined)).not.toEqual([]);
      expect(results.map(({ command, printed }) => ({ command, prints: printed }))).toEqual(
        results.map(({ command, promised }) => ({ command, prints: promised })),
      );
    });
  }

  test('the commands for a reader’s own machine set the variables that all guides use', async () => {
    const promised = `${values['{base_url}']}\n${values['<API_KEY>']}\n`;
    const shown: Step = { section: '', command: 'printenv BASE_URL API_KEY\n', format: 'text', promised };
    const [, { printed }] = (await run([ownMachine, shown], values, folder)) as [unknown, { printed: unknown }];
    expect(printed).toEqual(promised.trimEnd().split('\n'));
  });
});

describe('errors.md', () => {
  const text = readFileSync('docs/guides/errors.md', 'utf8');
  const headings = (level: '##' | '###'): string[] =>
    [...text.matchAll(new RegExp(`^${level} ([a-z_]+)$`, 'gm'))].flatMap(([, heading]) => heading ?? []);

  test('has one section for each code of a problem', () => {
    const codes = Object.keys(CATALOGUE);
    expect(codes.length).toBeGreaterThan(10);
    expect(headings('##')).toEqual(codes);
  });

  test('has one section for each code of a field error or a warning', () => {
    const { ValidationProblem, FieldWarning, ParameterWarning } = CONTRACT.components.schemas as Record<
      'ValidationProblem' | 'FieldWarning' | 'ParameterWarning',
      { properties: { code: Code; errors: { items: { properties: { code: Code } } } } }
    >;
    const fieldErrors = ValidationProblem.properties.errors.items.properties.code;
    const codes = [fieldErrors, FieldWarning.properties.code, ParameterWarning.properties.code].flatMap(
      (code) => code['x-extensible-enum'],
    );
    expect(codes.length).toBeGreaterThan(10);
    // Warnings of fields and of parameters share the code `incomplete`.
    expect(headings('###')).toEqual(codes.filter((code, at) => codes.lastIndexOf(code) === at));
  });
});

interface Code {
  'x-extensible-enum': string[];
}
