import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { readTable } from '../../../functions/console/app/files/readTable.ts';
import { tidOf } from '../../../lib/table/keys.ts';
import { call } from '../../support/api.ts';
import { personOf } from '../../support/people.ts';
import {
  addNames,
  type Caller,
  listedTerminals,
  newAcquirer,
  newBranch,
  newTerminal,
  unique,
} from '../../support/world.ts';
import { DESKTOP, PHONE } from '../chromium.ts';
import { expectAccessible, HOSTILE, onDesktop, useConsole } from './harness.ts';
import { button } from './page.ts';
import { outgrow } from './wire.ts';

const view = useConsole();

const HEADER = ['MID', 'Shop', 'Town', 'Company ID', 'E-Mail', 'MCC', 'Terminal', 'Serial', 'Model', 'Opening hours'];
type Row = string[];
const [TOWN, TERMINAL, SERIAL, MODEL] = [2, 6, 7, 8] as const;

/** Rows of new branches with 5 terminals each. */
function newRows(count: number): Row[] {
  const company = unique('CO');
  let mid = '';
  return Array.from({ length: count }, (_, at) => {
    if (at % 5 === 0) mid = unique('B');
    return [mid, 'Harbour', 'Porto', company, 'a@example.com', '5940', unique('T'), unique('S'), 'Handheld 2', '9-18'];
  });
}

/** The bytes of a file. */
const csv = (rows: string[][]): Buffer =>
  Buffer.from(rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\n'));

/** Chooses a file, or one with these rows. */
const choose = (page: Page, file: Row[] | Buffer, name = 'estate.csv') =>
  page.setInputFiles('input[type=file]', {
    name,
    mimeType: 'text/csv',
    buffer: Buffer.isBuffer(file) ? file : csv([HEADER, ...file]),
  });

/** Chooses a file and checks its rows. */
async function check(page: Page, rows: Row[]): Promise<void> {
  await choose(page, rows);
  await button(page, 'Check all rows').click();
  await button(page, /^Import /).waitFor();
}

const records = (text: string): Record<string, string>[] =>
  parse<Record<string, string>>(text, { bom: true, columns: true });

/** Saves what a click downloads. */
async function downloaded(
  page: Page,
  click: () => Promise<void>,
): Promise<{ name: string; path: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), click()]);
  const path = await download.path();
  return { name: download.suggestedFilename(), path, text: await readFile(path, 'utf8') };
}

/** The rows of the workbook with the rows that have problems. */
async function failed(page: Page): Promise<{ path: string; rows: Row[] }> {
  const { name, path } = await downloaded(page, () => button(page, 'Download the rows with problems').click());
  expect(name).toMatch(/^rows-to-correct-\d{4}-\d\d-\d\d\.xlsx$/);
  const { header, rows } = await readTable(new Blob([await readFile(path)]));
  return { path, rows: [header, ...rows.map(({ cells }) => cells)] };
}

/** The outcome of each row in the report, with the codes of its problems. */
async function reported(page: Page): Promise<Map<number, string>> {
  const { name, text } = await downloaded(page, () => button(page, 'Download the report').click());
  expect(name).toMatch(/^import-\d{4}-\d\d-\d\d\.csv$/);
  return new Map(records(text).map(({ line, outcome = '', code }) => [Number(line), code || outcome]));
}

/** Expects that exactly these rows of their branches were created, each once. */
async function expectCreated(acquirer: Caller, rows: Row[], terminalAt: number = TERMINAL) {
  for (const [mid, own] of Map.groupBy(rows, ([mid = '']) => mid)) {
    const found: { terminal_id: string }[] = await listedTerminals(acquirer, mid);
    expect(found.map(({ terminal_id }) => terminal_id).sort()).toEqual(own.map((row) => row[terminalAt]).sort());
  }
}

/** An acquirer of its own, with an operator. */
async function newTenant() {
  const acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Harbour Pay');
  return { acquirer, as: await personOf(acquirer.id, 'operator') };
}

