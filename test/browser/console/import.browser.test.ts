import { describe, expect, test } from '@jest/globals';
import { personOf } from '../../support/people.ts';
import { newBranch, newTerminal, unique } from '../../support/world.ts';
import {
  button,
  choose,
  csv,
  downloaded,
  expectCreated,
  HEADER,
  MODEL,
  newRows,
  newTenant,
  type Row,
  records,
  reported,
  SERIAL,
  TERMINAL,
  TOWN,
} from './files.ts';
import { SIZES, useConsole } from './harness.ts';

const view = useConsole();

const LONG = `<b>${'x'.repeat(10_000)}`;

/** 200 rows, of which 8 have a mistake: of the file, of the contract, and some that only the service knows. */
async function newFile(): Promise<{ rows: Row[]; bad: Map<number, string> }> {
  const rows = newRows(200);
  const taken = unique('T');
  await newBranch(view.world.provider, { terminals: [{ terminal_id: taken }] });
  const mistakes: [at: number, column: number, value: string, code: string][] = [
    [1, TERMINAL, '=HYPERLINK("http://evil.example")', 'invalid_format'],
    [7, MODEL, LONG, 'too_long'],
    [13, TOWN, 'Faro', 'differs'],
    [24, SERIAL, '<img src=x>', 'invalid_format'],
    [38, SERIAL, rows[36]?.[SERIAL] ?? '', 'duplicate'],
    [50, TERMINAL, taken, 'taken'],
    [121, MODEL, '4111 1111 1111 1111', 'card_number'],
    [199, TERMINAL, '', 'required'],
  ];
  for (const [at, column, value] of mistakes) (rows[at] as Row)[column] = value;
  return { rows, bad: new Map(mistakes.map(([at, , , code]) => [at + 2, code])) };
}

describe.each(SIZES)('at %s', (_, viewport) => {
  test('an operator imports the good rows of a file with mistakes of all kinds', async () => {
    const { rows, bad } = await newFile();
    const { page } = await view.open('/import', { as: 'operator', viewport });
    await page.getByText('Each row is a terminal with its branch').waitFor();
    await view.expectAccessible(page);

    await choose(page, rows);
    await page.getByRole('heading', { name: 'Columns of estate.csv' }).waitFor();
    await page.getByText('200 rows.').waitFor();
    await page.getByText('Ignored: Opening hours.').waitFor();
    const cells = page.getByRole('region', { name: 'First rows' }).getByRole('row').nth(2).getByRole('cell');
    expect(await cells.filter({ hasText: '=HYPERLINK("http://evil.example")' }).textContent()).toContain(
      'Only letters and digits, without spaces.',
    );
    await view.expectAccessible(page);

    await button(page, 'Check all rows').click();
    await page.getByText('192 rows can be imported').waitFor();
    await page.getByText('8 rows have problems').waitFor();
    await page.getByText('<img src=x>').waitFor();
    await page.getByText('Line 12 has “Porto” for the same branch. Make them equal.').waitFor();
    await page.getByText(LONG).waitFor();
    expect(await page.locator('#content img').count()).toBe(0);
    await view.expectAccessible(page);
    expect(await reported(page)).toEqual(new Map(rows.map((_, at) => [at + 2, bad.get(at + 2) ?? 'valid'])));

    view.takeRequests();
    await button(page, 'Import the 192 good rows').click();
    await page.getByRole('heading', { name: 'estate.csv is imported, except for 8 rows' }).waitFor();
    expect(view.takeRequests().filter((request) => request.startsWith('POST')).length).toBe(40);
    await page.getByRole('row', { name: 'Branches 40 0 0' }).waitFor();
    await page.getByRole('row', { name: 'Terminals 192 0 8' }).waitFor();
    await view.expectAccessible(page);
    expect(await reported(page)).toEqual(new Map(rows.map((_, at) => [at + 2, bad.get(at + 2) ?? 'created'])));
    await expectCreated(view.world.provider, rows, (at) => bad.has(at + 2));

    await button(page, 'Done').click();
    await page.getByText('Drop a CSV file here').waitFor();
    await page.reload();
    await page.getByText('Drop a CSV file here').waitFor();
  });

  test('a viewer can only export', async () => {
    const { page } = await view.open('/import', { as: 'viewer', viewport });
    await page.getByRole('heading', { name: 'Export', exact: true }).waitFor();
    expect(await page.locator('input[type=file]').count()).toBe(0);
    expect(await page.getByRole('tab').count()).toBe(0);
    await page.getByRole('radio', { name: 'Terminals' }).check();
    await view.expectAccessible(page);
    expect(new URL(page.url()).search).toBe('?what=terminals');
    const status = await page.evaluate(`fetch('/ext/api/v1/merchants', {
      method: 'POST',
      headers: { 'Acting-As': '${view.world.provider.id}', 'Content-Type': 'application/json' },
      body: '{}',
    }).then(({ status }) => status)`);
    expect(status).toBe(403);
  });
});

