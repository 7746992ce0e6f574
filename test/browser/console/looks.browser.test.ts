import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { storeOneRefused } from '../../support/refusedRequests.ts';
import { storeWebhook } from '../../support/webhooks.ts';
import { newBranch, numbered, unique } from '../../support/world.ts';
import { expectNotWider, expectNoViolations, smallTargetsIn } from '../chromium.ts';
import { useConsole } from './harness.ts';
import { type Ids, looksAt, TOP } from './views.ts';

const view = useConsole();
let ids: Ids;
beforeAll(async () => {
  const mid = unique('LOOK');
  const { provider } = view.world;
  const shop = await newBranch(provider, { mid, branch_name: 'Casa Verde', terminals: numbered(mid, 3) });
  const failing = { failing_since: '2026-11-25T10:00:00.000Z', failures: 12, status: 'disabled' as const };
  const { id: webhook } = await storeWebhook(provider, 'https://example.com/events', failing);
  ids = { mid, tid: shop.terminals[0].tid, webhook, request: await storeOneRefused(provider, { mid }) };
});

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

/** What is seen of what is on top. */
const SEEN =
  `[...(${TOP}).querySelectorAll('*')].filter((each) => each.checkVisibility({ visibilityProperty: true, ` +
  `opacityProperty: true }))`;

/** What is told without words: by which elements, and how it is given and taken away. */
const TOLD = {
  state: {
    elements: `${SEEN}.filter((each) => each.matches(
      '[aria-current="page"], [data-combobox-selected], [data-chosen], [role="menuitem"]:focus, .estate tr[data-active]'))`,
    give: `it.closest('table')?.focus({ preventScroll: true });`,
    take: `if (!it.closest('table')) it.blur();
      for (const name of ['aria-current', 'data-active', 'data-combobox-selected', 'data-chosen']) it.removeAttribute(name)`,
  },
  background: {
    elements: `${SEEN}.filter((each) => {
      const { backgroundColor, borderTopStyle } = getComputedStyle(each);
      return each.matches('span, div') && each.childNodes.length === 0 && !/, 0\\)$/.test(backgroundColor) && borderTopStyle === 'none';
    })`,
    give: '',
    take: `it.style.visibility = 'hidden'`,
  },
  focus: {
    elements:
      `${SEEN}.filter((each) => each.matches('a[href], button, input, select, textarea, [tabindex="0"]') && ` +
      `each.tabIndex >= 0 && !each.disabled)`,
    give: 'it.focus({ preventScroll: true });',
    take: 'it.blur()',
  },
};

/**
 * Elements that look the same in a contrast theme without what they tell, one of those with the same tag and classes.
 *
 * @param seen The kinds of elements that were looked at.
 */
async function untold(page: Page, told: keyof typeof TOLD, seen: Set<string>) {
  const { elements, give, take } = TOLD[told];
  await page.emulateMedia({ forcedColors: 'none' });
  const kinds = await page.evaluate<string[]>(
    `${elements}.map((each, at) => { each.dataset.told = '${told} ' + at; return each.localName + '.' + ` +
      `each.className; })`,
  );
  await page.emulateMedia({ forcedColors: 'active' });
  const found: string[] = [];
  for (const [at, kind] of kinds.entries()) {
    if (seen.has(`${told} ${kind}`)) continue;
    const run = <Result>(code: string) =>
      page.evaluate<Result>(`((it) => { ${code} })(document.querySelector('[data-told="${told} ${at}"]'))`);
    // With what is drawn around it; what is drawn around a row belongs to its link.
    const clip = await run<{ x: number; y: number; width: number; height: number }>(`
      it.scrollIntoView({ block: 'center', behavior: 'instant' });
      ${give}
      const { x, y, width, height } = (it.closest('tr') ?? it).getBoundingClientRect();
      return { x: Math.max(0, x - 6), y: Math.max(0, y - 6), width: width + 12, height: height + 12 };`);
    if (clip.width === 12 || clip.height === 12) continue;
    seen.add(`${told} ${kind}`);
    const before = await page.screenshot({ clip });
    await run(take);
    if (before.equals(await page.screenshot({ clip }))) found.push(`${told} of ${kind}`);
  }
  return found;
}

/** Looks at all views, one after another. */
async function eachLook(options: object, look: (page: Page) => Promise<unknown>) {
  const { page } = await view.open('/', options);
  const found: Record<string, unknown> = {};
  for (const [name, [path, open]] of Object.entries(looksAt(ids))) {
    await page.goto(view.addressOf(path));
    await page.getByRole('heading').first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.getByText(/^Counting/).waitFor({ state: 'detached' });
    await open?.(page);
    found[name] = await look(page);
  }
  expect(Object.values(found).flat()).toEqual([]);
}

/** Buttons, and links that look like buttons, whose label is not vertically centered. */
const UNEVEN = `[...(${TOP}).querySelectorAll('.mantine-Button-root')].flatMap((button) => {
  const [middle = 0, labelled = 0] = [button, button.querySelector('.mantine-Button-label')].map((each) => {
    const { top, bottom } = each.getBoundingClientRect();
    return (top + bottom) / 2;
  });
  return Math.abs(middle - labelled) > 2 ? [button.outerHTML.slice(0, 200)] : [];
})`;

test.each([
  [360, 740],
  [390, 844],
])(
  'on a phone of %i × %i px, all that is touched is at least 44 px, with its label in the middle, and no view is wider',
  async (width, height) => {
    await eachLook({ isPhone: true, viewport: { width, height } }, async (page) => {
      await expectNotWider(page);
      return [...(await page.evaluate<string[]>(smallTargetsIn(TOP))), ...(await page.evaluate<string[]>(UNEVEN))];
    });
  },
);

/** What is in another language than the page: letters or digits of another script, and times that are not English. */
const FOREIGN = `[
  ...document.body.innerText.matchAll(/[[\\p{Nd}--[0-9]][\\p{L}--\\p{Script=Latin}]]+/gv),
  ...[...document.querySelectorAll('time')].flatMap((time) => [time.textContent, time.dataset.exact ?? 'Nov']),
].map(String).filter((text) => !/\\b(ago|now|yesterday|today|last|next|in \\d|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|^[0-9]+:[0-9:]+( [AP]M)?$/i.test(text))`;

test.each(['ar-EG', 'pt-PT', 'tr-TR'])(
  'in a browser in %s, numbers and times are in the language of the page',
  async (locale) => {
    await eachLook({ locale }, (page) => page.evaluate(FOREIGN));
  },
);

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

test('in a contrast theme, states, focus and what is drawn by a background can be seen', async () => {
  const seen = new Set<string>();
  await eachLook({ isFresh: true }, async (page) => {
    const found = [...(await untold(page, 'state', seen)), ...(await untold(page, 'background', seen))];
    // From here on, the focus is shown as to those who use keys.
    await page.keyboard.press('Tab');
    return [...found, ...(await untold(page, 'focus', seen))];
  });
  const states = ['NavLink', 'Menu-item', 'Combobox-option', 'tr\\.', 'bar', 'SegmentedControl-indicator'];
  expect(
    states.filter((state) => ![...seen].some((kind) => new RegExp(`^(state|background) .*${state}`).test(kind))),
  ).toEqual([]);
});
