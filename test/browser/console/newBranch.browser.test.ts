import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page, Request } from 'playwright-core';
import { call } from '../../support/api.ts';
import { newIdentity, personOf } from '../../support/people.ts';
import { listedTerminals, newBranch, unique } from '../../support/world.ts';
import { SIZES, useConsole } from './harness.ts';

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
async function openForm(options: Parameters<typeof view.open>[1] = {}) {
  const { page, context } = await view.open('/new-branch', options);
  await page.getByRole('heading', { name: 'New branch' }).waitFor();
  await text(page, 'MID').waitFor();
  return { page, context };
}

/** The branch as the API returns it. */
const stored = async (mid: string) =>
  (await call('getBranch', { key: view.world.provider.key, path: { mid } })).body.data;

const text = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const isFocused = async (page: Page, name: string) =>
  (await text(page, name).and(page.locator(':focus')).count()) === 1;

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

describe.each(SIZES)('at %s', (_, viewport) => {
  test('creates a branch of a business that there is, with terminals', async () => {
    const { page } = await openForm({ viewport });
    const mid = unique('NEW');
    expect(await isFocused(page, 'MID')).toBe(true);
    await view.expectAccessible(page);
    await page.keyboard.type(mid);
    await text(page, 'Name').fill('Café Central Porto');
    await text(page, 'City').fill('Porto');
    await choose(page, 'Distributor', 'north', 'Northgate');
    await choose(page, 'Business', taken.master_merchant_id, 'Café Central');
    await button(page, 'Add a terminal').click();
    const terminal_id = unique('T');
    await page.keyboard.type(terminal_id);
    await text(page, 'Model').fill('Countertop 3');
    await choose(page, 'Payment app', 'go', 'Checkout Go');
    await choose(page, 'Master acquirer', 'balt', 'Baltic Merchant Bank');
    await view.expectAccessible(page);
    await button(page, 'Create branch').click();
    await created(page, 'Café Central Porto');
    expect(new URL(page.url()).pathname).toBe(`/console/${view.world.provider.id}/branches/${mid}`);
    expect(await stored(mid)).toMatchObject({
      merchant_name: 'Café Central Porto',
      city: 'Porto',
      distributor: view.world.distributor.id,
      master_merchant_name: 'Café Central',
    });
    const terminal = {
      terminal_id,
      terminal_model: 'Countertop 3',
      payment_app: 'Checkout Go',
      acquirer_name: 'Baltic Merchant Bank',
    };
    expect(await listedTerminals(view.world.provider, mid)).toEqual([expect.objectContaining(terminal)]);
  });

  test('creates a branch of a new business as a distributor', async () => {
    const { distributor, provider } = view.world;
    const as = await personOf(distributor.id, 'operator', { identity: newIdentity('Ana Almeida') });
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
    await view.expectAccessible(page);
    await button(page, 'Create branch').click();
    await created(page, mid);
    expect(await stored(mid)).toMatchObject({
      payment_provider: provider.id,
      distributor: distributor.id,
      master_merchant_id: business,
      master_merchant_name: 'Padaria Nova',
    });
  });

  test('says at its field what breaks a rule, and what the service would refuse, before anything is sent', async () => {
    const { page } = await openForm({ viewport });
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
    await view.expectAccessible(page);
    await text(page, 'MID').fill(unique('FREE'));
    await page.getByText('Another branch has this MID.').waitFor({ state: 'detached' });
    await page.getByText('Another terminal has this terminal ID.').waitFor();
  });

  test('leads to the first field to correct', async () => {
    const { page } = await openForm({ viewport });
    await button(page, 'Add a terminal').click();
    await button(page, 'Create branch').click();
    expect(await page.getByText('Is required.').count()).toBe(3);
    expect(await isFocused(page, 'MID')).toBe(true);
    await view.expectAccessible(page);
  });
});

