import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { guides } from '../../infra/publish/site/guides.ts';
import { deep } from '../support/depth.ts';
import { type Server, startServer } from '../support/server.ts';
import { DESKTOP, expectNotWider, expectNoViolations, PHONE, smallTargetsIn, until, useBrowser } from './chromium.ts';

/* The docs site as `npm start` serves it. */

type Described = { operationId: string; summary: string; tags: [string] };
const CONTRACT = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
const OPERATIONS = Object.values<Record<string, Described>>(CONTRACT.paths).flatMap((path) => Object.values(path));

const stops: (() => Promise<void>)[] = [];
let server: Server;
let base: string;
const window = useBrowser();
const open = (path: string, options = {}) => window.open(base + path, options);

beforeAll(async () => {
  server = await startServer(stops);
  base = server.demo.base_url;
  // Resolves once the site is built.
  await fetch(base);
});
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

/** Scrolls to an operation of the reference, which renders only what is visible. */
async function show({ operationId, tags: [tag] }: Described): Promise<void> {
  await window.page.evaluate(`location.hash = 'tag/${tag.toLowerCase().replaceAll(' ', '-')}/${operationId}'`);
  await window.sectionOf(operationId).getByRole('heading').first().waitFor();
}

/** Each page in each mode and on each screen, but not in all combinations; on a push in one of them. */
const SCREENS = [
  ['light', 'on a phone', { viewport: PHONE, isMobile: true, hasTouch: true }],
  ['dark', 'on a desktop', { viewport: DESKTOP }],
] as const;

/** Expects that the open page has no violation of axe's rules, and is not wider than the screen. */
async function expectAccessible(): Promise<void> {
  await expectNotWider(window.page);
  await expectNoViolations(window.page);
}

test.each(SCREENS.slice(0, deep ? 2 : 1))('all guides are accessible in %s mode %s', async (colorScheme, _, screen) => {
  await open('/', { colorScheme, ...screen });
  const paths = guides().map(({ name }) => `/docs/${name}/`);
  for (const path of [...paths, '/', '/docs/errors/not_found/', '/docs/no-such-page/']) {
    await window.page.goto(base + path);
    await expectAccessible();
  }
});

test.each(SCREENS.slice(deep ? 0 : 1))('the reference is accessible in %s mode %s', async (colorScheme, _, screen) => {
  await open('/reference/', { colorScheme });
  // Scrolling through all operations renders them.
  for (const operation of OPERATIONS) await show(operation);
  await window.page.evaluate(
    `document.querySelectorAll('.vp-raw .section :is(.parameter-item-trigger, ` +
      `.property-toggle)[aria-expanded="false"]').forEach((each) => each.click())`,
  );
  await window.page.setViewportSize(screen.viewport);
  await expectAccessible();
});

test('on a phone, all that is touched is at least 44 px', async () => {
  const small = (root: string) => window.page.evaluate(smallTargetsIn(root));
  await open('/', { viewport: PHONE, isMobile: true, hasTouch: true });
  const paths = guides().map(({ name }) => `/docs/${name}/`);
  for (const path of ['/', '/docs/errors/not_found/', '/docs/no-such-page/', ...paths]) {
    await window.page.goto(base + path);
    expect([path, await small('document')]).toEqual([path, []]);
  }
  for (const [button, opened] of [
    ['.VPLocalNav .menu', '.VPSidebar'],
    ['.VPLocalNavOutlineDropdown > button', '.VPLocalNav'],
    ['.VPNavBarHamburger', '.VPNavScreen'],
    ['.DocSearch-Button', '.VPLocalSearchBox'],
  ] as const) {
    await window.page.goto(`${base}/docs/quickstart/`);
    await window.page.locator(button).first().click();
    const shown = window.page.locator(opened);
    // It moves to its place.
    await until(() => shown.evaluate((each) => each.getAnimations({ subtree: true }).length === 0));
    expect([opened, await small(`document.querySelector('${opened}')`)]).toEqual([opened, []]);
  }
});

describe('the search', () => {
  // Clicks the result with this title: until the search has run, the first result is still one of the previous search.
  const search = async (text: string, title = text) => {
    await window.page.keyboard.press('Control+k');
    await window.page.getByRole('searchbox').fill(text);
    // Not one that mentions it.
    const named = window.page.locator('.titles', { hasText: title });
    await window.page.getByRole('option').filter({ has: named }).first().click();
  };

  test('finds an operation, from a guide and from the reference', async () => {
    await open('/docs/concepts/');
    for (const [text, id] of [
      ['Reassign a terminal', 'reassignTerminal'],
      ['Delete a terminal', 'deleteTerminal'],
    ] as const) {
      await search(text);
      await window.sectionOf(id).getByRole('heading').first().waitFor();
      const top = `document.querySelector('[id$="/${id}"].section').getBoundingClientRect().top`;
      await until(() => window.page.evaluate(`${top} < innerHeight / 2`));
    }
  });

  test('finds a section of a guide', async () => {
    await open('/reference/');
    await search('idempotency key reused', 'idempotency_key_reused');
    await window.page.waitForURL('**/docs/**');
    expect(await window.page.locator('.vp-doc').innerText()).toContain('idempotency_key_reused');
  });
});

test('the type of a problem is the URL of a page about its code', async () => {
  const { type } = (await (await fetch(`${base}/ext/api/v1/merchants`)).json()) as { type: string };
  expect(type).toBe(`${base}/docs/errors/invalid_api_key`);
  await open(new URL(type).pathname);
  expect(await window.page.getByRole('heading', { level: 1 }).innerText()).toContain('Missing or invalid API key');
  expect(await window.page.locator('.vp-doc').innerText()).toContain('The header API-KEY is missing');
});

test('the content, the search and a request can be reached with the keyboard', async () => {
  await open('/reference/');
  await window.page.locator('.vp-raw .section').first().waitFor();
  await window.page.keyboard.press('Tab');
  expect(await window.page.evaluate('document.activeElement.innerText')).toBe('Skip to content');
  expect(await window.page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).not.toBe('none');
  const [listBranches] = OPERATIONS as [Described];
  await show(listBranches);
  for (let presses = 0; presses < 200; presses += 1) {
    await window.page.keyboard.press('Tab');
    if (await window.page.evaluate('/^Test Request/.test(document.activeElement.innerText)')) break;
  }
  await window.page.keyboard.press('Enter');
  const response = window.page.waitForResponse('**/ext/**');
  await window.page.getByRole('dialog').waitFor();
  await window.page.keyboard.press('Control+Enter');
  expect((await response).status()).toBe(200);
});

test('a page follows the system’s light or dark mode, also when it changes', async () => {
  await open('/reference/');
  await window.page.locator('.vp-raw .section').first().waitFor();
  const background = () => window.page.evaluate('getComputedStyle(document.body).backgroundColor');
  const light = await background();
  await window.page.emulateMedia({ colorScheme: 'dark' });
  await window.page.locator('.dark-mode .section').first().waitFor();
  expect([light, await background()]).toEqual(['rgb(255, 255, 255)', 'rgb(27, 27, 31)']);
  await show(OPERATIONS[1] as Described);
});

test('the site links only to downloads and a console that exist', async () => {
  await open('/docs/quickstart/');
  const links: string[] = await window.page.evaluate(
    '[...document.querySelectorAll(".VPSidebar a, .VPNavBarMenu a")].map(({ href }) => href)',
  );
  expect(links).toContain(`${base}/console`);
  expect(links.length).toBeGreaterThan(guides().length);
  for (const link of links) expect({ link, status: (await fetch(link)).status }).toEqual({ link, status: 200 });
});
