import type { Api, Schemas } from '../api/client.ts';
import type { Patience } from '../api/patience.ts';
import { UNDO_REASON } from '../fields/wording.ts';
import { csvOf } from '../files/csv.ts';
import { loadJob, resumeJob, type Storage, type Stored, storeJob } from '../kept/storedJob.ts';
import { inPool, type RunOptions } from './pool.ts';

type Terminal = Schemas['Terminal'];

/** What is changed of a terminal. */
export type Change =
  | { do: 'move'; mid: string }
  | { do: 'archive'; reason: string }
  | { do: 'restore' }
  | { do: 'set'; field: 'payment_app' | 'acquirer_name'; value: string | null };

/** A change of one terminal, as the person saw it. */
export interface Step {
  before: Terminal;
  change: Change;
  /** Whether it puts back what an earlier change has changed. */
  isUndo?: boolean;
}

/** What became of a step: with `same`, the terminal was so already. */
export type Outcome =
  | { is: 'changed'; after: Terminal }
  | { is: 'same' }
  | { is: 'refused'; code: string; detail: string };

/** By the places of steps. Those that are left have none. */
export type Outcomes = Map<number, Outcome>;

/** A change of many terminals that was started. */
export interface StoredChange extends Stored {
  title: string;
  steps: Step[];
}

const SAME = ['already_archived', 'not_archived', 'already_under_target_mid'];

/** The ETag of a terminal or branch that was read: see lib/base/state.ts. */
export const etagOf = ({ updated_at, archived_at }: Pick<Terminal, 'updated_at' | 'archived_at'>): string =>
  `"${archived_at === null ? updated_at : `${updated_at}/${archived_at}`}"`;

/** Whether a terminal is as a change would make it. */
function isDone({ mid, status, archive_reason, ...terminal }: Terminal, change: Change): boolean {
  if (change.do === 'move') return mid === change.mid;
  if (change.do === 'set') return terminal[change.field] === change.value;
  return change.do === 'archive'
    ? status === 'archived' && archive_reason === change.reason.trim()
    : status === 'active';
}

/** Sends the change of one terminal; without a key, only to learn what it would do. */
function send(api: Api, { before, change, isUndo }: Step, key: string | undefined) {
  const params = {
    path: { tid: before.tid },
    header: { 'If-Match': etagOf(before) },
    query: { ...(key === undefined && { validate_only: 'true' as const }), ...(isUndo && { reason: UNDO_REASON }) },
  };
  if (change.do === 'move') {
    const header = { ...params.header, ...(key !== undefined && { 'Idempotency-Key': key }) };
    const body = { mid: change.mid };
    return api.POST('/ext/api/v1/terminals/{tid}/reassign', { params: { ...params, header }, body });
  }
  if (change.do === 'archive')
    return api.PATCH('/ext/api/v1/terminals/{tid}/archive', { params, body: { reason: change.reason } });
  if (change.do === 'restore') return api.PATCH('/ext/api/v1/terminals/{tid}/restore', { params });
  return api.PATCH('/ext/api/v1/terminals/{tid}', { params, body: { [change.field]: change.value } });
}

/**
 * Changes one terminal. If a response was lost, the next attempt meets the terminal as the first one left it: then the
 * terminal itself says whether it is changed.
 */
async function outcomeOf(api: Api, patience: Patience, step: Step, key: string | undefined): Promise<Outcome> {
  const { before, change } = step;
  if (change.do === 'set' && isDone(before, change)) return { is: 'same' };
  let attempts = 0;
  const { data, problem } = await patience(() => {
    attempts += 1;
    return send(api, step, key);
  });
  if (data) return { is: 'changed', after: data.data as Terminal };
  if (attempts > 1 && key !== undefined && (problem.code === 'precondition_failed' || SAME.includes(problem.code))) {
    const query = { tid: before.tid };
    const found = await patience(() => api.GET('/ext/api/v1/find', { params: { query } }));
    const now = found.data?.data as Terminal | undefined;
    if (now && isDone(now, change)) return { is: 'changed', after: now };
  }
  if (SAME.includes(problem.code)) return { is: 'same' };
  return { is: 'refused', code: problem.code, detail: problem.errors?.[0]?.detail ?? problem.detail };
}

