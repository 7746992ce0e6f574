/** A branch as it is stored. */
type BranchItem = Record<string, unknown> | null | undefined;

/** For how long a branch names terminals that came or went. */
const NAMED_MS = 10_000;

function withChange(branch: BranchItem, by: number, at: string, tid: string, change: object): object {
  const { terminal_count, terminal_changes } = branch as { terminal_count: number; terminal_changes: object };
  const since = new Date(Date.parse(at) - NAMED_MS).toISOString();
  const named = Object.entries(terminal_changes).filter(([name]) => name > since);
  return {
    ...branch,
    terminal_count: terminal_count + by,
    terminal_changes: { ...Object.fromEntries(named), [`${at}#${tid}`]: change },
  };
}

/** A branch after terminals came to it, which are given by their `branch_order`: it counts and names them. */
export const withAdded = (branch: BranchItem, at: string, ...orders: string[]): object =>
  withChange(branch, orders.length, at, orders[0]?.split('#').at(-1) ?? '', { added: orders });

/** A branch after a terminal left it. */
export const withRemoved = (branch: BranchItem, at: string, tid: string): object =>
  withChange(branch, -1, at, tid, { removed: tid });

/** The time at which a terminal left a branch, as the branch tells it; no response to a delete does. */
export function removedAt(branch: BranchItem, tid: string): string {
  const changes = Object.entries(branch?.['terminal_changes'] as Record<string, { removed?: string }>);
  return changes.findLast(([, { removed }]) => removed === tid)?.[0].split('#')[0] ?? '';
}
