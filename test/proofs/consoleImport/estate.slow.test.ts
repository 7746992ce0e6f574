import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Api } from '../../../functions/console/app/api.ts';
import { matchColumns } from '../../../functions/console/app/estate/columns.ts';
import { exportBranches, exportTerminals, saveExport } from '../../../functions/console/app/estate/export.ts';
import type { Waiting } from '../../../functions/console/app/estate/patience.ts';
import { planImport } from '../../../functions/console/app/estate/plan.ts';
import { readCsv } from '../../../functions/console/app/estate/readCsv.ts';
import { dryRun, type Ended, runImport } from '../../../functions/console/app/estate/run.ts';
import { discardImport, isRunning, loadImport, storeImport } from '../../../functions/console/app/estate/store.ts';
import type { Served } from '../../../infra/local/serve.ts';
import { tidOf } from '../../../lib/table/keys.ts';
import { call } from '../../support/api.ts';
import { seed } from '../../support/depth.ts';
import { serveHandlers } from '../../support/overHttp.ts';
import { storedBy } from '../../support/stored.ts';
import { archiveBranch, type Caller, newAcquirer, newBranch, newTerminal, unique } from '../../support/world.ts';
import {
  Copies,
  type Estate,
  type EstateRow,
  expectStored,
  exported,
  newEstate,
  newRows,
  planOf,
  problem,
  recordsIn,
  reported,
  runUntil,
  signedIn,
  started,
  type Wire,
} from './estate.ts';

let server: Served;
let caller: Caller;
let client: (wire?: Wire) => Api;
beforeAll(async () => {
  server = await serveHandlers();
  caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  client = await signedIn(caller, server);
});
afterAll(() => server.stop());

const { signal } = new AbortController();
const expectedOf = ({ rows }: Pick<Estate, 'rows'>) => rows.map(({ expected }) => expected);
const size = { rows: 100, mistakes: 13 };

