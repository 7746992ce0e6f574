import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from '@jest/globals';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { getItem } from '../../../lib/table/client.ts';
import { releasedKey } from '../../../lib/table/keys.ts';
import { call } from '../../support/api.ts';
import { storeSeen } from '../../support/seen.ts';
import { storeMany } from '../../support/storeMany.ts';
import { newBranch } from '../../support/world.ts';
import { expectAccessible, useConsole } from './harness.ts';
import { button, dialog, searchBox } from './page.ts';
import { answersFromHome, type Home, openHome } from './questions.ts';
import { outgrow, outgrowTerminals } from './wire.ts';

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

const rows = (list: Locator) => list.locator('tbody tr');

interface Person extends Pick<Home, 'goTo'> {
  /** Each person changes things of another city. */
  own: string;
}

/** Exports what a list shows, and returns the name of the file and its lines below the header. */
async function exported(page: Page): Promise<[name: string, lines: string[]]> {
  await button(page, 'Export').click();
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
  const file = await saved;
  const [, ...lines] = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
  return [file.suggestedFilename(), lines];
}

type Answers = Record<string, (page: Page, person: Person) => Promise<unknown>>;

const ANSWERS: Answers = {
  'the terminal at Casa Verde is dead: which one, is this new one free, and swap them': async (page, { own }) => {
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
    const fresh = `MV5330000000${CITIES.indexOf(own)}`;
    await serial.fill(fresh);
    await dialog(page).getByText('Free: none of your terminals has it.').waitFor();
    await dialog(page).getByRole('button', { name: 'Swap' }).click();
    await page.getByText(fresh).first().waitFor();
    const { body } = await call('find', { key: view.world.provider.key, query: { tid } });
    expect(body.data).toMatchObject({ serial_no: fresh });
  },

  'where is this serial number?': async (page) => {
    const { serial_no, terminal_id } = terminalAt('Mercearia Dona Rosa Coimbra', 4);
    await searchBox(page).fill(serial_no.toLowerCase());
    const hit = page.getByRole('option', { name: terminal_id });
    await hit.getByText('at Mercearia Dona Rosa Coimbra').waitFor();
  },

  'where was the device that we replaced in spring?': async (page) => {
    const { terminal_id } = terminalAt('Ótica Visão Faro', 0);
    await searchBox(page).fill(listed.released);
    await page
      .getByRole('option', { name: /^Released on .*\d{4}/ })
      .getByText(`by terminal ${terminal_id}`)
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `Terminal ${terminal_id}` }).waitFor();
    await page.getByRole('link', { name: 'Ótica Visão Faro' }).first().waitFor();
  },

  'which terminals in Porto were not seen for 7 days?': async (page) => {
    await searchBox(page).fill('not seen in porto');
    await page.getByRole('option', { name: 'Terminals not seen for 7 days in porto' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(`2 of ${SHOPS.length * CITIES.length * EACH} terminals`).waitFor();
    for (const { terminal_id } of [
      terminalAt('Casa Verde Porto', DEAD),
      terminalAt(`${SILENT.shop} ${SILENT.city}`, SILENT.at),
    ])
      await page.getByRole('main').getByText(terminal_id, { exact: true }).first().waitFor();
  },

  'which branches have no active terminal?': async (page) => {
    await page.getByRole('link', { name: '2 active branches have no active terminal' }).click();
    await page.getByText('2 of 73 branches').waitFor();
    for (const name of ['Quiosque da Ribeira', 'Bazar Sol Aveiro']) await page.getByText(name).first().waitFor();
  },

  'who moved this terminal, and when?': async (page) => {
    const { terminal_id } = terminalAt('Florista Primavera Lisbon', 2);
    await searchBox(page).fill(terminal_id.slice(2));
    await page.getByRole('option', { name: terminal_id }).waitFor();
    await page.keyboard.press('Enter');
    const line = page.locator('.mantine-Timeline-itemBody').filter({ hasText: 'moved' });
    await line.getByText('Oscar Oliveira').waitFor();
    await line.getByText('Florista Primavera Faro').waitFor();
    await line.locator('time').first().waitFor();
  },

  'can I have back what I have just archived?': async (page, { own }) => {
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
  },

  'what does the technician take along to every Casa Verde?': async (page, { goTo }) => {
    await goTo('Terminals');
    await page.getByLabel('Filter terminals').fill('casa verde');
    await page.getByText(new RegExp(`^${CITIES.length * EACH} (of|terminals)`)).waitFor();
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
  },

  'which of these 20 serial numbers are ours?': async (page, { goTo }) => {
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
  },

  'can I have all branches of Lisbon as a file?': async (page) => {
    await searchBox(page).fill('lisbon');
    await page.getByRole('option', { name: `Show all ${SHOPS.length} branches` }).click();
    await page.getByText(new RegExp(`^${SHOPS.length} (of 73 branches|branches match)`)).waitFor();
    const [name, lines] = await exported(page);
    expect(name).toMatch(/^branches-payfair-.*\.csv$/);
    expect(lines).toHaveLength(SHOPS.length);
    expect(lines.filter((line) => line.includes('Lisbon'))).toHaveLength(SHOPS.length);
  },
};

answersFromHome(view, { who: 'an operator', options: () => ({ as: 'operator' }) }, ({ isPhone, goTo, asks }) => {
  const own = isPhone ? 'Braga' : 'Lisbon';
  for (const [question, answer] of Object.entries(ANSWERS)) asks(question, (page) => answer(page, { own, goTo }));
});

/** Loads what the table lists to its end. */
async function loadAll(page: Page): Promise<void> {
  await page
    .getByRole('main')
    .getByText(/^[\d,]+ (of [\d,]+ )?terminals?( so far)?\.$/)
    .waitFor();
  while ((await page.getByText(/so far\.$/).count()) > 0)
    await button(page, 'Load more')
      .click({ timeout: 5_000 })
      .catch(() => {});
}

/** The answers where the browser does not have the estate. */
const FROM_SERVICE: Answers = {
  ...ANSWERS,
  async 'which terminals in Porto were not seen for 7 days?'(page) {
    await searchBox(page).fill('not seen in porto');
    await page.getByRole('option', { name: 'Terminals not seen for 7 days in porto' }).waitFor();
    await page.keyboard.press('Enter');
    await loadAll(page);
    await page.getByText(/^2 of \d+ terminals\.$/).waitFor();
    for (const { terminal_id } of [
      terminalAt('Casa Verde Porto', DEAD),
      terminalAt(`${SILENT.shop} ${SILENT.city}`, SILENT.at),
    ])
      await page.getByRole('main').getByText(terminal_id, { exact: true }).first().waitFor();
  },

  async 'which branches have no active terminal?'(page, { goTo }) {
    await goTo('Terminals');
    const [, terminals] = await exported(page);
    await goTo('Branches');
    const [, branches] = await exported(page);
    const midOf = (line: string) => line.split(',', 1)[0];
    const used = new Set(terminals.filter((line) => line.includes(',active,')).map(midOf));
    const idle = branches.filter((line) => line.includes(',active,') && !used.has(midOf(line)));
    expect(idle.map((line) => line.split(',')[1]).sort()).toEqual(['Bazar Sol Aveiro', 'Quiosque da Ribeira']);
  },

  async 'who moved this terminal, and when?'(page) {
    const { terminal_id } = terminalAt('Florista Primavera Lisbon', 2);
    await searchBox(page).fill(terminal_id);
    await page.getByRole('option', { name: terminal_id }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `Terminal ${terminal_id}` }).waitFor();
    const line = page.locator('.mantine-Timeline-itemBody').filter({ hasText: 'moved' });
    await line.getByText('Oscar Oliveira').waitFor();
    await line.locator('time').first().waitFor();
  },

  async 'can I move what I have selected, and back?'(page, { own, goTo }) {
    await goTo('Terminals');
    await page.getByText('You have more than').waitFor();
    const field = page.getByLabel('Filter terminals');
    for (const at of [0, 1]) {
      await field.fill(terminalAt(`Livraria Atlântico ${own}`, at).serial_no);
      await page.keyboard.press('Enter');
      await page.getByText(`${at + 1} selected`).waitFor();
    }
    await button(page, 'Move').click();
    await dialog(page).getByLabel('To branch').fill(`sapataria elegante ${own.toLowerCase()}`);
    await page.getByRole('option', { name: `Sapataria Elegante ${own}` }).click();
    await dialog(page).getByRole('button', { name: 'Check' }).click();
    await dialog(page).getByText(`Livraria Atlântico ${own} → Sapataria Elegante ${own}`).first().waitFor();
    await dialog(page).getByRole('button', { name: 'Move 2 terminals' }).click();
    await page.getByText('2 moved').waitFor();
    await field.fill('');
    await page.getByLabel('Order').selectOption('Newest changes first');
    await rows(page.getByRole('grid')).first().getByText(`Sapataria Elegante ${own}`).waitFor();
    await button(page, 'Undo').click();
    await dialog(page).getByRole('button', { name: 'Put back 2 terminals' }).click();
    await page.getByText('2 moved').waitFor();
    await button(page, 'Done').click();
  },

  async 'which terminals are archived?'(page, { goTo }) {
    await goTo('Terminals');
    await page.getByText('You have more than').waitFor();
    await page.getByLabel('Status').selectOption('Archived');
    await loadAll(page);
    await page.getByText(/^6 terminals\.$/).waitFor();
  },
};

test.each<[string, own: string, (context: BrowserContext) => Promise<unknown>]>([
  ['500,001 terminals', 'Coimbra', outgrowTerminals],
  ['2,000,000 branches', 'Faro', (context) => outgrow(context, 2_000_000)],
])('with %s, an operator finds each answer from Home', async (_, own, grow) => {
  const { page, goTo } = await openHome(view, { as: 'operator' }, grow);
  await page.getByText(/not counted here|too many to count here/).waitFor({ timeout: 200_000 });
  for (const [question, answer] of Object.entries(FROM_SERVICE)) {
    await page.goto(view.addressOf('/'));
    await answer(page, { own, goTo }).catch(async (cause: Error) => {
      const text = await page.getByRole('main').innerText();
      throw new Error(`${question} ${cause.message}\nAt ${page.url()}: ${text}`, { cause });
    });
    await expectAccessible(page);
  }
});
