import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { basename, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type Demo, loadDemo } from '../../infra/local/demo.ts';
import { startSecretStore } from '../../infra/local/secretStore.ts';
import { serve } from '../../infra/local/serve.ts';
import { FIELD_ERRORS } from '../../infra/publish/contract/problems.ts';
import { guides as guidesOfSite } from '../../infra/publish/site/guides.ts';
import { LOCAL_SECRETS } from '../../infra/stack/localEnvironment.ts';
import { issueApiKey } from '../../lib/acquirers/keyring.ts';
import { CATALOGUE } from '../../lib/base/problem.ts';
import { FEED } from '../../lib/events/feed.ts';
import { limitAcquirer } from '../../lib/operator/acquirerChanges.ts';
import { newSecret } from '../../lib/webhooks/secret.ts';
import { send } from '../../lib/webhooks/send.ts';
import { signedHeaders } from '../../lib/webhooks/signature.ts';
import { work } from '../../lib/webhooks/worker.ts';
import { setClock } from '../support/clock.ts';
import { CONTRACT } from '../support/contract.ts';
import { installClient } from '../support/installedClient.ts';
import { expectNoViolations } from '../support/invariants.ts';
import { serveHandlers } from '../support/overHttp.ts';
import { ownFolder } from '../support/scripts.ts';
import { parseGuide, type Step } from './guide.ts';
import { readersEnvironment, run, runAll, type Values } from './reader.ts';

/*
 * Runs everything that the guides show, in their order and in one folder, against the handlers with the data of `npm
 * start`.
 */

const guides = guidesOfSite().map(({ name, text }) => parseGuide(`${name}.md`, text));
const isSetup = ({ section }: Step): boolean => section === 'Base URL and API key';

/** Commands that set the variables all guides use; the second is for readers with the repository. */
const [setup, ownMachine] = (guides[0]?.steps ?? []).filter(isSetup) as [Step, Step];

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

/** What a reader runs: each guide, and the examples of the READMEs. */
const runs: { name: string; steps: Step[] }[] = [
  { name: 'README.md', steps: parseGuide('README.md', firstCall).steps },
  { name: 'README.md of the client', steps: [clientExample] },
  ...guides
    .map(({ name, steps }) => ({ name, steps: steps.filter((step) => !isSetup(step)) }))
    .filter(({ steps }) => steps.length > 0),
];

/** The guide that needs a rate limit. */
const LIMITED = 'rate-limits.md';

test('the site has every guide', () => {
  const files = globSync('docs/guides/*.md').map((file) => basename(file));
  expect(guides.map(({ name }) => name).sort()).toEqual(files.sort());
});

test('the programs in docs/client/examples/ are those shown in the guides', () => {
  const shown = guides.flatMap(({ files }) => [...files]).filter(([name]) => name.endsWith('.ts'));
  const examples = globSync('docs/client/examples/*').map((file) => [basename(file), readFileSync(file, 'utf8')]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(examples));
});

const folder = ownFolder();
const stops: (() => unknown)[] = [];
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

/** The commands that a reader runs once for all guides. */
const PREPARATION = /^(?:npm install .*|npx tsc)\n/gm;

/** The packages that the guides install, such as `csv-parse@7`, by name. */
const PACKAGES = new Map(
  guides
    .flatMap(({ text }) => [...text.matchAll(/(?<= )(@?[\w/-]+)@(\d+)(?=[ \n])/g)])
    .map((found) => [found[1], found]),
);

