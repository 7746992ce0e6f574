import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { launch } from './launch.ts';

/* Pages in a real browser. */

export const DESKTOP = { width: 1440, height: 900 };
export const WIDE = { width: 1920, height: 1080 };
export const PHONE = { width: 390, height: 844 };

const MOST_WAIT_MS = 30_000;

/** The only rules of axe whose verdict depends on the color scheme. */
export const OF_COLORS = ['color-contrast', 'link-in-text-block'];

/** Options of axe: to leave rules out, or to run no others. */
interface Rules {
  without?: string[];
  only?: string[];
}

/** Expects that a page has no violation of axe's rules, and is not wider than the screen. */
export async function expectAccessible(page: Page, { without = [], only }: Rules = {}): Promise<void> {
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
  const width = await page.evaluate('document.documentElement.scrollWidth');
  const { width: screen } = page.viewportSize() ?? {};
  expect({ url: page.url(), violations, width }).toEqual({ url: page.url(), violations: [], width: screen });
}

/** Opens pages one after another. Its open page is `page`. */
export interface Window {
  page: Page;
  open: (url: string, options?: BrowserContextOptions) => Promise<void>;
  /** Goes to another address in the open page, and waits until the page responds to keys. */
  load: (url: string) => Promise<void>;
  /** The section of an operation in the reference. */
  sectionOf: (operation: string) => Locator;
  /** Waits until an expression is true. Page.waitForFunction() would use eval(), which the site's policy forbids. */
  until: (expression: string) => Promise<void>;
  /** Expects that the open page has no violation of axe's rules, and is not wider than the screen. */
  expectAccessible: () => Promise<void>;
}

/**
 * Starts Chromium for the tests of a file. After each test, no page may have had an error, or sent a request to another
 * origin.
 *
 * @param api The origin of an API to which pages may send requests.
 */
export function useBrowser(api: () => string | undefined = () => undefined): Window {
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

  const window: Window = {
    page: undefined as unknown as Page,

    async open(url, options = {}) {
      const context = await browser.newContext({ viewport: DESKTOP, colorScheme: 'light', ...options });
      const page = await context.newPage();
      window.page = page;
      page.on('request', (request) => origins.add(new URL(request.url()).origin));
      // The page itself may have a status such as 404.
      page.on('console', (message) => {
        if (message.type() === 'error' && message.location().url !== page.url()) errors.push(message.text());
      });
      page.on('pageerror', (error) => errors.push(error.message));
      await window.load(url);
    },

    async load(url) {
      await window.page.goto(url);
      await window.until('Boolean(document.querySelector("#app")?.__vue_app__)');
    },

    sectionOf: (operation) => window.page.locator(`[id$="/${operation}"].section`),

    async until(expression) {
      const end = Date.now() + MOST_WAIT_MS;
      while (!(await window.page.evaluate(expression))) {
        if (Date.now() > end) throw new Error(`Not true after ${MOST_WAIT_MS} ms: ${expression}`);
        await setTimeout(50);
      }
    },

    expectAccessible: () => expectAccessible(window.page),
  };
  return window;
}