test('says what is wrong with a file, and takes a corrected one that is dropped', async () => {
  const { page } = await view.open('/import', { as: 'operator' });
  await page.getByText('Drop a CSV file here').waitFor();
  const wrong: [content: Buffer, message: RegExp][] = [
    [Buffer.from(''), /no rows below a header/],
    [Buffer.from(HEADER.join(',')), /no rows below a header/],
    [Buffer.from([0x50, 0x4b, 3, 4, 0, 0xff]), /not a CSV file in UTF-8/],
    [Buffer.from(`MID\n${'A\n'.repeat(20_001)}`), /more than 20,000 rows/],
    [Buffer.from('MID,Town\nA,"Porto\n'), /^Line 2: A quotation mark is not closed/],
  ];
  for (const [buffer, message] of wrong) {
    await page.setInputFiles('input[type=file]', { name: 'estate.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('alert').filter({ hasText: message }).waitFor();
  }
  await view.expectAccessible(page);
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['A1,Porto,C1\\nA2,Faro,C1\\n'], 'estate.csv'));
    for (const name of ['dragover', 'drop'])
      document.body.dispatchEvent(new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true }));
  })()`);
  await page.getByText('No column was recognized.').waitFor();
  expect(await button(page, 'Check all rows').isDisabled()).toBe(true);
  await view.expectAccessible(page);

  await page.getByLabel('Field of A1').selectOption('MID');
  await page.getByText('Choose the column of Business (UUID), or of Business ID.').waitFor();
  await page.getByLabel('Field of C1').selectOption('Business ID');
  expect(await button(page, 'Check all rows').isDisabled()).toBe(false);
  await page.goBack();
  await page.getByText('estate.csv is chosen.').waitFor();
  await page.goForward();
  expect(await page.getByLabel('Field of C1').inputValue()).toBe('master_merchant_id');
});

test.each(['a payment provider', 'a distributor'])('the template can be imported as it is by %s', async (who) => {
  const acquirer = who === 'a distributor' ? view.world.distributor : view.world.provider;
  const { page } = await view.open('/import', { as: await personOf(acquirer.id, 'operator'), acquirer });
  const { name, text } = await downloaded(page, () => button(page, 'Download a template').click());
  expect(name).toBe('import-template.csv');
  await page.setInputFiles('input[type=file]', { name, mimeType: 'text/csv', buffer: Buffer.from(text) });
  await button(page, 'Check all rows').click();
  await page.getByText('2 rows can be imported').waitFor();
  expect(await page.getByText(/problem/i).count()).toBe(0);
});

test.each(SIZES)('shows names of any kind as text, at %s', async (_, viewport) => {
  const { page } = await view.open('/import', { as: 'operator', viewport });
  const name = `<img src=x> ‮gnirts‬ שלום 🏪 ${'é'.repeat(200)}`;
  const columns = ['MID', 'Company ID', `=HYPERLINK("x") ${'x'.repeat(5_000)}`, '<img src=x onerror=alert(1)>', ''];
  const cells = ['A1', 'C1', 'שלום', '<script>alert(1)</script>', `‮${'y'.repeat(10_000)}`];
  await page.setInputFiles('input[type=file]', {
    name: `${name}.csv`,
    mimeType: 'text/csv',
    buffer: csv([columns, cells]),
  });
  await page.getByRole('heading', { name: `Columns of ${name}.csv` }).waitFor();
  await page.getByLabel('Field of Column 5').selectOption('Branch name');
  await page.getByText('At most 255 characters.').waitFor();
  await view.expectAccessible(page);
  expect(await page.locator('#content img').count()).toBe(0);
});

test('a check says why it waits, and can be cancelled', async () => {
  const { page, context } = await view.open('/import', { as: 'operator' });
  await context.route('**/ext/api/v1/merchants?validate_only=true', (route) =>
    route.fulfill({ status: 429, contentType: 'text/plain', headers: { 'retry-after': '30' }, body: '' }),
  );
  await choose(page, newRows(10));
  await button(page, 'Check all rows').click();
  await page
    .getByText(/^Too many requests: continues in \d+ s\.$/)
    .first()
    .waitFor();
  await page.getByText('0 of 10 rows checked, no problems').waitFor();
  await view.expectAccessible(page);
  await button(page, 'Cancel').click();
  await page.getByRole('heading', { name: 'Columns of estate.csv' }).waitFor();
});

describe('an export', () => {
  const FORMULA = '=HYPERLINK("http://evil.example")';

  /** An acquirer with 3 branches and 4 terminals. */
  async function newEstate() {
    const { acquirer, as } = await newTenant();
    const branch = await newBranch(acquirer, { branch_name: FORMULA, city: 'Porto' });
    const other = await newBranch(acquirer, { branch_name: 'Ribeira', city: '-1+1' });
    await newBranch(acquirer, { branch_name: 'Empty' });
    for (const { mid } of [branch, branch, branch, other])
      await newTerminal(acquirer, mid, { terminal_id: unique('T'), terminal_model: '@SUM(A1)' });
    return { acquirer, as, branch };
  }
  const withoutPicker = 'delete Window.prototype.showSaveFilePicker; delete window.showSaveFilePicker;';

  test('is downloaded, with no formula in it, also from the view of a branch', async () => {
    const { acquirer, as, branch } = await newEstate();
    const { page, context } = await view.open('/', { as, acquirer });
    await context.addInitScript(withoutPicker);
    await page.goto(`${view.base}/console/${acquirer.id}/import?do=export`);
    const branches = await downloaded(page, () => button(page, 'Export').click());
    expect(branches.name).toMatch(/^branches-harbour-pay-\d{4}-\d\d-\d\d\.csv$/);
    expect(records(branches.text).map(({ merchant_name, city }) => [merchant_name, city])).toEqual([
      [`'${FORMULA}`, 'Porto'],
      ['Ribeira', "'-1+1"],
      ['Empty', ''],
    ]);
    await page.getByText('is saved. It is of 3 branches.').waitFor();
    await view.expectAccessible(page);

    await page.getByRole('radio', { name: 'Terminals' }).check();
    await page.getByLabel('Only of branches that match').fill('ribeira');
    const terminals = await downloaded(page, () => page.keyboard.press('Enter'));
    expect(terminals.name).toMatch(/^terminals-harbour-pay-/);
    expect(records(terminals.text).map(({ merchant_name, terminal_model }) => [merchant_name, terminal_model])).toEqual(
      [['Ribeira', "'@SUM(A1)"]],
    );
    expect(new URL(page.url()).search).toBe('?do=export&what=terminals&search=ribeira');
    await page.getByLabel('Only of branches that match').fill('a');
    await button(page, 'Export').click();
    await page.getByText('Type 1 to 5 words, each of at least 2 letters or digits.').waitFor();

    await page.goto(`${view.base}/console/${acquirer.id}/branches/${branch.mid}`);
    const ofBranch = await downloaded(page, () => button(page, 'Export').click());
    expect(records(ofBranch.text).map(({ mid }) => mid)).toEqual([branch.mid, branch.mid, branch.mid]);
  });

  test('is written to the disk where the browser can', async () => {
    const { acquirer, as } = await newEstate();
    const { page, context } = await view.open('/', { as, acquirer });
    await context.addInitScript(`window.showSaveFilePicker = async ({ suggestedName }) => {
      window.picked = suggestedName;
      return (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
    };`);
    const written = () =>
      page.evaluate(`navigator.storage.getDirectory()
        .then((directory) => directory.getFileHandle(window.picked))
        .then((handle) => handle.getFile())
        .then((file) => file.text())`) as Promise<string>;
    await page.goto(`${view.base}/console/${acquirer.id}/import?do=export&what=terminals`);
    await button(page, 'Export').click();
    await page.getByText('is saved. It is of 3 branches.').waitFor();
    expect(records(await written()).length).toBe(4);
  });

  test('can be cancelled', async () => {
    const { acquirer, as } = await newEstate();
    const { page, context } = await view.open('/', { as, acquirer });
    await context.addInitScript(withoutPicker);
    await context.route('**/ext/api/v1/terminals/**', () => {});
    await page.goto(`${view.base}/console/${acquirer.id}/import?do=export&what=terminals`);
    await button(page, 'Export').click();
    await button(page, 'Cancel').waitFor();
    await view.expectAccessible(page);
    await button(page, 'Cancel').click();
    await page.getByRole('radio', { name: 'Terminals' }).waitFor();
  });
});
