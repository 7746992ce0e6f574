import type { Ledger } from '../../estate/ledger.ts';
import { loadImport } from '../../estate/store.ts';
import { storedWork } from '../../shared/storedWork.ts';

/** The import of an acquirer that is stored in this browser. */
export const importQuery = (acquirer: string) => storedWork(acquirer, 'import', loadImport);

/** How many of the rows of an import are done. */
export const doneOf = ({ rows }: Ledger['counts']) => {
  const done = rows.created + rows.updated + rows.exists + rows.refused;
  return { done, total: done + rows.left };
};

/** How far a check or an import is. */
export interface Progress {
  counts: Ledger['counts'];
  problems: number;
}

/** The job that runs the import of an acquirer. */
export const importJob = (acquirer: string): string => `import ${acquirer}`;