describe('an estate with mistakes of every kind', () => {
  test('a dry run reports them all and stores nothing, and the import after it sends only the others', async () => {
    const estate = await newEstate(size, seed);
    const plan = await planOf(estate);
    const client = await signedIn(estate.caller, server);
    const { response: checked, changed } = await storedBy(() => dryRun(client(), plan, { signal }));
    // The use of the session is stored too.
    expect(
      Object.keys(changed).filter((key) => /^(?:BRANCH|TERMINAL|SERIAL|IDEMPOTENCY_KEY|EVENTS)#/.test(key)),
    ).toEqual([]);
    expect(checked.is).toBe('finished');
    expect(reported(plan, checked)).toEqual(expectedOf(estate));

    const statuses = new Set<number>();
    const wire: Wire = async (_, send) => {
      const response = await send();
      statuses.add(response.status);
      return response;
    };
    const storage = await started(plan, checked.ledger.known());
    const ended = await runImport(client(wire), storage, { signal });
    expect(reported(plan, ended)).toEqual(expectedOf(estate));
    expect([...statuses]).toEqual([201]);
    await expectStored(estate, client());
  });
});

describe('an import that is continued', () => {
  test('finds what another person did meanwhile', async () => {
    const rows = newRows(60, 2, 1);
    const plan = await planOf({ rows });
    const storage = await started(plan);
    await runUntil({ request: 1, when: 'stored' }, storage, client);

    const [there, elsewhere] = rows.slice(50) as [EstateRow, EstateRow];
    await newTerminal(caller, there.cells.mid as string, {
      terminal_id: there.cells.terminal_id,
      serial_no: there.cells.serial_no,
    });
    await newBranch(caller, { terminals: [{ terminal_id: elsewhere.cells.terminal_id }] });
    const [one, , archived] = rows.slice(60) as [EstateRow, EstateRow, EstateRow];
    await newBranch(caller, { ...branchOf(one), city: 'Braga', terminals: [terminalOf(one)] });
    await newBranch(caller, branchOf(archived));
    await archiveBranch(caller, archived.cells.mid as string);

    there.expected = { outcome: 'exists', problems: [['terminal_model', 'differs']] };
    elsewhere.expected = { outcome: 'refused', problems: [['terminal_id', 'taken']] };
    one.expected = { outcome: 'exists', problems: [['city', 'differs']] };
    archived.expected = { outcome: 'refused', problems: [['mid', 'branch_archived']] };
    const ended = await runImport(client(), storage, { signal });
    expect(reported(plan, ended)).toEqual(expectedOf({ rows }));
    expect(ended).toMatchObject({
      ledger: {
        counts: {
          branches: { created: 1, exists: 2, refused: 0, left: 0 },
          terminals: { created: 59, exists: 2, refused: 2, left: 0 },
        },
      },
    });
  });

  test('finds what it created, if its key has expired', async () => {
    const rows = newRows(45, 2);
    const plan = await planOf({ rows });
    const storage = await started(plan);
    await runUntil({ request: 1, when: 'executed' }, storage, client);
    const expired: Wire = (request, send) => {
      request.headers.delete('idempotency-key');
      return send();
    };
    await runUntil({ request: 3, when: 'executed' }, storage, client, expired);
    const ended = await runImport(client(expired), storage, { signal });
    expect(ended).toMatchObject({ is: 'finished', ledger: { problems: [] } });
    expect(reported(plan, ended).map(({ outcome }) => outcome === 'refused')).not.toContain(true);
    expect(ended).toMatchObject({ ledger: { counts: { terminals: { refused: 0, left: 0 } } } });
  });

  test.each<[string, () => Promise<Response>, object]>([
    ['the session has ended', async () => problem(401, 'invalid_session'), { code: 'invalid_session' }],
    ['the role does not permit it', async () => problem(403, 'insufficient_permission'), { status: 403 }],
    ['the service fails without Retry-After', async () => problem(400, 'server_error'), { code: 'server_error' }],
    ['a firewall refuses it', async () => new Response('<html>', { status: 403 }), { code: 'unexpected_response' }],
    ['the person does not sign in again', () => Promise.reject(notSignedIn()), undefined as unknown as object],
  ])('was paused because %s', async (_, failure, problem) => {
    const rows = newRows(2, 2);
    const plan = await planOf({ rows });
    const storage = await started(plan);
    let requests = 0;
    const wire: Wire = (_, send) => {
      requests += 1;
      return requests === 2 ? failure() : send();
    };
    const paused = await runImport(client(wire), storage, { signal });
    expect(paused).toMatchObject({ is: 'paused', ledger: { counts: { branches: { created: 1, left: 1 } } } });
    expect(paused).toHaveProperty('problem', problem && expect.objectContaining(problem));
    const ended = await runImport(client(), storage, { signal });
    expect(reported(plan, ended)).toEqual(expectedOf({ rows }));
  });

  test('was paused by a person, who waits for the responses that are under way', async () => {
    const plan = await planOf({ rows: newRows(1, 1, 1, 1, 1, 1) });
    const storage = await started(plan);
    const pause = new AbortController();
    let requests = 0;
    const wire: Wire = (_, send) => {
      requests += 1;
      if (requests === 3) pause.abort();
      return send();
    };
    const paused = await runImport(client(wire), storage, { signal: pause.signal });
    expect(paused).toMatchObject({ is: 'paused', problem: undefined });
    // The first comes before all others of its master merchant.
    const { created, left } = (paused as Extract<Ended, { is: 'paused' }>).ledger.counts.branches;
    expect({ created, left }).toEqual({ created: requests, left: 6 - requests });
    expect((await loadImport(storage))?.ledger.counts).toEqual(
      (paused as Extract<Ended, { is: 'paused' }>).ledger.counts,
    );
    expect(await runImport(client(), storage, { signal })).toMatchObject({
      is: 'finished',
      ledger: { counts: { branches: { created: 6, left: 0 } } },
    });
  });

  test.each<[string, Wire, Waiting['reason'] | undefined]>([
    ['there is no connection', () => Promise.reject(new TypeError('fetch failed')), 'connection'],
    ['the limit is exceeded', async () => problem(429, 'rate_limited', { 'retry-after': '60' }), 'rate_limit'],
    ['the service is unavailable', async () => problem(400, 'server_error', { 'retry-after': '60' }), 'service'],
    ['there is no response', () => new Promise(() => {}), undefined],
  ])('is paused while %s', async (_, wire, reason) => {
    const plan = await planOf({ rows: newRows(1, 1) });
    const pause = new AbortController();
    const seen = new Set<string>();
    const onProgress = (_: unknown, waiting: Waiting | undefined) => {
      if (!waiting) return;
      expect(waiting.until).toBeGreaterThan(Date.now() - 1000);
      seen.add(waiting.reason);
      pause.abort();
    };
    if (!reason) setTimeout(() => pause.abort(), 10);
    const paused = await dryRun(client(wire), plan, { signal: pause.signal, onProgress });
    expect(paused).toMatchObject({ is: 'paused', problem: undefined, ledger: { counts: { branches: { left: 2 } } } });
    expect([...seen]).toEqual(reason ? [reason] : []);
  });

  test('refuses the terminals that its branch has no room for', async () => {
    const rows = newRows(45);
    const plan = await planOf({ rows });
    const wire: Wire = async (request, send) =>
      request.url.includes('/terminals/') ? problem(400, 'too_many_terminals') : send();
    const ended = await runImport(client(wire), await started(plan), { signal });
    expect(reported(plan, ended).slice(39)).toEqual([
      { outcome: 'created', problems: [] },
      ...Array(5).fill({ outcome: 'refused', problems: [['mid', 'too_many_terminals']] }),
    ]);
  });

  test('runs in one tab at a time, and is not discarded while it runs', async () => {
    const plan = await planOf({ rows: newRows(1) });
    const storage = await started(plan);
    const file = { fileName: 'other.csv', plan };
    expect(await storeImport(storage, file)).toBeUndefined();
    const runs = Promise.all([1, 2].map(() => runImport(client(), storage, { signal })));
    await new Promise((done) => setTimeout(done, 1));
    const { id } = (await loadImport(storage))?.stored ?? { id: '' };
    expect(await isRunning(id)).toBe(true);
    expect(await discardImport(storage)).toBe(false);
    expect((await runs).map(({ is }) => is).sort()).toEqual(['elsewhere', 'finished']);
    expect(await isRunning(id)).toBe(false);
    expect(await discardImport(storage)).toBe(true);
    expect(await discardImport(storage)).toBe(true);
    expect(await runImport(client(), storage, { signal })).toEqual({ is: 'elsewhere' });
    expect(await storeImport(storage, file)).toMatchObject({ fileName: 'other.csv' });
  });

  test('rejects if an outcome cannot be stored, and sends nothing more', async () => {
    const storage = await started(await planOf({ rows: newRows(1, 1, 1) }));
    let requests = 0;
    const wire: Wire = (_, send) => {
      requests += 1;
      return send();
    };
    class Full extends Copies {
      override set(): never {
        throw new Error('The quota is exceeded.');
      }
    }
    const full = new Full();
    for (const [key, value] of await storage.entries()) Copies.prototype.set.call(full, key, value);
    await expect(runImport(client(wire), full, { signal })).rejects.toThrow('The quota is exceeded.');
    expect(requests).toBe(1);
  });
});

const notSignedIn = () => Object.assign(new Error('The session has ended.'), { name: 'NotSignedIn' });

/** The fields of a branch, or of a terminal, in a row. */
const terminalOf = ({ cells: { terminal_id, serial_no, terminal_model } }: EstateRow) => ({
  terminal_id,
  serial_no,
  terminal_model,
});
const branchOf = ({ cells: { terminal_id: _, serial_no: __, terminal_model: ___, ...branch } }: EstateRow) => branch;

describe('an export', () => {
  /** A person of a new acquirer. */
  async function newExporter() {
    const caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    return { caller, client: await signedIn(caller, server) };
  }

  test('of terminals can be imported again, into nothing new', async () => {
    const { caller, client } = await newExporter();
    const rows = newRows(3, 1, 50);
    const storage = await started(await planOf({ rows }));
    await runImport(client(), storage, { signal });
    await newBranch(caller, {
      branch_name: '=HYPERLINK("http://example.com")',
      terminals: [{ terminal_id: unique('T') }],
    });
    const file = (await saveExport(exportTerminals(client(), { signal }))) as Blob;
    expect(await file.text()).toContain(`"'=HYPERLINK(""http`);
    const { header, rows: read } = await readCsv(file);
    const ended = await dryRun(client(), planImport({ rows: read }, matchColumns(header)), { signal });
    expect(ended.ledger.problems).toEqual([]);
    expect(ended.ledger.counts).toEqual({
      rows: { created: 0, exists: 55, refused: 0, left: 0 },
      branches: { created: 0, exists: 4, refused: 0, left: 0 },
      terminals: { created: 0, exists: 55, refused: 0, left: 0 },
    });
  });

  test('of one branch has all its terminals, though one is deleted meanwhile', async () => {
    const { caller, client } = await newExporter();
    const rows = newRows(120);
    await runImport(client(), await started(await planOf({ rows })), { signal });
    const [first] = rows as [EstateRow];
    const mid = first.cells.mid as string;
    let isDeleted = false;
    const wire: Wire = async (request, send) => {
      if (request.url.includes('page=2') && !isDeleted) {
        isDeleted = true;
        const path = { id: tidOf(first.cells.terminal_id as string) };
        expect((await call('deleteTerminal', { key: caller.key, path })).status).toBe(200);
      }
      return send();
    };
    const found = await exported(exportTerminals(client(wire), { signal, mid }));
    expect(found.map(({ terminal_id }) => terminal_id).sort()).toEqual(
      rows
        .slice(1)
        .map(({ cells }) => cells.terminal_id as string)
        .sort(),
    );
    expect(found[0]).toMatchObject({ mid, merchant_name: 'Harbour', city: 'Porto', status: 'active' });
  });

  test('finds branches by a search', async () => {
    const { caller, client } = await newExporter();
    const [{ mid }] = await Promise.all(
      ['Ribeira', 'Harbour'].map((branch_name) => newBranch(caller, { branch_name })),
    );
    const found = await exported(exportBranches(client(), { signal, search: 'ribeira' }));
    expect(found.map((branch) => branch['mid'])).toEqual([mid]);
  });

  test('is written to a stream, which is aborted if it fails', async () => {
    const { caller, client } = await newExporter();
    const { mid } = await newBranch(caller);
    const written: string[] = [];
    let aborted: unknown;
    const stream = () =>
      new WritableStream<string>({
        write: (chunk) => void written.push(chunk),
        abort: (reason) => {
          aborted = reason;
        },
      });
    expect(await saveExport(exportBranches(client(), { signal }), stream())).toBeUndefined();
    expect(recordsIn(written.join(''))[0]).toMatchObject({ mid });
    const chunks = exportTerminals(client(), { signal, mid: unique('B') });
    await expect(saveExport(chunks, stream())).rejects.toMatchObject({ problem: { code: 'not_found' } });
    expect(aborted).toMatchObject({ name: 'Interrupted' });
  });

  test('ends when it is aborted, also while it waits', async () => {
    const { client } = await newExporter();
    const abort = new AbortController();
    const waits: (Waiting | undefined)[] = [];
    const onWaiting = (waiting: Waiting | undefined) => {
      waits.push(waiting);
      abort.abort();
    };
    const wire: Wire = async () => problem(429, 'rate_limited', { 'retry-after': '60' });
    const chunks = exportBranches(client(wire), { signal: abort.signal, onWaiting });
    await expect(saveExport(chunks)).rejects.toMatchObject({ name: 'Interrupted', problem: undefined });
    expect(waits[0]).toMatchObject({ reason: 'rate_limit' });
  });

  test.each([
    [exportBranches, '/merchants'],
    [exportTerminals, '/terminals'],
  ])('%p rejects with the problem of a response', async (exported, path) => {
    const { caller, client } = await newExporter();
    await newBranch(caller);
    const wire: Wire = async (request, send) => (request.url.includes(path) ? problem(400, 'invalid_query') : send());
    await expect(saveExport(exported(client(wire), { signal }))).rejects.toMatchObject({
      problem: { code: 'invalid_query' },
    });
  });
});
