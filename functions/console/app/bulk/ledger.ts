import { hasTerminal, type Row } from './importRow.ts';
import type { CellProblem, Difference, Plan } from './planImport.ts';

/**
 * What became of a row, or of a branch: it was created or updated, or in a dry run could be; it exists already as it
 * is; or it, or its update, was refused.
 */
export type Outcome = 'created' | 'updated' | 'exists' | 'refused';

/** How a branch or terminal that exists differs from the file, which is changed. */
export interface Update {
  /** The TID of the terminal; `undefined` for the branch, which is updated before its terminals. */
  tid: string | undefined;
  /** Of the state that it was compared with. */
  etag: string;
  /** What differs. At least one, all of the same row. */
  cells: Difference[];
  /** The lines that get their outcome with it. */
  lines: number[];
}

/** What became of a branch and its rows so far. Plain data, so that it can be stored. */
export interface BranchState {
  branch?: Outcome;
  /** By line. */
  outcomes: Record<number, Outcome>;
  problems: CellProblem[];
  /** What a dry run has found. A person confirms them, and only they are sent. `StoredImport.known` has them. */
  updates?: Update[];
}

type Count = Record<Outcome | 'left', number>;

const NONE: Count = { created: 0, updated: 0, exists: 0, refused: 0, left: 0 };

/** What became of an import so far. */
export class Ledger {
  readonly counts: { rows: Count; branches: Count; terminals: Count };
  /** In the order in which they were found. A row whose terminal exists can have problems too: what differs. */
  readonly problems: CellProblem[];
  /** By line. Rows that are left have none. */
  readonly outcomes = new Map<number, Outcome>();
  readonly #plan: Plan;
  readonly #rows: Map<number, Row>;
  readonly #states: BranchState[];
  readonly #updates: Update[][];

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#rows = new Map(plan.rows.map((row) => [row.line, row]));
    this.#states = plan.branches.map(() => ({ outcomes: {}, problems: [] }));
    this.#updates = plan.branches.map(() => []);
    this.problems = [...plan.problems];
    const mids = new Set(plan.branches.flatMap(([first]) => first?.mid || []));
    const refused = plan.problems.map(({ line }) => this.#rows.get(line)?.mid).filter((mid) => mid && !mids.has(mid));
    this.counts = {
      rows: { ...NONE, left: plan.rows.length },
      branches: { ...NONE, refused: new Set(refused).size, left: mids.size },
      terminals: { ...NONE, left: plan.rows.filter(hasTerminal).length },
    };
    for (const line of new Set(plan.problems.map(({ line }) => line))) this.#settle(line, 'refused');
  }

  stateOf(at: number): BranchState {
    return this.#states[at] as BranchState;
  }

  /** What a dry run knows of each branch, so that an import need not find it again. Only it has updates, if any. */
  known(isUpdating: boolean): BranchState[] {
    const isKnown = (outcome?: Outcome) => outcome === 'exists' || outcome === 'refused';
    return this.#states.map(({ branch, outcomes, problems }, at) => ({
      ...(branch && isKnown(branch) && { branch }),
      outcomes: Object.fromEntries(Object.entries(outcomes).filter(([, outcome]) => isKnown(outcome))),
      problems,
      updates: isUpdating ? this.updates(at, 'updated') : [],
    }));
  }

  /** The updates of a branch and of its terminals with an outcome; by default those that are left. */
  updates(at: number, outcome?: Outcome): Update[] {
    const { branch } = this.stateOf(at);
    const outcomeOf = ({ tid, lines: [line = 0] }: Update) => (tid === undefined ? branch : this.outcomes.get(line));
    return (this.#updates[at] as Update[]).filter((update) => outcomeOf(update) === outcome);
  }

  /** The cells whose values were changed, or in a dry run could be. */
  get updated(): Difference[] {
    return this.#states.flatMap((_, at) => this.updates(at, 'updated').flatMap(({ cells }) => cells));
  }

  /** Takes over what an earlier dry run has found of branches whose rows are the same, unless it found problems. */
  takeOver(earlier: Ledger): void {
    const places = new Map(earlier.#plan.branches.map((rows, at) => [JSON.stringify(rows), at]));
    for (const [at, rows] of this.#plan.branches.entries()) {
      const place = places.get(JSON.stringify(rows));
      if (place === undefined || earlier.stateOf(place).problems.length > 0) continue;
      this.add(at, { ...earlier.stateOf(place), updates: earlier.updates(place, 'updated') });
    }
  }

  leftOf(at: number): Row[] {
    return (this.#plan.branches[at] ?? []).filter(({ line }) => !this.outcomes.has(line));
  }

  add(at: number, { branch, outcomes, problems, updates = [] }: BranchState): void {
    const { branches } = this.counts;
    const state = this.stateOf(at);
    this.#updates[at]?.push(...updates);
    for (const [line, outcome] of Object.entries(outcomes)) this.#settle(Number(line), outcome);
    this.problems.push(...problems);
    const before = state.branch ?? 'left';
    const isRefused = !branch && !state.branch && this.leftOf(at).length === 0;
    const after = isRefused ? 'refused' : (branch ?? before);
    if (this.#plan.branches[at]?.[0]?.mid) {
      branches[before] -= 1;
      branches[after] += 1;
    }
    this.#states[at] = merged(state, { ...(branch && { branch }), outcomes, problems });
  }

  #settle(line: number, outcome: Outcome): void {
    this.outcomes.set(line, outcome);
    const { rows, terminals } = this.counts;
    for (const count of hasTerminal(this.#rows.get(line) as Row) ? [rows, terminals] : [rows]) {
      count.left -= 1;
      count[outcome] += 1;
    }
  }
}

/** Adds to a state what is new, except for updates: the ledger holds them apart, as they are stored only once. */
export const merged = (state: BranchState, { branch, outcomes, problems }: BranchState): BranchState => ({
  ...state,
  ...(branch && { branch }),
  outcomes: { ...state.outcomes, ...outcomes },
  problems: [...state.problems, ...problems],
});
