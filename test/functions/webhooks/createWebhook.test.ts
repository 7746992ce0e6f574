import { inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSecret } from '../../../lib/webhooks/secret.ts';
import { here } from '../../../lib/webhooks/webhook.ts';
import { call } from '../../support/api.ts';
import { EVENT_ID, TIME } from '../../support/constants.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { captureLog } from '../../support/log.ts';
import { expectRefused } from '../../support/outcomes.ts';
import { personOf } from '../../support/people.ts';
import { storedBy } from '../../support/stored.ts';
import { type Caller, unique } from '../../support/world.ts';
import { changed, create, HOOK, itemOf, newProvider, SEALED, SECRET, shown } from './webhooks.ts';

// Also of the stored response of a webhook that was deleted.
afterAll(expectNoViolations);

let provider: Caller;
beforeAll(async () => {
  provider = await newProvider();
});

/** The item of a new webhook. */
const item = (more: object = {}) => ({
  id: EVENT_ID,
  url: HOOK,
  status: 'active',
  created_at: TIME,
  updated_at: TIME,
  secrets: [{ sealed: SEALED }],
  delivers_in: here(),
  cursor: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}$/),
  failures: 0,
  is_slow: false,
  due_shard: expect.stringMatching(/^DUE#[0-7]$/),
  due_at: TIME,
  ...more,
});

describe('201', () => {
  test('creates a webhook that begins now, and shows its secret, which is stored sealed', async () => {
    const before = Date.now();
    const body = { url: ` ${HOOK}`, description: ' For the warehouse ' };
    const { others, ...response } = await changed(provider, 'createWebhook', { body }, ['webhook.created', {}]);
    const { id, secret, delivered_to } = response.body.data;
    expect(response).toMatchObject({
      status: 201,
      headers: {
        location: `https://api.example.com/ext/api/v1/webhooks/${id}`,
        etag: `"${response.body.data.updated_at}"`,
      },
      body: { data: shown({ description: 'For the warehouse', secret: SECRET }) },
    });
    const key = expect.stringMatching(`^WEBHOOKS#${provider.id} SLOT#[1-5]$`);
    expect(Object.entries(others)).toEqual([[key, item({ description: 'For the warehouse' })]]);
    const [newest] = (await itemOf(provider)).secrets;
    expect(await openSecret(newest?.sealed ?? '', id)).toBe(secret);
    // The feed ends 25 seconds ago.
    const behind = before - Date.parse(delivered_to);
    expect([behind > 20_000, behind <= 25_000]).toEqual([true, true]);
  });

  test('also for an admin who has just signed in', async () => {
    const { session } = await personOf(provider.id, 'admin');
    expect((await call('createWebhook', { session, body: { url: HOOK } })).status).toBe(201);
  });

  test('replays the response to an Idempotency-Key without the secret, which nothing stores or logs', async () => {
    const { key, id } = await newProvider();
    const request = { key, headers: { 'idempotency-key': unique('key') }, body: { url: HOOK } };
    const lines = captureLog();
    const { response, changed: items } = await storedBy(() => call('createWebhook', request));
    const { secret, ...webhook } = response.body.data;
    expect(secret).toEqual(SECRET);
    const replay = await storedBy(() => call('createWebhook', request));
    const { status, headers, body } = replay.response;
    expect([status, headers['idempotent-replayed'], headers['location']]).toEqual([
      201,
      'true',
      response.headers['location'],
    ]);
    expect([body, replay.changed]).toEqual([{ data: { ...webhook, secret: null } }, {}]);
    const [record] = Object.entries(items).flatMap(([name, each]) =>
      name.startsWith(`IDEMPOTENCY_KEY#${id}`) ? [each?.['body']] : [],
    );
    const saved = typeof record === 'string' ? record : inflateRawSync(record as Uint8Array).toString();
    expect(JSON.parse(saved)).toEqual(body);
    expect(JSON.stringify([items, lines()])).not.toContain(secret.slice('whsec_'.length, -1));
  });

  test('twenty creates at once make five webhooks, and the others get 400', async () => {
    const { key } = await newProvider();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => call('createWebhook', { key, body: { url: HOOK } })),
    );
    const made = responses.filter(({ status }) => status === 201).map(({ body }) => body.data.id);
    const { data } = (await call('listWebhooks', { key })).body;
    expect(data.map(({ id }: { id: string }) => id).sort()).toEqual(made.sort());
    expect(made).toHaveLength(5);
    const codes = responses.flatMap(({ body }) => body.code ?? []);
    expect(new Set(codes)).toEqual(new Set(['too_many_webhooks']));
  });
});

