import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import '../../../infra/local/patient.ts';
import { createAcquirer } from '../../../lib/acquirers/registry.ts';
import { lowerBoundId } from '../../../lib/base/eventId.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { TRANSPORT } from '../../../lib/webhooks/post.ts';
import type { Sent } from '../../../lib/webhooks/queue.ts';
import { work } from '../../../lib/webhooks/worker.ts';
import { storeMany } from '../../support/storeMany.ts';
import { tableRequestsBy } from '../../support/tableRequests.ts';
import { eventItem, storeWebhook } from '../../support/webhooks.ts';

/*
 * Counts what one worker of the lane of healthy webhooks does before it comes to the last one, which is healthy. Times
 * would depend on the machine.
 */

const OTHERS = 200;
const PER_ACQUIRER = 5;
const HEALTHY = 'http://127.0.0.1:1024/healthy';
const OTHER = 'http://127.0.0.1:1024/other';
const acquirers = Array.from({ length: OTHERS / PER_ACQUIRER + 1 }, (_, at) => ({
  id: randomUUID(),
  type: 'PAYMENT_PROVIDER' as const,
  name: `Acquirer ${at}`,
}));
let isHanging = true;
let attempts: string[] = [];
const { send } = TRANSPORT;

beforeAll(async () => {
  FEED.horizonMs = 0;
  TRANSPORT.send = async (url) => {
    attempts.push(url);
    return url === OTHER && isHanging
      ? { status: null, error: 'There was no response within 10 s.', duration_ms: 10_000 }
      : { status: 200, error: null, duration_ms: 50 };
  };
  for (const acquirer of acquirers) await createAcquirer(acquirer);
});
afterAll(() => {
  TRANSPORT.send = send;
});

/** Stores the webhooks as they are before they have failed: one of the last acquirer, and five of each other. */
async function storeWebhooks(): Promise<void> {
  const cursor = lowerBoundId(Date.now() - 60_000);
  for (const acquirer of acquirers)
    for (let slot = 1; slot <= (acquirer === acquirers.at(-1) ? 1 : PER_ACQUIRER); slot += 1)
      await storeWebhook(acquirer, acquirer === acquirers.at(-1) ? HEALTHY : OTHER, { cursor, slot });
}

/** Has an event of each acquirer happen, and one worker handle their messages, that of the healthy webhook last. */
async function wakeAll() {
  const at = Date.now() - 1_000;
  await storeMany(0, acquirers.length - 1, (number) =>
    eventItem(acquirers[number] as (typeof acquirers)[number], at, randomUUID()),
  );
  const sent: Sent[] = [];
  attempts = [];
  const worker = { send: async (more: Sent[]) => void sent.push(...more), timeLeft: () => 60_000, note: () => {} };
  const { requests } = await tableRequestsBy(async () => {
    for (const { id } of acquirers) await work({ acquirer: id }, 'healthy', worker);
  });
  return {
    others: attempts.filter((url) => url === OTHER).length,
    healthy: attempts.filter((url) => url === HEALTHY).length,
    inThisLane: sent.filter(({ lane }) => lane === 'healthy').length,
    requests: requests.length,
  };
}

test('a healthy webhook waits once for 200 that begin to hang, and then less than for 200 that do not', async () => {
  await storeWebhooks();
  expect(await wakeAll()).toMatchObject({ others: OTHERS, healthy: 1, inThisLane: 0 });
  const hanging = await wakeAll();
  expect(hanging).toMatchObject({ others: 0, healthy: 1, inThisLane: 0 });
  isHanging = false;
  await storeWebhooks();
  const beside = await wakeAll();
  expect(beside).toMatchObject({ healthy: 1, inThisLane: 0 });
  expect(hanging.requests).toBeLessThan(beside.requests / 2);
});
