import { beforeAll, expect, test } from '@jest/globals';
import type { CDPSession, Locator, Page } from 'playwright-core';
import { storeOneRefused } from '../../support/refusedRequests.ts';
import { storeWebhook } from '../../support/webhooks.ts';
import { newBranch, numbered, unique } from '../../support/world.ts';
import { until } from '../chromium.ts';
import { type Options, useConsole } from './harness.ts';
import { button, dialog, hasFocus, scan, searchBox, submit } from './page.ts';
import { dialogsAt, type Ids, looksAt } from './views.ts';
import { hold } from './wire.ts';

/* What people type, scan and paste: no field loses it, takes it for something else, or changes it. */

const view = useConsole();
let shop: { mid: string; terminals: { tid: string }[] };
let ids: Ids;
beforeAll(async () => {
  const mid = unique('TYPED');
  shop = await newBranch(view.world.provider, { mid, branch_name: 'Casa Verde', terminals: numbered(mid, 2) });
  await newBranch(view.world.provider, { mid: 'OTHERPLACE' });
  const { id: webhook } = await storeWebhook(view.world.provider, 'https://example.com/');
  const request = await storeOneRefused(view.world.provider, { mid });
  ids = { mid, tid: shop.terminals[0]?.tid as string, webhook, request };
});

const question = (page: Page) => page.getByRole('dialog', { name: 'Discard what you typed?' });
const fields = (page: Page) => dialog(page).locator('textarea, input:not([type="radio"], [type="hidden"])');
const textsOf = async (all: Locator) => Promise.all((await all.all()).map((each) => each.inputValue()));
const texts = (page: Page) => textsOf(fields(page));

/** Opens a view, with a terminal that is selected where they can be. */
async function openView(page: Page, path: string) {
  await page.goto(view.addressOf(path));
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  if (path === '/terminals') await page.getByRole('checkbox').nth(1).check();
}

/** Opens a dialog over a view, as its button does. */
async function openDialog(page: Page, name: string) {
  await page.evaluate(`history.pushState(null, '', '?do=${name}')`);
  await dialog(page).waitFor();
}

/** Closes a dialog into which nothing was typed. A list of options that is open takes the first Escape. */
const closeDialog = (page: Page) =>
  until(async () => {
    await page.keyboard.press('Escape');
    return (await dialog(page).count()) === 0;
  });

/**
 * Types into the first field of a dialog; of a list, it chooses an option. Returns whether it only confirms something.
 */
async function type(page: Page): Promise<boolean> {
  const first = fields(page).first();
  const isList = (await first.getAttribute('role')) === 'combobox' || (await first.getAttribute('aria-haspopup'));
  const isSearch = (await first.getAttribute('placeholder')) !== null;
  await first.click();
  if (!isList || isSearch) await first.pressSequentially(isList ? 'otherplace' : 'Typed1');
  if (isList) await page.getByRole('listbox').getByRole('option').first().click();
  return (await first.getAttribute('data-confirms')) !== null;
}

/** How people leave a dialog. */
const WAYS: Record<string, (page: Page) => Promise<unknown>> = {
  Escape: (page) => page.keyboard.press('Escape'),
  '×': (page) => button(page, 'Close').click(),
  Cancel: (page) => button(page, 'Cancel').click(),
  Back: (page) => page.goBack(),
  'Back twice': (page) => page.goBack().then(() => page.goBack()),
};

/** Leaves a dialog in every way, and keeps what was typed each time; then closes the page; then discards it. */
async function expectAsked(page: Page, name: string) {
  const typed = await texts(page);
  expect(typed.join('')).not.toBe('');
  for (const leave of Object.values(WAYS)) {
    await leave(page);
    await question(page).waitFor();
    await button(page, 'Keep it').click();
    await question(page).waitFor({ state: 'detached' });
    expect(await texts(page)).toEqual(typed);
    expect(new URL(page.url()).searchParams.get('do')).toBe(name);
  }
  const asked = page.waitForEvent('dialog');
  await page.evaluate('setTimeout(() => location.reload())');
  expect((await asked).type()).toBe('beforeunload');
  await (await asked).dismiss();
  expect(await texts(page)).toEqual(typed);

  await page.keyboard.press('Escape');
  await button(page, 'Discard').click();
  await page.getByRole('dialog').first().waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('');
}

