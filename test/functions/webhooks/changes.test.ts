import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { DAY_MS, lowerBoundId, newEventId } from '../../../lib/base/eventId.ts';
import { openSecret } from '../../../lib/webhooks/secret.ts';
import type { Webhook } from '../../../lib/webhooks/webhook.ts';
import { beforeNextWrite } from '../../lib/table/intercept.ts';
import { call, expectProblem, type Request } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { NO_WEBHOOK, TIME } from '../../support/constants.ts';
import { cursorOf } from '../../support/cursors.ts';
import { bodyOf, expectRefused } from '../../support/outcomes.ts';
import type { Caller } from '../../support/world.ts';
import { about, changed, create, HOOK, itemOf, newProvider, SEALED, SECRET, setOf, shown } from './webhooks.ts';

/* That those of others are not found is in test/functions/operations.test.ts, and their record in listAccessChanges. */

afterEach(() => void jest.useRealTimers());

/** A new webhook of an acquirer that has no other. */
async function newWebhook(set: Partial<Webhook> = {}) {
  const caller = await newProvider();
  const webhook = await create(caller);
  if (Object.keys(set).length > 0) await setOf(caller, set);
  const { pk, sk } = await itemOf(caller);
  return { caller, webhook, name: `${pk} ${sk}` };
}

const LONG_AGO = '2026-01-02T03:04:05.678Z';
/** A page that waits, because the server has failed. */
const WAITING = {
  page: { id: newEventId(LONG_AGO), first: newEventId(LONG_AGO), last: newEventId(LONG_AGO), events: 1, attempt: 7 },
  latest_attempt: { at: LONG_AGO, status: 500, error: null, duration_ms: 12 },
  failing_since: LONG_AGO,
  failures: 7,
  next_attempt_at: '2099-01-01T00:00:00.000Z',
  is_slow: true,
} satisfies Partial<Webhook>;

