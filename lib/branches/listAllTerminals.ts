import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { allDone, Conflict, retrying } from '../aws/retry.ts';
import { cursorAt, INVALID_CURSOR, positionOf } from '../base/cursor.ts';
import { MOST_PAGE_BYTES } from '../base/paging.ts';
import { Problem } from '../base/problem.ts';
import { extend, field, shownAs, shownListCursor } from '../base/values.ts';
import { getItems } from '../table/client.ts';
import { branchKey, terminalKey, tidOfLastSeen, unpackOrder } from '../table/keys.ts';
import { type Branch, findBranch, isAccessible, listedBranch, statusOf } from './branch.ts';
import { LAST_SEEN_ORDERS, type LastSeen, lastSeenAt, lastSeenOrder, seenTerminal } from './lastSeen.ts';
import { branchesAfter } from './listBranches.ts';
import { terminalRowsBetween } from './listTerminals.ts';
import { type Terminal, toTerminal } from './terminal.ts';

const branchOfTerminal = v.pick(listedBranch, ['mid', 'merchant_name', 'area', 'city', 'status']);
export const terminalWithBranch = extend(seenTerminal, {
  branch: field(branchOfTerminal, 'The branch that it is in.'),
});
export const nextPageMeta = v.object({
  next: field(v.nullable(shownListCursor), 'Cursor of the next page; `null` on the last page only.'),
});
export type TerminalWithBranch = v.InferOutput<typeof terminalWithBranch>;

const toBranchOfTerminal = (branch: Branch): TerminalWithBranch['branch'] =>
  shownAs(branchOfTerminal, { ...branch, status: statusOf(branch) });

/** How many branches a page reads at most, how many of them at once, and how many terminals at once. */
const MOST_BRANCHES = 100;
const BRANCHES_AT_ONCE = 25;
const TERMINALS_AT_ONCE = 250;

/** What a cursor of the list says: it is behind this terminal of this branch, or behind all of the branch. */
interface Cursor {
  mid: string;
  element?: Buffer | undefined;
}

/** A {@link Cursor} as a text. */
const CURSOR = /^[0-9A-Za-z-]{1,64}#(?:[\w-]{31})?$/;
const listOf = ({ id }: Acquirer) => [id, 'terminals'];

const encoded = (acquirer: Acquirer, { mid, element }: Cursor): string =>
  cursorAt(`${mid}#${element?.toString('base64url') ?? ''}`, listOf(acquirer));

function decoded(acquirer: Acquirer, after: string): Cursor {
  const [mid = '', element] = positionOf(after, listOf(acquirer), 'after', CURSOR).split('#');
  return { mid, element: element ? Buffer.from(element, 'base64url') : undefined };
}

interface Listed {
  branch: Branch;
  element: Buffer;
}

const listedAfter = (branch: Branch, element?: Uint8Array): Listed[] =>
  [...(branch.terminals ?? [])]
    .sort(Buffer.compare)
    .filter((each) => !element || Buffer.compare(each, element) > 0)
    .map((each) => ({ branch, element: Buffer.from(each) }));

/** A row of `terminals-by-branch`: a terminal or, at `~` and its order, when it was last seen (lastSeen.ts). */
type Row = Terminal | (LastSeen & { pk: string });

/** Reads the rows of these terminals. All of a branch take one query: those of when they were last seen are behind. */
async function rowsOf({ mid, terminals }: Branch, orders: string[]): Promise<Row[]> {
  const [first, last] = [orders.at(0) as string, orders.at(-1) as string];
  const between = (from: string, to: string) => terminalRowsBetween<Row>(mid, [from, to]);
  if (orders.length === terminals?.size) return between(first, LAST_SEEN_ORDERS[1]);
  const orderSeen = (branch_order: string) => lastSeenOrder({ branch_order });
  const ranges = [between(first, last), between(orderSeen(first), orderSeen(last))];
  return (await allDone(ranges)).flat();
}

const nameOf = (mid: string, order: string): string => `${mid} ${order}`;

