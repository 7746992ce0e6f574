import { randomUUID } from 'node:crypto';
import type { StoredAcquirer } from '../acquirers/registry.ts';
import { inRequest, requestContext } from '../aws/requestContext.ts';
import { retrying } from '../aws/retry.ts';
import { expiryOf, newEventId, timeOfId } from '../base/eventId.ts';
import { laterThan, timeText } from '../base/time.ts';
import type { Event } from '../events/event.ts';
import { feedEnd, mayHaveExpired } from '../events/feed.ts';
import { tokensOf, usedCost } from '../limits/cost.ts';
import { type Allowance, takeTokens } from '../limits/rateLimiter.ts';
import { getItem, getItems, type Item } from '../table/client.ts';
import { acquirerKey, deliveryKey, type Key, webhookKey } from '../table/keys.ts';
import { isAsRead, put, transact, update } from '../table/transaction.ts';
import { bodyOf, readPage } from './page.ts';
import { isDelivered, post } from './post.ts';
import { MOST_BETWEEN_CHECKS_MS, pauseAfter } from './schedule.ts';
import type { Sent } from './send.ts';
import { DELIVERIES_MS, type Delivery, due, isDelivering, keyIn, NOT_DUE, type Webhook } from './webhook.ts';

/*
 * An attempt has three parts: one write takes the lease and fixes the page, the page is sent, and one write stores what
 * became of it. A worker may be killed between any two steps, two may run at once, and a partner may change the webhook
 * meanwhile: so each write has what it depends on in its condition.
 */

/** How long an attempt may take, in milliseconds: 10 s for the server, and what the table takes before and after. */
export const LEASE_MS = 30_000;

/** From how long on an attempt is slow, in milliseconds. Tests reduce it. */
export const SLOW = { ms: 1_000 };

const isPast = (time: string | undefined): boolean => time === undefined || Date.parse(time) <= Date.now();

/**
 * When a worker checks a webhook next. It is stored again only when less than half of the longest time is left, because
 * the index costs a write each time.
 */
function nextCheck(webhook: Webhook): Partial<ReturnType<typeof due>> {
  const now = Date.now();
  const left = webhook.due_at ? Date.parse(webhook.due_at) - now : 0;
  return left < MOST_BETWEEN_CHECKS_MS / 2 ? due(webhook, timeText(now + MOST_BETWEEN_CHECKS_MS)) : {};
}

type Leased = Item<Webhook> & { [A in 'lease' | 'page']: NonNullable<Webhook[A]> };

/** An attempt that may begin. */
interface Begun {
  webhook: Leased;
  events: Event[];
}

/**
 * Why no attempt begins. `nothing`: nothing is to be delivered now, or another worker delivers. It then reads the feed
 * again after its page. `slow`: its lane is another. Otherwise the seconds to wait for the acquirer's rate limit.
 */
type NotBegun = 'nothing' | 'slow' | { wait_s: number };

/** Everything that a write of the worker depends on: whatever a partner, an operator or another worker may change. */
const unchanged = (webhook: Webhook) =>
  isAsRead(webhook, 'id', 'updated_at', 'status', 'delivers_in', 'cursor', 'missed_before', 'page', 'lease', 'due_at');

const change = (webhook: Item<Webhook>, set: Partial<Record<keyof Webhook, unknown>>) =>
  update(keyIn(webhook), { set }, unchanged(webhook));

/**
 * Takes the lease of a webhook, and reads and fixes the page to deliver. After a conflict, it is decided anew.
 *
 * @param isInSlowLane Whether it may be delivered although it is slow.
 */
export const begin = (acquirer: string, slot: number, isInSlowLane: boolean): Promise<Begun | NotBegun> =>
  inRequest(async () => {
    let allowance: Allowance | undefined;
    const charge = async (owner: StoredAcquirer) => {
      allowance ??= await takeTokens(owner, 'deliveries');
      return allowance?.isAccepted === false ? allowance.reset : 0;
    };
    try {
      return await retrying(() => decide(webhookKey(acquirer, slot), acquirer, isInSlowLane, charge));
    } finally {
      if (allowance?.isAccepted) {
        const used = Math.min(tokensOf(usedCost(requestContext(), {})), allowance.quota);
        await allowance.settle(1 - used);
      }
    }
  });

async function decide(
  key: Key,
  acquirer: string,
  isInSlowLane: boolean,
  charge: (owner: StoredAcquirer) => Promise<number>,
): Promise<Begun | NotBegun> {
  const [webhook, owner] = await getItems<[Item<Webhook>, StoredAcquirer]>([key, acquirerKey(acquirer)]);
  if (webhook?.status !== 'active' || !isPast(webhook.lease?.ends_at)) return 'nothing';
  // `due_at` is the time of the next attempt, unless a partner has made it due at once.
  if (webhook.next_attempt_at && !isPast(webhook.due_at)) return 'nothing';
  // After a failure, a message is on its way in that lane, or the index has it.
  if (webhook.is_slow && !isInSlowLane) return webhook.next_attempt_at ? 'nothing' : 'slow';
  if (!isDelivering(webhook) || !owner || owner.disabled_at) {
    await keep(webhook, {});
    return 'nothing';
  }
  const wait_s = await charge(owner);
  if (wait_s > 0) {
    const at = timeText(Date.now() + wait_s * 1000);
    await transact([change(webhook, { next_attempt_at: at, ...due(webhook, at) })]);
    return { wait_s };
  }
  const found = mayHaveExpired(webhook.cursor) ? afresh(webhook) : webhook;
  const { cursor, page, missed_before } = found;
  const to = page ? (page.last ?? cursor) : later(cursor, feedEnd());
  const events = await readPage(acquirer, { after: cursor, to, events: page?.events });
  if (events.length === 0 && !missed_before) {
    // Its events have expired, but the cursor does not show it: see mayHaveExpired.
    if (page) {
      await transact([change(webhook, { cursor: to, page: undefined })]);
      return decide(key, acquirer, isInSlowLane, charge);
    }
    // The cursor of a webhook without events moves on too, so that it never expires.
    await keep(webhook, { cursor: to, next_attempt_at: undefined });
    return 'nothing';
  }
  const { attempt, ...fixed } = page ?? {
    id: randomUUID(),
    ...(events.length > 0 && { first: events[0]?.id, last: events.at(-1)?.id }),
    events: events.length,
    attempt: 0,
  };
  const set = {
    cursor,
    missed_before,
    page: { ...fixed, attempt: attempt + 1 },
    lease: { id: randomUUID(), ends_at: timeText(Date.now() + LEASE_MS) },
  };
  await transact([change(webhook, set)]);
  return { webhook: { ...found, ...set }, events };
}

