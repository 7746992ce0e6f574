import { versionOf } from '../../../../../lib/members/cardKeys.ts';
import { MOST_PEOPLE } from '../../../../../lib/people/people.ts';
import * as keys from '../../../../../lib/table/keys.ts';
import { ownerOf } from '../inspect.ts';
import { type Invariants, overall, perItem, type Reference, refers } from '../invariant.ts';
import { listedKey } from '../kinds.ts';

/** The subjects of the operator's record. */
const SUBJECT =
  /^(ACQUIRER#.*|API_KEY#[\da-f]{12}|PERSON#[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|MEMBER#([2-9]\.)?[\da-f]{64}|MEMBERS|ERASURES|CARD_KEYS)$/;

export const ACQUIRERS: Invariants = {
  provider_link: [
    'A provider link has the id and name of a registered PAYMENT_PROVIDER, which has a distributor link back.',
    refers(['provider'], ({ name }, owner, id) => [
      ['acquirer', keys.acquirerKey(id), { type: 'PAYMENT_PROVIDER', name }],
      ['distributor', keys.distributorKey(id, owner)],
    ]),
  ],
  distributor_link: [
    'A distributor link has the id and name of a registered DISTRIBUTOR, which has a provider link back.',
    refers(['distributor'], ({ name }, owner, id) => [
      ['acquirer', keys.acquirerKey(id), { type: 'DISTRIBUTOR', name }],
      ['provider', keys.providerKey(id, owner)],
    ]),
  ],
  api_key_listed: [
    'A valid API key has the data of its acquirer, which is enabled, and of its entry in the list of that acquirer.',
    refers(['api_key'], ({ acquirer: { id, type, name, limit }, ...apiKey }, sha256) => [
      [
        'acquirer',
        keys.acquirerKey(id),
        { type, name, limit, disabled_at: undefined, api_keys: listedKey({ sha256, ...apiKey }) },
      ],
    ]),
  ],
  api_key_stored: [
    'An API key in the list of an enabled acquirer is valid until it expires.',
    refers(['acquirer'], ({ stored }) => stored.map((sha256) => ['api_key', keys.apiKeyKey(sha256)])),
  ],
};

/**
 * Invariants of people, their identities and invitations. A session may outlive its person: it does not count then, and
 * expires. Anything else that names a removed person violates one of these.
 */
export const PEOPLE: Invariants = {
  identity_person: [
    'An identity leads to a person who has it.',
    refers(['identity'], ({ person }, identity) => [['person', keys.personKey(person), { identity }]]),
  ],
  person_identity: [
    'The identity of a person leads to that person, who is one of the people of each of their acquirers.',
    refers(['person'], ({ identity, acquirers }, person) => [
      ['identity', keys.identityKey(identity), { person }],
      ...[...acquirers].map((acquirer): Reference => ['membership', keys.membershipKey(acquirer, person)]),
    ]),
  ],
  membership_person: [
    'One of the people of an acquirer is a person who belongs to it.',
    refers(['membership'], (_, acquirers, sk) => [
      ['person', keys.personKey(keys.idInPeople({ pk: '', sk }).person ?? ''), { acquirers }],
    ]),
  ],
  most_people: [
    `An acquirer has at most ${MOST_PEOPLE} people and open invitations.`,
    overall(function* (all) {
      const now = new Date().toISOString();
      const open = [...all.valid('invitation')].filter(([{ expires_at }]) => expires_at > now);
      const counted = Map.groupBy([...all.of('membership'), ...open], ([, key]) => ownerOf(key));
      for (const [acquirer, { length }] of counted)
        yield [
          keys.acquirerKey(acquirer),
          length > MOST_PEOPLE && `It has ${length} people and open invitations; expected at most ${MOST_PEOPLE}.`,
        ];
    }),
  ],
};

export const RECORD: Invariants = {
  record_subject: [
    "An event in the operator's record is about an acquirer, a key_id, a person's id, a hashed member id, the imports, the erasures, or the card key.",
    perItem(['record'], (_, key) => !SUBJECT.test(ownerOf(key)) && 'Its subject is invalid.'),
  ],
  record_acquirer: [
    "An acquirer in the operator's record is registered.",
    refers(['record'], (_, subject) => {
      const [kind, id = ''] = subject.split('#');
      return [kind === 'ACQUIRER' && ['acquirer', keys.acquirerKey(id)]];
    }),
  ],
};

export const MEMBERS: Invariants = {
  card_listed: [
    'Every card is in the list of its member, so that it can be found and erased. Importing it again adds it.',
    refers(['card'], ({ member_id }, hash) => [['member_card', keys.memberCardKey(member_id, hash)]]),
  ],
  listed_card: [
    'Every card in the list of a member exists and belongs to that member.',
    refers(['member_card'], (_, member_id, sk) => [
      ['card', keys.cardKey(keys.cardHashOf({ pk: '', sk }) ?? ''), { member_id }],
    ]),
  ],
  card_version: [
    'A card and its token are hashed with the same version of the card key.',
    perItem(['card'], ({ pseudo_token_hash }, key) => {
      const [card, token] = [ownerOf(key), pseudo_token_hash].map(versionOf);
      return card !== token && `Its version is ${card}; that of its token is ${token}.`;
    }),
  ],
  reward_period: [
    'A reward becomes valid before it expires.',
    perItem(
      ['reward'],
      ({ valid_from, expires_at }) =>
        valid_from >= expires_at && `It is valid from ${valid_from} and expires at ${expires_at}.`,
    ),
  ],
};
