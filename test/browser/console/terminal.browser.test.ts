import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { call } from '../../support/api.ts';
import { newBranch, unique } from '../../support/world.ts';
import { SIZES, useConsole } from './harness.ts';

const view = useConsole();

/** Branches of two shops, one with terminals. */
async function newShops(prefix: string) {
  const { provider } = view.world;
  const from = await newBranch(provider, {
    mid: unique(`${prefix}A`),
    branch_name: 'Casa Verde Lisbon',
    city: 'Lisbon',
    terminals: [{ terminal_id: unique(`${prefix}T`), terminal_model: 'Countertop 3' }, { terminal_id: unique(prefix) }],
  });
  const to = await newBranch(provider, {
    mid: unique(`${prefix}B`),
    branch_name: `Porto Norte ${prefix}`,
    city: 'Porto',
  });
  return { from, to, terminal: from.terminals[0] as { tid: string; terminal_id: string } };
}

/** The terminal as the API returns it. */
async function stored(tid: string) {
  const { body } = await call('find', { key: view.world.provider.key, query: { tid } });
  return body.data;
}

/** Opens the view of a new terminal. */
async function openTerminal(prefix: string, options: Parameters<typeof view.open>[1] = {}) {
  const shops = await newShops(prefix);
  const { page, context } = await view.open(`/terminals/${shops.terminal.tid}`, options);
  await page.getByRole('heading', { name: `Terminal ${shops.terminal.terminal_id}` }).waitFor();
  return { ...shops, page, context };
}

/** Opens a dialog of the menu. */
async function openMenu(page: Page, item: string) {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: item }).click();
  await dialog(page).waitFor();
  await page.getByRole('menu').waitFor({ state: 'detached' });
}

const searchBox = (page: Page) => page.getByRole('combobox', { name: 'Find a terminal or a branch' });
const dialog = (page: Page) => page.getByRole('dialog');

