import { queryClient } from '../../api/queryClient.ts';
import type { Ledger } from '../../bulk/ledger.ts';
import { faultyCells, type MappedFile, mended } from '../../bulk/mend.ts';
import { type Plan, planImport } from '../../bulk/planImport.ts';
import { dryRun, runImport } from '../../bulk/runImport.ts';
import type { Lists } from '../../fields/listed.ts';
import type { TableFile } from '../../files/readTable.ts';
import { startJob } from '../../jobs/job.ts';
import { storageOf } from '../../kept/sealedStorage.ts';
import type { Acting } from '../../session/session.ts';
import { holdReload } from '../../shared/draft.ts';
import { inMemory } from '../../shared/observed.ts';
import { importJobKey, type Progress } from './progress.ts';

/** A file that a person chose, and what was found in it. It stays while they look elsewhere in the console. */
export interface Chosen extends MappedFile {
  fileName: string;
  file: TableFile;
  lists: Lists;
  plan: Plan;
  checked?: Ledger;
  /** What a person has typed into cells with problems since the check, by the key of {@link faultyCells}. */
  corrections: Readonly<Record<string, string>>;
}

const files = inMemory<Chosen>();

export const useChosen = (acquirer: string): Chosen | undefined => files.use(() => files.get(acquirer));

/** Chooses a file, or other columns of it. */
export function choose(
  { id }: Acting['acquirer'],
  { fileName, file, mapping, lists }: Pick<Chosen, 'fileName' | 'file' | 'mapping' | 'lists'>,
): Chosen {
  holdReload(`file ${id}`, true);
  const chosen = { fileName, file, mapping, lists, plan: planImport(file, mapping, lists), corrections: {} };
  files.set(id, chosen);
  return chosen;
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

/** Checks the rows of a file: all, or those that are other than in an earlier check. */
export const startCheck = ({ api, acquirer: { id } }: Acting, chosen: Chosen, earlier?: Ledger): void =>
  startJob<Progress>(checkJobKey(id), async ({ report, ...control }) => {
    const onProgress = (ledger: Ledger) => report(progressOf(ledger));
    files.set(id, { ...chosen, checked: await dryRun(api, chosen.plan, { ...control, earlier, onProgress }) });
  });

/** Notes what a person has typed into cells with problems; `undefined` if it is what they had. */
export function correct({ id }: Acting['acquirer'], key: string, text: string | undefined): void {
  const chosen = files.get(id);
  if (!chosen) return;
  const { [key]: _, ...others } = chosen.corrections;
  files.set(id, { ...chosen, corrections: text === undefined ? others : { ...others, [key]: text } });
}

/** Corrects the file as a person has typed, and checks it again. */
export function checkAgain(acting: Acting, { checked, plan, corrections, ...chosen }: Chosen): void {
  const cells = faultyCells(plan, checked?.problems ?? []);
  const corrected = Object.entries(corrections).reduce((mapped, [key, text]) => {
    const faulty = cells.find((each) => each.key === key);
    return faulty ? mended(mapped, faulty, text) : mapped;
  }, chosen);
  startCheck(acting, choose(acting.acquirer, corrected), checked);
}

/** Runs the import that is stored, from where it is. Lists have what is new then. */
export const startImport = ({ api, ...owner }: Acting): void =>
  startJob<Progress>(importJobKey(owner.acquirer.id), ({ report, ...control }) =>
    runImport(api, storageOf(owner, 'import'), {
      ...control,
      onProgress: (ledger) => report(progressOf(ledger)),
    }).finally(() => queryClient.invalidateQueries({ queryKey: [owner.acquirer.id] })),
  );
