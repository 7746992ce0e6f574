import { CloudWatchLogsClient, PutLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { LIMITS } from '../../lib/aws/sdk.ts';
import { setting } from '../../lib/base/config.ts';
import type { Key } from '../../lib/table/keys.ts';

const logs = new CloudWatchLogsClient(LIMITS);

const plain = (image: object | undefined) => image && unmarshall(image as Record<string, AttributeValue>);

/**
 * One line of the copy: what happened to an item of the operator's record, and the item before and after. `sequence`
 * orders the changes of an item; a change that was copied twice has the same `change_id`.
 *
 * DynamoDB itself removes expired items, as the principal `dynamodb.amazonaws.com` (DynamoDB Developer Guide, "DynamoDB
 * Streams and Time to Live"). These lines leave out the item, so that nothing is retained for longer than it is meant
 * to.
 */
function lineOf({ eventID, eventName, userIdentity, dynamodb }: DynamoDBRecord): object {
  const { pk, sk } = plain(dynamodb?.Keys) as Key;
  const isExpired = eventName === 'REMOVE' && userIdentity?.principalId === 'dynamodb.amazonaws.com';
  const line = { change: isExpired ? 'EXPIRE' : eventName, pk, sk };
  return {
    ...line,
    changed_at: new Date(Number(dynamodb?.ApproximateCreationDateTime) * 1000).toISOString(),
    change_id: eventID,
    sequence: dynamodb?.SequenceNumber,
    ...(!isExpired && { before: plain(dynamodb?.OldImage), after: plain(dynamodb?.NewImage) }),
  };
}

/**
 * Copies changes of the operator's record from the table's stream to a log that nobody can change, one line of JSON for
 * each. The stream's filter passes on nothing else (infra/stack/template/record.ts).
 *
 * @throws What CloudWatch Logs responds, so that Lambda repeats the batch until it is copied or leaves the stream,
 *   after 24 hours.
 */
export async function handler({ Records }: DynamoDBStreamEvent): Promise<void> {
  const timestamp = Date.now();
  const { rejectedLogEventsInfo } = await logs.send(
    new PutLogEventsCommand({
      logGroupName: setting('RECORD_LOG_GROUP'),
      logStreamName: setting('RECORD_LOG_STREAM'),
      logEvents: Records.map((record) => ({ timestamp, message: JSON.stringify(lineOf(record)) })),
    }),
  );
  if (rejectedLogEventsInfo) throw new Error(`CloudWatch Logs rejected ${JSON.stringify(rejectedLogEventsInfo)}.`);
}
