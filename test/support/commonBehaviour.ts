import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { table } from '../../lib/table/client.ts';
import { call, eventOf, expectProblem, type Operation, type Request, STATUSES } from './api.ts';
import { INVALID_KEY, MALFORMED, SERVICE_FAILED, unknownField, unknownParameter } from './constants.ts';
import { captureLog } from './log.ts';
import { storedBy } from './stored.ts';

/** Invalid API keys, each completing a test title. */
const INVALID_KEYS: [string, string | undefined][] = [
  ['without a key', undefined],
  ['with an empty key', ''],
  ['with a key that is not an API key', 'apk_wrong'],
  ['with a key with a wrong checksum', 'apk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  ['with a key that was never issued', 'apk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAZClWt'],
];

/** Ways to malform a valid body, each completing a test title. */
const MALFORMED_BODIES: [string, (body: object) => string | undefined][] = [
  ['is only white space', () => ' \n'],
  ['is not JSON', (body) => String(new URLSearchParams(Object.entries(body)))],
  ['ends too early', (body) => JSON.stringify(body).slice(0, -1)],
  ['has a key __proto__', (body) => JSON.stringify(Object.fromEntries([...Object.entries(body), ['__proto__', {}]]))],
];

/** Operations with a body are those that return field errors. */
const takesBody = (operation: Operation): boolean => STATUSES[operation].some((status) => status === 422);

/** A request that also breaks every rule that is checked after the API key. */
const invalidThroughout = (operation: Operation, { path = {}, ...request }: Request): Request => ({
  ...request,
  path: Object.fromEntries(Object.keys(path).map((name) => [name, 'NOSUCHID'])),
  query: { ...request.query, page: '0' },
  ...(takesBody(operation) && { body: '{' }),
});

/**
 * Registers the tests that all operations have in common, grouped by status like those of the calling file.
 *
 * @param request Returns a new request that succeeds, for each test.
 */
export function testCommonBehaviour(operation: Operation, request: () => Promise<Request> | Request): void {
  describe(String(STATUSES[operation][0]), () => {
    test('warns about unknown fields and query parameters, and ignores them', async () => {
      const valid = await request();
      const { response, changed } = await storedBy(() =>
        call(operation, {
          ...valid,
          body: { ...(valid.body as object), status_of_mine: 'archived', 'a/b~c': { deep: 1 } },
          query: { ...valid.query, 'x-trace': '1' },
        }),
      );
      expect(response.status).toBe(STATUSES[operation][0]);
      expect(response.body.warnings).toEqual([
        unknownParameter('x-trace'),
        unknownField('/status_of_mine'),
        unknownField('/a~1b~0c'),
      ]);
      expect(JSON.stringify(changed)).not.toMatch(/status_of_mine|x-trace|deep/);
    });

    test('returns no warnings when every field and parameter is known', async () => {
      const { status, body } = await call(operation, await request());
      expect(status).toBe(STATUSES[operation][0]);
      expect(body).not.toHaveProperty('warnings');
    });
  });

  describe('400', () => {
    afterEach(() => {
      jest.restoreAllMocks();
    });

    if (takesBody(operation)) {
      test.each(MALFORMED_BODIES)('rejects a body that %s', async (_, malformed) => {
        const valid = await request();
        const body = malformed(valid.body as object);
        const { response, changed } = await storedBy(() => call(operation, { ...valid, body }));
        expectProblem(response, 'malformed_json', MALFORMED);
        expect(changed).toEqual({});
      });
    }

    test('returns server_error without internal details, stores nothing and accepts the request later', async () => {
      const valid = await request();
      // Caches the API key, so the operation fails rather than the authentication.
      await call('listBranches', { key: valid.key });
      const lines = captureLog();
      jest.spyOn(table, 'send').mockImplementation(() => Promise.reject(new Error('an internal')));

      const { response, changed } = await storedBy(() => call(operation, valid));

      expectProblem(response, 'server_error', SERVICE_FAILED);
      expect(changed).toEqual({});
      expect(lines()).toEqual([
        expect.objectContaining({
          level: 'ERROR',
          code: 'server_error',
          request_id: response.body.request_id,
          route: eventOf(operation, valid).routeKey,
          causes: [{ name: 'Error', message: 'an internal', stack: expect.any(String) }],
        }),
      ]);

      jest.restoreAllMocks();
      expect((await call(operation, valid)).status).toBe(STATUSES[operation][0]);
    });
  });

  describe('401', () => {
    test.each(INVALID_KEYS)('rejects a request %s before checking anything else', async (_, key) => {
      const valid = await request();
      for (const sent of [valid, invalidThroughout(operation, valid)]) {
        const { response, changed } = await storedBy(() => call(operation, { ...sent, key }));
        expectProblem(response, 'invalid_api_key', INVALID_KEY);
        expect(changed).toEqual({});
      }
    });
  });
}
