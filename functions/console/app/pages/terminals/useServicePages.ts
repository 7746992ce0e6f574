import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Api, Schemas } from '../../api/client.ts';
import type { Patience } from '../../api/patience.ts';
import { bodyOf } from '../../api/request.ts';
import { readLastSeen, readSeenTerminals } from '../../api/terminalPages.ts';
import type { FoundTerminal } from '../../bulk/lookUpTerminals.ts';
import { inPool } from '../../bulk/pool.ts';
import { type Event, readEvents, type Terminal } from '../../resources/data.ts';
import { useActing } from '../../session/session.ts';
import type { Row } from './columns.tsx';

/** The orders in which the service has terminals. */
export const ORDERS = { oldest: 'Oldest first', changes: 'Newest changes first' };

/** What is listed: all in an order or, with a text, what is found by it, branch by branch. */
export interface Wanted {
  text: string;
  order: keyof typeof ORDERS;
  status: Terminal['status'] | undefined;
}

/** A terminal as it was read, or without a row one that is gone. */
interface Read {
  tid: string;
  row: Row | undefined;
}

interface Page {
  read: Read[];
  /** What leads to the next page; `null` at the end. */
  next: string | null;
  /** Whether branches may be missing, because all words are very common. */
  isIncomplete?: boolean;
}

/** How many terminals, changes or branches a page is of. A branch has all of its terminals on it. */
const SIZES = { terminals: 100, changes: 20, branches: 8 };

export const rowOf = ({ branch, ...terminal }: FoundTerminal | Schemas['TerminalWithBranch']): Row => ({
  terminal,
  branch,
});
const asRead = (row: Row): Read => ({ tid: row.terminal.tid, row });

/** What a task makes of each thing, four at once. */
async function eachOf<Thing, Made>(
  things: readonly Thing[],
  signal: AbortSignal,
  task: (thing: Thing, patience: Patience) => Promise<Made[]>,
): Promise<Made[]> {
  const made: Made[][] = [];
  await inPool([[...things.entries()]], { signal }, async ([at, thing], patience) => {
    made[at] = await task(thing, patience);
  });
  return made.flat();
}

/** All of them, those of the oldest branch first. */
async function oldestPage(api: Api, signal: AbortSignal, { status }: Wanted, after: string): Promise<Page> {
  const query = { limit: SIZES.terminals, ...(status && { status }), ...(after && { after }) };
  const { data, meta } = await bodyOf(api.GET('/ext/api/v1/terminals', { params: { query }, signal }));
  return { read: data.map(rowOf).map(asRead), next: meta.next };
}

/** The terminals that an event changed, as it says that they are. */
function changedBy(event: Event): { tid: string; terminal: Terminal | undefined }[] {
  const states = (terminals: Terminal[]) => terminals.map((terminal) => ({ tid: terminal.tid, terminal }));
  switch (event.type) {
    case 'branch.created':
      return states(event.data.terminals);
    case 'branch.updated':
    case 'branch.archived':
    case 'branch.restored':
      return [];
    case 'terminals.created':
      return states(event.data);
    case 'terminal.deleted':
    case 'terminal.left':
      return [{ tid: event.data.tid, terminal: undefined }];
    default:
      return states([event.data]);
  }
}

/** Those that have changed, as their newest change says that they are. That a branch was archived is no change of its terminals. */
async function changesPage(api: Api, signal: AbortSignal, before: string): Promise<Page> {
  const query = { limit: SIZES.changes, ...(before && { before }) };
  const { events, branches: known, next } = await readEvents(api, query, { signal });
  const branches = new Map(known.map((branch) => [branch.mid, branch]));
  const changed = events.flatMap(changedBy);
  const mids = new Set(changed.flatMap(({ terminal }) => terminal?.mid ?? []).filter((mid) => branches.has(mid)));
  const seen = new Map(
    await eachOf([...mids], signal, async (mid, patience) => [...(await readLastSeen(api, patience, mid))]),
  );
  const rowIn = (terminal: Terminal): Row | undefined => {
    const branch = branches.get(terminal.mid);
    if (!branch) return undefined;
    const status = branch.status === 'archived' ? branch.status : terminal.status;
    return { terminal: { ...terminal, status, last_seen_at: seen.get(terminal.tid) ?? null }, branch };
  };
  return { read: changed.map(({ tid, terminal }) => ({ tid, row: terminal && rowIn(terminal) })), next };
}

/** Those that have a text as an ID, then those of the branches that its words find. */
async function foundPage(api: Api, signal: AbortSignal, text: string, page: number): Promise<Page> {
  const query = { search: text, per_page: SIZES.branches, page, sort: 'asc' } as const;
  const [branches, byId] = await Promise.all([
    bodyOf(api.GET('/ext/api/v1/merchants', { params: { query }, signal })),
    page === 1 ? bodyOf(api.GET('/console/api/search', { params: { query: { q: text } }, signal })) : undefined,
  ]);
  const ofBranches = await eachOf(branches.data, signal, async (branch, patience) =>
    (await readSeenTerminals(api, patience, branch.mid)).map((terminal): Row => ({ terminal, branch })),
  );
  return {
    read: [...(byId?.data.terminals.map(rowOf) ?? []), ...ofBranches].map(asRead),
    next: branches.links.next && String(page + 1),
    isIncomplete: branches.warnings?.some(({ code }) => code === 'too_many_matches') ?? false,
  };
}

/** Terminals as the service lists them, page by page. Each is listed once: as the first page says that has it. */
export function useServicePages(wanted: Wanted) {
  const { api, acquirer } = useActing();
  const { text, order, status } = wanted;
  const query = useInfiniteQuery({
    queryKey: [acquirer.id, 'terminals of the service', text ? { text } : order === 'changes' ? { order } : { status }],
    refetchOnWindowFocus: false,
    initialPageParam: '',
    queryFn({ pageParam, signal }) {
      if (text) return foundPage(api, signal, text, Number(pageParam || 1));
      return order === 'changes' ? changesPage(api, signal, pageParam) : oldestPage(api, signal, wanted, pageParam);
    },
    getNextPageParam: ({ next }) => next,
  });
  const pages = query.data?.pages;
  const data = useMemo(() => {
    if (!pages) return undefined;
    const rows = new Map<string, Row | undefined>();
    for (const { tid, row } of pages.flatMap(({ read }) => read)) if (!rows.has(tid)) rows.set(tid, row);
    return {
      rows: [...rows.values()].filter((row) => row !== undefined),
      isIncomplete: pages.some(({ isIncomplete }) => isIncomplete),
    };
  }, [pages]);
  return {
    ...query,
    data,
    refetch: (): Promise<unknown> => (query.isFetchNextPageError ? query.fetchNextPage() : query.refetch()),
  };
}
