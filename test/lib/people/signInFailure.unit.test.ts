import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Served, serve } from '../../../infra/local/serve.ts';
import { failureOf, fetchFromIssuer, IssuerFailure } from '../../../lib/people/signInFailure.ts';

/** What an error of openid-client may quote, and a log must not have. */
const QUOTED = 'alice@payfair.example';
const errorWith = (more: object) => Object.assign(new Error(`Rejected for ${QUOTED}`), more);

/** An error within so many others. */
const within = (depth: number, error: object): object =>
  depth === 0 ? error : errorWith({ cause: within(depth - 1, error) });

describe('failureOf', () => {
  test.each<[string, unknown, string, boolean]>([
    ['undefined', undefined, 'UNKNOWN', false],
    ['a text', QUOTED, 'UNKNOWN', false],
    ['an error without a code', errorWith({}), 'UNKNOWN', false],
    ['a code that is a sentence', errorWith({ code: QUOTED }), 'UNKNOWN', false],
    ['a code that is too long', errorWith({ code: 'A'.repeat(61) }), 'UNKNOWN', false],
    ['a code that is no text', errorWith({ code: 7 }), 'UNKNOWN', false],
    ['a code', errorWith({ code: 'OAUTH_INVALID_RESPONSE' }), 'OAUTH_INVALID_RESPONSE', false],
    ['a code of an outage', errorWith({ code: 'OAUTH_RESPONSE_IS_NOT_JSON' }), 'OAUTH_RESPONSE_IS_NOT_JSON', true],
    ['a code and a claim', within(2, { code: 'FAILED', claim: 'nonce' }), 'FAILED nonce', false],
    ['a claim that is no name', errorWith({ code: 'FAILED', claim: QUOTED }), 'FAILED', false],
    ['a claim without a code', errorWith({ claim: 'nonce' }), 'UNKNOWN nonce', false],
    ['a code in its fifth cause', within(4, { code: 'DEEP' }), 'DEEP', false],
    ['a code deeper than that', within(5, { code: 'DEEP' }), 'UNKNOWN', false],
    ['an OAuth error', errorWith({ error: 'invalid_grant', code: 'OAUTH' }), 'invalid_grant', false],
    ['an OAuth error of an outage', within(1, { error: 'server_error' }), 'server_error', true],
    ['an OAuth error of its own', errorWith({ error: QUOTED }), 'unknown_error', false],
    ['an OAuth error that is no text', errorWith({ error: {}, code: 'CODE' }), 'CODE', false],
  ])('reduces %s to a reason that quotes nothing', (_, error, reason, isOutage) => {
    const failure = failureOf(error);
    expect(failure).toBeInstanceOf(IssuerFailure);
    expect({ ...failure, message: failure.message }).toEqual({
      name: 'IssuerFailure',
      message: reason,
      reason,
      isOutage,
      isTimeout: false,
    });
    expect(`${failure.stack}`).not.toContain(QUOTED);
  });

  test('returns a failure among the causes as it is', () => {
    const failure = new IssuerFailure('TIMEOUT', { isOutage: true, isTimeout: true });
    expect(failureOf(failure)).toBe(failure);
    expect(failureOf(errorWith({ code: 'CODE', error: 'invalid_grant', cause: failure }))).toBe(failure);
  });

  test('ends for an error that is its own cause', () => {
    const error = errorWith({});
    expect(failureOf(Object.assign(error, { cause: error })).reason).toBe('UNKNOWN');
  });
});

describe('fetchFromIssuer', () => {
  let issuer: Served;
  beforeAll(async () => {
    issuer = await serve((request, response) => {
      const [, status, length] = request.url?.split('/') ?? [];
      if (status === 'reset') return void request.socket.destroy();
      response.writeHead(Number(status), {
        'x-connection': request.headers.connection,
        'x-accept': request.headers.accept,
      });
      response.end('a'.repeat(Number(length)));
    });
  });
  afterAll(() => issuer.stop());
  const get = (path: string, options: object = {}) => fetchFromIssuer(`${issuer.url}/${path}`, options);

  test('returns any other response, of up to 1 MB', async () => {
    for (const [status, length] of [
      [200, 1_000_000],
      [400, 3],
      [204, 0],
    ] as const) {
      const response = await get(`${status}/${length}`, { headers: { accept: 'application/json' } });
      expect([response.status, (await response.text()).length]).toEqual([status, length]);
      expect(response.headers.get('x-connection')).toBe('close');
      expect(response.headers.get('x-accept')).toBe('application/json');
    }
  });

  test.each([
    ['500/3', 'HTTP_500'],
    ['503/0', 'HTTP_503'],
    ['429/3', 'HTTP_429'],
    ['200/1000001', 'RESPONSE_TOO_LARGE'],
    ['reset', 'UND_ERR_SOCKET'],
  ])('throws an outage for the response %s', async (path, reason) => {
    await expect(get(path)).rejects.toMatchObject({ name: 'IssuerFailure', reason, isOutage: true, isTimeout: false });
  });

  test('throws an outage for a request that fails without a code', async () => {
    // Fetch connects to no port of another protocol.
    const failure = { reason: 'NO_RESPONSE', message: 'NO_RESPONSE', isOutage: true, isTimeout: false };
    await expect(fetchFromIssuer('http://127.0.0.1:6667/', {})).rejects.toMatchObject(failure);
  });

  test('throws a timeout if the signal of the request is one', async () => {
    const signal = AbortSignal.abort(new DOMException('too late', 'TimeoutError'));
    const failure = { reason: 'TIMEOUT', isOutage: true, isTimeout: true };
    await expect(get('200/3', { signal })).rejects.toMatchObject(failure);
  });
});
