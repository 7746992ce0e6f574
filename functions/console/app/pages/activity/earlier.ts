import { useEffect, useState } from 'react';
import { formatNumber, formatTime } from '../../shared/format.ts';

/** What reads earlier pages, such as a query of TanStack. */
interface Earlier {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => Promise<unknown>;
  error: Error | null;
}

const STOPPED = -1;

/**
 * Reads earlier pages until there is more than when the person asked: a page can have nothing that matches.
 *
 * @param count How much there is now.
 */
export function useEarlier({ hasNextPage, isFetchingNextPage, fetchNextPage, error }: Earlier, count: number) {
  const [askedAt, setAskedAt] = useState(0);
  const isSearching = hasNextPage && !error && count <= askedAt;
  useEffect(() => {
    if (isSearching && !isFetchingNextPage) void fetchNextPage();
  }, [isSearching, isFetchingNextPage, fetchNextPage]);
  return { isSearching, search: () => setAskedAt(count), stop: () => setAskedAt(STOPPED) };
}

/** How many changes are shown, and how far back they were read: `null` if to the end. */
export function shownText(count: number, read_to: string | null): string {
  const changes = count === 1 ? 'One change' : `${formatNumber(count)} changes`;
  if (read_to === null) return count === 0 ? 'No change that matches is kept.' : `${changes}.`;
  return `${count === 0 ? 'No change' : changes} since ${formatTime(read_to)}.`;
}
