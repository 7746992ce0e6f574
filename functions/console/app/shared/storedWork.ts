import { queryOptions } from '@tanstack/react-query';
import { isRunning, type Storage, storageOf } from '../estate/store.ts';

/** How often the progress of another tab is read. */
const ELSEWHERE_MS = 2_000;

/** Reads what runs in another tab again and again. */
export const refetchInterval = ({ state }: { state: { data?: { isRunning: boolean } | null | undefined } }) =>
  state.data?.isRunning ? ELSEWHERE_MS : false;

/** The query of a stored job, and whether it runs, in this tab or another; `null` if there is none. */
export const storedWork = <Found extends { stored: { id: string } }>(
  acquirer: string,
  kind: 'import' | 'change',
  load: (storage: Storage) => Promise<Found | undefined>,
) =>
  queryOptions({
    queryKey: [acquirer, kind],
    queryFn: async () => {
      const found = await load(storageOf(acquirer, kind));
      return found ? { ...found, isRunning: await isRunning(found.stored.id) } : null;
    },
    networkMode: 'always',
    staleTime: 0,
    // It has what is no plain data.
    structuralSharing: false,
  });
