import { getGroups } from '../table/client.ts';
import { keptInvitationKey, keptPersonKey, membershipKey, personKey } from '../table/keys.ts';
import type { KeptName } from './keptName.ts';
import type { Membership, Person } from './person.ts';

/**
 * Returns what an acquirer knows of its people, and of whom its invitations invited, by their ids: of those who were
 * removed, the name and address as of then. Who was erased, or never belonged to the acquirer, is left out.
 */
export async function knownTo(
  acquirer: string,
  people: Iterable<string>,
  invitations: Iterable<string> = [],
): Promise<Map<string, Omit<KeptName, 'ttl'>>> {
  const [ids, invited] = [[...new Set(people)], [...new Set(invitations)]];
  if (ids.length + invited.length === 0) return new Map();
  const { found } = await getGroups<{ memberships: Membership[]; persons: Person[]; kept: KeptName[] }>({
    memberships: ids.map((id) => membershipKey(acquirer, id)),
    persons: ids.map(personKey),
    kept: [...ids.map((id) => keptPersonKey(acquirer, id)), ...invited.map((id) => keptInvitationKey(acquirer, id))],
  });
  const known = [...ids, ...invited].map((id, at) => ({
    id,
    of: found.memberships[at] ? found.persons[at] : found.kept[at],
  }));
  return new Map(known.flatMap(({ id, of }) => (of ? [[id, { name: of.name, email: of.email }]] : [])));
}

/** Returns the names of an acquirer's people, present and former, by their ids. */
export async function namesOfPeople(acquirer: string, ids: Iterable<string>): Promise<Map<string, string>> {
  const known = await knownTo(acquirer, ids);
  return new Map([...known].flatMap(([id, { name }]) => (name === undefined ? [] : [[id, name]])));
}
