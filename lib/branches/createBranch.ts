import type * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { allDone, retrying } from '../aws/retry.ts';
import { validationFailed } from '../base/problem.ts';
import { laterThan } from '../base/time.ts';
import { extend, field, listOf } from '../base/values.ts';
import { type Author, eventSteps } from '../events/event.ts';
import { getItemsAndTombstones } from '../table/client.ts';
import { branchKey, branchListEntryKey, distributorKey, providerKey } from '../table/keys.ts';
import { newEntrySteps, tryIndex } from '../table/searchEntries.ts';
import { deletionsOf } from '../table/tombstone.ts';
import { type Claim, claim, type ExtraSteps, put, takenOf, transact } from '../table/transaction.ts';
import { claimKeys, claimsOf, references, unknownOf } from '../terminals/claims.ts';
import { newTerminals } from '../terminals/createTerminals.ts';
import { shownTerminal, type TerminalInBranch, type TerminalInput, toTerminal } from '../terminals/terminal.ts';
import { type Branch, type BranchDetails, shownBranch, toBranch, viewsOf } from './branch.ts';
import { listed } from './branchTerminals.ts';
import { searchablesOf } from './branchWords.ts';
import * as masterMerchants from './masterMerchant.ts';
import { type ListOwner, trySealAtRandom } from './ranks.ts';

/** The validated input of a create. */
export interface BranchInput {
  mid: string;
  details: BranchDetails;
  /** The branch's acquirers. The caller is one of them. */
  payment_provider: string;
  distributor?: string | undefined;
  master_merchant: masterMerchants.Owner;
  terminals: TerminalInput[];
}

/**
 * The key of the partnership with the other acquirer of the branch, which must be the caller's partner; `undefined` if
 * there is none.
 */
const partnershipOf = ({ type, id }: Acquirer, { payment_provider, distributor }: BranchInput) => {
  const isDistributor = type === 'DISTRIBUTOR';
  if (!isDistributor && !distributor) return undefined;
  const key = isDistributor ? providerKey(id, payment_provider) : distributorKey(id, distributor as string);
  const pointer = isDistributor ? '/payment_provider' : '/distributor';
  return { key, fieldError: { pointer, code: 'not_a_partner', detail: 'Must be the UUID of one of your partners.' } };
};

/** The branch lists of a new branch: its payment provider's and its distributor's. */
const listsOf = ({ payment_provider, distributor }: BranchInput): ListOwner[] => [
  { id: payment_provider, type: 'PAYMENT_PROVIDER' },
  ...(distributor ? [{ id: distributor, type: 'DISTRIBUTOR' } as const] : []),
];

/** A new branch, and its terminals in the order of the request. */
export interface CreatedBranch {
  branch: Branch;
  terminals: TerminalInBranch[];
}

/** The response of a create: the branch with its terminals. */
export const shownCreatedBranch = extend(shownBranch, {
  terminals: field(
    listOf(shownTerminal, 40),
    'Terminals of the branch, in the order of the request. Each `terminal_id` and `serial_no` must be unique within the request.',
  ),
});

export const toCreatedBranch = ({ branch, terminals }: CreatedBranch): v.InferOutput<typeof shownCreatedBranch> => ({
  ...toBranch(branch),
  terminals: terminals.map(toTerminal),
});

/**
 * Creates a branch, its terminals and, if it is new, its master merchant, in one transaction. Two creates conflict only
 * if they have a MID, terminal_id, serial or new master merchant in common, or are the first to share a master merchant
 * with a distributor.
 *
 * @param extraSteps Makes further steps of the transaction.
 * @throws Problem `validation_failed` with every field that is taken, that names something which the caller may not
 *   use, or that differs from the stored master merchant. If the other acquirer is not a partner, that is the only
 *   field error, so that the response reveals nothing about others' data.
 */
export async function createBranch(
  author: Author,
  input: BranchInput,
  extraSteps: ExtraSteps<CreatedBranch> = () => [],
): Promise<CreatedBranch> {
  const { acquirer } = author;
  return retrying(async () => {
    const { mid, payment_provider, distributor } = input;
    const partnership = partnershipOf(acquirer, input);
    const wanted = input.terminals.flatMap((terminal, at) => references(acquirer, terminal, `/terminals/${at}`));
    const {
      items: [branchFound, isPartner, owner, distributorEntry, ...found],
      tombstones,
    } = await getItemsAndTombstones<[Branch, object, masterMerchants.MasterMerchant, object, ...object[]]>([
      branchKey(mid),
      partnership?.key,
      ...masterMerchants.ownerKeys(input),
      ...wanted.map(({ key }) => key),
      ...input.terminals.flatMap(claimKeys),
    ]);
    if (partnership && !isPartner) throw validationFailed([partnership.fieldError]);

    const business = masterMerchants.ownerOf(acquirer, input, [owner, distributorEntry]);
    const created_at = laterThan(...deletionsOf(tombstones));
    const terminals = newTerminals(author, input.terminals, mid, created_at);
    const terminalClaims = terminals.flatMap((terminal, at) => claimsOf(terminal, `/terminals/${at}`));
    const position = Date.parse(created_at);
    const branch: Branch = {
      mid,
      ...input.details,
      existing_master_merchant: business.owner.uuid,
      master_merchant_id: business.owner.master_merchant_id,
      master_merchant_name: business.owner.name,
      payment_provider,
      provider_position: position,
      distributor,
      distributor_position: distributor ? position : undefined,
      terminals: listed(terminals),
      terminals_changed_at: created_at,
      created_at,
      updated_at: created_at,
    };
    const branchClaim: Claim = {
      key: branchKey(mid),
      attributes: branch,
      taken: { pointer: '/mid', code: 'taken', detail: 'Another branch has this MID.' },
    };
    const fieldErrors = [
      ...takenOf([branchClaim], [branchFound]),
      ...business.fieldErrors,
      ...unknownOf(wanted, found),
      ...takenOf(terminalClaims, found.slice(wanted.length)),
    ];
    if (fieldErrors.length > 0) throw validationFailed(fieldErrors);

    const created = { branch, terminals: terminals.map((terminal) => ({ terminal, branch })) };
    const views = viewsOf(branch, { type: 'branch.created', data: toCreatedBranch(created) });
    const steps = [
      ...extraSteps(created),
      claim(branchClaim),
      ...business.steps,
      ...listsOf(input).map(({ id }) => put(branchListEntryKey(id, created_at, mid), {})),
      ...terminalClaims.map(claim),
      ...eventSteps(author, { at: created_at, terminals, views }),
    ];
    const searchables = [...searchablesOf(branch), ...business.searchables];
    const entries = newEntrySteps(searchables, steps.length);
    const write = transact([...steps, ...entries.steps]);
    // Only now, because a list of an acquirer that is not a partner must not even be read.
    await allDone([write, trySealAtRandom(listsOf(input))]);
    await allDone(entries.unindexed.map(tryIndex));
    return created;
  });
}
