import type { Context, ScheduledEvent, SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { setting } from '../../lib/base/config.ts';
import { writeLine } from '../../lib/base/logLine.ts';
import { causesOf } from '../../lib/http/loggedCauses.ts';
import { laneOf, sendToQueues } from '../../lib/webhooks/queue.ts';
import { wakeDue, work } from '../../lib/webhooks/worker.ts';

/**
 * Delivers the feed to webhooks (docs/architecture.md). Two queues invoke it with messages, which it handles at the
 * same time, and a schedule, which has it find the webhooks that are due.
 *
 * @returns The messages that could not be handled. Their queue delivers them again.
 */
export async function handler(event: SQSEvent | ScheduledEvent, context: Context): Promise<SQSBatchResponse> {
  if (!('Records' in event)) {
    await wakeDue(sendToQueues);
    return { batchItemFailures: [] };
  }
  const failures = await Promise.all(event.Records.map((record) => handle(record, context)));
  return { batchItemFailures: failures.flat() };
}

/** Handles a message, and logs each attempt and a failure that is ours. URLs and bodies are never logged. */
async function handle(record: SQSRecord, context: Context): Promise<SQSBatchItemFailure[]> {
  const message = JSON.parse(record.body);
  const lane = laneOf(record.eventSourceARN);
  const fields = { request_id: context.awsRequestId, acquirer: message.acquirer, lane };
  try {
    await work(message, lane, {
      send: sendToQueues,
      timeLeft: () => context.getRemainingTimeInMillis(),
      note: (attempted) => {
        if (setting('LOG_LEVEL') !== 'ERROR') writeLine('INFO', { ...fields, ...attempted }, []);
      },
    });
    return [];
  } catch (error) {
    const causes = causesOf(error);
    writeLine('ERROR', { ...fields, delivery_errors: 1, causes }, ['delivery_errors']);
    return [{ itemIdentifier: record.messageId }];
  }
}
