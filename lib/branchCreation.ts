import * as v from 'valibot';
import type { Acquirer } from './acquirer.ts';
import { validationFailed } from './base/problem.ts';
import { laterThan } from './base/time.ts';
import { field, listOf } from './base/values.ts';
import { type Branch, type BranchDetails, shownBranch, toBranch, viewsOf } from './branch.ts';
import { type ListOwner, tidyUp } from './branchRanks.ts';
import { type Author, record } from './event.ts';
import * as masterMerchants from './masterMerchant.ts';
import { getItemsAndTombstones } from './table/client.ts';
import { branchKey, branchListEntryKey, distributorKey, providerKey } from './table/keys.ts';
import { allDone, retrying } from './table/retry.ts';
import { deletionsOf } from './table/tombstone.ts';
import { type Alongside, type Claim, claim, put, takenOf, transact } from './table/transaction.ts';
import { shownTerminal, type TerminalInBranch, type TerminalInput, toTerminal } from './terminal.ts';
import { claimKeys, claimsOf, references, unknownOf } from './terminalClaims.ts';
import { added } from './terminalCount.ts';
import { newTerminals } from './terminalCreation.ts';

/** What a create says of the new branch, once it is validated. */
export interface BranchInput {
  mid: string;
  details: BranchDetails;
  /** The branch's two acquirers, of which the caller is one. */
  payment_provider: string;
  distributor?: string | undefined;
  master_merchant: masterMerchants.Owner;
  terminals: TerminalInput[];
}

/** The other acquirer that a caller names must be its partner; the partnership stands under the caller. */
const partnershipOf = ({ type, id }: Acquirer, { payment_provider, distributor }: BranchInput) => {
  const isDistributor = type === 'DISTRIBUTOR';
  if (!isDistributor && !distributor) return undefined;
  const key = isDistributor ? providerKey(id, payment_provider) : distributorKey(id, distributor as string);
  const pointer = isDistributor ? '/payment_provider' : '/distributor';
  return { key, fieldError: { pointer, code: 'not_a_partner', detail: 'Not the UUID of one of your partners.' } };
};

/** The lists that a branch is in: its payment provider's and its distributor's. */
const listsOf = ({ payment_provider, distributor }: BranchInput): ListOwner[] => [
  { id: payment_provider, type: 'PAYMENT_PROVIDER' },
  ...(distributor ? [{ id: distributor, type: 'DISTRIBUTOR' } as const] : []),
];

/** A branch that was just created, and its terminals in the order of the request. */
export interface CreatedBranch {
  branch: Branch;
  terminals: TerminalInBranch[];
}

/** A branch with its terminals, as the response to its create. */
export const shownCreatedBranch = v.object({
  ...shownBranch.entries,
  terminals: field(
    listOf(shownTerminal, 40),
    'Terminals of the branch, in this order. Within a request, each `terminal_id` and each `serial_no` must differ.',
  ),
});

export const toCreatedBranch = ({ branch, terminals }: CreatedBranch): v.InferOutput<typeof shownCreatedBranch> => ({
  ...toBranch(branch),
  terminals: terminals.map(toTerminal),
});

/**
 * Creates a branch, its master merchant if that is new, and its terminals: all or nothing. It writes nothing that
 * another create writes, unless both have one MID, terminal_id, serial or new master merchant in common, or
 * are the first to share a master merchant with a distributor.
 *
 * @throws Problem `validation_failed` naming every field that is taken, that names something which the caller may not
 *   use, or that differs from what is stored for its master merchant. A create that names somebody who is not a
 *   partner is told nothing else: it would show what strangers have.
 */
export async function createBranch(
  author: Author,
  input: BranchInput,
  alongside: Alongside<CreatedBranch> = () => [],
): Promise<CreatedBranch> {
  const { acquirer } = author;
  const create = retrying(async () => {
    const { mid, payment_provider, distributor } = input;
    const partnership = partnershipOf(acquirer, input);
    const wanted = input.terminals.flatMap((terminal, at) => references(acquirer, terminal, `/terminals/${at}`));
    const {
      items: [branchFound, isPartner, owner, share, ...found],
      tombstones,
    } = await getItemsAndTombstones<[Branch, object, masterMerchants.MasterMerchant, object, ...object[]]>([
      branchKey(mid),
      partnership?.key,
      ...masterMerchants.ownerKeys(input),
      ...wanted.map(({ key }) => key),
      ...input.terminals.flatMap(claimKeys),
    ]);
    if (partnership && !isPartner) throw validationFailed([partnership.fieldError]);

    const business = masterMerchants.ownerOf(acquirer, input, [owner, share]);
    const created_at = laterThan(...deletionsOf(tombstones));
    const terminals = newTerminals(input.terminals, mid, created_at);
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
      terminal_count: terminals.length,
      terminal_changes: added(terminals),
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
    await transact([
      ...alongside(created),
      claim(branchClaim),
      ...business.steps,
      ...listsOf(input).map(({ id }) => put(branchListEntryKey(id, created_at, mid), {})),
      ...terminalClaims.map(claim),
      ...record(author, { at: created_at, branch, views }),
    ]);
    return created;
  });
  const [created] = await allDone<[CreatedBranch, unknown]>([create, tidyUp(listsOf(input))]);
  return created;
}
