import type { Api, Problem, Schemas } from '../api.ts';
import { type Cell, csvOf } from './csv.ts';
import { createPatience, Interrupted, type Patience, type Waiting } from './patience.ts';
import { inPool } from './pool.ts';
import { exclusively, type Locks, STARTED, type Storage } from './store.ts';

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
}

/** What became of a step: with `same`, the terminal was so already. */
export type Outcome =
  | { is: 'changed'; after: Terminal }
  | { is: 'same' }
  | { is: 'refused'; code: string; detail: string };

/** By the places of steps. Those that are left have none. */
export type Outcomes = Map<number, Outcome>;

/** A change of many terminals that was started. */
export interface StoredChange {
  id: string;
  /** What it is, as the person read it. */
  title: string;
  startedAt: number;
  steps: Step[];
}

export interface ChangeOptions {
  /** Stops: nothing more is sent, and what is under way may finish. */
  signal: AbortSignal;
  /** Called after each step, with the same map each time. */
  onProgress?: (outcomes: Outcomes, waiting: Waiting | undefined) => void;
}

/** How it ended. One that is stopped has the problem that a person must solve, if there is one. */
export type Ended = { is: 'finished'; outcomes: Outcomes } | { is: 'stopped'; problem: Problem | undefined };

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

/** Sends the change of one terminal; with `isDryRun`, to learn what it would do. */
function send(api: Api, { before, change }: Step, key: string, isDryRun: boolean) {
  const params = {
    path: { tid: before.tid },
    header: { 'If-Match': etagOf(before) },
    ...(isDryRun && { query: { validate_only: 'true' as const } }),
  };
  if (change.do === 'move') {
    const header = { ...params.header, ...(!isDryRun && { 'Idempotency-Key': key }) };
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
async function outcomeOf(api: Api, patience: Patience, step: Step, key: string, isDryRun: boolean): Promise<Outcome> {
  const { before, change } = step;
  if (change.do === 'set' && isDone(before, change)) return { is: 'same' };
  let attempts = 0;
  const { data, problem } = await patience(() => {
    attempts += 1;
    return send(api, step, key, isDryRun);
  });
  if (data) return { is: 'changed', after: data.data as Terminal };
  if (attempts > 1 && !isDryRun && (problem.code === 'precondition_failed' || SAME.includes(problem.code))) {
    const query = { tid: before.tid };
    const found = await patience(() => api.GET('/ext/api/v1/find', { params: { query } }));
    const now = found.data?.data as Terminal | undefined;
    if (now && isDone(now, change)) return { is: 'changed', after: now };
  }
  if (SAME.includes(problem.code)) return { is: 'same' };
  return { is: 'refused', code: problem.code, detail: problem.errors?.[0]?.detail ?? problem.detail };
}

interface Run extends ChangeOptions {
  steps: Step[];
  outcomes: Outcomes;
  /** The keys of its requests derive from it; a dry run has none. */
  id: string | undefined;
  store: (at: number, outcome: Outcome) => Promise<void>;
}

async function runSteps(api: Api, { steps, outcomes, id, store, signal, onProgress }: Run): Promise<Ended> {
  const failure = new AbortController();
  let waiting: Waiting | undefined;
  const report = () => onProgress?.(outcomes, waiting);
  const patience = createPatience({
    signal: AbortSignal.any([signal, failure.signal]),
    hasGrace: id !== undefined,
    onWaiting(now) {
      waiting = now;
      report();
    },
  });
  const left = [...steps.entries()].filter(([at]) => !outcomes.has(at));
  report();
  try {
    await inPool(left, failure, async ([at, step]) => {
      const outcome = await outcomeOf(api, patience, step, `${id}-${at}`, id === undefined);
      await store(at, outcome);
      outcomes.set(at, outcome);
      report();
    });
    return { is: 'finished', outcomes };
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    return { is: 'stopped', problem: error.problem };
  }
}

/** Finds out what each step would do. Nothing is changed. */
export const checkSteps = (api: Api, steps: Step[], options: ChangeOptions): Promise<Ended> =>
  runSteps(api, { ...options, steps, outcomes: new Map(), id: undefined, store: async () => {} });

/**
 * Stores a change before its first request, in place of one that is finished.
 *
 * @returns `undefined` if another one is not finished.
 */
export async function storeChange(
  storage: Storage,
  started: Pick<StoredChange, 'title' | 'steps'>,
): Promise<StoredChange | undefined> {
  const last = await loadChange(storage);
  if (last && last.outcomes.size < last.stored.steps.length) return undefined;
  await storage.clear();
  const stored = { id: crypto.randomUUID(), startedAt: Date.now(), ...started };
  await storage.set(STARTED, stored);
  return stored;
}

/** Reads the stored change and what became of it so far; `undefined` if there is none. */
export async function loadChange(storage: Storage): Promise<{ stored: StoredChange; outcomes: Outcomes } | undefined> {
  const { [STARTED]: stored, ...outcomes } = Object.fromEntries(await storage.entries());
  if (!stored) return undefined;
  const known = Object.entries(outcomes) as [string, Outcome][];
  return { stored: stored as StoredChange, outcomes: new Map(known.map(([at, outcome]) => [Number(at), outcome])) };
}

/**
 * Runs the stored change from where it was stopped. A step without a stored outcome is sent again.
 *
 * @returns `undefined` if it runs in another tab, or was discarded there.
 * @throws Error of the storage.
 */
export async function runChange(
  api: Api,
  storage: Storage,
  { locks, ...options }: ChangeOptions & { locks?: Locks },
): Promise<Ended | undefined> {
  const found = await loadChange(storage);
  if (!found) return undefined;
  const { id } = found.stored;
  const run = async () => {
    const now = await loadChange(storage);
    if (now?.stored.id !== id) return undefined;
    const store = async (at: number, outcome: Outcome) => {
      await storage.set(`${at}`, outcome);
    };
    return runSteps(api, { ...options, steps: now.stored.steps, outcomes: now.outcomes, id, store });
  };
  return exclusively(id, run, locks);
}

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
    return outcome?.is === 'changed' ? [{ before: outcome.after, change: undoOf(before, change) }] : [];
  });

/** Writes what became of each terminal as CSV: `changed`, `same`, `refused`, or `left` if it is not known yet. */
export function changeReport({ steps }: Pick<StoredChange, 'steps'>, outcomes: Outcomes): string {
  const records = steps.map(({ before }, at): Cell[] => {
    const outcome = outcomes.get(at);
    const why = outcome?.is === 'refused' ? [outcome.code, outcome.detail] : [null, null];
    return [before.terminal_id, before.serial_no, before.mid, outcome?.is ?? 'left', ...why];
  });
  return csvOf([['terminal_id', 'serial_no', 'mid_before', 'outcome', 'code', 'detail'], ...records], {
    isFirst: true,
  });
}
