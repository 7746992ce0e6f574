import { isDelivering, type Webhook } from '../../../../../lib/webhooks/webhook.ts';
import { type Invariants, perItem } from '../invariant.ts';

/** A sealed secret: a JWE in its compact form, without an encrypted key (RFC 7516 §7.1). */
const SEALED = /^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/;

const pageFault = ({ cursor, page, missed_before }: Webhook): string | false => {
  if (!page) return false;
  const { first, last, events } = page;
  if (first === undefined || last === undefined || events === 0)
    return (first ?? last ?? (events > 0 || !missed_before)) && 'The page in flight has no events.';
  return (cursor >= first || first > last) && `The page in flight is ${first} to ${last}, but its cursor is ${cursor}.`;
};

export const WEBHOOKS: Invariants = {
  webhook_sealed: [
    'The secrets of a webhook are sealed, and all but the newest end.',
    perItem(['webhook'], ({ secrets }) => [
      secrets.some(({ sealed }) => !SEALED.test(sealed)) && 'A secret is not sealed.',
      secrets.some(({ ends_at }, at) => at > 0 !== (ends_at !== undefined)) && 'Not all secrets but the newest end.',
    ]),
  ],
  webhook_due: [
    'A webhook that delivers is due at some time, and only an active one is.',
    perItem(['webhook'], (webhook) => {
      const { status, due_at } = webhook;
      if (isDelivering(webhook)) return !due_at && 'It is active, but never due.';
      return status !== 'active' && due_at && `It is ${status}, but due at ${due_at}.`;
    }),
  ],
  webhook_page: [
    'The page in flight of a webhook comes after its cursor. While an attempt is under way, there is one.',
    perItem(['webhook'], (webhook) => [
      pageFault(webhook),
      webhook.lease && !webhook.page && 'An attempt is under way, but no page is in flight.',
    ]),
  ],
  webhook_failures: [
    'A webhook has failed since some time exactly if attempts have failed.',
    perItem(
      ['webhook'],
      ({ failures, failing_since = null }) =>
        failures > 0 !== (failing_since !== null) && `It has ${failures} failures, since ${failing_since ?? 'never'}.`,
    ),
  ],
  delivery_outcome: [
    'An attempt to deliver has either a status or an error, and its events are in order.',
    perItem(['delivery'], ({ status, error, first_event = '', last_event = '', events }) => [
      (status === null) !== (error !== null) && 'It has not one of status and error.',
      (first_event > last_event || (events === 0) !== (first_event === '')) && 'Its events are not in order.',
    ]),
  ],
};
