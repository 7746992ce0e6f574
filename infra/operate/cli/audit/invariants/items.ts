import { UUID } from '../../../../../lib/base/mid.ts';
import { acquirerKey } from '../../../../../lib/table/keys.ts';
import { ownerOf, shownKey, unhashedIn } from '../inspect.ts';
import { anyItem, type Invariants, perItem, refers } from '../invariant.ts';
import { KINDS, type KindName } from '../kinds.ts';

/** The sort keys of the indexes in infra/stack/table.yml: an item that has one is in that index. */
const INDEX_KEYS = [
  'provider_position',
  'distributor_position',
  'branch_order',
  'branch_history',
  'terminal_history',
  'due_at',
  'refused_request_id',
];

/** The owners of rate limits that are not an acquirer's: a person's id, and a hash of an address that signs in. */
const OWNERS: Record<string, RegExp> = { people: UUID, 'sign-ins': /^[\w-]{22}$/ };

const TOGETHER: [kind: KindName, one: string, other: string][] = [
  ['branch', 'distributor', 'distributor_position'],
  ['branch', 'restored_from', 'restored_at'],
  ['terminal', 'archived_at', 'archive_reason'],
  ['last_seen', 'provider_position', 'branch_order'],
  ['last_seen', 'provider_position', 'payment_provider'],
];

const ORDERS: Record<string, string[]> = {
  acquirer: ['created_at', 'updated_at'],
  branch: ['created_at', 'restored_from', 'restored_at', 'archived_at', 'updated_at'],
  terminal: ['created_at', 'updated_at'],
  webhook: ['created_at', 'updated_at'],
};

/** Invariants of items of all kinds, or of many. */
export const ITEMS: Invariants = {
  known_kind: ['Every item is of a known kind.', anyItem(({ kind }) => [!kind && 'No kind of item has such a key.'])],
  form: [
    'Every item has the attributes of its kind, and all of them are valid.',
    anyItem(({ malformed }) => [malformed.length > 0 && `Missing or invalid: ${malformed.join(', ')}.`]),
  ],
  key: [
    'The key of an item is derived from its attributes.',
    anyItem(({ key, kind, attributes, malformed }) => {
      if (!kind || malformed.length > 0) return [];
      const expected = KINDS[kind].keyOf(attributes as never, ownerOf(key), key.sk);
      const { pk, sk } = shownKey(expected);
      return [(expected.pk !== key.pk || expected.sk !== key.sk) && `Expected ${pk} / ${sk}.`];
    }),
  ],
  hashed: [
    'API keys, idempotency keys, identities, sessions, cards and erased members are stored under their hashes.',
    anyItem(({ key }) => [unhashedIn(key) !== undefined && 'Its pk does not end with a hash.']),
  ],
  index_keys: [
    'An item has no index keys but those of its kind, so the indexes contain nothing else.',
    anyItem(({ others }) =>
      others
        .filter((name) => INDEX_KEYS.includes(name))
        .map((name) => `It has a ${name}, which puts it into an index.`),
    ),
  ],
  derived: [
    'An attribute that derives from others, or from the key, has their value.',
    anyItem(({ key, kind, attributes, malformed }) => {
      const derive: ((...args: never[]) => object) | undefined = kind && KINDS[kind].derive;
      if (!derive || malformed.length > 0 || unhashedIn(key) !== undefined) return [];
      const derived = derive(attributes as never, ownerOf(key) as never, key.sk as never);
      return Object.entries(derived).map(([name, expected]) => {
        const is = attributes[name];
        return is !== expected && `Its ${name} is ${is ?? 'absent'}; expected ${expected ?? 'absent'}.`;
      });
    }),
  ],
  together: [
    'Of attributes that belong together, an item has both or none.',
    anyItem(({ kind, attributes, malformed }) => {
      const has = (name: string) => attributes[name] !== undefined;
      return TOGETHER.map(
        ([of, one, other]) =>
          of === kind && malformed.length === 0 && has(one) !== has(other) && `It has only one of ${one} and ${other}.`,
      );
    }),
  ],
  times: [
    'The times of an item are in their order.',
    anyItem(({ kind, attributes, malformed }) => {
      const times = attributes as Record<string, string>;
      const known = ORDERS[kind ?? 'unknown']?.filter((name) => times[name]) ?? [];
      if (malformed.length > 0) return [];
      return known.map((name, at) => {
        const before = known[at - 1] ?? name;
        const [time = '', timeBefore = ''] = [times[name], times[before]];
        return time < timeBefore && `Its ${name} ${time} is before its ${before} ${timeBefore}.`;
      });
    }),
  ],
  rate_limit_owner: [
    "A rate limit of people belongs to a person's id, and one of sign-ins to the keyed hash of an address.",
    perItem(['rate_limit'], (_, key) => {
      const [owner = '', share = ''] = ownerOf(key).split('#');
      return OWNERS[share] && !OWNERS[share].test(owner) && `Its owner is invalid for the share ${share}.`;
    }),
  ],
  registered: [
    'An item that belongs to an acquirer belongs to a registered one.',
    refers(
      [
        ...(['provider', 'distributor', 'payment_app', 'master_acquirer'] as const),
        ...(['master_merchant_entry', 'branch_list', 'branch_list_entry', 'idempotency_key', 'rate_limit'] as const),
        ...(['membership', 'invitation', 'webhook'] as const),
      ],
      (_, owner, sk) => {
        const [acquirer = '', share = ''] = owner.split('#');
        // Those of other shares belong to no acquirer: see rate_limit_owner.
        return [(sk !== 'RATE_LIMIT' || !(share in OWNERS)) && ['acquirer', acquirerKey(acquirer)]];
      },
    ),
  ],
};
