import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { call } from '../../support/api.ts';
import { newBranch, newTerminal, unique } from '../../support/world.ts';
import { expectAccessible, HOSTILE, type Options, onDesktop, onPhone, useConsole } from './harness.ts';
import { button, chooseFrom, dialog, hasFocus, scan, searchBox, submit } from './page.ts';

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
  const to = await newBranch(provider, { mid: unique(`${prefix}B`), branch_name: `Porto Norte ${prefix}` });
  return { from, to, terminal: from.terminals[0] as { tid: string; terminal_id: string } };
}

/** The terminal as the API returns it. */
const stored = async (tid: string) => (await call('find', { key: view.world.provider.key, query: { tid } })).body.data;

/** Opens the view of a new terminal. */
async function openTerminal(prefix: string, options: Options = {}) {
  const shops = await newShops(prefix);
  const opened = await view.open(`/terminals/${shops.terminal.tid}`, options);
  await opened.page.getByRole('heading', { name: `Terminal ${shops.terminal.terminal_id}` }).waitFor();
  return { ...shops, ...opened };
}

/** Opens a dialog of the menu. */
const openMenu = (page: Page, item: string) => chooseFrom(button(page, 'More actions'), item);

onPhone('a dead terminal is at another shop in six interactions, at %s', async (_, viewport) => {
  const { to, terminal } = await newShops('CALL');
  const { page } = await view.open('/', { viewport });
  await searchBox(page).fill('casa verde lisbon');
  await page.getByRole('option', { name: 'Casa Verde Lisbon' }).first().click();
  await page.getByRole('table').getByRole('link', { name: terminal.terminal_id, exact: true }).click();
  await button(page, 'Move').click();
  await dialog(page).getByLabel('To branch').fill('porto norte call');
  await page.getByRole('option', { name: 'Porto Norte CALL' }).click();
  await submit(page, 'Move');
  await page.getByText('Ana Almeida moved it from Casa Verde Lisbon to Porto Norte CALL').waitFor();
  expect(await stored(terminal.tid)).toMatchObject({ mid: to.mid, status: 'active' });
});

onDesktop('a dead terminal is moved by keyboard alone, from the ID on its sticker, at %s', async (_, viewport) => {
  const { to, terminal } = await newShops('KEYS');
  const { page } = await openTerminal('ELSE', { viewport });
  await page.keyboard.press('Control+k');
  await page.keyboard.type(terminal.terminal_id);
  await page.getByRole('option', { name: terminal.terminal_id }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: `Terminal ${terminal.terminal_id}` }).waitFor();
  await button(page, 'Move').focus();
  await page.keyboard.press('Enter');
  await hasFocus(dialog(page).getByLabel('To branch'));
  await page.keyboard.type(to.mid);
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
  await dialog(page).getByText(`moves from Casa Verde Lisbon to`).waitFor();
  await page.keyboard.press('Enter');
  await dialog(page).waitFor({ state: 'detached' });
  expect(await stored(terminal.tid)).toMatchObject({ mid: to.mid });
  await hasFocus(button(page, 'Move'));
});

onPhone('a person archives a terminal with a reason, and restores it, at %s', async (_, viewport) => {
  const { page, terminal } = await openTerminal('ARCH', { viewport });
  await button(page, 'Archive').click();
  await dialog(page).getByRole('button', { name: 'Archive' }).click();
  await dialog(page).getByText('Is required.').waitFor();
  await expectAccessible(page);
  await dialog(page).getByLabel('Why?').fill('Broken <b>screen</b>');
  await dialog(page).getByRole('button', { name: 'Archive' }).click();
  await page.getByText('Ana Almeida archived it: Broken <b>screen</b>').waitFor();
  await page.getByText('Archived', { exact: true }).first().waitFor();
  expect(await stored(terminal.tid)).toMatchObject({ status: 'archived', archive_reason: 'Broken <b>screen</b>' });
  await expectAccessible(page);
  // What most people came for is the main button.
  expect(await page.locator('#content header').getByRole('button').allTextContents()).toEqual([
    'Restore',
    'Move',
    'Swap device',
    '',
  ]);
  await button(page, 'Restore').click();
  await dialog(page).getByText('It is active for processing again, at Casa Verde Lisbon.').waitFor();
  await dialog(page).getByRole('button', { name: 'Restore' }).click();
  await page.getByText('Ana Almeida restored it').waitFor();
  expect(await stored(terminal.tid)).toMatchObject({ status: 'active' });
});

onDesktop('a person edits a terminal, with every refusal at its field, at %s', async (_, viewport) => {
  const { page, terminal } = await openTerminal('EDIT', { viewport });
  const taken = unique('TAKEN');
  const holder = unique('X');
  await newBranch(view.world.provider, { terminals: [{ terminal_id: holder, serial_no: taken }] });
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
  const opened = page.waitForEvent('popup');
  await dialog(page).getByRole('link', { name: holder }).click();
  await (await opened).getByRole('heading', { name: `Terminal ${holder}` }).waitFor();
  await expectAccessible(page);
  expect(await stored(terminal.tid)).toMatchObject({ serial_no: null, terminal_model: 'Countertop 3' });
  const free = unique('FREE');
  await dialog(page).getByLabel('Serial number').fill(free);
  await submit(page, 'Save');
  const edited = { serial_no: free, terminal_model: 'Countertop 4', payment_app: 'Checkout Go' };
  expect(await stored(terminal.tid)).toMatchObject(edited);
  await page.getByText('Model: Countertop 3 → Countertop 4').waitFor();
});

