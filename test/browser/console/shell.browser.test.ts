import { expect, test } from '@jest/globals';
import { anchorOf, guides } from '../../../infra/publish/site/guides.ts';
import { personOf } from '../../support/people.ts';
import { newAcquirer, newBranch, newSharedBranch, unique } from '../../support/world.ts';
import { until } from '../chromium.ts';
import { expectAccessible, onDesktop, onPhone, useConsole } from './harness.ts';
import { button, dialog, hasFocus, press, scan, searchBox, turnKeysOn } from './page.ts';
import { hold, warnOfMatches } from './wire.ts';

const view = useConsole();
/** A person of two acquirers, of which one is Payfair. */
async function personOfBoth() {
  const { provider, distributor } = view.world;
  const { identity } = await personOf(distributor.id, 'admin');
  return personOf(provider.id, 'viewer', { identity });
}

onPhone('the home view has the search box ready, and a menu of what the role permits, at %s', async (_, viewport) => {
  const opened = async (as: 'admin' | 'operator' | 'viewer') => {
    const { page } = await view.open('/', { as, viewport });
    await hasFocus(searchBox(page));
    await page
      .getByRole('heading', { name: as === 'viewer' ? 'There are no branches yet' : 'First steps', exact: true })
      .waitFor();
    // What counts the terminals comes after the first view.
    expect(view.takeRequests().slice(0, 2)).toEqual(['GET /console/api/session', 'GET /console/api/activity']);
    if (viewport.width < 768) await button(page, 'Menu').click();
    const links = page.getByRole('navigation', { name: 'Menu' }).getByRole('link');
    await links.first().waitFor();
    return { page, found: await links.allTextContents() };
  };
  const all = ['Home', 'Branches', 'Terminals', 'Activity', 'Requests', 'Import', 'Webhooks', 'Help'];
  expect(await opened('viewer')).toMatchObject({ found: all.filter((place) => place !== 'Import') });
  expect(await opened('operator')).toMatchObject({ found: all });
  const { page, found } = await opened('admin');
  expect(found).toEqual([...all.slice(0, 6), 'API keys', 'People', 'Webhooks', 'Help']);
  await expectAccessible(page);
});

const firstSteps = async (_: string, viewport: { width: number; height: number }) => {
  const acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const as = await personOf(acquirer.id, 'admin');
  const { page } = await view.open('/', { as, acquirer, viewport });
  const steps = page.getByRole('main').getByRole('listitem');
  await steps.getByText('There is one API key.').waitFor();
  await expectAccessible(page);
  expect(await page.getByRole('heading').allTextContents()).toEqual([
    'Home',
    'First steps',
    'Import your branches',
    'Invite your colleagues',
    'Create an API key',
  ]);
  for (const [name, heading, dialogName] of [
    ['Import a file', /^Import/],
    ['Create one branch', 'New branch'],
    ['Invite a person', 'People', 'Invite a person'],
    ['Create a key', 'API keys', 'Create an API key'],
  ] as const) {
    await steps.getByRole('link', { name }).click();
    if (dialogName) await page.getByRole('dialog', { name: dialogName }).waitFor();
    else await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    if (heading === 'New branch') await page.getByRole('radio', { name: 'A new business', checked: true }).waitFor();
    await page.goto(view.addressOf('/', acquirer));
  }
  await newBranch(acquirer, { branch_name: 'First' });
  await page.reload();
  await page.getByText('An active branch has no active terminal').waitFor();
  expect(await page.getByText('First steps').count()).toBe(0);
};
onDesktop('an admin of an acquirer without anything begins with three steps, at %s', firstSteps);
onPhone('an admin of an acquirer without anything begins with three steps, at %s', firstSteps);

onDesktop('a person acts as one acquirer at a time, and sees nothing of another, at %s', async (_, viewport) => {
  const { provider, distributor } = view.world;
  const [own, shared] = [unique('Own'), unique('Shared')];
  await newBranch(provider, { branch_name: own });
  await newSharedBranch(view.world, { branch_name: shared });
  const { page } = await view.open('/branches', { as: await personOfBoth(), viewport });
  const names = page.locator('.rows tbody tr a');
  await names.nth(1).waitFor();
  expect(await names.allTextContents()).toEqual([shared, own]);
  const choice = page.getByRole('button', { name: /^You act as Payfair/ });
  await choice.getByText('Payment provider · Viewer').waitFor();
  await choice.click();
  await page.getByRole('menuitem', { name: 'Northgate' }).waitFor();
  await expectAccessible(page);
  const opens = (name: string) => page.waitForURL(view.addressOf('/branches', name === own ? provider : distributor));
  await page.getByRole('menuitem', { name: 'Northgate' }).click();
  // The same view, or the list of what it shows.
  await opens(shared);
  await page.getByRole('button', { name: /^You act as Northgate/ }).waitFor();
  await names.first().waitFor();
  expect(await names.allTextContents()).toEqual([shared]);
  await names.first().click();
  await page.getByRole('heading', { name: shared }).waitFor();
  await page.getByRole('button', { name: /^You act as Northgate/ }).click();
  await page.getByRole('menuitem', { name: 'Payfair' }).click();
  await opens(own);
  await names.getByText(own).waitFor();
});

