import { queryClient } from '../../api/queryClient.ts';
import { loadChange, runChange, type Step, storeChange } from '../../bulk/changeTerminals.ts';
import { startJob } from '../../jobs/job.ts';
import { storedJobQuery } from '../../jobs/storedJobQuery.ts';
import type { Owner } from '../../kept/seal.ts';
import { storageOf } from '../../kept/sealedStorage.ts';
import type { Acting } from '../../session/session.ts';

/** The change of many terminals that is stored in this browser, and what became of it. */
export const changeQuery = (owner: Owner) => storedJobQuery(owner, 'change', loadChange);

/** The job that changes terminals of an acquirer. Its progress is how many are done. */
export const changeJobKey = (acquirer: string): string => `change ${acquirer}`;

/** Runs the change that is stored, from where it is. */
export const resumeChange = ({ api, ...owner }: Acting): void =>
  startJob<number>(changeJobKey(owner.acquirer.id), ({ report, ...control }) =>
    runChange(api, storageOf(owner, 'change'), { ...control, onProgress: ({ size }) => report(size) }).finally(() =>
      queryClient.invalidateQueries({ queryKey: [owner.acquirer.id] }),
    ),
  );

/** Stores a change of many terminals, and runs it. Returns `false` while another one is not finished. */
export async function startChange(acting: Acting, title: string, steps: Step[]): Promise<boolean> {
  const isStored = await storeChange(storageOf(acting, 'change'), { title, steps });
  await queryClient.invalidateQueries({ queryKey: changeQuery(acting).queryKey });
  if (isStored) resumeChange(acting);
  return isStored;
}
