import { isDeepStrictEqual } from 'node:util';
import type { Acquirer } from './acquirer.ts';
import type { PageRequest } from './base/paging.ts';
import { ago, HORIZON_MS } from './base/time.ts';
import { type Branch, getBranch } from './branch.ts';
import { getItems, queryItems } from './table/client.ts';
import { terminalKey, tidOfBranchOrder } from './table/keys.ts';
import { allDone, Conflict, retrying } from './table/retry.ts';
import type { Terminal, TerminalInBranch } from './terminal.ts';
import { recentChangesIn } from './terminalCount.ts';

/** A terminal's place in its branch's list, and the terminal if the index has it. */
interface Place {
  order: string;
  terminal?: Terminal;
}

/**
 * Lists one page of a branch's terminals by time of creation, and the count of all. Membership, order and `total` are
 * exact as of the read of the branch. Fields that changed milliseconds ago may be outdated.
 *
 * Terminals can be deleted and moved, so they have no ranks, and a page is read from the oldest terminal, or in
 * descending order from the newest if that is nearer. It costs more the farther it is from there.
 *
 * @throws Problem `not_found` when the branch is not accessible.
 */
export const listTerminals = (
  acquirer: Acquirer,
  mid: string,
  { page, per_page, sort }: PageRequest,
): Promise<{ total: number; terminals: TerminalInBranch[] }> =>
  retrying(async () => {
    const branch = await getBranch(acquirer, mid);
    const total = branch.terminal_count;
    const skipped = (page - 1) * per_page;
    const size = Math.min(per_page, total - skipped);
    if (size <= 0) return { total, terminals: [] };
    const behind = total - skipped - size;
    const isBackwards = sort === 'desc' && behind < skipped;
    const isAscending = (sort === 'asc') !== isBackwards;
    const places = await placesFrom(branch, isAscending, isBackwards ? total - skipped : skipped + size);
    const wanted = isBackwards ? places.slice(behind).reverse() : places.slice(skipped);
    if (wanted.length < size) throw new Conflict('The index does not match the terminal count');
    const [terminals, now] = await allDone([
      terminalsAt(branch, wanted),
      mayBeAhead(branch, places) ? getBranch(acquirer, mid) : branch,
    ]);
    if (!isDeepStrictEqual(now, branch)) throw new Conflict('The branch changed while its terminals were read');
    return { total, terminals: terminals.map((terminal) => ({ terminal, branch })) };
  });

/** Reads the first `count` places of a branch's list, from its oldest or its newest terminal. */
async function placesFrom(branch: Branch, isAscending: boolean, count: number): Promise<Place[]> {
  const { recentOrders, removals } = recentChangesIn(branch);
  const shown = await queryItems<Terminal>(
    {
      IndexName: 'terminals-by-branch',
      KeyConditionExpression: 'mid = :mid',
      ExpressionAttributeValues: { ':mid': branch.mid },
      ScanIndexForward: isAscending,
    },
    // The index may still have removed terminals, which are dropped.
    count + removals,
  );
  const places = shown.flatMap((terminal): Place[] => {
    const { tid, branch_order: order } = terminal;
    // Removed, or added again at another place.
    if (recentOrders.has(tid) && recentOrders.get(tid) !== order) return [];
    recentOrders.delete(tid);
    return [{ order, terminal }];
  });
  for (const order of recentOrders.values()) if (order !== undefined) places.push({ order });
  places.sort((a, b) => (a.order < b.order === isAscending ? -1 : 1));
  return places.slice(0, count);
}

/**
 * Whether the index may already have a terminal that was added after the branch was read. A reassignment keeps
 * `created_at`, so it can be at any place.
 */
function mayBeAhead({ terminal_changes }: Branch, places: Place[]): boolean {
  const since = ago(HORIZON_MS);
  const known = new Set(Object.values(terminal_changes).flatMap((change) => ('added' in change ? change.added : [])));
  return places.some(({ order, terminal }) => terminal && terminal.updated_at > since && !known.has(order));
}

/**
 * The terminals of places. Those that the index does not have yet are read by key.
 *
 * @throws Conflict when a terminal has left the branch.
 */
async function terminalsAt(branch: Branch, places: Place[]): Promise<Terminal[]> {
  const unseen = places.filter(({ terminal }) => !terminal);
  if (unseen.length === 0) return places.flatMap(({ terminal }) => terminal ?? []);
  const read = await getItems<Terminal[]>(unseen.map(({ order }) => terminalKey(tidOfBranchOrder(order))));
  const byOrder = new Map(read.map((terminal) => [terminal?.branch_order, terminal]));
  return places.map(({ order, terminal }) => {
    const found = terminal ?? byOrder.get(order);
    if (found?.mid !== branch.mid) throw new Conflict('A terminal left its branch while the list was read');
    return found;
  });
}
