/** A branch item. */
type BranchItem = Record<string, unknown> | null | undefined;

/** How long a branch names terminals that were added or removed. */
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

/** A branch item after terminals with these `branch_order` values were added: it counts and names them. */
export const withAdded = (branch: BranchItem, at: string, ...orders: string[]): object =>
  withChange(branch, orders.length, at, orders[0]?.split('#').at(-1) ?? '', { added: orders });

/** A branch item after a terminal was removed. */
export const withRemoved = (branch: BranchItem, at: string, tid: string): object =>
  withChange(branch, -1, at, tid, { removed: tid });

/** When a terminal was removed from a branch, according to the branch item; a delete response does not include it. */
export function removedAt(branch: BranchItem, tid: string): string {
  const changes = Object.entries(branch?.['terminal_changes'] as Record<string, { removed?: string }>);
  return changes.findLast(([, { removed }]) => removed === tid)?.[0].split('#')[0] ?? '';
}
