import * as v from 'valibot';
import { setting } from '../base/config.ts';
import { POSITION } from '../base/cursor.ts';
import { DAY_MS, retentionMs, timeOfId } from '../base/eventId.ts';
import { storedText, text, url } from '../base/fields.ts';
import { Problem } from '../base/problem.ts';
import { timeText } from '../base/time.ts';
import {
  boolean,
  extend,
  extensibleEnum,
  field,
  positive,
  seconds,
  shownAs,
  shownFeedCursor,
  shownNumber,
  shownText,
  shownUrl,
  time,
  uuidValue,
} from '../base/values.ts';
import { type Item, queryPrefix } from '../table/client.ts';
import { dueShardOf, type Key, webhooksOf } from '../table/keys.ts';

/**
 * The most secrets of a webhook. Two would do if no response to a rotation was ever lost: whoever rotates again then
 * would end the only secret that their server knows.
 */
export const MOST_SECRETS = 3;

/** For how long attempts are kept. */
export const DELIVERIES_MS = 7 * DAY_MS;

/** The most webhooks of an acquirer: each has a slot (see webhookKey), so a sixth has no key. */
export const MOST_WEBHOOKS = 5;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * What became of an attempt: the status of the response, or why there was none. Both are of the server's doing; what
 * the server wrote is not kept.
 */
const outcome = {
  status: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(999))),
  error: v.nullable(text),
  /** From the start of the attempt to the response, or to the error. */
  duration_ms: count,
};

/**
 * The page that was tried and is not delivered. Its later attempts have the same id, first and last event. One without
 * events only says what may have been missed.
 */
const pageInFlight = v.object({
  id: uuidValue,
  first: v.optional(uuidValue),
  last: v.optional(uuidValue),
  events: count,
  /** The number of the latest attempt, from 1. */
  attempt: positive,
});

/** The stored item of a webhook: a cursor in an acquirer's feed, with an address. */
export const webhookItem = v.object({
  id: uuidValue,
  url,
  description: v.optional(storedText),
  status: v.picklist(['active', 'paused', 'disabled']),
  created_at: time,
  /** Its settings' last change, also by a rotation, a rewind or by the service that disables it; no attempt is one. */
  updated_at: time,
  /** Sealed secrets (see secret.ts), the newest first. An earlier one signs until it ends. */
  secrets: v.pipe(
    v.array(v.object({ sealed: v.string(), ends_at: v.optional(time) })),
    v.minLength(1),
    v.maxLength(MOST_SECRETS),
  ),
  /**
   * Where the table is that delivers for it: see {@link here}. A restored or copied table is elsewhere, so it delivers
   * nothing. Absent if an operator has suspended it.
   */
  delivers_in: v.optional(text),
  /** A position in the feed (see lib/events/feed.ts): all events before it are delivered. */
  cursor: v.pipe(v.string(), v.regex(POSITION)),
  /** Events before this time may have expired before they were delivered; until a delivery has said so. */
  missed_before: v.optional(time),
  page: v.optional(pageInFlight),
  /** The attempt under way: while it lasts, nobody else begins one. */
  lease: v.optional(v.object({ id: uuidValue, ends_at: time })),
  latest_attempt: v.optional(v.object({ at: time, ...outcome })),
  /** The first of the failed attempts since the last delivery, and how many they are. */
  failing_since: v.optional(time),
  failures: count,
  next_attempt_at: v.optional(time),
  /** Whether its latest attempt failed or was slow: it is delivered in the lane of those. */
  is_slow: v.boolean(),
  /** Its index: when a worker checks it at the latest. Absent unless it is active. */
  due_shard: v.optional(text),
  due_at: v.optional(time),
});
export type Webhook = v.InferOutput<typeof webhookItem>;

/** The stored item of an attempt. It expires after seven days. */
export const deliveryItem = v.object({
  /** The id of the page: its header `webhook-id`. */
  page: uuidValue,
  at: time,
  first_event: v.optional(uuidValue),
  last_event: v.optional(uuidValue),
  events: count,
  attempt: positive,
  ...outcome,
  next_attempt_at: v.optional(time),
  /** Whether it disabled the webhook. */
  disabled: v.optional(v.boolean()),
  ttl: seconds,
});
export type Delivery = v.InferOutput<typeof deliveryItem>;

/** The table in use, as webhooks name it. */
export const here = (): string => `${process.env['AWS_REGION']}/${setting('TABLE_NAME')}`;

/** Whether its events are delivered now. */
export const isDelivering = ({ status, delivers_in }: Webhook): boolean =>
  status === 'active' && delivers_in === here();

/** Reads the webhooks of an acquirer, by their slots, strongly consistent. */
export const readWebhooks = (acquirer: string): Promise<Item<Webhook>[]> => queryPrefix<Webhook>(webhooksOf(acquirer));

/** When a worker checks an active webhook at the latest: the attributes of its index. */
export const due = ({ id }: Pick<Webhook, 'id'>, at: string) => ({ due_shard: dueShardOf(id), due_at: at });

/** What takes a webhook out of that index. */
export const NOT_DUE = { due_shard: undefined, due_at: undefined };

