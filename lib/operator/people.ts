import { getAcquirer, listAcquirers } from '../acquirers/registry.ts';
import type { PersonRole } from '../acquirers/roles.ts';
import { allDone, retrying } from '../aws/retry.ts';
import { Problem } from '../base/problem.ts';
import { removePerson, sessionsEnd } from '../people/people.ts';
import type { Invitation, Membership, Person } from '../people/person.ts';
import { newEvent, recordSteps } from '../record/record.ts';
import { getItem, getItems, queryPrefix } from '../table/client.ts';
import * as keys from '../table/keys.ts';
import { exists, remove, transact } from '../table/transaction.ts';

export interface FoundPerson {
  id: string;
  name: string;
  email: string | null;
  acquirers: { id: string; role: PersonRole }[];
  created_at: string;
  signed_in_at: string;
}

export async function findPerson(id: string): Promise<FoundPerson | undefined> {
  const person = await getItem<Person>(keys.personKey(id));
  if (!person) return undefined;
  const { name, email = null, created_at, signed_in_at } = person;
  const ids = [...person.acquirers];
  const memberships = await getItems<Membership[]>(ids.map((acquirer) => keys.membershipKey(acquirer, id)));
  const acquirers = ids.flatMap((acquirer, at) => {
    const role = memberships[at]?.role;
    return role ? [{ id: acquirer, role }] : [];
  });
  return { id, name, email, acquirers, created_at, signed_in_at };
}

/** Returns names by ids, whichever acquirers people belong to. A removed person has none. */
export async function namesOfPersons(ids: Iterable<string>): Promise<Map<string, string>> {
  const persons = await getItems<Person[]>([...new Set(ids)].map(keys.personKey));
  return new Map(persons.flatMap((person) => (person ? [[person.id, person.name]] : [])));
}

const SIGN_OUT_BATCH = 25;

/**
 * Ends all sessions of the people of an acquirer, also as other acquirers, or of one of them, within the time that
 * sessions are cached. If it is interrupted, another call ends the rest.
 *
 * @returns The ids of these people.
 * @throws Problem `not_found`.
 */
export async function signOutPeople(acquirerId: string, only?: string): Promise<string[]> {
  await getAcquirer(acquirerId);
  const all = (await queryPrefix<Membership | Invitation>(keys.peopleOf(acquirerId))).flatMap(
    (item) => keys.idInPeople(item).person ?? [],
  );
  const people = only ? all.filter((id) => id === only) : all;
  if (only && people.length === 0) throw new Problem('not_found', `The acquirer has no person ${only}.`);
  for (let at = 0; at < people.length; at += SIGN_OUT_BATCH)
    await signOutBatch(acquirerId, people.slice(at, at + SIGN_OUT_BATCH));
  return people;
}

const signOutBatch = (acquirerId: string, people: string[]): Promise<void> =>
  retrying(async () => {
    const found = (await getItems<Person[]>(people.map(keys.personKey))).filter((person) => person !== undefined);
    if (found.length === 0) return;
    const event = await newEvent('person.signed_out', { acquirer: acquirerId, people: found.length });
    await transact([
      ...found.map(sessionsEnd),
      ...recordSteps(event, keys.acquirerSubject(acquirerId), ...found.map(({ id }) => keys.personSubject(id))),
    ]);
  });

/** What an erasure of a person removed: the ids of their acquirers, and the number of invitations. */
export interface ErasedPerson {
  acquirers: string[];
  invitations: number;
}

/**
 * Erases a person: removes all invitations of their address, and then them from all acquirers, with their name and
 * address. Events and the operator's record keep the person's id, which then names nobody. If it is interrupted,
 * another call erases the rest.
 *
 * @throws Problem `not_found`.
 */
export async function erasePerson(id: string): Promise<ErasedPerson> {
  let person = await getItem<Person>(keys.personKey(id));
  if (!person) throw new Problem('not_found', `There is no person ${id}.`);
  const invitations = person.email ? await removeInvitations(person.email) : 0;
  const acquirers: string[] = [];
  for (; person; person = await getItem<Person>(keys.personKey(id))) {
    const [acquirer = ''] = person.acquirers;
    await removePerson(acquirer, id);
    acquirers.push(acquirer);
  }
  return { acquirers, invitations };
}

const CONCURRENCY = 16;

/** Removes the invitations of an address, open or ended, of all acquirers. Returns their number. */
async function removeInvitations(email: string): Promise<number> {
  const acquirers = await listAcquirers();
  let removed = 0;
  for (let at = 0; at < acquirers.length; at += CONCURRENCY) {
    const batch = acquirers.slice(at, at + CONCURRENCY).map(({ id }) => removeInvitationsOf(id, email));
    removed += (await allDone(batch)).reduce((sum, count) => sum + count, 0);
  }
  return removed;
}

async function removeInvitationsOf(acquirer: string, email: string): Promise<number> {
  const now = new Date().toISOString();
  let removed = 0;
  await retrying(async () => {
    for (const item of await queryPrefix<Invitation>(keys.peopleOf(acquirer))) {
      const { invitation } = keys.idInPeople(item);
      if (invitation === undefined || item.email !== email) continue;
      const revoked = await newEvent('invitation.revoked', { acquirer, invitation });
      await transact([
        remove(keys.invitationKey(acquirer, invitation), exists('stale')),
        ...(item.expires_at > now ? recordSteps(revoked, keys.acquirerSubject(acquirer)) : []),
      ]);
      removed += 1;
    }
  });
  return removed;
}
