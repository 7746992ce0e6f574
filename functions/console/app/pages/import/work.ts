import type { Mapping } from '../../estate/columns.ts';
import type { Ledger } from '../../estate/ledger.ts';
import { type Plan, planImport } from '../../estate/plan.ts';
import type { TableFile } from '../../estate/readTable.ts';
import { dryRun, type RunOptions, runImport } from '../../estate/run.ts';
import { storageOf } from '../../estate/store.ts';
import { queries } from '../../queries.ts';
import type { Acting } from '../../session/session.ts';
import { errorOf, type JobControl, startJob } from '../../shared/job.ts';
import { kept } from '../../shared/observed.ts';
import { importJob, type Progress } from './stored.ts';

/** A file that a person chose, and what was found in it. It stays while they look elsewhere in the console. */
export interface Chosen {
  fileName: string;
  file: TableFile;
  mapping: Mapping;
  plan: Plan;
  /** What the service says of it. */
  checked?: Ledger;
}

const files = kept<Chosen>();

/** The file that was chosen for an acquirer. */
export const useChosen = (acquirer: string): Chosen | undefined => files.use(() => files.get(acquirer));

/** Chooses a file, or other columns of it. */
export const choose = ({ id }: Acting['acquirer'], file: Pick<Chosen, 'fileName' | 'file' | 'mapping'>): void =>
  files.set(id, { ...file, plan: planImport(file.file, file.mapping) });

export const dropFile = (acquirer: string): void => files.set(acquirer, undefined);

const reporting =
  (report: JobControl<Progress>['report']): NonNullable<RunOptions['onProgress']> =>
  (ledger, waiting) =>
    report({ counts: structuredClone(ledger.counts), problems: ledger.problems.length }, waiting);

export const checkJob = (acquirer: string): string => `check ${acquirer}`;

/** Checks all rows of a file. */
export const startCheck = ({ api, acquirer: { id } }: Acting, chosen: Chosen): void =>
  startJob<Progress>(checkJob(id), async ({ signal, report }) => {
    const ended = await dryRun(api, chosen.plan, { signal, onProgress: reporting(report) });
    if (ended.is === 'finished') files.set(id, { ...chosen, checked: ended.ledger });
    else if (!signal.aborted) throw errorOf(ended.problem);
  });

/** Runs the import that is stored, from where it is. */
export const startImport = ({ api, acquirer: { id } }: Acting): void =>
  startJob<Progress>(importJob(id), async ({ signal, report }) => {
    try {
      const ended = await runImport(api, storageOf(id), { signal, onProgress: reporting(report) });
      if (ended.is === 'paused' && !signal.aborted) throw errorOf(ended.problem);
    } finally {
      // Lists have what is new.
      await queries.invalidateQueries({ queryKey: [id] });
    }
  });
