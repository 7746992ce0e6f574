import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { Context, ScheduledEvent, SQSEvent } from 'aws-lambda';
import { handler } from '../../../functions/other/deliverWebhooks.ts';
import { FEED } from '../../../lib/events/feed.ts';
import type { Lane, Message } from '../../../lib/webhooks/queue.ts';
import { newSecret } from '../../../lib/webhooks/secret.ts';
import { failTable } from '../../lib/table/intercept.ts';
import { captureLog } from '../../support/log.ts';
import { queueArn, type Sent, serveQueues } from '../../support/queues.ts';
import { newReceiver, storedWebhook, storeWebhook } from '../../support/webhooks.ts';
import { type Caller, newAcquirer, newBranch } from '../../support/world.ts';

const secret = newSecret();
let acquirer: Caller;
let responds: number;
let receiver: Awaited<ReturnType<typeof newReceiver>>;
let queues: Awaited<ReturnType<typeof serveQueues>>;
let sent: Sent[];
beforeAll(async () => {
  FEED.horizonMs = 0;
  queues = await serveQueues((message) => void sent.push(message));
  receiver = await newReceiver([secret], (_, response) => response.writeHead(responds).end('why: secret-of-theirs'));
});
afterAll(() => Promise.all([receiver.stop(), queues.stop()]));
beforeEach(async () => {
  [sent, responds] = [[], 204];
  receiver.received.length = 0;
  process.env['LOG_LEVEL'] = 'INFO';
  acquirer = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
});
afterEach(() => {
  process.env['LOG_LEVEL'] = 'ERROR';
  jest.restoreAllMocks();
});

const context = { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => 60_000 } as Context;
const handle = (lane: Lane, ...messages: Message[]) =>
  handler(
    {
      Records: messages.map((message, at) => ({
        messageId: `message ${at}`,
        body: JSON.stringify(message),
        eventSourceARN: queueArn(lane),
      })),
    } as SQSEvent,
    context,
  );

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

test('on schedule, has what is due looked after in the lane of what fails', async () => {
  await storeWebhook(acquirer, receiver.url, { secret });
  await storeWebhook(acquirer, receiver.url, { secret, slot: 5, due_at: new Date(Date.now() - 1).toISOString() });
  await handler({ source: 'aws.events' } as ScheduledEvent, context);
  expect(sent).toEqual([{ lane: 'slow', message: { acquirer: acquirer.id, slot: 5 }, delay_s: 0 }]);
  await newBranch(acquirer);
  await handle('slow', sent[0]?.message as Message);
  expect(receiver.received.length).toBe(1);
  expect(await storedWebhook(acquirer, 5)).toMatchObject({ cursor: receiver.received[0]?.events[0]?.id });
});
