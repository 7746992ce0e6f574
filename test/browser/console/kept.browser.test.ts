import { beforeAll, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { endSessions, removePerson } from '../../../lib/people/people.ts';
import { forgetSessions } from '../../../lib/people/session.ts';
import { call } from '../../support/api.ts';
import { personOf, type SignedIn, signInAgain } from '../../support/people.ts';
import { type Caller, newAcquirer, newBranch, numbered, unique } from '../../support/world.ts';
import { expectAccessible, useConsole } from './harness.ts';
import { button } from './page.ts';

/* What a browser keeps is worth nothing without the session that it belongs to. */

const view = useConsole();

let acquirer: Caller;
/** Texts of the estate and of the import: none may be found. */
let secrets: string[];
beforeAll(async () => {
  acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Harbour Pay');
  const name = unique('Kept');
  const terminals = numbered(unique('KEPT'), 7);
  const { mid } = await newBranch(acquirer, { branch_name: name, city: 'Matosinhos', terminals });
  const ids = terminals.map(({ terminal_id }) => terminal_id);
  secrets = [...ids, mid, name, 'Matosinhos', FILE, SHOP, 'terminal_id', 'merchant_name', 'plan', 'cursor'];
});

const LOADED = '.estate-view[aria-busy="false"]';
const FILE = 'KeptImport.csv';
const SHOP = 'KeptShop';
const newPerson = () => personOf(acquirer.id, 'operator');

/** Begins a script that reads IndexedDB. */
const ASKED = `const asked = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const recordsOf = async (name) => {
  const database = await asked(indexedDB.open(name));
  const [of] = database.objectStoreNames;
  const store = database.transaction(of).objectStore(of);
  const [keys, values] = await Promise.all([asked(store.getAllKeys()), asked(store.getAll())]);
  database.close();
  return keys.map((key, at) => [String(key), values[at]]);
};
const databases = async () => (await indexedDB.databases()).map(({ name }) => name);`;

/** All that a script finds in the browser. Bytes are as in Latin-1. */
const foundIn = (page: Page) =>
  page.evaluate<string>(`(async () => {
    ${ASKED}
    const text = (value) =>
      value instanceof Uint8Array ? Array.from(value, (byte) => String.fromCharCode(byte)).join('') : JSON.stringify(value);
    const found = [localStorage, sessionStorage].map((storage) => JSON.stringify({ ...storage }));
    found.push(window.name, JSON.stringify(history.state), document.title, document.cookie, ...(await caches.keys()));
    for (const name of await databases())
      for (const [key, value] of await recordsOf(name)) found.push(key + ': ' + text(value));
    return found.join(' ');
  })()`);

/** The databases of a kind that have records, each with their names and lengths. */
const shapesOf = (page: Page, kind: string) =>
  page.evaluate<[name: string, length: number][][]>(`(async () => {
    ${ASKED}
    const own = (await databases()).filter((name) => name.startsWith('sealed-1-${kind}-'));
    const shapes = await Promise.all(own.map(recordsOf));
    return shapes.filter(({ length }) => length > 0).map((all) => all.map(([key, { length }]) => [key, length]));
  })()`);

/** Of a small estate: generation, state, summary, and a chunk of terminals and of branches. */
const RECORDS = 5;

async function expectNothingIn(page: Page) {
  const found = await foundIn(page);
  for (const secret of secrets) expect(found).not.toContain(secret);
  // Their number is the same for all estates of up to 2,048 terminals and branches, and for all imports and how far they are.
  for (const [kind, count] of [
    ['estate', RECORDS],
    ['import', 256 + 1],
  ] as const)
    for (const shape of await shapesOf(page, kind)) {
      expect(shape).toHaveLength(count);
      expect(new Set(shape.map(([, length]) => length)).size).toBeLessThanOrEqual(2);
    }
}

/** Waits until a condition holds. */
async function until(isTrue: () => Promise<boolean>) {
  while (!(await isTrue())) await new Promise((done) => setTimeout(done, 50));
}

/** Opens the terminals as a person, in a browser of its own, once they are kept. */
async function openTerminals(as: SignedIn) {
  const opened = await view.open('/terminals', { as, acquirer, isFresh: true });
  await opened.page.locator(LOADED).waitFor();
  await until(async () => (await shapesOf(opened.page, 'estate'))[0]?.length === RECORDS);
  return opened;
}

const addressOf = (path: string) => view.addressOf(path, acquirer);

/** Begins an import of three branches, of which one is created, in a tab that is closed. */
async function interruptImport(context: BrowserContext) {
  const page = await context.newPage();
  await page.goto(addressOf('/import'));
  const rows = [1, 2, 3].map(() => `${unique('B')},${SHOP},${unique('CO')},${unique('T')}`);
  const buffer = Buffer.from(['MID,Shop,Company ID,Terminal', ...rows].join('\n'));
  await page.setInputFiles('input[type=file]', { name: FILE, mimeType: 'text/csv', buffer });
  await button(page, 'Check all rows').click();
  await button(page, 'Import 3 rows').waitFor();
  let creates = 0;
  await page.route('**/ext/api/v1/merchants', (route) => {
    creates += 1;
    if (creates === 1) void route.continue();
  });
  await button(page, 'Import 3 rows').click();
  await page.getByText('1 of 3 rows').waitFor();
  await page.close();
}

const expectInterrupted = async (page: Page) => {
  await page.goto(addressOf('/import'));
  await page.getByRole('heading', { name: `An import of ${FILE} is not finished` }).waitFor();
  await page.getByText('1 of 3 rows are done.').waitFor();
};

const signedOut = (page: Page) => page.getByRole('heading', { name: 'Your session has ended' }).waitFor();

/** Lets a person sign in to a browser again, or another one. */
async function enter(context: BrowserContext, person: SignedIn) {
  await context.clearCookies();
  await view.signIn(context, await signInAgain(person));
}

test('a removed person sees and finds nothing, also when they come back', async () => {
  const as = await newPerson();
  const { page, context } = await openTerminals(as);
  await interruptImport(context);
  await expectNothingIn(page);
  await removePerson(acquirer.id, as.id);
  forgetSessions();
  await signedOut(page);
  expect(await page.locator('body').innerText()).toBe(
    'Your session has ended\n\nSign in to continue where you were.\n\nSign in',
  );
  await expectAccessible(page);
  await expectNothingIn(page);
  await page.goBack();
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
  await expectNothingIn(page);
});

test('after a session that was ended elsewhere, the same person goes on, and nobody else', async () => {
  const [as, other] = [await newPerson(), await newPerson()];
  const { page, context } = await openTerminals(as);
  await interruptImport(context);
  await endSessions(as.id);
  forgetSessions();
  await signedOut(page);
  await expectNothingIn(page);

  await enter(context, other);
  await page.goto(addressOf('/import'));
  await page.getByText('Drop an Excel workbook or a CSV file here').waitFor();
  await page.goto(addressOf('/'));
  await page.getByText('Nothing now.').waitFor();
  await expectNothingIn(page);
  await button(page, /Account of/).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await page.getByRole('link', { name: 'Sign in' }).waitFor();

  await enter(context, as);
  await expectInterrupted(page);
  await button(page, 'Resume').click();
  await page.getByRole('heading', { name: `${FILE} is imported` }).waitFor();
  await page.getByRole('row', { name: 'Terminals 3 0 0' }).waitFor();
});

test('a person who joins again reads the estate anew, and is told of an import that cannot be opened', async () => {
  const as = await newPerson();
  const elsewhere = await newAcquirer('PAYMENT_PROVIDER', 'Other Pay');
  await personOf(elsewhere.id, 'viewer', { identity: as.identity });
  const { page, context } = await openTerminals(as);
  await interruptImport(context);
  await page.goto('about:blank');
  await removePerson(acquirer.id, as.id);
  await personOf(acquirer.id, 'operator', { identity: as.identity });
  forgetSessions();
  await enter(context, as);
  await page.goto(addressOf('/terminals'));
  await page.locator(LOADED).waitFor();
  await page.goto(addressOf('/import'));
  await page.getByText('What this browser stored cannot be opened').waitFor();
  await expectAccessible(page);
  await button(page, 'Discard it').click();
  await page.getByText('Drop an Excel workbook or a CSV file here').waitFor();
});

test('one tab reads for all tabs of a person, and another goes on when it is closed', async () => {
  const { mid, terminals } = await newBranch(acquirer, { terminals: numbered(unique('TABS'), 1) });
  const [{ tid, terminal_id }] = terminals;
  const change = (terminal_model: string) =>
    call('updateTerminal', { key: acquirer.key, path: { id: tid }, body: { terminal_model } });
  const shown = (page: Page, terminal_model: string) =>
    page.locator('.estate tr').filter({ hasText: terminal_id }).getByText(terminal_model).waitFor();
  const { page, context } = await openTerminals(await newPerson());
  const other = await context.newPage();
  view.takeRequests();
  await other.goto(addressOf(`/terminals?branch=${mid}`));
  await other.locator(LOADED).waitFor();
  await page.goto(addressOf(`/terminals?branch=${mid}`));
  await page.locator(LOADED).waitFor();
  await change('First');
  await Promise.all([page, other].map((each) => shown(each, 'First')));
  await other.close();
  await change('Second');
  await shown(page, 'Second');
  expect(view.takeRequests().filter((request) => /terminals|merchants/.test(request))).toEqual([]);
});

test.each([
  ['never answers', 'IDBFactory.prototype.open = IDBFactory.prototype.databases = () => new Promise(() => {})'],
  ['is refused', 'IDBFactory.prototype.open = () => { throw new DOMException("No.", "SecurityError"); }'],
])('a browser whose IndexedDB %s shows all, says that it stores nothing, and signs out', async (_, broken) => {
  const as = await newPerson();
  const { page, context } = await view.open('/help', { as, acquirer, isFresh: true });
  await context.addInitScript(broken);
  await context.route('**/estate.worker*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${broken};${await response.text()}` });
  });
  await page.goto(addressOf('/terminals'));
  await page.getByText('This browser does not store the list, so it is loaded again at each visit.').waitFor();
  await page.locator(LOADED).waitFor();
  await expectAccessible(page);
  await page.goto(addressOf('/import'));
  await page.getByText('This browser does not store how far this is').waitFor();
  await expectAccessible(page);
  await button(page, /Account of/).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
});
