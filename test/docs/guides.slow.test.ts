import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { guides as guidesOfSite } from '../../infra/publish/site/guides.ts';
import { CATALOGUE } from '../../lib/base/problem.ts';
import { type Server, startServer } from '../soak/server.ts';
import { CONTRACT } from '../support/contract.ts';
import { BEFORE, BRANCHES_AFTER, ESTATE, OTHERS, REFUSED, REPORT, TERMINALS_AFTER } from './estate.ts';
import { type FailingProxy, type Passed, type Plan, startFailingProxy } from './failingProxy.ts';
import { parseGuide, type Step } from './guide.ts';
import { readersEnvironment, run, type Values } from './reader.ts';

/* Runs everything that the guides show, in their order and in one folder, against the API that `npm start` serves. */

const guides = guidesOfSite().map(({ name, text }) => parseGuide(`${name}.md`, text));
const quickstart = guides[0]?.steps ?? [];
const inSection = (section: string): Step[] => quickstart.filter((step) => step.section === section);

/** Commands that set the variables all guides use; the second is for readers with the repository. */
const [setup, ownMachine] = inSection('Base URL and API key') as [Step, Step];
/** The quickstart for TypeScript begins with the installation, which other guides need too. */
const [install] = inSection('TypeScript') as [Step];
const importGuide = guides.find(({ name }) => name === 'import-your-estate.md')?.steps ?? [];
const [installParser] = importGuide.filter(({ section }) => section === 'The program') as [Step];

/** The first call in the README of the project. */
const [, firstCall = ''] = /^## First call$(.*?)^## /ms.exec(readFileSync('README.md', 'utf8')) ?? [];
/** The example in the README of the client. */
const [, example = ''] = /^```ts\n(.*?)^```$/ms.exec(readFileSync('docs/client/README.md', 'utf8')) ?? [];
const clientExample: Step = {
  section: '',
  command: 'node example.js\n',
  format: 'text',
  promised: 'There is no such branch, or it is not yours.',
};

/** All programs in TypeScript. They are compiled at once, because that takes long. */
const programs = new Map([...guides.flatMap(({ files }) => [...files]), ['example.ts', example]]);
const COMPILE = /^npx tsc\n/m;

/** What a reader runs: each guide but the quickstart (test/browser/published.browser.test.ts), and the examples of the READMEs. */
const runs: { name: string; steps: Step[] }[] = [
  { name: 'README.md', steps: parseGuide('README.md', firstCall).steps },
  { name: 'README.md of the client', steps: [clientExample] },
  ...guides.slice(1).filter(({ steps }) => steps.length > 0),
];

/** The guide that needs a rate limit, and this limit in requests per second. */
const LIMITED = 'rate-limits.md';
const RATE = '5';

test('the site has every guide', () => {
  const files = globSync('docs/guides/*.md').map((file) => basename(file));
  expect(guides.map(({ name }) => name).sort()).toEqual(files.sort());
});

test('the programs in docs/client/examples/ are those shown in the guides', () => {
  const shown = guides.flatMap(({ files }) => [...files]).filter(([name]) => name.endsWith('.ts'));
  const examples = globSync('docs/client/examples/*').map((file) => [basename(file), readFileSync(file, 'utf8')]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(examples));
});

const folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-guides-'));
const stops: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true })];
let server: Server;
let values: Values;
const acquirerOf = (acquirer: string) => server.demo.acquirers.find(({ name }) => name === acquirer);
const keyOf = (acquirer: string): string => acquirerOf(acquirer)?.api_key ?? '';

beforeAll(async () => {
  server = await startServer(stops);
  const { base_url } = server.demo;
  values = {
    '{base_url}': base_url,
    'http://127.0.0.1:3000': base_url,
    '<API_KEY>': keyOf('Payfair'),
    '{site}': base_url,
  };
  mkdirSync(join(folder, '.local'));
  writeFileSync(join(folder, '.local/demo.json'), JSON.stringify(server.demo));
  for (const [name, program] of programs) writeFileSync(join(folder, name), program);
  await run([install, installParser, { section: '', command: 'npx tsc\n' }], values, folder);
});
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

/** Runs the operator's tool on the server and returns the document that it prints. */
async function operator(...args: string[]): Promise<{ api_key: string }> {
  const program = [resolve('infra/operate/cli/main.ts'), ...args, '--json'];
  const env = { PATH: process.env['PATH'] };
  return JSON.parse((await promisify(execFile)(process.execPath, program, { cwd: folder, env })).stdout);
}

