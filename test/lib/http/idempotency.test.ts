import { createHash } from 'node:crypto';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { issueApiKey } from '../../../lib/acquirers/keyring.ts';
import { getItem, table, tableName } from '../../../lib/table/client.ts';
import { idempotencyKeyKey } from '../../../lib/table/keys.ts';
import { type ApiResponse, call, expectProblem, type Operation, type Request } from '../../support/api.ts';
import { INVALID_IDEMPOTENCY_KEY, REUSED, unknownField } from '../../support/constants.ts';
import { captureLog } from '../../support/log.ts';
import { expectRefused } from '../../support/outcomes.ts';
import { storedBy } from '../../support/stored.ts';
import {
  archiveBranch,
  type Caller,
  newBranch,
  newTerminal,
  newWorld,
  numbered,
  unique,
  type World,
} from '../../support/world.ts';
import { cancelled } from '../table/errors.ts';
import { intercept, release } from '../table/intercept.ts';

let world: World;
let provider: Caller;
beforeAll(async () => {
  world = await newWorld();
  ({ provider } = world);
});

afterEach(() => {
  process.env['LOG_LEVEL'] = 'ERROR';
  jest.restoreAllMocks();
});

const newMid = async (): Promise<string> => (await newBranch(provider)).mid;
const branchBody = () => ({ mid: unique('MID'), master_merchant_id: unique('MM') });

/** The operations with an Idempotency-Key, each with a request that succeeds once. */
const OPERATIONS = {
  createBranch: {
    request: async () => ({
      body: { ...branchBody(), branch_name: 'Ñandú & "Café" 🏪', terminals: numbered(unique('T'), 1) },
    }),
    /** Fields that change nothing. */
    absent: { city: null, area: ' ' },
    /** Makes the request impossible to execute from then on. */
    thwart: (_: Request, mid: string) => archiveBranch(provider, mid),
  },
  createTerminals: {
    request: async () => ({
      path: { id: await newMid() },
      body: { terminals: [{ terminal_id: unique('T'), serial_no: unique('S') }, { terminal_id: unique('T') }] },
    }),
    absent: {},
    thwart: ({ path }: Request) => archiveBranch(provider, path?.['id'] as string),
  },
  reassignTerminal: {
    request: async () => ({
      path: { id: (await newTerminal(provider, await newMid())).tid },
      body: { mid: await newMid() },
    }),
    absent: {},
    thwart: ({ path }: Request) => call('deleteTerminal', { key: provider.key, path }),
  },
} satisfies Partial<Record<Operation, object>>;
type Name = keyof typeof OPERATIONS;
const NAMES = Object.keys(OPERATIONS) as Name[];

const send = (operation: Operation, request: Request, idempotencyKey: string, { key } = provider) =>
  call(operation, { ...request, key, headers: { 'idempotency-key': idempotencyKey } });
const create = (body: object, idempotencyKey: string) => send('createBranch', { body }, idempotencyKey);

const REPLAYED = 'idempotent-replayed';
const SECONDS_OF_A_DAY = 86_400;

/** Asserts the 422 of a reused key, whose single field error is about the whole request. */
function expectReused({ body: { errors, ...body }, ...response }: ApiResponse): void {
  expect(errors).toEqual([{ pointer: '', code: 'idempotency_key_reused', detail: REUSED }]);
  expectProblem({ ...response, body }, 'idempotency_key_reused', REUSED);
}

/** The stored responses among these changes. */
const recordsIn = (changed: Awaited<ReturnType<typeof storedBy>>['changed']) =>
  Object.entries(changed).filter(([key]) => key.startsWith('IDEMPOTENCY_KEY#'));
const recordKey = (key: string) => idempotencyKeyKey(provider.id, createHash('sha256').update(key).digest('hex'));
/** Changes the stored response of a key. */
const changeRecord = async (key: string, change: object) =>
  table.send(
    new PutCommand({ TableName: tableName(), Item: { ...(await getItem<object>(recordKey(key))), ...change } }),
  );

