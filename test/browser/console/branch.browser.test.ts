import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { unlinkPartners } from '../../../lib/operator/partnerships.ts';
import { call } from '../../support/api.ts';
import { personOf } from '../../support/people.ts';
import { storeSeen } from '../../support/seen.ts';
import {
  archiveBranch,
  listedTerminals,
  newAcquirer,
  newBranch,
  newDistributorOf,
  newSharedBranch,
  newTerminal,
  numbered,
  unique,
} from '../../support/world.ts';
import { expectAccessible, HOSTILE, type Options, onDesktop, onPhone, useConsole } from './harness.ts';
import { button, dialog, hasFocus, scan, submit } from './page.ts';
import { hold, loseFirst } from './wire.ts';

const view = useConsole();

/** Opens the view of a branch. */
async function openBranch({ mid }: { mid: string }, query = '', options: Options = {}) {
  const opened = await view.open(`/branches/${mid}${query}`, options);
  await opened.page.getByRole('heading', { level: 1 }).waitFor();
  return opened;
}

/** Creates a branch with two terminals. */
const newShop = (prefix: string, fields: Record<string, unknown> = {}) =>
  newBranch(view.world.provider, {
    mid: unique(prefix),
    branch_name: 'Casa Verde Lisbon',
    area: 'Centre',
    city: 'Lisbon',
    terminals: numbered(unique(prefix), 2),
    ...fields,
  });

/** The branch as the API returns it. */
const stored = async (mid: string) =>
  (await call('getBranch', { key: view.world.provider.key, path: { mid } })).body.data;

const buttons = (page: Page) =>
  page.locator('#content header').getByRole('button', { includeHidden: true }).allTextContents();
