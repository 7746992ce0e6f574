import { getAcquirer, listAcquirers } from '../acquirers/registry.ts';
import type { PersonRole } from '../acquirers/roles.ts';
import { allDone, retrying } from '../aws/retry.ts';
import { storedId, UUID } from '../base/mid.ts';
import { Problem } from '../base/problem.ts';
import type { KeptName } from '../people/keptName.ts';
import { listPeople, normalEmail, removePerson, sessionsEnd } from '../people/people.ts';
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

/**
 * Returns names by ids, whichever acquirers people belong to; of somebody who was removed, that which one of these
 * acquirers knows. A person who was erased has none.
 */
export async function namesOfPersons(ids: Iterable<string>, acquirers: Iterable<string>): Promise<Map<string, string>> {
  const [people, former] = [[...new Set(ids)], [...new Set(acquirers)]];
  const found = await Promise.all(
    people.map(async (id) => {
      const kept = former.map((acquirer) => keys.keptPersonKey(acquirer, id));
      return getItems<(Person | KeptName)[]>([keys.personKey(id), ...kept]);
    }),
  );
  return new Map(
    people.flatMap((id, at): [string, string][] => {
      const [name] = found[at]?.flatMap((item) => item?.name ?? []) ?? [];
      return name === undefined ? [] : [[id, name]];
    }),
  );
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

/** Whom an erasure takes: people by their id, each with a name and their present acquirers; and addresses. */
export interface Erasable {
  people: Map<string, { name: string; acquirers: string[] }>;
  emails: Set<string>;
}

/** Finds whom an erasure takes: the person with an id, present or former, or all people who have or had an address. */
export async function findErasable(idOrEmail: string): Promise<Erasable> {
  const acquirers = (await listAcquirers()).map(({ id }) => id);
  const isId = UUID.test(idOrEmail);
  const email = normalEmail(idOrEmail);
  const ids = isId ? [storedId(idOrEmail)] : await peopleWith(email, acquirers);
  const erasable: Erasable = { people: new Map(), emails: new Set(isId ? [] : [email]) };
  for (const id of ids) {
    const person = await getItem<Person>(keys.personKey(id));
    const kept = await getItems<KeptName[]>(acquirers.map((acquirer) => keys.keptPersonKey(acquirer, id)));
    const known = [person, ...kept].filter((each) => each !== undefined);
    for (const { name, email } of known) {
      if (email) erasable.emails.add(email);
      if (name) erasable.people.set(id, { name, acquirers: [...(person?.acquirers ?? [])] });
    }
  }
  return erasable;
}

/** What an erasure took: the ids of people and of the acquirers they belonged to, and the number of invitations. */
export interface ErasedPerson {
  people: string[];
  acquirers: string[];
  invitations: number;
}

/**
 * Erases a person: removes them from all acquirers, then takes their name, and the invitations of their addresses, also
 * from those to which they no longer belong. Events and the operator's record keep ids, which then name nobody. If it
 * is interrupted, another call erases the rest.
 *
 * @param idOrEmail See {@link findErasable}.
 * @throws Problem `not_found`.
 */
export async function erasePerson(idOrEmail: string): Promise<ErasedPerson> {
  const { people, emails } = await findErasable(idOrEmail);
  const from = new Set<string>();
  for (const id of people.keys())
    for (let person = await getItem<Person>(keys.personKey(id)); person; ) {
      const [acquirer = ''] = person.acquirers;
      await removePerson(acquirer, id);
      from.add(acquirer);
      person = await getItem<Person>(keys.personKey(id));
    }
  const acquirers = (await listAcquirers()).map(({ id }) => id);
  const erased = await onEach(acquirers, (acquirer) => eraseInvitations(acquirer, emails));
  const invitations = erased.reduce((sum, count) => sum + count, 0);
  if (people.size + invitations === 0) throw new Problem('not_found', `There is no person ${idOrEmail}.`);
  // At last, because another call finds by them what is left.
  for (const id of people.keys()) await onEach(acquirers, (acquirer) => eraseName(acquirer, id));
  return { people: [...people.keys()], acquirers: [...from], invitations };
}

const CONCURRENCY = 16;

async function onEach<T>(acquirers: string[], act: (acquirer: string) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let at = 0; at < acquirers.length; at += CONCURRENCY)
    results.push(...(await allDone(acquirers.slice(at, at + CONCURRENCY).map(act))));
  return results;
}

/** The ids of people who have an address, or had it when they were removed. */
async function peopleWith(email: string, acquirers: string[]): Promise<Set<string>> {
  const found = await onEach(acquirers, async (acquirer) => {
    const { people } = await listPeople(acquirer);
    const kept = await queryPrefix<KeptName>(keys.keptNamesOf(acquirer));
    return [
      ...people.flatMap((person) => (person.email === email ? person.id : [])),
      ...kept.flatMap((item) => (item.email === email ? (keys.idInPeople(item).person ?? []) : [])),
    ];
  });
  return new Set(found.flat());
}

/** Erases the invitations of some addresses, whether open, ended or accepted. Returns their number. */
async function eraseInvitations(acquirer: string, emails: Set<string>): Promise<number> {
  if (emails.size === 0) return 0;
  const items = [
    ...(await queryPrefix<Invitation>(keys.peopleOf(acquirer))),
    ...(await queryPrefix<KeptName>(keys.keptNamesOf(acquirer))),
  ];
  const ids = items.flatMap((item) => (emails.has(item.email ?? '') ? (keys.idInPeople(item).invitation ?? []) : []));
  const found = [...new Set(ids)];
  for (const id of found) await eraseInvitation(acquirer, id);
  return found.length;
}

/** Erases an invitation, with the address that it is for. Returns whether there was anything of it. */
export const eraseInvitation = (acquirer: string, invitation: string): Promise<boolean> =>
  erase([keys.invitationKey(acquirer, invitation), keys.keptInvitationKey(acquirer, invitation)], {
    acquirer,
    invitation,
  });

/** Erases what an acquirer knows of a person whom it removed. */
const eraseName = (acquirer: string, person: string): Promise<boolean> =>
  erase([keys.keptPersonKey(acquirer, person)], { acquirer, person });

/** Removes items if they exist, with an event from which a restore knows that they were erased. */
const erase = (items: keys.Key[], details: { acquirer: string; person?: string; invitation?: string }) =>
  retrying(async () => {
    const found = await getItems<object[]>(items);
    const there = items.filter((_, at) => found[at]);
    if (there.length === 0) return false;
    const { acquirer, person } = details;
    const event = await newEvent('person.erased', details);
    const subjects = [keys.acquirerSubject(acquirer), ...(person ? [keys.personSubject(person)] : []), keys.ERASURES];
    await transact([...there.map((key) => remove(key, exists('stale'))), ...recordSteps(event, ...subjects)]);
    return true;
  });