/** Runs `act` with a key of Payfair that has a rate limit. Its other key is not read again until the limit is gone. */
async function withRateLimit(act: (values: Values) => Promise<void>): Promise<void> {
  const id = acquirerOf('Payfair')?.id ?? '';
  await operator('acquirers', 'limit', id, '--rate', RATE);
  const { api_key } = await operator('keys', 'issue', id, '--label', 'limited');
  await act({ ...values, '<API_KEY>': api_key });
  await operator('acquirers', 'limit', id, '--default');
}

describe('the output of each command', () => {
  for (const { name, steps } of runs) {
    test(`is as the guide shows it: ${name}`, async () => {
      const runAs = async (reader: Values) => {
        const compiled = steps.map((step) => ({ ...step, command: step.command.replace(COMPILE, '') }));
        const results = await run([setup, ...compiled], reader, folder);
        expect(results.filter(({ promised }) => promised !== undefined)).not.toEqual([]);
        expect(results.map(({ command, printed }) => ({ command, prints: printed }))).toEqual(
          results.map(({ command, promised }) => ({ command, prints: promised })),
        );
      };
      await (name === LIMITED ? withRateLimit(runAs) : runAs(values));
    });
  }

  test('the commands for a reader’s own machine set the variables that all guides use', async () => {
    const promised = `${values['{base_url}']}\n${values['<API_KEY>']}\n`;
    const shown: Step = { section: '', command: 'printenv BASE_URL API_KEY\n', format: 'text', promised };
    const [, { printed }] = (await run([ownMachine, shown], values, folder)) as [unknown, { printed: unknown }];
    expect(printed).toEqual(promised.trimEnd().split('\n'));
  });
});