const rows = (page: Page) => page.locator('.rows tbody tr');
/** Pastes a text where the focus is. */
const paste = (page: Page, text: string) =>
  page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', ${JSON.stringify(text)});
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }`);
const field = (page: Page, name: string, at = 0) => dialog(page).getByRole('textbox', { name }).nth(at);

onDesktop('a person edits a branch at %s', async (_, viewport) => {
  const { mid } = await newShop('EDIT');
  const { page } = await openBranch({ mid }, '', { viewport });
  await rows(page).nth(1).waitFor();
  await expectAccessible(page);
  await button(page, 'Edit').click();
  expect(await field(page, 'Name').inputValue()).toBe('Casa Verde Lisbon');
  expect(await field(page, 'Area').inputValue()).toBe('Centre');
  await field(page, 'City').fill('x'.repeat(256));
  await button(page, 'Save').click();
  await dialog(page).getByText('At most 255 characters.').waitFor();
  await expectAccessible(page);
  await field(page, 'City').fill('Porto');
  await field(page, 'Area').fill('');
  await field(page, 'Name').fill('Casa Verde Porto');
  await page.keyboard.press('Enter');
  await dialog(page).waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Casa Verde Porto' }).waitFor();
  await page.getByText('City: Lisbon → Porto').waitFor();
  expect(await stored(mid)).toMatchObject({ merchant_name: 'Casa Verde Porto', area: null, city: 'Porto' });
});

test(
  'people of a former distributor see why they cannot change a branch, and those of the provider whose it ' + 'was',
  async () => {
    const { provider } = view.world;
    const distributor = await newDistributorOf(provider);
    const [terminal] = numbered(unique('FORMER'), 1);
    const { mid, terminals } = await newBranch(distributor, { payment_provider: provider.id, terminals: [terminal] });
    await unlinkPartners(distributor.id, provider.id);
    const as = { as: await personOf(distributor.id, 'admin'), acquirer: distributor };
    const ended = 'Your partnership with the payment provider has ended: you can read this, but not change it.';

    const { page } = await openBranch({ mid }, '', as);
    await page.getByText(ended).waitFor();
    await page.getByText(`Former payment provider (${provider.id})`).waitFor();
    expect(await buttons(page)).toEqual([]);
    await expectAccessible(page);
    // A dialog that was open already leads to what the service says.
    const { page: editing } = await openBranch({ mid }, '?do=edit', as);
    await field(editing, 'City').fill('Braga');
    await button(editing, 'Save').click();
    await dialog(editing).getByText('Partnership ended').waitFor();
    await dialog(editing).getByText('Ask the payment provider to renew the partnership.').waitFor();
    const { page: ofTerminal } = await view.open(`/terminals/${terminals[0].tid}`, as);
    await ofTerminal.getByText(ended).waitFor();
    expect(await buttons(ofTerminal)).toEqual([]);

    const { page: ofProvider } = await openBranch({ mid });
    await ofProvider.getByText(`Former distributor (${distributor.id})`).waitFor();
    expect(await buttons(ofProvider)).toEqual(['Edit', 'Archive', 'Add terminals']);
  },
);

onPhone('a person archives a branch with its terminals, and restores it, at %s', async (_, viewport) => {
  const { mid, terminals } = await newShop('CLOSE');
  const path = { id: terminals[0].tid };
  await call('archiveTerminal', { key: view.world.provider.key, path, body: { reason: 'Broken' } });
  const { page } = await openBranch({ mid }, '', { viewport });
  await button(page, 'Archive').click();
  await dialog(page).getByText('2 terminals will be archived too').waitFor();
  await dialog(page).getByLabel('Why? (optional)').fill('Refurbishment');
  await expectAccessible(page);
  await submit(page, 'Archive');
  await page.getByText('The branch is archived: restore it to add terminals.').waitFor();
  await page.getByText('“Refurbishment”').waitFor();
  expect(await buttons(page)).toEqual(['Edit', 'Restore']);
  await rows(page).getByText('Archived').nth(1).waitFor();
  expect(await stored(mid)).toMatchObject({ status: 'archived' });
  await button(page, 'Restore').click();
  await dialog(page).getByText('Those that were archived by themselves stay archived.').waitFor();
  await dialog(page).getByRole('button', { name: 'Restore' }).click();
  await button(page, 'Add terminals').waitFor();
  await rows(page)
    .getByRole('link', { name: /^Swap the device of/ })
    .waitFor();
  expect(await rows(page).getByText('Archived').count()).toBe(1);
  expect(await stored(mid)).toMatchObject({ status: 'active' });
});

onPhone('a branch begins with the terminal that is silent, which gets another device, at %s', async (_, viewport) => {
  const prefix = unique('SEEN');
  const { mid, terminals } = await newShop('SEEN', { terminals: numbered(prefix, 4) });
  const [today, archived, dead] = terminals.map(({ tid }: { tid: string }) => tid);
  await storeSeen(view.world.provider, [
    { tid: today, hours: 2 },
    { tid: archived, hours: 900 },
    { tid: dead, hours: 90 * 24 },
  ]);
  await call('archiveTerminal', { key: view.world.provider.key, path: { id: archived }, body: { reason: 'Lost' } });
  const { page } = await openBranch({ mid }, '', { viewport });
  await rows(page).nth(3).waitFor();
  const first = await rows(page).locator('.rows-link').allTextContents();
  expect(first).toEqual([4, 3, 1, 2].map((number) => `${prefix}${number}`));
  expect(
    await rows(page)
      .getByText(/Never seen|months ago|hours ago|Last month/)
      .allTextContents(),
  ).toEqual(['Never seen', '3 months ago', '2 hours ago', 'Last month']);
  expect(await rows(page).nth(3).getByRole('link').count()).toBe(1);
  await expectAccessible(page);
  await rows(page)
    .nth(1)
    .getByRole('link', { name: `Swap the device of ${prefix}3` })
    .click();
  await dialog(page).getByText(`Swap the device of terminal ${prefix}3`).waitFor();
  await page.goBack();
  await page.getByRole('combobox', { name: 'Order' }).selectOption('Oldest first');
  await rows(page).first().getByText(`${prefix}1`, { exact: true }).waitFor();
  // Who may not change it is not offered to.
  const { page: ofViewer } = await openBranch({ mid }, '', { as: 'viewer', viewport });
  await rows(ofViewer).nth(3).waitFor();
  expect(await rows(ofViewer).getByRole('link').count()).toBe(4);
});

onDesktop('terminals are added, with every refusal at its row and field, at %s', async (_, viewport) => {
  const { mid, terminals } = await newShop('ADD');
  const { page } = await openBranch({ mid }, '', { viewport });
  await button(page, 'Add terminals').click();
  await button(page, 'Add a terminal').click();
  await page.keyboard.type('not_alphanumeric');
  await button(page, 'Add 2 terminals').click();
  await dialog(page).getByText('Is required.').waitFor();
  await dialog(page).getByText('Only letters and digits, without spaces.').waitFor();
  const [first, serial] = [unique('NEW'), unique('SERIAL')];
  await field(page, 'Terminal ID').fill(first);
  await field(page, 'Serial number').fill(serial);
  await field(page, 'Terminal ID', 1).fill(terminals[1].terminal_id);
  await dialog(page).getByRole('combobox', { name: 'Payment app' }).first().click();
  await page.getByRole('option', { name: 'Counter Plus' }).click();
  await button(page, 'Add 2 terminals').click();
  const second = dialog(page).getByRole('group', { name: 'Terminal 2' });
  await second.getByText('Another terminal has this terminal ID.').waitFor();
  await expectAccessible(page);
  expect(await stored(mid)).toMatchObject({ terminal_count: 2 });
  await button(page, 'Remove terminal 2').click();
  await button(page, 'Add 1 terminal').click();
  await dialog(page).waitFor({ state: 'detached' });
  await rows(page).nth(2).waitFor();
  expect(await listedTerminals(view.world.provider, mid)).toContainEqual(
    expect.objectContaining({ terminal_id: first, serial_no: serial, payment_app: 'Counter Plus' }),
  );
});

test('terminals are pasted with their header and sent 40 at a time, each request with its outcome', async () => {
  const { mid } = await newShop('PASTE', { terminals: undefined });
  const { page } = await openBranch({ mid }, '?do=add');
  await page.getByText('This branch has no terminals yet.').waitFor();
  await field(page, 'Terminal ID').focus();
  await paste(page, '\tONLYSERIAL');
  await field(page, 'Serial number').and(page.locator('[value=ONLYSERIAL]')).waitFor();
  expect(await field(page, 'Terminal ID').inputValue()).toBe('');

  await field(page, 'Terminal ID').focus();
  const ids = Array.from({ length: 60 }, () => unique('P'));
  const line = (id: string, at: number) =>
    `S${id}\t${id}\t"Model\n${at}"\t${at === 59 ? 'N/A' : 'x'}\t${at === 49 ? 'Old App' : 'Checkout Go'}`;
  await paste(page, `Serial\tTerminal ID\tModel\tNote\tPayment app\r\n${ids.map(line).join('\r\n')}\r\n`);
  await dialog(page).getByText('1 cell with “N/A” counts as empty.').waitFor();
  await dialog(page).getByText('Left out: Note.').waitFor();
  expect(await field(page, 'Model', 59).inputValue()).toBe('Model 59');
  await button(page, 'Add 60 terminals').click();
  await dialog(page).getByText(`40 terminals were added: ${ids[0]} to ${ids[39]}.`).waitFor();
  const refused = dialog(page).getByRole('group', { name: 'Terminal 10' });
  await refused.getByText('You have none with this name or ID. Choose one of yours.').waitFor();
  await expectAccessible(page);
  expect(await stored(mid)).toMatchObject({ terminal_count: 40 });
  const app = refused.getByRole('combobox', { name: 'Payment app' });
  expect(await app.inputValue()).toBe('Old App');
  await app.fill('');
  await page.keyboard.press('Tab');
  expect(await app.inputValue()).toBe('');
  await button(page, 'Add 20 terminals').click();
  await dialog(page).waitFor({ state: 'detached' });
  await page.getByText('1–20 of 60').waitFor();
  expect(await stored(mid)).toMatchObject({ terminal_count: 60 });
});

test('a branch is printed with exact times and the name of the acquirer, and without what is around it', async () => {
  const { mid } = await newShop('PRINT');
  const { page } = await openBranch({ mid });
  await rows(page).nth(1).waitFor();
  const style = (selector: string, of: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')${of}`);
  expect(await style('.content', ", '::before').content")).toBe('none');
  await page.emulateMedia({ media: 'print' });
  for (const hidden of ['header', '#content header button', 'nav', '[type=search]', '#content [aria-label=Order]'])
    expect(await page.locator(hidden).first().isVisible()).toBe(false);
  expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
  expect(await style('.content', ", '::before').content")).toBe(JSON.stringify(view.world.provider.name));
  const exact = await page.locator('.details time').first().getAttribute('data-exact');
  expect(await style('.details time', ", '::before').content")).toBe(JSON.stringify(exact));
  expect(await style('.details time', ').fontSize')).toBe('0px');
  expect(await style('.rows tbody tr', ').breakInside')).toBe('avoid');
  // The page is used by the next test too.
  await page.emulateMedia({ media: null });
});

