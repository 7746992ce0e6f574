import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { call } from '../../support/api.ts';
import { newIdentity, personOf } from '../../support/people.ts';
import { storeRefused } from '../../support/refusedRequests.ts';
import { newAcquirer, newBranch, unique } from '../../support/world.ts';
import { expectAccessible, HOSTILE, onDesktop, onPhone, useConsole } from './harness.ts';
import { button, searchBox } from './page.ts';
import { hold, problemOf } from './wire.ts';

const view = useConsole();

const HOUR_MS = 3_600_000;

/** The hours that a time zone is ahead of UTC in which it is about noon now, so that 3:12 was today. */
const AHEAD = 12 - new Date().getUTCHours();
const ZONE = `Etc/GMT${AHEAD > 0 ? '-' : '+'}${Math.abs(AHEAD)}`;

/** A time of today there. */
const todayAt = (hours: number, minutes: number): string => {
  const day = new Date(Date.now() + AHEAD * HOUR_MS).setUTCHours(hours, minutes, 0, 0);
  return new Date(day - AHEAD * HOUR_MS).toISOString();
};

/** An acquirer of its own, with a person. */
async function newCompany(role: 'admin' | 'viewer' = 'viewer') {
  const acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const as = await personOf(acquirer.id, role, { identity: newIdentity('Ana Almeida') });
  const open = async (path: string, options = {}) => {
    const { page, context } = await view.open('/help', { acquirer, as, isFresh: true, ...options });
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setTimezoneOverride', { timezoneId: ZONE });
    await page.getByRole('heading', { name: 'Help' }).waitFor();
    view.takeRequests();
    await page.goto(view.addressOf(path, acquirer));
    return { page, context };
  };
  return { acquirer, as, open };
}

const story = async (_: string, viewport: { width: number; height: number }) => {
  const { acquirer, open } = await newCompany();
  const { mid } = await newBranch(acquirer, { mid: unique('CASA'), branch_name: 'Casa Verde' });
  const refused_request_id = randomUUID();
  await storeRefused(acquirer, 1, () => ({ at: todayAt(3, 12), refused_request_id, mid }));
  await storeRefused(acquirer, 210, (number) => ({
    at: todayAt(8, number % 60),
    operation: 'listBranches',
    ...{ status: 400, code: 'invalid_query', errors: undefined },
  }));
  await storeRefused(acquirer, 1, () => ({ at: todayAt(8, 30), key_id: 'ba9876543210', key_label: 'staging' }));
  const { page } = await open('/', { viewport });

  await page.getByRole('link', { name: '“production” was refused 211 times today' }).click();
  await page.getByText('211 refused requests.').waitFor();
  await page.getByRole('img', { name: 'Most from 8:00 AM on: 210' }).waitFor();
  await page.getByLabel('Hour').selectOption('3:00 AM · 1');
  await page.getByText('1 refused request.').waitFor();
  await page.getByText('3:12:00 AM').waitFor();
  await page
    .getByText(
      '“production” tried to create terminals in Casa Verde: the serial number is taken, at /terminals/3/serial_no',
    )
    .waitFor();
  await expectAccessible(page);
  const help = page.getByRole('link', { name: 'What to do: Validation failed' });
  expect(await help.getAttribute('href')).toBe('/docs/errors/validation_failed');
  await page.getByRole('link', { name: 'Details' }).click();
  await page.getByRole('heading', { name: 'Refused request' }).waitFor();
  await page.getByText(refused_request_id).waitFor();
  await page.getByText('the serial number is taken, at /terminals/3/serial_no').waitFor();
  await expectAccessible(page);
  await page.getByRole('main').getByRole('link', { name: 'Casa Verde' }).first().click();
  await page.getByRole('heading', { name: 'Casa Verde' }).waitFor();
};

onDesktop('“why did it fail at 3:12?”: from Home, a viewer finds what was refused and what to do, at %s', story);
onPhone('“why did it fail at 3:12?”: from Home, a viewer finds what was refused and what to do, at %s', story);

const refusedReads = () => view.takeRequests().filter((request) => request === 'GET /ext/api/v1/refused-requests');
const row = (page: Page) => page.locator('.mantine-Timeline-itemBody');

onPhone(
  'a thousand of one day are read in bounded steps, and no count pretends to be whole, at %s',
  async (_, viewport) => {
    const { acquirer, open } = await newCompany('admin');
    await storeRefused(acquirer, 1_000, (number) => ({
      at: new Date(Date.parse(todayAt(11, 0)) - number * 1_000).toISOString(),
      ...(number <= 2 && { key_label: HOSTILE, key_id: 'ba9876543210' }),
    }));
    const { page } = await open('/requests', { viewport });
    await page.getByText('The newest 500 refused requests. There may be more.').waitFor();
    expect(refusedReads()).toHaveLength(5);
    // Runs of like ones are one entry.
    expect(await row(page).count()).toBe(3);
    await page.getByRole('img', { name: 'Most from 10:00 AM on: at least 500' }).waitFor();
    await page.getByText('Hours with a question mark are not counted').waitFor();
    await page
      .getByText('“production” tried at least 498 times to create terminals in a branch: the serial number is taken')
      .waitFor();
    await button(page, 'At least 498 requests ▾').click();
    expect(await row(page).count()).toBe(3 + 498);
    await expectAccessible(page);
    await button(page, 'At least 498 requests ▴').click();
    await button(page, 'Load earlier').click();
    await page.getByText('1,000 refused requests.').waitFor();
    expect(refusedReads()).toHaveLength(5);

    await page.goto(view.addressOf('/', acquirer));
    await page.getByRole('link', { name: '“production” was refused at least 498 times today' }).waitFor();
    expect(refusedReads()).toHaveLength(5);
    await expectAccessible(page);
    await page.goto(view.addressOf('/keys', acquirer));
    await page.getByText('Not among the last 500 refused requests').waitFor();
    expect(refusedReads()).toHaveLength(5);
    await expectAccessible(page);
  },
);

