import { queryOptions } from '@tanstack/react-query';
import type { Owner } from '../kept/seal.ts';
import { storageOf } from '../kept/sealedStorage.ts';
import { isRunning, type Storage } from '../kept/storedJob.ts';

/** How often the progress of another tab is read. */
const ELSEWHERE_MS = 2_000;

/** Reads what runs in another tab again and again. */
export const refetchInterval = ({ state }: { state: { data?: { isRunning: boolean } | null | undefined } }) =>
  state.data?.isRunning ? ELSEWHERE_MS : false;

/** The query of a stored job, and whether it runs, in this tab or another; `null` if there is none. */
export const storedJobQuery = <Found extends { stored: { id: string } }>(
  owner: Owner,
  kind: 'import' | 'change',
  load: (storage: Storage) => Promise<Found | undefined>,
) =>
  queryOptions({
    queryKey: [owner.acquirer.id, kind],
    queryFn: async () => {
      const found = await load(storageOf(owner, kind));
      return found ? { ...found, isRunning: await isRunning(found.stored.id) } : null;
    },
    networkMode: 'always',
    staleTime: 0,
    // It has what is no plain data.
    structuralSharing: false,
  });
