import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { isOfRefused, isOfWebhooks } from '../../infra/publish/contract/calls.ts';
import { UUID } from '../../lib/base/mid.ts';
import type { ProblemCode } from '../../lib/base/problem.ts';
import { table } from '../../lib/table/client.ts';
import {
  type ApiResponse,
  call,
  eventOf,
  invoke,
  OPERATIONS,
  type Operation,
  type Request,
  STATUSES,
} from '../support/api.ts';
import {
  FOREIGN_TERMINAL,
  INVALID_KEY,
  malformed,
  NO_BRANCH,
  NO_TERMINAL,
  NO_WEBHOOK,
  SERVICE_FAILED,
  unknownField,
  unknownParameter,
} from '../support/constants.ts';
import { hasBody } from '../support/contract.ts';
import { captureLog } from '../support/log.ts';
import { expectRefused as expectRefusal } from '../support/outcomes.ts';
import { newRequests } from '../support/requests.ts';
import { storedBy } from '../support/stored.ts';
import type { World } from '../support/world.ts';

/*
 * What all operations have in common, by one case each. The tests in test/lib/http cover each rule in full.
 */

let world: World;
/** Makes a request that the operation accepts once, from the payment provider. */
let requestOf: (operation: Operation) => Promise<Request>;
/** Such a request of each operation. All but the last tests refuse it. */
const requests = new Map<Operation, Request>();
beforeAll(async () => {
  ({ world, requestOf } = await newRequests());
  for (const operation of OPERATIONS) requests.set(operation, await requestOf(operation));
});
afterEach(() => void jest.restoreAllMocks());

/** Sends the request of an operation with changes. Asserts that it gets this problem and stores nothing. */
const expectRefused = (
  operation: Operation,
  changes: Request,
  code: ProblemCode,
  detail: string,
): Promise<ApiResponse> =>
  expectRefusal(() => call(operation, { ...requests.get(operation), ...changes }), code, detail);

/** The path of an operation for another branch, terminal or webhook. */
const pathTo = (operation: Operation, id: string) =>
  Object.fromEntries(Object.keys(requests.get(operation)?.path ?? {}).map((name) => [name, id]));

test.each(OPERATIONS)('%s rejects an API key that was never issued', async (operation) => {
  const key = 'apk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAZClWt';
  await expectRefused(operation, { key }, 'invalid_api_key', INVALID_KEY);
});

test.each(OPERATIONS.filter(hasBody))('%s rejects a body that is not JSON', async (operation) => {
  const detail = malformed("Expected property name or '}' in JSON at position 1.");
  await expectRefused(operation, { body: '{' }, 'malformed_json', detail);
});

// That of the caller needs only what authenticates.
test.each(OPERATIONS.filter((operation) => operation !== 'getCaller'))(
  '%s returns server_error without internal details, and logs them',
  async (operation) => {
    // Caches the API key, so the operation fails rather than the authentication.
    await call('listBranches', { key: world.provider.key });
    const lines = captureLog();
    jest.spyOn(table, 'send').mockImplementation(() => Promise.reject(new Error('an internal')));
    const { headers, body } = await expectRefused(operation, {}, 'server_error', SERVICE_FAILED);
    expect(headers).not.toHaveProperty('retry-after');
    expect(lines()).toEqual([
      expect.objectContaining({
        level: 'ERROR',
        code: 'server_error',
        request_id: body.request_id,
        route: eventOf(operation, {}).routeKey,
        causes: [{ name: 'Error', message: 'an internal', stack: expect.any(String) }],
      }),
    ]);
  },
);

const NO_TID = '3f0e8a52-7c1d-4b9e-a6f4-5d2c1b0a9e87';
/**
 * An id that does not exist, the problem for it, and that for other acquirers. test/proofs/hostile has all other ids.
 */
const REFUSALS = {
  getBranch: ['NOSUCHMID', 'not_found', NO_BRANCH],
  updateBranch: ['NOSUCHMID', 'not_found', NO_BRANCH],
  getBranchHistory: ['NOSUCHMID', 'not_found', NO_BRANCH],
  archiveBranch: ['NOSUCHMID', 'not_found', NO_BRANCH],
  restoreBranch: ['NOSUCHMID', 'not_found', NO_BRANCH],
  listTerminals: ['NOSUCHMID', 'not_found', NO_BRANCH],
  createTerminals: ['NOSUCHMID', 'not_found', NO_BRANCH],
  getTerminalHistory: [NO_TID, 'not_found', NO_TERMINAL],
  getWebhook: [NO_TID, 'not_found', NO_WEBHOOK],
  updateWebhook: [NO_TID, 'not_found', NO_WEBHOOK],
  deleteWebhook: [NO_TID, 'not_found', NO_WEBHOOK],
  rotateWebhookSecret: [NO_TID, 'not_found', NO_WEBHOOK],
  testWebhook: [NO_TID, 'not_found', NO_WEBHOOK],
  rewindWebhook: [NO_TID, 'not_found', NO_WEBHOOK],
  listDeliveries: [NO_TID, 'not_found', NO_WEBHOOK],
  deleteTerminal: [NO_TID, 'not_found', NO_TERMINAL],
  restoreTerminal: [NO_TID, 'not_found', NO_TERMINAL],
  updateTerminal: [NO_TID, 'not_found', NO_TERMINAL, 'not_under_requesting_psp', FOREIGN_TERMINAL],
  archiveTerminal: [NO_TID, 'not_found', NO_TERMINAL, 'not_under_requesting_psp', FOREIGN_TERMINAL],
  reassignTerminal: [NO_TID, 'not_found', NO_TERMINAL, 'not_under_requesting_psp', FOREIGN_TERMINAL],
} as const;

