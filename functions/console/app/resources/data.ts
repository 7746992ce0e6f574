import {
  hashKey,
  type Query,
  type QueryFunctionContext,
  type QueryKey,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import type { operations as PartnersOperations } from '../../../../docs/client/schema.d.ts';
import { type Api, type ConsoleSchemas, type Schemas, UNATTENDED } from '../api/client.ts';
import type { Patience } from '../api/patience.ts';
import { bodyOf, resultOf } from '../api/request.ts';
import type { operations } from '../api/schema.d.ts';
import { readSeenTerminals } from '../api/terminalPages.ts';
import { useActing } from '../session/session.ts';

/* What the views read. Each key begins with the acquirer, so that nothing read as one is ever shown as another. */

export type Terminal = Schemas['Terminal'];
/** A terminal, with when it was last seen if that was read. */
export type SeenTerminal = Terminal & { last_seen_at?: string | null };
export type Branch = Schemas['Branch'];
export type ListedBranch = Schemas['ListedBranch'];
export type Event = Schemas['Event'];
export type Webhook = Schemas['Webhook'];
export type Delivery = Schemas['Delivery'];
export type RefusedRequest = Schemas['RefusedRequest'];

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

export const PER_PAGE = 20;
interface ListPage {
  page: number;
  sort: 'asc' | 'desc';
}

/** What a branch without a name is called where its MID is beside it. */
export const UNNAMED = 'Unnamed branch';

/** The name of a branch; its MID if it has none. */
export const nameOf = ({ merchant_name, mid }: Pick<Branch, 'merchant_name' | 'mid'>): string => merchant_name ?? mid;

/** A list shows what it has until it has read another page or search: only the last part of the keys differs then. */
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

export function useBranch(mid: string) {
  const { api, acquirer } = useActing();
  return useQuery({
    queryKey: [acquirer.id, 'branch', mid],
    queryFn: async ({ signal }) =>
      tagged(await resultOf(api.GET('/ext/api/v1/merchants/{mid}', { params: { path: { mid } }, signal }))),
  });
}

export function useBranches({ page, sort, search }: ListPage & { search: string }, enabled = true) {
  const { api, acquirer } = useActing();
  const query = { page, sort, per_page: PER_PAGE, ...(search && { search }) };
  return useQuery({
    ...keyed([acquirer.id, 'branches', query]),
    enabled,
    queryFn: ({ signal }) => bodyOf(api.GET('/ext/api/v1/merchants', { params: { query }, signal })),
  });
}

/** Sends a request once: a query that fails says why, and is repeated as a whole. */
const once: Patience = async <O extends { data?: unknown; response: Response }>(send: () => Promise<O>) => ({
  data: (await bodyOf(send())) as NonNullable<O['data']>,
});

/** The terminals of a branch, at most 1,000, the oldest first, each with when it was last seen. */
export function useTerminals(mid: string) {
  const { api, acquirer } = useActing();
  return useQuery({
    queryKey: [acquirer.id, 'terminals', mid],
    queryFn: () => readSeenTerminals(api, once, mid),
  });
}

export type LookupMethod = 'paymentProviders' | 'distributors' | 'acquirers' | 'paymentApp' | 'masterMerchants';

/** Values of a drop-down. A new one can take 30 seconds to appear. */
export function useLookup(
  method: LookupMethod,
  query: { search?: string; payment_provider?: string } = {},
  enabled = true,
) {
  const { api, acquirer } = useActing();
  return useQuery({
    ...keyed([acquirer.id, 'lookup', method, query.payment_provider, query.search]),
    enabled,
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/ext/api/v1/lookup/{method}', { params: { path: { method }, query }, signal }))).data,
  });
}

/** The most items of a lookup. If it has so many, one that it lacks may be a partner. */
const MOST_LOOKED_UP = 1_000;

/** What is known of the caller's partners. */
function usePartners(enabled = true) {
  const { acquirer } = useActing();
  const isDistributor = acquirer.type === 'DISTRIBUTOR';
  const { data, isPending } = useLookup(isDistributor ? 'paymentProviders' : 'distributors', {}, enabled);
  const partners = data?.map(({ key, text }) => [key, text] as const) ?? [];
  const names = new Map([[acquirer.id, acquirer.name], ...partners]);
  /** Whether the partnership with an acquirer has ended, as far as that is known. */
  const isFormer = (id: string): boolean => data !== undefined && data.length < MOST_LOOKED_UP && !names.has(id);
  return { isDistributor, isPending, names, isFormer };
}

/** Returns the name of one's own acquirer or a partner, by its UUID. No lookup has that of a former one. */
export function useAcquirerName(): (id: string) => string {
  const { isDistributor, isPending, names, isFormer } = usePartners();
  const former = `Former ${isDistributor ? 'payment provider' : 'distributor'}`;
  return (id) => names.get(id) ?? (isPending ? '…' : isFormer(id) ? `${former} (${id})` : id);
}

/**
 * Whether the person's acquirer may not change branches of a payment provider, because it is its distributor no more.
 */
export function usePartnershipEnded(paymentProvider: string | undefined): boolean {
  const isOwn = useActing().acquirer.id === paymentProvider;
  const { isFormer } = usePartners(paymentProvider !== undefined && !isOwn);
  return paymentProvider !== undefined && isFormer(paymentProvider);
}

export function useApiKeys(enabled = true) {
  const { api, acquirer } = useActing();
  return useQuery({
    queryKey: [acquirer.id, 'keys'],
    enabled,
    queryFn: async ({ signal }) => (await bodyOf(api.GET('/console/api/keys', { signal }))).data,
  });
}

export function usePeople(enabled = true) {
  const { api, acquirer } = useActing();
  return useQuery({
    queryKey: [acquirer.id, 'people'],
    enabled,
    queryFn: async ({ signal }) => (await bodyOf(api.GET('/console/api/people', { signal }))).data,
  });
}

const REFETCH_MS = 10_000;

/** Reads again every ten seconds while it is looked at, until that fails. */
const refetchInterval = ({ state }: Pick<Query, 'state'>): number | false => state.status !== 'error' && REFETCH_MS;

/** What the request of a query is sent with. Only the first one is caused by a person. */
const requestOf = ({ client, queryKey, signal }: Pick<QueryFunctionContext, 'client' | 'queryKey' | 'signal'>) => ({
  signal,
  ...(client.getQueryData(queryKey) !== undefined && { headers: UNATTENDED }),
});

/** The webhooks, at most five. */
export function useWebhooks({ isFollowed = false } = {}) {
  const { api, acquirer } = useActing();
  return useQuery({
    queryKey: [acquirer.id, 'webhooks'],
    refetchInterval: isFollowed && refetchInterval,
    queryFn: async (context) => (await bodyOf(api.GET('/ext/api/v1/webhooks', requestOf(context)))).data as Webhook[],
  });
}

export function useWebhook(id: string) {
  const { api, acquirer } = useActing();
  return useQuery({
    queryKey: [acquirer.id, 'webhook', id],
    refetchInterval,
    queryFn: async (context) =>
      tagged(
        (await resultOf(
          api.GET('/ext/api/v1/webhooks/{id}', { params: { path: { id } }, ...requestOf(context) }),
        )) as Found<Webhook>,
      ),
  });
}

/**
 * The attempts of a webhook, the newest first, page by page.
 *
 * @param latest When the newest attempt began that they are to have. What they show stays until they have it.
 */
export function useDeliveries(id: string, latest: string | undefined) {
  const { api, acquirer } = useActing();
  return useInfiniteQuery({
    ...keyed([acquirer.id, 'deliveries', id, latest]),
    initialPageParam: {},
    queryFn: ({ pageParam, signal }) =>
      bodyOf(
        api.GET('/ext/api/v1/webhooks/{id}/deliveries', {
          params: { path: { id }, query: { limit: 20, ...pageParam } },
          signal,
          // The newest page is read with each new attempt, the others because a person asked for them.
          ...(!('after' in pageParam) && { headers: UNATTENDED }),
        }),
      ),
    getNextPageParam: ({ meta: { next } }) => next && { after: next },
  });
}

/** Which refused requests: all of the last 30 days by default. */
export type RefusedFilter = Pick<
  NonNullable<PartnersOperations['listRefusedRequests']['parameters']['query']>,
  'code' | 'operation' | 'key_id' | 'from' | 'to' | 'after'
>;

/** What is read at once: so many pages of so many refused requests. */
const READ_AT_ONCE = { pages: 5, limit: 100 };

/**
 * Refused requests, the newest first: what {@link READ_AT_ONCE} says, and as many earlier ones each time when a person
 * asks for them. `isComplete`: whether there are no earlier ones.
 */
export function useRefused(filter: RefusedFilter) {
  const { api, acquirer } = useActing();
  const query = useInfiniteQuery({
    queryKey: [acquirer.id, 'refused', filter],
    refetchOnWindowFocus: false,
    initialPageParam: {},
    async queryFn({ pageParam, signal }) {
      const requests: RefusedRequest[] = [];
      let next: { after?: string } | null = pageParam;
      for (let count = 0; next !== null && count < READ_AT_ONCE.pages; count += 1) {
        const query: RefusedFilter = { ...filter, ...next };
        const params = { query: { ...query, limit: READ_AT_ONCE.limit } };
        const { data, meta } = await bodyOf(api.GET('/ext/api/v1/refused-requests', { params, signal }));
        requests.push(...(data as RefusedRequest[]));
        next = meta.next === null ? null : { after: meta.next };
      }
      return { requests, next };
    },
    getNextPageParam: ({ next }) => next,
  });
  const pages = query.data?.pages;
  const data = useMemo(
    () =>
      pages && {
        requests: pages.flatMap(({ requests }) => requests),
        isComplete: pages.at(-1)?.next === null,
      },
    [pages],
  );
  return {
    ...query,
    data,
    refetch: (): Promise<unknown> => (query.isFetchNextPageError ? query.fetchNextPage() : query.refetch()),
  };
}

export function useRefusedRequest(id: string) {
  const { api, acquirer } = useActing();
  return useQuery({
    queryKey: [acquirer.id, 'refused', id],
    queryFn: async ({ signal }) =>
      (
        await bodyOf(
          api.GET('/ext/api/v1/refused-requests/{request_id}', { params: { path: { request_id: id } }, signal }),
        )
      ).data as RefusedRequest,
  });
}

/** What an activity is about, and which events it has: everything of the acquirer by default. */
export type Subject = Pick<
  NonNullable<operations['listActivity']['parameters']['query']>,
  'tid' | 'mid' | 'type' | 'person' | 'key' | 'partner' | 'since' | 'until'
>;

/** Branches by MID, as far as they are accessible. */
export type BranchNames = Map<string, { mid: string; merchant_name: string | null; city: string | null }>;

type Init = { signal: AbortSignal; headers?: Record<string, string> };

/** Reads a page of events, the newest first, with the branches that they mention. */
export async function readEvents(api: Api, query: Subject & { limit: number; before?: string }, init: Init) {
  const { data, meta } = await bodyOf(api.GET('/console/api/activity', { ...init, params: { query } }));
  return { ...(meta as ConsoleSchemas['ActivityMeta']), events: data.events as Event[], branches: data.branches };
}

/** The most events that are read at once. */
export const MOST_EVENTS = 50;

/** What happened, the newest first. What is earlier is read page by page, unless it is one page. */
export function useActivity(subject: Subject, { limit = 20, isOnePage = false, refetchOnWindowFocus = true } = {}) {
  const { api, acquirer } = useActing();
  const queries = useQueryClient();
  const queryKey = [acquirer.id, 'activity', subject, { limit, isOnePage }];
  const query = useInfiniteQuery({
    queryKey,
    refetchOnWindowFocus,
    initialPageParam: {},
    queryFn: ({ pageParam, signal }) => readEvents(api, { ...subject, limit, ...pageParam }, { signal }),
    getNextPageParam: ({ next }) => (isOnePage ? null : next && { before: next }),
  });
  const pages = query.data?.pages;
  const data = useMemo(
    () =>
      pages && {
        events: pages.flatMap(({ events }) => events),
        branches: new Map(pages.flatMap(({ branches }) => branches).map((branch) => [branch.mid, branch])),
        complete_to: pages[0]?.complete_to ?? '',
        read_to: pages.at(-1)?.read_to ?? null,
      },
    [pages],
  );
  return {
    ...query,
    data,
    refetch: (): Promise<unknown> => (query.isFetchNextPageError ? query.fetchNextPage() : query.refetch()),
    /** Begins anew with the newest page. */
    restart() {
      queries.setQueryData<typeof query.data>(
        queryKey,
        (old) => old && { pages: old.pages.slice(0, 1), pageParams: old.pageParams.slice(0, 1) },
      );
      return query.refetch();
    },
  };
}