test('terminals are added once, although the connection was lost', async () => {
  const { mid } = await newShop('LOST', { terminals: undefined });
  const { page, context } = await openBranch({ mid }, '?do=add');
  const { keys, release } = await loseFirst(context, `**/terminals/${mid}`);
  // As a scanner does: Enter leads to the next code, and sends nothing.
  for (const code of [unique('ONCE'), unique('SERIAL'), unique('TWICE')]) await scan(page, code);
  await hasFocus(field(page, 'Serial number', 1));
  await button(page, 'Add 2 terminals').click();
  await dialog(page).getByText('Retrying automatically.').waitFor();
  release();
  await dialog(page).waitFor({ state: 'detached' });
  expect(keys).toEqual([expect.any(String), keys[0]]);
  expect(await stored(mid)).toMatchObject({ terminal_count: 2 });
});

test('terminals are paged and sorted, and one is opened from its row', async () => {
  const prefix = unique('PAGE');
  const { mid } = await newShop('PAGES', { terminals: numbered(prefix, 25) });
  const { page } = await openBranch({ mid }, '?sort=asc');
  await rows(page).first().getByText(`${prefix}1`, { exact: true }).waitFor();
  await button(page, 'Next page').click();
  await page.getByText('21–25 of 25').waitFor();
  await rows(page).first().getByText(`${prefix}21`, { exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Order' }).selectOption('Newest first');
  await rows(page).first().getByText(`${prefix}25`, { exact: true }).waitFor();
  await rows(page).first().locator('.rows-link').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: `Terminal ${prefix}25` }).waitFor();
});

