import { MutationCache, type Query, QueryClient } from '@tanstack/react-query';
import { isPassing, NoResponse, ProblemError, pauseMs } from './request.ts';
import { announce } from './shared/announce.ts';
import { texts } from './shared/texts.ts';

/** How often a request that may succeed later is sent again. */
const MOST_RETRIES = 4;

const LAG_MS = 2_000;
const isActivity = ({ queryKey }: Pick<Query, 'queryKey'>): boolean => queryKey[1] === 'activity';

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
  mutationCache: new MutationCache({
    // Whatever changed may be shown in several places. The change does not wait for that.
    onSuccess() {
      announce(texts.done);
      void readAgain();
      // The index of a history can lag behind the change.
      setTimeout(() => queries.invalidateQueries({ predicate: isActivity, refetchType: 'active' }), LAG_MS);
    },
    // The change may have been made, or what was to be changed may be gone. The error does not wait for that.
    onError(error) {
      const isGone = error instanceof ProblemError && error.problem.code === 'not_found';
      if (isGone || error instanceof NoResponse) void readAgain();
    },
  }),
});

/** Reads again what is shown. */
const readAgain = () => queries.invalidateQueries({ refetchType: 'active' });

/** Whether a change may be sent again by itself: it may succeed later, and is not executed twice. */
export const retriesChange = (isSafe: (error: Error) => boolean) => (count: number, error: Error) =>
  isSafe(error) && isPassing(error) && count < MOST_RETRIES;
