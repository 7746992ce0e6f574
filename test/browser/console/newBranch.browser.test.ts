import { beforeAll, expect, test } from '@jest/globals';
import type { Page, Request } from 'playwright-core';
import { call } from '../../support/api.ts';
import { personOf } from '../../support/people.ts';
import { listedTerminals, newBranch, unique } from '../../support/world.ts';
import { expectAccessible, type Options, onDesktop, onPhone, useConsole } from './harness.ts';
import { button, hasFocus, scan } from './page.ts';
import { loseFirst, problemOf } from './wire.ts';

const view = useConsole();

/** A branch that exists: its MID, terminal and business are taken. */
let taken: { mid: string; master_merchant_id: string; terminals: { terminal_id: string }[] };
beforeAll(async () => {
  taken = await newBranch(view.world.provider, {
    mid: unique('TAKEN'),
    master_merchant_name: 'Café Central',
    mcc: '5814',
    terminals: [{ terminal_id: unique('TAKEN') }],
  });
});

/** Opens the form, empty and ready. */
async function openForm(options: Options = {}) {
  const opened = await view.open('/new-branch', options);
  await text(opened.page, 'MID').waitFor();
  return opened;
}

/** The branch as the API returns it. */
const stored = async (mid: string) =>
  (await call('getBranch', { key: view.world.provider.key, path: { mid } })).body.data;

const text = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

/** Chooses an option of a drop-down by a part of its text. */
async function choose(page: Page, name: string, typed: string, option: string) {
  await page.getByRole('combobox', { name, exact: true }).fill(typed);
  await page.getByRole('option', { name: option }).click();
}

/** Fills in what is required. */
async function fillIn(page: Page, mid: string) {
  await text(page, 'MID').fill(mid);
  await choose(page, 'Business', 'cafe', 'Café Central');
}

const created = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

