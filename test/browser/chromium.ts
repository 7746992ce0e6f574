import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launch } from './launch.ts';

/* Pages in a real browser. */

export const DESKTOP = { width: 1440, height: 900 };
export const WIDE = { width: 1920, height: 1080 };
export const PHONE = { width: 390, height: 844 };
export const SMALL_PHONE = { width: 360, height: 740 };

const MOST_WAIT_MS = 60_000;

/** Waits until something is true. Page.waitForFunction() would use eval(), which the policy of a page forbids. */
export async function until(isTrue: () => Promise<unknown>): Promise<void> {
  const end = Date.now() + MOST_WAIT_MS;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error(`Not true after ${MOST_WAIT_MS} ms: ${isTrue}`);
    await setTimeout(50);
  }
}

/** Expects that a page is not wider than the screen, once it has taken its size. */
export const expectNotWider = (page: Page): Promise<void> =>
  until(async () => (await page.evaluate('document.documentElement.scrollWidth')) === page.viewportSize()?.width);

/**
 * A script that returns the targets where less than 44 px can be touched, up and down or to both sides of their middle.
 *
 * @param root An expression: the element that has the targets.
 */
export const smallTargetsIn = (
  root: string,
) => `[...(${root}).querySelectorAll('a[href], button, input, select, textarea, [role="option"]')].flatMap((target) => {
  const isInSentence = getComputedStyle(target).display === 'inline' &&
    target.parentElement.textContent.trim() !== target.textContent.trim();
  const isHidden = target.closest('.visually-hidden') || !target.checkVisibility({ visibilityProperty: true });
  if (isInSentence || isHidden || target.disabled) return [];
  target.scrollIntoView({ block: 'center', behavior: 'instant' });
  const { left, top, width, height, right } = target.getBoundingClientRect();
  if (right <= 0 || width <= 1) return [];
  const isHit = (x, y) => {
    const hit = document.elementFromPoint(x, y);
    return target.contains(hit) || hit?.closest('label')?.control === target;
  };
  const reach = (x, y) => {
    let px = 0;
    while (px < 44 && isHit(left + width / 2 + x * px, top + height / 2 + y * px)) px += 0.5;
    return px;
  };
  const size = [reach(-1, 0) + reach(1, 0) - 0.5, reach(0, -1) + reach(0, 1) - 0.5];
  return Math.min(...size) < 44 ? [size.join(' x ') + ': ' + target.outerHTML.slice(0, 200)] : [];
})`;

/** Expects that a page has no violation of axe's rules, but for those left out, or of only some. */
export async function expectNoViolations(
  page: Page,
  { without = [], only }: { without?: string[]; only?: string[] } = {},
): Promise<void> {
  const options = {
    resultTypes: ['violations'],
    rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
    ...(only && { runOnly: only }),
  };
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const { passes, violations } = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ passes, violations }) => ({
      passes: passes.length,
      violations: violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => html + failureSummary) })),
    }))`,
  )) as { passes: number; violations: unknown[] };
  expect(passes).toBeGreaterThan(only ? 0 : 10);
  expect({ url: page.url(), violations }).toEqual({ url: page.url(), violations: [] });
}

/**
 * Starts Chromium for the tests of a file, which opens pages one after another: the open one is `page`. After each
 * test, no page may have had an error, or sent a request to another origin.
 *
 * @param api The origin of an API to which pages may send requests.
 */
export function useBrowser(api: () => string | undefined = () => undefined) {
  let browser: Browser;
  let errors: string[];
  /** The origins that the open page sent requests to. */
  let origins: Set<string>;

  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());
  beforeEach(() => {
    origins = new Set();
    errors = [];
  });
  afterEach(async () => {
    expect(errors).toEqual([]);
    for (const context of browser.contexts()) {
      origins.delete(api() ?? '');
      expect([...origins]).toEqual([new URL(window.page.url()).origin]);
      await context.close();
    }
  });

  const window = {
    page: undefined as unknown as Page,

    async open(url: string, options: BrowserContextOptions = {}) {
      const context = await browser.newContext({ viewport: DESKTOP, colorScheme: 'light', ...options });
      context.setDefaultTimeout(MOST_WAIT_MS);
      const page = await context.newPage();
      window.page = page;
      page.on('request', (request) => origins.add(new URL(request.url()).origin));
      // The page itself may have a status such as 404.
      page.on('console', (message) => {
        if (message.type() === 'error' && message.location().url !== page.url()) errors.push(message.text());
      });
      page.on('pageerror', (error) => errors.push(error.message));
      await page.goto(url);
      // The page responds to keys.
      await until(() => page.evaluate('Boolean(document.querySelector("#app")?.__vue_app__)'));
    },

    /** The section of an operation in the reference. */
    sectionOf: (operation: string) => window.page.locator(`[id$="/${operation}"].section`),
  };
  return window;
}
