import { MOST_PEOPLE } from '../../../../../lib/people/people.ts';
import {
  acquirerKey,
  identityKey,
  idInPeople,
  type Key,
  membershipKey,
  personKey,
} from '../../../../../lib/table/keys.ts';
import { ownerOf } from '../inspect.ts';
import { type Detail, type Invariant, type Reference, refers } from '../invariant.ts';
import type { Snapshot } from '../snapshot.ts';

/** Counts the people and the open invitations of each acquirer. */
function* tooMany(all: Snapshot): Generator<[Key, Detail]> {
  const now = new Date().toISOString();
  const open = [...all.valid('invitation')].filter(([{ expires_at }]) => expires_at > now);
  const counted = Map.groupBy([...all.of('membership'), ...open], ([, key]) => ownerOf(key));
  for (const [acquirer, { length }] of counted)
    yield [
      acquirerKey(acquirer),
      length > MOST_PEOPLE && `It has ${length} people and open invitations; expected at most ${MOST_PEOPLE}.`,
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
    ...refers(['identity'], ({ person }, identity) => [['person', personKey(person), { identity }]]),
  },
  {
    name: 'person_identity',
    holds: 'The identity of a person leads to that person, who is one of the people of each of their acquirers.',
    ...refers(['person'], ({ identity, acquirers }, person) => [
      ['identity', identityKey(identity), { person }],
      ...[...acquirers].map((acquirer): Reference => ['membership', membershipKey(acquirer, person)]),
    ]),
  },
  {
    name: 'membership_person',
    holds: 'One of the people of an acquirer is a person who belongs to it.',
    ...refers(['membership'], (_, acquirers, sk) => [
      ['person', personKey(idInPeople({ pk: '', sk }).person ?? ''), { acquirers }],
    ]),
  },
  {
    name: 'most_people',
    holds: `An acquirer has at most ${MOST_PEOPLE} people and open invitations.`,
    acrossItems: tooMany,
  },
];
