import { beforeAll, describe, expect, test } from '@jest/globals';
import { DAY_MS, expiryOf, newEventId } from '../../../lib/base/eventId.ts';
import { deliveryKey } from '../../../lib/table/keys.ts';
import { put, transact } from '../../../lib/table/transaction.ts';
import type { Delivery } from '../../../lib/webhooks/webhook.ts';
import { call, expectProblem, type Request } from '../../support/api.ts';
import { bodyOf } from '../../support/outcomes.ts';
import type { Caller } from '../../support/world.ts';
import { about, create, newProvider, setOf, shown } from './webhooks.ts';

describe('listWebhooks', () => {
  test('200: returns the webhooks of the caller without secrets, the oldest first, in one page', async () => {
    const [caller, other] = [await newProvider(), await newProvider()];
    await create(other);
    const list = () => bodyOf(() => call('listWebhooks', { key: caller.key }));
    expect(await list()).toEqual({ data: [], meta: { next: null } });
    const made = [];
    for (const at of ['a', 'b', 'c', 'd', 'e']) {
      const { secret: _, ...webhook } = await create(caller, { url: `https://hooks.example.com/${at}` });
      made.push(webhook);
    }
    expect(await list()).toEqual({ data: made, meta: { next: null } });
  });
});

describe('getWebhook', () => {
  test('200: returns what became of the latest attempt, and until when events are kept while it fails', async () => {
    const caller = await newProvider();
    const webhook = await create(caller);
    const latest_attempt = {
      at: '2026-11-20T10:00:00.000Z',
      status: null,
      error: 'The name does not exist.',
      duration_ms: 3,
    };
    const failing = {
      failing_since: '2026-11-20T09:00:00.000Z',
      failures: 4,
      next_attempt_at: '2026-11-20T10:30:00.000Z',
    };
    await setOf(caller, { ...failing, latest_attempt });
    const { status, headers, body } = await call('getWebhook', about(caller, webhook));
    const kept = new Date(Date.parse(webhook.delivered_to) + 30 * DAY_MS).toISOString();
    expect([status, headers['etag']]).toEqual([200, `"${webhook.updated_at}"`]);
    expect(body).toEqual({ data: shown({ ...failing, latest_attempt, events_kept_until: kept }) });
  });

  test('200: shows an active webhook that delivers from another table as suspended', async () => {
    const caller = await newProvider();
    const webhook = await create(caller);
    await setOf(caller, { delivers_in: 'eu-west-1/restored' });
    const { data } = (await call('getWebhook', about(caller, webhook))).body;
    expect(data).toEqual(shown({ status: 'suspended', events_kept_until: expect.any(String) }));
  });
});

type Query = NonNullable<Request['query']>;

describe('listDeliveries', () => {
  let caller: Caller;
  let webhook: { id: string };
  let expected: object[];
  const list = (query: Query = {}, of = webhook) => call('listDeliveries', about(caller, of, { query }));
  const HOUR_MS = 3_600_000;

  beforeAll(async () => {
    caller = await newProvider();
    [webhook] = [await create(caller), await create(caller)];
    const page = newEventId('2026-11-20T10:00:00.000Z');
    const attempts = [0, 1, 2, 3, 4, 7 * 24 + 1].map((hours, at): Delivery => {
      const time = new Date(Date.now() - hours * HOUR_MS).toISOString();
      const failed = { status: 500, next_attempt_at: time };
      const delivered = { status: 204, first_event: page, last_event: page, events: 1 };
      const outcome = at === 0 ? delivered : at === 1 ? { ...failed, disabled: true } : failed;
      return {
        page,
        at: time,
        events: 0,
        attempt: 6 - at,
        error: null,
        duration_ms: 8,
        ttl: expiryOf(time),
        ...outcome,
      };
    });
    await transact(attempts.map((each) => put(deliveryKey(webhook.id, newEventId(each.at)), each)));
    const none = { first_event: null, last_event: null, next_attempt_at: null, disabled: false };
    // One that has expired, and that DynamoDB has not deleted yet, is not shown.
    expected = attempts.slice(0, 5).map(({ page: id, ttl: _, ...each }) => ({ id, ...none, ...each }));
  });

  test('200: returns the attempts of seven days, the newest first', async () => {
    expect(await bodyOf(() => list())).toEqual({ data: expected, meta: { next: null } });
    expect((await list({ limit: '5' })).body).toEqual({ data: expected, meta: { next: expect.any(String) } });
  });

  test('200: has each attempt on one page', async () => {
    let next: string | null = '';
    const found: object[] = [];
    for (let query: Query = { limit: '2' }; next !== null; query = { limit: '2', after: next as string }) {
      const { body } = await list(query);
      found.push(...body.data);
      ({ next } = body.meta);
    }
    expect(found).toEqual(expected);
  });

  test('400: refuses a cursor of another list, also of another webhook', async () => {
    const { next } = (await list({ limit: '1' })).body.meta;
    const [{ id }] = (await call('listWebhooks', { key: caller.key })).body.data.filter(
      (each: { id: string }) => each.id !== webhook.id,
    );
    const feed = (await call('listEvents', { key: caller.key, query: { after: 'now' } })).body.meta.next;
    const detail = 'after: Must be a cursor from this list.';
    expectProblem(await list({ after: next }, { id }), 'invalid_query', detail);
    expectProblem(await list({ after: feed }), 'invalid_query', detail);
  });
});