test('the console opens as the acquirer of the last visit', async () => {
  const { distributor } = view.world;
  const { page } = await view.open('/', { as: await personOfBoth(), acquirer: distributor, isFresh: true });
  await page.getByRole('button', { name: /^You act as Northgate/ }).waitFor();
  await page.goto(`${view.base}/console`);
  await page.getByRole('button', { name: /^You act as Northgate/ }).waitFor();
  expect(await page.evaluate('Object.keys(localStorage)')).toEqual(['console-acquirer']);
});

test('keys lead everywhere once a person has turned them on, but not while something is typed', async () => {
  const { page } = await view.open('/help', { isFresh: true });
  await page.getByText('All but Ctrl K and Esc are off. Turn them on in the menu of your account.').waitFor();
  const onPage = await page.getByRole('table', { name: 'Keyboard shortcuts' }).getByRole('row').allTextContents();
  expect(onPage).toContain('BranchesGB');
  await press(page, 'n', 'g', 'b', '/', '?');
  expect(new URL(page.url()).pathname).toMatch(/\/help$/);
  await page.getByRole('button', { name: 'Account of Ana Almeida' }).click();
  const setting = page.getByRole('menuitemcheckbox', { name: 'Single-key shortcuts' });
  await setting.click();
  await page.keyboard.press('Escape');
  await setting.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('heading', { name: 'Help', exact: true }).waitFor();
  await press(page, '?');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await list.getByRole('row').first().waitFor();
  expect(await list.getByRole('row').allTextContents()).toEqual(onPage);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await press(page, 'g', 'b');
  await page.getByRole('heading', { name: 'Branches', exact: true }).waitFor();
  await press(page, 'n');
  await page.getByRole('heading', { name: 'New branch' }).waitFor();
  const mid = page.getByLabel('MID').first();
  await mid.pressSequentially('n/g?b', { delay: 100 });
  expect(await mid.inputValue()).toBe('n/g?b');
});