test('validates at most one body at a time, and only the latest', async () => {
  const { page, context } = await openForm();
  const bodies: string[] = [];
  let [open, most] = [0, 0];
  const isValidation = (request: Request) => request.url().includes('validate_only');
  page.on('request', (request) => {
    if (isValidation(request)) open += 1;
    most = Math.max(most, open);
  });
  const end = (request: Request) => {
    if (isValidation(request)) open -= 1;
  };
  page.on('requestfinished', end).on('requestfailed', end);
  await context.route('**/merchants?validate_only=true', async (route) => {
    bodies.push(JSON.parse(route.request().postData() ?? '{}').mid);
    await new Promise((done) => setTimeout(done, 800));
    await route.continue().catch(() => undefined);
  });
  await fillIn(page, 'FIRST');
  await page.waitForRequest(/validate_only/);
  await text(page, 'MID').fill(taken.mid);
  await page.getByText('Another branch has this MID.').waitFor();
  expect(bodies).toEqual(['FIRST', taken.mid]);
  expect(most).toBe(1);
  expect((await stored('FIRST')) ?? null).toBe(null);
});

test('creates a branch once, although the connection was lost', async () => {
  const { page, context } = await openForm();
  const mid = unique('ONCE');
  await fillIn(page, mid);
  const keys: string[] = [];
  await context.route(/\/merchants$/, async (route) => {
    keys.push(route.request().headers()['idempotency-key'] ?? '');
    if (keys.length > 1) return route.continue();
    await route.fetch();
    await route.abort();
  });
  await button(page, 'Create branch').click();
  await page.getByText('Retrying automatically.').waitFor();
  await created(page, mid);
  expect(keys).toEqual([keys[0], keys[0]]);
  expect(keys[0]).not.toBe('');
});

test('says at the field what was taken meanwhile, and sends the correction', async () => {
  const { page, context } = await openForm();
  await context.route('**/merchants?validate_only=true', (route) => route.fulfill({ json: { data: {} } }));
  await fillIn(page, taken.mid);
  await button(page, 'Create branch').click();
  await page.getByText('Another branch has this MID.').waitFor();
  expect(await isFocused(page, 'MID')).toBe(true);
  const mid = unique('FREE');
  await text(page, 'MID').fill(mid);
  await page.keyboard.press('Enter');
  await created(page, mid);
});

test('says in a notice what is wrong with no field', async () => {
  const { page, context } = await openForm();
  await context.route('**/merchants?validate_only=true', (route) =>
    route.fulfill({
      status: 422,
      contentType: 'application/problem+json',
      body: JSON.stringify({
        ...{ type: `${view.base}/docs/errors/validation_failed`, title: '', status: 422, code: 'validation_failed' },
        ...{ detail: '', request_id: '0f3c1e52', errors: [{ pointer: '', code: 'other', detail: 'Not like this.' }] },
      }),
    }),
  );
  await fillIn(page, unique('ODD'));
  await page.getByRole('alert').getByText('Not like this.').waitFor();
});

test('keeps what was typed while the person looks elsewhere', async () => {
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

test('says to a viewer that the role does not allow it, and the service refuses it', async () => {
  const { page } = await view.open('/new-branch', { as: 'viewer' });
  await page.getByText('As a viewer of Payfair you can see everything, but not create a branch.').waitFor();
  expect(await page.locator('#content form').count()).toBe(0);
  await view.expectAccessible(page);
  const status = await page.evaluate(`fetch('/ext/api/v1/merchants', {
    method: 'POST', headers: { 'Acting-As': '${view.world.provider.id}' }, body: '{}',
  }).then(({ status }) => status)`);
  expect(status).toBe(403);
});

test('finds a business by its words, and says when there is none', async () => {
  const { page } = await openForm();
  const business = page.getByRole('combobox', { name: 'Business' });
  await business.fill('no such business');
  await page.getByText('Nothing found for “no such business”.').waitFor();
  await business.fill('central');
  await page.getByRole('option', { name: 'Café Central' }).waitFor();
  await view.expectAccessible(page);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  expect(await business.inputValue()).toBe('Café Central');
});
