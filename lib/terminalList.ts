import { isDeepStrictEqual } from 'node:util';
import type { Acquirer } from './acquirer.ts';
import { type Branch, getBranch, type TerminalChange } from './branch.ts';
import type { PageRequest } from './paging.ts';
import { getItems, queryItems } from './table/client.ts';
import { branchKey, terminalKey, tidOfBranchOrder } from './table/keys.ts';
import { allDone, Contention, retrying } from './table/retry.ts';
import { type Condition, type Step, update } from './table/transaction.ts';
import type { Placed, Terminal } from './terminal.ts';
import { HORIZON_MS } from './time.ts';

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
export const came = (terminals: Terminal[]): Changes => {
  const [first] = terminals;
  return first ? named(first, { came: terminals.map(({ branch_order }) => branch_order) }) : {};
};

/** The time so many milliseconds ago, in RFC 3339. */
const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

/** The changes that a branch still has to name, the newest first, and those that it can forget. */
function sorted({ terminal_changes }: Branch): { recent: TerminalChange[]; past: string[] } {
  const since = ago(NAMED_MS);
  const recent: TerminalChange[] = [];
  const past: string[] = [];
  let terminals = 0;
  for (const [name, change] of Object.entries(terminal_changes).sort(([a], [b]) => (a < b ? 1 : -1))) {
    terminals += 'came' in change ? change.came.length : 1;
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
  change(branch, terminals.length, came(terminals), condition);

/** Counts a terminal that leaves a branch; its `updated_at` is the time at which it does. */
export const countOut = (branch: Branch, terminal: Terminal, condition: Condition): Step =>
  change(branch, -1, named(terminal, { went: terminal.tid }), condition);

/**
 * Whether a branch names the departure of a terminal after the state in which that was read. It names each for longer than
 * the time between two reads of a request. An older one is of an earlier terminal with the same TID.
 */
export function hasLeft({ terminal_changes }: Branch, { tid, updated_at }: Terminal): boolean {
  const since = ago(NAMED_MS);
  return Object.entries(terminal_changes).some(
    ([at, by]) => 'went' in by && by.went === tid && at > `${updated_at}#${tid}` && at > since,
  );
}

/**
 * What the index may not know yet, by TID: the `branch_order` of a terminal that came lately, or `undefined` for one that
 * went and has not come back; and how many went.
 */
function latelyIn(branch: Branch): { lately: Map<string, string | undefined>; departures: number } {
  const lately = new Map<string, string | undefined>();
  let departures = 0;
  for (const change of sorted(branch).recent.reverse())
    if ('went' in change) {
      lately.set(change.went, undefined);
      departures += 1;
    } else for (const order of change.came) lately.set(tidOfBranchOrder(order), order);
  return { lately, departures };
}

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
): Promise<{ total: number; terminals: Placed[] }> =>
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
  const { lately, departures } = latelyIn(branch);
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
    if (lately.has(tid) && lately.get(tid) !== order) return [];
    lately.delete(tid);
    return [{ order, terminal }];
  });
  for (const order of lately.values()) if (order !== undefined) places.push({ order });
  places.sort((a, b) => (a.order < b.order === isAscending ? -1 : 1));
  return places.slice(0, count);
}

/**
 * Whether the index may show a terminal that was added after the branch was read. A reassigned terminal keeps its place by
 * `created_at`, so it can push another one off any page.
 */
function mayBeAhead({ terminal_changes }: Branch, places: Place[]): boolean {
  const since = ago(HORIZON_MS);
  const known = new Set(Object.values(terminal_changes).flatMap((change) => ('came' in change ? change.came : [])));
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
