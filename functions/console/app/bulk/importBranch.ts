import type { Api, Problem, Schemas } from '../api/client.ts';
import { Interrupted } from '../api/interrupted.ts';
import type { Patience } from '../api/patience.ts';
import { readTerminals } from '../api/terminalPages.ts';
import {
  EDITED_OF_BRANCH,
  MOST_PER_REQUEST,
  type NewBranch,
  type NewTerminals,
  type TerminalField,
} from '../fields/fields.ts';
import { etagOf } from './changeTerminals.ts';
import { areAlike, cellOf, hasTerminal, type Row } from './importRow.ts';
import type { BranchState, Outcome, Update } from './ledger.ts';
import type { CellProblem, Difference } from './planImport.ts';

type Terminal = Schemas['Terminal'];

/** Problems of a request that concern its branch, so that other branches can go on. */
const OF_THE_BRANCH = [
  ...['branch_archived', 'not_found', 'not_under_requesting_psp', 'partnership_ended'],
  'too_many_terminals',
];
/** The pointer to a terminal, and to a field of it. */
const OF_TERMINAL = /^\/terminals\/(\d+)\/?(.*)$/;

interface Sending {
  api: Api;
  patience: Patience;
  /** The import, from which the `Idempotency-Key` of each request derives; `undefined` in a dry run. */
  importId: string | undefined;
}

