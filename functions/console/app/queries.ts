import { MutationCache, QueryClient } from '@tanstack/react-query';
import { isPassing, pauseMs } from './request.ts';

/** How often a request that may succeed later is sent again. */
const MOST_RETRIES = 4;

/** What the console has read. Nothing of it outlives the page. */
export const queries: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (count, error) => isPassing(error) && count < MOST_RETRIES,
      retryDelay: (count, error) => pauseMs(error, count),
    },
    mutations: { retryDelay: (count, error) => pauseMs(error, count) },
  },
  // Whatever changed may be shown in several places.
  mutationCache: new MutationCache({ onSuccess: () => queries.invalidateQueries({ refetchType: 'active' }) }),
});

/** Whether a change may be sent again by itself: it may succeed later, and is not executed twice. */
export const retriesChange = (isSafe: (error: Error) => boolean) => (count: number, error: Error) =>
  isSafe(error) && isPassing(error) && count < MOST_RETRIES;