onPhone('a person swaps the device, and deletes a terminal only by its ID, at %s', async (_, viewport) => {
  const { page, terminal, from } = await openTerminal('SWAP', { viewport });
  await button(page, 'Swap device').click();
  const serial = unique('NEW');
  await dialog(page).getByText('It has no serial number now.').waitFor();
  const field = dialog(page).getByLabel('Serial number of the new device');
  // What is in use is said before it is sent.
  const holder = await newTerminal(view.world.provider, from.mid, { serial_no: unique('INUSE').toUpperCase() });
  await field.fill(holder.serial_no.toLowerCase());
  await dialog(page).getByText(`${holder.serial_no} is in use at terminal ${holder.terminal_id}, Casa Verde`).waitFor();
  await expectAccessible(page);
  // As it is on the sticker.
  await field.fill(`S/N: ${serial.slice(0, 4)}-${serial.slice(4)} `);
  expect(await field.inputValue()).toBe(serial);
  await dialog(page).getByText('is in use at terminal').waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await dialog(page).waitFor({ state: 'detached' });
  await button(page, 'Swap device').click();
  await dialog(page).getByText(`The serial number ${serial} becomes free.`).waitFor();
  // A scan fills the field, and sends nothing.
  await scan(page, 'SCANNED');
  expect(await dialog(page).getByLabel('Serial number').inputValue()).toBe('SCANNED');
  await dialog(page).getByLabel('Serial number').fill('');
  await page.keyboard.press('Enter');
  await dialog(page).getByText('Is required.').waitFor();
  await expectAccessible(page);
  expect(await stored(terminal.tid)).toMatchObject({ serial_no: serial });
  const next = unique('NEXT');
  await dialog(page).getByLabel('Serial number').fill(next);
  await submit(page, 'Swap');
  await page.getByText(`Ana Almeida swapped its deviceSerial number: ${serial} → ${next}`).waitFor();
  await openMenu(page, 'Delete');
  const remove = dialog(page).getByRole('button', { name: 'Delete for good' });
  expect(await remove.isDisabled()).toBe(true);
  await expectAccessible(page);
  await dialog(page).getByLabel(`To confirm, type ${terminal.terminal_id}`).fill(terminal.terminal_id);
  await remove.click();
  await page.getByRole('heading', { name: 'This terminal does not exist' }).waitFor();
  await page.getByText('Ana Almeida deleted it').waitFor();
  expect(await stored(terminal.tid)).toBeUndefined();
  await expectAccessible(page);
  // Its serial number still leads to what happened to it.
  await searchBox(page).fill(next);
  await page.getByRole('option', { name: `by terminal ${terminal.terminal_id}` }).click();
  await page.getByRole('heading', { name: 'This terminal does not exist' }).waitFor();
});

test('a person undoes what they have just changed, unless somebody has changed it since', async () => {
  const { page, terminal, from, to } = await openTerminal('UNDO', { hasClock: true });
  const swap = async (serial: string) => {
    await button(page, 'Swap device').click();
    await dialog(page).getByLabel('Serial number of the new device').fill(serial);
    await dialog(page).getByLabel('Why? (optional)').fill('Wet: até à placa');
    await submit(page, 'Swap');
    await page.getByText(`Terminal ${terminal.terminal_id} was changed.`).waitFor();
  };
  const serial = unique('S');
  await swap(serial);
  await page.getByText('“Wet: até à placa”').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Control+z');
  await page.getByText('It was undone.').waitFor();
  expect(await stored(terminal.tid)).toMatchObject({ serial_no: null });
  await page.getByText('Ana Almeida changed it, to undo a change').waitFor();

  await button(page, 'Move').click();
  await dialog(page).getByLabel('To branch').fill(to.mid);
  await page.getByRole('option').first().click();
  await submit(page, 'Move');
  await page.getByText(`was moved to Porto Norte UNDO.`).waitFor();
  expect(await stored(terminal.tid)).toMatchObject({ mid: to.mid });
  await button(page, 'Undo').click();
  await page.getByText('It was undone.').waitFor();
  expect(await stored(terminal.tid)).toMatchObject({ mid: from.mid });
  await page.getByText('moved it from Porto Norte UNDO to Casa Verde Lisbon, to undo a change').waitFor();

  await swap(serial);
  const body = { terminal_model: 'Theirs' };
  await call('updateTerminal', { key: view.world.provider.key, path: { id: terminal.tid }, body });
  // The notice goes by itself, but not while it has the focus.
  await button(page, 'Undo').focus();
  await page.clock.fastForward(30_000);
  await page.keyboard.press('Enter');
  await page.getByText('Nothing was undone: somebody changed it meanwhile.').waitFor();
  expect(await stored(terminal.tid)).toMatchObject({ serial_no: serial, terminal_model: 'Theirs' });
  await page.clock.fastForward(10_000);
  await page.getByText('Nothing was undone').waitFor({ state: 'detached' });
});

