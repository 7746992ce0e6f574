import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { issueApiKey, revokeApiKey } from '../../../lib/acquirers/keyring.ts';
import { call, eventOf, invoke } from '../../support/api.ts';
import { INVALID_KEY, SERVICE_BUSY } from '../../support/constants.ts';
import { captureLog } from '../../support/log.ts';
import { expectRefused } from '../../support/outcomes.ts';
import { fillQuota } from '../../support/quota.ts';
import { newAcquirer, newBranch, unique, useProvider } from '../../support/world.ts';
import { lost } from '../table/errors.ts';
import { failTable } from '../table/intercept.ts';

const provider = useProvider();
let revoked: string;
let mid: string;
beforeAll(async () => {
  const { api_key, key_id } = await issueApiKey(provider.id, 'leaked');
  await revokeApiKey(provider.id, key_id);
  revoked = api_key;
  ({ mid } = await newBranch(provider));
});
afterEach(() => void jest.restoreAllMocks());

/** A request that succeeds with a valid key. */
const valid = () => ({ path: { id: mid }, body: { terminals: [{ terminal_id: unique('T') }] } });
/** A request that breaks every rule that is checked after the API key. */
const invalid = () => ({ path: { id: 'NOSUCHMID' }, query: { page: '0' }, body: '{' });

describe('a request', () => {
  test.each<[string, () => string | undefined]>([
    ['without a key', () => undefined],
    ['with an empty key', () => ''],
    ['with a key that is not an API key', () => 'apk_wrong'],
    ['with a key with a wrong checksum', () => 'apk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['with a key that was never issued', () => 'apk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAZClWt'],
    ['with a key with one letter changed', () => provider.key.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))],
    ['with a revoked key', () => revoked],
  ])('%s is rejected before anything else is checked', async (_, key) => {
    for (const request of [valid(), invalid()])
      await expectRefused(() => call('createTerminals', { ...request, key: key() }), 'invalid_api_key', INVALID_KEY);
  });

  test.each<[string, (key: string) => string]>([
    ['in quotation marks', (key) => `"${key}"`],
    ['in single quotation marks', (key) => `'${key}'`],
    ['in typographic quotation marks', (key) => `\u201c${key}\u201d`],
    ['with a quotation mark at its end', (key) => `${key}"`],
    ['after the name of a scheme', (key) => `Bearer ${key}`],
  ])(
    'with a key %s is told to send it alone, whether it is valid or not, without any part of it',
    async (_, written) => {
      for (const key of [provider.key, revoked]) {
        const response = await expectRefused(
          () => call('createTerminals', { ...valid(), key: written(key) }),
          'invalid_api_key',
          'Send the API key alone in the API-KEY header: without quotation marks, and without a word such as Bearer ' +
            'before it.',
        );
        expect(JSON.stringify(response)).not.toContain(key.slice(4, 12));
      }
    },
  );

  test.each<[string, (key: string) => object]>([
    ['the query', (key) => ({ queryStringParameters: { 'api-key': key } })],
    ['the header Authorization', (key) => ({ headers: { authorization: key } })],
    ['the header X-API-KEY', (key) => ({ headers: { 'x-api-key': key } })],
    ['a cookie', (key) => ({ cookies: [`api-key=${key}`] })],
  ])('is not authenticated by a key in %s', async (_, place) => {
    const event = { ...eventOf('listBranches', {}), ...place(provider.key) };
    await expectRefused(() => invoke('listBranches', event), 'invalid_api_key', INVALID_KEY);
  });

  test('gets a response without its key, valid or not', async () => {
    for (const key of [provider.key, revoked])
      expect(JSON.stringify(await call('listBranches', { key }))).not.toContain(key.slice(4));
  });

  test('fails with Retry-After while the table is unreachable, and its operation does not begin', async () => {
    captureLog();
    fillQuota();
    // No backoff between the attempts.
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const { key } = await newAcquirer('PAYMENT_PROVIDER', 'Quickpay');
    const sent = failTable(() => lost('ECONNREFUSED'));
    const create = () => call('createTerminals', { ...valid(), key });
    const response = await expectRefused(create, 'server_error', SERVICE_BUSY);
    expect(response.headers['retry-after']).toBe('1');
    // The API key is read, and six retries.
    expect(sent.map(({ operation }) => operation)).toEqual(Array(7).fill('GetItem'));
  });
});