const LONG = `<b>${'x'.repeat(10_000)}`;

/** 100 rows, of which 8 have a mistake: of the file, of the contract, and some that only the service knows. */
async function newFile() {
  const rows = newRows(100);
  const taken = unique('T');
  await newBranch(view.world.provider, { terminals: [{ terminal_id: taken }] });
  const mistakes: [at: number, column: number, value: string, code: string][] = [
    [1, TERMINAL, '=HYPERLINK("http://evil.example")', 'invalid_format'],
    [7, MODEL, LONG, 'too_long'],
    [13, TOWN, 'Faro', 'differs'],
    [24, SERIAL, '<img src=x>', 'invalid_format'],
    [38, SERIAL, rows[36]?.[SERIAL] ?? '', 'duplicate'],
    [50, TERMINAL, taken, 'taken'],
    [71, MODEL, '4111 1111 1111 1111', 'card_number'],
    [99, TERMINAL, '', 'required'],
  ];
  for (const [at, column, value] of mistakes) (rows[at] as Row)[column] = value;
  return { rows, bad: new Map(mistakes.map(([at, , , code]) => [at + 2, code])) };
}

onDesktop('an operator imports the good rows of a file with mistakes of all kinds, at %s', async (_, viewport) => {
  const { rows, bad } = await newFile();
  const { page } = await view.open('/import', { as: 'operator', viewport });
  await page.getByText('Each row is a terminal with its branch').waitFor();
  await expectAccessible(page);

  await choose(page, rows);
  await page.getByRole('heading', { name: 'Columns of estate.csv' }).waitFor();
  await page.getByText('100 rows.').waitFor();
  await page.getByText('Ignored: Opening hours.').waitFor();
  const cells = page.getByRole('region', { name: 'First rows' }).getByRole('row').nth(2).getByRole('cell');
  expect(await cells.filter({ hasText: '=HYPERLINK("http://evil.example")' }).textContent()).toContain(
    'Only letters and digits, without spaces.',
  );

  await button(page, 'Check all rows').click();
  await page.getByText('92 rows can be imported').waitFor();
  await page.getByText('8 rows have problems').waitFor();
  expect(await page.getByLabel('Serial number in line 26').inputValue()).toBe('<img src=x>');
  await page.getByText('Line 12 has “Porto” for the same branch. Make them equal.').waitFor();
  expect(await page.getByLabel('Model in line 9').inputValue()).toBe(LONG);
  expect(await page.locator('#content img').count()).toBe(0);
  await expectAccessible(page);
  const lines = (await failed(page)).rows.slice(1).map(([wrong = '']) => Number(/^Line (\d+): /.exec(wrong)?.[1]));
  expect(lines).toEqual([...bad.keys()]);

  view.takeRequests();
  await button(page, 'Import the 92 good rows').click();
  await page.getByRole('heading', { name: 'estate.csv is imported, except for 8 rows' }).waitFor();
  expect(view.takeRequests().filter((request) => request.startsWith('POST')).length).toBe(20);
  await page.getByRole('row', { name: 'Branches 20 0 0' }).waitFor();
  await page.getByRole('row', { name: 'Terminals 92 0 8' }).waitFor();
  await expectAccessible(page);
  expect(await reported(page)).toEqual(new Map(rows.map((_, at) => [at + 2, bad.get(at + 2) ?? 'created'])));
  const good = rows.filter((_, at) => !bad.has(at + 2));
  await expectCreated(view.world.provider, good);

  await button(page, 'Done').click();
  await page.getByText('Drop an Excel workbook or a CSV file here').waitFor();
  await page.reload();
  await page.getByText('Drop an Excel workbook or a CSV file here').waitFor();
});

test('a viewer is told who can import', async () => {
  const { page } = await view.open('/import', { as: 'viewer' });
  await page.getByText('As a viewer of Payfair you can see everything, but not import.').waitFor();
  expect(await page.locator('input[type=file]').count()).toBe(0);
  await expectAccessible(page);
});

