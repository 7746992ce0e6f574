import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newEventId, timeOfId } from '../../../lib/base/eventId.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { deliveryKey, webhookKey } from '../../../lib/table/keys.ts';
import { put, transact, update } from '../../../lib/table/transaction.ts';
import type { Webhook } from '../../../lib/webhooks/webhook.ts';
import { wakeDue, work } from '../../../lib/webhooks/worker.ts';
import { call } from '../../support/api.ts';
import { newIdentity, personOf, type SignedIn } from '../../support/people.ts';
import { newReceiver, storedWebhook, storeWebhook } from '../../support/webhooks.ts';
import { type Caller, newAcquirer, newBranch, unique } from '../../support/world.ts';
import { until } from '../chromium.ts';
import { expectAccessible, HOSTILE, onDesktop, onPhone, useConsole } from './harness.ts';
import { button, chooseFrom, dialog, hasFocus, submit } from './page.ts';
import { problemOf } from './wire.ts';

const view = useConsole();

const stops: (() => Promise<void>)[] = [];

beforeAll(() => {
  FEED.horizonMs = 0;
});
afterAll(async () => {
  for (const stop of stops) await stop();
});

/** An acquirer of its own, with an admin. */
async function newCompany(): Promise<{ acquirer: Caller; as: SignedIn }> {
  const acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  return { acquirer, as: await personOf(acquirer.id, 'admin', { identity: newIdentity('Ana Almeida') }) };
}

const worker = { send: async () => {}, timeLeft: () => 600_000, note: () => {} };
/** Lets a worker deliver what is due of an acquirer, as after a new event and each minute. */
async function deliver({ id: acquirer }: Caller): Promise<void> {
  await wakeDue((messages) =>
    Promise.all(
      messages.flatMap(({ lane, message }) => (message.acquirer === acquirer ? work(message, lane, worker) : [])),
    ).then(() => {}),
  );
  await work({ acquirer }, 'slow', worker);
}

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
const actions = (page: Page) => button(page, 'More actions');

onDesktop(
  'a webhook is created and delivers, its server breaks, the console says why, it is mended, and all arrives, at %s',
  async (_, viewport) => {
    const { acquirer, as } = await newCompany();
    const secrets: string[] = [];
    let status = 204;
    const receiver = await newReceiver(secrets, (_delivery, response) => response.writeHead(status).end());
    stops.push(receiver.stop);
    const change = (name: string) => newBranch(acquirer, { mid: unique('HOOK'), branch_name: name });
    const { page } = await view.open('/webhooks', { acquirer, as, viewport });
    await page.getByText('There are no webhooks').waitFor();
    expect(view.takeRequests()).toEqual(['GET /console/api/session', 'GET /ext/api/v1/webhooks']);
    await expectAccessible(page);

    await button(page, 'Create webhook').click();
    await hasFocus(dialog(page).getByLabel('Address'));
    await page.keyboard.press('Enter');
    await dialog(page).getByText('Is required.').waitFor();
    await dialog(page).getByLabel('Address').fill('https://10.0.0.1/');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('Must have a host that is on the Internet.').waitFor();
    await expectAccessible(page);
    await dialog(page).getByLabel('Address').fill(`${receiver.url}/events`);
    await dialog(page).getByLabel('Description').fill('Warehouse');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('It is never shown again.').waitFor();
    const [secret = ''] = await dialog(page).locator('code').allTextContents();
    expect(secret).toMatch(/^whsec_/);
    secrets.push(secret);
    await expectAccessible(page);
    await submit(page, 'I have stored it');
    expect(await page.content()).not.toContain(secret);

    await page.getByText('Nothing was delivered yet').waitFor();
    await page.getByRole('link', { name: 'Warehouse' }).click();
    await button(page, 'Send a test').click();
    await dialog(page).getByRole('button', { name: 'Send a test' }).click();
    await dialog(page)
      .getByText(/It works: your server answered 204, after/)
      .waitFor();
    await expectAccessible(page);
    await submit(page, 'Done');

    await change('First');
    await deliver(acquirer);
    await page.reload();
    await page.getByText('The last delivery was now.').waitFor();
    await page.getByText(/^1 change delivered in .+\.$/).waitFor();

    status = 401;
    await change('Second');
    await deliver(acquirer);
    await change('Third');
    await page.goto(view.addressOf('/', acquirer));
    await page
      .getByRole('link', { name: 'The webhook “Warehouse” fails: your server answered 401', exact: true })
      .click();
    await page.getByText('Your server answered 401, now.').waitFor();
    await page.getByText('It refuses us. Check that your program has the secret of this webhook').waitFor();
    await page.getByText(/^1 change not delivered: your server answered 401, after .+ Next attempt now\.$/).waitFor();
    await expectAccessible(page);
    await button(page, 'Send a test').click();
    await dialog(page).getByRole('button', { name: 'Send a test' }).click();
    await dialog(page)
      .getByText(/^Your server answered 401, after/)
      .waitFor();

    status = 200;
    await dialog(page).getByRole('button', { name: 'Send another' }).click();
    await dialog(page).getByText('If changes wait, they are sent within a minute.').waitFor();
    await submit(page, 'Done');
    await deliver(acquirer);
    await page.reload();
    await page.getByText('The last delivery was now.').waitFor();
    await page.getByText(/^1 change delivered in .+ Attempt 2\.$/).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('Delivers', { exact: true }).waitFor();
    await expectAccessible(page);
    const names = receiver.received.flatMap(({ events }) =>
      events.map(({ data }) => (data as { merchant_name: string }).merchant_name),
    );
    expect(names).toEqual(['First', 'Second', 'Second', 'Third']);
  },
);

