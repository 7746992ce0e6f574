import { beforeAll, expect, test } from '@jest/globals';
import type { Branch } from '../../../lib/branches/branch.ts';
import type { BranchListHead } from '../../../lib/branches/ranks.ts';
import { getItem } from '../../../lib/table/client.ts';
import { branchKey, branchListKey } from '../../../lib/table/keys.ts';
import { put, transact } from '../../../lib/table/transaction.ts';
import { personOf, type SignedIn } from '../../support/people.ts';
import { storeMany } from '../../support/storeMany.ts';
import { type Caller, newAcquirer, newBranch, unique } from '../../support/world.ts';
import { SIZES, useConsole } from './harness.ts';

const view = useConsole();

const COUNT = 100_000;
const LONG = 'x'.repeat(255);
const NAMES = [
  `Casa Verde 🏪 ${'é'.repeat(240)}`,
  'קפה הנמל הירוק',
  LONG,
  '👩‍👩‍👧‍👦'.repeat(22),
  '<b>bold</b>',
  '=1+1',
];

let acquirer: Caller;
let person: SignedIn;
let mid: string;
/** A list of 100,000 branches, of which those of the first and of the last page are stored. */
beforeAll(async () => {
  acquirer = await newAcquirer('PAYMENT_PROVIDER', LONG);
  person = await personOf(acquirer.id, 'admin');
  const terminals = Array.from({ length: 40 }, (_, at) => ({
    terminal_id: unique(`BIG${at}T`),
    serial_no: unique(`S${at}`),
    terminal_model: NAMES[at % NAMES.length] as string,
  }));
  const created = await newBranch(acquirer, { branch_name: LONG, city: LONG, area: LONG, terminals });
  mid = created.mid;
  const first = (await getItem<Branch>(branchKey(mid))) as Branch;
  const store = (from: number, to: number) =>
    storeMany(from, to, (place) => {
      const created_at = new Date(Date.parse(first.created_at) - COUNT + place).toISOString();
      const key = `BIG${String(place).padStart(8, '0')}`;
      const merchant_name = NAMES[place % NAMES.length] as string;
      const provider_position = place;
      return { ...first, ...branchKey(key), mid: key, merchant_name, created_at, provider_position } satisfies Branch;
    });
  await Promise.all([store(1, 40), store(COUNT - 40, COUNT)]);
  const head: BranchListHead = { count: COUNT, sealed: [], sealed_to: new Date(0).toISOString() };
  await transact([put(branchListKey(acquirer.id), head)]);
});

test.each(SIZES)('pages 100,000 branches at %s, and jumps to any page', async (_, viewport) => {
  const { page } = await view.open('/branches', { as: person, acquirer, viewport });
  await page.getByText('1–20 of 100,001').waitFor();
  await view.expectAccessible(page);
  view.takeRequests();
  await page.getByRole('textbox', { name: 'Page' }).fill('5000');
  await page.keyboard.press('Enter');
  await page.getByText('99,981–100,000 of 100,001').waitFor();
  await page.getByText('BIG00000002').first().waitFor();
  expect(view.takeRequests()).toEqual(['GET /ext/api/v1/merchants']);
  expect(new URL(page.url()).search).toBe('?page=5000');
  await view.expectAccessible(page);
  await page.goBack();
  await page.getByText('1–20 of 100,001').waitFor();
});

test.each(SIZES)('shows a branch with 40 terminals and names of 255 characters at %s', async (_, viewport) => {
  view.takeRequests();
  const { page } = await view.open(`/branches/${mid}`, { as: person, acquirer, viewport });
  await page.getByText('1–20 of 40').waitFor();
  await page.getByText('with 40 terminals').waitFor();
  await view.expectAccessible(page);
  const requests = view.takeRequests().filter((request) => !/session|lookup/.test(request));
  expect(requests.sort()).toEqual([
    'GET /console/api/activity',
    `GET /ext/api/v1/merchants/${mid}`,
    `GET /ext/api/v1/terminals/${mid}`,
  ]);
});