test('a file says what is wrong with it, and a corrected one can be dropped', async () => {
  const { page } = await view.open('/import', { as: 'operator' });
  await page.getByText('Drop an Excel workbook or a CSV file here').waitFor();
  for (const [content, message] of [
    [Buffer.from([0x50, 0x4b, 3, 4, 0, 0xff]), /workbook cannot be read/],
    [Buffer.from('MID,Town\nA,"Porto\n'), /^Line 2: A quotation mark is not closed/],
  ] as const) {
    await choose(page, content);
    await page.getByRole('alert').filter({ hasText: message }).waitFor();
  }
  await expectAccessible(page);
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['A1,Porto,C1\\nA2,N/A,C1\\n'], 'estate.csv'));
    for (const name of ['dragover', 'drop'])
      document.body.dispatchEvent(new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true }));
  })()`);
  await page.getByText('No column was recognized.').waitFor();
  await page.getByText('1 cell with “N/A” counts as empty.').waitFor();
  await expectAccessible(page);
  expect(await button(page, 'Check all rows').isDisabled()).toBe(true);

  await page.getByLabel('Field of A1').selectOption('MID');
  await page.getByLabel('Field of C1').selectOption('Serial number');
  await page.getByText('Choose the column of Terminal ID.').waitFor();
  await page.getByLabel('Field of C1').selectOption('Business ID');
  expect(await button(page, 'Check all rows').isDisabled()).toBe(false);
  await page.goBack();
  await page.getByText('estate.csv is chosen.').waitFor();
  await page.goForward();
  expect(await page.getByLabel('Field of C1').inputValue()).toBe('master_merchant_id');
});

const SIZES = [
  ['1440 px', DESKTOP],
  ['390 px', PHONE],
] as const;

describe.each(SIZES)('at %s', (_, viewport) => {
  test.each(['a payment provider', 'a distributor'])('%s can import the template as it is', async (who) => {
    const isDistributor = who === 'a distributor';
    const acquirer = isDistributor ? view.world.distributor : view.world.provider;
    const { page } = await view.open('/import', { as: await personOf(acquirer.id, 'operator'), acquirer, viewport });
    const { name, path } = await downloaded(page, () => button(page, 'Download a template').click());
    expect(name).toBe('import-template.xlsx');
    const { header } = await readTable(new Blob([await readFile(path)]));
    expect(header).toEqual([
      ...['MID', 'Branch name', 'Area', 'City', isDistributor ? 'Payment provider' : 'Distributor', 'Business ID'],
      ...['Business name', 'E-mail', 'Country code', 'Phone', 'Category code (MCC)', 'Country', 'Terminal ID'],
      ...['Serial number', 'Model', 'Payment app', 'Master acquirer'],
    ]);
    await page.locator('input[type=file]').setInputFiles(path);
    await button(page, 'Check all rows').click();
    await page.getByText('2 rows can be imported').waitFor();
    expect(await page.getByText(/problem/i).count()).toBe(0);
  });

  test('an ordinary CSV of Excel is put right where it is wrong, and what failed comes back as a workbook', async () => {
    const { acquirer, as } = await newTenant();
    await addNames(acquirer, { paymentApps: ['Checkout Go', 'Counter Plus'] });
    const taken = unique('S');
    await newBranch(view.world.provider, { terminals: [{ terminal_id: unique('T'), serial_no: taken }] });
    const company = unique('CO');
    const apps = ['checkout go', 'Chekout Go', 'Chekout Go', 'Counter Plus', ''];
    const rows = apps.map((app) => [unique('B'), 'São João', company, unique('T'), unique('S'), app]);
    const [, , , wrong, last] = rows as [Row, Row, Row, Row, Row];
    const id = wrong[3] ?? '';
    wrong[3] = `${id}-x`;
    last[4] = taken;
    const columns = ['MID', 'Town', 'Company ID', 'Terminal', 'Serial', 'Payment app'];
    const { page } = await view.open('/import', { as, acquirer, viewport });
    await choose(page, Buffer.from([columns, ...rows].map((row) => row.join(';')).join('\r\n'), 'latin1'));
    await page.getByText('2 words are read as Windows-1252 (the file is not Unicode), such as São · João.').waitFor();
    await page.getByText('Payment app “checkout go” is taken as “Checkout Go”, in 1 row.').waitFor();
    await button(page, 'Check all rows').click();
    await page.getByText('1 row can be imported').waitFor();
    await page.getByText('4 rows have problems').waitFor();
    await page.getByText('You have none with this name or ID. Did you mean “Checkout Go”?').waitFor();
    await expectAccessible(page);

    await button(page, 'Use Checkout Go').click();
    expect(await page.getByLabel('Payment app in line 3').inputValue()).toBe('Checkout Go');
    await page.getByText('1 correction').waitFor();
    await page.getByLabel('Terminal ID in line 5').fill('no!');
    await page.getByText('Only letters and digits, without spaces.').nth(1).waitFor();
    await page.getByLabel('Terminal ID in line 5').fill(id);
    await page.getByText('2 corrections').waitFor();
    await expectAccessible(page);
    view.takeRequests();
    await button(page, 'Check again').click();
    await page.getByText('4 rows can be imported').waitFor();
    // What was good, and is the same, is not checked again.
    expect(view.takeRequests().filter((request) => request.startsWith('POST')).length).toBe(4);

    const checked = await failed(page);
    expect(checked.rows).toEqual([
      ['What is wrong', 'MID', 'City', 'Business ID', 'Terminal ID', 'Serial number', 'Payment app'],
      [expect.stringMatching(/^Line 6: Serial number: /), ...last],
    ]);
    await button(page, 'Import the 4 good rows').click();
    await page.getByRole('heading', { name: 'estate.csv is imported, except for 1 row' }).waitFor();
    const { path, rows: after } = await failed(page);
    expect(after).toEqual(checked.rows);
    await button(page, 'Done').click();

    await page.locator('input[type=file]').setInputFiles(path);
    await page.getByText('Ignored: What is wrong.').waitFor();
    await button(page, 'Check all rows').click();
    await page.getByText('1 row has problems').waitFor();
    await page.getByLabel('Serial number in line 2').fill(unique('S'));
    await page.keyboard.press('Enter');
    await button(page, 'Import 1 row').click();
    await page.getByRole('heading', { name: /is imported$/ }).waitFor();
    wrong[3] = id;
    await expectCreated(acquirer, rows, 3);
    const [{ payment_app }] = await listedTerminals(acquirer, rows[1]?.[0] ?? '');
    expect(payment_app).toBe('Checkout Go');
  });
});

test('names of any kind are shown as text', async () => {
  const { page } = await view.open('/import', { as: 'operator' });
  const columns = ['MID', 'Company ID', `=HYPERLINK("x") ${'x'.repeat(5_000)}`, '<img src=x onerror=alert(1)>', ''];
  const cells = ['A1', 'C1', 'שלום', '<script>alert(1)</script>', `‮${'y'.repeat(10_000)}`];
  await choose(page, csv([columns, cells]), `${HOSTILE}.csv`);
  await page.getByRole('heading', { name: `Columns of ${HOSTILE}.csv` }).waitFor();
  await page.getByLabel('Field of Column 5').selectOption('Branch name');
  await page.getByText('At most 255 characters.').waitFor();
  await expectAccessible(page);
  expect(await page.locator('#content img').count()).toBe(0);
});

test('a check says why it waits, and can be cancelled', async () => {
  const { page, context } = await view.open('/import', { as: 'operator' });
  await context.route('**/ext/api/v1/merchants?validate_only=true', (route) =>
    route.fulfill({ status: 429, contentType: 'text/plain', headers: { 'retry-after': '30' }, body: '' }),
  );
  await choose(page, newRows(10));
  await button(page, 'Check all rows').click();
  const waits = page.getByText(/^Too many requests: continues in \d+ s\.$/);
  await waits.first().waitFor();
  await page.getByText('0 of 10 rows checked, no problems').waitFor();
  await button(page, 'Cancel').click();
  await page.getByRole('heading', { name: 'Columns of estate.csv' }).waitFor();
});

async function exportAs(page: Page, format: string): Promise<void> {
  await button(page, 'Export').click();
  await page.getByRole('menuitem', { name: format }).click();
}

describe('an export', () => {
  const FORMULA = '=HYPERLINK("http://evil.example")';

  /**
   * Opens the list of 3 branches, which have 4 terminals.
   *
   * @param picker The browser's function to choose a file, if it has one.
   */
  async function openBranches(picker = 'undefined') {
    const { acquirer, as } = await newTenant();
    const branch = await newBranch(acquirer, { branch_name: FORMULA, city: 'Porto' });
    const other = await newBranch(acquirer, { branch_name: 'Ribeira', city: '-1+1' });
    await newBranch(acquirer, { branch_name: 'Empty' });
    for (const { mid } of [branch, branch, branch, other])
      await newTerminal(acquirer, mid, { terminal_id: unique('T'), terminal_model: '@SUM(A1)' });
    const { page, context } = await view.open('/help', { as, acquirer, isFresh: true });
    await outgrow(context);
    await page.addInitScript(`Object.defineProperty(window, 'showSaveFilePicker', { value: ${picker} });`);
    await page.goto(view.addressOf(`/branches`, acquirer));
    await page.getByRole('group', { name: 'Filters' }).waitFor({ state: 'detached' });
    return { page, acquirer, branch };
  }

  test('is downloaded, with no formula in it, also from the view of a branch, and of more terminals than the table holds', async () => {
    const { page, acquirer, branch } = await openBranches();
    const branches = await downloaded(page, () => exportAs(page, 'Export as CSV'));
    expect(branches.name).toMatch(/^branches-harbour-pay-\d{4}-\d\d-\d\d\.csv$/);
    expect(records(branches.text)).toMatchObject([
      { merchant_name: `'${FORMULA}`, city: 'Porto' },
      { merchant_name: 'Ribeira', city: "'-1+1" },
      { merchant_name: 'Empty', city: '' },
    ]);
    await page.getByText('is saved. It covers 3 branches.').waitFor();
    await expectAccessible(page);

    await page.getByRole('searchbox', { name: 'Search branches' }).fill('ribeira');
    await page.getByText('1 branch matches').waitFor();
    const found = await downloaded(page, () => exportAs(page, 'Export as CSV'));
    expect(records(found.text)).toMatchObject([{ merchant_name: 'Ribeira' }]);

    await page.goto(view.addressOf(`/branches/${branch.mid}`, acquirer));
    const ofBranch = await downloaded(page, () => exportAs(page, 'Export a workbook'));
    expect(ofBranch.name).toMatch(/^terminals-.*\.xlsx$/);
    const { header, rows } = await readTable(new Blob([await readFile(ofBranch.path)]));
    expect(rows.map(({ cells }) => cells[header.indexOf('merchant_name')])).toEqual([FORMULA, FORMULA, FORMULA]);
    await page.goto(view.addressOf('/import', acquirer));
    await page.locator('input[type=file]').setInputFiles(ofBranch.path);
    await page.getByText('3 rows').first().waitFor();

    await page.goto(view.addressOf('/terminals', acquirer));
    await page.getByText('You have more than 500,000').waitFor();
    const all = await downloaded(page, () => exportAs(page, 'Export as CSV'));
    expect(records(all.text)).toHaveLength(4);
  });

  test('is written to the disk where the browser can, and can be cancelled', async () => {
    const picker = `async ({ suggestedName }) => {
      window.picked = suggestedName;
      return (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
    }`;
    const { page } = await openBranches(picker);
    await exportAs(page, 'Export as CSV');
    await page.getByText('is saved. It covers 3 branches.').waitFor();
    const written = await page.evaluate<string>(`navigator.storage.getDirectory()
      .then((directory) => directory.getFileHandle(window.picked))
      .then((handle) => handle.getFile())
      .then((file) => file.text())`);
    expect(records(written).length).toBe(3);
    await page.route('**/ext/api/v1/merchants?*per_page=100*', () => {});
    await exportAs(page, 'Export as CSV');
    await button(page, 'Cancel').click();
    await page.getByText('Starting.').waitFor({ state: 'detached' });
  });
});

