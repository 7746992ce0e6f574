import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api.ts';
import { bodyOf, resultOf } from '../request.ts';
import { useActing } from '../session/session.ts';

/*
 * What the views read. Each key begins with the acquirer, so that nothing read as one is ever shown as another.
 */

export type Terminal = Schemas['Terminal'];
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
export const tagged = <Data>({ data, response }: Found<Data>): Tagged<Data> => ({
  data: data.data,
  etag: response.headers.get('etag') ?? '',
});

export const PER_PAGE = 20;
export interface ListPage {
  page: number;
  sort: 'asc' | 'desc';
}

/** The page and order of a list in an address. */
export const listPageOf = (values: URLSearchParams, prefix = ''): ListPage => ({
  page: Math.max(1, Math.trunc(Number(values.get(`${prefix}page`))) || 1),
  sort: values.get(`${prefix}sort`) === 'asc' ? 'asc' : 'desc',
});

export function useTerminal(tid: string) {
  const { api, acquirer } = useActing();
  return useQuery({
    queryKey: [acquirer.id, 'terminal', tid],
    // `find` is the one operation that reads a terminal by its TID alone.
    queryFn: async ({ signal }) =>
      tagged((await resultOf(api.GET('/ext/api/v1/find', { params: { query: { tid } }, signal }))) as Found<Terminal>),
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
    queryKey: [acquirer.id, 'branches', query],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => bodyOf(api.GET('/ext/api/v1/merchants', { params: { query }, signal })),
  });
}

export function useTerminals(mid: string, { page, sort }: ListPage) {
  const { api, acquirer } = useActing();
  const query = { page, sort, per_page: PER_PAGE };
  return useQuery({
    queryKey: [acquirer.id, 'terminals', mid, query],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/ext/api/v1/terminals/{mid}', { params: { path: { mid }, query }, signal })),
  });
}

type LookupMethod = 'paymentProviders' | 'distributors' | 'acquirers' | 'paymentApp' | 'masterMerchants';
export type LookupItem = Schemas['LookupItem'];

/** Values of a drop-down. A new one can take 30 seconds to appear. */
export function useLookup(method: LookupMethod, query: { search?: string; payment_provider?: string } = {}) {
  const { api, acquirer } = useActing();
  return useQuery({
    queryKey: [acquirer.id, 'lookup', method, query],
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/ext/api/v1/lookup/{method}', { params: { path: { method }, query }, signal }))).data,
  });
}

/** The names of acquirers by id: one's own, and those of partners. */
export function useAcquirerNames(): Map<string, string> {
  const { acquirer } = useActing();
  const { data = [] } = useLookup(acquirer.type === 'DISTRIBUTOR' ? 'paymentProviders' : 'distributors');
  return new Map([[acquirer.id, acquirer.name], ...data.map(({ key, text }) => [key, text] as const)]);
}

/** What an activity is about: everything of the acquirer by default. */
export type Subject = { tid?: string; mid?: string };

/** Branches by MID, as far as they are accessible. */
export type BranchNames = Map<string, { mid: string; merchant_name: string | null; city: string | null }>;

/** What happened, the newest first, page by page. */
export function useActivity(subject: Subject, { limit = 20, refetchMs }: { limit?: number; refetchMs?: number } = {}) {
  const { api, acquirer } = useActing();
  return useInfiniteQuery({
    queryKey: [acquirer.id, 'activity', subject, limit],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      bodyOf(
        api.GET('/console/api/activity', {
          params: { query: { ...subject, limit, ...(pageParam !== undefined && { before: pageParam }) } },
          signal,
        }),
      ),
    getNextPageParam: ({ meta }) => meta.next ?? undefined,
    ...(refetchMs !== undefined && { refetchInterval: refetchMs }),
    select: ({ pages }) => ({
      events: pages.flatMap(({ data }) => data.events) as Event[],
      branches: new Map(pages.flatMap(({ data }) => data.branches.map((branch) => [branch.mid, branch] as const))),
    }),
  });
}