test('terminals of a branch, of any MID, are shown only with it', async () => {
  const { mid, terminals } = await newShop('FROM');
  await newShop('', { mid: 'new', branch_name: 'New Street' });
  const { page, context } = await openBranch({ mid });
  await rows(page).getByText(terminals[0].terminal_id, { exact: true }).waitFor();
  const release = await hold(context, '**/terminals/new?*');
  await page.evaluate(`history.pushState(null, '', '/console/${view.world.provider.id}/branches/new')`);
  await page.getByRole('heading', { name: 'New Street' }).waitFor();
  expect(await rows(page).getByText(terminals[0].terminal_id, { exact: true }).count()).toBe(0);
  release();
  await rows(page).getByRole('link').nth(1).waitFor();
});

test('texts of any kind are shown as text, within the screen', async () => {
  const long = 'x'.repeat(255);
  const fields = { branch_name: HOSTILE, area: long, city: long, master_merchant_name: long };
  const terminals = [
    { terminal_id: unique('T').padEnd(255, 'x'), serial_no: unique('S').padEnd(255, 'x'), terminal_model: HOSTILE },
  ];
  const acquirer = await newAcquirer('PAYMENT_PROVIDER', long);
  const master_merchant_id = unique('M').padEnd(255, 'x');
  const shop = await newBranch(acquirer, { ...fields, terminals, master_merchant_id });
  const { page } = await openBranch(shop, '?do=add', { as: await personOf(acquirer.id, 'admin'), acquirer });
  await page.getByRole('heading', { name: HOSTILE }).first().waitFor();
  await rows(page).first().waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached' });
  await expectAccessible(page);
  expect(await page.locator('#content img').count()).toBe(0);
});