test.each([
  ['a desktop', {}],
  ['a phone', { isPhone: true }],
])('a scan opens its terminal on %s, wherever the focus is, and is no shortcut', async (_, options) => {
  const codes = [unique('NGB'), unique('GTN')];
  await newBranch(view.world.provider, { terminals: codes.map((terminal_id) => ({ terminal_id })) });
  const { page } = await view.open('/help', { ...options, isFresh: true });
  await turnKeysOn(page);
  await page.getByRole('heading', { name: 'Help', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Account of Ana Almeida' }).focus();
  for (const code of codes) {
    await scan(page, code);
    await page.getByRole('heading', { name: `Terminal ${code}` }).waitFor();
    expect(await page.getByRole('menu').count()).toBe(0);
    // In the search box, it replaces what is there.
    await searchBox(page).fill('An earlier text');
  }
  // No other view was opened.
  await page.evaluate('history.go(-2)');
  await page.getByRole('heading', { name: 'Help', exact: true }).waitFor();
});

test('the search box opens all places, and what one may do on the page, by keyboard alone', async () => {
  const { mid, terminals } = await newBranch(view.world.provider, {
    mid: 'Arch',
    terminals: [{ terminal_id: unique('T') }],
  });
  const { page } = await view.open(`/terminals/${terminals[0].tid}`);
  const trail = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link');
  const options = page.getByRole('option');
  const offered = async () => {
    await trail.first().waitFor();
    await page.keyboard.press('Control+k');
    await options.first().waitFor();
    return options.allTextContents();
  };
  const enter = async (text: string) => {
    await page.keyboard.press('Control+k');
    await hasFocus(searchBox(page));
    await page.keyboard.type(text, { delay: 100 });
    await page.keyboard.press('Enter');
  };
  const places = ['Home', 'Branches', 'New branch', 'Terminals', 'Activity', 'Requests', 'Import'];
  const actions = ['Swap device', 'Move', 'Archive', 'Edit', 'Delete'];
  expect(await offered()).toEqual([...actions, ...places, 'API keys', 'People', 'Webhooks', 'Help']);
  await expectAccessible(page);
  // A thing comes before a command of which it is only the beginning.
  await enter('arch');
  await page.getByRole('heading', { name: mid }).waitFor();
  expect(await trail.allTextContents()).toEqual(['Branches']);
  await enter('archive');
  await page.getByRole('dialog', { name: 'Archive' }).waitFor();
  await page.keyboard.press('Escape');
  for (const [text, heading] of [
    ['import', 'Import'],
    ['peo', 'People'],
    ['api keys', 'API keys'],
  ] as const) {
    await dialog(page).waitFor({ state: 'detached' });
    await enter(text);
    await page.getByRole('heading', { name: heading, exact: true }).waitFor();
  }
  await enter('create');
  await page.getByRole('dialog', { name: 'Create' }).waitFor();
  await view.open(`/terminals/${terminals[0].tid}`, { as: 'viewer' });
  expect(await offered()).toEqual([
    ...places.filter((place) => !['New branch', 'Import'].includes(place)),
    'Webhooks',
    'Help',
  ]);
  expect(await trail.allTextContents()).toEqual(['Branches', mid]);
});

test('the search box knows what people type: the appearance, signing out, and states of terminals', async () => {
  const terminals = [{ terminal_id: unique('T') }];
  await newBranch(view.world.provider, { branch_name: 'Porto Norte', city: 'Porto', terminals });
  const as = await personOf(view.world.provider.id, 'viewer');
  const { page } = await view.open('/help', { as, isFresh: true });
  const enter = async (text: string) => {
    await page.keyboard.press('Control+k');
    await hasFocus(searchBox(page));
    await page.keyboard.type(text, { delay: 100 });
    await page.keyboard.press('Enter');
  };
  const scheme = () => page.evaluate('document.documentElement.dataset.mantineColorScheme');
  await page.getByRole('heading', { name: 'Help', exact: true }).waitFor();
  for (const appearance of ['dark', 'light']) {
    await enter(appearance);
    await until(async () => (await scheme()) === appearance);
  }
  for (const [text, path] of [
    ['not seen', '/terminals?status=active&seen=week'],
    ['never seen', '/terminals?seen=never'],
    ['archived terminals', '/terminals?status=archived'],
    ['archived in Porto', '/terminals?status=archived&q=Porto'],
  ] as const) {
    await enter(text);
    await page.waitForURL(view.addressOf(path));
  }
  // Half of it signs nobody out.
  await searchBox(page).fill('sign');
  await page.getByRole('option', { name: 'Sign out', exact: true }).waitFor();
  await enter('sign out');
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
});

test('on a phone, nothing speaks of keys', async () => {
  const { page } = await view.open('/help', { isPhone: true });
  await page.getByRole('heading', { name: 'Roles' }).waitFor();
  expect(await page.getByRole('heading', { name: 'Keyboard shortcuts' }).count()).toBe(0);
  await page.getByRole('button', { name: /Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).waitFor();
  expect(await page.getByRole('menuitem', { name: /shortcuts/i }).count()).toBe(0);
  expect(await page.getByRole('menuitemcheckbox').count()).toBe(0);
});

test('the search says why it found something: by marks, and by what else of it was typed', async () => {
  const [business, serial_no] = [unique('Holding'), unique('SER')];
  await newBranch(view.world.provider, {
    branch_name: 'Casa Verde',
    city: 'Lisbon',
    master_merchant_id: unique('BUS'),
    master_merchant_name: `${business} Lda`,
    terminals: [{ terminal_id: unique('WHY'), serial_no }],
  });
  const { page } = await view.open('/help');
  const option = page.getByRole('option', { name: 'Casa Verde' }).last();
  await searchBox(page).fill(`verde ${business}`);
  await option.getByText(`${business} Lda`).waitFor();
  expect(await option.locator('mark').allTextContents()).toEqual(['Verde', business]);
  await searchBox(page).fill(`S/N: ${serial_no}`);
  await page.getByRole('option', { name: `serial number ${serial_no}` }).waitFor();
  expect(await option.locator('mark').allTextContents()).toEqual([serial_no]);
});

test.each([
  ['a desktop', {}],
  ['a phone', { isPhone: true }],
])('on %s, what is there stays where it is when a branch has been read', async (_, options) => {
  const { mid } = await newBranch(view.world.provider, { branch_name: 'مقهى النور', city: 'Faro' });
  const { page, context } = await view.open('/help', { ...options, isFresh: true });
  const release = await hold(context, `**/ext/api/v1/merchants/${mid}`);
  await page.goto(view.addressOf(`/branches/${mid}`));
  const places = () =>
    Promise.all([searchBox(page), page.locator('.sides')].map(async (each) => (await each.boundingBox())?.y));
  await page.locator('.sides').waitFor();
  const before = await places();
  release();
  await page.getByRole('heading', { name: 'مقهى النور' }).waitFor();
  expect(await places()).toEqual(before);
});

test('an address of no page says so, and leads on', async () => {
  const { page } = await view.open('/nonsense');
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
  await page.getByRole('link', { name: 'Search all branches' }).click();
  await page.getByRole('heading', { name: 'Branches', exact: true }).waitFor();
});

test('a view that is opened begins at its top, with its heading in focus', async () => {
  const { page } = await view.open('/help', { viewport: { width: 1440, height: 400 } });
  const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true });
  await heading('Help').waitFor();
  await page.evaluate('scrollTo(0, 200)');
  await page.getByRole('link', { name: 'API keys' }).first().click();
  await heading('API keys').and(page.locator(':focus')).waitFor();
  expect(await page.evaluate('scrollY')).toBe(0);
  // A field keeps the focus that it has.
  await page.getByRole('link', { name: 'Home' }).click();
  await heading('Home').waitFor();
  await hasFocus(searchBox(page));
});

test('the account menu keeps the chosen appearance, and signs out', async () => {
  const as = await personOf(view.world.provider.id, 'viewer');
  const { page } = await view.open('/', { as, isFresh: true });
  const scheme = () => page.evaluate('document.documentElement.dataset.mantineColorScheme');
  const account = page.getByRole('button', { name: /Account of/ });
  await account.click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  expect(await scheme()).toBe('dark');
  await page.reload();
  await hasFocus(searchBox(page));
  expect(await scheme()).toBe('dark');
  await account.click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
});

test('the search sends what is typed once a person pauses, and shows nothing outdated', async () => {
  const word = unique('Rush');
  await newBranch(view.world.provider, { branch_name: `Only ${word} here` });
  const { page } = await view.open('/', { hasClock: true });
  await hasFocus(searchBox(page));
  const searches = () => view.takeRequests().filter((request) => request === 'GET /console/api/search');
  await page.clock.pauseAt(Date.now() + 60_000);
  await searchBox(page).pressSequentially(`only ${word}`);
  expect(searches()).toEqual([]);
  await page.clock.resume();
  await page.getByRole('option', { name: `Only ${word} here` }).waitFor();
  expect(searches()).toEqual(['GET /console/api/search']);
  await expectAccessible(page);
  await searchBox(page).fill('nothing has these words');
  await page.getByText('Nothing found for “nothing has these words”.').waitFor();
  expect(await page.getByRole('option').count()).toBe(0);
});

test('the search opens with Enter what the typed text finds, and nothing of an earlier one', async () => {
  const { provider } = view.world;
  const word = unique('Enter');
  for (const name of ['One', 'Two']) await newBranch(provider, { branch_name: `${name} ${word}` });
  const { page, context } = await view.open('/');
  await searchBox(page).fill(`one ${word}`);
  await page.getByRole('option', { name: `One ${word}` }).waitFor();
  await context.route('**/console/api/search?*', warnOfMatches);
  await searchBox(page).fill(`two ${word}`);
  await page.keyboard.press('Enter');
  await searchBox(page).fill(`two ${word} `.toUpperCase());
  await page.getByRole('option', { name: `Two ${word}` }).waitFor();
  await page.getByRole('status').getByText('Add a rarer word.').waitFor();
  expect(page.url()).toBe(view.addressOf('/'));
  await searchBox(page).fill(`one ${word}`);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: `One ${word}` }).waitFor();
});

