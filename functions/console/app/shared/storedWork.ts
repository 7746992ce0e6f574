import { queryOptions } from '@tanstack/react-query';
import { isRunning } from '../estate/store.ts';

/** The work that is stored in this browser, and whether it runs in any tab; `null` if there is none. */
export const storedWork = <Found extends { stored: { id: string } }>(
  acquirer: string,
  kind: 'import' | 'change',
  load: () => Promise<Found | undefined>,
) =>
  queryOptions({
    queryKey: [acquirer, kind],
    queryFn: async () => {
      const found = await load();
      return found ? { ...found, isRunning: await isRunning(found.stored.id) } : null;
    },
    networkMode: 'always',
    staleTime: 0,
    // It has what is no plain data.
    structuralSharing: false,
  });
