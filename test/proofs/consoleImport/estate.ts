import { expect } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { type Api, createApi } from '../../../functions/console/app/api/client.ts';
import { WAITS } from '../../../functions/console/app/api/patience.ts';
import { exportBranches, exportTerminals, saveExport } from '../../../functions/console/app/bulk/export.ts';
import { reportOf } from '../../../functions/console/app/bulk/importReport.ts';
import type { BranchState, Ledger } from '../../../functions/console/app/bulk/ledger.ts';
import type { StoredImport } from '../../../functions/console/app/bulk/loadImport.ts';
import { type Plan, planImport } from '../../../functions/console/app/bulk/planImport.ts';
import { runImport } from '../../../functions/console/app/bulk/runImport.ts';
import { matchColumns } from '../../../functions/console/app/fields/matchColumns.ts';
import { readTable } from '../../../functions/console/app/files/readTable.ts';
import { type Locks, type Storage, storeJob } from '../../../functions/console/app/kept/storedJob.ts';
import { detailOf } from '../../../functions/console/app/pages/import/cells.ts';
import type { Served } from '../../../infra/local/serve.ts';
import '../../../infra/local/patient.ts';
import { personOf } from '../../support/people.ts';
import { archiveBranch, type Caller, newAcquirer, newBranch, unique } from '../../support/world.ts';

/* An estate to import, with mistakes of all kinds, and browsers that are closed at any moment while they import it. */

Object.assign(WAITS, { first: 20, longest: 50 });

/** What sends the requests of a browser. It may fail. */
export type Wire = (request: Request, send: () => Promise<Response>) => Promise<Response>;
const faultless: Wire = (_, send) => send();

/** Returns the clients of a person, whose requests go through a wire. */
export async function signedIn({ id }: Caller, { url }: Served): Promise<(wire?: Wire) => Api> {
  const { session } = await personOf(id, 'operator');
  return (wire = faultless) =>
    createApi(id, {
      baseUrl: url,
      send: (request) => {
        request.headers.set('cookie', `__Host-session=${session.cookie}`);
        request.headers.set('connection', 'close');
        return wire(request, () => fetch(request.clone()));
      },
    });
}

type Cells = Partial<Record<(typeof COLUMNS)[number], string>>;
const COLUMNS = [
  ...(['mid', 'branch_name', 'city', 'master_merchant_id', 'master_merchant_name', 'email', 'mcc'] as const),
  ...(['terminal_id', 'serial_no', 'terminal_model', 'payment_app', 'acquirer_name'] as const),
];

/** What the report must say of a row: its outcome, and field and code of each problem. */
export interface Expected {
  outcome: 'created' | 'updated' | 'exists' | 'refused';
  problems: [field: string, code: string][];
}

/** A row of the file with what must become of it. */
export interface EstateRow {
  cells: Cells;
  expected: Expected;
}

const CREATED: Expected = { outcome: 'created', problems: [] };
const refusedFor = (...problems: Expected['problems']): Expected => ({ outcome: 'refused', problems });

/** A terminal row with a mistake: its cells, and the field and code that it is refused for. */
const BAD_TERMINALS: [cells: (foreign: Cells, first: Cells) => Cells, field: string, code: string][] = [
  [() => ({ payment_app: 'Checkout Going' }), 'payment_app', 'not_found'],
  [() => ({ acquirer_name: 'Nobody' }), 'acquirer_name', 'not_found'],
  [() => ({ terminal_id: `-${unique('T')}` }), 'terminal_id', 'invalid_format'],
  [() => ({ terminal_id: '' }), 'terminal_id', 'required'],
  [() => ({ serial_no: `=${unique('S')}` }), 'serial_no', 'invalid_format'],
  [() => ({ terminal_model: '4111 1111 1111 1111' }), 'terminal_model', 'card_number'],
  [() => ({ terminal_model: 'x'.repeat(256) }), 'terminal_model', 'too_long'],
  [({ terminal_id = '' }) => ({ terminal_id }), 'terminal_id', 'taken'],
  [({ serial_no = '' }) => ({ serial_no }), 'serial_no', 'taken'],
  [(_, { terminal_id = '' }) => ({ terminal_id }), 'terminal_id', 'duplicate'],
  [(_, { serial_no = '' }) => ({ serial_no }), 'serial_no', 'duplicate'],
  [() => ({ city: 'Faro' }), 'city', 'differs'],
  [() => ({ mid: '' }), 'mid', 'required'],
];

