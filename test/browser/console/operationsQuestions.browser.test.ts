import { readFile } from 'node:fs/promises';
import { beforeAll, expect } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { getItem } from '../../../lib/table/client.ts';
import { releasedKey } from '../../../lib/table/keys.ts';
import { call } from '../../support/api.ts';
import { storeSeen } from '../../support/seen.ts';
import { storeMany } from '../../support/storeMany.ts';
import { newBranch } from '../../support/world.ts';
import { useConsole } from './harness.ts';
import { button, dialog, searchBox } from './page.ts';
import { answersFromHome } from './questions.ts';

/* What people in operations are asked, of 432 terminals in 73 branches. */

const view = useConsole();

const SHOPS = [
  ...['Casa Verde', 'Padaria Central', 'Talho do Bairro', 'Café Aroma', 'Farmácia Moderna', 'Livraria Atlântico'],
  ...['Sapataria Elegante', 'Mercearia Dona Rosa', 'Ótica Visão', 'Florista Primavera', 'Pastelaria Doce', 'Bazar Sol'],
];
const CITIES = ['Lisbon', 'Porto', 'Braga', 'Coimbra', 'Faro', 'Aveiro'];
const EACH = 6;
/** Which of each `Casa Verde` is dead, and which terminal of Porto besides. */
const DEAD = 3;
const SILENT = { shop: 'Talho do Bairro', city: 'Porto', at: 5 };

interface Terminal {
  tid: string;
  terminal_id: string;
  serial_no: string;
}
/** The terminals of each branch, by its name. */
const shops = new Map<string, { mid: string; terminals: Terminal[] }>();
const terminalAt = (shop: string, at: number) => shops.get(shop)?.terminals[at] as Terminal;

/** Serial numbers of a list: of our terminals, one that was released, and two of others. */
const listed = { own: [] as string[], released: 'MV53200000017', others: ['MV53900000001', 'MV53900000002'] };

beforeAll(async () => {
  // As in production.
  process.env['EVENT_DAYS'] = '400';
  const { provider } = view.world;
  const places = CITIES.flatMap((city) => SHOPS.map((shop) => ({ shop, city })));
  for (const [place, { shop, city }] of places.entries()) {
    const terminals = Array.from({ length: EACH }, (_, at) => ({
      terminal_id: `PT${50_004_000 + EACH * place + at}`,
      serial_no: `MV53${100_000_000 + EACH * place + at}`,
      terminal_model: at % 2 === 0 ? 'Countertop 3' : 'Portable 5',
    }));
    const branch = { mid: `PTM${10_000 + place}`, branch_name: `${shop} ${city}`, city, terminals };
    shops.set(branch.branch_name, (await newBranch(provider, branch)) as { mid: string; terminals: Terminal[] });
    const isDead = (at: number) =>
      (shop === 'Casa Verde' && at === DEAD) || (shop === SILENT.shop && city === SILENT.city && at === SILENT.at);
    const own = shops.get(branch.branch_name)?.terminals ?? [];
    await storeSeen(
      provider,
      own.map(({ tid }, at) => ({ tid, hours: isDead(at) ? 20 * 24 : at })),
    );
  }
  await newBranch(provider, { branch_name: 'Quiosque da Ribeira', city: 'Porto' });
  const body = { reason: 'The shop is closed' };
  for (const { tid } of shops.get('Bazar Sol Aveiro')?.terminals ?? [])
    await call('archiveTerminal', { key: provider.key, path: { id: tid }, body });

  const released = terminalAt('Ótica Visão Faro', 0);
  for (const serial_no of [listed.released, released.serial_no])
    await call('updateTerminal', { key: provider.key, path: { id: released.tid }, body: { serial_no } });
  const item = await getItem<object>(releasedKey(listed.released));
  const released_at = new Date(Date.now() - 200 * 86_400_000).toISOString();
  await storeMany(1, 1, () => ({ ...item, ...releasedKey(listed.released), released_at }));
  listed.own = CITIES.slice(0, 3)
    .flatMap((city) => shops.get(`Café Aroma ${city}`)?.terminals ?? [])
    .slice(1)
    .map(({ serial_no }) => serial_no);

  const { mid } = shops.get('Florista Primavera Faro') ?? { mid: '' };
  const moved = terminalAt('Florista Primavera Lisbon', 2);
  await call('reassignTerminal', { session: view.people.operator.session, path: { id: moved.tid }, body: { mid } });
});