describe('updateWebhook', () => {
  test('200: changes only the fields that are sent', async () => {
    const { caller, webhook, name } = await newWebhook();
    const [url, description] = ['https://hooks.example.com/v2', 'New'];
    const first = await changed(caller, 'updateWebhook', { path: { id: webhook.id }, body: { url, description } }, [
      'webhook.updated',
      { changed: ['url', 'description'] },
    ]);
    expect(first.body).toEqual({ data: shown({ url, description }) });
    expect(first.headers['etag']).toBe(`"${first.body.data.updated_at}"`);
    expect(first.others).toEqual({ [name]: expect.objectContaining({ url, description, status: 'active' }) });
    const second = await call('updateWebhook', about(caller, webhook, { body: { description: ' ' } }));
    expect(second.body).toEqual({ data: shown({ url }) });
    expect(await itemOf(caller)).not.toHaveProperty('description');
  });

  test('200: pauses a webhook, whose events wait for as long as they are kept, and resumes it', async () => {
    const { caller, webhook } = await newWebhook();
    const path = { id: webhook.id };
    const turn = (status: string) =>
      changed(caller, 'updateWebhook', { path, body: { status } }, [
        'webhook.updated',
        { changed: ['status'], status },
      ]);
    const paused = (await turn('paused')).body.data;
    const kept = Date.parse(webhook.delivered_to) + 30 * DAY_MS;
    expect(paused).toEqual(shown({ status: 'paused', events_kept_until: new Date(kept).toISOString() }));
    expect(await itemOf(caller)).not.toHaveProperty('due_at');
    const resumed = (await turn('active')).body.data;
    expect(resumed).toEqual(shown({ delivered_to: webhook.delivered_to }));
    expect(await itemOf(caller)).toMatchObject({ due_at: resumed.updated_at, due_shard: expect.any(String) });
  });

  test.each<[string, Partial<Webhook>, object]>([
    ['another URL', {}, { url: `${HOOK}2` }],
    ['status active after it was disabled', { status: 'disabled' }, { status: 'active' }],
    ['status active after it was paused', { status: 'paused' }, { status: 'active' }],
  ])('200: makes a page that waits due at once, and starts anew, with %s', async (_, set, body) => {
    const { caller, webhook } = await newWebhook({ ...WAITING, ...set });
    const { data } = (await call('updateWebhook', about(caller, webhook, { body }))).body;
    expect(data).toMatchObject({ failures: 0, failing_since: null, next_attempt_at: null, status: 'active' });
    const { page, due_at, ...item } = await itemOf(caller);
    expect([page, due_at, item.failures]).toEqual([WAITING.page, data.updated_at, 0]);
    expect([item.failing_since, item.next_attempt_at]).toEqual([undefined, undefined]);
  });

  test('200: status active makes a page that waits due at once, also of an active one, and changes nothing else', async () => {
    const { caller, webhook } = await newWebhook(WAITING);
    const before = await itemOf(caller);
    const { updated_at } = webhook;
    const request = about(caller, webhook, { body: { status: 'active' } });
    const { data } = (await call('updateWebhook', request)).body;
    expect(data).toMatchObject({ updated_at, failures: 7, failing_since: LONG_AGO, next_attempt_at: null });
    const { next_attempt_at: _, ...others } = before;
    expect(await itemOf(caller)).toEqual({ ...others, due_at: TIME });
  });

  test('200: a webhook that an operator has suspended stays so', async () => {
    const { caller, webhook } = await newWebhook({ status: 'paused' });
    await setOf(caller, { delivers_in: undefined });
    const { data } = (await call('updateWebhook', about(caller, webhook, { body: { status: 'active' } }))).body;
    expect(data.status).toBe('suspended');
    expect(await itemOf(caller)).not.toHaveProperty('due_at');
  });

  test('200: stores nothing if nothing changes', async () => {
    const { caller, webhook } = await newWebhook();
    for (const body of [{}, { url: HOOK, description: null }]) {
      const response = await bodyOf(() => call('updateWebhook', about(caller, webhook, { body })));
      expect(response).toEqual({ data: shown({ updated_at: webhook.updated_at }) });
    }
  });

  test('422: lists every field error', async () => {
    const { caller, webhook } = await newWebhook();
    const body = { url: null, description: 7, status: 'disabled' };
    await expectRefused(() => call('updateWebhook', about(caller, webhook, { body })), 'validation_failed', [
      ['/url', 'required', 'Is required.'],
      ['/description', 'invalid_type', 'Must be a string.'],
      ['/status', 'invalid_format', 'Must be active or paused.'],
    ]);
  });

  test('of two changes with one ETag, one succeeds and the other gets 412', async () => {
    const { caller, webhook } = await newWebhook();
    const headers = { 'if-match': `"${webhook.updated_at}"` };
    const responses = await Promise.all(
      ['One', 'Two'].map((description) =>
        call('updateWebhook', about(caller, webhook, { headers, body: { description } })),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 412]);
    const [done] = responses.filter(({ status }) => status === 200);
    expect((await itemOf(caller)).description).toBe(done?.body.data.description);
  });
});

describe.each([
  ['updateWebhook', { body: { description: 'Late' } }],
  ['deleteWebhook', {}],
  ['rotateWebhookSecret', {}],
  ['rewindWebhook', { body: { after: 'oldest' } }],
] as const)('%s', (operation, more: Request) => {
  test('412: stores nothing if If-Match is outdated, or becomes so just before the write', async () => {
    const { caller, webhook } = await newWebhook();
    const tag = `"${webhook.updated_at}"`;
    const send = () => call(operation, about(caller, webhook, { ...more, headers: { 'if-match': tag } }));
    let now = '';
    beforeNextWrite(async () => {
      const { body } = await call('updateWebhook', about(caller, webhook, { body: { description: 'Early' } }));
      now = `"${body.data.updated_at}"`;
    });
    const detail = () =>
      `If-Match does not list the current ETag ${now}. Read it again, then decide whether to repeat your change.`;
    const late = await send();
    expectProblem(late, 'precondition_failed', detail());
    expect(late.headers['etag']).toBe(now);
    await expectRefused(send, 'precondition_failed', detail());
    expect((await itemOf(caller)).description).toBe('Early');
  });

  test('404: stores nothing if the webhook is deleted just before the write', async () => {
    const { caller, webhook } = await newWebhook();
    beforeNextWrite(() => call('deleteWebhook', about(caller, webhook)));
    expectProblem(await call(operation, about(caller, webhook, more)), 'not_found', NO_WEBHOOK);
    expect(await itemOf(caller)).toBeUndefined();
  });

  test('404: leaves alone what took the place of a deleted one just before the write', async () => {
    const { caller, webhook } = await newWebhook();
    beforeNextWrite(async () => {
      await call('deleteWebhook', about(caller, webhook));
      await create(caller, { url: 'https://other.example.com/' });
    });
    expectProblem(await call(operation, about(caller, webhook, more)), 'not_found', NO_WEBHOOK);
    expect(await itemOf(caller)).toMatchObject({ url: 'https://other.example.com/', status: 'active' });
  });
});