test('a branch that does not exist says what to do', async () => {
  const { page } = await openBranch({ mid: 'NOSUCH' });
  await page.getByText('No branch with the MID NOSUCH exists').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Search all branches' }).click();
  await page.getByRole('heading', { name: 'Branches', exact: true }).waitFor();
});

test('a person who changes a branch sees what somebody else has changed meanwhile, and decides', async () => {
  const { mid } = await newShop('TWO');
  const { page } = await openBranch({ mid }, '?do=edit');
  await field(page, 'Name').fill('Mine');
  const theirs = { branch_name: 'Theirs', city: 'Faro' };
  await call('updateBranch', { key: view.world.provider.key, path: { mid }, body: theirs });
  await newTerminal(view.world.provider, mid);
  await button(page, 'Save').click();
  await dialog(page).getByText('Somebody changed this meanwhile').waitFor();
  await expectAccessible(page);
  const cells = await dialog(page).getByRole('row').allInnerTexts();
  expect(cells.map((row) => row.split(/\s*\t\s*/))).toEqual([
    ['Field', 'When you started', 'Now', 'Yours'],
    ['Name', 'Casa Verde Lisbon', 'Theirs', 'Mine'],
    ['City', 'Lisbon', 'Faro', ''],
    ['Terminals', '2', '3', ''],
  ]);
  await submit(page, 'Make my change anyway');
  expect(await stored(mid)).toMatchObject({ merchant_name: 'Mine', city: 'Faro' });

  await button(page, 'Archive').click();
  await dialog(page).waitFor();
  await archiveBranch(view.world.provider, mid);
  await dialog(page).getByRole('button', { name: 'Archive' }).click();
  await dialog(page).getByRole('row', { name: 'Status Active Archived' }).waitFor();
  await submit(page, 'Keep what is there now');
  expect(await buttons(page)).toEqual(['Edit', 'Restore']);
  await page.goto(view.addressOf(`/branches/${mid}?do=constructor`));
  await button(page, 'Restore').waitFor();
});

test('payment provider and distributor are named, without a request for each', async () => {
  const shop = await newSharedBranch(view.world, { mid: unique('SHARE'), branch_name: 'Shared' });
  const { page } = await openBranch(shop);
  const details = page.locator('.details');
  await details.getByText('Northgate').waitFor();
  await details.getByText('Payfair').waitFor();
  await page.getByText('Northgate created it').waitFor();
  expect(view.takeRequests().sort()).toEqual([
    'GET /console/api/activity',
    'GET /console/api/keys',
    'GET /console/api/last-seen',
    'GET /console/api/session',
    'GET /ext/api/v1/lookup/distributors',
    `GET /ext/api/v1/merchants/${shop.mid}`,
    `GET /ext/api/v1/terminals/${shop.mid}`,
  ]);
});

test('each role is offered what it permits', async () => {
  const shop = await newShop('ROLE');
  const offered = async (as: 'viewer' | 'operator' | 'admin') => {
    const { page } = await openBranch(shop, '?do=archive', { as });
    await rows(page).nth(1).waitFor();
    return { found: await buttons(page), isOpen: (await dialog(page).count()) > 0 };
  };
  const all = ['Edit', 'Archive', 'Add terminals'];
  expect(await offered('operator')).toEqual({ found: all, isOpen: true });
  expect(await offered('admin')).toEqual({ found: all, isOpen: true });
  expect(await offered('viewer')).toEqual({ found: [], isOpen: false });
});
