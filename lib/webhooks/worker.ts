import { inRequest } from '../aws/requestContext.ts';
import { allDone } from '../aws/retry.ts';
import { timeOfId } from '../base/eventId.ts';
import { FEED } from '../events/feed.ts';
import { queryItems } from '../table/client.ts';
import { acquirerIn, DUE_SHARDS, type Key, slotOf } from '../table/keys.ts';
import { begin, deliver, finish, LEASE_MS, type Outcome } from './attempt.ts';
import { type Lane, type Message, MOST_DELAY_S, type Send } from './queue.ts';
import { isDelivering, readWebhooks } from './webhook.ts';

/** What a worker has done, for the log. */
interface Attempted extends Omit<Outcome, 'at'> {
  webhook: string;
  page: string;
  events: number;
  attempt: number;
}

/** What a worker has at its disposal. */
export interface Worker {
  /** Sends messages to workers. */
  send: Send;
  /** The milliseconds until it is ended. No attempt begins that it may not survive. */
  timeLeft: () => number;
  /** Is told of each attempt. */
  note: (attempted: Attempted) => void;
}

/**
 * Handles a message: delivers what is new to the webhooks of an acquirer, or to one of them, page after page. A message
 * may arrive twice, and together with others: see attempt.ts.
 *
 * @throws When something failed that is not the webhook's server: then the message must arrive again, at the earliest
 *   when the lease that it may have taken has ended.
 */
export async function work(message: Message, lane: Lane, worker: Worker): Promise<void> {
  const { acquirer, slot, event } = message;
  const untilShown = event ? timeOfId(event) + FEED.horizonMs - Date.now() : 0;
  // At that time the feed ends before the event.
  if (event && untilShown >= 0) return worker.send([{ lane, message, delay_s: Math.ceil((untilShown + 1) / 1000) }]);
  const webhooks = slot === undefined ? await inRequest(() => readWebhooks(acquirer)) : [];
  const slots = slot === undefined ? webhooks.filter(isDelivering).map(slotOf) : [slot];
  await allDone(slots.map((each) => deliverAll(acquirer, each, lane, worker)));
}

async function deliverAll(acquirer: string, slot: number, lane: Lane, { send, timeLeft, note }: Worker) {
  const message = { acquirer, slot };
  for (;;) {
    if (timeLeft() < LEASE_MS) return send([{ lane, message }]);
    const begun = await begin(acquirer, slot, lane === 'slow');
    if (begun === 'nothing') return undefined;
    if (begun === 'slow') return send([{ lane: 'slow', message }]);
    if ('wait_s' in begun) return send([{ lane, message, delay_s: Math.min(begun.wait_s, MOST_DELAY_S) }]);
    const outcome = await deliver(acquirer, begun);
    const { id: webhook, page } = begun.webhook;
    const { at: _, ...result } = outcome;
    note({ webhook, page: page.id, events: page.events, attempt: page.attempt, ...result });
    const followed = await finish(begun, outcome);
    if (followed === 'nothing') return undefined;
    if (followed === 'more') continue;
    const delay_s = Math.ceil(followed.pause / 1000);
    // What is later is found by its index.
    return delay_s <= MOST_DELAY_S ? send([{ lane: 'slow', message, delay_s }]) : undefined;
  }
}

/** The most webhooks that one run of the schedule checks. Others wait for the next run. */
const MOST_DUE = 1_000;

/** Sends a message for each webhook that is due, those that have waited longest first in each partition. */
export async function wakeDue(send: Send): Promise<void> {
  const now = new Date().toISOString();
  const found = await inRequest(() =>
    allDone(
      DUE_SHARDS.map((shard) =>
        queryItems<Key>(
          {
            IndexName: 'webhooks-by-due',
            KeyConditionExpression: 'due_shard = :shard AND due_at <= :now',
            ExpressionAttributeValues: { ':shard': shard, ':now': now },
          },
          MOST_DUE / DUE_SHARDS.length,
        ),
      ),
    ),
  );
  await send(found.flat().map((key) => ({ lane: 'slow', message: { acquirer: acquirerIn(key), slot: slotOf(key) } })));
}
