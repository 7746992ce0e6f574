import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { handler } from '../../../functions/other/wakeWebhooks.ts';
import { newEventId } from '../../../lib/base/eventId.ts';
import { copyKey } from '../../../lib/events/event.ts';
import { type Sent, serveQueues } from '../../support/queues.ts';

let server: Awaited<ReturnType<typeof serveQueues>>;
let sent: Sent[];
let isRefused: boolean;
beforeAll(async () => {
  server = await serveQueues((message) => {
    sent.push(message);
    return !isRefused;
  });
});
afterAll(() => server.stop());
beforeEach(() => {
  [sent, isRefused] = [[], false];
});

const wake = (...events: [acquirer: string, id: string][]) =>
  handler({
    Records: events.map(([acquirer, id]) => {
      const { pk, sk } = copyKey(acquirer, id);
      return { eventName: 'INSERT', dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } } };
    }),
  } satisfies DynamoDBStreamEvent);
const eventAt = (time: string) => newEventId(`2026-12-${time}Z`);

test('sends one message for each acquirer, with its newest event, which arrives when the feed shows it', async () => {
  const [one, other] = [randomUUID(), randomUUID()];
  const events = ['01T00:00:00.000', '01T00:00:00.002', '01T00:00:00.001'].map(eventAt) as [string, string, string];
  await wake([one, events[0]], [one, events[1]], [other, events[0]], [one, events[2]]);
  expect(sent).toEqual([
    { lane: 'healthy', message: { acquirer: one, event: events[1] }, delay_s: 25 },
    { lane: 'healthy', message: { acquirer: other, event: events[0] }, delay_s: 25 },
  ]);
});

test('sends them for more acquirers than a request to SQS may have', async () => {
  await wake(...Array.from({ length: 23 }, (): [string, string] => [randomUUID(), eventAt('01T00:00:00.000')]));
  expect(new Set(sent.map(({ message: { acquirer } }) => acquirer)).size).toBe(23);
});

test('rejects, so that Lambda repeats the batch, if SQS refuses a message', async () => {
  isRefused = true;
  await expect(wake([randomUUID(), eventAt('01T00:00:00.000')])).rejects.toThrow(
    'SQS refused 1 messages: InternalError',
  );
});
