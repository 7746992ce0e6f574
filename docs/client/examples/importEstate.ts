import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createClient, type Problem, type paths } from 'acquirer-partner-api-client';
import { parse } from 'csv-parse/sync';

const [estate = 'estate.csv', report = 'refused.csv'] = process.argv.slice(2);
const { BASE_URL = '', API_KEY = '' } = process.env;
const api = createClient({ baseUrl: BASE_URL, apiKey: API_KEY, attempts: 10 });
const WORKERS = 8;
const TERMINALS_PER_REQUEST = 40;
/** All other columns are fields of the branch. */
const TERMINAL_COLUMNS = ['terminal_id', 'serial_no', 'terminal_model', 'payment_app', 'acquirer_name'];
type NewBranch = paths['/ext/api/v1/merchants']['post']['requestBody']['content']['application/json'];
type NewTerminals = paths['/ext/api/v1/terminals/{mid}']['post']['requestBody']['content']['application/json'];
type Fields = Record<string, string | null>;
type Row = { line: number; mid: string; branch: Fields; terminal: Fields };

const refusals: { row: Row; field: string; code: string; detail: string }[] = [];
const warnings = new Set<string>();
const created = { branches: 0, terminals: 0 };
const refuse = (row: Row, field: string, code: string, detail: string) => refusals.push({ row, field, code, detail });

function readRows(): Row[] {
  const options = { bom: true, columns: true, info: true, skip_empty_lines: true } as const;
  const records = parse<{ record: Record<string, string>; info: { lines: number } }>(readFileSync(estate), options);
  return records.map(({ record, info }) => {
    const fields = Object.entries(record).map(([name, text]) => [name, text.trim() || null] as const);
    const branch = Object.fromEntries(fields.filter(([name]) => !TERMINAL_COLUMNS.includes(name)));
    const terminal = Object.fromEntries(fields.filter(([name]) => TERMINAL_COLUMNS.includes(name)));
    return { line: info.lines, mid: branch['mid'] ?? '', branch, terminal };
  });
}

/** Groups rows by branch. Refuses rows that contradict an earlier one, so that the result does not depend on timing. */
function byBranch(rows: Row[]): Row[][] {
  const branches = new Map<string, Row[]>();
  const lines = new Map<string, number>();
  for (const row of rows) {
    const group = branches.get(row.mid) ?? [];
    const [first = row] = group;
    const other = Object.keys(row.branch).find((field) => row.branch[field] !== first.branch[field]);
    const unique = ['terminal_id', 'serial_no'].filter((field) => row.terminal[field]);
    const again = unique.find((field) => lines.has(`${field} ${row.terminal[field]}`));
    if (row.mid === '') refuse(row, 'mid', 'required', 'Is required.');
    else if (other) refuse(row, other, 'differs', `Line ${first.line} has another value for this branch.`);
    else if (again) refuse(row, again, 'duplicate', `Line ${lines.get(`${again} ${row.terminal[again]}`)} has it too.`);
    else {
      branches.set(row.mid, [...group, row]);
      for (const field of unique) lines.set(`${field} ${row.terminal[field]}`, row.line);
    }
  }
  return [...branches.values()];
}

/** Creates a branch with its first terminals, or adds terminals. In every run, the same request has the same key. */
function create({ mid, branch }: Row, batch: Row[], exists: boolean) {
  const terminals = batch.length > 0 ? batch.map(({ terminal }) => terminal) : null;
  const body = exists ? { terminals } : { ...branch, terminals };
  const headers = { 'Idempotency-Key': hash('sha256', JSON.stringify([exists, mid, body])) };
  return exists
    ? api.POST('/ext/api/v1/terminals/{mid}', { params: { path: { mid } }, body: body as NewTerminals, headers })
    : api.POST('/ext/api/v1/merchants', { body: body as NewBranch, headers });
}

const failed = ({ code, detail, request_id }: Problem) => new Error(`${code}: ${detail} (request ${request_id})`);