/** A branch with a mistake, for which all its rows are refused. */
const BAD_BRANCHES: [cells: (taken: Taken) => Cells, ...problems: Expected['problems']][] = [
  [() => ({ mcc: '12' }), ['mcc', 'invalid_format']],
  [() => ({ mid: 'NO-DASHES' }), ['mid', 'invalid_format']],
  [({ mid }) => ({ mid }), ['mid', 'taken']],
  [() => ({ master_merchant_id: '' }), ['existing_master_merchant', 'required'], ['master_merchant_id', 'required']],
  [() => ({ master_merchant_name: 'Another' }), ['master_merchant_name', 'differs']],
  [({ archived }) => ({ mid: archived }), ['mid', 'branch_archived']],
];

/** MIDs that exist: of another acquirer, and of an archived branch of the caller. */
interface Taken {
  mid: string;
  archived: string;
}

/** An acquirer, what it has already, and its estate. */
export interface Estate {
  caller: Caller;
  rows: EstateRow[];
  /** MIDs of further branches of the caller. */
  stored: string[];
}

const terminal = (): Cells => ({ terminal_id: unique('T'), serial_no: unique('S'), terminal_model: 'Handheld 2' });

/** Makes rows of new branches of one business, with these numbers of terminals. */
export function newRows(...sizes: number[]): EstateRow[] {
  const owner = { master_merchant_id: unique('MM'), master_merchant_name: 'Harbour Bikes', email: 'a@example.com' };
  return sizes.flatMap((size) => {
    const cells = { mid: unique('B'), branch_name: 'Harbour', city: 'Porto', ...owner };
    return Array.from({ length: size }, () => ({ cells: { ...cells, ...terminal() }, expected: CREATED }));
  });
}

/**
 * Makes the estate of a new acquirer: branches of 1 to 90 terminals, some of which exist already, with mistakes of
 * every kind, of which 12 concern branches.
 *
 * @param size.rows How many rows it has at least.
 * @param size.mistakes How many rows have a mistake that concerns their terminal, at least one of each kind.
 */