async function expectAllAsked(options: Options, paths: string[]) {
  const { page } = await view.open('/help', options);
  for (const [path, names] of Object.entries(dialogsAt(ids))) {
    if (!paths.some((each) => path.startsWith(each))) continue;
    await openView(page, path);
    for (const name of names) {
      await openDialog(page, name);
      // Without anything typed, nothing is asked.
      await closeDialog(page);
      await openDialog(page, name);
      if (await type(page)) await submit(page, 'Cancel');
      else await expectAsked(page, name);
    }
  }
}

test.each(['/branches', '/terminals/', '/terminals', '/keys', '/people', '/webhooks'])(
  'no dialog of %s loses what was typed before the person discards it',
  (path) => expectAllAsked({ isFresh: true }, [path]),
);

test('on a phone, no dialog of a branch loses what was typed before the person discards it', () =>
  expectAllAsked({ isPhone: true }, ['/branches']));

test('who goes back and discards what was typed is where they went', async () => {
  const { page } = await view.open('/help');
  await page.evaluate(`history.pushState(null, '', '${view.addressOf(`/branches/${ids.mid}`)}?do=add')`);
  await dialog(page).waitFor();
  await fields(page).first().fill('TYPED1');
  await page.goBack();
  await button(page, 'Discard').click();
  await page.getByRole('heading', { name: 'Help', exact: true }).waitFor();
  expect(page.url()).toBe(view.addressOf('/help'));
  // The view follows the address again.
  await page.goForward();
  await dialog(page).waitFor();
  expect((await texts(page)).join('')).toBe('');
});

/** How phones and browsers treat the texts of all fields that are shown, by name. */
const TREATMENT = `Object.fromEntries([...document.querySelectorAll('textarea, input')]
  .filter((field) => !['radio', 'checkbox', 'hidden', 'file', 'date'].includes(field.type))
  .filter((field) => field.tabIndex >= 0 && field.checkVisibility())
  .map((field) => [
    field.labels[0]?.textContent.replace(/ ?\\*$/, '') ?? field.ariaLabel,
    [field.autocapitalize, field.getAttribute('autocorrect'), field.spellcheck, field.autocomplete].join(),
  ]))`;

test('no keyboard capitalises, corrects or completes an identifier', async () => {
  const { page } = await view.open('/help');
  const treated: Record<string, string> = {};
  const look = async () => Object.assign(treated, await page.evaluate(TREATMENT));
  for (const [path, open] of Object.values(looksAt(ids))) {
    await page.goto(view.addressOf(path));
    await page.getByRole('heading').first().waitFor();
    if (path === '/new-branch') await page.getByText('A new business').click();
    else await open?.(page);
    await look();
  }
  for (const [path, names] of Object.entries(dialogsAt(ids))) {
    await openView(page, path);
    for (const name of names) {
      await openDialog(page, name);
      await look();
      await closeDialog(page);
    }
  }
  const names = Object.fromEntries(Object.entries(treated).filter(([, how]) => how !== 'none,off,false,off'));
  const name = 'words,off,false,off';
  const prose = 'sentences,on,true,off';
  expect(names).toEqual({
    ...Object.fromEntries(['Name', 'Area', 'City', 'Business name', 'Country'].map((each) => [each, name])),
    Description: prose,
    'Why?': prose,
    'Why? (optional)': prose,
  });
  expect(Object.keys(treated)).toEqual(
    expect.arrayContaining(['MID', 'Business ID', 'Terminal ID', 'Serial number', 'Phone', 'Label', 'E-mail address']),
  );
});

const COMPOSED = '東京';
/** The Enter by which a person takes what an input method offers, while it composes. */
const takesIt = { type: 'rawKeyDown', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 } as const;
const compose = (keyboard: CDPSession, text: string) =>
  keyboard.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });

test('the Enter of an input method neither opens a result nor goes on to the next field', async () => {
  const word = unique('IME');
  await newBranch(view.world.provider, { branch_name: `${COMPOSED} ${word}` });
  const { page, context } = await view.open('/help', { isFresh: true });
  const keyboard = await context.newCDPSession(page);
  await searchBox(page).fill(`${word} `);
  await page.getByRole('option', { name: word }).waitFor();
  const release = await hold(context, '**/console/api/search?*');
  await compose(keyboard, COMPOSED);
  await keyboard.send('Input.dispatchKeyEvent', takesIt);
  await keyboard.send('Input.insertText', { text: COMPOSED });
  // Safari ends the composition before it sends the Enter.
  await keyboard.send('Input.dispatchKeyEvent', takesIt);
  release();
  await page.getByRole('option', { name: `${COMPOSED} ${word}` }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(page.url()).toBe(view.addressOf('/help'));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: `${COMPOSED} ${word}` }).waitFor();

  await openView(page, `/branches/${ids.mid}`);
  await openDialog(page, 'add');
  await fields(page).first().focus();
  await compose(keyboard, '12');
  await keyboard.send('Input.dispatchKeyEvent', takesIt);
  await hasFocus(fields(page).first());
  // Escape is the input method's too.
  await keyboard.send('Input.dispatchKeyEvent', { ...takesIt, key: 'Escape', code: 'Escape' });
  expect(await dialog(page).count()).toBe(1);
});

