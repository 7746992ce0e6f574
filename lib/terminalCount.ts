import { ago } from './base/time.ts';
import type { Branch, TerminalChange } from './branch.ts';
import { branchKey, tidOfBranchOrder } from './table/keys.ts';
import { type Condition, type Step, update } from './table/transaction.ts';
import type { Terminal } from './terminal.ts';

/*
 * A branch counts its terminals, and an index lists them. The index can lag by some milliseconds, so the branch also
 * lists its recent changes, terminals added and removed: see docs/decisions/0018-lists-of-terminals.md.
 */

type Changes = Branch['terminal_changes'];

/** How long a branch lists a change, in milliseconds: many times the lag of an index. */
const RECENT_MS = 10_000;
/** The most terminals that a branch lists, without those of a change in progress. */
const MOST_RECENT = 80;

/** A change by its key, `time#TID`, so that changes of a terminal sort by time. */
const keyed = ({ updated_at, tid }: Terminal, change: TerminalChange): Changes => ({
  [`${updated_at}#${tid}`]: change,
});

/** The change that adds the terminals of one request to a branch. */
export const added = (terminals: Terminal[]): Changes => {
  const [first] = terminals;
  return first ? keyed(first, { added: terminals.map(({ branch_order }) => branch_order) }) : {};
};

/** The changes that a branch must still list, the newest first, and the keys of past ones. */
function splitChanges({ terminal_changes }: Branch): { recent: TerminalChange[]; past: string[] } {
  const since = ago(RECENT_MS);
  const recent: TerminalChange[] = [];
  const past: string[] = [];
  let terminals = 0;
  for (const [name, change] of Object.entries(terminal_changes).sort(([a], [b]) => (a < b ? 1 : -1))) {
    terminals += 'added' in change ? change.added.length : 1;
    if (name > since && terminals <= MOST_RECENT) recent.push(change);
    else past.push(name);
  }
  return { recent, past };
}

/** A step that counts a change of a branch's terminals, adds it to the recent changes, and removes past ones. */
const change = (branch: Branch, by: number, changes: Changes, condition: Condition): Step => {
  const past = Object.fromEntries(splitChanges(branch).past.map((name) => [name, undefined]));
  const terminal_changes = { ...past, ...changes };
  return update(branchKey(branch.mid), { add: { terminal_count: by }, setIn: { terminal_changes } }, condition);
};

/** A step that counts terminals added to a branch. */
export const countAdded = (branch: Branch, terminals: Terminal[], condition: Condition): Step =>
  change(branch, terminals.length, added(terminals), condition);

/** A step that counts a terminal removed from a branch, at the time of its `updated_at`. */
export const countRemoved = (branch: Branch, terminal: Terminal, condition: Condition): Step =>
  change(branch, -1, keyed(terminal, { removed: terminal.tid }), condition);

/**
 * Whether a branch lists a removal of a terminal that is later than the terminal as it was read. Removals are listed
 * for longer than the time between two reads of a request. An older one is of an earlier terminal with the same TID.
 */
export function hasLeft({ terminal_changes }: Branch, { tid, updated_at }: Terminal): boolean {
  const since = ago(RECENT_MS);
  return Object.entries(terminal_changes).some(
    ([at, by]) => 'removed' in by && by.removed === tid && at > `${updated_at}#${tid}` && at > since,
  );
}

/**
 * The changes that the index may lag behind: by TID, the `branch_order` of a terminal that was added, or `undefined`
 * for one that was removed and not added again; and the number of removals.
 */
export function recentChangesIn(branch: Branch): { recentOrders: Map<string, string | undefined>; removals: number } {
  const recentOrders = new Map<string, string | undefined>();
  let removals = 0;
  for (const change of splitChanges(branch).recent.reverse())
    if ('removed' in change) {
      recentOrders.set(change.removed, undefined);
      removals += 1;
    } else for (const order of change.added) recentOrders.set(tidOfBranchOrder(order), order);
  return { recentOrders, removals };
}