const later = (position: string, other: string): string => (position > other ? position : other);

/** A webhook some of whose next events may have expired: it goes on with the feed from now, and says so. */
function afresh(webhook: Item<Webhook>): Item<Webhook> {
  const cursor = feedEnd();
  const { page: _, ...others } = webhook;
  return { ...others, cursor, missed_before: timeText(timeOfId(cursor)) };
}

/** Stores what has changed of a webhook to which nothing is delivered, if its next check is near. */
async function keep(webhook: Item<Webhook>, set: Partial<Record<keyof Webhook, unknown>>): Promise<void> {
  const next = nextCheck(webhook);
  if (next.due_at) await transact([change(webhook, { ...set, ...next })]);
}

/** What an attempt came to, and when it began. */
export type Outcome = Sent & { at: string };

/** Sends the page of an attempt. */
export async function deliver(acquirer: string, { webhook, events }: Begun): Promise<Outcome> {
  const at = timeText(Date.now());
  return { at, ...(await post(webhook, { id: webhook.page.id, at, body: bodyOf(acquirer, events, webhook) })) };
}

/**
 * What follows an attempt. `more`: the feed may have more events. `nothing`: another worker has taken over, or the
 * webhook is not active any more. Otherwise the milliseconds until the next attempt.
 */
type Followed = 'more' | 'nothing' | { pause: number };

/**
 * Stores what became of an attempt. If the webhook was deleted meanwhile, or its lease has ended, nothing is stored; if
 * its cursor was moved, only the end of the lease.
 */
export const finish = ({ webhook: leased }: Begun, outcome: Outcome): Promise<Followed> =>
  inRequest(() => {
    let known: Item<Webhook> | undefined = leased;
    return retrying(async () => {
      const webhook = known ?? (await getItem<Webhook>(keyIn(leased)));
      known = undefined;
      if (webhook?.lease?.id !== leased.lease.id) return 'nothing';
      if (webhook.cursor !== leased.cursor || webhook.page?.id !== leased.page.id) {
        await transact([change(webhook, { lease: undefined })]);
        return 'more';
      }
      const { next, set, delivery } = after(webhook, leased, outcome);
      const id = newEventId(outcome.at, leased.lease.id);
      await transact([change(webhook, { ...set, lease: undefined }), put(deliveryKey(webhook.id, id), delivery)]);
      return next;
    });
  });

/** What an attempt changes of a webhook, on which only the settings can have changed since it began. */
function after(webhook: Webhook, { page, updated_at }: Leased, outcome: Outcome) {
  const { retry_after_s, ...result } = outcome;
  const attempt = {
    page: page.id,
    first_event: page.first,
    last_event: page.last,
    events: page.events,
    attempt: page.attempt,
    ...result,
    ttl: expiryOf(outcome.at, DELIVERIES_MS),
  } satisfies Delivery;
  if (isDelivered(outcome)) {
    const set = {
      cursor: page.last ?? webhook.cursor,
      page: undefined,
      missed_before: undefined,
      latest_attempt: result,
      failing_since: undefined,
      failures: 0,
      next_attempt_at: undefined,
      is_slow: outcome.duration_ms > SLOW.ms,
      ...(webhook.status === 'active' && nextCheck(webhook)),
    };
    return { next: 'more' as const, set, delivery: attempt };
  }
  const failures = webhook.failures + 1;
  const { failing_since = outcome.at } = webhook;
  const failed = { latest_attempt: result, failing_since, failures, is_slow: true };
  if (webhook.status !== 'active') {
    return { next: 'nothing' as const, set: { ...failed, next_attempt_at: undefined }, delivery: attempt };
  }
  const [at, since] = [outcome.at, failing_since].map(Date.parse) as [number, number];
  const scheduled = pauseAfter({ ...outcome, at, failing_since: since, failures });
  // What was changed meanwhile may have mended it.
  const pause = webhook.updated_at === updated_at ? scheduled : 0;
  if (pause === undefined) {
    const disabled = { status: 'disabled', updated_at: laterThan(updated_at), next_attempt_at: undefined, ...NOT_DUE };
    return { next: 'nothing' as const, set: { ...failed, ...disabled }, delivery: { ...attempt, disabled: true } };
  }
  const next_attempt_at = timeText(Date.now() + pause);
  return {
    next: { pause },
    set: { ...failed, next_attempt_at, ...due(webhook, next_attempt_at) },
    delivery: { ...attempt, next_attempt_at },
  };
}