test('REFUSALS has every operation with the id of a branch, terminal or webhook in its path', () => {
  const withId = OPERATIONS.filter((operation) => /\{(mid|id)\}/.test(eventOf(operation, {}).routeKey));
  expect(Object.keys(REFUSALS).sort()).toEqual(withId.sort());
});

describe.each(Object.keys(REFUSALS) as (keyof typeof REFUSALS)[])('%s', (operation) => {
  const [id, code, detail, foreignCode = code, foreignDetail = detail] = REFUSALS[operation];
  // A cursor of another webhook is refused before.
  const others: Request = operation === 'listDeliveries' ? { query: {} } : {};

  test('returns 404 for an unknown id', async () => {
    await expectRefused(operation, { ...others, path: pathTo(operation, id) }, code, detail);
  });

  test(`returns ${foreignCode} to other acquirers`, async () => {
    for (const { key } of [world.secondProvider, world.stranger, world.strangeDistributor])
      await expectRefused(operation, { ...others, key }, foreignCode, foreignDetail);
  });
});

const upperCase = (text: string) => text.toUpperCase();

test.each(OPERATIONS)(
  '%s accepts the request later, also from the distributor, and warns of unknown fields and, if it reads, parameters',
  async (operation) => {
    const isRead = eventOf(operation, {}).routeKey.startsWith('GET');
    const { key, path, query, body } = requests.get(operation) as Request;
    const { response, changed } = await storedBy(() =>
      call(operation, {
        // A cursor is of its acquirer only, and so are a webhook and a refused request.
        key:
          isOfWebhooks(operation) || isOfRefused(operation) || ['listEvents', 'listAllTerminals'].includes(operation)
            ? key
            : world.distributor.key,
        // UUIDs in paths may be in either case.
        path: Object.fromEntries(Object.entries(path ?? {}).map(([name, id]) => [name, id.replace(UUID, upperCase)])),
        // A name that may be a secret is not shown.
        query: { ...query, ...(isRead && { 'x-trace': '1', '4111 1111 1111 1111': '1' }) },
        body: { ...(body as object), status_of_mine: 'archived', 'a/b~c': { deep: 1 } },
      }),
    );
    expect(response.status).toBe(STATUSES[operation][0]);
    expect(response.body.warnings).toEqual([
      ...(isRead ? [unknownParameter('x-trace'), unknownParameter('')] : []),
      unknownField('/status_of_mine'),
      unknownField('/a~1b~0c'),
    ]);
    expect(JSON.stringify(changed)).not.toMatch(/status_of_mine|x-trace|4111 1111|deep/);
  },
);

test('an operation without a body ignores whatever is sent', async () => {
  const { status, body } = await call('listBranches', { key: world.provider.key, body: '{' });
  expect([status, body.warnings]).toEqual([200, undefined]);
});

const OF_TERMINALS = OPERATIONS.filter((operation) =>
  /^(update|delete|archive|restore|reassign)Terminal/.test(operation),
);
test.each(OF_TERMINALS)('%s returns 404 for a deleted terminal', async (operation) => {
  const request = await requestOf(operation);
  await call('deleteTerminal', { key: request.key, path: request.path });
  await expectRefused(operation, request, 'not_found', NO_TERMINAL);
});

describe('any other method and path', () => {
  /** Asserts the problem of a request as the gateway passes it on when no route matches. */
  const expectUnknown = (method: string, path: string, key: string | undefined, code: ProblemCode, detail: string) =>
    expectRefusal(
      () =>
        invoke('unknownRoute', {
          ...eventOf('unknownRoute', { key, body: '{' }),
          routeKey: '$default',
          rawPath: path,
          requestContext: { http: { method, path } } as ReturnType<typeof eventOf>['requestContext'],
        }),
      code,
      detail,
    );

  test('returns 401 without a valid API key', async () => {
    await expectUnknown('GET', '/', undefined, 'invalid_api_key', INVALID_KEY);
  });

  test.each([
    ['PUT', '/ext/api/v1/merchants'],
    ['GET', '/.env'],
  ])('returns 404: %s %s', async (method, path) => {
    const detail = 'No such operation. Check the method and the path.';
    await expectUnknown(method, path, world.provider.key, 'not_found', detail);
  });
});
