import { getItems } from '../table/client.ts';
import { membershipKey, personKey } from '../table/keys.ts';
import type { Membership, Person } from './person.ts';

/** Returns the names of an acquirer's people by their ids. A person who was removed has none. */
export async function namesOfPeople(acquirer: string, ids: Iterable<string>): Promise<Map<string, string>> {
  const people = [...new Set(ids)];
  if (people.length === 0) return new Map();
  const found = await getItems<(Membership | Person)[]>(
    people.flatMap((id) => [membershipKey(acquirer, id), personKey(id)]),
  );
  return new Map(
    people.flatMap((id, at): [string, string][] => {
      const [membership, person] = [found[2 * at], found[2 * at + 1] as Person | undefined];
      return membership && person ? [[id, person.name]] : [];
    }),
  );
}
