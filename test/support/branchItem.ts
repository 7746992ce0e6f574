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
export const withCame = (branch: BranchItem, at: string, ...orders: string[]): object =>
  withChange(branch, orders.length, at, orders[0]?.split('#').at(-1) ?? '', { came: orders });

/** A branch after a terminal left it. */
export const withGone = (branch: BranchItem, at: string, tid: string): object =>
  withChange(branch, -1, at, tid, { went: tid });

/** The time at which a terminal left a branch, as the branch tells it; no response to a delete does. */
export function goneAt(branch: BranchItem, tid: string): string {
  const changes = Object.entries(branch?.['terminal_changes'] as Record<string, { went?: string }>);
  return changes.findLast(([, { went }]) => went === tid)?.[0].split('#')[0] ?? '';
}
