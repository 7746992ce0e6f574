import { MutationCache, type Query, QueryClient } from '@tanstack/react-query';
import { observed } from '../shared/observed.ts';
import { isPassing, isProblem, NoResponse, pauseMs } from './request.ts';

const announcement = observed('');

/** Tells those who cannot see the view what has become of their action (WCAG 2.2, 4.1.3). */
function announce(text: string): void {
  // The same text again would not be read out.
  announcement.set(announcement.get() === text ? `${text} ` : text);
}

export const useAnnouncement = (): string => announcement.use((text) => text);

/** How often a request that may succeed later is sent again. */
const MOST_RETRIES = 4;

export const isRetried = (count: number, error: Error): boolean => isPassing(error) && count < MOST_RETRIES;

const LAG_MS = 2_000;
const isActivity = ({ queryKey }: Pick<Query, 'queryKey'>): boolean => queryKey[1] === 'activity';

/** What the console has read. Nothing of it outlives the page. */
export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: isRetried,
      retryDelay: (count, error) => pauseMs(error, count),
    },
    mutations: { retryDelay: (count, error) => pauseMs(error, count) },
  },
  mutationCache: new MutationCache({
    // Whatever changed may be shown in several places. The change does not wait for that.
    onSuccess() {
      announce('Done.');
      void readAgain();
      // The index of a history can lag behind the change.
      setTimeout(() => queryClient.invalidateQueries({ predicate: isActivity, refetchType: 'active' }), LAG_MS);
    },
    // The change may have been made, or what was to be changed may be gone. The error does not wait for that.
    onError(error) {
      if (isProblem(error, 'not_found') || error instanceof NoResponse) void readAgain();
    },
  }),
});

const readAgain = () => queryClient.invalidateQueries({ refetchType: 'active' });
