import type { CellProblem, Plan } from './plan.ts';
import { hasTerminal, type Row } from './row.ts';

/**
 * What became of a row, or of a branch: it was created, or in a dry run could be; it exists already; or it was refused.
 */
export type Outcome = 'created' | 'exists' | 'refused';

/** What became of a branch and its rows so far. Plain data, so that it can be stored. */
export interface BranchState {
  branch?: Exclude<Outcome, 'refused'>;
  /** By line. */
  outcomes: Record<number, Outcome>;
  problems: CellProblem[];
}

/** How many have which outcome, and how many are left. */
export type Count = Record<Outcome | 'left', number>;

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

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#rows = new Map(plan.rows.map((row) => [row.line, row]));
    this.#states = plan.branches.map(() => ({ outcomes: {}, problems: [] }));
    this.problems = [...plan.problems];
    const mids = new Set(plan.branches.map(([first]) => first?.mid));
    const refused = plan.problems.map(({ line }) => this.#rows.get(line)?.mid).filter((mid) => mid && !mids.has(mid));
    this.counts = {
      rows: { created: 0, exists: 0, refused: 0, left: plan.rows.length },
      branches: { created: 0, exists: 0, refused: new Set(refused).size, left: plan.branches.length },
      terminals: { created: 0, exists: 0, refused: 0, left: plan.rows.filter(hasTerminal).length },
    };
    for (const line of new Set(plan.problems.map(({ line }) => line))) this.#settle(line, 'refused');
  }

  /** The state of the branch at this place in the plan. */
  stateOf(at: number): BranchState {
    return this.#states[at] as BranchState;
  }

  /** What is known of each branch before it is created, so that an import after a dry run need not find it again. */
  known(): BranchState[] {
    return this.#states.map(({ branch, outcomes, problems }) => ({
      ...(branch === 'exists' && { branch }),
      outcomes: Object.fromEntries(Object.entries(outcomes).filter(([, outcome]) => outcome !== 'created')),
      problems,
    }));
  }

  /** The rows of a branch that have no outcome yet. */
  leftOf(at: number): Row[] {
    return (this.#plan.branches[at] ?? []).filter(({ line }) => !this.outcomes.has(line));
  }

  /** Adds what is new to the state of a branch. */
  add(at: number, { branch, outcomes, problems }: BranchState): void {
    const { branches } = this.counts;
    const state = this.stateOf(at);
    for (const [line, outcome] of Object.entries(outcomes)) this.#settle(Number(line), outcome);
    this.problems.push(...problems);
    const before = state.branch ?? 'left';
    const isRefused = !branch && !state.branch && this.leftOf(at).length === 0;
    const after = isRefused ? 'refused' : (branch ?? before);
    branches[before] -= 1;
    branches[after] += 1;
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

/** A state with what is new. */
export const merged = (state: BranchState, { branch, outcomes, problems }: BranchState): BranchState => ({
  ...state,
  ...(branch && { branch }),
  outcomes: { ...state.outcomes, ...outcomes },
  problems: [...state.problems, ...problems],
});
