import * as v from 'valibot';
import { retrying } from '../aws/retry.ts';
import { Problem } from '../base/problem.ts';
import { laterThan } from '../base/time.ts';
import { extend, time } from '../base/values.ts';
import { newEvent, recordSteps } from '../record/record.ts';
import { getItem, queryPrefix } from '../table/client.ts';
import { acquirerKey, acquirerSubject, acquirers } from '../table/keys.ts';
import { isAsRead, isFree, put, type Step, transact, update } from '../table/transaction.ts';
import { type Acquirer, acquirerFields } from './acquirer.ts';

/*
 * Every change here stores an event in the operator's record in the same transaction. It rejects when no operator is
 * set: see record.ts.
 */

export const acquirerItem = extend(acquirerFields, {
  created_at: time,
  /** Every change to the acquirer, its API keys or its partners sets it, so writes use it as a version. */
  updated_at: time,
  /** While it is set, none of the acquirer's API keys is valid. */
  disabled_at: v.optional(time),
});
export type StoredAcquirer = v.InferOutput<typeof acquirerItem>;

/**
 * A step that changes attributes of an acquirer, if any, on condition that it is as read. So changes of an acquirer,
 * its API keys, partners and people are serialised.
 */
export const nextVersion = (acquirer: StoredAcquirer, set: object = {}): Step =>
  update(
    acquirerKey(acquirer.id),
    { set: { ...set, updated_at: laterThan(acquirer.updated_at) } },
    isAsRead(acquirer, 'updated_at'),
  );

/**
 * Registers an acquirer.
 *
 * @throws Problem `validation_failed` when its id is taken.
 */
export async function createAcquirer({ id, type, name }: Acquirer): Promise<StoredAcquirer> {
  const created_at = new Date().toISOString();
  const registered = { id, type, name, created_at, updated_at: created_at };
  const taken = [{ pointer: '/id', code: 'taken', detail: `Acquirer ${id} already exists.` }];
  const event = await newEvent('acquirer.created', { type, name });
  await retrying(() =>
    transact([put(acquirerKey(id), registered, isFree(taken)), ...recordSteps(event, acquirerSubject(id))]),
  );
  return registered;
}

/**
 * Gets an acquirer by its id.
 *
 * @throws Problem `not_found`.
 */
export async function getAcquirer(id: string): Promise<StoredAcquirer> {
  const acquirer = await getItem<StoredAcquirer>(acquirerKey(id));
  if (!acquirer) throw new Problem('not_found', `There is no acquirer ${id}.`);
  return acquirer;
}

/** Lists all acquirers, including disabled ones. */
export const listAcquirers = (): Promise<StoredAcquirer[]> => queryPrefix<StoredAcquirer>(acquirers);
