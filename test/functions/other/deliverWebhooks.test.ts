import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { Context, ScheduledEvent, SQSEvent } from 'aws-lambda';
import { handler } from '../../../functions/other/deliverWebhooks.ts';
import { lowerBoundId } from '../../../lib/base/eventId.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { limitAcquirer } from '../../../lib/operator/acquirerChanges.ts';
import { webhookKey } from '../../../lib/table/keys.ts';
import { transact, update } from '../../../lib/table/transaction.ts';
import type { Lane, Message } from '../../../lib/webhooks/queue.ts';
import { newSecret, sealSecret } from '../../../lib/webhooks/secret.ts';
import { failTable } from '../../lib/table/intercept.ts';
import { asRole } from '../../support/access.ts';
import { captureLog } from '../../support/log.ts';
import { personOf } from '../../support/people.ts';
import { queueArn, type Sent, serveQueues } from '../../support/queues.ts';
import { storeMany } from '../../support/storeMany.ts';
import { eventItem, newReceiver, storedWebhook, storeWebhook } from '../../support/webhooks.ts';
import { type Caller, newAcquirer, newBranch } from '../../support/world.ts';

const secret = newSecret();
let acquirer: Caller;
let responds: number;
let meanwhile: () => Promise<unknown>;
let receiver: Awaited<ReturnType<typeof newReceiver>>;
let queues: Awaited<ReturnType<typeof serveQueues>>;
let sent: Sent[];
beforeAll(async () => {
  FEED.horizonMs = 0;
  queues = await serveQueues((message) => void sent.push(message));
  receiver = await newReceiver([secret], async (_, response) => {
    await meanwhile();
    response.writeHead(responds).end('why: secret-of-theirs');
  });
});
afterAll(() => Promise.all([receiver.stop(), queues.stop()]));
beforeEach(async () => {
  [sent, responds, meanwhile] = [[], 204, async () => {}];
  receiver.received.length = 0;
  process.env['LOG_LEVEL'] = 'INFO';
  acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
});
afterEach(() => {
  process.env['LOG_LEVEL'] = 'ERROR';
  jest.restoreAllMocks();
});

const context = { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => 60_000 } as Context;
const invoke = (event: SQSEvent | ScheduledEvent) => asRole('deliverWebhooks', () => handler(event, context));
const handle = (lane: Lane, ...messages: Message[]) =>
  invoke({
    Records: messages.map((message, at) => ({
      messageId: `message ${at}`,
      body: JSON.stringify(message),
      eventSourceARN: queueArn(lane),
    })),
  } as SQSEvent);

test('delivers, and logs each attempt without URL, secret and what the server wrote', async () => {
  const lines = captureLog();
  const { id } = await storeWebhook(acquirer, `${receiver.url}/hook?token=hidden`, { secret });
  await newBranch(acquirer, { branch_name: 'Shown to nobody' });
  responds = 500;
  expect(await handle('healthy', { acquirer: acquirer.id })).toEqual({ batchItemFailures: [] });
  const line = {
    timestamp: expect.any(String),
    level: 'INFO',
    request_id: context.awsRequestId,
    acquirer: acquirer.id,
    lane: 'healthy',
    webhook: id,
    page: receiver.received[0]?.id,
    events: 1,
    attempt: 1,
    status: 500,
    error: null,
    duration_ms: expect.any(Number),
  };
  const logged = lines().filter(({ webhook }) => webhook);
  expect(logged).toEqual([line]);
  expect(JSON.stringify(lines())).not.toMatch(/hidden|whsec_|Shown to nobody|of-theirs/);
  expect(sent).toEqual([{ lane: 'slow', message: { acquirer: acquirer.id, slot: 1 }, delay_s: expect.any(Number) }]);
});

test('handles the messages of a batch by themselves: one that fails arrives again', async () => {
  const other = await newAcquirer('PAYMENT_PROVIDER', 'Quickpay');
  for (const each of [acquirer, other]) {
    await storeWebhook(each, receiver.url, { secret });
    await newBranch(each);
  }
  const lines = captureLog();
  failTable(() => new Error('The table is broken'), { operations: ['TransactWriteItems'], times: 1 });
  const { batchItemFailures } = await handle(
    'slow',
    { acquirer: acquirer.id, slot: 1 },
    { acquirer: other.id, slot: 1 },
  );
  expect(batchItemFailures).toEqual([{ itemIdentifier: expect.stringMatching(/^message [01]$/) }]);
  expect(receiver.received.length).toBe(1);
  const errors = lines().filter(({ level }) => level === 'ERROR');
  expect(errors).toMatchObject([{ lane: 'slow', delivery_errors: 1, causes: [{ message: 'The table is broken' }] }]);
  expect(errors[0]?.['_aws'].CloudWatchMetrics[0].Metrics).toEqual([{ Name: 'delivery_errors', Unit: 'Count' }]);
});

test('on schedule, sends a message for what is due to the lane of what fails', async () => {
  await storeWebhook(acquirer, receiver.url, { secret });
  await storeWebhook(acquirer, receiver.url, { secret, slot: 5, due_at: new Date(Date.now() - 1).toISOString() });
  await invoke({ source: 'aws.events' } as ScheduledEvent);
  // Those of other tests may be due too.
  const mine = sent.filter(({ message }) => message.acquirer === acquirer.id);
  expect(mine).toEqual([{ lane: 'slow', message: { acquirer: acquirer.id, slot: 5 }, delay_s: 0 }]);
  await newBranch(acquirer);
  await handle('slow', mine[0]?.message as Message);
  expect(receiver.received.length).toBe(1);
  expect(await storedWebhook(acquirer, 5)).toMatchObject({ cursor: receiver.received[0]?.events[0]?.id });
});

test('delivers changes of people within a rate limit, while the webhook changes', async () => {
  const { id: person, identity } = await personOf(acquirer.id, 'operator');
  await limitAcquirer(acquirer.id, { rate: 100, burst: 1_000 });
  await storeWebhook(acquirer, receiver.url, { secret, cursor: lowerBoundId(Date.now() - 60_000) });
  const store = (number: number) =>
    storeMany(0, 0, () => eventItem(acquirer, Date.now() - 1_000 + number, `${number}`, { person }));
  meanwhile = () =>
    transact([
      update(webhookKey(acquirer.id, 1), { set: { description: 'new', updated_at: new Date().toISOString() } }),
    ]);
  for (let number = 0; number < 3; number += 1) {
    await store(number);
    await handle('healthy', { acquirer: acquirer.id });
  }
  expect(receiver.received.map(({ events }) => events[0]?.by.person)).toEqual(
    Array(3).fill({ id: person, name: identity.name }),
  );
  expect(await storedWebhook(acquirer)).toMatchObject({ description: 'new', failures: 0 });
});

test('a secret that no key opens is our error, and its message arrives again', async () => {
  const { id } = await storeWebhook(acquirer, receiver.url);
  const sealed = await sealSecret(newSecret(), randomUUID());
  await transact([update(webhookKey(acquirer.id, 1), { set: { secrets: [{ sealed }] } })]);
  await newBranch(acquirer);
  const lines = captureLog();
  const { batchItemFailures } = await handle('healthy', { acquirer: acquirer.id });
  expect([batchItemFailures, receiver.received]).toEqual([[{ itemIdentifier: 'message 0' }], []]);
  const [error] = lines().filter(({ level }) => level === 'ERROR');
  expect(error?.['causes'][0].message).toContain(`opens the secret of webhook ${id}`);
  expect(JSON.stringify(error)).not.toContain(sealed);
});
