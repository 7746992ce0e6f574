import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { freePort } from '../../infra/local/engine.ts';
import { startFront } from '../../infra/local/front.ts';
import { guides } from '../../infra/site/guides.ts';
import { filesOf } from '../../infra/site/site.ts';
import { type Server, startServer } from '../soak/server.ts';

/* The docs site as `npm start` serves it, in a real browser. */

type Described = { operationId: string; summary: string; tags: [string]; responses: Record<string, object> };
const CONTRACT = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
const OPERATIONS = Object.values<Record<string, Described>>(CONTRACT.paths).flatMap((path) => Object.values(path));
const LOW_CONTRASTS = readFileSync('test/browser/lowContrasts.js', 'utf8');
const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
/** Keep Chromium from contacting its vendor's hosts. */
const NO_BACKGROUND_REQUESTS = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', ...NO_BACKGROUND_REQUESTS];

const stops: (() => Promise<void>)[] = [];
let browser: Browser;
let server: Server;
let base: string;

/** The path of an executable, found like in a shell. */
function executable(name: string): string {
  const path = spawnSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' }).stdout.trim();
  if (!path) throw new Error(`No ${name} is installed. CHROMIUM may name another browser of that kind.`);
  return resolve(path);
}

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: executable(process.env['CHROMIUM'] ?? 'chromium'),
    args: ARGUMENTS,
  });
  stops.push(() => browser.close());
  server = await startServer(stops);
  base = server.demo.base_url;
  // Resolves once the site is built.
  await fetch(base);
});
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

/** The origins that the open page sent requests to, and its errors. */
let origins: Set<string>;
let errors: string[];
let page: Page;

beforeEach(() => {
  origins = new Set();
  errors = [];
});
afterEach(async () => {
  expect(errors).toEqual([]);
  for (const context of browser.contexts()) {
    expect([...origins]).toEqual([new URL(page.url()).origin]);
    await context.close();
  }
});

const MOST_WAIT_MS = 30_000;

/** Waits until an expression is true. Page.waitForFunction() would use eval(), which the site's policy forbids. */
async function until(expression: string): Promise<void> {
  const end = Date.now() + MOST_WAIT_MS;
  while (!(await page.evaluate(expression))) {
    if (Date.now() > end) throw new Error(`Not true after ${MOST_WAIT_MS} ms: ${expression}`);
    await setTimeout(50);
  }
}

async function open(path: string, options: BrowserContextOptions = {}, at = base): Promise<void> {
  const context = await browser.newContext({ viewport: DESKTOP, colorScheme: 'light', ...options });
  page = await context.newPage();
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(at + path);
  await until('Boolean(document.querySelector("#app").__vue_app__)');
}

const sectionOf = (id: string) => page.locator(`[id$="/${id}"].section`);

/** Scrolls to an operation of the reference, which renders only what is visible. */
async function show({ operationId, tags: [tag] }: Described): Promise<void> {
  await page.evaluate(`location.hash = 'tag/${tag.toLowerCase().replaceAll(' ', '-')}/${operationId}'`);
  await sectionOf(operationId).getByRole('heading').first().waitFor();
}

const background = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');

