import type { Outcome, StoredChange } from '../../bulk/changeTerminals.ts';
import { loadImport } from '../../bulk/loadImport.ts';
import { terminalsText } from '../../fields/wording.ts';
import { storageOf } from '../../kept/sealedStorage.ts';
import { loadJob } from '../../kept/storedJob.ts';
import type { Acting } from '../../session/session.ts';
import { formatNumber } from '../../shared/format.ts';
import { doneOf } from './progress.ts';

/** Says what a person has begun as an acquirer and this browser keeps: an import, and what is left of a change. */
export async function unfinishedWork(owner: Pick<Acting, 'acquirer' | 'person'>): Promise<string[]> {
  const { name } = owner.acquirer;
  const found = await loadImport(storageOf(owner, 'import')).catch(() => undefined);
  const { done, total } = found ? doneOf(found.ledger.counts) : { done: 0, total: 0 };
  const change = await loadJob<StoredChange, Outcome>(storageOf(owner, 'change')).catch(() => undefined);
  const left = change ? change.stored.steps.length - change.states.size : 0;
  return [
    ...(found
      ? [`${found.stored.fileName} of ${name}: ${formatNumber(done)} of ${formatNumber(total)} rows are done.`]
      : []),
    ...(change && left > 0 ? [`“${change.stored.title}” of ${name}: ${terminalsText(left)} left.`] : []),
  ];
}