test('deleteWebhook 200: removes the webhook, and frees its place', async () => {
  const { caller, webhook, name } = await newWebhook();
  const response = await changed(caller, 'deleteWebhook', { path: { id: webhook.id } }, ['webhook.deleted', {}]);
  expect([response.body, response.others]).toEqual([{ data: { id: webhook.id } }, { [name]: null }]);
  await create(caller);
  expect(await itemOf(caller)).not.toMatchObject({ id: webhook.id });
});

describe('rotateWebhookSecret', () => {
  const rotate = async (caller: Caller, webhook: { id: string }) =>
    (await call('rotateWebhookSecret', about(caller, webhook))).body.data;
  const secretsOf = async (caller: Caller) => {
    const { id, secrets } = await itemOf(caller);
    return Promise.all(secrets.map(async ({ sealed, ends_at }) => [await openSecret(sealed, id), ends_at]));
  };

  test('200: shows a new secret, and the one before signs for 24 more hours', async () => {
    const { caller, webhook, name } = await newWebhook();
    const path = { id: webhook.id };
    const response = await changed(caller, 'rotateWebhookSecret', { path }, ['webhook.rotated', {}]);
    const { secret, updated_at, old_secret_ends_at } = response.body.data;
    expect(response.body).toEqual({ data: shown({ secret: SECRET, old_secret_ends_at: TIME }) });
    expect(Date.parse(old_secret_ends_at) - Date.parse(updated_at)).toBe(DAY_MS);
    const secrets = [{ sealed: SEALED }, { sealed: SEALED, ends_at: old_secret_ends_at }];
    expect(response.others).toEqual({ [name]: expect.objectContaining({ secrets }) });
    expect(await secretsOf(caller)).toEqual([
      [secret, undefined],
      [webhook.secret, old_secret_ends_at],
    ]);
  });

  test('200: a second rotation ends no secret early, a third ends the oldest, and old ones end by themselves', async () => {
    const { caller, webhook } = await newWebhook();
    const first = await rotate(caller, webhook);
    const second = await rotate(caller, webhook);
    const known = [second.secret, first.secret, webhook.secret];
    expect((await secretsOf(caller)).map(([secret]) => secret)).toEqual(known);
    const third = await rotate(caller, webhook);
    const ends = [undefined, third.old_secret_ends_at, second.old_secret_ends_at];
    const kept = [third.secret, second.secret, first.secret];
    expect(await secretsOf(caller)).toEqual(kept.map((secret, at) => [secret, ends[at]]));
    setClock(Date.parse(third.old_secret_ends_at));
    const read = (await call('getWebhook', about(caller, webhook))).body.data;
    expect(read.old_secret_ends_at).toBeNull();
    const later = await rotate(caller, webhook);
    expect((await secretsOf(caller)).map(([secret]) => secret)).toEqual([later.secret, third.secret]);
  });

  test('a rotation beside a deletion either comes before it or gets 404', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { caller, webhook } = await newWebhook();
      const [rotated, deleted] = await Promise.all([
        call('rotateWebhookSecret', about(caller, webhook)),
        call('deleteWebhook', about(caller, webhook)),
      ]);
      expect([200, 404]).toContain(rotated.status);
      expect([deleted.status, await itemOf(caller)]).toEqual([200, undefined]);
    }
  });

  test('200: a validation stores nothing, and shows no secret', async () => {
    const { caller, webhook } = await newWebhook();
    const request = about(caller, webhook, { query: { validate_only: 'true' } });
    const { data } = await bodyOf(() => call('rotateWebhookSecret', request));
    expect(data).toEqual(shown({ secret: null, old_secret_ends_at: TIME }));
  });
});