// Its tests depend on each other, in this order.
describe('the program of the guide "Import your estate"', () => {
  const report = join(folder, 'refused.csv');
  let proxy: FailingProxy;

  interface Body<T> {
    data: T[];
    links: { next: string | null };
    meta: { total: number };
  }

  async function call<T>(method: string, path: string, body?: object, acquirer = 'Payfair'): Promise<Body<T>> {
    const response = await fetch(server.demo.base_url + path, {
      method,
      headers: { 'API-KEY': keyOf(acquirer) },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect([path, response.ok]).toEqual([path, true]);
    return (await response.json()) as Body<T>;
  }

  /** All items of a list. */
  async function all<T>(path: string): Promise<T[]> {
    const { data, links } = await call<T>('GET', `${path}${path.includes('?') ? '' : '?per_page=100'}`);
    const next = links.next && new URL(links.next);
    return next ? [...data, ...(await all<T>(next.pathname + next.search))] : data;
  }

  interface Listed {
    mid: string;
    terminal_id: string;
  }

  /** Everything that lists show for Payfair. */
  async function stored() {
    const branches = await all<Listed>('/ext/api/v1/merchants');
    const terminals: Listed[] = [];
    for (const { mid } of branches)
      if (BRANCHES_AFTER.has(mid)) terminals.push(...(await all<Listed>(`/ext/api/v1/terminals/${mid}`)));
    return { branches, terminals };
  }

  /** Runs the program. Resolves to how it ended, its output and the requests that reached the API. */
  async function importEstate(plan: Omit<Plan, 'stop'> & { killAt?: number }) {
    const { killAt, ...rest } = plan;
    const stop = killAt === undefined ? {} : { stop: { at: killAt, act: () => child.kill('SIGKILL') } };
    const passed = proxy.open({ ...rest, ...stop });
    const child = spawn('node', ['importEstate.js', 'estate.csv', 'refused.csv'], {
      cwd: folder,
      env: { ...readersEnvironment(), BASE_URL: proxy.url, API_KEY: keyOf('Payfair') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [output, errors, [code, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    // Progress is shown only on terminals.
    return { end: code ?? signal, output, errors: errors.split('\r').at(-1), passed };
  }

  let before: { branches: number };
  beforeAll(async () => {
    before = { branches: (await call('GET', '/ext/api/v1/merchants')).meta.total };
    for (const { acquirer, body, isArchived } of BEFORE) {
      await call('POST', '/ext/api/v1/merchants', body, acquirer);
      if (isArchived) await call('PATCH', `/ext/api/v1/merchants/${body['mid']}/archive`, undefined, acquirer);
    }
    proxy = await startFailingProxy(server.demo.base_url, stops);
    writeFileSync(join(folder, 'estate.csv'), ESTATE);
    rmSync(report, { force: true });
  });

  /** The requests that reached the API until the first run that completed. */
  const untilDone: Passed[][] = [];
  /** Creates that were executed, neither rejected nor replayed. */
  const creates = (passed: Passed[]) => passed.filter(({ status, isReplayed }) => status === 201 && !isReplayed);

  test('stores a part and writes no report if it is killed', async () => {
    const { end, passed } = await importEstate({ killAt: 30 });
    untilDone.push(passed);
    expect(end).toBe('SIGKILL');
    expect(existsSync(report)).toBe(false);
    expect(creates(passed).length).toBeGreaterThan(15);
  });

  const FAILURES = {
    ...({ 5: 'cut before it arrives', 35: 'cut before its response', 38: 'cut within its response' } as const),
    ...({ 41: 'rate limit', 44: 'server error', 47: 'gateway error', 60: 'cut before its response' } as const),
  };

  test('imports the rest when run again, through cut connections and transient errors, and reports the rejected rows', async () => {
    const { end, output, errors, passed } = await importEstate({ failures: FAILURES });
    untilDone.push(passed);
    expect(errors).toBe(
      'Warning: {"pointer":"/colour","code":"unknown_field","detail":"Unknown field. It was ignored."}\n',
    );
    expect(readFileSync(report, 'utf8')).toBe(REPORT);
    const [created = '', refused] = output.split(/(?<=\n)/);
    expect([created.replace(/\d+/g, 'N'), refused]).toEqual(['Created N branches and N terminals.\n', REFUSED]);
    expect(end).toBe(2);
  });

  test('stores each branch and terminal of the file once, as in the file', async () => {
    const { branches, terminals } = await stored();
    expect(branches).toHaveLength(before.branches + BRANCHES_AFTER.size + OTHERS);
    const times = { created_at: expect.any(String), updated_at: expect.any(String), archived_at: null };
    for (const [mid, branch] of BRANCHES_AFTER)
      expect(branches.filter((each) => each.mid === mid)).toEqual([{ ...branch, ...times }]);
    const unshown = { tid: expect.any(String), created_at: expect.any(String), updated_at: expect.any(String) };
    const active = { ...unshown, archived_at: null, archive_reason: null };
    expect(terminals.toSorted((a, b) => (a.terminal_id < b.terminal_id ? -1 : 1))).toEqual(
      [...TERMINALS_AFTER].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, terminal]) => ({ ...terminal, ...active })),
    );
    expect((await server.audit()).broken).toEqual([]);
  });

  test('created each branch and each terminal in one of both runs only', () => {
    const bodies = creates(untilDone.flat()).map(({ path, body }) => ({ path, ...JSON.parse(body) }));
    const mids = bodies.flatMap(({ mid }) => mid ?? []);
    const terminals = bodies.flatMap((body) => (body.terminals ?? []).map((each: Listed) => each.terminal_id));
    const existed = BEFORE.map(({ body }) => body['mid']);
    expect(mids.toSorted()).toEqual([...BRANCHES_AFTER.keys()].filter((mid) => !existed.includes(mid)).toSorted());
    const ofBefore = ['EST010T1', 'EST010T4'];
    expect(terminals.toSorted()).toEqual([...TERMINALS_AFTER.keys()].filter((id) => !ofBefore.includes(id)).toSorted());
  });

  test.each([
    ['within a day', {}],
    ['after its Idempotency-Keys have expired', { dropsIdempotencyKeys: true }],
  ])('changes nothing and reports the same rejected rows when run again %s', async (_, plan) => {
    const then = await stored();
    rmSync(report);
    const { end, output, passed } = await importEstate(plan);
    expect(output).toBe(`Created 0 branches and 0 terminals.\n${REFUSED}`);
    expect(readFileSync(report, 'utf8')).toBe(REPORT);
    expect(end).toBe(2);
    expect(creates(passed)).toEqual([]);
    expect([...new Set(passed.map(({ method }) => method))].sort()).toEqual(['GET', 'POST']);
    expect(await stored()).toEqual(then);
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