onDesktop(
  'a request id opens what was refused, and API keys show when and why a key was last refused, at %s',
  async (_, viewport) => {
    const { acquirer, open } = await newCompany('admin');
    const { page } = await open('/keys', { viewport });
    await page.getByText('Not refused in the last 30 days').waitFor();
    await expectAccessible(page);
    const { terminals } = await newBranch(acquirer, {
      branch_name: 'Casa Verde',
      terminals: [{ terminal_id: unique('T') }],
    });
    const path = { id: terminals[0]?.tid as string };
    const { headers } = await call('updateTerminal', {
      key: acquirer.key,
      path,
      body: { serial_no: '#', terminal_model: 7 },
    });
    await call('getBranch', { key: acquirer.key, path: { mid: 'NOSUCHMID' } });
    await page.reload();
    const reason = page.getByRole('link', { name: 'There is nothing with this ID that is accessible to you' });
    await reason.waitFor();
    await expectAccessible(page);
    await reason.click();
    await page.getByText('2 refused requests.').waitFor();
    const key = `“test” …${acquirer.key.slice(-4)}`;
    await page.getByText(`${key} tried to read a branch: there is nothing with this ID`).waitFor();
    // What it asked for is not kept, because it names nothing.
    expect(await page.content()).not.toContain('NOSUCHMID');
    await page.goto(view.addressOf('/', acquirer));
    await page.getByRole('link', { name: `${key} was refused 2 times today` }).waitFor();

    await searchBox(page).fill(headers['x-request-id'] as string);
    await page.getByRole('option', { name: / Refused request$/ }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Refused request' }).waitFor();
    await page.getByText('The model is of the wrong type, such as a number in place of a text, at').waitFor();
    expect(await page.getByRole('main').textContent()).toMatch(
      /“test” ….{4} tried to change terminal T.*: the serial number is not in the expected form, at \/serial_no/,
    );
    await expectAccessible(page);
    await page
      .getByRole('main')
      .getByRole('link', { name: /^terminal T/ })
      .first()
      .click();
    await page.getByRole('heading', { name: terminals[0]?.terminal_id as string }).waitFor();

    await searchBox(page).fill(randomUUID());
    await page.getByRole('option', { name: / Refused request$/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('It was not refused, it is older than 30 days, or it belongs to somebody else.').waitFor();
    await expectAccessible(page);
  },
);

test('reasons and operations are filters of the address, and what is listed is exported', async () => {
  const { acquirer, open } = await newCompany();
  await storeRefused(acquirer, 1, () => ({ at: todayAt(3, 12), key_label: '=1+1' }));
  await storeRefused(acquirer, 1, () => ({
    at: todayAt(4, 0),
    ...{ status: 400, code: 'server_error', errors: undefined },
  }));
  await storeRefused(acquirer, 1, () => ({
    at: todayAt(5, 0),
    ...{ operation: undefined, status: 404, code: 'not_found', errors: undefined },
  }));
  const { page } = await open('/requests?code=constructor&key=nonsense&hour=nonsense');
  await page.getByText('3 refused requests.').waitFor();
  await page.getByText('tried to use an operation that does not exist: nothing has this method and path').waitFor();
  await page.getByLabel('Reason').selectOption('Server error');
  await page.getByText('tried to create terminals in a branch: something went wrong on our side').waitFor();
  await page.getByText('1 refused request.').waitFor();
  await button(page, 'Clear filters').click();
  await page.getByLabel('Operation').selectOption('Create terminals in a branch');
  await page.getByText('2 refused requests.').waitFor();
  await page.getByLabel('Reason').selectOption('Body too large');
  await page.getByText('No refused request matches.').waitFor();
  await page.goBack();
  await page.getByText('2 refused requests.').waitFor();
  await button(page, 'Export').click();
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toMatch(/^refused-requests-payfair-\d{4}-\d\d-\d\d\.csv$/);
  const [header, first, second] = (await readFile(await file.path(), 'utf8')).split('\r\n');
  expect(header).toBe(
    '\ufeffrequest_id,at,operation,status,code,mid,tid,webhook,key_id,key_label,duration_ms,weight,times,person,' +
      'validate_only,errors,more_errors',
  );
  expect(first).toContain(
    `,${todayAt(4, 0)},createTerminals,400,server_error,,,,0123456789ab,production,41,1,1,,false,,0`,
  );
  expect(second).toContain("'=1+1,41,1,1,,false,/terminals/3/serial_no taken,0");
});

test('without refused requests, while they are read and when that fails, the view and Home say so', async () => {
  const { acquirer, open } = await newCompany('admin');
  const { page, context } = await open('/requests');
  await page.getByText('Nothing was refused').waitFor();
  await expectAccessible(page);
  const url = '**/ext/api/v1/refused-requests?*';
  const release = await hold(context, url);
  await page.reload();
  await page.getByText('This takes longer than usual. Still waiting.').waitFor();
  release();
  await page.getByText('Nothing was refused').waitFor();
  await context.unroute(url);
  await context.route(url, problemOf('server_error', 400));
  await page.reload();
  await page.getByRole('alert').getByText('Something went wrong on our side').waitFor();
  expect(await page.getByText('Nothing was refused').count()).toBe(0);
  await expectAccessible(page);
  await page.goto(view.addressOf('/keys', acquirer));
  await page.getByText('Could not be read').waitFor();
  await page.goto(view.addressOf('/', acquirer));
  await page.getByRole('link', { name: 'Whether requests were refused could not be read' }).waitFor();
});
