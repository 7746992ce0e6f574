import { beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { hashOf, resolveApiKey } from '../../../lib/acquirers/apiKey.ts';
import { issueApiKey, MOST_KEYS, rotateApiKey } from '../../../lib/acquirers/keyring.ts';
import { KEY_ROLES } from '../../../lib/acquirers/roles.ts';
import { personAuthor } from '../../../lib/people/person.ts';
import { apiKeyUseKey } from '../../../lib/table/keys.ts';
import { put, transact } from '../../../lib/table/transaction.ts';
import { call, expectProblem } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { recorded, TIME, unknownField } from '../../support/constants.ts';
import { personOf, type SignedIn } from '../../support/people.ts';
import { splitRecord, storedBy } from '../../support/stored.ts';
import { type Caller, newAcquirer } from '../../support/world.ts';

const LABEL = 'Must be 1 to 64 of 0-9, A-Z, a-z, dot, hyphen and underscore, such as production.';
const KEY_ID = expect.stringMatching(/^[\da-f]{12}$/);
const API_KEY = expect.stringMatching(/^apk_[\w-]{48}$/);
const UNKNOWN = '000000000000';

let provider: Caller;
let admin: SignedIn;
/** The id of the key that the acquirer was created with. */
let first: string;
const useAcquirer = (each: typeof beforeAll) =>
  each(async () => {
    provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    admin = await personOf(provider.id, 'admin');
    first = hashOf(provider.key).slice(0, 12);
  });

/** Sends a request as the admin, and asserts the changed items and the events of the record. */
async function change(operation: Parameters<typeof call>[0], request: { id?: string; body?: unknown }) {
  const { id, body } = request;
  const { response, changed } = await storedBy(() =>
    call(operation, { session: admin.session, ...(id !== undefined && { path: { id } }), body }),
  );
  return { response, changed, ...splitRecord(changed) };
}

const list = async () => (await call('listKeys', { session: admin.session })).body;
const createKey = (body: unknown) => change('createKey', { body });
const rotateKey = (id: string, overlap_hours: unknown) => change('rotateKey', { id, body: { overlap_hours } });

/** Partition keys of items. */
const acquirerItem = () => `ACQUIRERS ACQUIRER#${provider.id}`;
const keyItem = (apiKey: string) => `API_KEY#${hashOf(apiKey)} API_KEY`;

describe('listKeys', () => {
  useAcquirer(beforeEach);

  test('returns label, role, times and no key, the oldest first', async () => {
    const viewer = await issueApiKey(provider.id, 'reports', { role: 'viewer' });
    const used_at = '2026-01-02T03:04:05.678Z';
    await transact([put(apiKeyUseKey(viewer.key_id), { used_at, ttl: 1 })]);
    const { response, changed } = await storedBy(() => call('listKeys', { session: admin.session }));
    const never = { last_used_at: null, expires_at: null };
    expect(response).toMatchObject({ status: 200 });
    expect(response.body).toEqual({
      data: [
        { key_id: first, label: 'test', role: 'full', created_at: TIME, ...never },
        { key_id: viewer.key_id, label: 'reports', role: 'viewer', created_at: TIME, ...never, last_used_at: used_at },
      ],
    });
    expect(changed).toEqual({});
  });

  test('returns a rotated key until it ends', async () => {
    const { response } = await rotateKey(first, 1);
    const { expires_at } = response.body.data.rotated;
    expect((await list()).data).toMatchObject([
      { key_id: first, expires_at },
      { key_id: response.body.data.key_id, expires_at: null },
    ]);
  });
});

describe('createKey', () => {
  useAcquirer(beforeAll);

  test.each(KEY_ROLES)('201: creates a key with the role %s that works at once, shown once', async (role) => {
    const { response, others, events } = await createKey({ label: 'till-1', role });
    const { key_id, api_key } = response.body.data;
    expect(response).toMatchObject({ status: 201, headers: { location: 'https://api.example.com/console/api/keys' } });
    expect(response.body).toEqual({
      data: { key_id: KEY_ID, label: 'till-1', role, created_at: TIME, expires_at: null, api_key: API_KEY },
    });
    const stored = { key_id, label: 'till-1', ...(role !== 'full' && { role }) };
    expect(others).toEqual({
      [acquirerItem()]: expect.objectContaining({
        api_keys: expect.arrayContaining([
          expect.objectContaining({ key_id: first }),
          { ...stored, created_at: TIME, sha256: hashOf(api_key) },
        ]),
      }),
      [keyItem(api_key)]: { ...stored, acquirer: { id: provider.id, type: provider.type, name: provider.name } },
    });
    const details = { acquirer: provider.id, key_id, label: 'till-1', role };
    const event = recorded('api_key.issued', details, personAuthor(admin.id));
    expect(events).toEqual({ [`ACQUIRER#${provider.id}`]: [event], [`API_KEY#${key_id}`]: [event] });

    const { status } = await call('listBranches', { key: api_key });
    expect(status).toBe(role === 'till' ? 403 : 200);
    expect(JSON.stringify(await list())).not.toContain(api_key);
  });

  test('201: ignores an unknown field, with a warning', async () => {
    const { response } = await createKey({ label: 'till-1', role: 'till', expires_at: '2030-01-01' });
    expect(response.body.warnings).toEqual([unknownField('/expires_at')]);
  });

  test.each([
    [
      'nothing',
      {},
      [
        ['/label', 'required', 'Is required.'],
        ['/role', 'required', 'Is required.'],
      ],
    ],
    ['a label with spaces', { label: 'Ana Example', role: 'till' }, [['/label', 'invalid_format', LABEL]]],
    ['a label of 65 characters', { label: 'a'.repeat(65), role: 'till' }, [['/label', 'invalid_format', LABEL]]],
    ['an address as the label', { label: 'ana@example.com', role: 'till' }, [['/label', 'invalid_format', LABEL]]],
    [
      'a role of people',
      { label: 'a', role: 'admin' },
      [['/role', 'invalid_format', 'Must be till, viewer, operator or full.']],
    ],
    ['a role that is no text', { label: 'a', role: 1 }, [['/role', 'invalid_type', expect.any(String)]]],
  ] as [string, object, [string, string, string][]][])(
    '422: refuses %s, and stores nothing',
    async (_, body, errors) => {
      const { response, changed } = await createKey(body);
      expectProblem(response, 'validation_failed', errors);
      expect(changed).toEqual({});
    },
  );
});

test('createKey removes the keys whose overlap is over', async () => {
  provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  admin = await personOf(provider.id, 'admin');
  await rotateApiKey(provider.id, hashOf(provider.key).slice(0, 12), 1);
  await new Promise((done) => setTimeout(done, 5));
  const { response, others } = await createKey({ label: 'till-1', role: 'till' });
  expect([response.status, others[keyItem(provider.key)]]).toEqual([201, null]);
});

describe('rotateKey', () => {
  useAcquirer(beforeAll);

  test('201: creates a successor with the same label and role, and the earlier key works for the overlap', async () => {
    const { response: made } = await createKey({ label: 'till-1', role: 'till' });
    const old = made.body.data;
    const { response, others, events } = await rotateKey(old.key_id, 24);
    const { key_id, api_key, created_at, rotated } = response.body.data;
    const expires_at = new Date(Date.parse(created_at) + 24 * 3_600_000).toISOString();
    expect(response).toMatchObject({ status: 201, headers: { location: 'https://api.example.com/console/api/keys' } });
    expect(response.body).toEqual({
      data: {
        key_id: KEY_ID,
        label: 'till-1',
        role: 'till',
        created_at: TIME,
        expires_at: null,
        api_key: API_KEY,
        rotated: { key_id: old.key_id, expires_at },
      },
    });
    expect(others).toEqual({
      [acquirerItem()]: expect.objectContaining({
        api_keys: expect.arrayContaining([
          expect.objectContaining({ key_id: old.key_id, expires_at }),
          { key_id, label: 'till-1', role: 'till', created_at, sha256: hashOf(api_key) },
        ]),
      }),
      [keyItem(old.api_key)]: expect.objectContaining({ expires_at, ttl: Math.ceil(Date.parse(expires_at) / 1000) }),
      [keyItem(api_key)]: expect.objectContaining({ key_id, role: 'till' }),
    });
    const details = { acquirer: provider.id, key_id, label: 'till-1', rotated };
    const event = recorded('api_key.rotated', details, personAuthor(admin.id));
    const subjects = [`ACQUIRER#${provider.id}`, `API_KEY#${old.key_id}`, `API_KEY#${key_id}`];
    expect(events).toEqual(Object.fromEntries(subjects.map((subject) => [subject, [event]])));
    for (const key of [old.api_key, api_key]) expect((await resolveApiKey(key))?.role).toBe('till');
  });

  test('201: without an overlap, the earlier key ends at once', async () => {
    const { key_id, api_key } = await issueApiKey(provider.id, 'old');
    const { response, others } = await rotateKey(key_id, 0);
    expect(response.body.data.rotated).toEqual({ key_id, expires_at: null });
    expect(response.body.data.role).toBe('full');
    expect(others[keyItem(api_key)]).toBeNull();
    const listed = (await list()).data.map((each: { key_id: string }) => each.key_id);
    expect(listed).not.toContain(key_id);
    expect(listed).toContain(response.body.data.key_id);
  });

  test('422: a key can be rotated once, and then its successor', async () => {
    const { response } = await rotateKey(first, 1);
    const { key_id, rotated } = response.body.data;
    const again = await rotateKey(first, 1);
    const detail = `API key ${first} was already rotated; it expires at ${rotated.expires_at}.`;
    expectProblem(again.response, 'validation_failed', [['', 'rotated', detail]]);
    expect(again.changed).toEqual({});
    expect((await rotateKey(key_id, 0)).response.status).toBe(201);
  });

  test.each([
    ['-1', -1, 'too_small', 'Must be at least 0.'],
    ['721', 721, 'too_large', 'Must be at most 720.'],
    ['1.5', 1.5, 'invalid_format', 'Must be a whole number.'],
    ['"1"', '1', 'invalid_type', expect.any(String)],
    ['null', null, 'required', 'Is required.'],
  ])('422: refuses an overlap of %s hours', async (_, overlap_hours, code, detail) => {
    const { response, changed } = await rotateKey(first, overlap_hours);
    expectProblem(response, 'validation_failed', [['/overlap_hours', code, detail as string]]);
    expect(changed).toEqual({});
  });
});

describe('the limit', () => {
  useAcquirer(beforeAll);

  test(`422: an acquirer has at most ${MOST_KEYS} keys, with rotated ones that still work`, async () => {
    for (let keys = 1; keys < MOST_KEYS - 1; keys += 1) await issueApiKey(provider.id, `k${keys}`);
    expect((await rotateKey(first, 1)).response.status).toBe(201);
    const detail =
      'An acquirer can have at most 20 API keys, including rotated keys that have not expired. Revoke one.';
    for (const { response, changed } of [
      await createKey({ label: 'a', role: 'till' }),
      await rotateKey((await list()).data[1].key_id, 1),
    ]) {
      expectProblem(response, 'validation_failed', [['', 'too_long', detail]]);
      expect(changed).toEqual({});
    }
    // Room for one.
    expect((await change('revokeKey', { id: first })).response.status).toBe(200);
    expect((await createKey({ label: 'a', role: 'till' })).response.status).toBe(201);
  });
});

describe('revokeKey', () => {
  useAcquirer(beforeEach);

  test('200: ends the key', async () => {
    const { response, others, events } = await change('revokeKey', { id: first });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ data: { key_id: first } });
    expect(others).toEqual({
      [acquirerItem()]: expect.objectContaining({ api_keys: [] }),
      [keyItem(provider.key)]: null,
    });
    const event = recorded(
      'api_key.revoked',
      { acquirer: provider.id, key_id: first, label: 'test' },
      personAuthor(admin.id),
    );
    expect(events).toEqual({ [`ACQUIRER#${provider.id}`]: [event], [`API_KEY#${first}`]: [event] });
    expect(await list()).toEqual({ data: [] });
    expect(await resolveApiKey(provider.key)).toBeUndefined();
  });

  test('404: a key can be revoked once', async () => {
    await change('revokeKey', { id: first });
    expectProblem(
      (await change('revokeKey', { id: first })).response,
      'not_found',
      `The acquirer has no API key ${first}.`,
    );
  });
});

