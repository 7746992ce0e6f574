import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createClient } from '../../../../docs/client/client.ts';
import { type Served, serve } from '../../../../infra/local/serve.ts';
import { packClient } from '../../../../infra/publish/contract/clientPackage.ts';

test('the same sources produce the same tarball, byte for byte', async () => {
  expect((await packClient()).equals(await packClient())).toBe(true);
});

describe('the client', () => {
  /** What the server does with a request, in order of attempts. */
  type Reaction = (response: ServerResponse, request: IncomingMessage) => unknown;
  let reactions: Reaction[];
  let received: { method: string; key: unknown; idempotencyKey: unknown; body: string }[];
  let server: Served;

  beforeAll(async () => {
    server = await serve(async (request, response) => {
      const { method = '', headers } = request;
      const body = await text(request);
      received.push({ method, key: headers['api-key'], idempotencyKey: headers['idempotency-key'], body });
      reactions[received.length - 1]?.(response, request);
    });
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    received = [];
    // No backoff between attempts.
    jest.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const problem =
    (status: number, code: string, headers = {}): Reaction =>
    (response) =>
      response
        .writeHead(status, { 'content-type': 'application/problem+json', ...headers })
        .end(JSON.stringify({ code }));
  const html =
    (status: number): Reaction =>
    (response) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end('<p>No</p>');
  const soon = { 'retry-after': '0.001' };
  const cut: Reaction = (_, { socket }) => socket.destroy();
  const cutWithin: Reaction = (response, { socket }) =>
    response.writeHead(200, { 'content-length': 100 }).write('{', () => socket.destroy());
  const success: Reaction = (response) =>
    response.writeHead(201, { 'content-type': 'application/json' }).end('{ "data": { "mid": "A" } }');

  const create = (options = {}, headers = {}) =>
    createClient({ baseUrl: server.url, apiKey: 'apk_test', ...options }).POST('/ext/api/v1/merchants', {
      body: { mid: 'A', master_merchant_id: 'B' },
      headers,
    });

  test('sends the API key, and retries with the same body and Idempotency-Key until it succeeds', async () => {
    reactions = [cut, cutWithin, problem(429, 'rate_limited', soon), html(502), success];
    const { data } = await create();
    expect(data?.data.mid).toBe('A');
    expect(received).toHaveLength(5);
    expect(new Set(received.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(received[0]).toEqual({
      method: 'POST',
      key: 'apk_test',
      idempotencyKey: expect.stringMatching(/^[\da-f-]{36}$/),
      body: '{"mid":"A","master_merchant_id":"B"}',
    });
  });

  test('retries a server error with Retry-After and a request that times out', async () => {
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort());
    reactions = [problem(400, 'server_error', soon), success];
    expect((await create({ timeoutMs: 60_000 })).response.status).toBe(201);
    expect(received).toHaveLength(2);
    expect(timeout.mock.calls).toEqual([[60_000], [60_000], [60_000]]);
  });

  test('uses the caller’s Idempotency-Key', async () => {
    reactions = [success];
    await create({}, { 'Idempotency-Key': 'mine' });
    expect(received.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['mine']);
  });

  test.each([
    ['a validation problem', problem(422, 'validation_failed'), 'validation_failed'],
    ['a server error without Retry-After', problem(400, 'server_error'), 'server_error'],
  ])('returns %s without a retry', async (_, reaction, code) => {
    reactions = [reaction];
    expect((await create()).error?.code).toBe(code);
    expect(received).toHaveLength(1);
  });

  test('returns the last problem when its attempts are used up', async () => {
    reactions = [problem(429, 'rate_limited', soon), problem(429, 'rate_limited', soon)];
    expect((await create({ attempts: 2 })).error?.code).toBe('rate_limited');
    expect(received).toHaveLength(2);
  });

  test.each([
    ['a gateway fails each time', 2, [html(502), html(503)], 'HTTP 503 from a gateway before the service'],
    ['a gateway rejects the request', 1, [html(403)], 'HTTP 403 from a gateway before the service'],
    ['the connection is reset each time', 2, [cut, cut], 'fetch failed'],
  ])('throws when %s', async (_, attempts, each, message) => {
    reactions = each;
    await expect(create({ attempts: 2 })).rejects.toThrow(message);
    expect(received).toHaveLength(attempts);
  });

  test('stops when its caller aborts', async () => {
    const stop = new AbortController();
    reactions = [() => stop.abort()];
    const api = createClient({ baseUrl: server.url, apiKey: 'apk_test' });
    await expect(api.GET('/ext/api/v1/merchants', { signal: stop.signal })).rejects.toThrow('aborted');
    expect(received).toHaveLength(1);
  });

  describe.each([301, 302, 303, 307, 308])('when the base URL redirects with %i to another host', (status) => {
    let other: Served;
    let arrived: string[];
    beforeEach(async () => {
      arrived = [];
      other = await serve((request, response) => {
        arrived.push(`${request.method} ${request.url}`);
        response.writeHead(201, { 'content-type': 'application/json' }).end('{ "data": { "mid": "A" } }');
      });
      reactions = [
        (response, { url }) => response.writeHead(status, { location: `${other.url}${url}?x=1` }).end(),
        success,
      ];
    });
    afterEach(() => other.stop());

    test.each([
      ['a call', {}],
      ['a call that wants redirects followed', { redirect: 'follow' as const }],
      ['a call with a fetch of its own', { fetch: (request: Request) => fetch(request) }],
      ['a call with both', { redirect: 'follow' as const, fetch: (request: Request) => fetch(request) }],
    ])('%s sends neither key nor body there, and says what to change', async (_, options) => {
      const api = createClient({ baseUrl: server.url, apiKey: 'apk_test' });
      const body = { mid: 'A', master_merchant_id: 'B' };
      await expect(api.POST('/ext/api/v1/merchants', { body, ...options })).rejects.toThrow(
        `HTTP ${status}: ${server.url}/ext/api/v1/merchants redirects to ${other.url}/ext/api/v1/merchants, where ` +
          `nothing was sent. Set baseUrl to your base URL.`,
      );
      expect(received).toHaveLength(1);
      expect(arrived).toEqual([]);
    });
  });
});
