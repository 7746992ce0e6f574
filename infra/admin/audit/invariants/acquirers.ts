import type { AcquirerType } from '../../../../lib/acquirer.ts';
import { apiKeyKey, distributorKey, type Key, providerKey } from '../../../../lib/table/keys.ts';
import { ownerOf, unhashedIn } from '../inspect.ts';
import { acquirerOf, alone, differs, type Invariant, isBefore, noAcquirer, together, unlike } from '../invariant.ts';

/** What names an API key. */
const keyIdOf = (sha256: string): string => sha256.slice(0, 12);

/**
 * What holds of a partnership as one of the two has it.
 *
 * @param side What the partner is to it.
 * @param back The key of the partner's own link.
 */
const partnership = (
  side: 'provider' | 'distributor',
  type: AcquirerType,
  back: { side: 'provider' | 'distributor'; keyOf: (partner: string, acquirer: string) => Key },
): Invariant => ({
  name: `${side}_link`,
  holds: `What an acquirer has as ${side} is a ${type}, is called so, and has it as ${back.side}.`,
  ...together([side], ({ name }, key, all) => {
    const partner = key.sk;
    const registered = acquirerOf(all, partner);
    return [
      noAcquirer(all, partner, type),
      name !== undefined && registered && name !== registered.name && `It is not called as the acquirer ${partner} is.`,
      !all.get(back.side, back.keyOf(partner, ownerOf(key))) && `The acquirer ${partner} does not have it.`,
    ];
  }),
});

/** What holds of acquirers, partnerships and API keys. */
export const ACQUIRERS: Invariant[] = [
  partnership('provider', 'PAYMENT_PROVIDER', { side: 'distributor', keyOf: distributorKey }),
  partnership('distributor', 'DISTRIBUTOR', { side: 'provider', keyOf: providerKey }),
  {
    name: 'key_id',
    holds: 'The key_id of an API key is the beginning of its hash.',
    ...alone(
      ['api_key'],
      ({ key_id }, key) => unhashedIn(key) === undefined && differs('key_id', key_id, keyIdOf(ownerOf(key))),
    ),
  },
  {
    name: 'listed_key_id',
    holds: 'So is that of an API key on the list of its acquirer.',
    ...alone(['acquirer'], ({ api_keys = [] }) =>
      api_keys.map(
        ({ key_id, sha256 }) =>
          key_id !== keyIdOf(sha256) && `It lists the key_id ${key_id}; ${keyIdOf(sha256)} would be right.`,
      ),
    ),
  },
  {
    name: 'api_key_ttl',
    holds: 'The table deletes an API key that has expired, and no other.',
    ...alone(['api_key'], ({ expires_at, ttl }) => {
      const right = expires_at && Math.ceil(Date.parse(expires_at) / 1000);
      return ttl !== right && `Its ttl is ${ttl ?? 'missing'}; ${right ?? 'none'} would be right.`;
    }),
  },
  {
    name: 'api_key_listed',
    holds: 'An API key that lets in is on the list of its acquirer.',
    ...together(['api_key'], ({ acquirer }, key, all) => {
      const lists = acquirerOf(all, acquirer?.id)?.api_keys.some(({ sha256 }) => sha256 === ownerOf(key));
      return acquirer && !lists && `The acquirer ${acquirer.id} does not list it.`;
    }),
  },
  {
    name: 'api_key_alike',
    holds: 'An API key says of itself and its acquirer what the acquirer says.',
    ...together(['api_key'], ({ acquirer, ...apiKey }, key, all) => {
      const registered = acquirerOf(all, acquirer?.id);
      const listed = registered?.api_keys.find(({ sha256 }) => sha256 === ownerOf(key));
      if (!acquirer || !registered || !listed) return;
      const names = [
        ...unlike(['type', 'name'], acquirer, registered),
        ...unlike(['rate', 'burst'], acquirer.limit ?? {}, registered.limit ?? {}),
        ...unlike(['key_id', 'label', 'expires_at'], apiKey, listed),
      ];
      return names.length > 0 && `The acquirer ${acquirer.id} has another ${names.join(', ')}.`;
    }),
  },
  {
    name: 'api_key_disabled',
    holds: 'No API key lets a disabled acquirer in.',
    ...together(['api_key'], ({ acquirer }, _, all) => {
      const disabled_at = acquirerOf(all, acquirer?.id)?.disabled_at;
      return disabled_at && `The acquirer ${acquirer?.id} is disabled since ${disabled_at}.`;
    }),
  },
  {
    name: 'api_key_stored',
    holds: 'An API key on the list of an acquirer that is not disabled lets in until it expires.',
    // One that has expired may still be there, or not: the table deletes late.
    ...together(['acquirer'], ({ api_keys, disabled_at }, _, all) =>
      api_keys.map(
        ({ sha256, key_id, expires_at }) =>
          !disabled_at &&
          !isBefore(expires_at, new Date().toISOString()) &&
          !all.get('api_key', apiKeyKey(sha256)) &&
          `It lists the API key ${key_id}, of which there is no item.`,
      ),
    ),
  },
];
