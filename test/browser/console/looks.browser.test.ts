import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newBranch, numbered, unique } from '../../support/world.ts';
import { expectNotWider, expectNoViolations } from '../chromium.ts';
import { useConsole } from './harness.ts';
import { looksAt } from './views.ts';

const view = useConsole();
let shop: { mid: string; terminals: { tid: string }[] };
beforeAll(async () => {
  const mid = unique('LOOK');
  shop = await newBranch(view.world.provider, { mid, branch_name: 'Casa Verde', terminals: numbered(mid, 3) });
});

/** What is on top: the other things of a view are behind it. */
const TOP = `[...document.querySelectorAll('[role="dialog"], [role="menu"], [role="listbox"], :has([aria-label="Menu"][aria-expanded="true"]) ~ nav')]
  .find((each) => each.checkVisibility({ visibilityProperty: true })) ?? document`;

/** Targets where less than 44 px can be touched, up and down or to both sides of their middle. */
const SMALL = `[...(${TOP}).querySelectorAll('a[href], button, input, select, textarea, [role="option"]')].flatMap((target) => {
  const isInSentence = getComputedStyle(target).display === 'inline' &&
    target.parentElement.textContent.trim() !== target.textContent.trim();
  if (isInSentence || target.disabled || !target.checkVisibility({ visibilityProperty: true })) return [];
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

/** Icons and borders of fields with less than 3:1 to what is behind them. */
const FAINT = `{
  const ink = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const light = (colors) => {
    ink.clearRect(0, 0, 1, 1);
    for (const color of colors) {
      ink.fillStyle = color;
      ink.fillRect(0, 0, 1, 1);
    }
    const [r, g, b] = [...ink.getImageData(0, 0, 1, 1).data].map((of) =>
      of <= 10 ? of / 3294.6 : ((of / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const faint = (element, x, y, color) => {
    const behind = document.elementsFromPoint(x, y).reverse().map((each) => getComputedStyle(each).backgroundColor);
    const [more, less] = [light(behind), light([...behind, color])].sort((one, other) => other - one);
    return more / less < 3 ? [(more / less).toFixed(2) + ': ' + color + ' ' + element.outerHTML.slice(0, 200)] : [];
  };
  [...(${TOP}).querySelectorAll('svg, input, select, textarea')].flatMap((element) => {
    if (element.closest(':disabled, [data-disabled]') || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return [];
    element.scrollIntoView({ block: 'center', behavior: 'instant' });
    const { left, top, width, height } = element.getBoundingClientRect();
    const { appearance, borderLeftWidth, borderLeftColor } = getComputedStyle(element);
    if (element.tagName === 'svg')
      return [...element.children].flatMap((shape) => {
        const { stroke, fill } = getComputedStyle(shape);
        return faint(element, left + width / 2, top + height / 2, stroke === 'none' ? fill : stroke);
      });
    const isDrawn = appearance !== 'auto' || borderLeftWidth === '1px';
    return width > 1 && isDrawn && borderLeftWidth !== '0px' ? faint(element, left - 2, top + height / 2, borderLeftColor) : [];
  });
}`;

/** Looks at all views, one after another. */
async function eachLook(options: object, look: (page: Page) => Promise<unknown>) {
  const { page } = await view.open('/', options);
  const found: Record<string, unknown> = {};
  for (const [name, [path, open]] of Object.entries(
    looksAt({ mid: shop.mid, tid: shop.terminals[0]?.tid as string }),
  )) {
    await page.goto(view.addressOf(path));
    await page.getByRole('heading').first().waitFor();
    await page.waitForLoadState('networkidle');
    await open?.(page);
    found[name] = await look(page);
  }
  expect(Object.values(found).flat()).toEqual([]);
}

test.each([
  [360, 740],
  [390, 844],
])('on a phone of %i × %i px, all that is touched is at least 44 px, and no view is wider', async (width, height) => {
  await eachLook({ isPhone: true, viewport: { width, height } }, async (page) => {
    await expectNotWider(page);
    return page.evaluate(SMALL);
  });
});

test.each(['light', 'dark'] as const)(
  'texts, icons and fields can be made out in the %s scheme',
  async (colorScheme) => {
    await eachLook({ isFresh: true }, async (page) => {
      await page.emulateMedia({ colorScheme });
      await expectNoViolations(page, { only: ['color-contrast', 'link-in-text-block'] });
      return page.evaluate(FAINT);
    });
  },
);