const isCreate = (route: Route): boolean =>
  route.request().method() === 'POST' && !route.request().url().includes('validate_only');

/**
 * Holds creates back, from the n-th on.
 *
 * @param executed Whether they are executed, so that only the response is missing.
 * @returns `release` lets them go on; `executed` resolves once some are held.
 */
async function holdCreates(context: BrowserContext, from: number, { executed = false } = {}) {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
  let count = 0;
  await context.route('**/ext/api/v1/**', async (route) => {
    if (isCreate(route)) count += 1;
    if (isCreate(route) && count >= from) {
      if (executed) await route.fetch();
      hold();
      await held;
    }
    await route.continue().catch(() => undefined);
  });
  return { release, isHeld };
}

/** An import of these rows that has begun, in a tab of a new acquirer. */
async function begun(count: number, from: number, { executed = false } = {}) {
  const tenant = await newTenant();
  const rows = newRows(count);
  const { page, context } = await view.open('/import', tenant);
  await check(page, rows);
  const { release, isHeld } = await holdCreates(context, from, { executed });
  await button(page, `Import ${count} rows`).click();
  await page.getByText(`${(from - 1) * 5} of ${count} rows`).waitFor();
  await isHeld;
  return { ...tenant, rows, page, context, release };
}

/** Loads the page again, although it asks first. */
async function reload(page: Page) {
  const asked = page.waitForEvent('dialog');
  const reloaded = page.reload();
  expect((await asked).type()).toBe('beforeunload');
  await (await asked).accept();
  await reloaded;
}

