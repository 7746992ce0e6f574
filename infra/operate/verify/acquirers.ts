import type { Acquirer } from '../../../lib/acquirers/acquirer.ts';
import type { Limit } from '../../../lib/base/rateAndBurst.ts';
import { ACQUIRERS, type Acquirers } from '../../publish/contract/calls.ts';

/*
 * The acquirers of `npm run verify`, in place of those of the contract's stories. Their ids never change, so that runs do not
 * accumulate acquirers. Between runs they are disabled.
 */

const acquirer = (number: number, { type }: Acquirer, name: string, limit?: Limit): Acquirer => ({
  id: `7e51f1ca-0000-4000-8000-00000000000${number}`,
  type,
  name: `Verification ${name}`,
  ...(limit && { limit }),
});

/** Enough for a story without a pause. Distributors have the stage's limit. */
const HIGH_LIMIT = { rate: 100, burst: 600 };

const { payfair, northgate, trustcard, limited } = ACQUIRERS;

export const PARTNERS: Acquirers = {
  payfair: acquirer(1, payfair, 'provider', HIGH_LIMIT),
  northgate: acquirer(2, northgate, 'distributor'),
  trustcard: acquirer(3, trustcard, 'other provider', HIGH_LIMIT),
  limited: acquirer(5, limited, 'limited provider'),
};

/** In the story of the console. They are others, because it shows all keys, people and events of an acquirer. */
export const OF_CONSOLE: Acquirers<'payfair' | 'northgate' | 'limited'> = {
  payfair: acquirer(6, payfair, 'console provider', HIGH_LIMIT),
  northgate: acquirer(7, northgate, 'console distributor'),
  limited: acquirer(8, limited, 'console limited provider'),
};

/** The member that checks identify. */
export const MEMBER = 'verification-member';
