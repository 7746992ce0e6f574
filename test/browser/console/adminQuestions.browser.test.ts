import { readFile } from 'node:fs/promises';
import { beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { issueApiKey, rotateApiKey } from '../../../lib/acquirers/keyring.ts';
import { personAuthor } from '../../../lib/people/person.ts';
import { newEvent, recordSteps } from '../../../lib/record/record.ts';
import { acquirerSubject } from '../../../lib/table/keys.ts';
import { transact } from '../../../lib/table/transaction.ts';
import { call } from '../../support/api.ts';
import { newIdentity, personOf, type SignedIn } from '../../support/people.ts';
import { type Caller, newAcquirer } from '../../support/world.ts';
import { useConsole } from './harness.ts';
import { button, chooseFrom, dialog } from './page.ts';
import { answersFromHome } from './questions.ts';

const view = useConsole();

const dayOf = (date: Date) => new Intl.DateTimeFormat('sv-SE').format(date);
const now = new Date();
/** Noon of a day of this month, or of an earlier one. */
const noon = (month: number, day: number) => new Date(now.getFullYear(), now.getMonth() + month, day, 12);
/** The last Tuesday before today. */
const tuesday = noon(0, now.getDate() - ((now.getDay() + 4) % 7) - 1);
const lastMonth = noon(-1, 15);

let acquirer: Caller;
let ana: SignedIn;
let vera: SignedIn;
/** The last characters of a key that was rotated, of the key that replaces it, and of one whose requests are refused. */
let ends: { old: string; fresh: string; failing: string };

/** Records a change of an earlier day. */
async function record(type: 'api_key.revoked' | 'person.invited', details: object, at: Date): Promise<void> {
  const event = await newEvent(type, { acquirer: acquirer.id, ...details }, personAuthor(ana.id), at.toISOString());
  await transact(recordSteps(event, acquirerSubject(acquirer.id)));
}

beforeAll(async () => {
  acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const named = (name: string) => personOf(acquirer.id, 'admin', { identity: newIdentity(name) });
  ana = await named('Ana Almeida');
  vera = await named('Vera Vieira');
  await call('invitePerson', { session: vera.session, body: { email: 'nils@payfair.example', role: 'viewer' } });
  await call('removePerson', { session: ana.session, path: { id: vera.id } });
  const old = await issueApiKey(acquirer.id, 'shop-import');
  const fresh = await rotateApiKey(acquirer.id, old.key_id, 86_400_000);
  const failing = await issueApiKey(acquirer.id, 'till-porto', { role: 'viewer' });
  await call('archiveBranch', { key: failing.api_key, path: { mid: 'SHOP1' } });
  ends = { old: old.ends_with, fresh: fresh.ends_with, failing: failing.ends_with };
  const key = { key_id: '0123456789ab', ends_with: 'w4Xy' };
  await record('api_key.revoked', { ...key, label: 'on-tuesday' }, tuesday);
  await record('api_key.revoked', { ...key, label: '=last-month' }, lastMonth);
});

answersFromHome(view, { who: 'an admin', options: () => ({ as: ana, acquirer }) }, ({ goTo, asks }) => {
  const goToAccess = async (page: Page) => {
    await goTo('Activity');
    await page.getByText('Keys, people, webhooks').click();
  };
  const lines = (page: Page) => page.locator('.mantine-Timeline-itemBody');

  asks('who removed Vera?', async (page) => {
    await goToAccess(page);
    await page.getByLabel('Kind').selectOption('Person removed');
    await lines(page).getByText(`Ana Almeida removed Vera Vieira (${vera.identity.email})`).waitFor();
    await page.getByText('One change.').waitFor();
  });

  asks('who invited whom?', async (page) => {
    await goToAccess(page);
    await page.getByLabel('Kind').selectOption('Person invited');
    await lines(page).getByText('Vera Vieira invited nils@payfair.example with the role Viewer').waitFor();
  });

  asks('which key fails?', async (page) => {
    await goTo('API keys');
    const row = page.getByRole('row').filter({ hasText: `apk_…${ends.failing}` });
    await row.getByText('till-porto').waitFor();
    await row.getByRole('link', { name: /permit/ }).waitFor();
  });

  asks('which key is new?', async (page) => {
    await goTo('API keys');
    const rowOf = (end: string) => page.getByRole('row').filter({ hasText: `apk_…${end}` });
    await rowOf(ends.fresh).getByText(`Replaces …${ends.old}`).waitFor();
    await chooseFrom(rowOf(ends.fresh).getByRole('button', { name: `key “shop-import” …${ends.fresh}` }), 'Revoke');
    await page.getByRole('dialog', { name: `Revoke key “shop-import” …${ends.fresh}` }).waitFor();
    await dialog(page).getByText('This is the new key').waitFor();
    await dialog(page).getByText(`It replaces …${ends.old}, which ends on`).waitFor();
    await button(page, 'Cancel').click();
    await goToAccess(page);
    await lines(page)
      .getByText(`Support rotated the API key “shop-import” …${ends.old}: …${ends.fresh} replaces it`)
      .waitFor();
  });

  asks('what did Ana do on Tuesday?', async (page) => {
    await goToAccess(page);
    await page.getByLabel('Who').selectOption('Ana Almeida');
    await page.getByLabel('Day').fill(dayOf(tuesday));
    await lines(page).getByText('Ana Almeida revoked the API key “on-tuesday” …w4Xy').waitFor();
    await page.getByText('One change.').waitFor();
    expect(await lines(page).locator('time').first().textContent()).toMatch(/12:00:00/);
  });

  asks('can I have last month as a file?', async (page) => {
    await goToAccess(page);
    await button(page, 'Export').click();
    expect(await dialog(page).getByLabel('From').inputValue()).toBe(dayOf(noon(-1, 1)));
    expect(await dialog(page).getByLabel('To').inputValue()).toBe(dayOf(noon(0, 0)));
    await dialog(page).getByRole('radio', { name: 'CSV' }).check();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      dialog(page).getByRole('button', { name: 'Export' }).click(),
    ]);
    const [first, last] = [dayOf(noon(-1, 1)), dayOf(noon(0, 0))];
    expect(file.suggestedFilename()).toBe(`changes-of-access-payfair-${first}-${last}-${dayOf(new Date())}.csv`);
    const rows = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
    const inMonth = [...(tuesday.getMonth() === lastMonth.getMonth() ? ['on-tuesday'] : []), "'=last-month"];
    expect(rows).toEqual([
      "Time,Change,Who,Who's address,API key,Key ends with,Replaced key ends with,Role,Role before,Person," +
        "Person's address,Invited,Webhook",
      ...inMonth.map((label) =>
        expect.stringContaining(`,Key revoked,Ana Almeida,${ana.identity.email},${label},w4Xy`),
      ),
    ]);
    await page.getByText(`${file.suggestedFilename()} is saved. It has ${inMonth.length} change`).waitFor();
  });
});