test.each([
  ['before a request is executed', false],
  ['before a response arrives', true],
])('an import whose tab is closed %s is resumed, and creates each row once', async (_, executed) => {
  const { page, context, rows, acquirer } = await begun(60, 6, { executed });
  await reload(page);
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('link', { name: 'Import Paused' }).waitFor();
  await page.getByRole('heading', { name: 'An import of estate.csv is not finished' }).waitFor();
  await page.getByText('25 of 60 rows are done.').waitFor();
  await expectAccessible(page);
  await button(page, 'Resume').click();
  await page.getByRole('heading', { name: 'estate.csv is imported' }).waitFor();
  expect([...(await reported(page)).values()]).toEqual(rows.map(() => 'created'));
  await expectCreated(acquirer, rows);
});

test('an import whose tab is closed can be discarded, and what was created stays', async () => {
  const { page, rows, acquirer } = await begun(30, 3);
  await reload(page);
  await button(page, 'Discard').click();
  const dialog = page.getByRole('dialog', { name: 'Discard this import?' });
  await dialog.getByText('10 rows are done').waitFor();
  await dialog.getByRole('button', { name: 'Discard' }).click();
  await page.getByText('Drop an Excel workbook or a CSV file here').waitFor();
  await expectCreated(acquirer, rows.slice(0, 10));
});

