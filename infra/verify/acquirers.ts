import type { Acquirer } from '../../lib/acquirers/acquirer.ts';
import type { KeyRole } from '../../lib/acquirers/roles.ts';
import type { Limit } from '../../lib/base/limit.ts';
import type { Request } from '../contract/calls.ts';

/*
 * The acquirers of `npm run verify`. Their ids never change, so that runs do not accumulate acquirers. Between runs they are
 * disabled.
 */

const acquirer = (number: number, type: Acquirer['type'], name: string, limit?: Limit): Acquirer => ({
  id: `7e51f1ca-0000-4000-8000-00000000000${number}`,
  type,
  name: `Verification ${name}`,
  ...(limit && { limit }),
});

/** The distributors have the stage's limit, so that it is verified too. */
export const ACQUIRERS = {
  provider: acquirer(1, 'PAYMENT_PROVIDER', 'provider', { rate: 100, burst: 600 }),
  distributor: acquirer(2, 'DISTRIBUTOR', 'distributor'),
  otherProvider: acquirer(3, 'PAYMENT_PROVIDER', 'other provider', { rate: 100, burst: 600 }),
  otherDistributor: acquirer(4, 'DISTRIBUTOR', 'other distributor'),
  limited: acquirer(5, 'PAYMENT_PROVIDER', 'limited provider', { rate: 1, burst: 5 }),
} satisfies Record<string, Acquirer>;

export const PARTNERSHIPS: [distributor: keyof typeof ACQUIRERS, provider: keyof typeof ACQUIRERS][] = [
  ['distributor', 'provider'],
  ['otherDistributor', 'otherProvider'],
];

/** Names that their terminals may have. */
export const PAYMENT_APP = 'Verification app';
export const MASTER_ACQUIRER = 'Verification acquirer';

/** The label of their API keys. */
export const LABEL = 'verification';

/** The member that their checks identify. */
export const MEMBER = 'verification-member';

/** An acquirer in whose name requests are sent, with its API keys by role. */
export interface Party extends Acquirer {
  keys: Partial<Record<KeyRole, string>> & { full: string };
}

/** The acquirers of a run. Only the first two are known without operator access. */
export interface Parties {
  provider: Party;
  distributor: Party;
  /** Partners of each other only. Nothing but the case of seals lists their branches. */
  otherProvider?: Party;
  otherDistributor?: Party;
  /** With a rate limit of a few requests. */
  limited?: Party;
}

/** A session of one of the provider's people. */
export type PersonSession = NonNullable<Request['session']>;