onPhone('an admin pauses, changes, resumes, rotates, rewinds and deletes a webhook, at %s', async (_, viewport) => {
  const { acquirer, as } = await newCompany();
  const { id } = await storeWebhook(acquirer, 'https://example.com/events');
  const stored = () => storedWebhook(acquirer);
  const { page } = await view.open(`/webhooks/${id}`, { acquirer, as, viewport });

  await button(page, 'Pause').click();
  await expectAccessible(page);
  await submit(page, 'Pause');
  await page.getByText('Paused by you.').waitFor();
  await button(page, 'Edit').click();
  await dialog(page).getByLabel('Description').fill('Accounting');
  // A colleague changes it meanwhile.
  const colleague = { session: as.session, path: { id }, body: { description: 'Books' } };
  expect((await call('updateWebhook', colleague)).status).toBe(200);
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Somebody changed this meanwhile').waitFor();
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Make my change anyway' }).click();
  await page.getByRole('heading', { name: 'Accounting' }).waitFor();
  await button(page, 'Undo').click();
  await page.getByRole('heading', { name: 'Books' }).waitFor();
  await button(page, 'Resume').click();
  await submit(page, 'Resume');
  await button(page, 'Pause').waitFor();
  expect(await stored()).toMatchObject({ status: 'active', description: 'Books' });

  await chooseFrom(actions(page), 'Rotate secret');
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Rotate secret' }).click();
  await dialog(page)
    .getByText(/The old one signs too until .+\d/)
    .waitFor();
  await submit(page, 'I have stored it');
  await page.getByText('The old secret signs until').waitFor();
  expect((await stored()).secrets).toHaveLength(2);

  await chooseFrom(actions(page), 'Send again');
  await dialog(page).getByText('Your server gets them twice').waitFor();
  await dialog(page).getByLabel('Since', { exact: true }).fill('2020-01-01T00:00');
  await dialog(page).getByRole('button', { name: 'Send again' }).click();
  await dialog(page).getByText('Events after this may have expired.').waitFor();
  await expectAccessible(page);
  await dialog(page).getByRole('radio', { name: 'Everything that is kept' }).check();
  await submit(page, 'Send again');
  await until(async () => Date.parse(minutesAgo(60)) > timeOfId((await stored()).cursor));

  await chooseFrom(actions(page), 'Delete');
  await expectAccessible(page);
  await submit(page, 'Delete');
  await page.getByRole('heading', { name: 'This webhook does not exist' }).waitFor();
  expect(await stored()).toBeUndefined();
});

/** Stores five webhooks, one in each state, the failing one with so many attempts. */
async function storeStates(acquirer: Caller, attempts: number) {
  const path = 'x'.repeat(2_000);
  const delivered = { at: minutesAgo(2), status: 204, error: null, duration_ms: 132 };
  const refused = { at: minutesAgo(40), status: null, error: 'The connection was refused.', duration_ms: 10_000 };
  const failing = { failing_since: minutesAgo(300), failures: attempts, is_slow: true };
  const states: Partial<Webhook>[] = [
    { description: 'Warehouse', latest_attempt: delivered },
    { ...failing, latest_attempt: { ...refused, status: 401, error: null }, next_attempt_at: minutesAgo(-20.5) },
    { ...failing, description: HOSTILE.slice(0, 255), status: 'disabled', latest_attempt: refused },
    { description: 'Paused', status: 'paused' },
    { description: 'Suspended', delivers_in: undefined as never },
  ];
  const stored = await Promise.all(
    states.map((state, at) => storeWebhook(acquirer, `https://example.com/${path}`, { slot: at + 1, ...state })),
  );
  const [, { id }] = stored as [unknown, { id: string }];
  const items = Array.from({ length: attempts }, (_, at) => {
    const time = minutesAgo(40 + at);
    const [first_event, last_event] = [randomUUID(), randomUUID()];
    const fixed = { page: id, first_event, last_event, events: 100, ttl: Math.ceil(Date.now() / 1000) + 86_400 };
    const outcome = {
      status: 401,
      error: null,
      duration_ms: 55,
      ...(at === 0 && { next_attempt_at: minutesAgo(-20.5) }),
    };
    return put(deliveryKey(id, newEventId(time)), { ...fixed, ...outcome, at: time, attempt: attempts - at });
  });
  await transact(items);
  return id;
}

