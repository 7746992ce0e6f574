import { expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { call } from '../../support/api.ts';
import { newBranch, numbered, unique } from '../../support/world.ts';
import { expectNotWider } from '../chromium.ts';
import { type Options, useConsole } from './harness.ts';
import { button, dialog, searchBox } from './page.ts';
import { TOP } from './views.ts';

/* The main tasks in each way of using the console: nothing is cut, hidden behind something else, or only for a pointer. */

const view = useConsole();

/** How somebody presses what is on the page, and types into it. */
interface Hands {
  press: (target: Locator) => Promise<unknown>;
  type: (field: Locator, text: string) => Promise<unknown>;
}
const POINTER: Hands = { press: (target) => target.click(), type: (field, text) => field.fill(text) };

/** Goes to an element by the keys that lead there. */
async function reach(target: Locator): Promise<void> {
  const page = target.page();
  await target.waitFor({ state: 'attached' });
  const role = await target.getAttribute('role');
  const isThere = async () =>
    role === 'option'
      ? (await target.getAttribute('data-combobox-selected')) !== null
      : (await target.and(page.locator(':focus')).count()) > 0;
  for (let at = 0; at < 150; at += 1) {
    if (await isThere()) return;
    await page.keyboard.press(role === 'option' || role === 'menuitem' ? 'ArrowDown' : 'Tab');
  }
  throw new Error(`No key leads to ${target}.`);
}
const KEYS: Hands = {
  async press(target) {
    await reach(target);
    const isBox = (await target.getAttribute('type')) === 'checkbox';
    await target.page().keyboard.press(isBox ? 'Space' : 'Enter');
  },
  async type(field, text) {
    await reach(field);
    await field.fill(text);
  },
};

/** What WCAG 1.4.12 lets people set, which makes texts a quarter longer. */
const SPACED = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }');
  document.adoptedStyleSheets = [sheet];
}`;

interface Mode {
  mode: string;
  options?: Options;
  hands?: Hands;
  prepare?: (page: Page) => Promise<unknown>;
}
const MODES: Mode[] = [
  { mode: 'in a contrast theme', prepare: (page) => page.emulateMedia({ forcedColors: 'active' }) },
  // Of 1440 px.
  { mode: 'at 200 %', options: { viewport: { width: 720, height: 450 } } },
  { mode: 'by keyboard alone', hands: KEYS },
  { mode: 'with wide texts', prepare: (page) => page.addInitScript(SPACED) },
  { mode: 'with wide texts on a phone', options: { isPhone: true }, prepare: (page) => page.addInitScript(SPACED) },
  ...['pt-PT', 'ar-EG', 'tr-TR'].map((locale) => ({ mode: `in ${locale}`, options: { locale } })),
];

/** What has a part that nobody sees, and texts that something else is in front of. */
const HIDDEN = `[...(${TOP}).querySelectorAll('*')].flatMap((each) => {
  const isSeen = each.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  if (!isSeen || each.clientWidth <= 1 || each.closest('svg, input, textarea, select, [title], .visually-hidden')) return [];
  const { overflowX, overflowY, pointerEvents } = getComputedStyle(each);
  const cuts = (overflow) => overflow === 'hidden' || overflow === 'clip';
  const isCut =
    (cuts(overflowX) && each.scrollWidth > each.clientWidth + 1) ||
    (cuts(overflowY) && each.scrollHeight > each.clientHeight + 1);
  if (isCut) return ['cut: ' + each.outerHTML.slice(0, 300)];
  const text = [...each.childNodes].find((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue.trim() !== '');
  if (!text || pointerEvents === 'none') return [];
  each.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const range = document.createRange();
  range.selectNodeContents(text);
  const [{ left, top, width, height } = { width: 0 }] = range.getClientRects();
  const front = width > 1 && document.elementFromPoint(left + width / 2, top + height / 2);
  return !front || front.contains(each) || each.contains(front)
    ? []
    : ['behind ' + front.outerHTML.slice(0, 150) + ': ' + each.outerHTML.slice(0, 150)];
})`;

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor();

test.each(MODES)('the main tasks are done $mode', async ({ options, hands = POINTER, prepare }) => {
  const { page } = await view.open('/', { ...options, isFresh: true });
  await prepare?.(page);
  const hidden = new Set<string>();
  const look = async () => {
    await expectNotWider(page);
    for (const each of await page.evaluate<string[]>(HIDDEN)) hidden.add(each);
  };
  const press = async (target: Locator) => {
    await target.waitFor();
    await look();
    await hands.press(target);
  };
  const go = (path: string) => page.goto(view.addressOf(path));
  const isNarrow = (page.viewportSize()?.width ?? 0) < 768;
  const id = unique('MODE');
  const name = `Casa Verde ${'Ribeira'.repeat(9)} ${id}`;
  const shop = await newBranch(view.world.provider, {
    branch_name: name,
    city: `Vila Nova de ${id}`,
    terminals: numbered(id, 3).map((terminal, at) => ({ ...terminal, serial_no: `${id}SN${at}${'9'.repeat(20)}` })),
  });
  const [first, second] = shop.terminals;

  await go('/');
  await hands.type(searchBox(page), first.terminal_id);
  await press(page.getByRole('option', { name: first.terminal_id }).first());
  await heading(page, `Terminal ${first.terminal_id}`);

  await press(button(page, 'Swap device'));
  await hands.type(dialog(page).getByLabel('Serial number of the new device'), unique('NEW'));
  await press(dialog(page).getByRole('button', { name: 'Swap' }));
  await page.getByText('Ana Almeida swapped its device').waitFor();

  await press(button(page, 'Archive'));
  await hands.type(dialog(page).getByLabel('Why?'), 'Broken');
  await press(dialog(page).getByRole('button', { name: 'Archive' }));
  await page.getByText('Ana Almeida archived it: Broken').waitFor();
  // It is offered for ten seconds.
  await hands.press(button(page, 'Undo'));
  await page.getByText('It was undone.').waitFor();

  await go('/terminals');
  await page.locator('.estate-view[aria-busy="false"]').waitFor();
  const facets = page.getByRole('group', { name: 'Filters' });
  await press(isNarrow ? button(page, /^Filters/) : facets.getByRole('button', { name: 'City', exact: true }));
  await press(page.getByRole('group', { name: 'City', exact: true }).getByLabel(`Vila Nova de ${id}`));
  if (isNarrow) await press(page.getByRole('button', { name: /^Show \d+ terminal/ }));
  else await page.keyboard.press('Escape');
  await page.getByText('3 of ').first().waitFor();
  await press(button(page, 'Export'));
  const saved = page.waitForEvent('download');
  await press(page.getByRole('menuitem', { name: 'Export as CSV' }));
  expect((await saved).suggestedFilename()).toMatch(/^terminals-payfair-\d{4}-\d\d-\d\d.*\.csv$/);

  await press(button(page, 'Select from a list'));
  await hands.type(dialog(page).getByLabel('Serial numbers or terminal IDs'), `${second.serial_no}\nGONE1`);
  await press(dialog(page).getByRole('button', { name: 'Select', exact: true }));
  await page.getByText('Not found: GONE1').waitFor();
  await page.getByText('1 selected').waitFor();
  await look();

  await go('/new-branch');
  const mid = unique('NEW');
  await hands.type(page.getByRole('textbox', { name: 'MID', exact: true }), mid);
  await hands.type(page.getByRole('textbox', { name: 'Name', exact: true }), name);
  await hands.type(page.getByRole('combobox', { name: 'Business' }), shop.master_merchant_id);
  await press(page.getByRole('option').first());
  await press(button(page, 'Create branch'));
  await heading(page, name);

  await go('/import');
  const chooser = page.waitForEvent('filechooser');
  await press(button(page, 'Choose a file'));
  const buffer = Buffer.from(`MID,Terminal\n${mid},${unique('T')}\n${mid},=1`);
  await (await chooser).setFiles({ name: `${id}.csv`, mimeType: 'text/csv', buffer });
  await press(button(page, 'Check all rows'));
  await press(button(page, /^Import the/));
  await heading(page, `${id}.csv is imported, except for 1 row`);
  await press(button(page, 'Done'));

  await go('/activity?of=access');
  await hands.type(page.getByLabel('Day'), '2020-02-29');
  await page.getByText('Nothing that matches is kept.').waitFor();
  await press(button(page, 'Clear filters'));
  await button(page, 'Clear filters').waitFor({ state: 'detached' });
  await look();

  expect([...hidden]).toEqual([]);
  const { key } = view.world.provider;
  expect((await call('getBranch', { key, path: { mid } })).body.data.merchant_name).toBe(name);
  expect((await call('find', { key, query: { tid: first.tid } })).body.data.status).toBe('active');
});
