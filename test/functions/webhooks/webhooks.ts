import { expect } from '@jest/globals';
import type { ApiOperation } from '../../../infra/publish/contract/calls.ts';
import { hashOf } from '../../../lib/base/apiKeyFormat.ts';
import type { Item } from '../../../lib/table/client.ts';
import { apiKeySubject } from '../../../lib/table/keys.ts';
import { transact, update } from '../../../lib/table/transaction.ts';
import { keyIn, readWebhooks, type Webhook } from '../../../lib/webhooks/webhook.ts';
import { call, type Request } from '../../support/api.ts';
import { EVENT_ID, recorded, TIME } from '../../support/constants.ts';
import { splitRecord, storedBy } from '../../support/stored.ts';
import { type Caller, newAcquirer } from '../../support/world.ts';

export const HOOK = 'https://hooks.example.com/events?token=x9Zt';
const ORIGIN = 'https://hooks.example.com';
export const SECRET = expect.stringMatching(/^whsec_[\w+/]{43}=$/);
export const SEALED = expect.stringMatching(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/);

/** A new webhook as responses show it. */
export const shown = (more: object = {}) => ({
  id: EVENT_ID,
  url: HOOK,
  description: null,
  status: 'active',
  created_at: TIME,
  updated_at: TIME,
  delivered_to: TIME,
  events_kept_until: null,
  failing_since: null,
  failures: 0,
  latest_attempt: null,
  next_attempt_at: null,
  old_secret_ends_at: null,
  ...more,
});

export const newProvider = (): Promise<Caller> => newAcquirer('PAYMENT_PROVIDER', 'Payfair');

/** A new webhook, as the response to its creation shows it. */
export const create = async ({ key }: Caller, body: object = { url: HOOK }) =>
  (await call('createWebhook', { key, body })).body.data;

/** The item of an acquirer's only webhook; `undefined` if it has none. */
export const itemOf = async ({ id }: Pick<Caller, 'id'>): Promise<Item<Webhook>> =>
  (await readWebhooks(id))[0] as Item<Webhook>;

/** Changes that item as the service would, and nothing that its ETag is of. */
export async function setOf(caller: Caller, set: Partial<Webhook>): Promise<void> {
  await transact([update(keyIn(await itemOf(caller)), { set })]);
}

/** A request about a webhook. */
export const about = ({ key }: Caller, { id }: { id: string }, more: Request = {}): Request => ({
  key,
  path: { id },
  ...more,
});

/**
 * Sends a change. Asserts that it adds one event to the acquirer's record, with the origin of the URL at most.
 *
 * @returns Its response, and what else it has changed in the table.
 */
export async function changed(
  caller: Caller,
  operation: ApiOperation,
  request: Request,
  [type, details]: [string, object],
) {
  const { response, changed: items } = await storedBy(() => call(operation, { key: caller.key, ...request }));
  const { events, others } = splitRecord(items);
  const by = apiKeySubject(hashOf(caller.key).slice(0, 12));
  const event = recorded(type, { webhook: response.body.data?.id, origin: ORIGIN, ...details }, by);
  expect(events).toEqual({ [`ACQUIRER#${caller.id}`]: [event] });
  return { ...response, others };
}
