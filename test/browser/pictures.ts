import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { tidOf } from '../../lib/table/keys.ts';
import { startServer } from '../support/server.ts';
import { button, dialog, searchBox, submit } from './console/page.ts';
import { launch } from './launch.ts';

/*
 * Takes the pictures of docs/guides/the-console.md, with the demo data of `npm start`: `npx node
 * test/browser/pictures.ts`.
 */

const FOLDER = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const SIZE = { width: 1200, height: 720 };

const stops: (() => Promise<void>)[] = [];
const { demo } = await startServer(stops);
const browser = await launch();
const payfair = demo.acquirers.find(({ name }) => name === 'Payfair')?.id;

/** A page of a person who has signed in. */
async function pageOf(email: string): Promise<Page> {
  const page = await browser.newPage({
    viewport: SIZE,
    colorScheme: 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
  });
  await page.goto(`${demo.base_url}/console/sign-in?login_hint=${email}`);
  return page;
}

const ana = await pageOf('ana@payfair.example');
const oscar = await pageOf('oscar@payfair.example');
const visit = (page: Page, path: string) => page.goto(`${demo.base_url}/console/${payfair}${path}`);

async function take(name: string): Promise<void> {
  await ana.evaluate('scrollTo(0, 0)');
  await ana.mouse.move(0, SIZE.height - 1);
  await ana.waitForLoadState('networkidle');
  await ana.screenshot({ path: `${FOLDER}console-${name}.png`, animations: 'disabled' });
}

/** Finds a terminal by its ID, and opens it. */
async function openTerminal(page: Page, id: string): Promise<void> {
  await visit(page, '/');
  await searchBox(page).fill(id);
  await page.getByRole('option', { name: id }).click();
  await page.getByRole('heading', { name: `Terminal ${id}` }).waitFor();
}

await openTerminal(oscar, 'DEMOTERM0021');
await button(oscar, 'Archive').click();
await dialog(oscar).getByLabel('Why?').fill('Broken screen, sent to repair');
await submit(oscar, 'Archive');
await oscar.getByRole('button', { name: 'Restore' }).click();
await submit(oscar, 'Restore');

await openTerminal(ana, 'DEMOTERM0021');
await ana.getByRole('button', { name: 'Move' }).click();
await dialog(ana).getByLabel('To branch').fill('Estrela Books Porto');
await ana.getByRole('option', { name: 'Estrela Books Porto' }).first().click();
await take('move');
await submit(ana, 'Move');
await ana.getByText('moved it from').waitFor();
await take('terminal');

await visit(ana, '/');
await searchBox(ana).fill('casa verde');
await ana.getByRole('option').first().waitFor();
await take('search');

await visit(ana, '/branches/DEMOMID005');
await ana.getByRole('heading', { name: 'Timeline' }).waitFor();
await take('branch');

await visit(ana, '/new-branch');
await ana.getByRole('textbox', { name: 'MID' }).first().fill('DEMOMID003');
await ana.getByRole('textbox', { name: 'Name' }).first().fill('Casa Verde Évora');
await ana.getByRole('textbox', { name: 'City' }).fill('Évora');
await ana.getByRole('combobox', { name: 'Business' }).fill('casa');
await ana.getByRole('option', { name: 'Casa Verde' }).click();
await ana.keyboard.press('Tab');
await ana.getByText('Another branch has this MID.').waitFor();
await take('new-branch');

const rows = Array.from({ length: 24 }, (_, at) => [
  `SHOP${100 + Math.floor(at / 3)}`,
  `Casa Azul ${['Lisbon', 'Porto', 'Braga', 'Faro'][Math.floor(at / 3) % 4]}`,
  'CASAAZUL',
  `AZUL${1000 + at}`,
  at === 4 ? 'SN 4711' : `SN${4000 + at}`,
  at === 13 ? 'Checkout Gone' : 'Checkout Go',
]);
const csv = [['MID', 'Shop', 'Business ID', 'Sticker', 'Serial', 'Payment app'], ...rows]
  .map((row) => row.join(';'))
  .join('\n');
await visit(ana, '/import');
await ana
  .locator('input[type=file]')
  .setInputFiles({ name: 'shops.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
await ana.getByRole('button', { name: 'Check all rows' }).click();
await ana.getByText('can be imported').first().waitFor();
await take('import');

await visit(ana, '/activity');
await ana.getByRole('heading', { name: 'Activity', exact: true }).waitFor();
await take('activity');

const send = (path: string, body: object) =>
  fetch(`${demo.base_url}/ext/api/v1${path}`, {
    method: 'POST',
    headers: { 'API-KEY': demo.acquirers.find(({ id }) => id === payfair)?.api_key ?? '' },
    body: JSON.stringify(body),
  });
const taken = { terminal_id: 'NEWTERM1', serial_no: 'DEMOSN0021' };
for (let at = 0; at < 4; at += 1) await send('/terminals/DEMOMID003', { terminals: [taken] });
await send(`/terminals/${tidOf('DEMOTERM0021')}/reassign`, { mid: 'DEMOMID021' });
await send('/merchants', { mid: 'DEMOMID003', branch_name: 'Casa Verde' });
await visit(ana, '/requests');
await ana.getByRole('img', { name: /^Most from/ }).waitFor();
await take('requests');

const api = async (method: string, path: string, body: object) => {
  const { status, text } = (await ana.evaluate(
    `fetch('/console/api${path}', { method: '${method}', headers: { 'Acting-As': '${payfair}', 'Content-Type': 'application/json' }, body: '${JSON.stringify(body)}' })
      .then(async (response) => ({ status: response.status, text: await response.text() }))`,
  )) as { status: number; text: string };
  if (status !== 201) throw new Error(text);
  return JSON.parse(text).data;
};
const { key_id } = await api('POST', '/keys', { label: 'till-lisbon', role: 'till' });
await api('POST', '/keys', { label: 'reports', role: 'viewer' });
await api('POST', `/keys/${key_id}/rotate`, { overlap_hours: 24 });
await visit(ana, '/keys');
await ana.getByRole('heading', { name: 'API keys', exact: true }).waitFor();
await take('keys');

await browser.close();
for (const stop of stops.toReversed()) await stop();
