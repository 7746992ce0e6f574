import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { nextVersion, type StoredAcquirer } from '../../../lib/acquirers/registry.ts';
import { DAY_MS, expiryOf, lowerBoundId, newEventId } from '../../../lib/base/eventId.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { limitAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { getItem } from '../../../lib/table/client.ts';
import { acquirerKey, webhookKey } from '../../../lib/table/keys.ts';
import { remove, transact, update } from '../../../lib/table/transaction.ts';
import { SLOW } from '../../../lib/webhooks/attempt.ts';
import type { Lane, Message, Sent } from '../../../lib/webhooks/queue.ts';
import { newSecret, sealSecret } from '../../../lib/webhooks/secret.ts';
import type { Webhook } from '../../../lib/webhooks/webhook.ts';
import { wakeDue, work } from '../../../lib/webhooks/worker.ts';
import { setClock } from '../../support/clock.ts';
import { storedBy } from '../../support/stored.ts';
import { newReceiver, type Respond, storedWebhook, storeWebhook } from '../../support/webhooks.ts';
import { type Caller, newAcquirer, newBranch } from '../../support/world.ts';

const [MINUTE, HOUR] = [60_000, 3_600_000];
const secret = newSecret();
let acquirer: Caller;
let respond: Respond;
let receiver: Awaited<ReturnType<typeof newReceiver>>;
let sent: Sent[];
let timeLeft: number;
beforeAll(async () => {
  FEED.horizonMs = 0;
  receiver = await newReceiver([secret], (...all) => respond(...all));
});
afterAll(() => receiver.stop());
beforeEach(async () => {
  receiver.received.length = 0;
  [sent, timeLeft, respond] = [[], 60_000, () => {}];
  jest.spyOn(Math, 'random').mockReturnValue(0);
  acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const run = (message: Partial<Message> = {}, lane: Lane = 'healthy') =>
  work({ acquirer: acquirer.id, ...message }, lane, {
    send: async (messages) => void sent.push(...messages),
    timeLeft: () => timeLeft,
    note: () => {},
  });
const store = (set: Parameters<typeof storeWebhook>[2] = {}) =>
  storeWebhook(acquirer, receiver.url, { secret, ...set });
const set = (changes: { [A in keyof Webhook]?: Webhook[A] | undefined }) =>
  transact([update(webhookKey(acquirer.id, 1), { set: changes })]);
const status =
  (code: number, headers = {}): Respond =>
  (_, response) =>
    response.writeHead(code, headers).end();
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const ahead = (ms: number) => ago(-ms);
const atSlow = (delay_s?: number) => ({
  lane: 'slow',
  message: { acquirer: acquirer.id, slot: 1 },
  ...(delay_s !== undefined && { delay_s }),
});
const TIME = expect.stringMatching(/^20\d\d-.*Z$/);

describe('an attempt that succeeds', () => {
  test('moves the cursor behind the page, and is listed', async () => {
    const { id } = await store();
    await newBranch(acquirer);
    const { changed } = await storedBy(() => run());
    const [received] = receiver.received;
    const [event] = received?.events ?? [];
    expect(received).toMatchObject({ events: [{ type: 'branch.created' }], meta: { missed_before: null } });
    const attempt = { at: TIME, status: 204, error: null, duration_ms: expect.any(Number) };
    const [key, delivery] = Object.entries(changed)[0] ?? [];
    expect(key).toMatch(new RegExp(`^DELIVERIES#${id} `));
    expect(delivery).toEqual({
      page: received?.id,
      first_event: event?.id,
      last_event: event?.id,
      events: 1,
      attempt: 1,
      ...attempt,
      ttl: expiryOf(String(delivery?.['at']), 7 * DAY_MS),
    });
    expect(Object.values(changed)[1]).toEqual({
      id,
      url: receiver.url,
      status: 'active',
      created_at: TIME,
      updated_at: TIME,
      secrets: [{ sealed: expect.any(String) }],
      delivers_in: `eu-central-1/${process.env['TABLE_NAME']}`,
      cursor: event?.id,
      failures: 0,
      is_slow: false,
      latest_attempt: attempt,
      due_shard: expect.stringMatching(/^DUE#[0-7]$/),
      due_at: TIME,
    });
    expect([Object.keys(changed).length, sent]).toEqual([2, []]);
  });

  test('is followed by the next page, and an ended failure leaves nothing', async () => {
    const page = { id: randomUUID(), events: 1, attempt: 3 };
    await newBranch(acquirer);
    await store({ cursor: lowerBoundId(Date.now() - MINUTE), is_slow: true });
    const [first] = [await run({ slot: 1 }, 'slow')].map(() => receiver.received[0]?.events[0]);
    await newBranch(acquirer);
    await set({
      cursor: lowerBoundId(Date.now() - MINUTE),
      page: { ...page, first: first?.id, last: first?.id },
      ...{ failures: 3, failing_since: ago(HOUR), next_attempt_at: ago(1), due_at: ago(1), is_slow: true },
    });
    receiver.received.length = 0;
    await run({ slot: 1 }, 'slow');
    expect(receiver.received.map(({ events }) => events.length)).toEqual([1, 1]);
    expect(receiver.received.map(({ id }) => id === page.id)).toEqual([true, false]);
    const { page: none, ...webhook } = await storedWebhook(acquirer);
    expect(webhook).toMatchObject({ cursor: receiver.received[1]?.events[0]?.id, failures: 0, is_slow: false });
    expect([none, webhook.failing_since, webhook.next_attempt_at, webhook.lease]).toEqual(Array(4).fill(undefined));
    expect(Date.parse(String(webhook.due_at))).toBeGreaterThan(Date.now() + HOUR / 2);
  });

  test('and was slow goes on in the other lane', async () => {
    SLOW.ms = -1;
    await store();
    await newBranch(acquirer);
    await run();
    SLOW.ms = 1_000;
    expect([receiver.received.length, sent]).toEqual([1, [atSlow()]]);
    expect(await storedWebhook(acquirer)).toMatchObject({ is_slow: true, failures: 0 });
  });
});

describe('an attempt that fails', () => {
  test('holds the cursor, and the same page follows after 5 s in the lane of what fails', async () => {
    respond = status(500);
    const { id } = await store();
    const { cursor } = await storedWebhook(acquirer);
    await newBranch(acquirer);
    const { changed } = await storedBy(() => run());
    const { next_attempt_at, ...webhook } = await storedWebhook(acquirer);
    const [received] = receiver.received;
    const [event] = received?.events ?? [];
    const page = { id: received?.id, first: event?.id, last: event?.id, events: 1, attempt: 1 };
    expect(webhook).toMatchObject({ cursor, page, failures: 1, is_slow: true, due_at: next_attempt_at });
    const at = webhook.latest_attempt?.at;
    expect(webhook).toMatchObject({ failing_since: at, latest_attempt: { status: 500, error: null } });
    expect(webhook.lease).toBeUndefined();
    expect(Object.entries(changed)[0]?.[1]).toMatchObject({ page: page.id, attempt: 1, status: 500, next_attempt_at });
    expect(Object.keys(changed)[0]).toMatch(new RegExp(`^DELIVERIES#${id} `));
    expect(sent).toEqual([atSlow(5)]);

    await newBranch(acquirer);
    await run({ slot: 1 }, 'slow');
    expect(receiver.received.length).toBe(1);
    await set({ due_at: ago(1) });
    await run();
    expect([receiver.received.length, sent.length]).toEqual([1, 1]);
    await run({ slot: 1 }, 'slow');
    expect(receiver.received[1]).toMatchObject({ id: page.id, events: [{ id: event?.id }] });
    expect(await storedWebhook(acquirer)).toMatchObject({ page: { attempt: 2 }, failures: 2, failing_since: at });
    expect(sent.at(-1)).toEqual(atSlow(30));
  });

  test('with 410 disables the webhook at once', async () => {
    respond = status(410);
    await store();
    const { updated_at } = await storedWebhook(acquirer);
    await newBranch(acquirer);
    const { changed } = await storedBy(() => run());
    const webhook = await storedWebhook(acquirer);
    expect(webhook).toMatchObject({ status: 'disabled', failures: 1 });
    expect(webhook.updated_at > updated_at).toBe(true);
    expect([webhook.due_at, webhook.due_shard, webhook.next_attempt_at]).toEqual(Array(3).fill(undefined));
    expect(Object.entries(changed)[0]?.[1]).toMatchObject({ status: 410, disabled: true });
    expect(sent).toEqual([]);
  });

  test('for longer than 15 minutes is found by its index', async () => {
    respond = status(503, { 'retry-after': '1800' });
    await store();
    await newBranch(acquirer);
    await run();
    const { due_at } = await storedWebhook(acquirer);
    expect([Date.parse(String(due_at)) > Date.now() + 29 * MINUTE, sent]).toEqual([true, []]);
    await wakeDue(async (messages) => void sent.push(...messages));
    expect(sent).not.toContainEqual(atSlow());
    await set({ due_at: ago(1) });
    await wakeDue(async (messages) => void sent.push(...messages));
    expect(sent).toContainEqual(atSlow());
  });

  test('while its settings change is followed by another at once', async () => {
    respond = async (_, response) => {
      await set({ updated_at: ahead(1000) });
      response.writeHead(500).end();
    };
    await store();
    await newBranch(acquirer);
    await run();
    expect(sent).toEqual([atSlow(0)]);
  });

  test('while its owner pauses it is not followed by another', async () => {
    respond = async (_, response) => {
      await set({ status: 'paused', due_shard: undefined, due_at: undefined });
      response.writeHead(500).end();
    };
    await store();
    await newBranch(acquirer);
    await run();
    const webhook = await storedWebhook(acquirer);
    expect([webhook.status, webhook.failures, webhook.due_at, webhook.next_attempt_at]).toEqual([
      ...['paused', 1],
      ...[undefined, undefined],
    ]);
    expect(sent).toEqual([]);
  });
});

describe('what changes during an attempt', () => {
  test('a moved cursor counts, and the result does not', async () => {
    const cursor = lowerBoundId(Date.now() - MINUTE);
    let times = 0;
    respond = async () => {
      times += 1;
      if (times === 1) await set({ cursor, page: undefined });
    };
    await store();
    await newBranch(acquirer);
    await run();
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(2);
    const [one, other] = receiver.received.map(({ events }) => events.map(({ id }) => id));
    expect(one).toEqual(other);
    expect(await storedWebhook(acquirer)).toMatchObject({ cursor: one?.[0] });
  });

  test('nothing is stored for a webhook that was deleted', async () => {
    respond = () => transact([remove(webhookKey(acquirer.id, 1))]);
    await store();
    await newBranch(acquirer);
    const { changed } = await storedBy(() => run());
    expect(changed).toEqual({ [`WEBHOOKS#${acquirer.id} SLOT#1`]: null });
  });

  test('nothing is stored by a worker whose lease another has taken over', async () => {
    const lease = { id: randomUUID(), ends_at: ahead(MINUTE) };
    respond = () => set({ lease });
    await store();
    await newBranch(acquirer);
    await run();
    expect(await storedWebhook(acquirer)).toMatchObject({ lease, page: { attempt: 1 } });
    await run();
    expect(receiver.received.length).toBe(1);
    await set({ lease: { ...lease, ends_at: ago(1) } });
    respond = () => {};
    await run();
    expect(receiver.received.map(({ id }) => id)).toEqual(Array(2).fill(receiver.received[0]?.id));
    expect(await storedWebhook(acquirer)).not.toHaveProperty('lease');
  });
});

describe('nothing is delivered', () => {
  const isLeftAlone = async () => {
    await newBranch(acquirer);
    const before = await storedWebhook(acquirer);
    await run();
    await run({ slot: 1 }, 'slow');
    expect([receiver.received, sent]).toEqual([[], []]);
    expect(await storedWebhook(acquirer)).toEqual(before);
  };

  test.each(['paused', 'disabled'] as const)('to one that is %s', async (is) => {
    await store({ status: is });
    await isLeftAlone();
  });

  test('from a table that was restored or copied', async () => {
    await store({ delivers_in: 'eu-central-1/another' });
    await isLeftAlone();
  });

  test('to one that an operator has suspended', async () => {
    await store({ delivers_in: undefined as never });
    await isLeftAlone();
  });

  test('to a disabled acquirer, after which an hour passes until the next look', async () => {
    await store();
    const stored = (await getItem<StoredAcquirer>(acquirerKey(acquirer.id))) as StoredAcquirer;
    await transact([nextVersion(stored, { disabled_at: ago(0) })]);
    await isLeftAlone();
    await set({ due_at: ago(1) });
    await run({ slot: 1 }, 'slow');
    expect(receiver.received).toEqual([]);
    expect(Date.parse(String((await storedWebhook(acquirer)).due_at))).toBeGreaterThan(Date.now() + 59 * MINUTE);
  });

  test('without new events: then the cursor moves on each half hour', async () => {
    await store();
    await run();
    await set({ cursor: lowerBoundId(Date.now() - HOUR), due_at: ahead(29 * MINUTE) });
    const now = lowerBoundId(Date.now());
    await run();
    const { cursor, due_at } = await storedWebhook(acquirer);
    expect([receiver.received.length, cursor >= now]).toEqual([0, true]);
    expect(Date.parse(String(due_at))).toBeGreaterThan(Date.now() + 59 * MINUTE);
  });
});

describe('a message', () => {
  test('waits for an event that the feed does not show yet', async () => {
    FEED.horizonMs = 25_000;
    const event = newEventId(ago(5_500));
    await store();
    await run({ event });
    FEED.horizonMs = 0;
    expect(sent).toEqual([{ lane: 'healthy', message: { acquirer: acquirer.id, event }, delay_s: 20 }]);
  });

  test('goes on in another invocation when this one ends', async () => {
    timeLeft = 29_000;
    await store();
    await newBranch(acquirer);
    await run();
    expect([receiver.received, sent]).toEqual([[], [{ ...atSlow(), lane: 'healthy' }]]);
  });

  test('reaches all webhooks of the acquirer, each as its lane says', async () => {
    await store();
    await store({ slot: 2, is_slow: true });
    await newBranch(acquirer);
    await run();
    const message = { acquirer: acquirer.id, slot: 2 };
    expect([receiver.received.length, sent]).toEqual([1, [{ lane: 'slow', message }]]);
    await run(message, 'slow');
    expect(receiver.received.length).toBe(2);
  });

  test('waits until the rate limit of deliveries allows it, and requests do not count', async () => {
    await limitAcquirer(acquirer.id, { rate: 1, burst: 10 });
    await newBranch(acquirer);
    setClock(Date.now() - (Date.now() % 10_000) + 10_000);
    const cursor = lowerBoundId(Date.now() - MINUTE);
    await store({ cursor });
    for (let count = 0; count < 20 && sent.length === 0; count += 1) await run();
    expect(sent).toEqual([{ ...atSlow(10), lane: 'healthy' }]);
    const { next_attempt_at, due_at, failures } = await storedWebhook(acquirer);
    expect([failures, next_attempt_at]).toEqual([0, due_at]);
    await set({ cursor });
    receiver.received.length = 0;
    await run();
    expect([receiver.received, sent.length]).toEqual([[], 1]);
    jest.setSystemTime(Date.now() + 10_000);
    await run();
    expect(receiver.received.length).toBe(1);
    expect(await storedWebhook(acquirer)).not.toHaveProperty('next_attempt_at');
  });
});

describe('a page', () => {
  test('is signed with each secret that is valid', async () => {
    const other = newSecret();
    const { id } = await store();
    const [sealed, old, ended] = await Promise.all([other, secret, newSecret()].map((each) => sealSecret(each, id)));
    const secrets = [{ sealed }, { sealed: old, ends_at: ahead(HOUR) }, { sealed: ended, ends_at: ago(1) }];
    await set({ secrets: secrets as Webhook['secrets'] });
    await newBranch(acquirer);
    await run();
    expect(String(receiver.received[0]?.headers['webhook-signature']).split(' ').length).toBe(2);
  });

  test('says what may have been missed, also without events, until that is delivered', async () => {
    respond = status(500);
    await store({ cursor: lowerBoundId(Date.now() - 31 * DAY_MS) });
    await run();
    const { missed_before, page, cursor } = await storedWebhook(acquirer);
    expect(receiver.received).toMatchObject([{ id: page?.id, events: [], meta: { missed_before } }]);
    expect(lowerBoundId(Date.parse(String(missed_before)))).toBe(cursor);
    await newBranch(acquirer);
    respond = () => {};
    await set({ due_at: ago(1) });
    await run({ slot: 1 }, 'slow');
    expect(receiver.received.slice(1)).toMatchObject([
      { id: page?.id, events: [], meta: { missed_before } },
      { events: [{ type: 'branch.created' }], meta: { missed_before: null } },
    ]);
  });

  test('all of whose events have expired is left out, and what comes behind it is delivered', async () => {
    const [first, last] = [30, 20].map((minutes) => newEventId(ago(minutes * MINUTE))) as [string, string];
    const page = { id: randomUUID(), first, last, events: 2, attempt: 1 };
    await store({ cursor: lowerBoundId(Date.now() - HOUR), page });
    await newBranch(acquirer);
    await run();
    expect(receiver.received).toMatchObject([{ events: [{ type: 'branch.created' }], meta: { missed_before: null } }]);
    expect(receiver.received[0]?.id).not.toBe(page.id);
    const webhook = await storedWebhook(acquirer);
    expect(webhook.cursor > last).toBe(true);
    expect(webhook).not.toHaveProperty('page');
  });
});