describe('the call about a dead terminal', () => {
  test('from the open console to the terminal moved to another shop in six interactions', async () => {
    const { to, terminal } = await newShops('CALL');
    const { page } = await view.open('/');
    const started = Date.now();
    await searchBox(page).fill('casa verde lisbon');
    await page.getByRole('option', { name: 'Casa Verde Lisbon' }).first().click();
    await page.getByRole('link', { name: terminal.terminal_id }).click();
    await page.getByRole('button', { name: 'Move' }).click();
    await dialog(page).getByLabel('To branch').fill('porto norte call');
    await page.getByRole('option', { name: 'Porto Norte CALL' }).click();
    await dialog(page).getByRole('button', { name: 'Move' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(Date.now() - started).toBeLessThan(20_000);
    await page.getByText('Ana Almeida moved it from Casa Verde Lisbon to Porto Norte CALL').waitFor();
    expect(await stored(terminal.tid)).toMatchObject({ mid: to.mid, status: 'active' });
  });

  test.each(SIZES)('by keyboard alone, from the ID on the sticker, at %s', async (name, viewport) => {
    const { to, terminal } = await newShops(name === '390 px' ? 'KEYS' : 'KEYL');
    const { page } = await view.open(`/terminals/${(await newShops('ELSE')).terminal.tid}`, { viewport });
    await page.getByRole('heading', { name: /^Terminal ELSE/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(terminal.terminal_id);
    await page.getByRole('option', { name: terminal.terminal_id }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Move' }).focus();
    await page.keyboard.press('Enter');
    await dialog(page).getByLabel('To branch').waitFor();
    await page.keyboard.type(to.mid);
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await dialog(page).getByText(`moves from Casa Verde Lisbon to`).waitFor();
    await page.keyboard.press('Enter');
    await dialog(page).waitFor({ state: 'detached' });
    expect(await stored(terminal.tid)).toMatchObject({ mid: to.mid });
  });
});

describe.each(SIZES)('at %s', (_, viewport) => {
  test('archives a terminal with a reason and restores it', async () => {
    const { page, terminal } = await openTerminal('ARCH', { viewport });
    await page.getByRole('button', { name: 'Archive' }).click();
    await dialog(page).getByRole('button', { name: 'Archive' }).click();
    await dialog(page).getByText('Is required.').waitFor();
    await view.expectAccessible(page);
    await dialog(page).getByLabel('Why?').fill('Broken <b>screen</b>');
    await dialog(page).getByRole('button', { name: 'Archive' }).click();
    await page.getByText('Ana Almeida archived it: Broken <b>screen</b>').waitFor();
    await page.getByText('Archived', { exact: true }).first().waitFor();
    expect(await stored(terminal.tid)).toMatchObject({ status: 'archived', archive_reason: 'Broken <b>screen</b>' });
    await view.expectAccessible(page);
    await page.getByRole('button', { name: 'Restore' }).click();
    await view.expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Ana Almeida restored it').waitFor();
    expect(await stored(terminal.tid)).toMatchObject({ status: 'active' });
  });

  test('edits a terminal, with every refusal at its field', async () => {
    const { page, terminal } = await openTerminal('EDIT', { viewport });
    const taken = unique('TAKEN');
    await newBranch(view.world.provider, { terminals: [{ terminal_id: unique('X'), serial_no: taken }] });
    await openMenu(page, 'Edit');
    await dialog(page).getByLabel('Serial number').fill('not alphanumeric!');
    await page.keyboard.press('Tab');
    await dialog(page).getByText('Only letters and digits, without spaces.').waitFor();
    await dialog(page).getByLabel('Serial number').fill(taken);
    await dialog(page).getByLabel('Model').fill('Countertop 4');
    await dialog(page).getByRole('combobox', { name: 'Payment app' }).click();
    await page.getByRole('option', { name: 'Checkout Go' }).click();
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByText('Another terminal has this serial number.').waitFor();
    await view.expectAccessible(page);
    expect(await stored(terminal.tid)).toMatchObject({ serial_no: null, terminal_model: 'Countertop 3' });
    const free = unique('FREE');
    await dialog(page).getByLabel('Serial number').fill(free);
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    const edited = { serial_no: free, terminal_model: 'Countertop 4', payment_app: 'Checkout Go' };
    expect(await stored(terminal.tid)).toMatchObject(edited);
    await page.getByText('Model: Countertop 3 → Countertop 4').waitFor();
  });

  test('swaps the device, and deletes a terminal only by its ID', async () => {
    const { page, terminal } = await openTerminal('SWAP', { viewport });
    await openMenu(page, 'Swap device');
    const serial = unique('NEW');
    await view.expectAccessible(page);
    await dialog(page).getByLabel('Serial number of the new device').fill(serial);
    await page.keyboard.press('Enter');
    await dialog(page).waitFor({ state: 'detached' });
    await openMenu(page, 'Swap device');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('Is required.').waitFor();
    expect(await stored(terminal.tid)).toMatchObject({ serial_no: serial });
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await openMenu(page, 'Delete');
    const submit = dialog(page).getByRole('button', { name: 'Delete for good' });
    expect(await submit.isDisabled()).toBe(true);
    await view.expectAccessible(page);
    await dialog(page).getByLabel(`To confirm, type ${terminal.terminal_id}`).fill(terminal.terminal_id);
    await submit.click();
    await page.getByRole('heading', { name: 'This terminal does not exist' }).waitFor();
    await page.getByText('Ana Almeida deleted it').waitFor();
    expect(await stored(terminal.tid)).toBeUndefined();
    await view.expectAccessible(page);
  });

  test('offers each role what it permits', async () => {
    const { terminal } = await newShops('ROLE');
    const names = async (as: 'viewer' | 'operator' | 'admin') => {
      const { page } = await view.open(`/terminals/${terminal.tid}?do=delete`, { as, viewport });
      await page.getByRole('heading', { name: `Terminal ${terminal.terminal_id}`, exact: true }).waitFor();
      if (as !== 'admin') expect(await dialog(page).count()).toBe(0);
      await page.keyboard.press('Escape');
      const buttons = page.locator('#content').getByRole('button', { name: /^(Move|Archive|More actions)$/ });
      const items = page.getByRole('menuitem');
      if (as !== 'viewer') {
        await page.getByRole('button', { name: 'More actions' }).click();
        await items.first().waitFor();
      }
      return [...(await buttons.allTextContents()), ...(await items.allTextContents())].filter(Boolean);
    };
    expect(await names('viewer')).toEqual([]);
    expect(await names('operator')).toEqual(['Move', 'Archive', 'Swap device', 'Edit']);
    expect(await names('admin')).toEqual(['Move', 'Archive', 'Swap device', 'Edit', 'Delete']);
  });
});

test('shows both versions to the second of two people who edit a terminal', async () => {
  const { page, terminal } = await openTerminal('TWO');
  await openMenu(page, 'Edit');
  await dialog(page).getByLabel('Model').fill('Mine');
  const { provider } = view.world;
  const theirs = { serial_no: unique('S'), terminal_model: 'Theirs' };
  await call('updateTerminal', { key: provider.key, path: { id: terminal.tid }, body: theirs });
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  const conflict = dialog(page).getByRole('alert');
  await conflict.getByText('Somebody changed this meanwhile').waitFor();
  await view.expectAccessible(page);
  const cells = await conflict.getByRole('row').allInnerTexts();
  const rows = cells.map((row) => row.split(/\s*\t\s*/));
  expect(rows).toEqual([
    ['Field', 'When you started', 'Now', 'Yours'],
    ['Serial number', 'None', theirs.serial_no, ''],
    ['Model', 'Countertop 3', 'Theirs', 'Mine'],
  ]);
  expect(await stored(terminal.tid)).toMatchObject(theirs);
  await conflict.getByRole('button', { name: 'Make my change anyway' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  expect(await stored(terminal.tid)).toMatchObject({ serial_no: theirs.serial_no, terminal_model: 'Mine' });
});

test('says that somebody changed a terminal, also if they took it back', async () => {
  const { page, terminal } = await openTerminal('BACK');
  await page.getByRole('button', { name: 'Archive' }).click();
  await dialog(page).getByLabel('Why?').fill('Broken');
  const of = { key: view.world.provider.key, path: { id: terminal.tid } };
  for (const terminal_model of ['Other', 'Countertop 3'])
    await call('updateTerminal', { ...of, body: { terminal_model } });
  await dialog(page).getByRole('button', { name: 'Archive' }).click();
  await dialog(page).getByRole('rowheader', { name: 'Last change' }).waitFor();
  expect(await dialog(page).getByRole('rowheader').count()).toBe(1);
});

test('says nothing of a terminal that never existed but that', async () => {
  const { page } = await view.open(`/terminals/${crypto.randomUUID()}`);
  await page.getByRole('heading', { name: 'This terminal does not exist' }).waitFor();
  await page.waitForLoadState('networkidle');
  expect(await page.getByText(/Not found|what happened/).count()).toBe(0);
});

test('lists more options than there is room for', async () => {
  const { page, context } = await openTerminal('MANY');
  const data = Array.from({ length: 101 }, (_, at) => ({ key: `App ${at}`, text: `App ${at}` }));
  await context.route('**/lookup/paymentApp*', (route) => route.fulfill({ json: { data } }));
  await openMenu(page, 'Edit');
  await dialog(page).getByRole('combobox', { name: 'Payment app' }).click();
  await page.getByRole('option').nth(100).waitFor({ state: 'attached' });
  await view.expectAccessible(page);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  expect(await dialog(page).getByRole('combobox', { name: 'Payment app' }).inputValue()).toBe('App 99');
});

test('shows texts of any kind as text', async () => {
  const { provider } = view.world;
  const token = 'x'.repeat(255);
  const name = `<img src=x onerror=alert(1)> ‮gnirts‬ שלום 🏪 ${'é'.repeat(200)}`;
  const branch = await newBranch(provider, {
    branch_name: name,
    city: token,
    terminals: [{ terminal_id: 'T'.repeat(255), terminal_model: '=HYPERLINK("https://evil.example")' }],
  });
  for (const [, viewport] of SIZES) {
    const { page } = await view.open(`/terminals/${branch.terminals[0].tid}`, { viewport });
    await page.getByRole('heading', { name: /^Terminal TTT/ }).waitFor();
    await page.getByRole('link', { name }).first().waitFor();
    await view.expectAccessible(page);
    expect(await page.locator('#content img').count()).toBe(0);
  }
});

test('sends three requests for a terminal', async () => {
  const { terminal } = await newShops('REQ');
  const { page } = await view.open(`/terminals/${terminal.tid}`);
  await page.getByText('created it with its branch').waitFor();
  expect(view.takeRequests().sort()).toEqual([
    'GET /console/api/activity',
    'GET /console/api/session',
    'GET /ext/api/v1/find',
    expect.stringMatching(/^GET \/ext\/api\/v1\/merchants\//),
  ]);
});