async function runSteps(
  api: Api,
  steps: Step[],
  outcomes: Outcomes,
  { onProgress, ...options }: RunOptions<Outcomes>,
  stored?: { id: string; storage: Storage },
): Promise<Outcomes> {
  const left = [...steps.entries()].filter(([at]) => !outcomes.has(at));
  onProgress?.(outcomes);
  await inPool([left], { ...options, hasGrace: stored !== undefined }, async ([at, step], patience) => {
    const outcome = await outcomeOf(api, patience, step, stored && `${stored.id}-${at}`);
    await stored?.storage.set(`${at}`, outcome);
    outcomes.set(at, outcome);
    onProgress?.(outcomes);
  });
  return outcomes;
}

/**
 * Finds out what each step would do. Nothing is changed.
 *
 * @throws Interrupted when it is stopped.
 */
export const checkSteps = (api: Api, steps: Step[], options: RunOptions<Outcomes>): Promise<Outcomes> =>
  runSteps(api, steps, new Map(), options);

/** Stores a change in place of one that is finished. Returns `false` if another one is not finished. */
export async function storeChange(storage: Storage, started: Omit<StoredChange, keyof Stored>): Promise<boolean> {
  const last = await loadChange(storage);
  if (last?.outcomes.size === last?.stored.steps.length) await storage.clear();
  return storeJob<StoredChange>(storage, started);
}

/** Reads the stored change and what became of it so far; `undefined` if there is none. */
export async function loadChange(storage: Storage): Promise<{ stored: StoredChange; outcomes: Outcomes } | undefined> {
  const found = await loadJob<StoredChange, Outcome>(storage);
  return found && { stored: found.stored, outcomes: found.states };
}

/**
 * Runs the stored change. A step without a stored outcome is sent again.
 *
 * @returns `undefined` as {@link resumeJob}.
 * @throws Interrupted when it is stopped; Error of the storage.
 */
export const runChange = (api: Api, storage: Storage, options: RunOptions<Outcomes>): Promise<Outcomes | undefined> =>
  resumeJob(
    () => loadChange(storage),
    ({ stored: { id, steps }, outcomes }) => runSteps(api, steps, outcomes, options, { id, storage }),
  );

/** What puts a terminal back. One that was archived with its branch is archived by itself then. */
function undoOf(before: Terminal, { do: done, ...change }: Change): Change {
  if (done === 'move') return { do: 'move', mid: before.mid };
  if (done === 'archive') return { do: 'restore' };
  if (done === 'restore') return { do: 'archive', reason: before.archive_reason ?? 'Restored by mistake' };
  const { field } = change as Extract<Change, { do: 'set' }>;
  return { do: 'set', field, value: before[field] };
}

/** The steps that put back what a change has changed. */
export const undoSteps = (steps: Step[], outcomes: Outcomes): Step[] =>
  steps.flatMap(({ before, change }, at) => {
    const outcome = outcomes.get(at);
    return outcome?.is === 'changed' ? [{ before: outcome.after, change: undoOf(before, change), isUndo: true }] : [];
  });

/** Writes what became of each terminal as CSV: `changed`, `same`, `refused`, or `left` if it is not known yet. */
export function changeReport(steps: Step[], outcomes: Outcomes): string {
  const header = ['terminal_id', 'serial_no', 'mid_before', 'outcome', 'code', 'detail'];
  const records = steps.map(({ before: { terminal_id, serial_no, mid } }, at) => {
    const { is, code, detail } = { is: 'left', code: null, detail: null, ...outcomes.get(at) };
    return [terminal_id, serial_no, mid, is, code, detail];
  });
  return csvOf([header, ...records], { isFirst: true });
}
