import { hashKey, type QueryKey, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type ConsoleSchemas, type Schemas, UNATTENDED } from '../api.ts';
import { bodyOf, resultOf } from '../request.ts';
import type { operations } from '../schema.d.ts';
import { useActing } from '../session/session.ts';

/* What the views read. Each key begins with the acquirer, so that nothing read as one is ever shown as another. */

export type Terminal = Schemas['Terminal'];
/** A terminal, with when it was last seen if that was read. */
export type SeenTerminal = Terminal & { last_seen_at?: string | null };
export type Branch = Schemas['Branch'];
export type ListedBranch = Schemas['ListedBranch'];
export type Event = Schemas['Event'];

/** A resource, with the ETag that its changes send as `If-Match`. */
export interface Tagged<Data> {
  data: Data;
  etag: string;
}

type Found<Data> = { data: { data: Data }; response: Response };

/** A resource with the ETag of the response that it came with. */
const tagged = <Data>({ data, response }: Found<Data>): Tagged<Data> => ({
  data: data.data,
  etag: response.headers.get('etag') ?? '',
});

const PER_PAGE = 20;
export interface ListPage {
  page: number;
  sort: 'asc' | 'desc';
}

/** The last page that the service accepts. */
const LAST_PAGE = 1e9;

/** The page and order of a list in an address. */
export const listPageOf = (values: URLSearchParams): ListPage => ({
  page: Math.min(LAST_PAGE, Math.max(1, Math.trunc(Number(values.get('page'))) || 1)),
  sort: values.get('sort') === 'asc' ? 'asc' : 'desc',
});

/** What a branch without a name is called where its MID is beside it. */
export const UNNAMED = 'Unnamed branch';

/** The name of a branch; its MID if it has none. */
export const nameOf = ({ merchant_name, mid }: Pick<Branch, 'merchant_name' | 'mid'>): string => merchant_name ?? mid;

/**
 * A key with whose query a list shows what it has until it has read more of the same: another page, or another search.
 * Only the last part of the keys differs then.
 */
const keyed = (queryKey: QueryKey) => ({
  queryKey,
  placeholderData: <Data>(shown: Data | undefined, before?: { queryKey: QueryKey }): Data | undefined =>
    before && hashKey(before.queryKey.slice(0, -1)) === hashKey(queryKey.slice(0, -1)) ? shown : undefined,
});

export function useTerminal(tid: string) {
  const { api, acquirer } = useActing();
  return useQuery({
    queryKey: [acquirer.id, 'terminal', tid],
    // `find` is the one operation that reads a terminal by its TID alone.
    queryFn: async ({ signal }) =>
      tagged(
        (await resultOf(api.GET('/ext/api/v1/find', { params: { query: { tid } }, signal }))) as Found<SeenTerminal>,
      ),
  });
}

export function useBranch(mid: string | undefined) {
  const { api, acquirer } = useActing();
  return useQuery({
    queryKey: [acquirer.id, 'branch', mid],
    enabled: mid !== undefined,
    queryFn: async ({ signal }) =>
      tagged(
        await resultOf(api.GET('/ext/api/v1/merchants/{mid}', { params: { path: { mid: mid as string } }, signal })),
      ),
  });
}

/** A page of the list of branches, or of those that a search finds. */
export function useBranches({ page, sort, search }: ListPage & { search: string }) {
  const { api, acquirer } = useActing();
  const query = { page, sort, per_page: PER_PAGE, ...(search && { search }) };
  return useQuery({
    ...keyed([acquirer.id, 'branches', query]),
    queryFn: ({ signal }) => bodyOf(api.GET('/ext/api/v1/merchants', { params: { query }, signal })),
  });
}

export function useTerminals(mid: string, { page, sort }: ListPage) {
  const { api, acquirer } = useActing();
  const query = { page, sort, per_page: PER_PAGE };
  return useQuery({
    ...keyed([acquirer.id, 'terminals', mid, query]),
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/ext/api/v1/terminals/{mid}', { params: { path: { mid }, query }, signal })),
  });
}

export type LookupMethod = 'paymentProviders' | 'distributors' | 'acquirers' | 'paymentApp' | 'masterMerchants';

/** Values of a drop-down. A new one can take 30 seconds to appear. */
export function useLookup(method: LookupMethod, query: { search?: string; payment_provider?: string } = {}) {
  const { api, acquirer } = useActing();
  return useQuery({
    ...keyed([acquirer.id, 'lookup', method, query.payment_provider, query.search]),
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/ext/api/v1/lookup/{method}', { params: { path: { method }, query }, signal }))).data,
  });
}

/** Says the name of an acquirer: one's own, or that of a partner. The id of any other one. */
export function useAcquirerName(): (id: string) => string {
  const { acquirer } = useActing();
  const { data = [], isPending } = useLookup(acquirer.type === 'DISTRIBUTOR' ? 'paymentProviders' : 'distributors');
  const names = new Map([[acquirer.id, acquirer.name], ...data.map(({ key, text }) => [key, text] as const)]);
  return (id) => names.get(id) ?? (isPending ? '…' : id);
}

