import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { freePort } from '../../infra/local/engine.ts';
import { startFront } from '../../infra/local/front.ts';
import { pageFiles } from '../../infra/page/page.ts';
import { type Server, startServer } from '../../soak/server.ts';

/*
 * The reference page as `npm start` serves it, in a real browser. `SCREENSHOTS=<folder>` has it write pictures.
 */

const CONTRACT = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
const LOW_CONTRASTS = readFileSync('test/browser/lowContrasts.js', 'utf8');
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** Without these it asks its maker's hosts for this and that. */
const NOTHING_OF_ITS_OWN = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', ...NOTHING_OF_ITS_OWN];

const stops: (() => Promise<void>)[] = [];
let browser: Browser;
let server: Server;
let base: string;
let key: string;

/** The path of an executable that is named as in a shell. */
function executable(name: string): string {
  const paths = name.includes('/')
    ? [resolve(name)]
    : (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  const path = paths.find((each) => existsSync(each));
  if (!path) throw new Error(`No ${name} is installed. CHROMIUM may name another browser of that kind.`);
  return path;
}

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: executable(process.env['CHROMIUM'] ?? 'chromium'),
    args: ARGUMENTS,
  });
  stops.push(() => browser.close());
  server = await startServer(stops);
  base = server.demo.base_url;
  key = server.demo.acquirers.find(({ name }) => name === 'Payfair')?.api_key ?? '';
}, 60_000);
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

/** Of the page that a test has open: where it sent requests, and what it complained of. */
let asked: Set<string>;
let complaints: string[];
let page: Page;

beforeEach(() => {
  asked = new Set();
  complaints = [];
});
afterEach(async () => {
  expect([...asked]).toEqual([new URL(page.url()).origin]);
  expect(complaints).toEqual([]);
  await page.context().close();
});

async function open(options: BrowserContextOptions = {}, at = base): Promise<void> {
  const context = await browser.newContext({ viewport: DESKTOP, colorScheme: 'light', ...options });
  page = await context.newPage();
  page.on('request', (request) => asked.add(new URL(request.url()).origin));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${at}/`);
  await operation('memberCheck').waitFor();
}

const operation = (id: string) => page.locator(`.opblock[id$="-${id}"]`);
const summaryOf = (id: string) => operation(id).locator('.opblock-summary-control');

/** The renderer can send nothing before it shows the parameters of an operation that was unfolded. */
const parameterShown = () => operation('listBranches').locator('[data-param-name="sort"]').waitFor();

/** Sends the request that "List branches" is filled in with, and gives the answer as it is shown. */
async function listBranches(): Promise<{ status: string; body: unknown }> {
  const shown = operation('listBranches').locator('.live-responses-table .response');
  await parameterShown();
  await operation('listBranches').getByRole('button', { name: 'Execute' }).click();
  return {
    status: await shown.locator('.response-col_status').innerText(),
    body: JSON.parse(await shown.locator('.highlight-code code').first().innerText()),
  };
}

/** What the API itself answers to the request that the page sends. */
const branches = async (): Promise<unknown> =>
  (await fetch(`${base}/ext/api/v1/merchants?sort=desc&per_page=10&page=1`, { headers: { 'API-KEY': key } })).json();

async function picture(name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}

const width = (): Promise<number> => page.evaluate('document.documentElement.scrollWidth');
const background = (): Promise<string> => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');

test('shows every operation of the contract under its tag', async () => {
  await open();
  const sections = await page.locator('.opblock-tag-section').all();
  const shown = await Promise.all(
    sections.map(async (section) => ({
      tag: await section.locator('.opblock-tag').getAttribute('data-tag'),
      summaries: await section.locator('.opblock-summary-description').allInnerTexts(),
    })),
  );
  type Described = { tags: string[]; summary: string };
  const described = Object.values<Record<string, Described>>(CONTRACT.paths).flatMap((path) => Object.values(path));
  expect(described).toHaveLength(13);
  expect(shown).toEqual(
    CONTRACT.tags.map(({ name }: { name: string }) => ({
      tag: name,
      summaries: described.filter(({ tags }) => tags[0] === name).map(({ summary }) => summary),
    })),
  );
  expect(await page.title()).toBe(CONTRACT.info.title);
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
  await picture('reference-desktop');
});

test('serves what it links to', async () => {
  await open();
  const links: string[] = await page.evaluate('[...document.querySelectorAll("header a")].map(({ href }) => href)');
  expect(links).toHaveLength(8);
  for (const link of links) expect({ link, status: (await fetch(link)).status }).toEqual({ link, status: 200 });
});

describe('a guide', () => {
  const guides = [
    'quickstart',
    'concepts',
    'pagination',
    'errors',
    'idempotency-and-retries',
    'rate-limits',
    'going-live',
  ];

  test.each(guides)('is legible on a phone, and what it links to is there: %s', async (guide) => {
    await open({ viewport: PHONE, isMobile: true, hasTouch: true });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(`${base}/docs/${guide}`);
      expect(await width()).toBe(PHONE.width);
      expect(await page.evaluate(LOW_CONTRASTS)).toEqual({ texts: expect.any(Number), low: [] });
    }
    const links: string[] = await page.evaluate('[...document.querySelectorAll("main a")].map(({ href }) => href)');
    for (const link of links.filter((each) => each.startsWith(base))) {
      await page.goto(link);
      const { hash } = new URL(link);
      expect({ link, there: await page.locator(hash ? `[id="${hash.slice(1)}"]` : 'body').count() }).toEqual({
        link,
        there: 1,
      });
    }
  });

  test('is where the type of a problem leads to', async () => {
    await open();
    const { type } = (await (await fetch(`${base}/ext/api/v1/merchants`)).json()) as { type: string };
    await page.goto(type);
    expect(new URL(page.url()).hash).toBe('#invalid_api_key');
    expect(await page.locator(':target').innerText()).toBe('invalid_api_key');
  });
});

test('is gone through by keyboard, to an operation and its answer', async () => {
  await open();
  /** Goes on with the Tab key to where a locator is, and presses Enter there. */
  const enter = async (selector: string) => {
    for (let presses = 0; presses < 60; presses += 1) {
      if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
  };
  await enter('[id$="-listBranches"] .opblock-summary-control');
  await parameterShown();
  expect(await summaryOf('listBranches').getAttribute('aria-expanded')).toBe('true');
  expect(new URL(page.url()).hash).toBe('#/Branches/listBranches');
  await enter('[id$="-listBranches"] .execute');
  const shown = operation('listBranches').locator('.live-responses-table .response .highlight-code code').first();
  expect(JSON.parse(await shown.innerText())).toEqual(await branches());
});

describe('a request that is tried', () => {
  test('has the demo’s key, and its answer is shown', async () => {
    await open();
    await summaryOf('listBranches').click();
    expect(await listBranches()).toEqual({ status: '200', body: await branches() });
  });

  test('is refused with a wrong key', async () => {
    await open();
    await page.locator('.btn.authorize').click();
    await page.getByRole('button', { name: 'Remove authorization' }).click();
    await page.getByLabel('Value').fill('apk_wrong');
    await page.getByRole('button', { name: 'Apply credentials' }).click();
    await page.locator('.btn-done').click();
    await summaryOf('listBranches').click();
    const { status, body } = await listBranches();
    expect(status).toBe('401');
    expect(body).toEqual({
      type: `${base}/docs/errors#invalid_api_key`,
      title: 'Missing or invalid API key',
      status: 401,
      detail: 'Send a valid API key in the header API-KEY.',
      code: 'invalid_api_key',
      request_id: expect.any(String),
    });
    // The browser itself tells of any answer that is no success.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('401 (Unauthorized)')]);
  });
});

