import { beforeAll, describe, expect, test } from '@jest/globals';
import { eventOf, expectProblem, invoke } from '../../support/api.ts';
import { INVALID_KEY } from '../../support/constants.ts';
import { storedBy } from '../../support/stored.ts';
import { type Caller, newAcquirer } from '../../support/world.ts';

let caller: Caller;
beforeAll(async () => {
  caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
});

/** Sends a request as the gateway passes it on when no route matches. */
const send = (method: string, path: string, key?: string) =>
  storedBy(() =>
    invoke('unknownRoute', {
      ...eventOf('unknownRoute', { key, body: '{' }),
      routeKey: '$default',
      rawPath: path,
      requestContext: { http: { method, path } } as ReturnType<typeof eventOf>['requestContext'],
    }),
  );

describe('401', () => {
  test('rejects a request without a valid key, whatever its path', async () => {
    const { response, changed } = await send('GET', '/');
    expectProblem(response, 'invalid_api_key', INVALID_KEY);
    expect(changed).toEqual({});
  });
});

describe('404', () => {
  test.each([
    ['PUT', '/ext/api/v1/merchants'],
    ['GET', '/ext/api/v2/merchants'],
    ['DELETE', '/ext/api/v1/merchants/MID1'],
    ['GET', '/.env'],
  ])('returns 404 for %s %s', async (method, path) => {
    const { response, changed } = await send(method, path, caller.key);
    expectProblem(response, 'not_found', 'No such operation. Check the method and the path.');
    expect(changed).toEqual({});
  });
});
