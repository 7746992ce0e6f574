import { createHash } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { serve } from '../../infra/local/serve.ts';
import type { Lane, Message } from '../../lib/webhooks/queue.ts';

/** A message that was sent to a queue. */
export interface Sent {
  lane: Lane;
  message: Message;
  delay_s: number;
}

/**
 * Serves the queues of webhooks, as far as messages are sent to them, and directs this process to them.
 *
 * @param take Is called with each message. If it returns `false`, SQS refuses it.
 */
export async function serveQueues(take: (sent: Sent) => unknown) {
  const server = await serve(async (request, response) => {
    const { QueueUrl, Entries } = (await json(request)) as {
      QueueUrl: string;
      Entries: { Id: string; MessageBody: string; DelaySeconds: number }[];
    };
    // Limits of SendMessageBatch (its API reference).
    if (Entries.length > 10 || Entries.some(({ DelaySeconds }) => DelaySeconds > 900))
      return response.writeHead(400).end();
    const lane = QueueUrl.split('/').at(-1) as Lane;
    const taken = Entries.map(({ MessageBody, DelaySeconds }) =>
      take({ lane, message: JSON.parse(MessageBody), delay_s: DelaySeconds }),
    );
    const Successful = Entries.filter((_, at) => taken[at] !== false).map(({ Id, MessageBody }) => ({
      Id,
      MessageId: Id,
      MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
    }));
    const Failed = Entries.filter((_, at) => taken[at] === false).map(({ Id }) => ({ Id, Code: 'InternalError' }));
    return response
      .writeHead(200, { 'content-type': 'application/x-amz-json-1.0' })
      .end(JSON.stringify({ Successful, Failed }));
  });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SQS: server.url,
    WEBHOOK_QUEUE_URL: `${server.url}/1/healthy`,
    SLOW_WEBHOOK_QUEUE_URL: `${server.url}/1/slow`,
  });
  return server;
}

/** The ARN by which Lambda names the queue of a lane. */
export const queueArn = (lane: Lane): string => `arn:aws:sqs:eu-central-1:123456789012:${lane}`;
