import type { Ledger } from '../../estate/ledger.ts';
import { loadImport } from '../../estate/store.ts';
import type { Owner } from '../../kept/seal.ts';
import { storedWork } from '../../shared/storedWork.ts';

export const importQuery = (owner: Owner) => storedWork(owner, 'import', loadImport);

export const doneOf = ({ rows }: Ledger['counts']) => {
  const done = rows.created + rows.updated + rows.exists + rows.refused;
  return { done, total: done + rows.left };
};

export interface Progress {
  counts: Ledger['counts'];
  problems: number;
}

export const importJob = (acquirer: string): string => `import ${acquirer}`;
