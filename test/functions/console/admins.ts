import { beforeAll, expect } from '@jest/globals';
import { personAuthor } from '../../../lib/people/person.ts';
import { call } from '../../support/api.ts';
import { personOf, type SignedIn } from '../../support/people.ts';
import { splitRecord, storedBy } from '../../support/stored.ts';
import { type Caller, newAcquirer } from '../../support/world.ts';

type Operation = Parameters<typeof call>[0];

/** A payment provider and one of its admins. */
export interface Administered {
  provider: Caller;
  admin: SignedIn;
}

export async function newAdministered(): Promise<Administered> {
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  return { provider, admin: await personOf(provider.id, 'admin') };
}

/** Makes a provider and an admin before the tests of a `describe`, or before each. */
export const useAdministered = (own: Administered, each: typeof beforeAll = beforeAll): void =>
  each(async () => void Object.assign(own, await newAdministered()));

/** Sends a request as a person. */
export function sendBy({ session }: SignedIn, operation: Operation, id?: string, body?: unknown) {
  return call(operation, { session, ...(id !== undefined && { path: { id } }), body });
}

/**
 * Sends a change as a person. Asserts that they are the author of all that it adds to the record: what else each change
 * stores is in test/lib/record/record.test.ts. Returns the changed items apart from those.
 */
export async function changeBy(person: SignedIn, operation: Operation, id?: string, body?: unknown) {
  const { response, changed } = await storedBy(() => sendBy(person, operation, id, body));
  const { others, events } = splitRecord(changed);
  for (const event of Object.values(events).flat()) expect(event).toMatchObject({ by: personAuthor(person.id) });
  return { ...response, others };
}
