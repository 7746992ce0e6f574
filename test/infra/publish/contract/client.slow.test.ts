import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { build } from 'esbuild';
import { createClient } from '../../../../docs/client/client.ts';
import { type Served, serve } from '../../../../infra/local/serve.ts';
import { packClient } from '../../../../infra/publish/contract/clientPackage.ts';
import { installClient } from '../../../support/installedClient.ts';
import { ownFolder, runScript } from '../../../support/scripts.ts';

test('the same sources produce the same tarball, byte for byte', async () => {
  expect((await packClient()).equals(await packClient())).toBe(true);
});

describe('the estate of the installed package', () => {
  const folder = ownFolder();
  const program = join(folder, 'program.ts');

  /** A partner's own: fills an estate, applies an event to it, and prints what a copy of what it packs returns. */
  const PROGRAM = `
    import { apply, type Branch, type Event, type Terminal } from 'acquirer-partner-api-client/apply';
    import { type Count, createEstate, type Estate } from 'acquirer-partner-api-client/estate';

    const at = '2026-06-15T12:00:00.000Z';
    const times = { created_at: at, updated_at: at, archived_at: null };
    const business = { master_merchant_name: null, master_merchant_id: 'BIZ' };
    const branchOf = (mid: string, city: string): Branch =>
      ({ mid, merchant_name: 'Café ' + city, area: null, city, ...business, status: 'active', ...times });
    const lacks = { serial_no: null, payment_app: null, acquirer_name: null, archive_reason: null };
    const terminalOf = (number: number, mid: string): Terminal => ({
      ...{ tid: '00000000-0000-5000-8000-00000000000' + number, terminal_id: 'T017' + number, mid, ...lacks },
      ...{ terminal_model: 'Model ' + (number % 2), status: 'active', ...times },
    });

    const estate: Estate = createEstate();
    for (const branch of [branchOf('M1', 'Porto'), branchOf('M2', 'Łódź')]) estate.branches.set(branch.mid, branch);
    for (const terminal of [terminalOf(1, 'M1'), terminalOf(2, 'M2'), terminalOf(3, 'M2')])
      estate.terminals.set(terminal.tid, terminal);
    const before = estate.pack();
    const data = { ...branchOf('M1', 'Porto'), status: 'archived', archived_at: at };
    apply(estate, { type: 'branch.archived', at, branch: data, data, changes: null } as unknown as Event);

    const copy = createEstate();
    copy.unpack(before);
    copy.unpack(estate.pack());
    const all = { text: '', filters: {} };
    const sort = { by: 'terminal_id', isDescending: true } as const;
    const part = { from: 0, to: 10 };
    const ids = ({ rows }: ReturnType<Estate['terminalsIn']>) => rows.map(({ terminal }) => terminal.terminal_id);
    const counts: Count[] = copy.countTerminals(all, 'status');
    const branches = copy.branchesIn({ ...all, sort: 'terminals' }, part).rows;
    console.log(JSON.stringify({
      sizes: [copy.branches.size, copy.terminals.size],
      found: ids(copy.terminalsIn({ ...all, text: 'lodz', sort }, part)),
      filtered: ids(copy.terminalsIn({ ...all, filters: { city: ['Porto'], status: ['archived'] }, sort }, part)),
      counts,
      branches: branches.map(({ branch, active }) => [branch.mid, active]),
      cities: copy.countBranches(all, 'city'),
      byPart: ids(copy.findByPart('173', 5)),
    }));
  `;
  const PRINTED = {
    sizes: [2, 3],
    found: ['T0173', 'T0172'],
    filtered: ['T0171'],
    counts: [
      ['active', 2],
      ['archived', 1],
    ],
    branches: [
      ['M2', 2],
      ['M1', 0],
    ],
    cities: [
      ['Porto', 1],
      ['Łódź', 1],
    ],
    byPart: ['T0173'],
  };
  const printedBy = async (file: string) => {
    const { stdout, stderr } = await runScript([file], { cwd: folder });
    return stderr || JSON.parse(stdout);
  };

  beforeAll(async () => {
    await installClient(folder);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(program, PROGRAM);
  });

  test('filters, counts, sorts, searches, follows events and is packed, in plain Node.js', async () => {
    expect(await printedBy(program)).toEqual(PRINTED);
  });

  test('does the same when a bundler packs it for browsers', async () => {
    const bundle = join(folder, 'bundle.js');
    await build({ entryPoints: [program], outfile: bundle, bundle: true, platform: 'browser', format: 'esm' });
    expect(await printedBy(bundle)).toEqual(PRINTED);
  });

  test('has types for a strict program, and needs no newer JavaScript than Node.js 20 has', async () => {
    const compilerOptions = {
      ...{ target: 'es2024', lib: ['es2023', 'dom'], module: 'nodenext', types: [], strict: true, noEmit: true },
      ...{ exactOptionalPropertyTypes: true, allowImportingTsExtensions: true, erasableSyntaxOnly: true },
    };
    const files = [program, resolve('docs/client/estate.ts')];
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const tsc = promisify(execFile)(resolve('node_modules/.bin/tsc'), { cwd: folder });
    expect(await tsc.catch(({ stdout }) => stdout)).toEqual({ stdout: '', stderr: '' });
  });
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