export async function newEstate(size: { rows: number; mistakes: number }, seed: number): Promise<Estate> {
  const [caller, other] = await Promise.all([
    newAcquirer('PAYMENT_PROVIDER', 'Payfair'),
    newAcquirer('PAYMENT_PROVIDER', 'Trustcard'),
  ]);
  const foreign = Array.from({ length: 40 }, terminal);
  const { mid } = await newBranch(other, { terminals: foreign });

  const rows: EstateRow[] = [];
  const add = (cells: Cells, expected: Expected = CREATED) => rows.push({ cells, expected });
  const some = fc.integer({ min: 1, max: 6 });
  const sizes = fc.sample(fc.oneof({ weight: 4, arbitrary: some }, fc.integer({ min: 30, max: 90 })), {
    numRuns: size.rows,
    seed,
  });
  for (let mistake = 0, branch = 0; rows.length < size.rows || mistake < size.mistakes; branch += 1) {
    const [first, ...others] = newRows(sizes[branch] ?? 1) as [EstateRow, ...EstateRow[]];
    rows.push(first, ...others);
    // About as many in each part of the file.
    if (mistake * size.rows > rows.length * size.mistakes) continue;
    const [cells, field, code] = BAD_TERMINALS[mistake % BAD_TERMINALS.length] as (typeof BAD_TERMINALS)[number];
    const bad = cells(foreign[mistake] as Cells, first.cells);
    add({ ...first.cells, ...terminal(), ...bad }, refusedFor([field, code]));
    mistake += 1;
  }
  const [{ cells }] = newRows(1) as [EstateRow];
  const branch = () => ({ ...cells, ...terminal(), mid: unique('B') });
  const { terminal_id: _, serial_no: __, terminal_model: ___, ...archived } = branch();
  await newBranch(caller, archived);
  await archiveBranch(caller, archived.mid);
  for (const [bad, ...problems] of BAD_BRANCHES) {
    const { mid: new_mid, ...fields } = branch();
    for (let row = 0; row < 2; row += 1)
      add({ mid: new_mid, ...fields, ...terminal(), ...bad({ mid, archived: archived.mid }) }, refusedFor(...problems));
  }
  const without = { terminal_id: '', serial_no: '', terminal_model: '' };
  add({ ...branch(), ...without });
  add(
    { ...branch(), ...without, master_merchant_id: unique('MM'), email: 'nobody' },
    refusedFor(['email', 'invalid_format']),
  );

  // A branch that exists with other details and some of the terminals, one of which differs.
  const fields = { ...archived, mid: unique('B'), master_merchant_id: unique('MM') };
  const [same, differs] = [terminal(), terminal()];
  const old = { city: 'Braga', email: 'old@example.com' };
  await newBranch(caller, { ...fields, ...old, terminals: [same, { ...differs, terminal_model: 'Old' }] });
  const differing = (...names: string[]): Expected => ({
    outcome: 'exists',
    problems: names.map((name) => [name, 'differs']),
  });
  add({ ...fields, ...same }, differing('city', 'email'));
  add({ ...fields, ...differs }, differing('terminal_model'));
  add({ ...fields, ...terminal() });
  return { caller, rows, stored: [archived.mid] };
}

/** Reads the rows of an estate from a file, as the console does. */
export async function planOf({ rows }: Pick<Estate, 'rows'>): Promise<Plan> {
  const quoted = (cell = '') => `"${cell.replaceAll('"', '""')}"`;
  const text = [COLUMNS, ...rows.map(({ cells }) => COLUMNS.map((column) => quoted(cells[column])))].join('\r\n');
  const file = await readTable(new Blob([text]));
  return planImport(file, matchColumns(file.header));
}

/** What a report says of each row, in the order of the file. */
export function reported(plan: Plan, ledger: Ledger | undefined): Expected[] {
  if (!ledger) throw new Error('It runs elsewhere.');
  const lines = Map.groupBy(recordsIn(reportOf(plan, ledger, detailOf)), ({ line }) => Number(line));
  return [...lines.entries()]
    .sort(([one], [other]) => one - other)
    .map(([, found]) => ({
      outcome: found[0]?.['outcome'] as Expected['outcome'],
      problems: found
        .filter(({ code }) => code !== '')
        .map(({ field = '', code = '' }): [string, string] => [field, code])
        .sort(),
    }));
}

/** The records of a CSV text by column. */
export const recordsIn = (text: string): Record<string, string>[] =>
  parse<Record<string, string>>(text, { bom: true, columns: true });

/** The records of an export. */
export const exported = async (chunks: ReturnType<typeof exportBranches>): Promise<Record<string, string>[]> =>
  recordsIn((await (await saveExport(chunks, 'csv'))?.text()) ?? '');

/** Asserts that exactly the rows exist that were created or existed, each once. */
export async function expectStored({ rows, stored }: Estate, api: Api): Promise<void> {
  const wanted = Map.groupBy(
    rows.filter(({ expected }) => expected.outcome !== 'refused').map(({ cells }) => cells),
    ({ mid }) => mid,
  );
  const { signal } = new AbortController();
  const branches = await exported(exportBranches(api, { signal }));
  const terminals = await exported(exportTerminals(api, { signal }));
  expect(branches.map(({ mid }) => mid).sort()).toEqual([...wanted.keys(), ...stored].sort());
  const ids = [...wanted].flatMap(([mid, cells]) => cells.map(({ terminal_id }) => [mid, terminal_id]));
  expect(terminals.map(({ mid, terminal_id }) => [mid, terminal_id]).sort()).toEqual(ids.filter(([, id]) => id).sort());
}

