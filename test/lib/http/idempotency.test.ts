import { createHash } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { handler as createBranch } from '../../../functions/branches/createBranch.ts';
import { handler as createTerminals } from '../../../functions/terminals/createTerminals.ts';
import { handler as reassignTerminal } from '../../../functions/terminals/reassignTerminal.ts';
import { issueApiKey } from '../../../lib/operator/apiKeys.ts';
import { getItem, table, tableName } from '../../../lib/table/client.ts';
import { idempotencyKeyKey } from '../../../lib/table/keys.ts';
import { type ApiResponse, call, eventOf, expectProblem, type Operation, type Request } from '../../support/api.ts';
import { INVALID_IDEMPOTENCY_KEY, REUSED, unknownField } from '../../support/constants.ts';
import { captureLog } from '../../support/log.ts';
import { stored, storedBy } from '../../support/stored.ts';
import {
  addNames,
  archiveBranch,
  newBranch,
  newTerminal,
  newWorld,
  numbered,
  unique,
  type World,
} from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

/** The POST operations that change something, each with a request that succeeds once. */
const OPERATIONS: Record<
  'createBranch' | 'createTerminals' | 'reassignTerminal',
  {
    request: () => Promise<Request>;
    /** Different requests, by what differs. */
    others: Record<string, (request: Request) => Promise<Request>>;
    /** An equivalent request with a different body text. */
    same: (request: Request) => Request;
    /** Makes the request impossible to execute from then on. */
    thwart: (request: Request, response: ApiResponse) => Promise<unknown>;
    handler: unknown;
  }
> = {
  createBranch: {
    request: async () => ({
      body: {
        mid: unique('MID'),
        branch_name: 'Ñandú & Søn "Café" 🏪',
        master_merchant_id: unique('MM'),
        terminals: [{ terminal_id: unique('T') }],
      },
    }),
    others: {
      'another MID': async ({ body }) => ({ body: { ...(body as object), mid: unique('MID') } }),
      'a further field': async ({ body }) => ({ body: { ...(body as object), city: 'Porto' } }),
    },
    same: ({ body }) => ({
      body: JSON.stringify(
        Object.fromEntries(Object.entries({ ...(body as object), city: null, area: ' ' }).reverse()),
        null,
        2,
      ),
    }),
    thwart: (_, { body }) => archiveBranch(world.provider, body.data.mid),
    handler: createBranch,
  },
  createTerminals: {
    request: async () => ({
      path: { id: (await newBranch(world.provider)).mid },
      body: { terminals: [{ terminal_id: unique('T'), serial_no: unique('S') }, { terminal_id: unique('T') }] },
    }),
    others: {
      'another terminal': async ({ path }) => ({ path, body: { terminals: [{ terminal_id: unique('T') }] } }),
      'another branch': async ({ body }) => ({ path: { id: (await newBranch(world.provider)).mid }, body }),
    },
    same: ({ path, body }) => ({ path, body: JSON.stringify(body, null, 2) }),
    thwart: ({ path }) => archiveBranch(world.provider, path?.['id'] as string),
    handler: createTerminals,
  },
  reassignTerminal: {
    request: async () => {
      const [from, to] = await Promise.all([newBranch(world.provider), newBranch(world.provider)]);
      return { path: { id: (await newTerminal(world.provider, from.mid)).tid }, body: { mid: to.mid } };
    },
    others: {
      'another target': async ({ path }) => ({ path, body: { mid: (await newBranch(world.provider)).mid } }),
      'another terminal': async ({ body }) => ({
        path: { id: (await newTerminal(world.provider, (await newBranch(world.provider)).mid)).tid },
        body,
      }),
    },
    same: ({ path, body }) => ({ path, body: JSON.stringify(body, null, 2) }),
    thwart: ({ path }) => call('deleteTerminal', { key: world.provider.key, path }),
    handler: reassignTerminal,
  },
};
const NAMES = Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[];

const send = (operation: Operation, request: Request, idempotencyKey: string, { key } = world.provider) =>
  call(operation, { ...request, key, headers: { 'idempotency-key': idempotencyKey } });