/** The key of a webhook that was read. */
export const keyIn = ({ pk, sk }: Item<Webhook>): Key => ({ pk, sk });

/** @throws Problem `not_found`. */
export async function readWebhook(acquirer: string, id: string): Promise<Item<Webhook>> {
  const webhook = (await readWebhooks(acquirer)).find((each) => each.id === id);
  if (!webhook) throw new Problem('not_found', 'You have no webhook with this id.');
  return webhook;
}

const shownStatus = field(
  v.nullable(shownNumber(100, 599)),
  'The HTTP status of your response; `null` if there was none.',
);
const shownError = field(
  v.nullable(shownText),
  'Why there was no response, such as `The connection was refused.`; otherwise `null`.',
);
const shownDuration = field(shownNumber(0, 60_000), 'How long it took, in milliseconds.');

/** What became of an attempt, in responses. */
export const shownOutcome = v.object({ status: shownStatus, duration_ms: shownDuration, error: shownError });

/** The path parameter of its operations, for the contract. */
export const WEBHOOK_PATH = { id: { description: 'Id of a webhook of yours.', id: uuidValue } };

/** `suspended` is derived: see {@link isDelivering}. */
const SHOWN_STATUSES = ['active', 'paused', 'disabled', 'suspended'] as const;

export const shownWebhook = v.object({
  id: field(uuidValue, 'Id of the webhook.'),
  url: field(shownUrl, 'Where events are delivered.'),
  description: field(v.nullable(shownText), 'Your text about it.'),
  status: field(
    extensibleEnum(...SHOWN_STATUSES),
    '`active`: events are delivered. `paused`: you paused it. `disabled`: it failed for three days, or responded ' +
      '410. `suspended`: we have stopped it, and will resume it. Its events wait.',
  ),
  created_at: field(time, 'When it was created (RFC 3339, UTC).'),
  updated_at: field(time, 'When it was last changed. Attempts change nothing.'),
  delivered_to: field(time, 'All events before this time are delivered.'),
  events_kept_until: field(
    v.nullable(time),
    'If it does not deliver: when the next event to deliver may expire. After that, begin as a new mirror does.',
  ),
  failing_since: field(
    v.nullable(time),
    'The first failed attempt since the last successful one, or since you changed `url` or resumed it.',
  ),
  failures: field(shownNumber(0, 1_000_000), 'How many attempts have failed since then.'),
  latest_attempt: field(
    v.nullable(extend(shownOutcome, { at: field(time, 'When it began.') })),
    'The latest attempt; `null` if there was none.',
  ),
  next_attempt_at: field(v.nullable(time), 'When the next attempt is due, after a failed one.'),
  old_secret_ends_at: field(v.nullable(time), 'Until when the secret before a rotation signs too.'),
});
export type ShownWebhook = v.InferOutput<typeof shownWebhook>;

/** Converts a webhook for a response. */
export function toWebhook(webhook: Webhook): ShownWebhook {
  const { status, cursor, failing_since, secrets, latest_attempt } = webhook;
  const isWaiting = !isDelivering(webhook) || failing_since !== undefined;
  const { ends_at } = secrets[1] ?? {};
  return shownAs(shownWebhook, {
    ...webhook,
    status: status === 'active' && !isDelivering(webhook) ? 'suspended' : status,
    delivered_to: timeText(timeOfId(cursor)),
    events_kept_until: isWaiting ? timeText(timeOfId(cursor) + retentionMs()) : null,
    latest_attempt: latest_attempt ?? null,
    old_secret_ends_at: ends_at && Date.parse(ends_at) > Date.now() ? ends_at : null,
  });
}

/** `meta` of a page that is delivered. */
export const shownPageMeta = v.object({
  next: field(shownFeedCursor, 'Cursor after the last event, as `after` of the list of events takes it.'),
  missed_before: field(
    v.nullable(time),
    'If it is not `null`, earlier events may have expired before they were delivered: read the lists again.',
  ),
});

/** A webhook with its secret: only of a create and a rotation. */
export const shownWebhookWithSecret = extend(shownWebhook, {
  secret: field(
    v.nullable(shownText),
    'The secret that signs deliveries. It is never shown again: a replay of the response has `null`.',
  ),
});

export const shownDelivery = v.object({
  id: field(uuidValue, 'Id of the page: the header `webhook-id`. Attempts to deliver the same page share it.'),
  at: field(time, 'When the attempt began (RFC 3339, UTC).'),
  first_event: field(v.nullable(uuidValue), 'Id of the first event of the page.'),
  last_event: field(v.nullable(uuidValue), 'Id of the last event of the page.'),
  events: field(shownNumber(0, 100), 'How many events it has.'),
  attempt: field(shownNumber(1, 1_000_000), 'The number of the attempt, from 1.'),
  ...shownOutcome.entries,
  next_attempt_at: field(v.nullable(time), 'When the next attempt is due; `null` if it was delivered or disabled.'),
  disabled: field(boolean, 'Whether the attempt disabled the webhook.'),
});

export const toDelivery = ({
  page,
  disabled = false as boolean,
  ...delivery
}: Delivery): v.InferOutput<typeof shownDelivery> => shownAs(shownDelivery, { id: page, disabled, ...delivery });
