import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals';
import { serve } from '../../../infra/local/serve.ts';
import { deliveryViolations } from '../../../infra/publish/contract/conformity.ts';
import { intercept } from '../../lib/table/intercept.ts';
import { call } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { NO_WEBHOOK, TIME } from '../../support/constants.ts';
import { captureLog } from '../../support/log.ts';
import { bodyOf, expectRefused } from '../../support/outcomes.ts';
import { storedBy } from '../../support/stored.ts';
import { newReceiver, type Received } from '../../support/webhooks.ts';
import { about, create, itemOf, newProvider, setOf } from './webhooks.ts';

/* What is connected to, and what responses are, is in test/lib/webhooks/send. */

/** The servers of these tests, to stop. */
const servers: { stop: () => Promise<void> }[] = [];
afterAll(() => Promise.all(servers.map((each) => each.stop())));
afterEach(() => void jest.useRealTimers());

/** A webhook of a new acquirer, at a server that responds with a status and verifies signatures with these secrets. */
async function newWebhook(status = 204) {
  const caller = await newProvider();
  const secrets: string[] = [];
  const receiver = await newReceiver(secrets, (_, response) => response.writeHead(status).end());
  servers.push(receiver);
  const webhook = await create(caller, { url: receiver.url });
  secrets.push(webhook.secret);
  const send = (more = {}) => call('testWebhook', about(caller, webhook, more));
  return { caller, webhook, secrets, receiver, send };
}

const WAITING = { next_attempt_at: '2099-01-01T00:00:00.000Z', failing_since: '2026-01-02T03:04:05.678Z', failures: 7 };

describe('200', () => {
  test('fetches the key that opens secrets again when the process has known it for two hours', async () => {
    const { send } = await newWebhook();
    setClock(Date.now() + 2 * 3_600_000);
    expect((await send()).body.data.status).toBe(204);
  });

  test('posts an empty page, signed with each secret that is valid', async () => {
    const { caller, webhook, secrets, receiver, send } = await newWebhook();
    const { data } = (await call('rotateWebhookSecret', about(caller, webhook))).body;
    // The receiver verifies with both.
    secrets.push(data.secret);
    const response = await send();
    expect(response.body).toEqual({ data: { status: 204, duration_ms: expect.any(Number), error: null } });
    const [received] = receiver.received as [Received];
    expect(deliveryViolations({ data: received.events, meta: received.meta }, received.headers)).toEqual([]);
    expect(receiver.received).toEqual([
      expect.objectContaining({ events: [], meta: { next: expect.any(String), missed_before: null } }),
    ]);
    // It is a cursor of the feed.
    const query = { after: received.meta.next };
    expect((await call('listEvents', { key: caller.key, query })).body).toMatchObject({ data: [] });
  });

  test('makes a page that waits due at once if the server accepts it, also if it was paused meanwhile', async () => {
    const { caller, send } = await newWebhook();
    await setOf(caller, WAITING);
    const before = await itemOf(caller);
    await send();
    const { next_attempt_at: _, ...others } = before;
    expect(await itemOf(caller)).toEqual({ ...others, due_at: TIME });
    expect((await itemOf(caller)).due_at).not.toBe(before.due_at);
  });

  test('tells that the server accepts it also if a page that waits cannot be made due, which is logged', async () => {
    const { caller, receiver, send } = await newWebhook();
    await setOf(caller, WAITING);
    const before = await itemOf(caller);
    const lines = captureLog();
    intercept((send, { operation }) => {
      const fails = operation === 'TransactWriteItems' && receiver.received.length > 0;
      return fails ? Promise.reject(new Error('the write failed')) : send();
    });
    expect((await send()).body.data).toEqual({ status: 204, duration_ms: expect.any(Number), error: null });
    expect(lines()).toMatchObject([{ level: 'ERROR', status: 200, causes: [{ message: 'the write failed' }] }]);
    expect(await itemOf(caller)).toEqual(before);
  });

  test.each([302, 401, 500])(
    'tells the status of a server that responds with %i, and changes nothing',
    async (status) => {
      const { caller, send } = await newWebhook(status);
      await setOf(caller, WAITING);
      const before = await itemOf(caller);
      expect((await send()).body.data).toEqual({ status, duration_ms: expect.any(Number), error: null });
      expect(await itemOf(caller)).toEqual(before);
    },
  );

  test('tells why there was no response', async () => {
    const { receiver, send } = await newWebhook();
    await receiver.stop();
    servers.splice(servers.indexOf(receiver), 1);
    const error = 'The connection was refused.';
    expect((await send()).body.data).toEqual({ status: null, duration_ms: expect.any(Number), error });
  });

  test('posts also to a webhook that is paused, which stays so', async () => {
    const { caller, webhook, receiver, send } = await newWebhook();
    await call('updateWebhook', about(caller, webhook, { body: { status: 'paused' } }));
    expect((await send()).body.data.status).toBe(204);
    expect(receiver.received).toHaveLength(1);
    expect(await itemOf(caller)).not.toHaveProperty('due_at');
  });

  test('a validation posts and stores nothing', async () => {
    const { receiver, send } = await newWebhook();
    const body = await bodyOf(() => send({ query: { validate_only: 'true' } }));
    expect([body, receiver.received]).toEqual([{ data: { status: null, duration_ms: 0, error: null } }, []]);
  });
});

test('404: posts nothing to a webhook that was deleted', async () => {
  const { caller, webhook, receiver, send } = await newWebhook();
  await call('deleteWebhook', about(caller, webhook));
  await expectRefused(send, 'not_found', NO_WEBHOOK);
  expect(receiver.received).toEqual([]);
});

test('429: an acquirer can test its webhooks ten times a minute, however many it has', async () => {
  setClock(Date.parse('2026-11-20T10:00:15.000Z'));
  const server = await serve((_, response) => response.writeHead(204).end());
  servers.push(server);
  const caller = await newProvider();
  const [webhook, other] = [await create(caller, server), await create(caller, server)];
  const send = () => call('testWebhook', about(caller, webhook));
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, at) => call('testWebhook', about(caller, at % 2 ? webhook : other))),
  );
  const statuses = responses.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(10).fill(200), 429, 429]);
  const refused = responses.find(({ status }) => status === 429);
  expect([refused?.body.code, refused?.headers['retry-after']]).toEqual(['rate_limited', '45']);
  await expectRefused(
    send,
    'rate_limited',
    'You have tested webhooks 10 times in this minute. Wait for Retry-After seconds, then retry.',
  );
  setClock(Date.parse('2026-11-20T10:01:00.000Z'));
  const { response, changed } = await storedBy(send);
  expect(response.status).toBe(200);
  const window = Date.parse('2026-11-20T10:01:00.000Z') / 1000;
  expect(changed[`RATE_LIMIT#${caller.id}#webhook-tests#${window} RATE_LIMIT`]).toEqual({
    taken: 1,
    ttl: window + 3600,
  });
});