/** Reads listed terminals: from the index, or by key where it lags. One that has left its branch is left out. */
async function terminalsOf(listed: Listed[]): Promise<{ cursor: Cursor; terminal: TerminalWithBranch }[]> {
  const wanted = listed.map((each) => ({ ...each, ...unpackOrder(each.element) }));
  const parts = [...Map.groupBy(wanted, ({ branch }) => branch)];
  const ordersIn = (some: { order: string }[]) => some.map(({ order }) => order);
  const rows = await allDone(parts.map(([branch, some]) => rowsOf(branch, ordersIn(some))));
  const found = new Map<string, Terminal>();
  const lastSeen = new Map<string, string | null>();
  for (const row of rows.flat())
    if ('terminal_id' in row) found.set(nameOf(row.mid, row.branch_order), row);
    else lastSeen.set(tidOfLastSeen(row), lastSeenAt(row));
  const notInIndex = wanted.filter(({ branch, order }) => !found.has(nameOf(branch.mid, order)));
  for (const terminal of await getItems<Terminal[]>(notInIndex.map(({ tid }) => terminalKey(tid))))
    if (terminal) found.set(nameOf(terminal.mid, terminal.branch_order), terminal);
  return wanted.flatMap(({ branch, element, order }) => {
    const terminal = found.get(nameOf(branch.mid, order));
    if (!terminal) return [];
    const last_seen_at = lastSeen.get(terminal.tid) ?? null;
    const shown = { ...toTerminal({ terminal, branch }), last_seen_at, branch: toBranchOfTerminal(branch) };
    return [{ cursor: { mid: branch.mid, element }, terminal: shown }];
  });
}

/** A page, which ends when it has read so many terminals, or has so many bytes. */
class Page {
  readonly terminals: TerminalWithBranch[] = [];
  end: Cursor | undefined;
  /** How many more terminals the page may read, also of a status that it does not show; 0 once it has enough bytes. */
  room: number;
  readonly #status: TerminalsQuery['status'];
  #bytes = 0;

  constructor({ limit, status }: TerminalsQuery) {
    this.room = limit;
    this.#status = status;
  }

  /** Adds the terminals of some branches, or those behind an element of one, until there is no room. */
  async add(branches: Branch[], element?: Uint8Array): Promise<void> {
    const listed: Listed[] = [];
    for (const branch of branches) if (listed.length < this.room) listed.push(...listedAfter(branch, element));
    while (listed.length > 0 && this.room > 0) {
      const some = listed.splice(0, Math.min(this.room, TERMINALS_AT_ONCE));
      for (const { cursor, terminal } of await terminalsOf(some)) {
        this.#push(cursor, terminal);
        if (this.room === 0) return;
      }
      const last = some.at(-1) as Listed;
      this.end = { mid: last.branch.mid, element: last.element };
      this.room -= some.length;
    }
    const last = branches.at(-1);
    if (this.room > 0 && last) this.end = { mid: last.mid };
  }

  /** Adds a terminal, unless the page would have too many bytes: then it ends before it, and has no more room. */
  #push(cursor: Cursor, terminal: TerminalWithBranch): void {
    if (this.#status && terminal.status !== this.#status) return;
    this.#bytes += Buffer.byteLength(JSON.stringify(terminal)) + 1;
    if (this.#bytes > MOST_PAGE_BYTES && this.terminals.length > 0) this.room = 0;
    else {
      this.terminals.push(terminal);
      this.end = cursor;
    }
  }
}

export interface TerminalsQuery {
  after?: string | undefined;
  limit: number;
  status?: 'active' | 'archived' | undefined;
}

/**
 * Lists terminals of all branches of an acquirer, the oldest branch first. Which branches there are, and which
 * terminals they have, is read strongly consistent; the terminals from an index, or by key where it lags. A terminal
 * that stays where it is while somebody goes from page to page is on exactly one.
 *
 * A page reads at most 100 branches, and `limit` terminals or somewhat more than 1 MB of them: so it can be short, or
 * empty. It costs one read unit per 4 KB of each branch, half a unit for its query, and half a unit per 8 KB of
 * terminals and times (about 70 for 1,000), beside 10 for the list of branches.
 *
 * @returns `next` is the cursor of the next page, `null` after the last.
 * @throws Problem `invalid_query` unless `after` is a cursor of this list.
 */
export const listAllTerminals = (
  acquirer: Acquirer,
  query: TerminalsQuery,
): Promise<{ terminals: TerminalWithBranch[]; next: string | null }> =>
  retrying(async () => {
    const cursor = query.after === undefined ? undefined : decoded(acquirer, query.after);
    const start = cursor && (await findBranch(cursor.mid));
    if (cursor && !(start && isAccessible(start, acquirer)))
      throw new Problem('invalid_query', `after: ${INVALID_CURSOR}`);
    const { mids, areLast } = await branchesAfter(acquirer, start, MOST_BRANCHES);
    const page = new Page(query);
    if (start && cursor?.element) await page.add([start], cursor.element);
    for (let at = 0; at < mids.length && page.room > 0; at += BRANCHES_AT_ONCE) {
      const branches = await getItems<Branch[]>(mids.slice(at, at + BRANCHES_AT_ONCE).map(branchKey));
      if (!branches.every((branch) => branch !== undefined))
        throw new Conflict('A branch list names a branch that is not visible yet');
      await page.add(branches);
    }
    const isLast = areLast && page.room > 0;
    return { terminals: page.terminals, next: isLast || !page.end ? null : encoded(acquirer, page.end) };
  });