/** Installs the client's package and what the guides install, and compiles all programs. */
async function prepareFolder(): Promise<void> {
  const modules = await installClient(folder);
  for (const made of [join(modules, '@types'), join(folder, '.local')]) mkdirSync(made, { recursive: true });
  for (const [, name = '', major = ''] of PACKAGES.values()) {
    const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
    expect([name, version]).toEqual([name, expect.stringMatching(`^${major}`)]);
    symlinkSync(resolve('node_modules', name), join(modules, name));
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const programs = [...guides.flatMap(({ files }) => [...files]), ['example.ts', example] as const];
  for (const [name, program] of programs) writeFileSync(join(folder, name), program);
  await promisify(execFile)(resolve('node_modules/.bin/tsc'), { cwd: folder });
}

/** Delivers to the webhooks of the demo as the worker does, until the tests end. Returns what ends it. */
function startDeliveries(): () => Promise<void> {
  let isEnded = false;
  // Each webhook is checked again at once, so no message is needed.
  const worker = { send: async () => {}, timeLeft: () => 60_000, note: () => {} };
  const ended = (async () => {
    for (; !isEnded; await sleep(100))
      for (const { id } of demo.acquirers) await work({ acquirer: id }, 'slow', worker);
  })();
  return () => {
    isEnded = true;
    return ended;
  };
}

/** Commands that wait for a time that is long enough, which tests need not. */
const WAITS = {
  'sleep 3': 'until curl -s -o out.txt "http://127.0.0.1:$PORT"; do sleep 0.1; done',
  'sleep 45': 'until grep -q branch received.txt; do sleep 0.1; done',
};

let demo: Demo & { base_url: string };
let values: Values;
const acquirerOf = (acquirer: string) => demo.acquirers.find(({ name }) => name === acquirer);
const keyOf = (acquirer: string): string => acquirerOf(acquirer)?.api_key ?? '';

beforeAll(async () => {
  const secrets = await startSecretStore(LOCAL_SECRETS);
  // As `npm start`: receivers of guides are on this machine.
  process.env['WEBHOOK_HOSTS'] = 'loopback';
  const { url, stop } = await serveHandlers();
  stops.push(secrets.stop, stop);
  const { endpoint } = secrets;
  Object.assign(process.env, { BASE_URL: url, ISSUER: url, AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint });
  // Events are shown at once.
  FEED.horizonMs = 0;
  demo = { ...(await loadDemo()), base_url: url };
  const receiver = await serve(() => {});
  await receiver.stop();
  values = {
    '{base_url}': url,
    'http://127.0.0.1:3000': url,
    '<API_KEY>': keyOf('Payfair'),
    'PORT=4000': `PORT=${new URL(receiver.url).port}`,
    'sleep 30': 'sleep 1',
    ...WAITS,
  };
  stops.push(startDeliveries());
  await prepareFolder();
  writeFileSync(join(folder, '.local/demo.json'), JSON.stringify(demo));
});

const ENDED = 'http.server.response.finish';
const resumeAt429 = (message: unknown): void => {
  if ((message as { response: ServerResponse }).response.statusCode === 429) jest.useRealTimers();
};

/**
 * Runs `act` with a key of Payfair that has a rate limit. Its other key is not read again until the limit is gone. No
 * time passes for the service until the limit is exceeded, however slow this machine is.
 */
async function withRateLimit(act: (values: Values) => Promise<void>): Promise<void> {
  const id = acquirerOf('Payfair')?.id ?? '';
  await limitAcquirer(id, { rate: 5, burst: 10 });
  const { api_key } = await issueApiKey(id, 'limited');
  setClock(Date.now());
  // A request whose tokens are not leased in time is not limited.
  jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
  subscribe(ENDED, resumeAt429);
  await act({ ...values, '<API_KEY>': api_key });
  unsubscribe(ENDED, resumeAt429);
  jest.restoreAllMocks();
  await limitAcquirer(id, undefined);
}

describe('the output of each command', () => {
  for (const { name, steps } of runs) {
    test(`is as the guide shows it: ${name}`, async () => {
      const runAs = async (reader: Values) => {
        const prepared = steps.map((step) => ({ ...step, command: step.command.replace(PREPARATION, '') }));
        const results = await run([setup, ...prepared], reader, folder);
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

test('no command and no program sends the API key to where the base URL redirects', async () => {
  const arrived: string[] = [];
  const other = await serve((request, response) => {
    arrived.push(`${request.method} ${request.url}`);
    response.end('{}');
  });
  let redirected = 0;
  const redirecting = await serve((request, response) => {
    redirected += 1;
    response.writeHead(307, { location: other.url + request.url }).end();
  });
  stops.push(other.stop, redirecting.stop);
  const led: Values = { ...values, '{base_url}': redirecting.url, 'http://127.0.0.1:3000': redirecting.url };
  // Nothing is delivered, and some receivers do not start.
  for (const wait of Object.keys(WAITS)) led[wait] = 'true';
  const script = [setup, ...runs.flatMap(({ steps }) => steps)].map(({ command }) => command.replace(PREPARATION, ''));
  // Each command runs, whatever became of those before it.
  await runAll(script, led, folder);
  expect(arrived).toEqual([]);
  expect(redirected).toBeGreaterThan(runs.length);
});

describe.each([
  ['TypeScript', 'node', 'receiver.js'],
  ['Python', 'python3', 'receiver.py'],
])('the receiver of the guide "Webhooks" in %s', (_, program, file) => {
  const secret = newSecret();
  const id = randomUUID();
  const event = { id: randomUUID(), at: new Date().toISOString(), type: 'branch.updated', branch: { mid: 'ÉVORA1' } };
  const body = JSON.stringify({ data: [event], meta: { next: 'x', missed_before: null } });
  let url: string;
  let receiver: ChildProcess;
  let printed: Promise<string>;

  interface Sent {
    at?: number;
    secrets?: string[];
    changed?: string;
    headers?: Record<string, string>;
  }
  /** Sends a delivery that was signed as ours are. Resolves to the status of the response, or the error. */
  async function deliver({ at = Date.now(), secrets = [secret], changed = body, headers }: Sent = {}) {
    const signed = signedHeaders({ id, at: new Date(at).toISOString(), body, secrets });
    const { status, error } = await send(url, { headers: { ...signed, ...headers }, body: changed });
    return status ?? error;
  }

  beforeAll(async () => {
    const { url: free, stop } = await serve(() => {});
    await stop();
    url = `${free}/events`;
    const env = { ...readersEnvironment(), PORT: new URL(free).port, WEBHOOK_SECRET: secret };
    const started = spawn(program, [file], { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
    stops.push(() => started.kill());
    [receiver, printed] = [started, text(started.stdout)];
    while ((await deliver({ secrets: [newSecret()] })) === 'The connection was refused.') await sleep(100);
  });

  test('refuses what is not signed by its secret, one byte changed, another id, and a time 5 minutes off', async () => {
    expect(await deliver({ secrets: [newSecret()] })).toBe(401);
    for (let place = 0; place < body.length; place += 1) {
      const changed = body.slice(0, place) + (body[place] === 'x' ? 'y' : 'x') + body.slice(place + 1);
      expect(await deliver({ changed })).toBe(401);
    }
    expect(await deliver({ changed: JSON.stringify(JSON.parse(body), null, 1) })).toBe(401);
    expect(await deliver({ headers: { 'webhook-id': randomUUID() } })).toBe(401);
    for (const off of [-302_000, 302_000]) expect(await deliver({ at: Date.now() + off })).toBe(401);
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      expect(await deliver({ headers: { [name]: '' } })).toBe(401);
    for (const junk of ['v1,', 'v1', ',', 'é', 'v2,abc']) {
      expect(await deliver({ headers: { 'webhook-signature': junk } })).toBe(401);
    }
  });

  test('accepts what any of two secrets signs, and applies a repeated event once', async () => {
    expect(await deliver({ secrets: [newSecret(), secret] })).toBe(204);
    expect(await deliver()).toBe(204);
    receiver.kill();
    expect(await printed).toBe(`${event.at} branch.updated ÉVORA1\n`);
  });
});

test('the mirror by push reads the lists again if its webhook has missed events', async () => {
  const { url, stop } = await serve(() => {});
  await stop();
  const secret = newSecret();
  const file = join(folder, 'outdated.json');
  writeFileSync(file, JSON.stringify({ cursor: 'outdated', branches: [['GONE', { mid: 'GONE' }]], terminals: [] }));
  const env = { BASE_URL: demo.base_url, API_KEY: keyOf('Payfair'), PORT: new URL(url).port, WEBHOOK_SECRET: secret };
  const child = spawn('node', ['mirrorByPush.js', file], { cwd: folder, env: { ...readersEnvironment(), ...env } });
  stops.push(() => child.kill());
  const id = randomUUID();
  const deliver = async (missed_before: string | null) => {
    const body = JSON.stringify({ data: [], meta: { next: 'next', missed_before } });
    const headers = signedHeaders({ id, at: new Date().toISOString(), body, secrets: [secret] });
    return send(`${url}/`, { headers, body });
  };
  while ((await deliver(null)).error === 'The connection was refused.') await sleep(100);
  expect(readFileSync(file, 'utf8')).toContain('GONE');
  expect(await deliver(new Date().toISOString())).toMatchObject({ status: 204 });
  const { cursor, branches } = JSON.parse(readFileSync(file, 'utf8'));
  expect([cursor, branches.length > 0]).toEqual(['next', true]);
  expect(JSON.stringify(branches)).not.toContain('GONE');
});

// Its tests depend on each other, in this order.
describe('the program of the guide "Import your estate"', () => {
  const report = join(folder, 'refused.csv');
  const key = () => ({ 'API-KEY': keyOf('Trustcard'), connection: 'close' });

  async function call<T>(method: string, path: string, body?: object, headers = key()): Promise<T> {
    const options = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${demo.base_url}/ext/api/v1/${path}`, options);
    expect([path, response.ok || (await response.clone().text())]).toEqual([path, true]);
    return ((await response.json()) as { data: T }).data;
  }

  /** More terminals than one request can create. */
  const MANY = Array.from({ length: 45 }, (_, at) => `OWNMANY${at}`);
  /** As spreadsheets write it: with a byte order mark and CRLF. */
  const ROWS = `\uFEFF${[
    'mid,branch_name,city,master_merchant_id,master_merchant_name,colour,terminal_id,serial_no,terminal_model',
    'OWNFILE1," Café ""Nº 1"", centre ",Lisbon,OWNFILE,Estate,,OWNT1,OWNS1,Countertop 3',
    'OWNFILE2,Two,,OWNFILE,Estate,red,,,',
    'OWNFILE3,Three,Porto,OWNFILE,Estate,,OWNT3,,New model',
    'OWNFILE4,Four,Faro,OWNFILE,Estate,,OWN-T4,,',
    'OWNFILE4,Four,Faro,OWNFILE,Estate,,OWNT5,OWNS1,',
    'OWNFILE4,Four,Elsewhere,OWNFILE,Estate,,OWNT6,,',
    ',Five,Faro,OWNFILE,Estate,,OWNT7,,',
    'OWNFILEFOREIGN,Six,,OWNFILE,Estate,,OWNT8,,',
    'OWNFILEARCHIVED,,,OWNFILEOLD,,,OWNT9,,',
    '',
    ...MANY.map((each) => `OWNFILE5,Five,,OWNFILE,Estate,,${each},,`),
  ].join('\r\n')}\r\n`;
  const REPORT = `line,mid,terminal_id,field,code,detail
"4","OWNFILE3","OWNT3","terminal_model","differs","It exists with Old model."
"5","OWNFILE4","OWN-T4","terminal_id","invalid_format","Must be alphanumeric (0-9, A-Z, a-z)."
"6","OWNFILE4","OWNT5","serial_no","duplicate","Line 2 has it too."
"7","OWNFILE4","OWNT6","city","differs","Line 5 has another value for this branch."
"8","","OWNT7","mid","required","Is required."
"9","OWNFILEFOREIGN","OWNT8","mid","taken","Another branch has this MID."
"10","OWNFILEARCHIVED","OWNT9","","branch_archived","The branch is archived. Restore it before you add terminals to it."
`;

  beforeAll(async () => {
    const body = { master_merchant_id: 'OWNFILE', master_merchant_name: 'Estate', branch_name: 'Three', city: 'Porto' };
    const terminals = [{ terminal_id: 'OWNT3', terminal_model: 'Old model' }];
    await call('POST', 'merchants', { ...body, mid: 'OWNFILE3', terminals });
    await call('POST', 'merchants', { mid: 'OWNFILEARCHIVED', master_merchant_id: 'OWNFILEOLD' });
    await call('PATCH', 'merchants/OWNFILEARCHIVED/archive');
    const foreign = { mid: 'OWNFILEFOREIGN', master_merchant_id: 'OWNFILE' };
    await call('POST', 'merchants', foreign, { ...key(), 'API-KEY': keyOf('Quickpay') });
    writeFileSync(join(folder, 'estate.csv'), ROWS);
  });

  async function importEstate() {
    rmSync(report, { force: true });
    const env = { ...readersEnvironment(), BASE_URL: demo.base_url, API_KEY: keyOf('Trustcard') };
    const child = spawn('node', ['importEstate.js', 'estate.csv', 'refused.csv'], { cwd: folder, env });
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    // Progress is shown only on terminals.
    return { code, output, errors: errors.split('\r').at(-1), report: readFileSync(report, 'utf8') };
  }

  const refused = `Refused 7 of ${9 + MANY.length} rows: see refused.csv.\n`;

  test('creates the branches and terminals of the file, and reports the rows that are refused', async () => {
    expect(await importEstate()).toEqual({
      code: 2,
      output: `Created 3 branches and ${1 + MANY.length} terminals.\n${refused}`,
      errors: 'Warning: {"pointer":"/colour","code":"unknown_field","detail":"Unknown field. It was ignored."}\n',
      report: REPORT,
    });
    expect(await call('GET', 'merchants/OWNFILE1')).toMatchObject({
      ...{ merchant_name: 'Café "Nº 1", centre', city: 'Lisbon', master_merchant_name: 'Estate', terminal_count: 1 },
    });
    expect(await call('GET', 'terminals/OWNFILE1')).toMatchObject([
      { terminal_id: 'OWNT1', serial_no: 'OWNS1', terminal_model: 'Countertop 3' },
    ]);
    const many = await call<{ terminal_id: string }[]>('GET', 'terminals/OWNFILE5?per_page=100');
    expect(many.map(({ terminal_id }) => terminal_id).sort()).toEqual(MANY.toSorted());
    expect(await call('GET', 'terminals/OWNFILE3')).toMatchObject([{ terminal_model: 'Old model' }]);
    await expectNoViolations();
  });

  test.each([
    ['within a day', 0],
    ['after its Idempotency-Keys have expired', 2],
  ])('creates nothing and reports the same rows when run again %s', async (_, days) => {
    setClock(Date.now() + days * 86_400_000);
    const { output, report: again } = await importEstate();
    jest.useRealTimers();
    expect([output, again]).toEqual([`Created 0 branches and 0 terminals.\n${refused}`, REPORT]);
  });
});

test('errors.md has a section for each code of a problem, and for each of a field error or a warning', () => {
  const text = readFileSync('docs/guides/errors.md', 'utf8');
  const headings = (level: '##' | '###'): string[] =>
    [...text.matchAll(new RegExp(`^${level} ([a-z_]+)$`, 'gm'))].flatMap(([, heading]) => heading ?? []);
  expect(headings('##')).toEqual(Object.keys(CATALOGUE));
  const { FieldWarning, ParameterWarning } = CONTRACT.components.schemas as Record<string, Coded>;
  const warnings = [FieldWarning, ParameterWarning].flatMap((each) => each?.properties.code['x-extensible-enum'] ?? []);
  // Warnings of fields and of parameters share the code `incomplete`.
  const codes = [...FIELD_ERRORS, ...warnings].filter((code, at, all) => all.lastIndexOf(code) === at);
  expect(headings('###')).toEqual(codes);
});

/** The schema of a warning. */
interface Coded {
  properties: { code: { 'x-extensible-enum': string[] } };
}