describe.each(['rotateKey', 'revokeKey'] as const)('%s', (operation) => {
  useAcquirer(beforeAll);
  const body = operation === 'rotateKey' ? { overlap_hours: 1 } : undefined;

  test('404: an unknown key', async () => {
    const { response, changed } = await change(operation, { id: UNKNOWN, body });
    expectProblem(response, 'not_found', `The acquirer has no API key ${UNKNOWN}.`);
    expect(changed).toEqual({});
  });

  test('404: a key of another acquirer', async () => {
    const stranger = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
    const id = hashOf(stranger.key).slice(0, 12);
    const { response, changed } = await change(operation, { id, body });
    expectProblem(response, 'not_found', `The acquirer has no API key ${id}.`);
    expect(changed).toEqual({});
    expect(await resolveApiKey(stranger.key)).toBeDefined();
  });
});

test('a key that has ended is no longer listed', async () => {
  provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  admin = await personOf(provider.id, 'admin');
  first = hashOf(provider.key).slice(0, 12);
  const { response } = await rotateKey(first, 1);
  const ends = Date.parse(response.body.data.rotated.expires_at);
  setClock(ends - 1);
  try {
    // An hour later; the session has not been used.
    const again = await personOf(provider.id, 'admin');
    const ids = async () =>
      (await call('listKeys', { session: again.session })).body.data.map(({ key_id }: { key_id: string }) => key_id);
    expect(await ids()).toEqual([first, response.body.data.key_id]);
    setClock(ends);
    expect(await ids()).toEqual([response.body.data.key_id]);
  } finally {
    jest.useRealTimers();
  }
});
