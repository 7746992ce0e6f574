import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { resolveApiKey } from '../../../lib/acquirers/apiKey.ts';
import { issueApiKey, rotateApiKey } from '../../../lib/acquirers/keyring.ts';
import { KEY_ROLES } from '../../../lib/acquirers/roles.ts';
import { hashOf } from '../../../lib/base/apiKeyFormat.ts';
import { apiKeyUseKey } from '../../../lib/table/keys.ts';
import { put, transact } from '../../../lib/table/transaction.ts';
import { call } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { TIME } from '../../support/constants.ts';
import { bodyOf, expectRefused } from '../../support/outcomes.ts';
import { personOf } from '../../support/people.ts';
import { newAcquirer } from '../../support/world.ts';
import { type Administered, changeBy, newAdministered, sendBy, useAdministered } from './admins.ts';

/* Limits and caching of keys are in test/lib/acquirers/apiKey.test.ts. */

const KEY_ID = expect.stringMatching(/^[\da-f]{12}$/);
const API_KEY = expect.stringMatching(/^apk_[\w-]{48}$/);
/** What every new key of these tests has. */
const NEW = { key_id: KEY_ID, label: 'till-1', created_at: TIME, expires_at: null, api_key: API_KEY };
const LOCATION = 'https://api.example.com/console/api/keys';

afterEach(() => void jest.useRealTimers());

const own = {} as Administered;
/** The id of the key that the acquirer was created with. */
const firstId = () => hashOf(own.provider.key).slice(0, 12);

const createKey = (body: unknown) => changeBy(own.admin, 'createKey', undefined, body);
const rotateKey = (id: string, overlap_hours: number) => changeBy(own.admin, 'rotateKey', id, { overlap_hours });
const list = async ({ session } = own.admin) => (await call('listKeys', { session })).body.data;
const listedIds = async (by = own.admin): Promise<string[]> =>
  (await list(by)).map(({ key_id }: { key_id: string }) => key_id);

const keyItem = (apiKey: string) => `API_KEY#${hashOf(apiKey)} API_KEY`;

describe('listKeys', () => {
  useAdministered(own, beforeEach);

  test('returns label, role, times and no key, the oldest first', async () => {
    const viewer = await issueApiKey(own.provider.id, 'reports', { role: 'viewer' });
    const used_at = '2026-01-02T03:04:05.678Z';
    await transact([put(apiKeyUseKey(viewer.key_id), { used_at, ttl: 1 })]);
    const never = { created_at: TIME, replaces: null, last_used_at: null, expires_at: null };
    expect(await bodyOf(() => call('listKeys', { session: own.admin.session }))).toEqual({
      data: [
        { key_id: firstId(), label: 'test', role: 'full', ends_with: own.provider.key.slice(-4), ...never },
        {
          ...{ key_id: viewer.key_id, label: 'reports', role: 'viewer', ends_with: viewer.api_key.slice(-4) },
          ...{ ...never, last_used_at: used_at },
        },
      ],
    });
  });

  test('returns a rotated key until it ends', async () => {
    const { key_id, rotated } = (await rotateKey(firstId(), 1)).body.data;
    const ends = Date.parse(rotated.expires_at);
    setClock(ends - 1);
    // An hour later; the session has not been used.
    const again = await personOf(own.provider.id, 'admin');
    expect(await list(again)).toMatchObject([rotated, { key_id, replaces: firstId(), expires_at: null }]);
    setClock(ends);
    expect(await listedIds(again)).toEqual([key_id]);
  });
});