/** The API keys, for those who may see them. */
export function useApiKeys(enabled = true) {
  const { api, acquirer } = useActing();
  return useQuery({
    queryKey: [acquirer.id, 'keys'],
    enabled,
    queryFn: async ({ signal }) => (await bodyOf(api.GET('/console/api/keys', { signal }))).data,
  });
}

/** The people and invitations, for those who may see them. */
export function usePeople(enabled = true) {
  const { api, acquirer } = useActing();
  return useQuery({
    queryKey: [acquirer.id, 'people'],
    enabled,
    queryFn: async ({ signal }) => (await bodyOf(api.GET('/console/api/people', { signal }))).data,
  });
}

/** What an activity is about, and which events it has: everything of the acquirer by default. */
export type Subject = Pick<
  NonNullable<operations['listActivity']['parameters']['query']>,
  'tid' | 'mid' | 'type' | 'person' | 'key' | 'partner' | 'since' | 'until'
>;

/** Branches by MID, as far as they are accessible. */
export type BranchNames = Map<string, { mid: string; merchant_name: string | null; city: string | null }>;

/** Events, the newest first, the branches that they mention, and where what is earlier and what is new begins. */
interface Read extends Meta {
  events: Event[];
  branches: ConsoleSchemas['Activity']['branches'];
}
type Meta = ConsoleSchemas['ActivityMeta'];

/** Joins what was read with what is earlier, some of which may be in both. */
function joined(fresh: Read, earlier: Read): Read {
  const events = new Map([...earlier.events, ...fresh.events].map((event) => [event.id, event]));
  const branches = new Map([...earlier.branches, ...fresh.branches].map((branch) => [branch.mid, branch]));
  return {
    ...earlier,
    complete_to: fresh.complete_to,
    events: [...events.values()].sort((one, other) => (one.id < other.id ? 1 : -1)),
    branches: [...branches.values()],
  };
}

/** Whether nothing can have happened between what was read and what was known before. */
const reaches = ({ events, next }: Read, known: Read): boolean => {
  const ids = new Set(known.events.map(({ id }) => id));
  return next === null || events.some(({ id }) => ids.has(id));
};

/** How many events are read to see what is new, and in how many requests at most. */
const NEW_EVENTS = 10;
const MOST_REQUESTS = 5;
/** When so many new ones are kept, a view that stays open begins anew. */
const MOST_KEPT = 500;

/**
 * What happened, the newest first. What is new is added to what was read: after a change, and every `refetchMs` until
 * that fails. What is earlier is read page by page, and only once.
 */
export function useActivity(subject: Subject, { limit = 20, refetchMs }: { limit?: number; refetchMs?: number } = {}) {
  const { api, acquirer } = useActing();
  const queryKey = [acquirer.id, 'activity', subject, limit];
  type Page = { limit: number; since?: string; before?: string };
  const read = async (page: Page, signal: AbortSignal, headers = {}): Promise<Read> => {
    const query = { ...subject, ...page };
    const { data, meta } = await bodyOf(api.GET('/console/api/activity', { params: { query }, headers, signal }));
    return { ...(meta as Meta), events: data.events as Event[], branches: data.branches };
  };
  const newest = useQuery({
    queryKey,
    refetchInterval: ({ state }: { state: { status: string } }) => state.status !== 'error' && (refetchMs ?? false),
    queryFn: async ({ client, signal }) => {
      const known = client.getQueryData<Read>(queryKey);
      if (!known || known.events.length > MOST_KEPT) return read({ limit }, signal);
      const since = known.complete_to > (subject.since ?? '') ? known.complete_to : (subject.since as string);
      let fresh = await read({ limit: NEW_EVENTS, since }, signal, UNATTENDED);
      for (let requests = 1; !reaches(fresh, known); requests += 1) {
        if (requests === MOST_REQUESTS) return fresh;
        fresh = joined(fresh, await read({ limit, since, before: fresh.next as string }, signal, UNATTENDED));
      }
      return joined(fresh, known);
    },
  });
  const first = newest.data?.next;
  const earlier = useInfiniteQuery({
    queryKey: [...queryKey, 'before', first],
    enabled: false,
    initialPageParam: first,
    queryFn: ({ pageParam, signal }) => read({ limit, before: pageParam as string }, signal),
    getNextPageParam: ({ next }) => next,
  });
  const data = useMemo(() => {
    if (!newest.data) return undefined;
    const all = [newest.data, ...(earlier.data?.pages ?? [])].reduce(joined);
    return { ...all, branches: new Map(all.branches.map((branch) => [branch.mid, branch])) };
  }, [newest.data, earlier.data]);
  const isEarlierFailing = !newest.error && earlier.error !== null;
  const { error, failureReason } = isEarlierFailing ? earlier : newest;
  return {
    data,
    error,
    failureReason,
    isFetching: newest.isFetching || earlier.isFetching,
    refetch: (): Promise<unknown> => (isEarlierFailing ? earlier.fetchNextPage() : newest.refetch()),
    hasNextPage: Boolean(data?.next),
    isFetchingNextPage: earlier.isFetching,
    fetchNextPage: earlier.fetchNextPage,
  };
}
