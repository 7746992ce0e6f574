import { beforeAll, expect, test } from '@jest/globals';
import { storeOneRefused } from '../../support/refusedRequests.ts';
import { storeWebhook } from '../../support/webhooks.ts';
import { newBranch, numbered, unique } from '../../support/world.ts';
import { OF_REACT, translator } from '../translator.ts';
import { type Options, useConsole } from './harness.ts';
import { dialog } from './page.ts';
import { looksAt } from './views.ts';

/*
 * The console as a browser shows it that translates pages. Texts are in brackets then, so that one that is not up to
 * date is not found. The nightly run does all tasks in a translated page: see harness.ts.
 */

const view = useConsole();
let shop: { mid: string; terminals: { tid: string; terminal_id: string }[] };
let webhook: string;
beforeAll(async () => {
  const mid = unique('PADARIA');
  shop = await newBranch(view.world.provider, { mid, branch_name: 'Casa Verde', terminals: numbered(mid, 3) });
  const named = { description: 'Casa Azul' };
  webhook = (await storeWebhook(view.world.provider, 'https://example.com/', named)).id;
});

async function open(path: string, options: Options = {}) {
  const opened = await view.open('/', { ...options, isFresh: true });
  await opened.page.addInitScript(translator("(text) => '[' + text.trim() + ']'"));
  await opened.page.goto(view.addressOf(path));
  await opened.page.locator('h1 font font').waitFor();
  return opened;
}

test(
  'every view is translated but for identifiers and names, and has no text that a translator takes from ' + 'it',
  async () => {
    const { page } = await open('/help');
    // The harness finds such a text by what React marks its nodes with.
    const marks = `Object.keys(document.querySelector('h1')).filter((name) => name.startsWith('${OF_REACT}'))`;
    expect(await page.evaluate(marks)).toHaveLength(1);
    const [terminal] = shop.terminals;
    const wrong: string[] = [];
    const request = await storeOneRefused(view.world.provider, { mid: shop.mid });
    const ids = { mid: shop.mid, tid: terminal?.tid as string, webhook, request };
    for (const [path, openMore] of Object.values(looksAt(ids))) {
      await page.goto(view.addressOf(path));
      await page.locator('nav font font').first().waitFor();
      await page.waitForLoadState('networkidle');
      await openMore?.(page);
      const texts = await page.locator('font > font').allTextContents();
      const names = [shop.mid, terminal?.terminal_id, 'Casa Verde', 'Casa Azul', 'https://example.com/'];
      const values = names.filter((value) => texts.includes(`[${value}]`));
      wrong.push(...values.map((value) => `${path}: ${value}`));
      if ((await page.getByText('This view has failed').count()) > 0) wrong.push(`${path} has failed`);
    }
    expect(wrong).toEqual([]);
  },
);

test('a list is imported in a translated page, and each count is the one of now', async () => {
  const { page } = await open('/import', { as: 'operator' });
  const [mid, company] = [unique('B'), unique('CO')];
  const rows = [
    ['MID', 'Company ID', 'Terminal'],
    [mid, company, unique('T')],
    [mid, company, unique('T')],
    [unique('B'), company, '=1'],
  ];
  const buffer = Buffer.from(rows.join('\n'));
  await page.setInputFiles('input[type=file]', { name: 'estate.csv', mimeType: 'text/csv', buffer });
  await page.getByText('[3 rows.', { exact: false }).first().waitFor();
  await page.getByRole('button', { name: 'Check all rows' }).click();
  await page.getByText('[2 rows can be imported]').waitFor();
  await page.getByText('[1 row has problems]').waitFor();
  await page.getByRole('button', { name: 'Import the 2 good rows' }).click();
  await page.getByRole('heading', { name: 'estate.csv is imported, except for 1 row' }).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('[Drop an Excel workbook or a CSV file here]').waitFor();
});

test('terminals are found, selected and archived in a translated page, and each count is the one of now', async () => {
  const { page } = await open(`/terminals?branch=${shop.mid}`, { as: 'operator' });
  await page.locator('.estate-view[aria-busy="false"]').waitFor();
  await page.getByText(/^\[3 of \d+ terminals\./).waitFor();
  const filter = page.getByLabel('Filter terminals');
  await filter.fill(shop.terminals[1]?.terminal_id as string);
  await page.getByText(/^\[1 of \d+ terminals\./).waitFor();
  await filter.fill('');
  for (const [at, { terminal_id }] of shop.terminals.entries()) {
    await page.getByLabel(`Select ${terminal_id}`, { exact: true }).click();
    await page.getByText(`[${at + 1} selected]`).waitFor();
  }
  await page.getByRole('button', { name: 'Archive' }).click();
  await dialog(page).getByLabel('Why?').fill('Stolen');
  await dialog(page).getByRole('button', { name: 'Check' }).click();
  await dialog(page).getByText('[3 will be archived]').waitFor();
  await dialog(page).getByRole('button', { name: 'Archive 3 terminals' }).click();
  await page.getByText('[3 archived]').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();

  await page.goto(view.addressOf(`/branches/${shop.mid}`));
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog(page).getByLabel('City').fill('Porto');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('[It was undone.]').waitFor();
});