describe('createKey', () => {
  useAdministered(own);

  test.each(KEY_ROLES)('201: creates a key with the role %s that works at once, shown once', async (role) => {
    const { others, ...response } = await createKey({ label: 'till-1', role });
    const { key_id, api_key } = response.body.data;
    expect(response).toMatchObject({ status: 201, headers: { location: LOCATION } });
    expect(response.body).toEqual({
      data: { ...NEW, role, ends_with: api_key.slice(-4), replaces: null },
    });
    const { key: _, ...acquirer } = own.provider;
    const stored = { key_id, label: 'till-1', ...(role !== 'full' && { role }) };
    expect(others[keyItem(api_key)]).toEqual({ ...stored, acquirer });

    const { status } = await call('listBranches', { key: api_key });
    expect(status).toBe(role === 'till' ? 403 : 200);
    expect(JSON.stringify(await list())).not.toContain(api_key);
  });

  const NO_LABEL = ['/label', 'required', 'Is required.'];
  const NO_ROLE = ['/role', 'required', 'Is required.'];
  const LABEL = 'Must be 1 to 64 of 0-9, A-Z, a-z, dot, hyphen and underscore, such as production.';
  const INVALID_LABEL = ['/label', 'invalid_format', LABEL];
  const OTHER_ROLE = ['/role', 'invalid_format', 'Must be till, viewer, operator or full.'];
  test.each([
    ['nothing', {}, [NO_LABEL, NO_ROLE]],
    ['a label with spaces', { label: 'Ana Example', role: 'till' }, [INVALID_LABEL]],
    ['a label of 65 characters', { label: 'a'.repeat(65), role: 'till' }, [INVALID_LABEL]],
    ['an address as the label', { label: 'ana@example.com', role: 'till' }, [INVALID_LABEL]],
    ['a role of people', { label: 'a', role: 'admin' }, [OTHER_ROLE]],
    ['a role that is no text', { label: 'a', role: 1 }, [['/role', 'invalid_type', 'Must be a string.']]],
  ])('422: refuses %s, and stores nothing', async (_, body, errors) => {
    const sent = () => sendBy(own.admin, 'createKey', undefined, body);
    await expectRefused(sent, 'validation_failed', errors as [string, string, string][]);
  });
});

test('createKey removes the keys whose overlap is over', async () => {
  Object.assign(own, await newAdministered());
  await rotateApiKey(own.provider.id, firstId(), 1);
  await new Promise((done) => setTimeout(done, 5));
  const { status, others } = await createKey({ label: 'till-1', role: 'till' });
  expect([status, others[keyItem(own.provider.key)]]).toEqual([201, null]);
});

describe('rotateKey', () => {
  useAdministered(own);

  test('201: creates a successor with the same label and role, and the earlier key works for the overlap', async () => {
    const old = (await createKey({ label: 'till-1', role: 'till' })).body.data;
    const response = await rotateKey(old.key_id, 24);
    const { api_key, created_at } = response.body.data;
    const expires_at = new Date(Date.parse(created_at) + 24 * 3_600_000).toISOString();
    const made = { ...NEW, role: 'till', ends_with: api_key.slice(-4), replaces: old.key_id };
    expect(response).toMatchObject({ status: 201, headers: { location: LOCATION } });
    expect(response.body).toEqual({ data: { ...made, rotated: { key_id: old.key_id, expires_at } } });
    for (const key of [old.api_key, api_key]) expect((await resolveApiKey(key))?.role).toBe('till');
  });

  test('201: without an overlap, the earlier key ends at once', async () => {
    const { key_id, api_key } = await issueApiKey(own.provider.id, 'old');
    const { body, others } = await rotateKey(key_id, 0);
    expect(body.data).toMatchObject({ role: 'full', rotated: { key_id, expires_at: null } });
    expect(others[keyItem(api_key)]).toBeNull();
    expect(await listedIds()).not.toContain(key_id);
    expect(await listedIds()).toContain(body.data.key_id);
  });

  test.each([
    [-1, 'too_small', 'Must be at least 0.'],
    [721, 'too_large', 'Must be at most 720.'],
    [1.5, 'invalid_format', 'Must be a whole number.'],
    ['1', 'invalid_type', 'Must be a number.'],
    [null, 'required', 'Is required.'],
  ])('422: refuses an overlap of %j hours', async (overlap_hours, code, detail) => {
    const sent = () => sendBy(own.admin, 'rotateKey', firstId(), { overlap_hours });
    await expectRefused(sent, 'validation_failed', [['/overlap_hours', code, detail]]);
  });
});

describe.each([
  ['rotateKey', { overlap_hours: 1 }],
  ['revokeKey', undefined],
] as const)('%s', (operation, body) => {
  useAdministered(own);

  test('404: an unknown key, and one of another acquirer', async () => {
    const stranger = await newAcquirer('PAYMENT_PROVIDER', 'Trustcard');
    for (const id of ['000000000000', hashOf(stranger.key).slice(0, 12)]) {
      const sent = () => sendBy(own.admin, operation, id, body);
      await expectRefused(sent, 'not_found', `The acquirer has no API key ${id}.`);
    }
    expect(await resolveApiKey(stranger.key)).toBeDefined();
  });
});

test('200: revokeKey ends a key', async () => {
  Object.assign(own, await newAdministered());
  const { status, body } = await changeBy(own.admin, 'revokeKey', firstId());
  expect([status, body]).toEqual([200, { data: { key_id: firstId() } }]);
  expect(await list()).toEqual([]);
  expect(await resolveApiKey(own.provider.key)).toBeUndefined();
});
