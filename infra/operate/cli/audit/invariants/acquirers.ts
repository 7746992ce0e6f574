import { acquirerKey, apiKeyKey, distributorKey, providerKey } from '../../../../../lib/table/keys.ts';
import { type Invariant, refers } from '../invariant.ts';
import { listedKey } from '../kinds.ts';

/** Invariants of acquirers, partnerships and API keys. */
export const ACQUIRERS: Invariant[] = [
  {
    name: 'provider_link',
    holds: 'A provider link has the id and name of a registered PAYMENT_PROVIDER, which has a distributor link back.',
    ...refers(['provider'], ({ name }, owner, id) => [
      ['acquirer', acquirerKey(id), { type: 'PAYMENT_PROVIDER', name }],
      ['distributor', distributorKey(id, owner)],
    ]),
  },
  {
    name: 'distributor_link',
    holds: 'A distributor link has the id and name of a registered DISTRIBUTOR, which has a provider link back.',
    ...refers(['distributor'], ({ name }, owner, id) => [
      ['acquirer', acquirerKey(id), { type: 'DISTRIBUTOR', name }],
      ['provider', providerKey(id, owner)],
    ]),
  },
  {
    name: 'api_key_listed',
    holds:
      'A valid API key has the data of its acquirer, which is enabled, and of its entry in the list of that acquirer.',
    ...refers(['api_key'], ({ acquirer: { id, type, name, limit }, ...apiKey }, sha256) => [
      [
        'acquirer',
        acquirerKey(id),
        { type, name, limit, disabled_at: undefined, api_keys: listedKey({ sha256, ...apiKey }) },
      ],
    ]),
  },
  {
    name: 'api_key_stored',
    holds: 'An API key in the list of an enabled acquirer is valid until it expires.',
    ...refers(['acquirer'], ({ stored }) => stored.map((sha256) => ['api_key', apiKeyKey(sha256)])),
  },
];