const REPLAYED = 'idempotent-replayed';
const SECONDS_OF_A_DAY = 86_400;

/** Asserts the 422 of a reused key, whose single field error is about the whole request. */
function expectReused({ body: { errors, ...body }, ...response }: ApiResponse): void {
  expect(errors).toEqual([{ pointer: '', code: 'idempotency_key_reused', detail: REUSED }]);
  expectProblem({ ...response, body }, 'idempotency_key_reused', REUSED);
}

/** The keys of idempotency items among these changes. */
const recordsIn = (items: Record<string, unknown>) =>
  Object.keys(items).filter((key) => key.startsWith('IDEMPOTENCY_KEY#'));

describe.each(NAMES)('%s with an Idempotency-Key', (operation) => {
  const { request: newRequest, others, same, thwart, handler } = OPERATIONS[operation];
  let request: Request;
  let key: string;
  beforeAll(async () => {
    request = await newRequest();
    key = unique('key');
  });

  test('is executed, and its response is stored for 24 hours', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { response, changed } = await storedBy(() => send(operation, request, key));
    expect(response.status).toBeLessThan(300);
    expect(response.headers).not.toHaveProperty(REPLAYED);
    const [record = '', ...more] = recordsIn(changed);
    expect(more).toEqual([]);
    expect(record).toMatch(new RegExp(`^IDEMPOTENCY_KEY#${world.provider.id}#[0-9a-f]{64} IDEMPOTENCY_KEY$`));
    expect(changed[record]).toEqual({
      status: response.status,
      body: JSON.stringify(response.body),
      ...(response.headers['location'] && { location: response.headers['location'] }),
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      ttl: expect.any(Number),
    });
    const ttl = changed[record]?.['ttl'] as number;
    expect(ttl).toBeGreaterThanOrEqual(before + SECONDS_OF_A_DAY);
    expect(ttl).toBeLessThanOrEqual(Date.now() / 1000 + SECONDS_OF_A_DAY);
  });

  test('stores no warnings: a retry gets its own', async () => {
    const request = await newRequest();
    const key = unique('key');
    const withTypo = { ...request, body: { ...(request.body as object), typo: 1 } };
    const first = await send(operation, withTypo, key);
    expect(first.body.warnings).toEqual([unknownField('/typo')]);
    const again = await send(operation, request, key);
    expect(again.headers).toHaveProperty(REPLAYED);
    expect(again.body).toEqual({ data: first.body.data });
    const { warnings } = (await send(operation, withTypo, key)).body;
    expect(warnings).toEqual([unknownField('/typo')]);
  });

  test('replays the same response, byte for byte, and does not execute the request again', async () => {
    const request = await newRequest();
    const key = unique('key');
    const raw = async (sent: Request): Promise<APIGatewayProxyStructuredResultV2> => {
      const event = eventOf(operation, { ...sent, key: world.provider.key, headers: { 'idempotency-key': key } });
      const run = handler as (event: APIGatewayProxyEventV2, context: Context) => Promise<never>;
      return run(event, { awsRequestId: unique('request') } as Context);
    };
    const first = await raw(request);
    for (const sent of [request, same(request)]) {
      const { response: again, changed } = await storedBy(() => raw(sent));
      expect(changed).toEqual({});
      expect(again.body).toBe(first.body);
      expect(again.statusCode).toBe(first.statusCode);
      expect(again.headers).toEqual({
        ...first.headers,
        [REPLAYED]: 'true',
        'x-request-id': again.headers?.['x-request-id'],
      });
      expect(again.headers?.['x-request-id']).not.toBe(first.headers?.['x-request-id']);
    }
  });

  test('replays it even if its result has changed or the request could no longer succeed', async () => {
    const request = await newRequest();
    const key = unique('key');
    const first = await send(operation, request, key);
    await thwart(request, first);
    const { response: again, changed } = await storedBy(() => send(operation, request, key));
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect(changed).toEqual({});
  });

  test('replays it for another API key of the same acquirer', async () => {
    const { api_key } = await issueApiKey(world.provider.id, 'another');
    const again = await send(operation, request, key, { ...world.provider, key: api_key });
    expect(again.headers[REPLAYED]).toBe('true');
  });

  test.each(Object.keys(others))('rejects a different request (%s) and stores nothing', async (name) => {
    const other = (await others[name]?.(request)) as Request;
    const { response, changed } = await storedBy(() => send(operation, other, key));
    expectReused(response);
    expect(changed).toEqual({});
  });

  test('rejects a request to another operation', async () => {
    for (const other of NAMES.filter((name) => name !== operation)) {
      const response = await send(other, await OPERATIONS[other].request(), key);
      expectReused(response);
    }
  });

  test('does not replay the response of another acquirer', async () => {
    const body = { mid: unique('MID'), master_merchant_id: unique('MM') };
    const response = await send('createBranch', { body }, key, world.stranger);
    expect([response.status, response.body.data.mid]).toEqual([201, body.mid]);
    expect(response.headers).not.toHaveProperty(REPLAYED);
  });

  test('executes concurrent retries once and returns the same response to all', async () => {
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

  test('executes only one of two different concurrent requests and rejects the other', async () => {
    const requests = [await newRequest(), await newRequest()];
    const key = unique('key');
    const { response: responses, changed } = await storedBy(() =>
      Promise.all(requests.map((request) => send(operation, request, key))),
    );
    const [winner, ...more] = responses.filter(({ status }) => status < 300);
    expect(more).toEqual([]);
    expect(recordsIn(changed).map((record) => changed[record]?.['body'])).toEqual([JSON.stringify(winner?.body)]);
    const loser = responses.find((response) => response !== winner) as ApiResponse;
    expectReused(loser);
  });

  test('can be used again after it expires, even if it is still in the table', async () => {
    const key = unique('key');
    const [first, second] = [await newRequest(), await newRequest()];
    const { changed } = await storedBy(() => send(operation, first, key));
    const [name = ''] = recordsIn(changed);
    const [pk, sk] = name.split(' ');
    const expired = Math.floor(Date.now() / 1000);
    await table.send(new PutCommand({ TableName: tableName(), Item: { ...changed[name], pk, sk, ttl: expired } }));

    const response = await send(operation, second, key);
    expect(response.status).toBeLessThan(300);
    expect(response.headers).not.toHaveProperty(REPLAYED);
    expect((await stored())[name]).toMatchObject({ body: JSON.stringify(response.body) });
    expect((await stored())[name]?.['ttl']).toBeGreaterThan(expired);
  });
});

describe('a problem', () => {
  test('is not stored: a retry with the same Idempotency-Key can succeed', async () => {
    const { provider } = world;
    const [from, to] = await Promise.all([newBranch(provider), newBranch(provider)]);
    const terminal_id = unique('T');
    const request = { path: { id: to.mid }, body: { terminals: [{ terminal_id }] } };
    const { tid } = await newTerminal(provider, from.mid, { terminal_id });
    const key = unique('key');

    const { response, changed } = await storedBy(() => send('createTerminals', request, key));
    expectProblem(response, 'validation_failed', [
      ['/terminals/0/terminal_id', 'taken', 'Another terminal has this terminal_id.'],
    ]);
    expect(changed).toEqual({});

    await call('deleteTerminal', { key: provider.key, path: { id: tid } });
    expect((await send('createTerminals', request, key)).status).toBe(201);
  });
});

test('a stored response is deflated, since every KB of a write costs', async () => {
  const key = unique('key');
  const body = { mid: unique('MID'), master_merchant_id: unique('MM'), terminals: numbered(unique('T'), 40) };
  const response = await send('createBranch', { body }, key);
  const item = await getItem<{ body: Uint8Array }>(
    idempotencyKeyKey(world.provider.id, createHash('sha256').update(key).digest('hex')),
  );
  expect(item?.body.length).toBeLessThan(Buffer.byteLength(JSON.stringify(response.body)) / 3);
  expect(await send('createBranch', { body }, key)).toMatchObject({ status: 201, body: response.body });
});

test('a response that an earlier version stored as text is replayed', async () => {
  const key = unique('key');
  const body = { mid: unique('MID'), master_merchant_id: unique('MM') };
  const response = await send('createBranch', { body }, key);
  const item = await getItem(idempotencyKeyKey(world.provider.id, createHash('sha256').update(key).digest('hex')));
  await table.send(new PutCommand({ TableName: tableName(), Item: { ...item, body: JSON.stringify(response.body) } }));
  const again = await send('createBranch', { body }, key);
  expect([again.status, again.body, again.headers[REPLAYED]]).toEqual([201, response.body, 'true']);
});

test('the log distinguishes a replayed response from an execution', async () => {
  process.env['LOG_LEVEL'] = 'INFO';
  const lines = captureLog();
  const request = { body: { mid: unique('MID'), master_merchant_id: unique('MM') } };
  const key = unique('key');
  for (let sent = 1; sent <= 2; sent += 1) await send('createBranch', request, key);
  const logged = lines().map(({ status, replayed, write_units }) => [status, replayed, write_units > 0]);
  expect(logged).toEqual([
    [201, undefined, true],
    [201, true, false],
  ]);
  jest.restoreAllMocks();
  process.env['LOG_LEVEL'] = 'ERROR';
});

describe('an Idempotency-Key', () => {
  const body = () => ({ mid: unique('MID'), master_merchant_id: unique('MM') });

  test.each([
    ['is empty', ''],
    ['has 256 characters', 'k'.repeat(256)],
    ['has a space', 'my key'],
    ['has a control character', 'key\u0000'],
    ['has a character that is not ASCII', 'clé'],
  ])('that %s is rejected, and nothing is stored', async (_, key) => {
    for (const operation of NAMES) {
      const request = await OPERATIONS[operation].request();
      const { response, changed } = await storedBy(() => send(operation, request, key));
      expectProblem(response, 'invalid_idempotency_key', INVALID_IDEMPOTENCY_KEY);
      expect(changed).toEqual({});
    }
  });

  test.each([
    ['is one character', '!'],
    ['has 255 characters', '~'.repeat(255)],
    ['has the quotes of a structured field', '"8e03978e-40d5-43dd-bc93-6894a57f9324"'],
    ['contains a table key', 'X#IDEMPOTENCY_KEY#,'],
  ])('that %s is accepted', async (_, key) => {
    const request = { body: body() };
    expect((await send('createBranch', request, key)).status).toBe(201);
    expect((await send('createBranch', request, key)).headers[REPLAYED]).toBe('true');
  });

  test('is accepted with the largest possible response', async () => {
    const { provider } = world;
    const name = '🏪'.repeat(250);
    await addNames(provider, { paymentApps: [name], masterAcquirers: [name] });
    const text = '🏪'.repeat(255);
    const identifier = () => unique('X').padEnd(255, 'X');
    const terminals = Array.from({ length: 40 }, () => ({
      terminal_id: identifier(),
      serial_no: identifier(),
      terminal_model: text,
      payment_app: name,
      acquirer_name: name,
    }));
    const request = { path: { id: (await newBranch(provider)).mid }, body: { terminals } };
    const key = unique('key');
    const first = await send('createTerminals', request, key);
    expect(first.status).toBe(201);
    const again = await send('createTerminals', request, key);
    expect([again.headers[REPLAYED], again.body]).toEqual(['true', first.body]);
  });

  test('is not readable in the table', async () => {
    const key = unique('MYSECRET');
    await send('createBranch', { body: body() }, key);
    expect(JSON.stringify(await stored())).not.toContain(key);
  });

  test('is ignored by operations that are safe to retry', async () => {
    const { mid } = await newBranch(world.provider);
    const { response, changed } = await storedBy(() => send('archiveBranch', { path: { mid } }, 'not a valid one'));
    expect(response.status).toBe(200);
    expect(Object.keys(changed)).toEqual([`BRANCH#${mid} BRANCH`]);
  });
});
