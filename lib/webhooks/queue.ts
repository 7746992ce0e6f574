import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { LIMITS } from '../aws/sdk.ts';
import { setting } from '../base/config.ts';

/**
 * The lanes of deliveries. Each has its own bounded concurrency, and webhooks whose latest attempt failed or was slow
 * are delivered in the slow one, so no other waits for them.
 */
export type Lane = 'healthy' | 'slow';

/** What a worker is asked to do: to deliver what is new to the webhooks of an acquirer. */
export interface Message {
  acquirer: string;
  /** Only to the webhook in this slot. */
  slot?: number;
  /** An event for which it was sent, which the feed shows. It may not yet: then the message waits. */
  event?: string;
}

/** A message to send, with the seconds until a worker receives it, at most {@link MOST_DELAY_S}; at once by default. */
export interface Sent {
  lane: Lane;
  message: Message;
  delay_s?: number;
}

/** Sends messages. They may arrive twice, in any order, and late. */
export type Send = (messages: Sent[]) => Promise<void>;

/** The longest delay of a message (API reference of SendMessage), in seconds. */
export const MOST_DELAY_S = 900;

/** The most messages of a request (API reference of SendMessageBatch). */
const BATCH = 10;

const sqs = new SQSClient(LIMITS);

const urlOf = (lane: Lane): string => setting(lane === 'healthy' ? 'WEBHOOK_QUEUE_URL' : 'SLOW_WEBHOOK_QUEUE_URL');

/** The lane of a queue, by its ARN. */
export const laneOf = (arn: string): Lane =>
  urlOf('slow').split('/').at(-1) === arn.split(':').at(-1) ? 'slow' : 'healthy';

/**
 * Sends messages to the queues of the stage.
 *
 * @throws What SQS responds; some may have been sent.
 */
export const sendToQueues: Send = async (messages) => {
  for (const [lane, sent] of Map.groupBy(messages, ({ lane }) => lane))
    for (let at = 0; at < sent.length; at += BATCH) {
      const Entries = sent.slice(at, at + BATCH).map(({ message, delay_s = 0 }, index) => ({
        Id: String(index),
        MessageBody: JSON.stringify(message),
        DelaySeconds: delay_s,
      }));
      const { Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: urlOf(lane), Entries }));
      const [failed] = Failed;
      if (failed) throw new Error(`SQS refused ${Failed.length} messages: ${failed.Code}`);
    }
};