test('200: a validation stores nothing, and shows no secret', async () => {
  const { key } = await newProvider();
  const request = { key, query: { validate_only: 'true' }, body: { url: HOOK } };
  const { response, changed: items } = await storedBy(() => call('createWebhook', request));
  expect([response.status, response.body.data, items]).toEqual([200, shown({ secret: null }), {}]);
});

test('400: a sixth webhook is refused, also in a validation, until one is deleted', async () => {
  const caller = await newProvider();
  const { key } = caller;
  for (let at = 0; at < 4; at += 1) await create(caller);
  const last = await create(caller);
  const detail = 'You have 5 webhooks, the most that there can be. Delete one.';
  for (const validate_only of ['false', 'true'])
    await expectRefused(
      () => call('createWebhook', { key, query: { validate_only }, body: { url: HOOK } }),
      'too_many_webhooks',
      detail,
    );
  await call('deleteWebhook', { key, path: { id: last.id } });
  expect((await create(caller)).id).toEqual(EVENT_ID);
});

describe('422', () => {
  const API_KEY = 'apk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAZClWt';
  const NO_API_KEY = 'Must not contain an API key. If it is yours, have it revoked.';
  const NO_USER = 'Must have no user and no password. The signature tells that it is us.';
  const CONTROLS = 'Must not have control characters, unpaired surrogates, noncharacters such as U+FFFE, or U+FFFD.';
  const NO_URL = 'Must be a URL such as https://hooks.example.com/events, with other characters percent-encoded.';

  test.each<[string, unknown, string, string]>([
    ['none', undefined, 'required', 'Is required.'],
    ['a blank one', ' ', 'required', 'Is required.'],
    ['no text', 7, 'invalid_type', 'Must be a string.'],
    ['no URL', 'hooks.example.com', 'invalid_format', NO_URL],
    ['letters that are not ASCII', 'https://hooks.example.com/caf\u00e9', 'invalid_format', NO_URL],
    ['a space', 'https://hooks.example.com/a b', 'invalid_format', NO_URL],
    ['a character that no URL has', 'https://hooks.example.com/{id}', 'invalid_format', NO_URL],
    ['a percent sign that encodes nothing', 'https://hooks.example.com/100%', 'invalid_format', NO_URL],
    ['a control character, also at its end', 'https://hooks.example.com/\v', 'invalid_format', CONTROLS],
    ['a line break', 'https://hooks.example.com/\na', 'invalid_format', NO_URL],
    ['an API key', `https://hooks.example.com/${API_KEY}`, 'api_key', NO_API_KEY],
    ['a user', 'https://ana@hooks.example.com/', 'invalid_format', NO_USER],
    [
      'too many characters',
      `https://hooks.example.com/${'a'.repeat(2023)}`,
      'too_long',
      'Must have at most 2048 characters.',
    ],
  ])('refuses as url: %s', async (_, url, code, detail) => {
    await expectRefused(() => call('createWebhook', { key: provider.key, body: { url } }), 'validation_failed', [
      ['/url', code, detail],
    ]);
  });

  test('lists the errors of all fields', async () => {
    const body = { url: 'https://hooks.example.com:22/', description: 'x'.repeat(256) };
    await expectRefused(() => call('createWebhook', { key: provider.key, body }), 'validation_failed', [
      ['/url', 'invalid_format', 'Must have port 443, or one from 1024.'],
      ['/description', 'too_long', 'Must have at most 255 characters.'],
    ]);
  });
});