describe('rewindWebhook', () => {
  const HOUR_MS = 3_600_000;
  const timeAgo = (ms: number) => new Date(Date.now() - ms).toISOString();
  /** A cursor in the feed of an acquirer at a time. */
  const feedAt = (caller: Caller, time: string) => cursorOf(caller, ['events'], Date.parse(time));

  test.each<[string, (caller: Caller, time: string) => string]>([
    ['a time', (_, time) => time],
    ['a cursor', feedAt],
  ])('200: moves it to %s, gives up the page in flight, and makes it due at once', async (_, afterOf) => {
    const lease = { id: newEventId(LONG_AGO), ends_at: '2099-01-01T00:00:00.000Z' };
    const { caller, webhook, name } = await newWebhook({ ...WAITING, lease });
    const time = timeAgo(HOUR_MS);
    const request = { path: { id: webhook.id }, body: { after: afterOf(caller, time) } };
    const response = await changed(caller, 'rewindWebhook', request, ['webhook.rewound', { rewound_to: time }]);
    const { data } = response.body;
    expect(data).toMatchObject({ delivered_to: time, next_attempt_at: null, failures: 7 });
    const item = response.others[name] as unknown as Webhook;
    // The attempt under way keeps its lease, so that no other begins beside it.
    expect(item).toMatchObject({ cursor: lowerBoundId(Date.parse(time)), lease, due_at: data.updated_at });
    expect([item.page, item.next_attempt_at]).toEqual([undefined, undefined]);
  });

  test('200: with oldest, delivers every event that is kept', async () => {
    const { caller, webhook } = await newWebhook();
    const { data } = (await call('rewindWebhook', about(caller, webhook, { body: { after: 'oldest' } }))).body;
    const age = Date.now() - Date.parse(data.delivered_to);
    expect([age >= 30 * DAY_MS, age < 30 * DAY_MS + HOUR_MS / 60]).toEqual([true, true]);
  });

  const NO_CURSOR = 'Must be a cursor of your feed of events.';
  const EXPIRED = 'Events after this may have expired. Send oldest for all that are kept.';
  const AHEAD = 'The feed does not reach this time yet: it ends about 25 seconds ago.';
  const PLACE = 'Must be a cursor of the feed, a time in UTC (RFC 3339) or oldest.';
  test.each<[string, (caller: Caller, other: Caller) => unknown, string, string]>([
    ['none', () => undefined, 'required', 'Is required.'],
    ['a day', () => '2026-11-20', 'invalid_format', PLACE],
    ['a time with an offset', () => '2026-11-20T10:00:00+01:00', 'invalid_format', PLACE],
    ['a time that does not exist', () => '2026-02-30T10:00:00Z', 'invalid_format', 'Must be a time that exists.'],
    ['a cursor of another acquirer', (_, other) => feedAt(other, timeAgo(0)), 'invalid_format', NO_CURSOR],
    ['a cursor of another list', (own) => cursorOf(own, ['branch', 'MID1']), 'invalid_format', NO_CURSOR],
    ['a time whose events have expired', () => timeAgo(30 * DAY_MS + 1), 'too_small', EXPIRED],
    ['such a cursor', (own) => feedAt(own, timeAgo(31 * DAY_MS)), 'too_small', EXPIRED],
    ['a time that the feed has not reached', () => timeAgo(1), 'too_large', AHEAD],
    ['such a cursor', (own) => feedAt(own, timeAgo(-HOUR_MS)), 'too_large', AHEAD],
  ])('422: refuses as after: %s', async (_, afterOf, code, detail) => {
    const [{ caller, webhook }, other] = await Promise.all([newWebhook(), newProvider()]);
    const request = about(caller, webhook, { body: { after: afterOf(caller, other) } });
    await expectRefused(() => call('rewindWebhook', request), 'validation_failed', [['/after', code, detail]]);
  });
});
