import type { Api, Problem } from '../api.ts';
import type { NewBranch, NewTerminals } from './columns.ts';
import type { BranchState, Outcome } from './ledger.ts';
import { Interrupted, type Patience } from './patience.ts';
import type { CellProblem } from './plan.ts';
import { areAlike, hasTerminal, type Row } from './row.ts';
import { readTerminals } from './terminals.ts';

/** The most terminals of a request. */
const BATCH = 40;
/** Problems of a request that concern its branch, so that other branches can go on. */
const OF_THE_BRANCH = ['branch_archived', 'not_found', 'too_many_terminals'];

/** How to send the requests of an import. */
export interface Sending {
  api: Api;
  patience: Patience;
  /** The import, from which the `Idempotency-Key` of each request derives; `undefined` if requests are only checked. */
  importId: string | undefined;
}

/** Rows of a branch that have no outcome yet, with what is known of the branch. */
export interface LeftRows {
  /** The row that has the branch's fields. */
  first: Row;
  /** At least one. */
  left: Row[];
  branch: BranchState['branch'];
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const outcomesOf = (rows: Row[], outcome: Outcome): BranchState['outcomes'] =>
  Object.fromEntries(rows.map(({ line }) => [line, outcome]));

/**
 * Sends the next request of a branch: creates it with its first terminals, or adds terminals to it. Compares rows with
 * what exists, if that is why they are refused. In every run, the same rows make the same request with the same key.
 *
 * @returns What is new: an outcome of at least one row, or that the branch exists.
 * @throws Interrupted with a problem that concerns no row.
 */
export async function nextStep(sending: Sending, { first, left, branch }: LeftRows): Promise<BranchState> {
  const { api, patience, importId } = sending;
  const { mid } = first;
  // A branch that was only checked does not exist: its next terminals are checked with it.
  const isCreate = !branch || (branch === 'created' && importId === undefined);
  const batch = left.filter(hasTerminal).slice(0, BATCH);
  const terminals = batch.length > 0 ? batch.map(({ terminal }) => terminal) : null;
  const body = isCreate ? { ...first.branch, terminals } : { terminals };
  const params =
    importId === undefined
      ? { query: { validate_only: 'true' } as const }
      : { header: { 'Idempotency-Key': await sha256(JSON.stringify([importId, isCreate, mid, body])) } };
  const { problem } = isCreate
    ? await patience(() => api.POST('/ext/api/v1/merchants', { params, body: body as NewBranch }))
    : await patience(() =>
        api.POST('/ext/api/v1/terminals/{mid}', { params: { ...params, path: { mid } }, body: body as NewTerminals }),
      );
  if (!problem) {
    const done = left.filter((row) => batch.includes(row) || !hasTerminal(row));
    return { ...(!branch && { branch: 'created' }), outcomes: outcomesOf(done, 'created'), problems: [] };
  }
  const errors = errorsOf(problem, isCreate);
  const isTaken = errors.some(({ code, pointer }) => code === 'taken' && (!isCreate || pointer === '/mid'));
  const existing = isTaken ? await readBranch(sending, mid) : undefined;
  const step = existing
    ? compared({ first, left, batch, isCreate, errors, existing })
    : refused(errors, errors[0]?.code === 'too_many_terminals' ? batch : left, batch);
  if (!step.branch && Object.keys(step.outcomes).length === 0) throw new Interrupted(problem);
  return step;
}

type FieldError = NonNullable<Problem['errors']>[number];

/** The field errors of a problem. One that concerns the whole branch is an error of its MID. */
function errorsOf(problem: Problem, isCreate: boolean): FieldError[] {
  if (problem.code === 'validation_failed') return problem.errors ?? [];
  if (isCreate || !OF_THE_BRANCH.includes(problem.code)) throw new Interrupted(problem);
  return [{ pointer: '/mid', code: problem.code, detail: problem.detail }];
}

/**
 * Refuses the rows of field errors.
 *
 * @param meant The rows of errors in fields of the branch.
 * @param batch The rows that were sent.
 */
function refused(errors: FieldError[], meant: Row[], batch: Row[]): BranchState {
  const problems = errors.flatMap(({ pointer, code, detail }) => {
    const [, at, field = pointer.slice(1)] = /^\/terminals\/(\d+)\/?(.*)$/.exec(pointer) ?? [];
    const rows = at === undefined ? meant : batch.slice(Number(at), Number(at) + 1);
    return rows.map(({ line }) => ({ line, field, code, detail }));
  });
  return { outcomes: Object.fromEntries(problems.map(({ line }) => [line, 'refused' as const])), problems };
}

type Existing = NonNullable<Awaited<ReturnType<typeof readBranch>>>;

/** Reads a branch with its terminals by `terminal_id`; `undefined` if it is not accessible. */
async function readBranch({ api, patience }: Sending, mid: string) {
  const { data, problem } = await patience(() => api.GET('/ext/api/v1/merchants/{mid}', { params: { path: { mid } } }));
  if (problem?.code === 'not_found') return undefined;
  if (problem) throw new Interrupted(problem);
  const { terminals, problem: ofTerminals } = await readTerminals(api, patience, mid);
  if (ofTerminals) throw new Interrupted(ofTerminals);
  const branch: Record<string, unknown> = { ...data.data, branch_name: data.data.merchant_name };
  return { branch, terminals: new Map(terminals.map((terminal) => [terminal.terminal_id, terminal])) };
}

/** A problem for each cell that differs from what exists. Fields that responses do not have are not compared. */
const differences = (line: number, wanted: Record<string, string>, existing: object): CellProblem[] =>
  Object.entries(existing).flatMap(([field, value]: [string, string | null]) =>
    field === 'mid' || wanted[field] === undefined || areAlike(field, wanted[field], value)
      ? []
      : [{ line, field, code: 'differs', of: 'existing', value }],
  );

/** Compares rows with the branch that exists, and refuses those with other errors. */
function compared({
  first,
  left,
  batch,
  isCreate,
  errors,
  existing,
}: {
  first: Row;
  left: Row[];
  batch: Row[];
  isCreate: boolean;
  errors: FieldError[];
  existing: Existing;
}): BranchState {
  const existingOf = ({ terminal: { terminal_id = '' } }: Row) => existing.terminals.get(terminal_id);
  const there = left.filter((row) => existingOf(row) || (isCreate && !hasTerminal(row)));
  const isOpen = ({ pointer }: FieldError) => {
    const [, at] = /^\/terminals\/(\d+)/.exec(pointer) ?? [];
    return at !== undefined && !there.includes(batch[Number(at)] as Row);
  };
  const others = refused(errors.filter(isOpen), [], batch);
  const problems = there.flatMap((row) => differences(row.line, row.terminal, existingOf(row) ?? {}));
  const step = {
    outcomes: { ...outcomesOf(there, 'exists'), ...others.outcomes },
    problems: [...problems, ...others.problems],
  };
  if (!isCreate) return step;
  // The service has compared details of the master merchant that responses do not have.
  const unseen = errors.filter(({ pointer, code }) => code === 'differs' && !(pointer.slice(1) in existing.branch));
  return {
    branch: 'exists',
    outcomes: step.outcomes,
    problems: [
      ...differences(first.line, first.branch, existing.branch),
      ...refused(unseen, [first], batch).problems,
      ...step.problems,
    ],
  };
}
