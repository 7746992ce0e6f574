import { isDeepStrictEqual } from 'node:util';
import type { Acquirer } from './acquirer.ts';
import type { PageRequest } from './base/paging.ts';
import { HORIZON_MS } from './base/time.ts';
import { type Branch, getBranch } from './branch.ts';
import { getItems, queryItems } from './table/client.ts';
import { terminalKey, tidOfBranchOrder } from './table/keys.ts';
import { allDone, Contention, retrying } from './table/retry.ts';
import type { Terminal, TerminalInBranch } from './terminal.ts';

import { latelyIn } from './terminalCount.ts';

/** A terminal's place in its branch's list, and what the index shows of it. */
interface Place {
  order: string;
  terminal?: Terminal;
}

/**
 * One page of a branch's terminals by time of creation, and the count of all. Membership, order and `total` are those of
 * the moment at which the branch was read, also for what was created, deleted or reassigned just before. A status or
 * field that changed milliseconds ago may show as it was.
 *
 * Terminals come and go, so they have no ranks: a page costs the more the farther it is from the end that it is counted from. That
 * is the oldest terminal, whose end does not move when others are created; or the newest, where a page from there is
 * nearer to it.
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
    if (wanted.length < size) throw new Contention('The index does not fit the count of terminals');
    const [terminals, now] = await allDone([
      terminalsAt(branch, wanted),
      mayBeAhead(branch, places) ? getBranch(acquirer, mid) : branch,
    ]);
    if (!isDeepStrictEqual(now, branch)) throw new Contention('The branch changed while its terminals were read');
    return { total, terminals: terminals.map((terminal) => ({ terminal, branch })) };
  });

/** The first so many places of a branch's list, from its oldest or its newest terminal. */
async function placesFrom(branch: Branch, isAscending: boolean, count: number): Promise<Place[]> {
  const { recentOrders, departures } = latelyIn(branch);
  const shown = await queryItems<Terminal>(
    {
      IndexName: 'terminals-by-branch',
      KeyConditionExpression: 'mid = :mid',
      ExpressionAttributeValues: { ':mid': branch.mid },
      ScanIndexForward: isAscending,
    },
    // As many more as may have to be left out.
    count + departures,
  );
  const places = shown.flatMap((terminal): Place[] => {
    const { tid, branch_order: order } = terminal;
    // It is gone, or came back at another place.
    if (recentOrders.has(tid) && recentOrders.get(tid) !== order) return [];
    recentOrders.delete(tid);
    return [{ order, terminal }];
  });
  for (const order of recentOrders.values()) if (order !== undefined) places.push({ order });
  places.sort((a, b) => (a.order < b.order === isAscending ? -1 : 1));
  return places.slice(0, count);
}

/**
 * Whether the index may show a terminal that came after the branch was read, in the place of one that was there. A
 * reassignment keeps `created_at`, so it can come anywhere.
 */
function mayBeAhead({ terminal_changes }: Branch, places: Place[]): boolean {
  const since = new Date(Date.now() - HORIZON_MS).toISOString();
  const known = new Set(Object.values(terminal_changes).flatMap((change) => ('added' in change ? change.added : [])));
  return places.some(({ order, terminal }) => terminal && terminal.updated_at > since && !known.has(order));
}

/** The terminals of these places: those that the index does not show yet are read by their keys. */
async function terminalsAt(branch: Branch, places: Place[]): Promise<Terminal[]> {
  const unseen = places.filter(({ terminal }) => !terminal);
  if (unseen.length === 0) return places.flatMap(({ terminal }) => terminal ?? []);
  const found = await getItems<Terminal[]>(unseen.map(({ order }) => terminalKey(tidOfBranchOrder(order))));
  const byOrder = new Map(found.map((terminal) => [terminal?.branch_order, terminal]));
  return places.map(({ order, terminal }) => {
    const there = terminal ?? byOrder.get(order);
    if (there?.mid !== branch.mid) throw new Contention('A terminal left its branch while the list was read');
    return there;
  });
}