onDesktop('a person creates a branch of a business that there is, with terminals, at %s', async (_, viewport) => {
  const { page } = await openForm({ viewport });
  const mid = unique('NEW');
  await hasFocus(text(page, 'MID'));
  // A scan does not send the form.
  await scan(page, mid);
  await hasFocus(text(page, 'Name'));
  await text(page, 'Name').fill('Café Central Porto');
  await text(page, 'City').fill('Porto');
  await choose(page, 'Distributor', 'north', 'Northgate');
  const business = page.getByRole('combobox', { name: 'Business' });
  await business.fill('no such business');
  await page.getByText('Nothing found for “no such business”.').waitFor();
  await business.fill(taken.master_merchant_id);
  await page.getByRole('option', { name: 'Café Central' }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  expect(await business.inputValue()).toBe('Café Central');
  await button(page, 'Add a terminal').click();
  const terminal_id = unique('T');
  await page.keyboard.type(terminal_id);
  await text(page, 'Model').fill('Countertop 3');
  await choose(page, 'Payment app', 'go', 'Checkout Go');
  await choose(page, 'Master acquirer', 'balt', 'Baltic Merchant Bank');
  await button(page, 'Create branch').click();
  await created(page, 'Café Central Porto');
  expect(page.url()).toBe(view.addressOf(`/branches/${mid}`));
  expect(await stored(mid)).toMatchObject({
    merchant_name: 'Café Central Porto',
    city: 'Porto',
    distributor: view.world.distributor.id,
    master_merchant_name: 'Café Central',
  });
  const terminal = { terminal_id, terminal_model: 'Countertop 3', payment_app: 'Checkout Go' };
  expect(await listedTerminals(view.world.provider, mid)).toEqual([
    expect.objectContaining({ ...terminal, acquirer_name: 'Baltic Merchant Bank' }),
  ]);
});

onPhone('a distributor creates a branch of a new business, at %s', async (_, viewport) => {
  const { distributor, provider } = view.world;
  const as = await personOf(distributor.id, 'operator');
  const { page } = await openForm({ viewport, as, acquirer: distributor });
  const [mid, business] = [unique('NEW'), unique('BIZ')];
  expect(await page.getByRole('combobox', { name: 'Business' }).isDisabled()).toBe(true);
  await text(page, 'MID').fill(mid);
  await choose(page, 'Payment provider', 'pay', 'Payfair');
  await page.getByRole('radio', { name: 'A new business' }).check();
  await text(page, 'Business ID').fill(business);
  await text(page, 'Business name').fill('Padaria Nova');
  await text(page, 'E-mail').fill('office@padaria.example');
  await text(page, 'Country code').fill('PT');
  await text(page, 'Phone').fill('+351 222 000 000');
  await text(page, 'Category code (MCC)').fill('5462');
  await text(page, 'Country').fill('Portugal');
  await expectAccessible(page);
  await button(page, 'Create branch').click();
  await created(page, mid);
  expect(await stored(mid)).toMatchObject({
    payment_provider: provider.id,
    distributor: distributor.id,
    master_merchant_id: business,
    master_merchant_name: 'Padaria Nova',
  });
});

onPhone('each field says what is wrong, also to the service, before anything is sent, at %s', async (_, viewport) => {
  const { page, context } = await openForm({ viewport });
  await button(page, 'Add a terminal').click();
  await button(page, 'Create branch').click();
  await hasFocus(text(page, 'MID'));
  expect(await page.getByText('Is required.').count()).toBe(3);
  await button(page, 'Clear the form').click();
  await text(page, 'MID').fill('not alphanumeric');
  await page.keyboard.press('Tab');
  await page.getByText('Only letters and digits (at most 64), or a UUID.').waitFor();
  await text(page, 'MID').fill(taken.mid);
  await page.getByText('Only letters and digits (at most 64), or a UUID.').waitFor({ state: 'detached' });
  await page.getByRole('radio', { name: 'A new business' }).check();
  await text(page, 'Business ID').fill(taken.master_merchant_id);
  await text(page, 'Category code (MCC)').fill('1234');
  await button(page, 'Add a terminal').click();
  await page.keyboard.type(taken.terminals[0]?.terminal_id ?? '');
  await page.getByText('Another branch has this MID.').waitFor();
  await page.getByText('The business with this ID has something else here.').waitFor();
  await page.getByText('Another terminal has this terminal ID.').waitFor();
  await expectAccessible(page);
  await text(page, 'MID').fill(unique('FREE'));
  await page.getByText('Another branch has this MID.').waitFor({ state: 'detached' });
  await page.getByText('Another terminal has this terminal ID.').waitFor();
  const errors = [{ pointer: '', code: 'other', detail: 'Not like this.' }];
  await context.route('**/merchants?validate_only=true', problemOf('validation_failed', 422, { errors }));
  await text(page, 'MID').fill(unique('ODD'));
  await page.getByRole('alert').getByText('Not like this.').waitFor();
});

test('a MID that is in use is known before the rest is typed', async () => {
  const { page } = await openForm();
  await text(page, 'MID').fill(taken.mid);
  await page.getByText(`${taken.mid} is the MID of ${taken.mid}.`).waitFor();
  await expectAccessible(page);
  const opened = page.waitForEvent('popup');
  await page.getByRole('link', { name: taken.mid }).click();
  await (await opened).getByRole('heading', { name: taken.mid }).waitFor();
  await text(page, 'MID').fill(unique('FREE'));
  await page.getByText('is the MID of').waitFor({ state: 'detached' });
});

test('businesses of one name show their ID and city', async () => {
  const ids = [unique('ESTRELA1'), unique('ESTRELA2')] as const;
  const named = { master_merchant_name: 'Padaria Estrela' };
  await newBranch(view.world.provider, { ...named, master_merchant_id: ids[0], city: 'Porto' });
  await newBranch(view.world.provider, { ...named, master_merchant_id: ids[1], city: 'Faro' });
  await newBranch(view.world.provider, { master_merchant_id: ids[1], city: 'Lagos' });
  const { page } = await view.open('/branches', { isFresh: true });
  await page.getByText('Active terminals', { exact: true }).first().waitFor();
  await page.getByRole('link', { name: 'New branch' }).first().click();
  const business = page.getByRole('combobox', { name: 'Business', exact: true });
  await business.fill('estrela');
  const second = page.getByRole('option', { name: ids[1] });
  await second.waitFor();
  const options = await page.getByRole('option').filter({ hasText: 'Estrela' }).allTextContents();
  expect(options.sort()).toEqual([
    `Padaria Estrela · ${ids[0]} · Porto`,
    expect.stringMatching(`^Padaria Estrela · ${ids[1]} · (Faro|Lagos) and 1 more$`),
  ]);
  await expectAccessible(page);
  await second.click();
  expect(await business.inputValue()).toContain(`Padaria Estrela · ${ids[1]}`);
});

test('at most one body is validated at a time, and only the latest', async () => {
  const { page, context } = await openForm({ isFresh: true });
  const bodies: string[] = [];
  const open = new Set<Request>();
  let most = 0;
  page.on('request', (request) => {
    if (request.url().includes('validate_only')) open.add(request);
    most = Math.max(most, open.size);
  });
  const end = (request: Request) => void open.delete(request);
  page.on('requestfinished', end).on('requestfailed', end);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await context.route('**/merchants?validate_only=true', async (route) => {
    bodies.push(JSON.parse(route.request().postData() ?? '{}').mid);
    if (bodies.length === 1) await held;
    await route.continue().catch(() => undefined);
  });
  const first = page.waitForRequest(/validate_only/);
  await fillIn(page, 'FIRST');
  await first;
  await text(page, 'MID').fill(taken.mid);
  await page.getByText('Another branch has this MID.').waitFor();
  release();
  expect(bodies).toEqual(['FIRST', taken.mid]);
  expect(most).toBe(1);
  expect((await stored('FIRST')) ?? null).toBe(null);
});

test('a branch is created once, although the connection was lost', async () => {
  const { page, context } = await openForm();
  const mid = unique('ONCE');
  await fillIn(page, mid);
  const { keys, release } = await loseFirst(context, /\/merchants$/);
  await button(page, 'Create branch').click();
  await page.getByText('Retrying automatically.').waitFor();
  release();
  await created(page, mid);
  expect(keys).toEqual([expect.any(String), keys[0]]);
});

test('what was taken meanwhile is said at its field, and the correction is sent', async () => {
  const { page, context } = await openForm();
  await context.route('**/merchants?validate_only=true', (route) => route.fulfill({ json: { data: {} } }));
  await fillIn(page, taken.mid);
  await button(page, 'Create branch').click();
  await page.getByText('Another branch has this MID.').waitFor();
  await hasFocus(text(page, 'MID'));
  const mid = unique('FREE');
  await text(page, 'MID').fill(mid);
  await page.keyboard.press('Enter');
  await created(page, mid);
});

test('what was typed stays while the person looks elsewhere', async () => {
  const { page } = await openForm();
  await fillIn(page, 'DRAFT1');
  await button(page, 'Add a terminal').click();
  await page.keyboard.type('DRAFTT1');
  await page.getByRole('link', { name: 'Branches' }).first().click();
  await page.getByRole('heading', { name: 'Branches', exact: true }).waitFor();
  await page.goBack();
  await page.getByText('This is what you typed before.').waitFor();
  expect(await text(page, 'MID').inputValue()).toBe('DRAFT1');
  expect(await page.getByRole('combobox', { name: 'Business' }).inputValue()).toBe('Café Central');
  expect(await text(page, 'Terminal ID').inputValue()).toBe('DRAFTT1');
  await text(page, 'MID').fill('');
  await button(page, 'Create branch').click();
  await page.getByText('Is required.').waitFor();
  await button(page, 'Clear the form').click();
  expect(await text(page, 'MID').inputValue()).toBe('');
  expect(await text(page, 'Terminal ID').count()).toBe(0);
  expect(await page.getByText('Is required.').count()).toBe(0);
});

test('a viewer is told that the role does not allow it', async () => {
  const { page } = await view.open('/new-branch', { as: 'viewer' });
  await page.getByText('As a viewer of Payfair you can see everything, but not create a branch.').waitFor();
  expect(await page.locator('#content form').count()).toBe(0);
  await expectAccessible(page);
});
