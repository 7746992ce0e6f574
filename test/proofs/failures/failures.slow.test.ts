import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  type ApiOperation,
  isOfWebhooks,
  readyRequest,
  type Subject,
  subjectOf,
} from '../../../infra/publish/contract/calls.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { addCard } from '../../../lib/operator/memberImport.ts';
import { type ApiResponse, call, expectProblem, OPERATIONS, type Request } from '../../support/api.ts';
import { SERVICE_BUSY } from '../../support/constants.ts';
import { isChange } from '../../support/contract.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import '../../../infra/local/patient.ts';
import { acceptAllPosts } from '../../support/requests.ts';
import { checkEach } from '../../support/walk.ts';
import { type Caller, newAcquirer, unique } from '../../support/world.ts';
import { type FailureName, type Outcome, outcomeOf, type Plan, stopTime } from './injected.ts';

/* Each operation while requests to the table fail. */

// A test of a webhook sends something between two writes. Its response says what became of that, not what is stored.
const ALL: ApiOperation[] = OPERATIONS.filter((operation) => operation !== 'testWebhook' && operation !== 'getCaller');
const WRITES = ALL.filter(isChange);
/** The retry quota of a process does not suffice for five requests in a row that each fail three times. */
const FEW_REQUESTS = ALL.filter((operation) => !['getTerminalHistory', 'listAllTerminals'].includes(operation));

/** What takes most of the items of a branch: one for each word. */
const NO_NAMES = { branch_name: undefined, area: undefined, city: undefined, master_merchant_name: undefined };
let writer: Caller;

/** A request that succeeds once. */
async function newRequest(operation: ApiOperation, caller: Caller): Promise<Request> {
  // A webhook keeps what earlier requests made of it, and a sixth is refused.
  const { key, ...own } = isOfWebhooks(operation) ? await newAcquirer('PAYMENT_PROVIDER', 'Quickpay') : caller;
  const request = await readyRequest(operation, subjectOf(unique(''), own), (each, sent) => {
    const body = each === 'createBranch' ? { ...sent.body, ...NO_NAMES } : sent.body;
    return call(each, { key, ...sent, body });
  });
  return { key, ...request };
}

/** The requests of the reads, in a world that nothing changes. */
const reads = new Map<ApiOperation, Request>();
const references = new Map<ApiOperation, { first: Outcome; again: Outcome }>();
const referenceOf = (operation: ApiOperation) => references.get(operation) as { first: Outcome; again: Outcome };
const requestOf = async (operation: ApiOperation) => reads.get(operation) ?? newRequest(operation, writer);
beforeAll(async () => {
  FEED.horizonMs = 0;
  acceptAllPosts();
  await addCard('anna', subjectOf('', { id: '', type: 'PAYMENT_PROVIDER' }).card);
  const reader = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  writer = await newAcquirer('PAYMENT_PROVIDER', 'Quickpay');
  for (const operation of ALL)
    if (!WRITES.includes(operation)) reads.set(operation, await newRequest(operation, reader));
  // Without a search, which sends nine requests at once.
  reads.set('listBranches', { ...reads.get('listBranches'), query: { sort: 'asc' } });
  stopTime();
  for (const operation of ALL) {
    const request = await requestOf(operation);
    const first = await outcomeOf({ operation, request });
    references.set(operation, { first, again: await outcomeOf({ operation, request }) });
  }
});
beforeEach(stopTime);
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(expectNoViolations);

/** Several failures, of which the types are names of failures. */
const names = (...failures: FailureName[]) => failures;
const THROTTLES = names('throttled', 'throttled', 'throttled');
const BUSY = names('cancelled as throttled', 'cancelled as throttled');
const each = (operations: ApiOperation[]) => operations.map((operation) => [operation, operation] as const);

test('When nothing fails, each operation succeeds, and only those that change something write', async () => {
  await checkEach<ApiOperation>(each(ALL), async (operation) => {
    const { first } = referenceOf(operation);
    expect([first.response.status < 300, first.late]).toEqual([true, 0]);
    expect(JSON.stringify(first.changes) !== '[[],{}]').toBe(WRITES.includes(operation));
  });
});

describe('The response is as without a failure, and a write is stored once, when', () => {
  test.each<[title: string, operations: ApiOperation[], target: Plan['target'], failures: FailureName[]]>([
    ['the table gets no request and returns no response', ALL, 'all', names('no response')],
    ['each request fails and then its connection is cut', ALL, 'all', names('internal server error', 'cut off')],
    ['each connection is cut twice after the table applied the request', ALL, 'all', names('lost', 'lost')],
    ['each request is throttled three times', FEW_REQUESTS, 'all', THROTTLES],
    ['a response stops half-way', WRITES, 'write', names('half a response')],
    ['a copy of the transaction arrives long after a later one', WRITES, 'write', names('overtaken')],
    [
      'a response comes too late, and then the table throttles more often than other requests are retried',
      WRITES,
      'write',
      names('late response', ...THROTTLES, ...BUSY, ...THROTTLES),
    ],
    [
      'the response is lost and then the transaction is in progress, in conflict and throttled',
      WRITES,
      'write',
      names('lost', 'in progress', 'in conflict', ...BUSY),
    ],
    [
      'conflicts and throttling cancel the transaction, and then its response is lost',
      WRITES,
      'write',
      names('in conflict', 'in conflict', ...BUSY, 'lost'),
    ],
    ['batches are left unprocessed twice', ALL, 'batch', names('left unprocessed', 'left unprocessed')],
  ])('%s', async (_, operations, target, failures) => {
    await checkEach<ApiOperation>(each(operations), async (operation) => {
      const { effect, late, failed } = await outcomeOf(
        { operation, request: await requestOf(operation) },
        { target, failures },
      );
      expect(effect).toEqual(referenceOf(operation).first.effect);
      expect([late, failed > 0 || target === 'batch']).toEqual([0, true]);
    });
  });
});

