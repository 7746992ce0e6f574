import { beforeAll, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { call } from '../../support/api.ts';
import { newBranch, newTerminal, numbered } from '../../support/world.ts';
import { expectNotWider, expectNoViolations, SMALL_PHONE, until } from '../chromium.ts';
import { expectAccessible, type Options, useConsole } from './harness.ts';
import { button, dialog, hasFocus, press, searchBox, turnKeysOn } from './page.ts';
import { hold, outgrow, problemOf } from './wire.ts';

/* The questions that people ask about all their terminals, each on a wide screen and on a phone. */

const view = useConsole();
const LIST = '**/ext/api/v1/terminals?*';

/** Both sizes, in browsers of their own: each has read the estate anew. */
const onBoth = test.each<[string, Options]>([
  ['1440 px', { isFresh: true }],
  ['a phone', { isPhone: true }],
]);

/** Terminals of which each test changes its own. */
const places = { lisbon: '', porto: '', faro: '' };

beforeAll(async () => {
  const { provider } = view.world;
  const branchIn = async (city: string, terminals: object[]) =>
    (await newBranch(provider, { branch_name: `Casa ${city}`, city, terminals })).mid as string;
  places.lisbon = await branchIn(
    'Lisbon',
    numbered('LISBON', 30).map((terminal, at) => ({
      ...terminal,
      serial_no: `SN${1000 + at}`,
      terminal_model: at < 20 ? 'Countertop 3' : 'Portable 5',
    })),
  );
  places.porto = await branchIn('Porto', numbered('PORTO', 4));
  places.faro = await branchIn('Faro', [{ terminal_id: 'SHOP0172A' }]);
  for (const at of Array(29).keys()) await newTerminal(provider, places.faro, { serial_no: `FARO${at}` });
  const released = (await terminalsOf(places.faro)).find(({ serial_no }) => serial_no === 'FARO28');
  await change('updateTerminal', released?.tid ?? '', { serial_no: 'NEWER28' });
  for (const { tid, terminal_id } of await terminalsOf(places.porto))
    if (terminal_id !== 'PORTO1') await change('archiveTerminal', tid, { reason: 'Broken' });
});

type Listed = { tid: string; terminal_id: string; serial_no: string | null; mid: string; status: string };
const terminalsOf = async (id: string): Promise<Listed[]> =>
  (await call('listTerminals', { key: view.world.provider.key, path: { id }, query: { per_page: '100' } })).body.data;
const change = (name: 'archiveTerminal' | 'updateTerminal', id: string, body: object) =>
  call(name, { key: view.world.provider.key, path: { id }, body });

/** Opens the estate, once all of it is loaded. */
async function openEstate(path: string, options: Options) {
  const opened = await view.open(path, options);
  await opened.page.locator('.estate-view[aria-busy="false"]').waitFor();
  return opened;
}

/** The names in the table, or in the list of a phone. */
const names = (page: Page) => page.locator(':is(.estate tbody, .estate-list) a');
/** How many terminals match, as the view says. */
const matching = (page: Page, text: string) => page.getByText(text, { exact: false }).first().waitFor();

/** Filters by a value of a facet, as its label and count say. */
async function filter(page: Page, { isPhone }: Options, facet: string, value: string) {
  const group = page.getByRole('group', { name: 'Filters' });
  await (isPhone ? button(page, /^Filters/) : group.getByRole('button', { name: facet, exact: true })).click();
  await page.getByRole('group', { name: facet, exact: true }).getByLabel(value).check();
  // At another width, it would be another one.
  await expectNoViolations(page, { without: ['region'] });
  if (isPhone) await page.getByRole('button', { name: /^Show \d+ terminal/ }).click();
  else await page.keyboard.press('Escape');
}

/** Does something with the selected terminals. */
async function act(page: Page, { isPhone }: Options, action: string) {
  const isInMenu = isPhone || !['Move', 'Archive', 'Restore'].includes(action);
  if (!isInMenu) return button(page, action).click();
  await page.getByRole('group', { name: 'Selected terminals' }).getByRole('button').last().click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
  // It gives the focus back when it is gone.
  await page.getByRole('menu').waitFor({ state: 'detached' });
}

const selectOne = (page: Page, name: string) => page.getByLabel(`Select ${name}`, { exact: true }).click();

onBoth('which terminals of Porto are archived, as a link that shows the same, at %s', async (_, options) => {
  const { page } = await openEstate('/terminals', options);
  await filter(page, options, 'City', 'Porto');
  await filter(page, options, 'Status', 'Archived 3');
  await matching(page, '3 of 64 terminals');
  expect((await names(page).allTextContents()).map((text) => text.slice(0, 6)).sort()).toEqual([
    'PORTO2',
    'PORTO3',
    'PORTO4',
  ]);
  await expectAccessible(page);
  expect(new URL(page.url()).search).toBe('?city=Porto&status=archived');
  await page.reload();
  await matching(page, '3 of 64 terminals');
  await names(page).first().click();
  await page.getByRole('heading', { name: /^Terminal PORTO/ }).waitFor();
  await page.goBack();
  await matching(page, '3 of 64 terminals');
});

onBoth('how many there are per city and per model, at %s', async (_, options) => {
  const { page } = await view.open('/', options);
  const bars = page.locator('.bars');
  await bars.getByRole('link', { name: 'Lisbon 30' }).waitFor();
  await page.getByRole('link', { name: 'Archived 3' }).waitFor();
  await page.getByText('Nothing now.').waitFor();
  await expectAccessible(page);
  // What needs somebody comes first.
  expect(await page.getByRole('main').getByRole('heading').allTextContents()).toEqual([
    'Home',
    'Needs attention',
    'By city',
    'By model',
    'Latest changes',
  ]);
  expect(await bars.first().getByRole('link').allTextContents()).toEqual(['Faro30', 'Lisbon30', 'Porto4']);
  await page.getByRole('link', { name: 'All terminals by model' }).click();
  await names(page).getByText('Countertop 3').waitFor();
  expect(await names(page).allTextContents()).toEqual(
    options.isPhone ? ['No model34', 'Countertop 320', 'Portable 510'] : ['No model', 'Countertop 3', 'Portable 5'],
  );
  await expectAccessible(page);
  await names(page).getByText('Countertop 3').click();
  await matching(page, '20 of 64 terminals');
  expect(new URL(page.url()).search).toBe('?model=Countertop+3');
});

onBoth('a part of an ID finds the terminal at once, in the box and in the table, at %s', async (_, options) => {
  const { page, context } = await openEstate('/terminals', options);
  const release = await hold(context, '**/console/api/search?*');
  await searchBox(page).fill('0172');
  await page.getByRole('option', { name: 'SHOP0172A' }).waitFor();
  await page.keyboard.press('Escape');
  release();
  await page.getByLabel('Filter terminals').fill('0172');
  await matching(page, '1 of 64 terminals');
  await page.waitForURL(/\?q=0172$/);
  await page.getByLabel('Filter terminals').fill('nothing has this 999');
  await page.getByRole('heading', { name: 'No terminal matches' }).waitFor();
  await expectAccessible(page);
  await button(page, 'Clear all filters').click();
  await matching(page, '64 terminals');
});

onBoth('where no terminal matches, the box of the table says what the search box knows, at %s', async (_, options) => {
  await newBranch(view.world.provider, { branch_name: 'Casa Vazia', city: 'Braga' });
  const { page } = await openEstate('/terminals', options);
  const field = page.getByLabel('Filter terminals');
  await field.fill('S/N: faro28');
  await page.getByText('The search of everything finds').waitFor();
  await page.getByText('A released serial number: until ').waitFor();
  await expectAccessible(page);
  await field.fill('vazia');
  await page.getByRole('link', { name: 'Casa Vazia' }).first().click();
  await page.getByRole('heading', { name: 'Casa Vazia' }).waitFor();
});

test.each([
  ['/terminals', 'Filter terminals'],
  ['/branches', 'Search branches'],
])('at %s, a page that is opened right after a text was typed stays open', async (path, field) => {
  const { page, context } = await view.open(path, { isFresh: true });
  await page.getByLabel(field).waitFor();
  const release = await hold(context, '**/assets/*.js');
  await page.getByLabel(field).fill('casa');
  await page.getByRole('link', { name: 'Webhooks' }).click();
  // Longer than until the address has the text.
  await page.waitForTimeout(1_000);
  release();
  await page.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toMatch(/\/webhooks$/);
});

test('when the pages of the service replace the table, the typed text stays, and typing continues', async () => {
  const { page, context } = await view.open('/help', { isFresh: true });
  await outgrow(context);
  await page.goto(view.addressOf('/'));
  await page.getByText(/not counted here|too many to count here/).waitFor();
  const release = await hold(context, '**/assets/estate.worker*.js');
  await page.goto(view.addressOf('/terminals'));
  const field = page.getByLabel('Filter terminals');
  await field.pressSequentially('casa');
  release();
  await page.getByText('You have more than').waitFor();
  await page.keyboard.type(' porto');
  await page.getByText('4 terminals.').waitFor();
  expect(await field.inputValue()).toBe('casa porto');
});

onBoth('twelve terminals move to another branch, but for one that is refused, and back, at %s', async (_, options) => {
  const own = await newBranch(view.world.provider, {
    branch_name: 'Dozen',
    terminals: numbered(options.isPhone ? 'DOZENP' : 'DOZENW', 12),
  });
  const { page, context } = await openEstate(`/terminals?branch=${own.mid}`, options);
  await selectOne(page, own.terminals[0].terminal_id);
  await (options.isPhone ? act(page, options, 'Select all 12') : button(page, 'Select all 12').click());
  await page.getByText('12 selected').waitFor();
  await expectAccessible(page);
  await act(page, options, 'Move');
  await dialog(page).getByRole('button', { name: 'Check' }).click();
  await dialog(page).getByText('Choose a branch.').waitFor();
  await dialog(page).getByLabel('To branch').fill('Casa Porto');
  await page.getByRole('option', { name: 'Casa Porto' }).click();
  // Somebody archives one of them after it was read.
  await change('archiveTerminal', own.terminals[4].tid, { reason: 'Lost' });
  await dialog(page).getByRole('button', { name: 'Check' }).click();
  await dialog(page).getByText('11 will move, 1 cannot move').waitFor();
  await dialog(page).getByText('Somebody changed it meanwhile.').waitFor();
  const confirm = await dialog(page).getByRole('button', { name: 'Move 11 terminals' }).boundingBox();
  expect((confirm?.y ?? 0) + (confirm?.height ?? 0)).toBeLessThan(page.viewportSize()?.height ?? 0);
  await expectAccessible(page);
  expect(await terminalsOf(own.mid)).toHaveLength(12);
  // The limit of requests is waited out.
  let refused = 0;
  await context.route('**/reassign', (route) => {
    refused += 1;
    return refused > 1 ? route.continue() : problemOf('rate_limited', 429, { headers: { 'Retry-After': '1' } })(route);
  });
  await dialog(page).getByRole('button', { name: 'Move 11 terminals' }).click();
  await page.getByText('11 moved, 1 not moved').waitFor();
  expect((await terminalsOf(own.mid)).map(({ tid }) => tid)).toEqual([own.terminals[4].tid]);
  await expectAccessible(page);
  await page.reload();
  await button(page, 'Undo').click();
  await dialog(page).getByText('11 will move').waitFor();
  await dialog(page).getByRole('button', { name: 'Put back 11 terminals' }).click();
  await page.getByRole('heading', { name: 'Undo: Move 12 terminals to Casa Porto' }).waitFor();
  await page.getByText('11 moved', { exact: true }).waitFor();
  expect(await terminalsOf(own.mid)).toHaveLength(12);
  await button(page, 'Done').click();
  await button(page, 'Done').waitFor({ state: 'detached' });
});

onBoth(
  'sixty serial numbers of a list are selected, and the others are named with where they went, at %s',
  async (_, options) => {
    const { page } = await openEstate('/terminals', options);
    await button(page, 'Select from a list').click();
    const serials = [
      'Serial number',
      ...Array.from({ length: 30 }, (_, at) => `S/N: sn-${1000 + at}`),
      ...Array.from({ length: 28 }, (_, at) => `FARO${at}`),
    ];
    const field = dialog(page).getByLabel('Serial numbers or terminal IDs');
    await field.fill([...serials, 'GONE1', 'GONE2', 'FARO28'].join('\n'));
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Select', exact: true }).click();
    await page.getByText('58 of 61 from a list').waitFor();
    await page.getByText('Not found: GONE1, GONE2').waitFor();
    await page.getByText('Left out, because they have no digit: Serial, number').waitFor();
    await page.getByText(/^FARO28: until .+ in terminal .+, which is at Casa Faro$/).waitFor();
    // One for each that the estate does not have, and one for the terminal of the one that was released.
    expect(view.takeRequests().filter((request) => request === 'GET /console/api/search')).toHaveLength(4);
    await page.getByText('58 selected').waitFor();
    expect(
      await page
        .locator('.mantine-Alert-root')
        .evaluate(({ clientHeight, scrollHeight }) => scrollHeight - clientHeight),
    ).toBe(0);
    await expectAccessible(page);
    await act(page, options, 'Restore');
    await dialog(page).getByRole('button', { name: 'Check' }).click();
    await dialog(page).getByText('58 are active already').waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Restore 0 terminals' }).isDisabled()).toBe(true);
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    const saved = page.waitForEvent('download');
    await act(page, options, 'Export as CSV');
    expect((await saved).suggestedFilename()).toMatch(/^terminals-payfair-.*\.csv$/);
  },
);

test('an export that cannot be written says why, and can be done again', async () => {
  const { page, context } = await openEstate('/terminals?city=Porto', { isFresh: true });
  await context.route('**/assets/writeWorkbook*.js', (route) => route.abort());
  const exportWorkbook = async () => {
    await button(page, 'Export').click();
    await page.getByRole('menuitem', { name: 'Export a workbook' }).click();
  };
  await exportWorkbook();
  await page.getByRole('alert').getByText('The service did not respond. Check your connection.').waitFor();
  await expectAccessible(page);
  await context.unroute('**/assets/writeWorkbook*.js');
  const saved = page.waitForEvent('download');
  await exportWorkbook();
  expect((await saved).suggestedFilename()).toMatch(/^terminals-payfair-.*\.xlsx$/);
  await page.getByRole('alert').waitFor({ state: 'detached' });
});

onBoth('a technician gets a printed list with the chosen columns, at %s', async (_, options) => {
  const { page } = await openEstate('/terminals?city=Porto', options);
  if (!options.isPhone) {
    await button(page, 'Columns').click();
    await page.getByRole('dialog', { name: 'Columns' }).getByLabel('Payment app', { exact: true }).uncheck();
    await button(page, 'City earlier').click();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
  }
  await page.emulateMedia({ media: 'print' });
  await page.evaluate('dispatchEvent(new Event("beforeprint"))');
  const paper = page.getByRole('table', { name: 'Terminals on paper' });
  await paper.getByText('PORTO1').waitFor();
  expect(await paper.getByRole('row').count()).toBe(5);
  const shown = await paper.getByRole('columnheader').allTextContents();
  expect(shown.includes('Payment app')).toBe(options.isPhone === true);
  if (!options.isPhone) expect(shown.indexOf('City')).toBeLessThan(shown.indexOf('Branch'));
  expect(await page.getByRole('heading', { name: '4 terminals' }).isVisible()).toBe(true);
  expect(await page.getByText('City: Porto. Order: Changed, newest first.').isVisible()).toBe(true);
  expect(await paper.getByText('Archived', { exact: true }).count()).toBe(3);
  expect(await page.getByLabel('Filter terminals').isVisible()).toBe(false);
});

test('printing before a filtered list is ready prints a notice, not the list before', async () => {
  const { page } = await openEstate('/terminals?city=Porto', {});
  const paper = (prepare = '') =>
    page.evaluate<string>(`(() => {
      const field = document.querySelector('[aria-label="Filter terminals"]');
      ${prepare}
      dispatchEvent(new Event('beforeprint'));
      const text = document.querySelector('.paper').textContent;
      dispatchEvent(new Event('afterprint'));
      return text;
    })()`);
  await until(async () => (await paper()).startsWith('4 terminals'));
  const typed = `
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'PORTO1');
    field.dispatchEvent(new Event('input', { bubbles: true }));`;
  expect(await paper(typed)).toBe('The list was not ready yet. Close this, and print again.');
  await until(async () => (await paper()).startsWith('1 terminal'));
});

test('32 terminals are on a page, and the sheet of a technician has them by branch, with boxes', async () => {
  const { page, context } = await view.open('/help', { isFresh: true });
  await context.addInitScript('print = () => document.body.classList.add("printed")');
  await serveMany(context);
  await page.goto(view.addressOf('/terminals?app=Checkout+Go+17&sort=terminal_id'));
  await page.getByText('250 of 5,000 terminals. ').waitFor();
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
  expect(pdf.match(/\/Type \/Page\b/g)?.length).toBeLessThanOrEqual(Math.ceil(250 / 32));
  const [, width, height] = /\/MediaBox \[0 0 (\d+)\S* (\d+)/.exec(pdf) ?? [];
  expect(Number(width)).toBeGreaterThan(Number(height));
  await button(page, 'Export').click();
  await page.getByRole('menuitem', { name: 'Print for a technician' }).click();
  await page.locator('.printed').waitFor();
  await page.emulateMedia({ media: 'print' });
  await page.evaluate('dispatchEvent(new Event("beforeprint"))');
  const branches = await page.locator('.paper h3').filter({ hasText: 'Casa' }).allTextContents();
  expect(branches.map((text) => text.split(' · ', 2).join(' · '))).toEqual([
    'Casa Faro · Faro',
    'Casa Lisbon · Lisbon',
    'Casa Porto · Porto',
  ]);
  expect(await page.locator('.paper-box').count()).toBe(250);
  await page.evaluate('dispatchEvent(new Event("afterprint"))');
  await page.evaluate('dispatchEvent(new Event("beforeprint"))');
  await page.getByRole('table', { name: 'Terminals on paper' }).waitFor();
});

/** Makes some terminals look as if they were last seen ten days ago. */
const seeLongAgo = (context: BrowserContext) =>
  context.route(LIST, async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: { terminal_id: string; last_seen_at: string | null }[] };
    const at = new Date(Date.now() - 10 * 86_400_000).toISOString();
    for (const terminal of body.data) if (terminal.terminal_id === 'LISBON7') terminal.last_seen_at = at;
    await route.fulfill({ response, json: body });
  });

