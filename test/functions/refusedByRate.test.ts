import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type ApiOperation, readyRequest, subjectOf } from '../../infra/publish/contract/calls.ts';
import { consoleRequestOf } from '../../infra/publish/contract/consoleCalls.ts';
import { CONSOLE_OPERATIONS, type ConsoleOperation } from '../../infra/publish/contract/invoke.ts';
import { issueApiKey } from '../../lib/acquirers/keyring.ts';
import { referenceCache } from '../../lib/acquirers/reference.ts';
import { FEED } from '../../lib/events/feed.ts';
import { limitAcquirer } from '../../lib/operator/acquirerChanges.ts';
import { addCard } from '../../lib/operator/memberImport.ts';
import { once, table, tableName } from '../../lib/table/client.ts';
import { rateLimitKey } from '../../lib/table/keys.ts';
import { cancelled, named } from '../lib/table/errors.ts';
import { failTable } from '../lib/table/intercept.ts';
import { type ApiResponse, call, OPERATIONS, type Request } from '../support/api.ts';
import '../support/awsUnits.ts';
import { isChange } from '../support/contract.ts';
import { captureLog } from '../support/log.ts';
import { personOf } from '../support/people.ts';
import { acceptAllPosts } from '../support/requests.ts';
import { type Sent, tableRequestsBy } from '../support/tableRequests.ts';
import { type Caller, newAcquirer, unique } from '../support/world.ts';

/*
 * Each operation, whatever is left of its acquirer's quota: it is refused before its rules read anything, or not at
 * all.
 */

const LIMIT = { rate: 100, burst: 100 };
let window = Math.floor(Date.now() / 1000);

/** Starts a window of which so many tokens are left. */
async function startWindow({ id }: Caller, left: number, share: string): Promise<void> {
  window += 10;
  jest.spyOn(Date, 'now').mockReturnValue(window * 1000 + 100);
  const input = {
    TableName: tableName(),
    Key: rateLimitKey(id, share, window),
    UpdateExpression: 'SET taken = :taken',
    ExpressionAttributeValues: { ':taken': LIMIT.burst - left },
  };
  await table.send(once(new UpdateCommand(input)));
}

/** What is read and written to know who calls, and to count their requests. */
const OF_CALLER = /"pk":"(?:API_KEY|API_KEY_USE|SESSION|SESSION_USE|PERSON|PEOPLE|PEOPLE_USE|ACQUIRERS|RATE_LIMIT)[#"]/;
const ofRules = ({ requests }: Sent) =>
  requests.filter(({ input }) => !OF_CALLER.test(JSON.stringify(input))).map(({ operation }) => operation);

/** Sends requests with 0, 1, 2, 4… tokens left until one is accepted. Returns how many were left for it. */
async function leastAccepted(caller: Caller, share: string, send: () => Promise<ApiResponse>): Promise<number> {
  for (let left = 0; left <= 2 * LIMIT.burst; left = 2 * left || 1) {
    await startWindow(caller, Math.min(left, LIMIT.burst), share);
    referenceCache.clear();
    const sent = await tableRequestsBy(send);
    if (sent.response.status !== 429) return left;
    expect(sent.response.body.code).toBe('rate_limited');
    expect(ofRules(sent)).toEqual([]);
  }
  throw new Error('It was never accepted.');
}

let caller: Caller;
let admin: Request['session'];
beforeAll(async () => {
  FEED.horizonMs = 0;
  acceptAllPosts();
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  await addCard('anna', subjectOf('', provider).card);
  admin = (await personOf(provider.id, 'admin')).session;
  await limitAcquirer(provider.id, LIMIT);
  // No process has cached it.
  caller = { ...provider, key: (await issueApiKey(provider.id, 'limited')).api_key };
});
let unlimited: Caller;
beforeAll(async () => {
  unlimited = await newAcquirer('PAYMENT_PROVIDER', 'Quickpay');
});
beforeEach(() => {
  // Leases do not time out, however slow this machine is.
  jest.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
});
afterEach(() => void jest.restoreAllMocks());

/** A request that succeeds once, of what the limited acquirer has. */
async function prepared(operation: ApiOperation): Promise<Request> {
  const subject = subjectOf(unique(''), caller);
  await startWindow(caller, LIMIT.burst, 'requests');
  const request = await readyRequest(operation, subject, async (each, sent) => {
    const response = await call(each, { key: caller.key, ...sent });
    expect([200, 201, each === 'getBranch' ? 404 : 200]).toContain(response.status);
    await startWindow(caller, LIMIT.burst, 'requests');
    return response;
  });
  return { key: caller.key, ...request };
}

describe('a 429 comes before the first read of the rules, whatever is left of the quota', () => {
  test.each(OPERATIONS)('%s', async (operation) => {
    const request = await prepared(operation);
    const share = operation === 'memberCheck' ? 'member-checks' : 'requests';
    const least = await leastAccepted(caller, share, () => call(operation, request));
    // Reads have two tokens that are not leased.
    expect(least).toBeGreaterThanOrEqual(Number(isChange(operation)));
  });

  const NOBODY = '5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11';
  const OWN: ConsoleOperation[] = ['getSession', 'signOut', 'leave'];
  test.each(CONSOLE_OPERATIONS.filter((operation) => !OWN.includes(operation)))('%s', async (operation) => {
    const subject = { key_id: '000000000000', person: NOBODY, invitation: NOBODY, email: `${operation}@example.com` };
    const request = consoleRequestOf(operation, subject);
    await leastAccepted(caller, 'requests', () => call(operation, { session: admin as never, ...request }));
  });
});

describe('a change that is accepted is not refused when others write at the same moment, however often', () => {
  test.each(OPERATIONS.filter(isChange))('%s', async (operation) => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    captureLog();
    const request = await prepared(operation);
    const least = await leastAccepted(caller, 'requests', async () => {
      // None is written.
      const sent = failTable(() => named('ValidationException'), { operations: ['TransactWriteItems'] });
      const response = await call(operation, request);
      expect(sent.length).toBe(response.status === 429 ? 0 : 1);
      return response;
    });
    await startWindow(caller, least, 'requests');
    failTable(() => cancelled('TransactionConflict'), { operations: ['TransactWriteItems'], times: 5 });
    const response = await call(operation, request);
    expect(response.status).toBeLessThan(300);
    // The next request pays for it.
    expect((await call('archiveBranch', { key: caller.key, path: { mid: 'NOSUCHMID' } })).status).toBe(429);
  });
});

test('a stage without limits refuses nobody', async () => {
  const { status, headers } = await call('listBranches', { key: unlimited.key });
  expect([status, headers['ratelimit']]).toEqual([200, undefined]);
});
