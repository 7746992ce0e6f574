import { ownerOf, shownKey, unhashedIn } from '../inspect.ts';
import { acquirerOf, alone, type Invariant, isBefore, together } from '../invariant.ts';
import { KINDS } from '../kinds.ts';

/** By these, items are in the indexes: infra/table.yml. */
const INDEX_KEYS = ['provider_position', 'distributor_position', 'branch_order', 'branch_history', 'terminal_history'];

/** What holds of items of all kinds, or of many. */
export const ITEMS: Invariant[] = [
  {
    name: 'known_kind',
    holds: 'Each item is of a kind that the service knows.',
    alone: ({ kind }) => [!kind && 'There is no kind of items with such a key.'],
  },
  {
    name: 'form',
    holds: 'Each item has the attributes of its kind, each in its form.',
    alone: ({ malformed }) => [malformed.length > 0 && `Missing or not in its form: ${malformed.join(', ')}.`],
  },
  {
    name: 'key',
    holds: 'The key of an item is what its attributes make of it.',
    alone({ key, kind, attributes, malformed }) {
      if (!kind || malformed.length > 0) return [];
      const right = KINDS[kind].keyOf(attributes as never, ownerOf(key), key.sk);
      const { pk, sk } = shownKey(right);
      return [(right.pk !== key.pk || right.sk !== key.sk) && `${pk} / ${sk} would be right.`];
    },
  },
  {
    name: 'hashed',
    holds: 'API keys, idempotency keys, cards and erased members are stored under their hashes.',
    alone: ({ key }) => [unhashedIn(key) !== undefined && 'Its pk does not end with a hash.'],
  },
  {
    name: 'index_keys',
    holds: 'Only branches have positions and only terminals a branch_order, so that the indexes hold nothing else.',
    alone: ({ others }) =>
      others.filter((name) => INDEX_KEYS.includes(name)).map((name) => `It has a ${name}, and is in an index by that.`),
  },
  {
    name: 'updated_at',
    holds: 'Nothing was changed before it was created.',
    ...alone(
      ['acquirer', 'branch', 'terminal'],
      ({ created_at, updated_at }) =>
        isBefore(updated_at, created_at) && `Its updated_at ${updated_at} is before its created_at ${created_at}.`,
    ),
  },
  {
    name: 'registered',
    holds: 'What belongs to an acquirer belongs to one that is registered.',
    ...together(
      [
        ...(['provider', 'distributor', 'payment_app', 'master_acquirer'] as const),
        ...(['master_merchant_entry', 'branch_list', 'branch_list_entry', 'idempotency_key', 'rate_limit'] as const),
      ],
      (_, key, all) => {
        const [acquirer] = ownerOf(key).split('#');
        return !acquirerOf(all, acquirer) && `There is no acquirer ${acquirer}.`;
      },
    ),
  },
];