/** A Map that copies what it stores, as IndexedDB does. */
export class Copies extends Map<string, unknown> {
  override set(key: string, value: unknown): this {
    return super.set(key, structuredClone(value));
  }
}

/** Stores a new import, after a dry run with what that has found. */
export async function started(plan: Plan, known?: BranchState[]): Promise<Storage> {
  const storage = new Copies();
  await storeJob<StoredImport>(storage, { fileName: 'estate.csv', plan, ...(known && { known }) });
  return storage;
}

/**
 * When a browser is closed: before its n-th create is sent, when that has been executed, before what became of it is
 * stored, or right after.
 */
export interface Closing {
  request: number;
  when: 'before' | 'executed' | 'responded' | 'stored';
}

/** Runs a stored import in a new browser that is closed; resolves when it is, or the import has ended before. */
export async function runUntil(
  closing: Closing,
  storage: Storage,
  client: (wire: Wire) => Api,
  wire: Wire = faultless,
): Promise<void> {
  const { promise: closed, resolve: close } = Promise.withResolvers<undefined>();
  const never = new Promise<never>(() => {});
  let [isClosed, requests] = [false, 0];
  const executing: Promise<unknown>[] = [];
  const end = () => {
    isClosed = true;
    close(undefined);
    return never;
  };
  const api = client(async (request, send) => {
    if (isClosed) return never;
    if (request.method !== 'GET') requests += 1;
    const isLast = requests >= closing.request;
    if (isLast && closing.when === 'before') return end();
    const executed = wire(request, send);
    executing.push(executed.catch(() => {}));
    const response = await executed;
    return isClosed || (isLast && closing.when === 'executed') ? end() : response;
  });
  const dying: Storage = {
    entries: () => storage.entries(),
    clear: () => storage.clear(),
    set: async (key, value) => {
      const isLast = requests >= closing.request;
      if (isClosed || (isLast && closing.when === 'responded')) return end();
      await storage.set(key, value);
      return isLast ? end() : undefined;
    },
  };
  const { signal } = new AbortController();
  // The lock of a tab that is closed is free.
  const locks: Locks = { request: (_name, _options, run) => run({}) };
  await Promise.race([runImport(api, dying, { signal, locks }), closed]);
  await Promise.all(executing);
}

/** Moments at which a browser is closed, one after the other. */
export const closings = (requests: number): fc.Arbitrary<Closing[]> =>
  fc.array(
    fc.record({
      request: fc.integer({ min: 1, max: requests }),
      when: fc.constantFrom('before', 'executed', 'responded', 'stored'),
    }),
    { minLength: 3, maxLength: 6 },
  );

/** An error response of the service. */
export const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ status, code, title: code, detail: code, type: '', request_id: '' }), {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });

/** Fails in ways that a retry solves: rate limits, responses that are lost, and gateways that do not respond. */
export function faulty(): Wire {
  let count = 0;
  const failures: Wire[] = [
    async () => problem(429, 'rate_limited', { 'retry-after': '0.02' }),
    async (_, send) => {
      await send();
      throw new TypeError('fetch failed');
    },
    async () => new Response('{"message":"Too Many Requests"}', { status: 429 }),
    async (_, send) => {
      await send();
      return new Response('<html>', { status: 502 });
    },
    async (_, send) => {
      await send();
      return problem(400, 'server_error', { 'retry-after': '0.02' });
    },
    async () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
  ];
  return (request, send) => {
    count += 1;
    const failure = count % 4 === 0 ? failures[(count / 4) % failures.length] : undefined;
    return failure ? failure(request, send) : send();
  };
}