onPhone(
  'each webhook says how it is, to everybody who may read, and only admins may change it, at %s',
  async (_, viewport) => {
    const { acquirer, as } = await newCompany();
    const id = await storeStates(acquirer, 22);
    const { page } = await view.open('/webhooks', { acquirer, as, viewport });
    for (const text of [
      'The last delivery was 2 minutes ago.',
      /^Your server answered 401, 40 minutes ago\. The last 22 attempts failed, since .+ Next attempt in 20 minutes\./,
      /^Disabled after three days of failures\. At the last attempt, your server did not answer: the connection was refused\. Changes since .+ wait\. They are kept until .+\.$/,
      /^Paused by you\. Changes since/,
      /^Suspended by us: nothing is delivered until we resume it\. Changes since/,
      'There can be no more than 5. To create another one, delete one of these.',
    ])
      await page.getByText(text).waitFor();
    expect(await button(page, 'Create webhook').count()).toBe(0);
    await expectAccessible(page);

    const viewer = await personOf(acquirer.id, 'viewer');
    await view.open(`/webhooks/${id}`, { acquirer, as: viewer, viewport }).then(async ({ page }) => {
      await page.getByText('100 changes not delivered: your server answered 401, after 55').first().waitFor();
      expect(await page.getByRole('button', { name: /test|Edit|Pause|More/ }).count()).toBe(0);
      // Newer attempts wait while a person reads earlier ones.
      expect(view.takeRequests().filter((request) => request.includes('webhooks'))).toEqual([
        `GET /ext/api/v1/webhooks/${id}`,
        `GET /ext/api/v1/webhooks/${id}/deliveries`,
      ]);
      await button(page, 'Load earlier').click();
      await button(page, 'Load earlier').waitFor({ state: 'detached' });
      expect(await page.getByRole('button', { name: 'Details' }).count()).toBe(22);
      await page.getByRole('button', { name: 'Details' }).first().click();
      await page.getByText('webhook-id').waitFor();
      await expectAccessible(page);
    });
  },
);

test('what waits, fails or is lost is never shown as nothing, and a webhook is followed while it is looked at', async () => {
  const { acquirer, as } = await newCompany();
  const id = await storeStates(acquirer, 1);
  const { page, context } = await view.open('/webhooks', { acquirer, as, hasClock: true });
  await page.getByText('Delivers', { exact: true }).waitFor();
  const fails = problemOf('server_error', 400);
  await context.route('**/ext/api/v1/webhooks**', fails);
  await page.clock.fastForward(10_000);
  await page.getByText('Something went wrong on our side').waitFor();
  await page.getByText('Delivers', { exact: true }).waitFor();
  await page.goto(view.addressOf('/webhooks', acquirer));
  await page.getByText('Something went wrong on our side').waitFor();
  expect(await page.getByText('There are no webhooks').count()).toBe(0);
  await page.goto(view.addressOf('/', acquirer));
  await page.getByRole('link', { name: 'Whether your webhooks deliver could not be read' }).waitFor();
  await context.unroute('**/ext/api/v1/webhooks**', fails);

  await page.goto(view.addressOf(`/webhooks/${id}`, acquirer));
  await page.getByText('Your server answered 401, 40 minutes ago.').waitFor();
  const at = new Date().toISOString();
  const latest_attempt = { at, status: 204, error: null, duration_ms: 132 };
  const attempt = {
    ...latest_attempt,
    page: randomUUID(),
    events: 7,
    attempt: 2,
    ttl: Math.ceil(Date.now() / 1000) + 60,
  };
  const set = { latest_attempt, failing_since: undefined, failures: 0, next_attempt_at: undefined };
  await transact([update(webhookKey(acquirer.id, 2), { set }), put(deliveryKey(id, newEventId(at)), attempt)]);
  const request = page.waitForRequest(/webhooks\/[^/]+$/);
  await page.clock.fastForward(10_000);
  expect((await request).headers()['unattended']).toBe('true');
  await page.getByText('The last delivery was now.').waitFor();
  await page.getByText('7 changes delivered in 132').waitFor();
});
