import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { lowerBoundId } from '../../../lib/base/eventId.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { personKey, webhookKey } from '../../../lib/table/keys.ts';
import { remove, transact, update } from '../../../lib/table/transaction.ts';
import { newSecret } from '../../../lib/webhooks/secret.ts';
import { work } from '../../../lib/webhooks/worker.ts';
import { personOf } from '../../support/people.ts';
import { storeMany } from '../../support/storeMany.ts';
import { eventItem, newReceiver, storeWebhook } from '../../support/webhooks.ts';
import { type Caller, newAcquirer } from '../../support/world.ts';

const KB = 1024;
const secret = newSecret();
let acquirer: Caller;
let responds: number;
let receiver: Awaited<ReturnType<typeof newReceiver>>;
beforeAll(async () => {
  FEED.horizonMs = 0;
  receiver = await newReceiver([secret], (_, response) => response.writeHead(responds).end());
});
afterAll(() => receiver.stop());
beforeEach(async () => {
  receiver.received.length = 0;
  responds = 204;
  acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
});

/** Stores events of these sizes, one after another, and a webhook that has none of them yet. */
async function store(sizes: number[], person?: string): Promise<void> {
  const from = Date.now() - 60_000;
  await storeMany(0, sizes.length - 1, (at) => eventItem(acquirer, from + at, `${at}`, { size: sizes[at], person }));
  await storeWebhook(acquirer, receiver.url, { secret, cursor: lowerBoundId(from) });
}
const run = (lane: 'healthy' | 'slow' = 'healthy') =>
  work({ acquirer: acquirer.id, slot: 1 }, lane, { send: async () => {}, timeLeft: () => 60_000, note: () => {} });
const bytes = () => receiver.received.map(({ headers }) => Number(headers['content-length']));
const events = () => receiver.received.map((page) => page.events.length);

test('a page has at most 100 events, and the next one begins behind it', async () => {
  await store(Array(150).fill(0));
  await run();
  expect(events()).toEqual([100, 50]);
  const ids = receiver.received.flatMap((page) => page.events.map(({ id }) => id));
  expect(ids).toEqual([...new Set(ids)].sort());
});

test('a page has at most 64 KB, and a larger event goes alone', async () => {
  await store([...Array(20).fill(10 * KB), 80 * KB, 5, 90 * KB, ...Array(5).fill(15 * KB)]);
  await run();
  expect(events()).toEqual([6, 6, 6, 2, 1, 1, 1, 4, 1]);
  expect(bytes().filter((length) => length > 64 * KB).length).toBe(2);
  expect(Math.max(...bytes().filter((length) => length <= 64 * KB))).toBeGreaterThan(60 * KB);
});

test('a page that is tried again has the same events and, whoever was renamed or removed, at most 64 KB', async () => {
  const { id: person } = await personOf(acquirer.id, 'viewer');
  await store(Array(100).fill(0), person);
  responds = 500;
  await run();
  const name = '🏪'.repeat(255);
  const again = () => transact([update(webhookKey(acquirer.id, 1), { set: { due_at: new Date().toISOString() } })]);
  await transact([update(personKey(person), { set: { name } })]);
  await again();
  await run('slow');
  await transact([remove(personKey(person))]);
  await again();
  await run('slow');
  const ids = receiver.received.map((page) => page.events.map(({ id }) => id).join());
  expect(new Set(ids).size).toBe(1);
  const names = receiver.received.map((page) => page.events.at(-1)?.by.person?.name);
  expect(names).toEqual([expect.stringMatching(/^\w/), name, null]);
  expect(bytes()[1]).toBeLessThanOrEqual(64 * KB);
  expect(bytes()[1]).toBeGreaterThan(60 * KB);
});