test('each role is offered what it permits', async () => {
  const { terminal } = await newShops('ROLE');
  const names = async (as: 'viewer' | 'operator' | 'admin') => {
    const { page } = await view.open(`/terminals/${terminal.tid}?do=delete`, { as });
    await page.getByRole('heading', { name: `Terminal ${terminal.terminal_id}`, exact: true }).waitFor();
    if (as === 'admin') await submit(page, 'Cancel');
    else expect(await dialog(page).count()).toBe(0);
    const buttons = page.locator('#content').getByRole('button', { name: /^(Swap device|Move|Archive|More actions)$/ });
    const items = page.getByRole('menuitem');
    if (as !== 'viewer') {
      await button(page, 'More actions').click();
      await items.first().waitFor();
    }
    return [...(await buttons.allTextContents()), ...(await items.allTextContents())].filter(Boolean);
  };
  expect(await names('viewer')).toEqual([]);
  expect(await names('operator')).toEqual(['Swap device', 'Move', 'Archive', 'Edit']);
  expect(await names('admin')).toEqual(['Swap device', 'Move', 'Archive', 'Edit', 'Delete']);
});

test('a person who changes a terminal sees what somebody else has changed meanwhile, and decides', async () => {
  const { page, terminal } = await openTerminal('TWO');
  const change = (body: object) =>
    call('updateTerminal', { key: view.world.provider.key, path: { id: terminal.tid }, body });
  // Also what they have taken back.
  await button(page, 'Archive').click();
  await dialog(page).getByLabel('Why?').fill('Broken');
  for (const terminal_model of ['Other', 'Countertop 3']) await change({ terminal_model });
  await dialog(page).getByRole('button', { name: 'Archive' }).click();
  await dialog(page).getByRole('rowheader', { name: 'Last change' }).waitFor();
  expect(await dialog(page).getByRole('rowheader').count()).toBe(1);
  await submit(page, 'Keep what is there now');

  await openMenu(page, 'Edit');
  await dialog(page).getByLabel('Model').fill('Mine');
  const theirs = { serial_no: unique('S'), terminal_model: 'Theirs' };
  await change(theirs);
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await dialog(page).getByRole('row', { name: 'Model Countertop 3 Theirs Mine' }).waitFor();
  expect(await stored(terminal.tid)).toMatchObject({ ...theirs, status: 'active' });
  await submit(page, 'Make my change anyway');
  expect(await stored(terminal.tid)).toMatchObject({ serial_no: theirs.serial_no, terminal_model: 'Mine' });
});

test('a terminal that never existed has no history', async () => {
  const { page } = await view.open(`/terminals/${crypto.randomUUID()}`);
  await page.getByRole('heading', { name: 'This terminal does not exist' }).waitFor();
  await page.locator('[aria-busy]').waitFor({ state: 'detached' });
  expect(await page.getByText(/Not found|what happened/).count()).toBe(0);
});

test('a list of more options than there is room for can be searched and scrolled', async () => {
  const { page, context } = await openTerminal('MANY');
  const data = Array.from({ length: 101 }, (_, at) => ({ key: `App ${at}`, text: `App ${at}` }));
  await context.route('**/lookup/paymentApp*', (route) => route.fulfill({ json: { data } }));
  await openMenu(page, 'Edit');
  await dialog(page).getByRole('combobox', { name: 'Payment app' }).click();
  await page.getByRole('option').nth(100).waitFor({ state: 'attached' });
  await expectAccessible(page);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  expect(await dialog(page).getByRole('combobox', { name: 'Payment app' }).inputValue()).toBe('App 99');
});

test('texts of any kind are shown as text', async () => {
  const branch = await newBranch(view.world.provider, {
    branch_name: HOSTILE,
    city: 'x'.repeat(255),
    terminals: [{ terminal_id: 'T'.repeat(255), terminal_model: '=HYPERLINK("https://evil.example")' }],
  });
  const { page } = await view.open(`/terminals/${branch.terminals[0].tid}`);
  await page.getByRole('heading', { name: /^Terminal TTT/ }).waitFor();
  // Where it is, is said once. What few people ask for can be opened.
  await page.locator('#content header').getByRole('link', { name: HOSTILE }).waitFor();
  expect(await page.locator('.details').getByText(HOSTILE).count()).toBe(0);
  await page.getByText(branch.terminals[0].tid).waitFor({ state: 'hidden' });
  await page.getByText('More', { exact: true }).click();
  await page.getByText(branch.terminals[0].tid).waitFor();
  await page.getByText('created it with its branch').waitFor();
  expect(view.takeRequests().sort()).toEqual([
    'GET /console/api/activity',
    'GET /console/api/keys',
    'GET /console/api/session',
    'GET /ext/api/v1/find',
    expect.stringMatching(/^GET \/ext\/api\/v1\/merchants\//),
  ]);
  await expectAccessible(page);
  expect(await page.locator('#content img').count()).toBe(0);
});