interface LeftRows {
  /** The row that has the branch's fields. */
  first: Row;
  /** At least one row that has no outcome yet. */
  left: Row[];
  branch: BranchState['branch'];
  /** The update that comes first. */
  update: Update | undefined;
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const outcomesOf = (rows: Row[], outcome: Outcome): BranchState['outcomes'] =>
  Object.fromEntries(rows.map(({ line }) => [line, outcome]));

/**
 * Sends the next request of a branch: updates it or a terminal, creates it with its first terminals, or adds terminals
 * to it. Compares rows with what exists, if that is why they are refused. In every run, the same rows make the same
 * request with the same key.
 *
 * @returns What is new: an outcome of at least one row, or that the branch exists.
 * @throws Interrupted with a problem that concerns no row.
 */
export async function nextStep(sending: Sending, { first, left, branch, update }: LeftRows): Promise<BranchState> {
  const { api, patience, importId } = sending;
  const isDryRun = importId === undefined;
  if (update) return sendUpdate(sending, update, { first, left });
  const { mid, branch: details } = first;
  if (mid === '') {
    const { terminal_id = '' } = first.terminal;
    const found = await find(sending, { terminal_id });
    if (found) return compared(sending, { first, left }, { terminals: new Map([[terminal_id, found]]) });
    const problem: CellProblem = { line: first.line, field: 'terminal_id', code: 'unknown_terminal' };
    return { outcomes: outcomesOf(left, 'refused'), problems: [problem] };
  }
  // A branch that was only checked does not exist: its next terminals are checked with it.
  const isCreate = !branch || (branch === 'created' && isDryRun);
  // Only a branch that exists needs no business.
  const isKnown = branch !== undefined || details.existing_master_merchant || details.master_merchant_id;
  const found = isKnown ? undefined : await readBranch(sending, mid);
  if (found) return compared(sending, { first, left }, found, []);
  const sent = left.filter(hasTerminal).slice(0, MOST_PER_REQUEST);
  const terminals = sent.length > 0 ? sent.map(({ terminal }) => terminal) : null;
  const body = isCreate ? { ...first.branch, terminals } : { terminals };
  const params = isDryRun
    ? { query: { validate_only: 'true' } as const }
    : { header: { 'Idempotency-Key': await sha256(JSON.stringify([importId, isCreate, mid, body])) } };
  const { problem } = isCreate
    ? await patience(() => api.POST('/ext/api/v1/merchants', { params, body: body as NewBranch }))
    : await patience(() =>
        api.POST('/ext/api/v1/terminals/{mid}', { params: { ...params, path: { mid } }, body: body as NewTerminals }),
      );
  if (!problem) {
    const done = left.filter((row) => sent.includes(row) || !hasTerminal(row));
    return { ...(!branch && { branch: 'created' }), outcomes: outcomesOf(done, 'created'), problems: [] };
  }
  const errors = errorsOf(problem, isCreate);
  // The fields that only a new branch needs are not required of one that exists.
  const mayExist = errors.some(({ code, pointer }) =>
    isCreate ? pointer === '/mid' || pointer === '/payment_provider' : code === 'taken',
  );
  const existing = mayExist ? await readBranch(sending, mid) : undefined;
  const step = existing && (await compared(sending, { first, left }, existing, isCreate ? errors : undefined));
  if (step && isNew(step)) return step;
  const others = await refused(sending, errors, errors[0]?.code === 'too_many_terminals' ? sent : left, sent);
  if (!isNew(others)) throw new Interrupted(problem);
  return others;
}

const isNew = ({ branch, outcomes, updates = [] }: BranchState): boolean =>
  branch !== undefined || updates.length + Object.keys(outcomes).length > 0;

/** Sends an update, unless another person has changed the same fields since they were compared. */
async function sendUpdate(
  sending: Sending,
  { tid, etag, cells, lines }: Update,
  { first, left }: Pick<LeftRows, 'first' | 'left'>,
): Promise<BranchState> {
  const { api, patience, importId } = sending;
  const isDryRun = importId === undefined;
  const settled = left.filter(({ line }) => lines.includes(line));
  const row = tid === undefined ? first : (settled[0] as Row);
  const { line, mid } = row;
  const wanted = Object.fromEntries(cells.map(({ field }) => [field, cellOf(row, field) ?? null]));
  // After a dry run, these rows wait for their branch again.
  const same = tid === undefined && !isDryRun ? settled.filter(hasTerminal) : [];
  const ended = (outcome: 'updated' | 'refused', problems: CellProblem[] = []): BranchState => ({
    ...(tid === undefined && { branch: outcome }),
    outcomes: { ...outcomesOf(settled, outcome), ...outcomesOf(same, 'exists') },
    problems,
  });
  for (let match = etag; ; ) {
    const header = { 'If-Match': match };
    const params = { header, ...(isDryRun && { query: { validate_only: 'true' } as const }) };
    const { problem } = await patience(async () =>
      tid === undefined
        ? await api.PATCH('/ext/api/v1/merchants/{mid}', { params: { ...params, path: { mid } }, body: wanted })
        : await api.PATCH('/ext/api/v1/terminals/{tid}', { params: { ...params, path: { tid } }, body: wanted }),
    );
    if (!problem) return ended('updated');
    if (problem.code !== 'precondition_failed')
      return ended('refused', (await refused(sending, errorsOf(problem, false), [row], [])).problems);
    const now = await find(sending, tid === undefined ? { mid } : { tid });
    if (!now) throw new Interrupted(problem);
    // The response to an earlier attempt was lost.
    if (cells.every(({ field }) => areAlike(field, wanted[field], now[field]))) return ended('updated');
    const changed = [{ field: 'mid', value: mid || now['mid'] }, ...cells].flatMap(({ field, value }): CellProblem[] =>
      areAlike(field, value, now[field])
        ? []
        : [{ line, field, code: 'precondition_failed', value: now[field] ?? null }],
    );
    if (changed.length > 0) return ended('refused', changed);
    match = etagOf(now);
  }
}

type FieldError = NonNullable<Problem['errors']>[number];

/** One that concerns the whole branch is an error of its MID. */
function errorsOf(problem: Problem, isCreate: boolean): FieldError[] {
  if (problem.code === 'validation_failed') return problem.errors ?? [];
  if (isCreate || !OF_THE_BRANCH.includes(problem.code)) throw new Interrupted(problem);
  return [{ pointer: '/mid', code: problem.code, detail: problem.detail }];
}

/**
 * Refuses the rows of field errors.
 *
 * @param meant The rows of errors in fields of the branch.
 * @param sent The rows that were sent.
 */
async function refused(sending: Sending, errors: FieldError[], meant: Row[], sent: Row[]): Promise<BranchState> {
  const problems: CellProblem[] = [];
  for (const { pointer, code, detail } of errors) {
    const [, at, field = pointer.slice(1)] = OF_TERMINAL.exec(pointer) ?? [];
    for (const { line, terminal } of at === undefined ? meant : sent.slice(Number(at), Number(at) + 1)) {
      const taken = code === 'taken' && terminal[field as TerminalField];
      const found = taken ? await find(sending, { [field]: taken }) : undefined;
      const holder = found && { terminal_id: found.terminal_id, mid: found.mid };
      problems.push({ line, field, code, detail, ...(holder && { holder }) });
    }
  }
  return { outcomes: Object.fromEntries(problems.map(({ line }) => [line, 'refused' as const])), problems };
}

/** A branch or terminal that exists, with the names that its fields have in requests. */
type Existing = Record<string, string | null> &
  Pick<Terminal, 'tid' | 'terminal_id' | 'mid' | 'updated_at' | 'archived_at'>;

/** Finds a branch or terminal; `undefined` if none is accessible. */
async function find({ api, patience }: Sending, query: Partial<Record<'mid' | 'tid' | TerminalField, string>>) {
  const { data, problem } = await patience(() => api.GET('/ext/api/v1/find', { params: { query } }));
  if (problem && problem.code !== 'not_found') throw new Interrupted(problem);
  const found = data?.data as Existing | undefined;
  return found && Object.assign(found, { branch_name: found['merchant_name'] ?? null });
}

/** Finds a branch with its terminals by `terminal_id`; `undefined` if it is not accessible. */
async function readBranch(sending: Sending, mid: string) {
  const branch = await find(sending, { mid });
  if (!branch) return undefined;
  const terminals = await readTerminals(sending.api, sending.patience, mid);
  return { branch, terminals: new Map(terminals.map((terminal) => [terminal.terminal_id, terminal])) };
}

/** The cells that differ from what exists. Fields that responses do not have are not compared. */
const differences = (line: number, wanted: Record<string, string>, existing: object): Difference[] =>
  Object.entries(existing).flatMap(([field, value]: [string, string | null]) =>
    field === 'mid' || wanted[field] === undefined || areAlike(field, wanted[field], value)
      ? []
      : [{ line, field, value }],
  );

const asProblem = (cell: Difference): CellProblem => ({ ...cell, code: 'differs', of: 'existing' });

/**
 * Compares rows with what exists. Rows of terminals that do not exist stay left. A dry run finds updates. What differs
 * later stays as it is, because no person has confirmed it.
 *
 * @param errors Of a request to create the branch, which exists; `undefined` if it is not compared.
 */
async function compared(
  sending: Sending,
  { first, left }: Pick<LeftRows, 'first' | 'left'>,
  { branch, terminals }: { branch?: Existing; terminals: Map<string, Existing> },
  errors?: FieldError[],
): Promise<BranchState> {
  const isDryRun = sending.importId === undefined;
  const [updates, problems, same]: [Update[], CellProblem[], Row[]] = [[], [], []];
  for (const row of left) {
    const { line } = row;
    const terminal = terminals.get(row.terminal.terminal_id ?? '');
    const cells = terminal ? differences(line, row.terminal, terminal) : [];
    if (terminal && cells.length > 0 && isDryRun)
      updates.push({ tid: terminal.tid, etag: etagOf(terminal), cells, lines: [line] });
    else if (terminal || !hasTerminal(row)) {
      same.push(row);
      problems.push(...cells.map(asProblem));
    }
  }
  if (!errors || !branch) return { outcomes: outcomesOf(same, 'exists'), problems, updates };
  const cells = differences(first.line, first.branch, branch);
  const changed = cells.filter(({ field }) => isDryRun && EDITED_OF_BRANCH.some((name) => name === field));
  // The service has compared details of the master merchant that responses do not have.
  const unseen = errors.filter(({ pointer, code }) => code === 'differs' && !(pointer.slice(1) in branch));
  problems.push(
    ...cells.filter((cell) => !changed.includes(cell)).map(asProblem),
    ...(await refused(sending, unseen, [first], [])).problems,
  );
  if (changed.length === 0) return { branch: 'exists', outcomes: outcomesOf(same, 'exists'), problems, updates };
  const update = { tid: undefined, etag: etagOf(branch), cells: changed, lines: same.map(({ line }) => line) };
  return { outcomes: {}, problems, updates: [update, ...updates] };
}
