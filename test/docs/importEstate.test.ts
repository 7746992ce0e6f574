import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Server, startServer } from '../soak/server.ts';
import { BEFORE, BRANCHES_AFTER, ESTATE, OTHERS, REPORT, ROW_COUNT, TERMINALS_AFTER } from './estate.ts';
import { type FailingProxy, type Passed, type Plan, startFailingProxy } from './failingProxy.ts';
import { guidesFrom } from './guide.ts';
import { readersEnvironment, run, startSite } from './reader.ts';

/*
 * The program of the guide "Import your estate", installed as its guides say, with 200 branches and 1,000 terminals: it
 * is killed, runs again through every injected failure, and runs once more. The tests depend on each other, in this
 * order.
 */

const guides = guidesFrom('quickstart.md');
const stepsOf = (guide: string, section: string) =>
  guides.flatMap(({ name, steps }) => (name === guide ? steps.filter((step) => step.section === section) : []));

const folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-estate-'));
const report = join(folder, 'refused.csv');
const stops: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true })];
let server: Server;
let proxy: FailingProxy;

const keyOf = (acquirer: string): string => server.demo.acquirers.find(({ name }) => name === acquirer)?.api_key ?? '';

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
  server = await startServer(stops);
  before = { branches: (await call('GET', '/ext/api/v1/merchants')).meta.total };
  for (const { acquirer, body, isArchived } of BEFORE) {
    await call('POST', '/ext/api/v1/merchants', body, acquirer);
    if (isArchived) await call('PATCH', `/ext/api/v1/merchants/${body['mid']}/archive`, undefined, acquirer);
  }
  proxy = await startFailingProxy(server.demo.base_url, stops);
  const values = { '{base_url}': proxy.url, '<API_KEY>': keyOf('Payfair'), '{site}': await startSite(stops) };
  const install = [
    ...stepsOf('quickstart.md', 'Base URL and API key').slice(0, 1),
    ...stepsOf('quickstart.md', 'TypeScript').slice(0, 2),
    ...stepsOf('import-your-estate.md', 'The program'),
    { section: '', command: 'npx tsc\n' },
  ];
  await run(install, values, folder);
  writeFileSync(join(folder, 'estate.csv'), ESTATE);
});
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

const RUN_MS = 300_000;
/** The requests that reached the API until the first run that completed. */
const untilDone: Passed[][] = [];
/** Creates that were executed, neither rejected nor replayed. */
const creates = (passed: Passed[]) => passed.filter(({ status, isReplayed }) => status === 201 && !isReplayed);

test(
  'a killed import has stored a part and written no report',
  async () => {
    const { end, passed } = await importEstate({ killAt: 80 });
    untilDone.push(passed);
    expect(end).toBe('SIGKILL');
    expect(existsSync(report)).toBe(false);
    expect(creates(passed).length).toBeGreaterThan(60);
  },
  RUN_MS,
);

const FAILURES = {
  ...({ 5: 'cut before it arrives', 95: 'cut before its response', 100: 'cut within its response' } as const),
  ...({ 105: 'rate limit', 110: 'server error', 115: 'gateway error', 150: 'cut before its response' } as const),
};

test(
  'run again, through cut connections and transient errors, it imports the rest and reports the rejected rows',
  async () => {
    const { end, output, errors, passed } = await importEstate({ failures: FAILURES });
    untilDone.push(passed);
    expect(errors).toBe(
      'Warning: {"pointer":"/colour","code":"unknown_field","detail":"Unknown field. It was ignored."}\n',
    );
    expect(readFileSync(report, 'utf8')).toBe(REPORT);
    expect(output).toMatch(
      new RegExp(
        `^Created \\d+ branches and \\d+ terminals\\.\nRefused 15 of ${ROW_COUNT} rows: see refused\\.csv\\.\n$`,
      ),
    );
    expect(end).toBe(2);
  },
  RUN_MS,
);

test(
  'each branch and terminal of the file is stored once, as in the file',
  async () => {
    const { branches, terminals } = await stored();
    expect(branches).toHaveLength(before.branches + BRANCHES_AFTER.size + OTHERS);
    for (const [mid, branch] of BRANCHES_AFTER)
      expect(branches.filter((each) => each.mid === mid)).toEqual([{ ...branch, created_at: expect.any(String) }]);
    const unshown = { tid: expect.any(String), created_at: expect.any(String), updated_at: expect.any(String) };
    const active = { ...unshown, archived_at: null, archive_reason: null };
    expect(terminals.toSorted((a, b) => (a.terminal_id < b.terminal_id ? -1 : 1))).toEqual(
      [...TERMINALS_AFTER].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, terminal]) => ({ ...terminal, ...active })),
    );
    expect((await server.audit()).broken).toEqual([]);
  },
  RUN_MS,
);

test('both runs together created each branch and each terminal once', () => {
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
])(
  'run again %s, it changes nothing and reports the same rejected rows',
  async (_, plan) => {
    const then = await stored();
    rmSync(report);
    const { end, output, passed } = await importEstate(plan);
    expect(output).toBe(`Created 0 branches and 0 terminals.\nRefused 15 of ${ROW_COUNT} rows: see refused.csv.\n`);
    expect(readFileSync(report, 'utf8')).toBe(REPORT);
    expect(end).toBe(2);
    expect(creates(passed)).toEqual([]);
    expect([...new Set(passed.map(({ method }) => method))].sort()).toEqual(['GET', 'POST']);
    expect(await stored()).toEqual(then);
  },
  RUN_MS,
);