test('an import goes on while its person looks elsewhere, pauses, and runs in one tab at a time', async () => {
  const { page, context, rows, acquirer, release } = await begun(60, 4);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Branches', exact: true }).click();
  await page.getByRole('heading', { name: 'Branches' }).waitFor();
  await page.getByRole('link', { name: 'Import 25%' }).click();
  await page.getByText('15 of 60 rows').waitFor();

  const other = await context.newPage();
  await other.goto(view.addressOf('/import', acquirer));
  await other.getByText('This import runs in another tab of this browser.').waitFor();
  expect(await button(other, 'Resume').count()).toBe(0);

  await button(page, 'Pause').click();
  await page.getByText('Pausing: the last requests are under way.').waitFor();
  release();
  await page.getByRole('heading', { name: 'An import of estate.csv is not finished' }).waitFor();
  await button(other, 'Resume').click();
  await other.getByRole('heading', { name: 'estate.csv is imported' }).waitFor();
  await expectCreated(acquirer, rows);
  await button(other, 'Done').click();
  await other.getByText('Drop an Excel workbook or a CSV file here').waitFor();
});

test('an import goes on after a sign-in, when its session has ended', async () => {
  const { acquirer, as } = await newTenant();
  const rows = newRows(40);
  const { page, context } = await view.open('/import', { as, acquirer });
  await check(page, rows);
  let creates = 0;
  await context.route('**/ext/api/v1/merchants', async (route) => {
    creates += 1;
    if (creates === 3) await context.clearCookies();
    // Cookies of a request are those of the moment at which it is sent.
    await route.continue();
  });
  await view.signInWhenAsked(context, as);
  await button(page, 'Import 40 rows').click();
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await page.getByRole('link', { name: 'Sign in in a new window' }).click();
  await page.getByRole('heading', { name: 'estate.csv is imported' }).waitFor();
  await expectCreated(acquirer, rows);
});