onBoth('what was not seen for a week is named on Home, at %s', async (_, options) => {
  const { page, context } = await view.open('/help', options);
  await seeLongAgo(context);
  await page.goto(view.addressOf('/'));
  await page.getByRole('link', { name: 'An active terminal was not seen for 7 days' }).click();
  await matching(page, '1 of ');
  expect(await names(page).first().textContent()).toMatch(/^LISBON7/);
  expect(new URL(page.url()).search).toBe('?status=active&seen=week');
});

/** Models and lengths as they are, of 5,000 terminals in the branches of the world; one of them is as long as allowed. */
async function serveMany(context: BrowserContext) {
  // The events of this file's own terminals, which are not among these, would add them.
  await context.route('**/ext/api/v1/events?*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), data: [] } });
  });
  const models = ['Unattended Kiosk Pro 4000', 'Countertop 3', 'Portable 5 with printer', null];
  await context.route(LIST, async (route) => {
    const url = new URL(route.request().url());
    const after = Number(url.searchParams.get('after') ?? 0);
    url.searchParams.delete('after');
    const response = await route.fetch({ url: `${url}` });
    const { data, meta } = (await response.json()) as { data: Record<string, unknown>[]; meta: object };
    const many = Array.from({ length: 5_000 }, (_, at) => ({
      ...data[at % data.length],
      tid: `00000000-0000-4000-8000-${`${at}`.padStart(12, '0')}`,
      terminal_id: at === 4_999 ? 'Z'.repeat(255) : `PT${50_004_000 + at}`,
      serial_no: at === 4_999 ? '9'.repeat(255) : `MV53${100_000_000 + at}`,
      terminal_model: models[at % models.length],
      payment_app: `Checkout Go ${at % 20}`,
      updated_at: new Date(Date.now() - 60_000 * (29 + 97 * at)).toISOString(),
    }));
    const next = after + 1_000 < many.length ? `${after + 1_000}` : null;
    await route.fulfill({ response, json: { data: many.slice(after, after + 1_000), meta: { ...meta, next } } });
  });
}

