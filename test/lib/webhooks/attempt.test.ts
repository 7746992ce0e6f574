import { beforeEach, expect, test } from '@jest/globals';
import { FEED } from '../../../lib/events/feed.ts';
import type { Sent } from '../../../lib/webhooks/queue.ts';
import { newSecret } from '../../../lib/webhooks/secret.ts';
import { work } from '../../../lib/webhooks/worker.ts';
import { newReceiver, storedWebhook, storeWebhook } from '../../support/webhooks.ts';
import { newAcquirer, newBranch } from '../../support/world.ts';

FEED.horizonMs = 0;

let sent: Sent[];
beforeEach(() => {
  sent = [];
});
const worker = {
  send: async (messages: Sent[]) => void sent.push(...messages),
  timeLeft: () => 60_000,
  note: () => {},
};

test('delivers new events, signed, and moves the cursor', async () => {
  const acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const secret = newSecret();
  const receiver = await newReceiver([secret]);
  await storeWebhook(acquirer, receiver.url, { secret });
  await newBranch(acquirer);
  await work({ acquirer: acquirer.id }, 'healthy', worker);
  expect(receiver.received).toMatchObject([{ events: [{ type: 'branch.created' }] }]);
  expect(await storedWebhook(acquirer)).toMatchObject({ cursor: receiver.received[0]?.events[0]?.id, failures: 0 });
  await receiver.stop();
});
