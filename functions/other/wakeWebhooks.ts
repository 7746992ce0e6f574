import type { DynamoDBStreamEvent } from 'aws-lambda';
import { FEED } from '../../lib/events/feed.ts';
import { acquirerIn, type Key } from '../../lib/table/keys.ts';
import { sendToQueues } from '../../lib/webhooks/queue.ts';

/**
 * Has the new events of the table's stream delivered: one message for each of their acquirers, with the newest event,
 * which arrives when the feed shows it. The stream's filter passes on nothing but new events.
 *
 * @throws What SQS responds, so that Lambda repeats the batch. A message that is sent twice changes nothing.
 */
export async function handler({ Records }: DynamoDBStreamEvent): Promise<void> {
  const newest = new Map<string, string>();
  for (const { dynamodb } of Records) {
    const key: Key = { pk: dynamodb?.Keys?.['pk']?.S as string, sk: dynamodb?.Keys?.['sk']?.S as string };
    const acquirer = acquirerIn(key);
    if (key.sk > (newest.get(acquirer) ?? '')) newest.set(acquirer, key.sk);
  }
  const delay_s = Math.ceil(FEED.horizonMs / 1000);
  await sendToQueues(
    [...newest].map(([acquirer, event]) => ({ lane: 'healthy', message: { acquirer, event }, delay_s })),
  );
}
