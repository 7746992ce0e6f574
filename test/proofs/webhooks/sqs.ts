import type { SQSEvent } from 'aws-lambda';
import type { Lane } from '../../../lib/webhooks/queue.ts';
import { queueArn, serveQueues as serveSending } from '../../support/queues.ts';
import { dice } from './dice.ts';

/** For how long a message that was received and not deleted is not received again, in milliseconds. */
const VISIBILITY_MS = 120_000;

interface Queued {
  body: string;
  /** From when on it can be received, in milliseconds. */
  visible: number;
}

/** What SQS may do to messages, as often as this. By its promise it loses none, but a queue may be purged. */
const ODDS = { twice: 0.05, lost: 0.01, again: 0.02, late_ms: 3_000 };

/**
 * Serves two queues as SQS does: a message arrives at least once, in no order, and again if it is not deleted in time.
 */
export async function serveQueues() {
  const queues: Record<Lane, Queued[]> = { healthy: [], slow: [] };
  let sent = 0;
  const put = (lane: Lane, body: string, delay_ms: number) => {
    sent += 1;
    if (dice('lost', sent) < ODDS.lost) return;
    const copies = dice('twice', sent) < ODDS.twice ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1)
      queues[lane].push({ body, visible: Date.now() + delay_ms + Math.ceil(ODDS.late_ms * dice('late', sent, copy)) });
  };
  const server = await serveSending(
    ({ lane, message, delay_s }) => void put(lane, JSON.stringify(message), 1000 * delay_s),
  );
  return {
    stop: server.stop,
    /** When the next message can be received. */
    next: () => Math.min(...Object.values(queues).flatMap((queue) => queue.map(({ visible }) => visible))),
    /** Receives messages, if there are any. They are received again, unless they are deleted by then. */
    receive(lane: Lane, most: number): Queued[] {
      const received = queues[lane].filter(({ visible }) => visible <= Date.now()).slice(0, most);
      for (const message of received) message.visible = Date.now() + VISIBILITY_MS;
      return received;
    },
    delete(lane: Lane, messages: Queued[]) {
      for (const message of messages) {
        sent += 1;
        if (dice('again', sent) >= ODDS.again) queues[lane].splice(queues[lane].indexOf(message), 1);
      }
    },
  };
}

/** The event with which Lambda hands over messages. Their ids are their numbers. */
export const eventOf = (lane: Lane, messages: Queued[]): SQSEvent =>
  ({
    Records: messages.map(({ body }, at) => ({
      messageId: String(at),
      body,
      eventSourceARN: queueArn(lane),
    })),
  }) as SQSEvent;
