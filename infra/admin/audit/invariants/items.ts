import { UUID } from '../../../../lib/base/mid.ts';
import { ownerOf, shownKey, unhashedIn } from '../inspect.ts';
import { acquirerOf, acrossItems, type Invariant, isBefore, perItem } from '../invariant.ts';
import { KINDS } from '../kinds.ts';

/** The sort keys of the indexes in infra/table.yml: an item that has one is in that index. */
const INDEX_KEYS = ['provider_position', 'distributor_position', 'branch_order', 'branch_history', 'terminal_history'];

/** The owners of rate limits that are not an acquirer's: a person's id, and a hash of an address that signs in. */
const OWNERS: Record<string, RegExp> = { people: UUID, 'sign-ins': /^[\w-]{22}$/ };

/** Invariants of items of all kinds, or of many. */
export const ITEMS: Invariant[] = [
  {
    name: 'known_kind',
    holds: 'Every item is of a known kind.',
    perItem: ({ kind }) => [!kind && 'No kind of item has such a key.'],
  },
  {
    name: 'form',
    holds: 'Every item has the attributes of its kind, and all of them are valid.',
    perItem: ({ malformed }) => [malformed.length > 0 && `Missing or invalid: ${malformed.join(', ')}.`],
  },
  {
    name: 'key',
    holds: 'The key of an item is derived from its attributes.',
    perItem({ key, kind, attributes, malformed }) {
      if (!kind || malformed.length > 0) return [];
      const expected = KINDS[kind].keyOf(attributes as never, ownerOf(key), key.sk);
      const { pk, sk } = shownKey(expected);
      return [(expected.pk !== key.pk || expected.sk !== key.sk) && `Expected ${pk} / ${sk}.`];
    },
  },
  {
    name: 'hashed',
    holds: 'API keys, idempotency keys, identities, sessions, cards and erased members are stored under their hashes.',
    perItem: ({ key }) => [unhashedIn(key) !== undefined && 'Its pk does not end with a hash.'],
  },
  {
    name: 'index_keys',
    holds: 'An item has no index keys but those of its kind, so the indexes contain nothing else.',
    perItem: ({ others }) =>
      others
        .filter((name) => INDEX_KEYS.includes(name))
        .map((name) => `It has a ${name}, which puts it into an index.`),
  },
  {
    name: 'updated_at',
    holds: 'No acquirer or terminal was changed before it was created.',
    ...perItem(
      ['acquirer', 'terminal'],
      ({ created_at, updated_at }) =>
        isBefore(updated_at, created_at) && `Its updated_at ${updated_at} is before its created_at ${created_at}.`,
    ),
  },
  {
    name: 'rate_limit_owner',
    holds: "A rate limit of people belongs to a person's id, and one of sign-ins to the keyed hash of an address.",
    ...perItem(['rate_limit'], (_, key) => {
      const [owner = '', share = ''] = ownerOf(key).split('#');
      return OWNERS[share] && !OWNERS[share].test(owner) && `Its owner is invalid for the share ${share}.`;
    }),
  },
  {
    name: 'registered',
    holds: 'An item that belongs to an acquirer belongs to a registered one.',
    ...acrossItems(
      [
        ...(['provider', 'distributor', 'payment_app', 'master_acquirer'] as const),
        ...(['master_merchant_entry', 'branch_list', 'branch_list_entry', 'idempotency_key', 'rate_limit'] as const),
        ...(['membership', 'invitation'] as const),
      ],
      (_, key, all) => {
        const [acquirer, share] = ownerOf(key).split('#');
        // Those of other shares belong to no acquirer: see rate_limit_owner.
        if (key.pk.startsWith('RATE_LIMIT#') && share && share in OWNERS) return;
        return !acquirerOf(all, acquirer) && `There is no acquirer ${acquirer}.`;
      },
    ),
  },
];