/** Reports the errors of a request. Returns the rows of its branch that can still be imported. */
function withoutRefused(rows: Row[], sent: Row[], error: Problem): Row[] {
  if (!error.errors && error.code !== 'branch_archived') throw failed(error);
  const refused = (error.errors ?? [{ ...error, pointer: '' }]).flatMap(({ pointer, code, detail }) => {
    const [, at, field = ''] = /^\/terminals\/(\d+)\/?(.*)$/.exec(pointer) ?? [undefined, undefined, pointer.slice(1)];
    const meant = at ? sent.slice(Number(at), Number(at) + 1) : rows;
    for (const row of meant) refuse(row, field, code, detail);
    return meant;
  });
  return rows.filter((row) => !refused.includes(row));
}

/** Reports each field that differs from what exists. Ignores empty cells and fields that responses do not have. */
function compare(row: Row, wanted: Fields, existing: object) {
  for (const [field, value] of Object.entries(existing))
    if (field !== 'mid' && wanted[field] && wanted[field] !== value)
      refuse(row, field, 'differs', `It exists with ${value ?? 'no value'}.`);
}

/**
 * Compares rows with the branch that exists. Returns the rows whose terminals do not exist yet, or undefined if the
 * branch is not yours.
 */
async function missing(rows: Row[], first: Row): Promise<Row[] | undefined> {
  const { mid } = first;
  const { data, error } = await api.GET('/ext/api/v1/merchants/{mid}', { params: { path: { mid } } });
  if (error?.code === 'not_found') return undefined;
  if (error) throw failed(error);
  compare(first, first.branch, { ...data.data, branch_name: data.data.merchant_name });
  const terminals = new Map<string | null | undefined, object>();
  for (let page = 1, next: string | null = ''; next !== null; page += 1) {
    const params = { path: { mid }, query: { per_page: 100, page } };
    const { data, error } = await api.GET('/ext/api/v1/terminals/{mid}', { params });
    if (error) throw failed(error);
    for (const terminal of data.data) terminals.set(terminal.terminal_id, terminal);
    next = data.links.next;
  }
  const existing = ({ terminal }: Row) => terminals.get(terminal['terminal_id']);
  for (const row of rows) compare(row, row.terminal, existing(row) ?? {});
  return rows.filter((row) => !existing(row));
}

/** Creates a branch and its terminals from their rows. Creates only what does not exist yet. */
async function importBranch(rows: Row[]) {
  const [first] = rows as [Row];
  let [exists, compared] = [false, false];
  for (let left = rows; left.length > 0; ) {
    const batch = left.filter(({ terminal }) => Object.values(terminal).some(Boolean)).slice(0, TERMINALS_PER_REQUEST);
    if (exists && batch.length === 0) return;
    const { data, error, response } = await create(first, batch, exists);
    if (data) {
      const isNew = !response.headers.has('Idempotent-Replayed');
      created.terminals += isNew ? batch.length : 0;
      created.branches += isNew && !exists ? 1 : 0;
      for (const warning of data.warnings ?? []) warnings.add(JSON.stringify(warning));
      left = left.filter((row) => !batch.includes(row));
      exists = true;
    } else {
      const isTaken = !compared && error.errors?.some(({ code }) => code === 'taken');
      const lacking = isTaken ? await missing(left, first) : undefined;
      if (lacking) [exists, compared] = [true, true];
      left = lacking ?? withoutRefused(left, batch, error);
    }
  }
}

const rows = readRows();
const branches = byBranch(rows);
const queue = branches.entries();
async function work() {
  for (const [at, branch] of queue) {
    process.stderr.write(`Branch ${at + 1} of ${branches.length}\r`);
    await importBranch(branch);
  }
}
await Promise.all(Array.from({ length: WORKERS }, work));

refusals.sort((one, other) => one.row.line - other.row.line || one.field.localeCompare(other.field));
const cells = refusals.map(({ row: { line, mid, terminal }, field, code, detail }) =>
  [line, mid, terminal['terminal_id'] ?? '', field, code, detail].map((cell) => `"${`${cell}`.replaceAll('"', '""')}"`),
);
writeFileSync(report, [['line', 'mid', 'terminal_id', 'field', 'code', 'detail'], ...cells, ''].join('\n'));
for (const warning of warnings) console.error(`Warning: ${warning}`);
console.log(`Created ${created.branches} branches and ${created.terminals} terminals.`);
console.log(`Refused ${new Set(refusals.map(({ row }) => row)).size} of ${rows.length} rows: see ${report}.`);
process.exitCode = refusals.length > 0 ? 2 : 0;
