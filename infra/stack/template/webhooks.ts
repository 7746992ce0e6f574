import { eventKey, kindOf } from '../../../lib/table/keys.ts';
import { FUNCTIONS, QUEUES } from './definitions.ts';
import { mappingOf, streamMappingOf } from './mappings.ts';
import type { Parameters } from './parameters.ts';

/** The queues of deliveries, by the names of their grants, and the mappings that have Lambda read them. */
const LANES = [
  { grant: 'webhook-queue', queue: 'WebhookQueue', mapping: 'DeliverWebhooksMapping' },
  { grant: 'slow-webhook-queue', queue: 'SlowWebhookQueue', mapping: 'DeliverSlowWebhooksMapping' },
];

/** After how long the index finds a webhook whose message was lost: MOST_BETWEEN_CHECKS_MS in lib/webhooks/schedule.ts. In seconds. */
const REPAIRED_WITHIN = 3600;

/**
 * What is in a queue is in the table too, and found by its index within {@link REPAIRED_WITHIN}. So a message that cannot
 * be handled is dropped after that time, and there is no queue for those.
 *
 * A message is visible again once its function has ended, whatever became of it: to handle it twice does no harm. AWS
 * recommends six times the timeout, for functions that are throttled; the maximum concurrency of the mapping avoids that.
 */
const queueOf = (grant: string) => ({
  Type: 'AWS::SQS::Queue',
  Properties: {
    QueueName: QUEUES[grant],
    MessageRetentionPeriod: REPAIRED_WITHIN,
    VisibilityTimeout: (FUNCTIONS['deliverWebhooks']?.timeout ?? 0) + 30,
    SqsManagedSseEnabled: true,
  },
});

/** The pattern of new events. */
const IS_NEW_EVENT = {
  eventName: ['INSERT'],
  dynamodb: { Keys: { pk: { S: [{ prefix: `${kindOf(eventKey('', '', '').pk)}#` }] } } },
};

/**
 * What delivers to webhooks: the second reader of the table's stream (two per shard is the most that AWS recommends; the other
 * is the record's copy), and two queues, whose readers are bounded each by itself.
 *
 * A wake that fails is tried again, in halves, so that one record never holds up others; what is given up is repaired, too.
 */
export const webhooks = ({ webhookConcurrency }: Pick<Parameters, 'webhookConcurrency'>) => ({
  Resources: {
    ...Object.fromEntries(LANES.map(({ grant, queue }) => [queue, queueOf(grant)])),
    WakeWebhooksMapping: streamMappingOf('wakeWebhooks', IS_NEW_EVENT, {
      // An import of many branches a second wakes its acquirer once a second.
      BatchSize: 1000,
      MaximumBatchingWindowInSeconds: 1,
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 10,
      MaximumRecordAgeInSeconds: REPAIRED_WITHIN,
    }),
    ...Object.fromEntries(
      LANES.map(({ queue, mapping }) => [
        mapping,
        mappingOf('deliverWebhooks', {
          EventSourceArn: { 'Fn::GetAtt': [queue, 'Arn'] },
          BatchSize: 10,
          FunctionResponseTypes: ['ReportBatchItemFailures'],
          ScalingConfig: { MaximumConcurrency: webhookConcurrency },
        }),
      ]),
    ),
  },
});