describe.each(NAMES)('%s with an Idempotency-Key', (operation) => {
  const { request: newRequest, absent, thwart } = OPERATIONS[operation];

  test('is executed once, and its response is stored for 24 hours and replayed byte for byte', async () => {
    const request = await newRequest();
    const key = unique('key');
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now);
    const { response: first, changed, events } = await storedBy(() => send(operation, request, key));
    const { status, body, headers } = first;
    expect(status).toBeLessThan(300);
    expect(headers).not.toHaveProperty(REPLAYED);
    const { pk, sk } = recordKey(key);
    expect(recordsIn(changed)).toEqual([
      [
        `${pk} ${sk}`,
        {
          status,
          body: JSON.stringify(body),
          ...(headers['location'] && { location: headers['location'] }),
          fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
          ttl: Math.floor(now / 1000) + SECONDS_OF_A_DAY,
        },
      ],
    ]);
    expect(JSON.stringify([changed, events])).not.toContain(key);

    // An equivalent request has a different text.
    const same = JSON.stringify({ ...absent, ...Object.fromEntries(Object.entries(request.body).reverse()) }, null, 2);
    for (const sent of [{ ...request, body: same }, request]) {
      const { response: again, changed } = await storedBy(() => send(operation, sent, key));
      expect(changed).toEqual({});
      expect(JSON.stringify(again.body)).toBe(JSON.stringify(body));
      const requestId = again.headers['x-request-id'];
      expect(again).toEqual({ ...first, headers: { ...headers, [REPLAYED]: 'true', 'x-request-id': requestId } });
      expect(requestId).not.toBe(headers['x-request-id']);
      await thwart(request, body.data.mid);
    }
  });

  test('is executed once by concurrent retries, which all get the same response', async () => {
    const request = await newRequest();
    const key = unique('key');
    const { response: responses, changed } = await storedBy(() =>
      Promise.all(Array.from({ length: 6 }, () => send(operation, request, key))),
    );
    expect(recordsIn(changed)).toHaveLength(1);
    expect(new Set(responses.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    expect(responses[0]?.status).toBeLessThan(300);
    expect(responses.filter(({ headers }) => !headers[REPLAYED])).toHaveLength(1);
  });

  test('rejects the other of two different concurrent requests', async () => {
    const requests = [await newRequest(), await newRequest()];
    const key = unique('key');
    const { response: responses, changed } = await storedBy(() =>
      Promise.all(requests.map((request) => send(operation, request, key))),
    );
    const [winner, ...more] = responses.filter(({ status }) => status < 300);
    expect(more).toEqual([]);
    expect(recordsIn(changed).map(([, record]) => record?.['body'])).toEqual([JSON.stringify(winner?.body)]);
    expectReused(responses.find((response) => response !== winner) as ApiResponse);
  });
});

describe('an Idempotency-Key that was used', () => {
  let key: string;
  let request: { path: { id: string }; body: object };
  let first: ApiResponse;
  beforeAll(async () => {
    key = unique('key');
    request = await OPERATIONS.createTerminals.request();
    first = await send('createTerminals', request, key);
  });

  test.each<[string, Operation, () => Promise<Request>]>([
    ['another body', 'createTerminals', async () => ({ ...request, body: { terminals: [{ terminal_id: 'OTHER' }] } })],
    ['another path', 'createTerminals', async () => ({ ...request, path: { id: await newMid() } })],
    ['another operation', 'createBranch', OPERATIONS.createBranch.request],
  ])('is rejected for a request with %s, and nothing is stored', async (_, operation, other) => {
    const sent = await other();
    const { response, changed } = await storedBy(() => send(operation, sent, key));
    expectReused(response);
    expect(changed).toEqual({});
  });

  test('replays the response to another API key of the acquirer, but not to another acquirer', async () => {
    const { api_key } = await issueApiKey(provider.id, 'another');
    const again = await send('createTerminals', request, key, { ...provider, key: api_key });
    expect([again.body, again.headers[REPLAYED]]).toEqual([first.body, 'true']);
    const body = branchBody();
    const theirs = await send('createBranch', { body }, key, world.stranger);
    expect([theirs.status, theirs.body.data.mid]).toEqual([201, body.mid]);
    expect(theirs.headers).not.toHaveProperty(REPLAYED);
  });

  test('can be used again after it expires, even if it is still in the table', async () => {
    const [key, body] = [unique('key'), branchBody()];
    await create(body, key);
    const expired = Math.floor(Date.now() / 1000);
    await changeRecord(key, { ttl: expired });
    // The request is executed again, and not replayed.
    expectProblem(await create(body, key), 'validation_failed', [['/mid', 'taken', 'Another branch has this MID.']]);
    const { response, changed } = await storedBy(() => create(branchBody(), key));
    expect(response.status).toBe(201);
    expect(response.headers).not.toHaveProperty(REPLAYED);
    const [[, record] = []] = recordsIn(changed);
    expect(record).toMatchObject({ body: JSON.stringify(response.body) });
    expect(record?.['ttl']).toBeGreaterThan(expired);
  });
});

describe('a stored response', () => {
  test('has no warnings: a retry gets its own', async () => {
    const [body, key] = [branchBody(), unique('key')];
    const first = await create({ ...body, typo: 1 }, key);
    expect(first.body.warnings).toEqual([unknownField('/typo')]);
    expect((await create(body, key)).body).toEqual({ data: first.body.data });
    expect((await create({ ...body, typo: 1 }, key)).body).toEqual(first.body);
  });

  test('is never a problem: a retry with the same Idempotency-Key can succeed', async () => {
    const [from, to] = [await newMid(), await newMid()];
    const { tid, terminal_id } = await newTerminal(provider, from);
    const request = { path: { id: to }, body: { terminals: [{ terminal_id }] } };
    const key = unique('key');
    await expectRefused(() => send('createTerminals', request, key), 'validation_failed', [
      ['/terminals/0/terminal_id', 'taken', 'Another terminal has this terminal_id.'],
    ]);
    await call('deleteTerminal', { key: provider.key, path: { id: tid } });
    expect((await send('createTerminals', request, key)).status).toBe(201);
  });

  test('is deflated, since every KB costs', async () => {
    const [key, body] = [unique('key'), { ...branchBody(), terminals: numbered(unique('T'), 40) }];
    const text = JSON.stringify((await create(body, key)).body);
    const item = await getItem<{ body: Uint8Array }>(recordKey(key));
    expect(item?.body.length).toBeLessThan(Buffer.byteLength(text) / 3);
  });

  test('is replayed also if a retry comes while its transaction is in progress', async () => {
    const [body, key] = [branchBody(), unique('key')];
    const first = await create(body, key);
    const record = await getItem<object>(recordKey(key));
    // As on AWS: a plain read does not see it yet, and a transactional read conflicts until it is stored.
    await table.send(new DeleteCommand({ TableName: tableName(), Key: recordKey(key) }));
    intercept(async (send, { operation }) => {
      if (operation !== 'TransactGetItems') return send();
      release();
      await table.send(new PutCommand({ TableName: tableName(), Item: record }));
      throw cancelled('TransactionConflict');
    });
    const again = await create(body, key);
    expect([again.status, again.body, again.headers[REPLAYED]]).toEqual([201, first.body, 'true']);
  });

  test('is logged as replayed', async () => {
    process.env['LOG_LEVEL'] = 'INFO';
    const lines = captureLog();
    const [body, key] = [branchBody(), unique('key')];
    for (let sent = 1; sent <= 2; sent += 1) await create(body, key);
    const logged = lines().map(({ status, replayed, write_units }) => [status, replayed, write_units > 0]);
    expect(logged).toEqual([
      [201, undefined, true],
      [201, true, false],
    ]);
  });
});

describe('an Idempotency-Key', () => {
  test('that is not visible ASCII is rejected, and nothing is stored', async () => {
    const sent = () => create(branchBody(), 'my key');
    await expectRefused(sent, 'invalid_idempotency_key', INVALID_IDEMPOTENCY_KEY);
  });

  test.each([
    ['is one character', '!'],
    ['has 255 characters', '~'.repeat(255)],
    ['has the quotes of a structured field', '"8e03978e-40d5-43dd-bc93-6894a57f9324"'],
    ['contains a table key', 'X#IDEMPOTENCY_KEY#,'],
  ])('that %s is accepted', async (_, key) => {
    const body = branchBody();
    expect((await create(body, key)).status).toBe(201);
    expect((await create(body, key)).headers[REPLAYED]).toBe('true');
  });

  test('is ignored by operations that are safe to retry', async () => {
    const mid = await newMid();
    const { response, changed } = await storedBy(() => send('archiveBranch', { path: { mid } }, 'not a valid one'));
    expect(response.status).toBe(200);
    expect(Object.keys(changed)).toEqual([`BRANCH#${mid} BRANCH`]);
  });
});
