import type { AcquirerType } from '../../../../lib/acquirers/acquirer.ts';
import { apiKeyKey, distributorKey, type Key, providerKey } from '../../../../lib/table/keys.ts';
import { ownerOf, unhashedIn } from '../inspect.ts';
import {
  acquirerOf,
  acrossItems,
  differingNames,
  differs,
  type Invariant,
  isBefore,
  noAcquirer,
  perItem,
} from '../invariant.ts';

/** The id of an API key: the beginning of its hash. */
const keyIdOf = (sha256: string): string => sha256.slice(0, 12);

/**
 * The invariant of one side of a partnership.
 *
 * @param side The partner's role.
 * @param back The role of the acquirer in the partner's link back, and that link's key.
 */
const partnership = (
  side: 'provider' | 'distributor',
  type: AcquirerType,
  back: { side: 'provider' | 'distributor'; keyOf: (partner: string, acquirer: string) => Key },
): Invariant => ({
  name: `${side}_link`,
  holds: `A ${side} link has the id and name of a registered ${type}, which has a ${back.side} link back.`,
  ...acrossItems([side], ({ name }, key, all) => {
    const partner = key.sk;
    const registered = acquirerOf(all, partner);
    return [
      noAcquirer(all, partner, type),
      name !== undefined &&
        registered &&
        name !== registered.name &&
        `Its name differs from that of the acquirer ${partner}.`,
      !all.get(back.side, back.keyOf(partner, ownerOf(key))) && `The acquirer ${partner} has no link back.`,
    ];
  }),
});

/** Invariants of acquirers, partnerships and API keys. */
export const ACQUIRERS: Invariant[] = [
  partnership('provider', 'PAYMENT_PROVIDER', { side: 'distributor', keyOf: distributorKey }),
  partnership('distributor', 'DISTRIBUTOR', { side: 'provider', keyOf: providerKey }),
  {
    name: 'key_id',
    holds: 'The key_id of an API key is the beginning of its hash.',
    ...perItem(
      ['api_key'],
      ({ key_id }, key) => unhashedIn(key) === undefined && differs('key_id', key_id, keyIdOf(ownerOf(key))),
    ),
  },
  {
    name: 'listed_key_id',
    holds: "The key_id in an acquirer's list of API keys is the beginning of the hash.",
    ...perItem(['acquirer'], ({ api_keys = [] }) =>
      api_keys.map(
        ({ key_id, sha256 }) =>
          key_id !== keyIdOf(sha256) && `It lists the key_id ${key_id}; expected ${keyIdOf(sha256)}.`,
      ),
    ),
  },
  {
    name: 'api_key_ttl',
    holds: 'The ttl of an API key is the time when it expires; an API key that does not expire has none.',
    ...perItem(['api_key'], ({ expires_at, ttl }) => {
      const expected = expires_at && Math.ceil(Date.parse(expires_at) / 1000);
      return ttl !== expected && `Its ttl is ${ttl ?? 'missing'}; expected ${expected ?? 'none'}.`;
    }),
  },
  {
    name: 'api_key_listed',
    holds: 'A valid API key is in the list of its acquirer.',
    ...acrossItems(['api_key'], ({ acquirer }, key, all) => {
      const lists = acquirerOf(all, acquirer?.id)?.api_keys.some(({ sha256 }) => sha256 === ownerOf(key));
      return acquirer && !lists && `The acquirer ${acquirer.id} does not list it.`;
    }),
  },
  {
    name: 'api_key_alike',
    holds: 'An API key has the type, name and limit of its acquirer, and the data of its entry in the list.',
    ...acrossItems(['api_key'], ({ acquirer, ...apiKey }, key, all) => {
      const registered = acquirerOf(all, acquirer?.id);
      const listed = registered?.api_keys.find(({ sha256 }) => sha256 === ownerOf(key));
      if (!acquirer || !registered || !listed) return;
      const names = [
        ...differingNames(['type', 'name'], acquirer, registered),
        ...differingNames(['rate', 'burst'], acquirer.limit ?? {}, registered.limit ?? {}),
        ...differingNames(['key_id', 'label', 'role', 'expires_at'], apiKey, listed),
      ];
      return names.length > 0 && `It differs from the acquirer ${acquirer.id} in ${names.join(', ')}.`;
    }),
  },
  {
    name: 'api_key_disabled',
    holds: 'No API key of a disabled acquirer is valid.',
    ...acrossItems(['api_key'], ({ acquirer }, _, all) => {
      const disabled_at = acquirerOf(all, acquirer?.id)?.disabled_at;
      return disabled_at && `The acquirer ${acquirer?.id} has been disabled since ${disabled_at}.`;
    }),
  },
  {
    name: 'api_key_stored',
    holds: 'An API key in the list of an enabled acquirer is valid until it expires.',
    // DynamoDB deletes expired keys late, so the item of one may or may not exist.
    ...acrossItems(['acquirer'], ({ api_keys, disabled_at }, _, all) =>
      api_keys.map(
        ({ sha256, key_id, expires_at }) =>
          !disabled_at &&
          !isBefore(expires_at, new Date().toISOString()) &&
          !all.get('api_key', apiKeyKey(sha256)) &&
          `It lists the API key ${key_id}, which has no item.`,
      ),
    ),
  },
];
