import { beforeEach, describe, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { expectAccessible, type Options, type useConsole } from './harness.ts';
import { button } from './page.ts';

/**
 * Within which each question is answered, from Home; not how long it takes to check the page. The target is 20 seconds on
 * a machine that does nothing else; other tests run beside these.
 */
const MOST_MS = 2 * 20_000;

export interface Home {
  isPhone: boolean;
  /** Opens a view by the menu. */
  goTo: (name: string) => Promise<void>;
  /** A test of a question, which begins on Home. */
  asks: (question: string, answer: (page: Page) => Promise<unknown>) => void;
}

/**
 * Opens Home in a browser of its own.
 *
 * @param prepare Called before.
 */
export async function openHome(
  view: ReturnType<typeof useConsole>,
  options: Options,
  prepare?: (context: BrowserContext) => Promise<unknown>,
): Promise<Pick<Home, 'goTo'> & { page: Page }> {
  const { page, context } = await view.open('/help', { ...options, isFresh: true });
  await page.addInitScript(`
    Object.defineProperty(window, 'showSaveFilePicker', { value: undefined });
    print = () => document.body.classList.add('printed');`);
  await prepare?.(context);
  await page.goto(view.addressOf('/', options.acquirer));
  await page.getByRole('main').waitFor();
  return {
    page,
    async goTo(name) {
      if (options.isPhone) await button(page, 'Menu').click();
      await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name, exact: true }).click();
    },
  };
}

/**
 * Questions that a person answers from Home, at 1440 px and on a phone.
 *
 * @param person.who Such as `an admin`.
 * @param person.options Known once the tests begin.
 */
export const answersFromHome = (
  view: ReturnType<typeof useConsole>,
  { who, options }: { who: string; options: () => Options },
  ask: (home: Home) => void,
): void =>
  describe.each<[string, Options]>([
    ['at 1440 px', {}],
    ['on a phone', { isPhone: true }],
  ])(`%s, ${who} answers from Home`, (_, size) => {
    let home: Awaited<ReturnType<typeof openHome>>;
    beforeEach(async () => {
      home = await openHome(view, { ...options(), ...size });
    }, 60_000);
    ask({
      isPhone: size.isPhone === true,
      goTo: (name) => home.goTo(name),
      asks: (question, answer) =>
        void test(question, async () => {
          const { page } = home;
          const late = new Promise((_, reject) => setTimeout(reject, MOST_MS, new Error('The time is over.')).unref());
          await Promise.race([answer(page), late]);
          await expectAccessible(page);
        }),
    });
  });
