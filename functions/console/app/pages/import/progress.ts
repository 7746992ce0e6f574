import type { Ledger } from '../../bulk/ledger.ts';
import { loadImport } from '../../bulk/loadImport.ts';
import { storedJobQuery } from '../../jobs/storedJobQuery.ts';
import type { Owner } from '../../kept/seal.ts';

export const importQuery = (owner: Owner) => storedJobQuery(owner, 'import', loadImport);

export const doneOf = ({ rows }: Ledger['counts']) => {
  const done = rows.created + rows.updated + rows.exists + rows.refused;
  return { done, total: done + rows.left };
};

export interface Progress {
  counts: Ledger['counts'];
  problems: number;
}

export const importJobKey = (acquirer: string): string => `import ${acquirer}`;
