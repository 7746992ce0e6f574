import { queryOptions } from '@tanstack/react-query';
import type { Ledger } from '../../estate/ledger.ts';
import { isRunning, loadImport, storageOf } from '../../estate/store.ts';

/** The import of an acquirer that is stored in this browser; `null` if there is none. */
export const importQuery = (acquirer: string) =>
  queryOptions({
    queryKey: [acquirer, 'import'],
    queryFn: async () => {
      const found = await loadImport(storageOf(acquirer));
      return found ? { ...found, isRunning: await isRunning(found.stored.id) } : null;
    },
    networkMode: 'always',
    staleTime: 0,
    // It has what is no plain data.
    structuralSharing: false,
  });

/** How many of the rows of an import are done. */
export const doneOf = ({ rows }: Ledger['counts']) => {
  const done = rows.created + rows.exists + rows.refused;
  return { done, total: done + rows.left };
};

/** How far a check or an import is. */
export interface Progress {
  counts: Ledger['counts'];
  problems: number;
}

/** The job that runs the import of an acquirer. */
export const importJob = (acquirer: string): string => `import ${acquirer}`;
