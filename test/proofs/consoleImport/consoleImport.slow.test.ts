import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Api } from '../../../functions/console/app/api/client.ts';
import { Interrupted } from '../../../functions/console/app/api/interrupted.ts';
import type { Waiting } from '../../../functions/console/app/api/patience.ts';
import {
  type ExportProgress,
  exportBranches,
  exportTerminals,
  saveExport,
} from '../../../functions/console/app/bulk/export.ts';
import { loadImport } from '../../../functions/console/app/bulk/loadImport.ts';
import { planImport } from '../../../functions/console/app/bulk/planImport.ts';
import { dryRun, runImport } from '../../../functions/console/app/bulk/runImport.ts';
import { matchColumns } from '../../../functions/console/app/fields/matchColumns.ts';
import { readTable } from '../../../functions/console/app/files/readTable.ts';
import { detailOf } from '../../../functions/console/app/pages/import/cells.ts';
import type { Served } from '../../../infra/local/serve.ts';
import { linkPartners, unlinkPartners } from '../../../lib/operator/partnerships.ts';
import { tidOf } from '../../../lib/table/keys.ts';
import { call } from '../../support/api.ts';
import { deep, runs, seed } from '../../support/depth.ts';
import { serveHandlers } from '../../support/overHttp.ts';
import { storedBy } from '../../support/stored.ts';
import {
  archiveBranch,
  type Caller,
  newAcquirer,
  newBranch,
  newDistributorOf,
  newTerminal,
  unique,
} from '../../support/world.ts';
import {
  Copies,
  closings,
  type EstateRow,
  type Expected,
  expectStored,
  exported,
  faulty,
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

/*
 * The console's import of a file with mistakes of every kind, in browsers that are closed at any moment and over a
 * connection that fails; and its exports. test/browser/console has what a person sees of them.
 */

const SIZE = deep ? { rows: 2_000, mistakes: 28 } : { rows: 120, mistakes: 13 };

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
const expectedOf = ({ rows }: { rows: EstateRow[] }) => rows.map(({ expected }) => expected);

/** A wire that counts the requests, of which the one with a number is sent by another. */
function counting(number = 0, other: Wire = (_, send) => send()) {
  const counted = { requests: 0 };
  const wire: Wire = (request, send) => {
    counted.requests += 1;
    return counted.requests === number ? other(request, send) : send();
  };
  return { counted, wire };
}

describe('an import of a file with mistakes of every kind', () => {
  test('creates each row without a mistake once, and reports the mistakes, though browsers are closed', async () => {
    const property = fc.asyncProperty(closings(SIZE.rows / 20), fc.nat(), async (all, seed) => {
      const estate = await newEstate(SIZE, seed);
      const plan = await planOf(estate);
      const client = await signedIn(estate.caller, server);
      const storage = await started(plan);
      const wire = faulty();
      for (const closing of all) await runUntil(closing, storage, client, wire);
      const ended = await runImport(client(wire), storage, { signal });
      expect(reported(plan, ended)).toEqual(expectedOf(estate));
      await expectStored(estate, client());
    });
    await fc.assert(property, { numRuns: runs(1), seed, endOnFailure: true });
  });

  test('is first checked, which stores nothing, and then sends only the rows without a mistake', async () => {
    const estate = await newEstate({ rows: 40, mistakes: 13 }, seed);
    const plan = await planOf(estate);
    const client = await signedIn(estate.caller, server);
    const { response: checked, changed } = await storedBy(() => dryRun(client(), plan, { signal }));
    // The use of the session is stored too.
    expect(
      Object.keys(changed).filter((key) => /^(?:BRANCH|TERMINAL|SERIAL|IDEMPOTENCY_KEY|EVENTS)#/.test(key)),
    ).toEqual([]);
    const refusals = (rows: Expected[]) => rows.filter(({ outcome }) => outcome === 'refused');
    expect(refusals(reported(plan, checked))).toEqual(refusals(expectedOf(estate)));

    const statuses = new Set<number>();
    const wire: Wire = async (_, send) => {
      const response = await send();
      statuses.add(response.status);
      return response;
    };
    const ended = await runImport(client(wire), await started(plan, checked.known(true)), { signal });
    expect(refusals(reported(plan, ended))).toEqual(refusals(expectedOf(estate)));
    expect([...statuses].sort()).toEqual([200, 201]);
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
    expect(ended?.counts).toMatchObject({
      branches: { created: 1, exists: 2, refused: 0, left: 0 },
      terminals: { created: 59, exists: 2, refused: 2, left: 0 },
    });
  });

  test('goes on with other branches after one of a payment provider that is no partner any more', async () => {
    const [former, partner] = [caller, await newAcquirer('PAYMENT_PROVIDER', 'Quickpay')];
    const distributor = await newDistributorOf(former);
    await linkPartners(distributor.id, partner.id);
    const mids: string[] = [];
    for (const { id } of [former, partner]) mids.push((await newBranch(distributor, { payment_provider: id })).mid);
    await unlinkPartners(distributor.id, former.id);
    const expected: Expected[] = [
      { outcome: 'refused', problems: [['mid', 'partnership_ended']] },
      { outcome: 'created', problems: [] },
    ];
    const rows = mids.map((mid, at) => ({
      cells: { mid, terminal_id: unique('T') },
      expected: expected[at] as Expected,
    }));
    const plan = await planOf({ rows });
    const client = await signedIn(distributor, server);
    expect(reported(plan, await runImport(client(), await started(plan), { signal }))).toEqual(expected);
  });

  test('finds what it created, if its key has expired', async () => {
    const rows = newRows(45, 2);
    const plan = await planOf({ rows });
    const storage = await started(plan);
    const expired: Wire = (request, send) => {
      request.headers.delete('idempotency-key');
      return send();
    };
    await runUntil({ request: 1, when: 'executed' }, storage, client);
    await runUntil({ request: 3, when: 'executed' }, storage, client, expired);
    const ended = await runImport(client(expired), storage, { signal });
    expect(ended).toMatchObject({ problems: [], counts: { terminals: { refused: 0, left: 0 } } });
    expect(reported(plan, ended).map(({ outcome }) => outcome === 'refused')).not.toContain(true);
  });

  test.each<[string, () => Promise<Response>, object | undefined]>([
    ['the session has ended', async () => problem(401, 'invalid_session'), { code: 'invalid_session' }],
    ['the role does not permit it', async () => problem(403, 'insufficient_permission'), { status: 403 }],
    ['the service fails without Retry-After', async () => problem(400, 'server_error'), { code: 'server_error' }],
    ['a firewall refuses it', async () => new Response('<html>', { status: 403 }), { code: 'unexpected_response' }],
    ['the person does not sign in again', () => Promise.reject(notSignedIn()), undefined],
  ])('was paused because %s', async (_, failure, problem) => {
    const rows = newRows(2, 2);
    const plan = await planOf({ rows });
    const storage = await started(plan);
    await expect(runImport(client(counting(2, failure).wire), storage, { signal })).rejects.toMatchObject({
      name: 'Interrupted',
      problem: problem && expect.objectContaining(problem),
    });
    expect((await loadImport(storage))?.ledger.counts.branches).toMatchObject({ created: 1, left: 1 });
    const ended = await runImport(client(), storage, { signal });
    expect(reported(plan, ended)).toEqual(expectedOf({ rows }));
  });

  test('was paused by a person, who waits for the responses that are under way', async () => {
    const plan = await planOf({ rows: newRows(1, 1, 1, 1, 1, 1) });
    const storage = await started(plan);
    const pause = new AbortController();
    const { counted, wire } = counting(3, (_, send) => {
      pause.abort();
      return send();
    });
    await expect(runImport(client(wire), storage, { signal: pause.signal })).rejects.toEqual(new Interrupted());
    // The first comes before all others of its master merchant.
    const { requests } = counted;
    expect((await loadImport(storage))?.ledger.counts.branches).toMatchObject({
      created: requests,
      left: 6 - requests,
    });
    const ended = await runImport(client(), storage, { signal });
    expect(ended?.counts.branches).toMatchObject({ created: 6, left: 0 });
  });

  test.each<[Waiting['reason'], Wire]>([
    ['connection', () => Promise.reject(new TypeError('fetch failed'))],
    ['rate_limit', async () => problem(429, 'rate_limited', { 'retry-after': '60' })],
    ['service', async () => problem(400, 'server_error', { 'retry-after': '60' })],
  ])('is paused while it waits for the %s', async (reason, wire) => {
    const plan = await planOf({ rows: newRows(1, 1) });
    const pause = new AbortController();
    const seen = new Set<string>();
    const onWaiting = (waiting: Waiting | undefined) => {
      if (!waiting) return;
      seen.add(waiting.reason);
      pause.abort();
    };
    const paused = dryRun(client(wire), plan, { signal: pause.signal, onWaiting });
    await expect(paused).rejects.toEqual(new Interrupted());
    expect([...seen]).toEqual([reason]);
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

  test('rejects if an outcome cannot be stored, and sends nothing more', async () => {
    const storage = await started(await planOf({ rows: newRows(1, 1, 1) }));
    const { counted, wire } = counting();
    class Full extends Copies {
      override set(): never {
        throw new Error('The quota is exceeded.');
      }
    }
    const full = new Full();
    for (const [key, value] of await storage.entries()) Copies.prototype.set.call(full, key, value);
    await expect(runImport(client(wire), full, { signal })).rejects.toThrow('The quota is exceeded.');
    expect(counted.requests).toBe(1);
  });
});

describe('an import of what exists', () => {
  async function planOfText(...lines: string[]) {
    const file = await readTable(new Blob([lines.join('\n')]));
    return planImport(file, matchColumns(file.header));
  }
  const row = (outcome: Expected['outcome'], code = '', ...fields: string[]): Expected => ({
    outcome,
    problems: fields.map((field) => [field, code]),
  });

  test('needs only MIDs, and updates each row, unless another person has changed the same meanwhile', async () => {
    const [same, one = '', two = '', conflict, elsewhere] = Array.from({ length: 5 }, () => unique('T'));
    const [taken, serial_no] = [unique('S'), unique('S')];
    const terminals = [same, one, two, conflict].map((terminal_id) => ({ terminal_id, terminal_model: 'A' }));
    const { mid } = await newBranch(caller, { city: 'Porto', terminals });
    const other = await newBranch(caller, { terminals: [{ terminal_id: elsewhere, serial_no: taken }] });
    const cells = [`${same},,A`, `${one},${serial_no},`, `${two},,B`, `${conflict},${taken},`, `${elsewhere},,`];
    const lines = [...cells, `${unique('T')},,`].map((line) => `${mid},Faro,${line}`);
    const plan = await planOfText('MID,Town,Terminal,Serial,Model', ...lines, `${unique('B')},,,,`);
    const checked = await dryRun(client(), plan, { signal });
    const others = [
      row('refused', 'taken', 'serial_no'),
      row('refused', 'taken', 'terminal_id'),
      row('created'),
      row('refused', 'required', 'existing_master_merchant', 'master_merchant_id'),
    ];
    const [city, serial] = [row('updated', 'updated', 'city'), row('updated', 'updated', 'serial_no')];
    expect(reported(plan, checked)).toEqual([city, serial, row('updated', 'updated', 'terminal_model'), ...others]);
    expect(checked.problems.map((problem) => detailOf(problem))).toEqual(
      expect.arrayContaining([
        `The terminal ${elsewhere} at the branch ${other.mid} has it. Change that one first.`,
        `It is at the branch ${other.mid}. Move it first.`,
      ]),
    );

    const change = (id: string, body: object) =>
      call('updateTerminal', { key: caller.key, path: { id: tidOf(id) }, body });
    await Promise.all([change(one, { terminal_model: 'X' }), change(two, { terminal_model: 'C' })]);
    const storage = await started(plan, checked.known(true));
    await runUntil({ request: 2, when: 'executed' }, storage, client);
    const { wire } = counting(1, (_, send) => send().then(() => Promise.reject(new TypeError('fetch failed'))));
    const ended = await runImport(client(wire), storage, { signal });
    const conflicting = row('refused', 'precondition_failed', 'terminal_model');
    expect(reported(plan, ended)).toEqual([{ ...city, outcome: 'exists' }, serial, conflicting, ...others]);
    const stored = await exported(exportTerminals(client(), { signal, mid }));
    const [, ofOne, ofTwo] = stored;
    expect([ofOne, ofTwo]).toMatchObject([{ city: 'Faro', serial_no, terminal_model: 'X' }, { terminal_model: 'C' }]);
  });

  test(
    'needs only terminal IDs, also of an archived branch, and updates nothing if a person does not want ' + 'it',
    async () => {
      const terminal_id = unique('T');
      const { mid } = await newBranch(caller, { terminals: [{ terminal_id, terminal_model: 'A' }] });
      await archiveBranch(caller, mid);
      const plan = await planOfText('Terminal,Model', `${terminal_id},B`, `${unique('T')},B`);
      const ledger = await dryRun(client(), plan, { signal });
      for (const [isUpdating, expected, terminal_model] of [
        [false, row('exists', 'differs', 'terminal_model'), 'A'],
        [true, row('updated', 'updated', 'terminal_model'), 'B'],
      ] as const) {
        const ended = await runImport(client(), await started(plan, ledger.known(isUpdating)), { signal });
        expect(reported(plan, ended)).toEqual([expected, row('refused', 'unknown_terminal', 'terminal_id')]);
        expect(await exported(exportTerminals(client(), { signal, mid }))).toMatchObject([{ terminal_model }]);
      }
    },
  );
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

  test('has each branch once, and those that are created meanwhile last, over a connection that fails', async () => {
    const { caller, client } = await newExporter();
    const mids = await Promise.all(Array.from({ length: 101 }, async () => (await newBranch(caller)).mid));
    const fail = faulty();
    let last: string | undefined;
    const wire: Wire = async (request, send) => {
      if (request.url.includes('page=2')) last ??= (await newBranch(caller)).mid;
      return fail(request, send);
    };
    const progress: ExportProgress[] = [];
    const found = await exported(exportBranches(client(wire), { signal, onProgress: (now) => progress.push(now) }));
    expect(found.map(({ mid }) => mid).sort()).toEqual([...mids, last].sort());
    expect(found.at(-1)?.['mid']).toBe(last);
    expect(progress).toEqual([
      { done: 100, total: 101, isIncomplete: false },
      { done: 102, total: 102, isIncomplete: false },
    ]);
  });

  test.each(['csv', 'xlsx'] as const)('of terminals as %s can be imported again, into nothing new', async (format) => {
    const { caller, client } = await newExporter();
    // More branches than are read one by one.
    const rows = newRows(3, 1, 50, ...Array<number>(8).fill(1));
    await runImport(client(), await started(await planOf({ rows })), { signal });
    await newBranch(caller, { branch_name: '=HYPERLINK("")', terminals: [{ terminal_id: unique('T') }] });
    const file = (await saveExport(exportTerminals(client(), { signal }), format)) as Blob;
    const { header, rows: read } = await readTable(file);
    const ended = await dryRun(client(), planImport({ rows: read }, matchColumns(header)), { signal });
    const none = { created: 0, updated: 0, refused: 0, left: 0 };
    expect(ended).toMatchObject({
      problems: [],
      counts: { rows: { ...none, exists: 63 }, branches: { ...none, exists: 12 }, terminals: { ...none, exists: 63 } },
    });
  });

  test('of one branch has all its terminals, though one is deleted meanwhile', async () => {
    const { caller, client } = await newExporter();
    const rows = newRows(120);
    await runImport(client(), await started(await planOf({ rows })), { signal });
    const [first, ...others] = rows.map(({ cells }) => cells.terminal_id as string);
    const mid = rows[0]?.cells.mid as string;
    let isDeleted = false;
    const wire: Wire = async (request, send) => {
      if (request.url.includes('page=2') && !isDeleted) {
        isDeleted = true;
        const path = { id: tidOf(first as string) };
        expect((await call('deleteTerminal', { key: caller.key, path })).status).toBe(200);
      }
      return send();
    };
    const found = await exported(exportTerminals(client(wire), { signal, mid }));
    expect(found.map(({ terminal_id }) => terminal_id).sort()).toEqual(others.sort());
    expect(found[0]).toMatchObject({ mid, merchant_name: 'Harbour', city: 'Porto', status: 'active' });
  });

  test('that fails aborts the stream that it is written to, with the problem of the response', async () => {
    const { caller, client } = await newExporter();
    const { mid } = await newBranch(caller);
    const written: Uint8Array[] = [];
    let aborted: unknown;
    const stream = () =>
      new WritableStream<Uint8Array>({
        write: (chunk) => void written.push(chunk),
        abort: (reason) => {
          aborted = reason;
        },
      });
    expect(await saveExport(exportBranches(client(), { signal }), 'csv', stream())).toBeUndefined();
    expect(recordsIn(Buffer.concat(written).toString())[0]).toMatchObject({ mid });
    const chunks = exportTerminals(client(), { signal, mid: unique('B') });
    await expect(saveExport(chunks, 'csv', stream())).rejects.toMatchObject({ problem: { code: 'not_found' } });
    expect(aborted).toMatchObject({ name: 'Interrupted' });
  });
});