describe('a request of the reference', () => {
  // The code samples below have the values of a distributor, too.
  test('succeeds for every operation as it is prefilled, sent as another acquirer', async () => {
    await open('/reference/');
    const loaded = page.waitForEvent('load');
    await page.getByLabel('You act as').selectOption('Payfair');
    await loaded;
    const statuses: Record<string, number> = {};
    for (const operation of OPERATIONS) {
      const { operationId } = operation;
      await show(operation);
      await sectionOf(operationId).getByRole('button', { name: 'Test Request' }).click();
      const send = page.locator('[data-addressbar-action="send"]').filter({ visible: true });
      const response = page.waitForResponse((each) => /\/(ext|api)\//.test(each.url()));
      await send.click();
      statuses[operationId] = (await response).status();
      await page
        .locator('[role="dialog"]')
        .getByText(/^20[01] /)
        .waitFor();
      await page.keyboard.press('Escape');
      await send.waitFor({ state: 'hidden' });
    }
    // A 200 beside a 201 is the response of a validation.
    const successOf = (responses: object) => Number(Object.keys(responses).findLast((status) => status < '300'));
    expect(statuses).toEqual(
      Object.fromEntries(OPERATIONS.map(({ operationId, responses }) => [operationId, successOf(responses)])),
    );
  });

  test('is prefilled differently on each visit', async () => {
    await open('/reference/');
    const [, createBranch] = OPERATIONS as [Described, Described];
    const midOf = async () => {
      await show(createBranch);
      const sample = await sectionOf('createBranch').locator('.scalar-code-block').first().innerText();
      return /MID[0-9A-F]{8}/.exec(sample)?.[0];
    };
    const first = await midOf();
    await page.reload();
    const second = await midOf();
    expect(first).toBeDefined();
    expect(second).toBeDefined();
    expect(second).not.toBe(first);
  });
});

describe('a code sample', () => {
  /** How to run the samples of each language; each language has its own acquirer, whose data no other test uses. */
  const LANGUAGES: [language: string, acquirer: string, command: string, args: string[]][] = [
    ['curl', 'Silverline Terminals', 'sh', ['-ec']],
    ['TypeScript', 'Trustcard', process.execPath, ['--input-type=module-typescript', '--eval']],
    ['Python', 'Quickpay', 'python3', ['-c']],
  ];

  const hasRequests = spawnSync('python3', ['-c', 'import requests']).status === 0;
  if (!hasRequests) test.skip('in Python is skipped: no python3 with requests on this machine', () => {});

  test.each(LANGUAGES.filter(([language]) => language !== 'Python' || hasRequests))(
    'in %s succeeds for every operation',
    async (language, name, command, args) => {
      const { prepared } = await import(resolve('infra/site/.vitepress/theme/prepared.js'));
      const { examples, api_key = '' } = server.demo.acquirers.find((each) => each.name === name) ?? {};
      const { paths } = prepared(CONTRACT, { examples, origin: base });
      type Sampled = Described & { 'x-codeSamples': { label: string; source: string }[] };
      for (const operation of Object.values<Record<string, Sampled>>(paths).flatMap((path) => Object.values(path))) {
        const { source = '' } = operation['x-codeSamples'].find(({ label }) => label === language) ?? {};
        const program = source
          .replace('curl ', 'curl --silent --show-error --fail-with-body ')
          .replace('acquirer-partner-api-client', resolve('docs/client/client.ts'));
        const env = { ...process.env, API_KEY: api_key };
        const { stdout } = await promisify(execFile)(command, [...args, program], { env });
        expect({ source, stdout }).toEqual({ source, stdout: expect.stringContaining('data') });
      }
    },
  );
});

describe('every text is legible and nothing is wider than the screen', () => {
  const GUIDES = [...guides().map(({ name }) => `/docs/${name}/`), '/', '/docs/errors/not_found/'];

  /** Expects this of the open page, which has at least so many texts. */
  const expectLegible = async (least: number, screen: typeof PHONE) => {
    const { texts, low }: { texts: number; low: unknown[] } = await page.evaluate(LOW_CONTRASTS);
    expect(texts).toBeGreaterThan(least);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect({ url: page.url(), low, width }).toEqual({ url: page.url(), low: [], width: screen.width });
  };

  test.each(['light', 'dark'] as const)('on a phone, in %s mode', async (colorScheme) => {
    await open('/', { colorScheme, viewport: PHONE, isMobile: true, hasTouch: true });
    for (const path of GUIDES) {
      await page.goto(base + path);
      await expectLegible(10, PHONE);
    }
  });

  test.each(['light', 'dark'] as const)(
    'in the reference with everything expanded, in %s mode',
    async (colorScheme) => {
      await open('/reference/', { colorScheme });
      // Scrolling through all operations renders them.
      for (const operation of OPERATIONS) await show(operation);
      await page.evaluate(
        `document.querySelectorAll('.vp-raw .section button[aria-expanded="false"]').forEach((each) => each.click())`,
      );
      for (const screen of [DESKTOP, PHONE]) {
        await page.setViewportSize(screen);
        await expectLegible(1000, screen);
      }
    },
  );
});

describe('the search', () => {
  // Clicks the result with this title: until the search has run, the first result is still one of the previous search.
  const search = async (text: string, title = text) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox').fill(text);
    await page.getByRole('option').filter({ hasText: title }).first().click();
  };

  test('finds an operation, from a guide and from the reference', async () => {
    await open('/docs/concepts/');
    for (const [text, id] of [
      ['Reassign a terminal', 'reassignTerminal'],
      ['Delete a terminal', 'deleteTerminal'],
    ] as const) {
      await search(text);
      await sectionOf(id).getByRole('heading').first().waitFor();
      await until(`document.querySelector('[id$="/${id}"].section').getBoundingClientRect().top < innerHeight / 2`);
    }
  });

  test('finds a section of a guide', async () => {
    await open('/reference/');
    await search('idempotency key reused', 'idempotency_key_reused');
    await page.waitForURL('**/docs/**');
    expect(await page.locator('.vp-doc').innerText()).toContain('idempotency_key_reused');
  });
});

