import type { Acquirer } from '../acquirers/acquirer.ts';
import { allDone } from '../aws/retry.ts';
import { validationFailed } from '../base/problem.ts';
import { laterThan } from '../base/time.ts';
import { type Author, type Decision, RESERVED_STEPS } from '../events/decision.ts';
import { getGroups } from '../table/client.ts';
import { branchKey, branchListEntryKey, distributorKey, providerKey } from '../table/keys.ts';
import { deletionsOf } from '../table/tombstone.ts';
import { type Claim, claim, put, takenOf } from '../table/transaction.ts';
import { newEntrySteps, tryIndex } from '../table/wordEntries.ts';
import { type Branch, toBranch, viewsOf } from './branch.ts';
import type { BranchDetails } from './branchDetails.ts';
import { packedOrders } from './branchTerminals.ts';
import { searchablesOf } from './branchWords.ts';
import {
  type MasterMerchant,
  masterMerchantKeys,
  masterMerchantOf,
  type SentMasterMerchant,
} from './masterMerchant.ts';
import { keysOfNewTerminals, newTerminals } from './newTerminals.ts';
import { type ListOwner, trySealAtRandom } from './ranks.ts';
import { type CreatedBranch, type TerminalInput, toTerminal } from './terminal.ts';

export interface BranchInput {
  mid: string;
  details: BranchDetails;
  /** The branch's acquirers. The caller is one of them. */
  payment_provider: string;
  distributor?: string | undefined;
  master_merchant: SentMasterMerchant;
  terminals: TerminalInput[];
}

/** The key of the partnership with the branch's other acquirer, if any, which must be the caller's partner. */
const partnershipOf = ({ type, id }: Acquirer, { payment_provider, distributor }: BranchInput) => {
  const isDistributor = type === 'DISTRIBUTOR';
  if (!isDistributor && !distributor) return undefined;
  const key = isDistributor ? providerKey(id, payment_provider) : distributorKey(id, distributor as string);
  const pointer = isDistributor ? '/payment_provider' : '/distributor';
  return { key, fieldError: { pointer, code: 'not_a_partner', detail: 'Must be the UUID of one of your partners.' } };
};

const listsOf = ({ payment_provider, distributor }: BranchInput): ListOwner[] => [
  { id: payment_provider, type: 'PAYMENT_PROVIDER' },
  ...(distributor ? [{ id: distributor, type: 'DISTRIBUTOR' } as const] : []),
];

/**
 * Decides to create a branch, its terminals and, if it is new, its master merchant. Two creates conflict only if they
 * have a MID, terminal_id, serial or new master merchant in common, or are the first to share a master merchant with a
 * distributor.
 *
 * @throws Problem `validation_failed` with every field that is taken, that names something which the caller may not
 *   use, or that differs from the stored master merchant. If the other acquirer is not a partner, that is the only
 *   field error, so that the response reveals nothing about others' data.
 */
export async function decideCreateBranch(author: Author, input: BranchInput): Promise<Decision<CreatedBranch>> {
  // Read
  const { acquirer } = author;
  const { mid, payment_provider, distributor } = input;
  const partnership = partnershipOf(acquirer, input);
  const { found, tombstones } = await getGroups<{
    branch: [Branch];
    partner: [object];
    masterMerchant: [MasterMerchant, object];
    terminals: unknown[];
  }>({
    branch: [branchKey(mid)],
    partner: [partnership?.key],
    masterMerchant: masterMerchantKeys(input),
    terminals: keysOfNewTerminals(acquirer, input.terminals),
  });

  // Decide
  if (partnership && !found.partner[0]) throw validationFailed([partnership.fieldError]);
  const at = laterThan(...deletionsOf(tombstones));
  const business = masterMerchantOf(acquirer, input, found.masterMerchant);
  const { terminals, ...ofTerminals } = newTerminals(author, mid, input.terminals, at, found.terminals);
  const position = Date.parse(at);
  const branch: Branch = {
    mid,
    ...input.details,
    existing_master_merchant: business.masterMerchant.uuid,
    master_merchant_id: business.masterMerchant.master_merchant_id,
    master_merchant_name: business.masterMerchant.name,
    payment_provider,
    provider_position: position,
    distributor,
    distributor_position: distributor ? position : undefined,
    terminals: packedOrders(terminals),
    terminals_changed_at: at,
    created_at: at,
    updated_at: at,
  };
  const branchClaim: Claim = {
    key: branchKey(mid),
    attributes: branch,
    taken: { pointer: '/mid', code: 'taken', detail: 'Another branch has this MID.' },
  };
  const fieldErrors = [...takenOf([branchClaim], found.branch), ...business.fieldErrors, ...ofTerminals.fieldErrors];
  if (fieldErrors.length > 0) throw validationFailed(fieldErrors);

  // What commit writes, in one transaction
  const data = { ...toBranch(branch), terminals: terminals.map((terminal) => toTerminal({ terminal, branch })) };
  const lists = listsOf(input);
  const steps = [
    claim(branchClaim),
    ...business.steps,
    ...lists.map(({ id }) => put(branchListEntryKey(id, at, mid), {})),
    ...ofTerminals.claims.map(claim),
  ];
  const words = newEntrySteps([...searchablesOf(branch), ...business.searchables], steps.length + RESERVED_STEPS);
  return {
    data,
    change: {
      steps: [...steps, ...words.steps],
      at,
      terminals,
      views: viewsOf(branch, { type: 'branch.created', data }),
      // Not before the partnership is checked: a list of an acquirer that is not a partner must not even be read.
      meanwhile: () => trySealAtRandom(lists),
      afterwards: () => allDone(words.unindexed.map(tryIndex)),
    },
  };
}