test('the help answers each call with steps that lead to their views, and a guide that exists', async () => {
  const { page } = await view.open('/help');
  const calls = page.locator('section', { has: page.getByRole('link', { name: /^Guide: / }) });
  await calls.first().waitFor();
  expect(await calls.count()).toBe(8);
  for (const call of await calls.all()) expect(await call.getByRole('listitem').count()).toBeGreaterThan(1);
  await expectAccessible(page);
  expect(view.takeRequests()).toEqual(['GET /console/api/session']);
  const own = page.locator('dl > div', { hasText: 'Yours' });
  expect(await own.locator('dt').allTextContents()).toEqual(['Admin']);

  const links = await page.locator('main a[href^="/docs/"]').all();
  expect(links).toHaveLength(10);
  for (const link of links) {
    const [, name, anchor] = /^\/docs\/([\w-]+)\/(?:#(.+))?$/.exec((await link.getAttribute('href')) ?? '') ?? [];
    const guide = guides().find((each) => each.name === name);
    expect({ name, guide: guide?.name }).toEqual({ name, guide: name });
    const headings = [...(guide?.text ?? '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
    if (anchor) expect(headings).toContain(anchor);
  }

  const main = page.getByRole('main');
  await main.getByText('choose Swap device').waitFor();
  for (const [path, name] of [
    ['/branches', 'Branches'],
    ['/import', 'Import'],
    ['/people', 'People'],
    ['/keys', 'API keys'],
    ['/activity', 'Activity'],
  ] as const) {
    await main.getByRole('link', { name, exact: true }).first().click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    expect(page.url()).toBe(view.addressOf(path));
    await page.goBack();
  }
});
