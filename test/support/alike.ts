import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { table } from '../../lib/table/client.ts';
import { call, eventOf, expectProblem, type Operation, type Request, STATUSES } from './api.ts';
import { INVALID_KEY, MALFORMED, SERVICE_FAILED, unknownField, unknownParameter } from './constants.ts';
import { captureLog } from './log.ts';
import { storedBy } from './stored.ts';

/** Keys that are no acquirer's, each with what is said of the call. */
const INVALID_KEYS: [string, string | undefined][] = [
  ['without a key', undefined],
  ['with an empty key', ''],
  ['with a key that is no API key', 'apk_wrong'],
  ['with a key that is mistyped', 'apk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  ['with a key that we never issued', 'apk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAZClWt'],
];

/** What is made of a valid body that is then refused, each with what is said of it. */
const MALFORMED_BODIES: [string, (body: object) => string | undefined][] = [
  ['is only white space', () => ' \n'],
  ['is not JSON', (body) => String(new URLSearchParams(Object.entries(body)))],
  ['ends too early', (body) => JSON.stringify(body).slice(0, -1)],
  ['has a key __proto__', (body) => JSON.stringify(Object.fromEntries([...Object.entries(body), ['__proto__', {}]]))],
];

/** Operations with a body are those that can find faults in it. */
const takesBody = (operation: Operation): boolean => STATUSES[operation].some((status) => status === 422);

/** A request that also breaks every rule that is looked at after the key. */
const brokenThroughout = (operation: Operation, { path = {}, ...request }: Request): Request => ({
  ...request,
  path: Object.fromEntries(Object.keys(path).map((name) => [name, 'NOSUCHID'])),
  query: { ...request.query, page: '0' },
  ...(takesBody(operation) && { body: '{' }),
});

/**
 * Registers what is alike for all operations, in groups by status of the calling file.
 *
 * @param request Makes a request that the operation answers with its 200 or 201, anew for each test.
 */
export function behavesAlike(operation: Operation, request: () => Promise<Request> | Request): void {
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

    test('returns no warnings when it knows every field and parameter', async () => {
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
      test.each(MALFORMED_BODIES)('refuses a body that %s', async (_, malformed) => {
        const valid = await request();
        const body = malformed(valid.body as object);
        const { response, changed } = await storedBy(() => call(operation, { ...valid, body }));
        expectProblem(response, 'malformed_json', MALFORMED);
        expect(changed).toEqual({});
      });
    }

    test('tells nothing of what went wrong inside the service, stores nothing, and takes the request later', async () => {
      const valid = await request();
      // Makes the key known, so that it is the operation that fails and not the look at the key.
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
    test.each(INVALID_KEYS)('refuses a call %s, before it looks at anything else of it', async (_, key) => {
      const valid = await request();
      for (const sent of [valid, brokenThroughout(operation, valid)]) {
        const { response, changed } = await storedBy(() => call(operation, { ...sent, key }));
        expectProblem(response, 'invalid_api_key', INVALID_KEY);
        expect(changed).toEqual({});
      }
    });
  });
}