answersFromHome(view, { who: 'an operator', options: () => ({ as: 'operator' }) }, ({ isPhone, goTo, asks }) => {
  /** On each size another one is changed. */
  const own = isPhone ? 'Braga' : 'Lisbon';
  const rows = (list: Locator) => list.locator('tbody tr');

  asks('the terminal at Casa Verde is dead: which one, is this new one free, and swap them', async (page) => {
    const { tid, terminal_id } = terminalAt(`Casa Verde ${own}`, DEAD);
    await searchBox(page).fill(`casa verde ${own.toLowerCase()}`);
    await page.keyboard.press('Enter');
    const first = rows(page.locator('.rows')).first();
    await first.getByText(terminal_id, { exact: true }).first().waitFor();
    await first.getByText('2 weeks ago').first().waitFor();
    await first.getByRole('link', { name: `Swap the device of ${terminal_id}` }).click();
    const serial = dialog(page).getByLabel('Serial number of the new device');
    const taken = terminalAt('Padaria Central Faro', 1);
    await serial.fill(`S/N: ${taken.serial_no}`);
    await dialog(page).getByText(`${taken.serial_no} is in use at terminal ${taken.terminal_id}`).waitFor();
    await dialog(page).getByText('Padaria Central Faro').waitFor();
    const fresh = `MV5330000000${Number(isPhone)}`;
    await serial.fill(fresh);
    await dialog(page).getByText('Free: none of your terminals has it.').waitFor();
    await dialog(page).getByRole('button', { name: 'Swap' }).click();
    await page.getByText(fresh).first().waitFor();
    const { body } = await call('find', { key: view.world.provider.key, query: { tid } });
    expect(body.data).toMatchObject({ serial_no: fresh });
  });

  asks('where is this serial number?', async (page) => {
    const { serial_no, terminal_id } = terminalAt('Mercearia Dona Rosa Coimbra', 4);
    await searchBox(page).fill(serial_no.toLowerCase());
    const hit = page.getByRole('option', { name: terminal_id });
    await hit.getByText('at Mercearia Dona Rosa Coimbra').waitFor();
  });

  asks('where was the device that we replaced in spring?', async (page) => {
    const { terminal_id } = terminalAt('Ótica Visão Faro', 0);
    await searchBox(page).fill(listed.released);
    await page
      .getByRole('option', { name: /^Released on .*\d{4}/ })
      .getByText(`by terminal ${terminal_id}`)
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `Terminal ${terminal_id}` }).waitFor();
    await page.getByRole('link', { name: 'Ótica Visão Faro' }).first().waitFor();
  });

  asks('which terminals in Porto were not seen for 7 days?', async (page) => {
    await searchBox(page).fill('not seen in porto');
    await page.getByRole('option', { name: 'Terminals not seen for 7 days in porto' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(`2 of ${SHOPS.length * CITIES.length * EACH} terminals`).waitFor();
    for (const { terminal_id } of [
      terminalAt('Casa Verde Porto', DEAD),
      terminalAt(`${SILENT.shop} ${SILENT.city}`, SILENT.at),
    ])
      await page.getByRole('main').getByText(terminal_id, { exact: true }).first().waitFor();
  });

  asks('which branches have no active terminal?', async (page) => {
    await page.getByRole('link', { name: '2 active branches have no active terminal' }).click();
    await page.getByText('2 of 73 branches').waitFor();
    for (const name of ['Quiosque da Ribeira', 'Bazar Sol Aveiro']) await page.getByText(name).first().waitFor();
  });

  asks('who moved this terminal, and when?', async (page) => {
    const { terminal_id } = terminalAt('Florista Primavera Lisbon', 2);
    await searchBox(page).fill(terminal_id.slice(2));
    await page.getByRole('option', { name: terminal_id }).waitFor();
    await page.keyboard.press('Enter');
    const line = page.locator('.mantine-Timeline-itemBody').filter({ hasText: 'moved' });
    await line.getByText('Oscar Oliveira').waitFor();
    await line.getByText('Florista Primavera Faro').waitFor();
    await line.locator('time').first().waitFor();
  });

  asks('can I have back what I have just archived?', async (page) => {
    const { tid, terminal_id } = terminalAt(`Pastelaria Doce ${own}`, 0);
    await searchBox(page).fill(terminal_id);
    await page.getByRole('option', { name: terminal_id }).waitFor();
    await page.keyboard.press('Enter');
    await button(page, 'Archive').click();
    await dialog(page).getByLabel('Why?').fill('Wrong one');
    await dialog(page).getByRole('button', { name: 'Archive' }).click();
    await page.getByText(`Terminal ${terminal_id} was archived.`).waitFor();
    await button(page, 'Undo').click();
    await page.getByText('It was undone.').waitFor();
    const { body } = await call('find', { key: view.world.provider.key, query: { tid } });
    expect(body.data).toMatchObject({ status: 'active' });
  });

  asks('what does the technician take along to every Casa Verde?', async (page) => {
    await goTo('Terminals');
    await page.getByLabel('Filter terminals').fill('casa verde');
    await page.getByText(`${CITIES.length * EACH} of `).waitFor();
    await button(page, 'Export').click();
    await page.getByRole('menuitem', { name: 'Print for a technician' }).click();
    await page.locator('.printed').waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    const sheet = page.locator('.paper');
    expect(await sheet.locator('h3').count()).toBe(CITIES.length);
    expect(await sheet.locator('.paper-box').count()).toBe(CITIES.length * EACH);
    await sheet.getByText('With “casa verde”.').waitFor();
    await page.emulateMedia({ media: null });
  });

  asks('which of these 20 serial numbers are ours?', async (page) => {
    await goTo('Terminals');
    await button(page, 'Select from a list').click();
    const list = ['Serial number', ...listed.own, listed.released, ...listed.others];
    await dialog(page).getByLabel('Serial numbers or terminal IDs').fill(list.join('\n'));
    await dialog(page).getByRole('button', { name: 'Select', exact: true }).click();
    await page.getByText('17 of 20 from a list').waitFor();
    await page.getByText(`Not found: ${listed.others.join(', ')}`).waitFor();
    await page.getByText(`${listed.released}: until `).waitFor();
    await page.getByText('which is at Ótica Visão Faro').waitFor();
    await page.getByText('17 selected').waitFor();
  });

  asks('can I have all branches of Lisbon as a file?', async (page) => {
    await searchBox(page).fill('lisbon');
    await page.getByRole('option', { name: `Show all ${SHOPS.length} branches` }).click();
    await page.getByText(`${SHOPS.length} of 73 branches`).waitFor();
    await button(page, 'Export').click();
    const saved = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toMatch(/^branches-payfair-.*\.csv$/);
    const [, ...lines] = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
    expect(lines).toHaveLength(SHOPS.length);
    expect(lines.filter((line) => line.includes('Lisbon'))).toHaveLength(SHOPS.length);
  });
});
