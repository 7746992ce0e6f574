import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { newIdentity, personOf } from '../../support/people.ts';
import { storeRefused } from '../../support/refusedRequests.ts';
import { newAcquirer, newBranch, unique } from '../../support/world.ts';
import { expectAccessible, onDesktop, onPhone, useConsole } from './harness.ts';

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
      'production tried to create terminals in Casa Verde: the serial number is taken, at /terminals/3/serial_no',
    )
    .waitFor();
  await expectAccessible(page);
  const help = page.getByRole('link', { name: 'What to do: Validation failed' });
  expect(await help.getAttribute('href')).toBe('/docs/errors/validation_failed');
  await page.getByRole('link', { name: 'Details' }).click();
  await page.getByText('The serial number is taken, at /terminals/3/serial_no', { exact: true }).waitFor();
  await page.getByText(refused_request_id).waitFor();
  await expectAccessible(page);
  await page.getByRole('main').getByRole('link', { name: 'Casa Verde' }).first().click();
  await page.getByRole('heading', { name: 'Casa Verde' }).waitFor();
};

onDesktop('“why did it fail at 3:12?”: from Home, a viewer finds what was refused and what to do, at %s', story);
onPhone('“why did it fail at 3:12?”: from Home, a viewer finds what was refused and what to do, at %s', story);
