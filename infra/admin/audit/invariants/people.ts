import { MOST_PEOPLE } from '../../../../lib/people/people.ts';
import {
  acquirerKey,
  identityKey,
  idInPeople,
  type Key,
  membershipKey,
  personKey,
} from '../../../../lib/table/keys.ts';
import { ownerOf } from '../inspect.ts';
import { acrossItems, type Detail, type Invariant, perItem } from '../invariant.ts';
import type { Snapshot } from '../snapshot.ts';

/** Reports a `ttl` in seconds that is not the end of the item. */
const ttlDiffers = (ttl: number, end: string): Detail => {
  const expected = Math.ceil(Date.parse(end) / 1000);
  return ttl !== expected && `Its ttl is ${ttl}; expected ${expected}.`;
};

/** Counts the people and the open invitations of each acquirer. */
function* tooMany(all: Snapshot): Generator<[Key, Detail]> {
  const counts = new Map<string, number>();
  const count = (key: Key) => counts.set(ownerOf(key), (counts.get(ownerOf(key)) ?? 0) + 1);
  const now = new Date().toISOString();
  for (const [, key] of all.of('membership')) count(key);
  for (const [{ expires_at = '' }, key] of all.of('invitation')) if (expires_at > now) count(key);
  for (const [acquirer, found] of counts)
    yield [
      acquirerKey(acquirer),
      found > MOST_PEOPLE && `It has ${found} people and open invitations; expected at most ${MOST_PEOPLE}.`,
    ];
}

/**
 * Invariants of people, their identities and invitations. A session may outlive its person: it does not count then, and
 * expires. Anything else that names a removed person violates one of these.
 */
export const PEOPLE: Invariant[] = [
  {
    name: 'identity_person',
    holds: 'An identity leads to a person who has it.',
    ...acrossItems(['identity'], ({ person: id }, key, all) => {
      if (!id) return;
      const person = all.get('person', personKey(id));
      if (!person) return `There is no person ${id}.`;
      return person.identity && person.identity !== ownerOf(key) && `The person ${id} has another identity.`;
    }),
  },
  {
    name: 'person_identity',
    holds: 'The identity of a person leads to that person.',
    ...acrossItems(['person'], ({ identity }, key, all) => {
      if (!identity) return;
      const found = all.get('identity', identityKey(identity));
      if (!found) return 'Its identity does not exist.';
      return found.person && found.person !== ownerOf(key) && `Its identity leads to the person ${found.person}.`;
    }),
  },
  {
    name: 'membership_person',
    holds: 'One of the people of an acquirer is a person who belongs to it.',
    ...acrossItems(['membership'], (_, key, all) => {
      const { person: id = '' } = idInPeople(key);
      const person = all.get('person', personKey(id));
      if (!person) return `There is no person ${id}.`;
      return person.acquirers && !person.acquirers.has(ownerOf(key)) && `The person ${id} does not have the acquirer.`;
    }),
  },
  {
    name: 'person_membership',
    holds: 'A person is one of the people of each of their acquirers.',
    ...acrossItems(['person'], ({ acquirers = new Set<string>() }, key, all) =>
      [...acquirers].map(
        (acquirer): Detail =>
          !all.get('membership', membershipKey(acquirer, ownerOf(key))) &&
          `It is not one of the people of the acquirer ${acquirer}.`,
      ),
    ),
  },
  {
    name: 'most_people',
    holds: `An acquirer has at most ${MOST_PEOPLE} people and open invitations.`,
    acrossItems: tooMany,
  },
  {
    name: 'invitation_ttl',
    holds: 'The ttl of an invitation is the time when it expires.',
    ...perItem(['invitation'], ({ ttl, expires_at }) => ttlDiffers(ttl, expires_at)),
  },
  {
    name: 'session_ttl',
    holds: 'The ttl of a session is the time when it ends at the latest.',
    ...perItem(['session'], ({ ttl, ends_at }) => ttlDiffers(ttl, ends_at)),
  },
];