/** The texts that are wider than their place, or of whose characters some are hidden, and IDs in more than a line. */
const cutTexts = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('.estate :is(td, th), .estate-to > *')].flatMap((cell) => {
    const isCut = [cell, ...cell.querySelectorAll('*')].some(
      (each) => each.scrollWidth > each.clientWidth && getComputedStyle(each).display !== 'inline',
    );
    const isBroken = [...cell.querySelectorAll('.identifier')].some(
      (each) => each.textContent.length < 40 && each.getClientRects().length > 1,
    );
    return isCut || isBroken ? cell.textContent : [];
  })`);

test.each<[string, Options, number[]]>([
  ['1024, 1280, 1440 and 1920 px', { isFresh: true }, [1024, 1280, 1440, 1920]],
  ['a phone', { isPhone: true }, [390]],
  ['a small phone', { viewport: SMALL_PHONE }, [360]],
])('nothing of 5,000 terminals is cut, at %s', async (_, options, widths) => {
  const { page, context } = await view.open('/help', options);
  await serveMany(context);
  await page.goto(view.addressOf('/terminals?sort=terminal_id'));
  await page.getByText('5,000 terminals. ').waitFor();
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    for (const [place, text] of [
      [0, 'PT50004000'],
      [0.5, /PT5000[67]/],
      [1, /^Z{255}/],
    ] as const) {
      // Rows that are rendered for the first time may be higher than was assumed.
      await until(async () => {
        await page.evaluate(`for (const of of [document.querySelector('.estate'), document.scrollingElement])
          of?.scrollTo(0, ${place} * of.scrollHeight)`);
        return names(page).filter({ hasText: text }).first().isVisible();
      });
      expect(await cutTexts(page)).toEqual([]);
    }
    await expectNotWider(page);
  }
});

test('a value of a filter that is typed until one is left is ticked by Enter', async () => {
  const { page, context } = await view.open('/help', { isFresh: true });
  await serveMany(context);
  await page.goto(view.addressOf('/terminals'));
  await page.getByRole('group', { name: 'Filters' }).getByRole('button', { name: 'Payment app' }).click();
  for (const [typed, found] of [
    ['go 1', '5,000 terminals. '],
    ['go 17', '250 of 5,000 terminals. '],
    ['go 18', '500 of 5,000 terminals. '],
  ] as const) {
    await page.getByLabel('Find in Payment app').fill(typed);
    await page.keyboard.press('Enter');
    await page.getByText(found).waitFor();
  }
});

test('a text of the table is selected as any text, and the name of a row opens it', async () => {
  const { page } = await openEstate('/terminals?city=Lisbon&q=lisbon3', { isFresh: true });
  const selected = () => page.evaluate('getSelection().toString().trim()');
  await page.getByText('SN1002').dblclick();
  expect(await selected()).toBe('SN1002');
  expect(await page.locator('.estate mark').allTextContents()).toEqual(['LISBON3', 'LISBON3']);
  const name = await names(page).first().boundingBox();
  await page.mouse.move((name?.x ?? 0) + 1, (name?.y ?? 0) + 8);
  await page.mouse.down();
  await page.mouse.move((name?.x ?? 0) + (name?.width ?? 0) - 1, (name?.y ?? 0) + 8, { steps: 5 });
  await page.mouse.up();
  expect(await selected()).toContain('LISBON');
  await page.goto(view.addressOf('/terminals?city=Lisbon'));
  await names(page).first().click();
  await page.getByRole('heading', { name: /^Terminal LISBON/ }).waitFor();
});

onBoth('what is typed until one is left is ticked by Enter, at %s', async (_, options) => {
  const { page } = await openEstate('/terminals', options);
  const field = page.getByLabel('Filter terminals');
  for (const [typed, count] of [
    ['LISBON', 0],
    ['sn1004', 1],
    ['sn1005', 2],
    ['sn1005', 2],
  ] as const) {
    await field.fill(typed);
    await page.keyboard.press('Enter');
    if (count > 0) await page.getByText(`${count} selected`).waitFor();
    else expect(await page.getByText(/ selected$/).count()).toBe(0);
  }
  // The next text replaces it.
  await page.keyboard.type('porto');
  await matching(page, '4 of ');
});

test('the table is used by keyboard alone', async () => {
  const { page } = await openEstate('/terminals?city=Lisbon&sort=terminal_id', { isFresh: true });
  const grid = page.getByRole('grid', { name: 'Terminals' });
  await turnKeysOn(page);
  expect(await grid.getAttribute('aria-rowcount')).toBe('31');
  await press(page, 'f');
  await hasFocus(page.getByLabel('Filter terminals'));
  await grid.focus();
  for (const key of ['ArrowDown', 'Space', 'Shift+ArrowDown', 'Shift+ArrowDown']) await page.keyboard.press(key);
  await page.getByText('3 selected').waitFor();
  await page.keyboard.press('End');
  await page.getByRole('row', { selected: false }).filter({ hasText: 'LISBON9' }).waitFor();
  const active = await grid.getAttribute('aria-activedescendant');
  expect(await page.locator(`[id="${active}"]`).getAttribute('aria-rowindex')).toBe('31');
  await page.keyboard.press('Control+a');
  await page.getByText('30 selected').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Terminal LISBON9', exact: true }).waitFor();
  await press(page, 'g', 't');
  await page.getByText('30 selected').waitFor();
  await page.getByRole('columnheader', { name: 'City' }).getByRole('button').click();
  expect(await page.getByRole('columnheader', { name: 'City' }).getAttribute('aria-sort')).toBe('ascending');
});

test('an estate that is read slowly, or not at all, says so, and a viewer is offered no change', async () => {
  const { page, context } = await view.open('/help', { isFresh: true, as: 'viewer' });
  const release = await hold(context, LIST);
  await page.goto(view.addressOf('/terminals'));
  await page.getByText('Loading: 0 terminals so far.').waitFor();
  await expectAccessible(page);
  release();
  await page
    .getByLabel(/^Select /)
    .first()
    .click();
  await page.getByText('1 selected').waitFor();
  expect(await button(page, 'Move').count()).toBe(0);
  await context.unroute(LIST);
  const other = await view.open('/help', { isFresh: true });
  await other.context.route(LIST, problemOf('insufficient_permission', 403));
  await other.page.goto(view.addressOf('/terminals'));
  await other.page.getByText('Your role does not allow this').waitFor();
  await expectAccessible(other.page);
  await other.context.unroute(LIST);
  await button(other.page, 'Try again').click();
  await names(other.page).first().waitFor();
});
