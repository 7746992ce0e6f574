import type { Mapping } from '../../estate/columns.ts';
import type { Ledger } from '../../estate/ledger.ts';
import { type Plan, planImport } from '../../estate/plan.ts';
import type { TableFile } from '../../estate/readTable.ts';
import { dryRun, runImport } from '../../estate/run.ts';
import { storageOf } from '../../estate/store.ts';
import { queries } from '../../queries.ts';
import type { Acting } from '../../session/session.ts';
import { startJob } from '../../shared/job.ts';
import { kept } from '../../shared/observed.ts';
import { importJob, type Progress } from './stored.ts';

/** A file that a person chose, and what was found in it. It stays while they look elsewhere in the console. */
export interface Chosen {
  fileName: string;
  file: TableFile;
  mapping: Mapping;
  plan: Plan;
  checked?: Ledger;
}

const files = kept<Chosen>();

export const useChosen = (acquirer: string): Chosen | undefined => files.use(() => files.get(acquirer));

/** Chooses a file, or other columns of it. */
export const choose = ({ id }: Acting['acquirer'], file: Pick<Chosen, 'fileName' | 'file' | 'mapping'>): void =>
  files.set(id, { ...file, plan: planImport(file.file, file.mapping) });

export const dropFile = (acquirer: string): void => files.set(acquirer, undefined);

const progressOf = ({ counts, problems }: Ledger): Progress => ({
  counts: structuredClone(counts),
  problems: problems.length,
});

export const checkJob = (acquirer: string): string => `check ${acquirer}`;

/** Checks all rows of a file. */
export const startCheck = ({ api, acquirer: { id } }: Acting, chosen: Chosen): void =>
  startJob<Progress>(checkJob(id), async ({ report, ...control }) => {
    const onProgress = (ledger: Ledger) => report(progressOf(ledger));
    files.set(id, { ...chosen, checked: await dryRun(api, chosen.plan, { ...control, onProgress }) });
  });

/** Runs the import that is stored, from where it is. Lists have what is new then. */
export const startImport = ({ api, acquirer: { id } }: Acting): void =>
  startJob<Progress>(importJob(id), ({ report, ...control }) =>
    runImport(api, storageOf(id, 'import'), {
      ...control,
      onProgress: (ledger) => report(progressOf(ledger)),
    }).finally(() => queries.invalidateQueries({ queryKey: [id] })),
  );
