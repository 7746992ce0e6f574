import { beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiResponse, call, expectProblem, type Operation, type Request } from '../support/api.ts';
import { REUSED } from '../support/constants.ts';
import { newRequests } from '../support/requests.ts';
import { storedBy } from '../support/stored.ts';
import { unique } from '../support/world.ts';

/* That a validation responds as the change would is in test/proofs/validation. */

/** Makes a request that the operation accepts once, from the payment provider. */
let requestOf: (operation: Operation) => Promise<Request>;
beforeAll(async () => {
  ({ requestOf } = await newRequests());
});

const REPLAYED = 'idempotent-replayed';
const withKey = (request: Request, key: string): Request => ({ ...request, headers: { 'idempotency-key': key } });

/** Validates a request, and asserts that nothing is stored. */
async function validate(operation: Operation, request: Request): Promise<ApiResponse> {
  const { response, changed } = await storedBy(() => call(operation, { ...request, query: { validate_only: 'true' } }));
  expect(changed).toEqual({});
  return response;
}

describe.each(['createBranch', 'createTerminals', 'reassignTerminal'] as const)('validate_only of %s', (operation) => {
  test('leaves an unused Idempotency-Key unused, and returns the saved response of a used one', async () => {
    const key = unique('key');
    const request = withKey(await requestOf(operation), key);
    const other = withKey(await requestOf(operation), key);
    for (const each of [request, other]) {
      const { status, headers } = await validate(operation, each);
      expect([status, headers[REPLAYED]]).toEqual([200, undefined]);
    }
    const done = await call(operation, request);
    expect(done.headers).not.toHaveProperty(REPLAYED);
    const replay = await validate(operation, request);
    const { etag, location, ...headers } = done.headers;
    expect(replay).toEqual({
      status: 200,
      headers: { ...headers, [REPLAYED]: 'true', 'x-request-id': expect.any(String) },
      body: done.body,
    });

    const { errors, ...body } = (await validate(operation, other)).body;
    expect(errors).toEqual([{ pointer: '', code: 'idempotency_key_reused', detail: REUSED }]);
    expect([body.status, body.code]).toEqual([422, 'idempotency_key_reused']);
  });
});

describe('validate_only', () => {
  test('must be true or false, and false makes the change', async () => {
    const request = await requestOf('createBranch');
    const create = (validate_only: string) =>
      storedBy(() => call('createBranch', { ...request, query: { validate_only } }));
    const { response, changed } = await create('1');
    expectProblem(response, 'invalid_query', 'validate_only: Must be true or false.');
    expect(changed).toEqual({});
    expect((await create('false')).response.status).toBe(201);
  });
});