test('terminals are updated and added by MID and sticker, though a response is lost', async () => {
  const { acquirer, as } = await newTenant();
  const ids = Array.from({ length: 4 }, () => unique('T'));
  const [old, serials] = [ids.slice(0, 3).map(() => unique('S')), ids.slice(0, 3).map(() => unique('S'))];
  const { mid } = await newBranch(acquirer, {
    terminals: old.map((serial_no, at) => ({ terminal_id: ids[at], serial_no })),
  });
  const { page, context } = await view.open('/import', { as, acquirer });
  await choose(page, csv([['MID', 'Sticker', 'Serial'], ...ids.map((id, at) => [mid, id, serials[at] ?? ''])]));
  await button(page, 'Check all rows').click();
  await page.getByText('3 rows are updates').waitFor();
  await page.getByText(`Branches that exist (1): ${mid}`).waitFor();
  await page.getByText(`${ids[0]} · Serial number`).waitFor();
  await page.getByText(`${old[0]} → ${serials[0]}`).waitFor();
  await expectAccessible(page);
  await page.getByLabel('Only add what is new').check();
  await button(page, 'Import 1 row').waitFor();
  await page.getByLabel('Only add what is new').uncheck();

  // The first response is lost, and meanwhile another person swaps the second terminal.
  const theirs = unique('S');
  const path = { id: tidOf(ids[1] ?? '') };
  const lose = async (route: Route) => {
    await route.fetch();
    await call('updateTerminal', { key: acquirer.key, path, body: { serial_no: theirs } });
    await route.abort();
  };
  await context.route('**/ext/api/v1/terminals/*', lose, { times: 1 });
  await button(page, 'Import 4 rows').click();
  await page.getByRole('heading', { name: 'estate.csv is imported, except for 1 row' }).waitFor();
  await page.getByRole('row', { name: 'Terminals 1 2 0 1' }).waitFor();
  await page.getByText(`Somebody has changed this to “${theirs}” meanwhile. Choose the file again.`).waitFor();
  await expectAccessible(page);
});

test('signing out asks before it discards an import, and leaves nothing in the browser', async () => {
  const { page, acquirer, as, release } = await begun(30, 3);
  await button(page, /Account of/).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign out and discard the import?' });
  await dialog.getByText('estate.csv of Harbour Pay: 10 of 30 rows are done.').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Discard and sign out' }).click();
  release();
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  const stored = await page.evaluate(`new Promise((done) => {
    indexedDB.open('sealed-1-import-${acquirer.id}-${as.id}').onsuccess = ({ target }) => {
      const all = target.result.transaction('sealed').objectStore('sealed').count();
      all.onsuccess = () => done(all.result);
    };
  })`);
  expect(stored).toBe(0);
});