/** The most table requests of a call when everything is throttled, one to keep that it failed among them. */
const MOST_THROTTLED = 9;

function expectBusy(response: ApiResponse): void {
  expectProblem(response, 'server_error', SERVICE_BUSY);
  expect(response.headers).toEqual({
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'retry-after': expect.stringMatching(/^[1-5]$/),
    'x-request-id': response.body.request_id,
  });
}

/** The requests of failures that store nothing. */
const shared = new Map<ApiOperation, Request>();

describe('The response is a server error with Retry-After, and the same request succeeds later, when', () => {
  test.each<
    [title: string, operations: ApiOperation[], target: Plan['target'], failures: FailureName[], applied: boolean]
  >([
    ['everything is always throttled', ALL, 'all', THROTTLES, false],
    ['the reads always fail', ALL, 'reads', names('throttled', 'cut off', 'half a response', 'lost'), false],
    ['the table is never reachable', WRITES, 'write', names('cut off'), false],
    ['the table never responds', WRITES, 'write', names('no response'), false],
    ['the table always throttles and cancels the transaction', WRITES, 'write', [...THROTTLES, ...BUSY], false],
    ['another server always responds instead of the table', WRITES, 'write', names('half a response'), true],
    ['the response is lost and then the table is never reachable', WRITES, 'write', names('lost', 'cut off'), true],
    ['the response comes too late and then conflicts', WRITES, 'write', names('late response', 'in conflict'), true],
  ])('%s', async (_, operations, target, failures, applied) => {
    await checkEach<ApiOperation>(each(operations), async (operation) => {
      const isShared = !applied && target !== 'all';
      const request = (isShared && shared.get(operation)) || (await requestOf(operation));
      if (isShared) shared.set(operation, request);
      const { first, again } = referenceOf(operation);
      const failed = await outcomeOf({ operation, request }, { target, failures, lasts: true });
      expectBusy(failed.response);
      expect(failed.changes).toEqual(applied ? first.changes : [[], {}]);
      expect(failed.late).toBe(0);
      if (failures.every((failure) => failure === 'throttled')) expect(failed.sent).toBeLessThanOrEqual(MOST_THROTTLED);
      if (isShared) return;
      const repeated = await outcomeOf({ operation, request });
      expect(repeated.effect).toEqual(applied ? again.effect : first.effect);
    });
  });
});

test.each(['createBranch', 'createTerminals', 'reassignTerminal'] as const)(
  '%s with an Idempotency-Key is replayed after its response was lost',
  async (operation) => {
    const request = { ...(await requestOf(operation)), headers: { 'idempotency-key': unique('key') } };
    const { first } = referenceOf(operation);
    const plan: Plan = { target: 'write', failures: names('lost', 'cut off'), lasts: true };
    expectBusy((await outcomeOf({ operation, request }, plan)).response);
    const { response, changes } = await outcomeOf({ operation, request });
    expect(response).toMatchObject({ status: first.response.status, headers: { 'idempotent-replayed': 'true' } });
    expect(changes).toEqual([[], {}]);
  },
);

describe('When another request writes between a write and its retry, both end as if one had come first:', () => {
  /** Our operation, and the other one with the request that it makes. */
  const PAIRS: [ours: ApiOperation, other: ApiOperation, requestFrom: (ours: Request) => Partial<Request>][] = [
    ['archiveBranch', 'archiveBranch', () => ({})],
    ['createTerminals', 'createTerminals', () => ({})],
    ['deleteTerminal', 'deleteTerminal', () => ({})],
    ['updateTerminal', 'archiveTerminal', () => ({ body: { reason: 'Lost' } })],
    [
      'reassignTerminal',
      'archiveBranch',
      ({ body }) => ({ path: { mid: (body as Pick<Subject, 'mid'>).mid }, body: undefined }),
    ],
  ];
  test.each(PAIRS)('%s and %s', async (ours, other, requestFrom) => {
    const cases = (['cut off', 'overtaken', 'lost'] as const).map((name) => [name, name] as const);
    await checkEach<(typeof cases)[number][1]>(cases, async (name) => {
      const prepared = async () => {
        const request = await requestOf(ours);
        const theirs = { ...request, ...requestFrom(request) };
        return [
          { operation: ours, request },
          { operation: other, request: theirs },
        ] as const;
      };
      const [mine, theirs] = await prepared();
      const failures = names(`${name}, while another request writes`);
      const atOnce = await outcomeOf(mine, { target: 'write', failures }, theirs);
      const [first, second] = await prepared();
      const oneByOne = await outcomeOf(first, undefined, second, name === 'lost' ? 'after' : 'before');
      expect(atOnce.effect).toEqual(oneByOne.effect);
    });
  });
});