test('the type of a problem is the URL of a page about its code', async () => {
  const { type } = (await (await fetch(`${base}/ext/api/v1/merchants`)).json()) as { type: string };
  expect(type).toBe(`${base}/docs/errors/invalid_api_key`);
  await open(new URL(type).pathname);
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('Missing or invalid API key');
  expect(await page.locator('.vp-doc').innerText()).toContain('The header API-KEY is missing');
});

test('the content, the search and a request can be reached with the keyboard', async () => {
  await open('/reference/');
  await page.locator('.vp-raw .section').first().waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.innerText')).toBe('Skip to content');
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).not.toBe('none');
  const [listBranches] = OPERATIONS as [Described];
  await show(listBranches);
  for (let presses = 0; presses < 200; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate('/^Test Request/.test(document.activeElement.innerText)')) break;
  }
  await page.keyboard.press('Enter');
  const response = page.waitForResponse('**/ext/**');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Control+Enter');
  expect((await response).status()).toBe(200);
});

test('a page follows the system’s light or dark mode, also when it changes', async () => {
  await open('/reference/');
  await page.locator('.vp-raw .section').first().waitFor();
  const light = await background();
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('.dark-mode .section').first().waitFor();
  expect([light, await background()]).toEqual(['rgb(255, 255, 255)', 'rgb(27, 27, 31)']);
  await show(OPERATIONS[1] as Described);
});

test('the site links only to downloads that exist', async () => {
  await open('/docs/quickstart/');
  const links: string[] = await page.evaluate('[...document.querySelectorAll(".VPSidebar a")].map(({ href }) => href)');
  expect(links.length).toBeGreaterThan(guides().length);
  for (const link of links) expect({ link, status: (await fetch(link)).status }).toEqual({ link, status: 200 });
});

test('the exported site has no API key, sends no requests and names the configured support contact', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'acquirer-partner-api-site-'));
  stops.push(async () => rmSync(folder, { recursive: true }));
  const env = { ...process.env, SITE_NAME: 'Example Acquiring', SUPPORT_EMAIL: 'help@example.com' };
  await promisify(execFile)(process.execPath, ['infra/site/main.ts', folder], { env });
  const files = filesOf(folder);
  expect(String(files.get('settings.json'))).toBe('{}');
  expect(JSON.parse(String(files.get('openapi.json')))).toEqual({
    ...CONTRACT,
    info: {
      ...CONTRACT.info,
      title: 'Example Acquiring',
      contact: { name: 'Partner support', email: 'help@example.com' },
    },
  });
  const port = await freePort();
  // No server is behind it.
  const front = await startFront(port, await freePort(), Promise.resolve(files));
  stops.push(front.stop);
  await open('/docs/concepts/', {}, `http://127.0.0.1:${port}`);
  expect(await page.locator('.VPNavBarTitle').innerText()).toBe('Example Acquiring');
  expect(await page.getByRole('link', { name: 'help@example.com' }).getAttribute('href')).toBe(
    'mailto:help@example.com',
  );
  await page.goto(`http://127.0.0.1:${port}/reference/`);
  await show(OPERATIONS[0] as Described);
  expect(await page.getByText('https://api.acquirer.example').first().isVisible()).toBe(true);
  expect(await page.getByRole('button', { name: 'Test Request' }).count()).toBe(0);
});