test('what autofill sends in place of a key event does no harm', async () => {
  const { page } = await view.open('/new-branch');
  await page.getByLabel('MID').first().fill('AB');
  await page.evaluate("document.activeElement.dispatchEvent(new Event('keydown', { bubbles: true }))");
  expect(view.takeErrors()).toEqual([]);
});

test(
  'a scanner that ends in Tab fills the fields of a form, a list and a search, as one that ends in ' + 'Enter',
  async () => {
    const { page } = await view.open('/help', { isFresh: true });
    const [id = ''] = numbered(ids.mid, 1).map(({ terminal_id }) => terminal_id);
    await page.getByRole('button', { name: /Account of/ }).focus();
    await scan(page, id, 'Tab');
    await page.getByRole('heading', { name: `Terminal ${id}` }).waitFor();
    await searchBox(page).focus();
    await scan(page, id, 'Tab');
    await page.waitForLoadState('networkidle');
    await page.getByRole('heading', { name: `Terminal ${id}` }).waitFor();

    await openView(page, `/branches/${ids.mid}`);
    await openDialog(page, 'add');
    await fields(page).first().focus();
    for (const code of ['FIRST1', 'SERIAL1', 'SECOND2']) await scan(page, code, 'Tab');
    const inRow = (at: number, name: string) =>
      dialog(page)
        .getByRole('group', { name: `Terminal ${at}` })
        .getByLabel(name);
    await hasFocus(inRow(2, 'Serial number'));
    expect(await inRow(1, 'Terminal ID').inputValue()).toBe('FIRST1');
    expect(await inRow(1, 'Serial number').inputValue()).toBe('SERIAL1');
    expect(await inRow(2, 'Terminal ID').inputValue()).toBe('SECOND2');
    // A person's Tab goes to the next field of any kind.
    await page.keyboard.press('Tab');
    await hasFocus(inRow(2, 'Model'));

    await openView(page, '/terminals');
    await openDialog(page, 'paste');
    await fields(page).first().focus();
    for (const code of ['LISTED1', ']C1LISTED2']) await scan(page, code, 'Tab');
    expect(await texts(page)).toEqual(['LISTED1\nLISTED2\n']);
  },
);

test('the reason of a change of several terminals is not lost by leaving its check', async () => {
  const { page } = await view.open('/help', { isFresh: true });
  await openView(page, '/terminals');
  await openDialog(page, 'archive');
  await type(page);
  await button(page, 'Check').click();
  await dialog(page).getByText('1 terminal').first().waitFor();
  await page.keyboard.press('Escape');
  await button(page, 'Keep it').click();
  await button(page, 'Archive 1 terminal').waitFor();
  await page.goBack();
  await button(page, 'Discard').click();
  await dialog(page).waitFor({ state: 'detached' });
});

test(
  'of a scan, only the code is in the field: no AIM identifier, no prefix, and of GS1 the serial ' + 'number',
  async () => {
    const { page } = await view.open(`/branches/${ids.mid}?do=add`, { isFresh: true });
    await dialog(page).waitFor();
    await fields(page).first().focus();
    for (const code of [
      ']C1FIRST1',
      '0109501101530003\x1d10LOT7\x1d21SER0042',
      '#SECOND2',
      ']d201095011015300032100-17',
    ])
      await scan(page, code);
    const codes = dialog(page).locator('input[data-scanned]');
    expect(await textsOf(codes)).toEqual(['FIRST1', 'SER0042', 'SECOND2', '0017', '', '']);

    await page.goto(view.addressOf('/new-branch'));
    await page.getByText('A new business').click();
    await page.getByLabel('Phone').focus();
    await scan(page, '+351220000000', 'Tab');
    expect(await page.getByLabel('Phone').inputValue()).toBe('+351220000000');
  },
);
