import { queryClient } from '../../api/queryClient.ts';
import type { Ledger } from '../../bulk/ledger.ts';
import { type Plan, planImport } from '../../bulk/planImport.ts';
import { dryRun, runImport } from '../../bulk/runImport.ts';
import type { Mapping } from '../../fields/matchColumns.ts';
import type { TableFile } from '../../files/readTable.ts';
import { startJob } from '../../jobs/job.ts';
import { storageOf } from '../../kept/sealedStorage.ts';
import type { Acting } from '../../session/session.ts';
import { holdReload } from '../../shared/draft.ts';
import { inMemory } from '../../shared/observed.ts';
import { importJobKey, type Progress } from './progress.ts';

/** A file that a person chose, and what was found in it. It stays while they look elsewhere in the console. */
export interface Chosen {
  fileName: string;
  file: TableFile;
  mapping: Mapping;
  plan: Plan;
  checked?: Ledger;
}

const files = inMemory<Chosen>();

export const useChosen = (acquirer: string): Chosen | undefined => files.use(() => files.get(acquirer));

/** Chooses a file, or other columns of it. */
export function choose({ id }: Acting['acquirer'], file: Pick<Chosen, 'fileName' | 'file' | 'mapping'>): void {
  holdReload(`file ${id}`, true);
  files.set(id, { ...file, plan: planImport(file.file, file.mapping) });
}

export function dropFile(acquirer: string): void {
  holdReload(`file ${acquirer}`, false);
  files.set(acquirer, undefined);
}

const progressOf = ({ counts, problems }: Ledger): Progress => ({
  counts: structuredClone(counts),
  problems: problems.length,
});

export const checkJobKey = (acquirer: string): string => `check ${acquirer}`;

/** Checks all rows of a file. */
export const startCheck = ({ api, acquirer: { id } }: Acting, chosen: Chosen): void =>
  startJob<Progress>(checkJobKey(id), async ({ report, ...control }) => {
    const onProgress = (ledger: Ledger) => report(progressOf(ledger));
    files.set(id, { ...chosen, checked: await dryRun(api, chosen.plan, { ...control, onProgress }) });
  });

/** Runs the import that is stored, from where it is. Lists have what is new then. */
export const startImport = ({ api, ...owner }: Acting): void =>
  startJob<Progress>(importJobKey(owner.acquirer.id), ({ report, ...control }) =>
    runImport(api, storageOf(owner, 'import'), {
      ...control,
      onProgress: (ledger) => report(progressOf(ledger)),
    }).finally(() => queryClient.invalidateQueries({ queryKey: [owner.acquirer.id] })),
  );
