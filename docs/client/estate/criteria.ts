import type { Branch, Terminal as ListedTerminal } from '../apply.ts';

/* What can be asked of an estate, and what it returns. */

export type { Branch };
export type Terminal = ListedTerminal & { last_seen_at: string | null };

/** A terminal, with its branch if it is known. */
export interface Row {
  terminal: Terminal;
  branch: Branch | undefined;
}

/** By what terminals are sorted. Those without a value come last. */
export type Column =
  | 'terminal_id'
  | 'serial_no'
  | 'terminal_model'
  | 'branch'
  | 'city'
  | 'payment_app'
  | 'acquirer_name'
  | 'status'
  | 'last_seen_at'
  | 'updated_at';

/**
 * By what terminals are filtered. The values of `branch` are MIDs. Those of `seen` are `never`, `week` for active
 * terminals that were last seen more than seven days ago, and the empty text for others. In the other facets, the empty
 * text stands for no value.
 */
export type TerminalFacet = 'status' | 'city' | 'branch' | 'terminal_model' | 'payment_app' | 'acquirer_name' | 'seen';

/** The chosen values of each facet. A row must have one of them, of each facet that has any. */
export type Filters<Name extends string> = Partial<Record<Name, readonly string[]>>;

/** Which terminals are asked for, and in which order. */
export interface Criteria {
  /** Words, each of which is a part of a word of the row, or what the service finds it by. */
  text: string;
  filters: Filters<TerminalFacet>;
  sort: { by: Column; isDescending: boolean };
}

/**
 * By what branches are filtered. The values of `business` are IDs of master merchants. Those of `terminals` are `some`
 * and `none`: whether a branch has active terminals.
 */
export type BranchFacet = 'status' | 'city' | 'business' | 'terminals';
/**
 * `desc` and `asc` are by `created_at`, as in the list of branches. `terminals` has the branches with the most active
 * terminals first.
 */
export type BranchSort = 'desc' | 'asc' | 'name' | 'city' | 'terminals';

export interface BranchCriteria {
  /** As of {@link Criteria} of terminals. */
  text: string;
  filters: Filters<BranchFacet>;
  sort: BranchSort;
}

/** A branch, with how many of its terminals are active. */
export interface BranchRow {
  branch: Branch;
  active: number;
}

/** A value of a facet, and how many have it. */
export type Count = [value: string, count: number];

/** A part of what is in order: from one place on, before another. The first place is 0. */
export interface Part {
  from: number;
  to: number;
}