test('follows the reader’s system, light or dark, also when that changes', async () => {
  await open();
  expect(await background()).toBe('rgb(255, 255, 255)');
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await background()).toBe('rgb(28, 32, 34)');
  await summaryOf('listBranches').click();
  await listBranches();
  await page.evaluate('document.querySelector(".live-responses-table").scrollIntoView()');
  await picture('reference-dark');
});

describe('with everything unfolded', () => {
  test.each(['light', 'dark'] as const)('is legible on a phone, in %s', async (colorScheme) => {
    await open({ colorScheme, viewport: PHONE, isMobile: true, hasTouch: true });
    expect(await width()).toBe(PHONE.width);
    await summaryOf('listBranches').tap();
    if (colorScheme === 'light') await picture('reference-phone');
    await listBranches();
    const folded = page.locator('.opblock-summary-control[aria-expanded="false"]');
    for (let left = await folded.count(); left > 0; left -= 1) await folded.last().tap();
    expect(await page.locator('.opblock-body').count()).toBe(13);
    expect(await width()).toBe(PHONE.width);
    const { texts, low }: { texts: number; low: unknown[] } = await page.evaluate(LOW_CONTRASTS);
    expect(texts).toBeGreaterThan(500);
    expect(low).toEqual([]);
  });
});

test('as it is deployed holds no key, sends no requests, and shows the contract’s server', async () => {
  const files = pageFiles();
  expect(String(files.get('settings.json'))).toBe('{}');
  expect(JSON.parse(String(files.get('openapi.json')))).toEqual(CONTRACT);
  const port = await freePort();
  // There is nothing behind it.
  const front = await startFront(port, await freePort(), files);
  stops.push(front.stop);
  await open({}, `http://127.0.0.1:${port}`);
  expect(await page.locator('.servers option').allInnerTexts()).toEqual([expect.stringContaining('https://{host}')]);
  expect(await page.locator('.servers input').inputValue()).toBe('api.acquirer.example');
  await summaryOf('listBranches').click();
  await operation('listBranches').locator('.opblock-body').waitFor();
  expect(await page.getByRole('button', { name: /Execute|Try it out/ }).count()).toBe(0);
});
