import type { Branch, TerminalChange } from './branch.ts';
import { branchKey, tidOfBranchOrder } from './table/keys.ts';
import { type Condition, type Step, update } from './table/transaction.ts';
import type { Terminal } from './terminal.ts';

/*
 * A branch counts its terminals, and an index lists them. The index may be some milliseconds behind, so the branch also
 * names those that came or went lately: see docs/decisions/0018-lists-of-terminals.md.
 */

type Changes = Branch['terminal_changes'];

/** For how long a branch names a change, in milliseconds: many times what an index is behind. */
const NAMED_MS = 10_000;
/** How many terminals a branch names at most, beside those of the change that is being made. */
const MOST_NAMED = 80;

/** A change by its name: later ones of one terminal sort after earlier ones. */
const named = ({ updated_at, tid }: Terminal, change: TerminalChange): Changes => ({
  [`${updated_at}#${tid}`]: change,
});

/** Terminals of one request that come to a branch, as the branch names them. */
export const added = (terminals: Terminal[]): Changes => {
  const [first] = terminals;
  return first ? named(first, { added: terminals.map(({ branch_order }) => branch_order) }) : {};
};

/** Before this time, a branch need not name a change any more. */
const pastBefore = (): string => new Date(Date.now() - NAMED_MS).toISOString();

/** The changes that a branch still has to name, the newest first, and those that it can forget. */
function sorted({ terminal_changes }: Branch): { recent: TerminalChange[]; past: string[] } {
  const since = pastBefore();
  const recent: TerminalChange[] = [];
  const past: string[] = [];
  let terminals = 0;
  for (const [name, change] of Object.entries(terminal_changes).sort(([a], [b]) => (a < b ? 1 : -1))) {
    terminals += 'added' in change ? change.added.length : 1;
    if (name > since && terminals <= MOST_NAMED) recent.push(change);
    else past.push(name);
  }
  return { recent, past };
}

/** Counts and names a change of a branch's terminals. It forgets what it finds to be past; others may do so too. */
const change = (branch: Branch, by: number, changes: Changes, condition: Condition): Step => {
  const past = Object.fromEntries(sorted(branch).past.map((name) => [name, undefined]));
  const terminal_changes = { ...past, ...changes };
  return update(branchKey(branch.mid), { add: { terminal_count: by }, setIn: { terminal_changes } }, condition);
};

/** Counts terminals that come to a branch. */
export const countIn = (branch: Branch, terminals: Terminal[], condition: Condition): Step =>
  change(branch, terminals.length, added(terminals), condition);

/** Counts a terminal that leaves a branch; its `updated_at` is the time at which it does. */
export const countOut = (branch: Branch, terminal: Terminal, condition: Condition): Step =>
  change(branch, -1, named(terminal, { removed: terminal.tid }), condition);

/**
 * Whether a branch names the departure of a terminal after the state in which that was read. It names each for longer than
 * the time between two reads of a request. An older one is of an earlier terminal with the same TID.
 */
export function hasLeft({ terminal_changes }: Branch, { tid, updated_at }: Terminal): boolean {
  const since = pastBefore();
  return Object.entries(terminal_changes).some(
    ([at, by]) => 'removed' in by && by.removed === tid && at > `${updated_at}#${tid}` && at > since,
  );
}

/**
 * What the index may not know yet, by TID: the `branch_order` of a terminal that came lately, or `undefined` for one that
 * went and has not come back; and how many went.
 */
export function latelyIn(branch: Branch): { recentOrders: Map<string, string | undefined>; departures: number } {
  const recentOrders = new Map<string, string | undefined>();
  let departures = 0;
  for (const change of sorted(branch).recent.reverse())
    if ('removed' in change) {
      recentOrders.set(change.removed, undefined);
      departures += 1;
    } else for (const order of change.added) recentOrders.set(tidOfBranchOrder(order), order);
  return { recentOrders, departures };
}
