import { getAcquirer } from '../acquirers/registry.ts';
import { retrying } from '../aws/retry.ts';
import { newEvent, recordSteps } from '../record/record.ts';
import { getItems } from '../table/client.ts';
import { acquirerSubject, masterAcquirerKey, paymentAppKey } from '../table/keys.ts';
import { exists, isFree, MOST_STEPS, put, remove, transact } from '../table/transaction.ts';

/** Reference data that an acquirer may name on terminals. */
export type ReferenceData = 'PAYMENT_APPS' | 'MASTER_ACQUIRERS';

/** The most names in one transaction, beside the event of the operator's record. */
export const MOST_NAMES = MOST_STEPS - 1;

const REFERENCE_KEYS = { PAYMENT_APPS: paymentAppKey, MASTER_ACQUIRERS: masterAcquirerKey };

/**
 * Adds at most {@link MOST_NAMES} names of payment apps or master acquirers in one transaction. Existing names are
 * unchanged.
 *
 * @throws Problem `not_found` when there is no such acquirer.
 */
export const addReferenceData = (acquirerId: string, kind: ReferenceData, names: string[]): Promise<void> =>
  retrying(async () => {
    // Acquirers are never deleted, so the transaction need not check it again.
    await getAcquirer(acquirerId);
    const keyOf = (name: string) => REFERENCE_KEYS[kind](acquirerId, name);
    const stored = await getItems<unknown[]>(names.map(keyOf));
    const added = names.filter((_, at) => !stored[at]);
    if (added.length === 0) return;
    const event = await newEvent('reference_data.added', { kind, names: added });
    await transact([
      ...added.map((name) => put(keyOf(name), {}, isFree('stale'))),
      ...recordSteps(event, acquirerSubject(acquirerId)),
    ]);
  });

/**
 * Removes at most {@link MOST_NAMES} names. Terminals that have such a name keep it.
 *
 * @throws Problem `validation_failed` that lists the names which the acquirer does not have.
 */
export async function removeReferenceData(acquirer: string, kind: ReferenceData, names: string[]): Promise<void> {
  const removals = names.map((name) => {
    const detail = `Acquirer ${acquirer} has no "${name}".`;
    return remove(REFERENCE_KEYS[kind](acquirer, name), exists([{ pointer: '/name', code: 'not_found', detail }]));
  });
  const event = await newEvent('reference_data.removed', { kind, names });
  await retrying(() => transact([...removals, ...recordSteps(event, acquirerSubject(acquirer))]));
}
