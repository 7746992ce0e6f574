import type { Acquirer } from './acquirer.ts';
import type { Branch, BranchList } from './branch.ts';
import * as masterMerchants from './masterMerchant.ts';
import { getItems } from './table/client.ts';
import { branchKey, branchListKey, distributorKey, masterMerchantKey, providerKey } from './table/keys.ts';
import { retrying } from './table/retry.ts';
import {
  type Alongside,
  check,
  exists,
  isAsRead,
  isFree,
  put,
  refuseMissing,
  transact,
  update,
} from './table/transaction.ts';
import { createSteps, newTerminals, type Placed, type TerminalInput } from './terminal.ts';

/** What a create says of the new branch, once it is validated. */
export interface BranchInput {
  mid: string;
  branch_name?: string | undefined;
  area?: string | undefined;
  city?: string | undefined;
  /** The branch's two acquirers, of which the caller is one. */
  payment_provider: string;
  distributor?: string | undefined;
  master_merchant: masterMerchants.Owner;
  terminals: TerminalInput[];
}

/** When the last branch of a list was created, in milliseconds; the dawn of time for an empty one. */
const lastIn = (list: BranchList | undefined) => (list ? Date.parse(list.last_created_at) : 0);

/** The branch's rank in one acquirer's list is the list's count + 1, on condition that the count is what was read. */
const append = (acquirer: string, list: BranchList | undefined, created_at: string) => {
  const position = (list?.count ?? 0) + 1;
  const set = { count: position, last_created_at: created_at };
  return { position, step: update(branchListKey(acquirer), { set }, isAsRead(list, 'count')) };
};

/** The other acquirer that a caller names must be its partner; the partnership stands under the caller. */
const partnershipOf = ({ type, id }: Acquirer, { payment_provider, distributor }: BranchInput) => {
  const isDistributor = type === 'DISTRIBUTOR';
  if (!isDistributor && !distributor) return undefined;
  const key = isDistributor ? providerKey(id, payment_provider) : distributorKey(id, distributor as string);
  const pointer = isDistributor ? '/payment_provider' : '/distributor';
  return { key, fault: { pointer, code: 'not_a_partner', detail: 'Not the UUID of one of your partners.' } };
};

/** A branch that was just created, and its terminals in the order of the request. */
export interface CreatedBranch {
  branch: Branch;
  terminals: Placed[];
}

/**
 * Creates a branch, its master merchant if that is new, and its terminals: all or nothing (interface §4.2). A creator
 * that loses the race for a rank reads the lists again and takes the next: docs/decisions/0001-positions.md.
 *
 * @throws Problem `validation_failed` naming every field that is taken, or that names somebody or something which the
 *   caller may not use.
 */
export const createBranch = (
  acquirer: Acquirer,
  input: BranchInput,
  alongside: Alongside<CreatedBranch> = () => [],
): Promise<CreatedBranch> =>
  retrying(async () => {
    const { mid, payment_provider, distributor, master_merchant } = input;
    const partnership = partnershipOf(acquirer, input);
    const [providerList, distributorList, existing, arePartners] = await getItems<
      [BranchList, BranchList, masterMerchants.MasterMerchant, object]
    >([
      branchListKey(payment_provider),
      distributor ? branchListKey(distributor) : undefined,
      typeof master_merchant === 'string' ? masterMerchantKey(acquirer.id, master_merchant) : undefined,
      partnership?.key,
    ]);

    // Never before the last of either list, so that both are in the order of created_at as well as of rank.
    const times = [Date.now(), lastIn(providerList), lastIn(distributorList)];
    const created_at = new Date(Math.max(...times)).toISOString();
    const provider = append(payment_provider, providerList, created_at);
    const distribution = distributor ? append(distributor, distributorList, created_at) : undefined;
    const { owner, steps: ownerSteps } = masterMerchants.ownerOf(acquirer, input, existing);
    const terminals = newTerminals(input.terminals, mid, created_at);
    const branch: Branch = {
      mid,
      merchant_name: input.branch_name,
      area: input.area,
      city: input.city,
      existing_master_merchant: owner.uuid,
      master_merchant_id: owner.master_merchant_id,
      master_merchant_name: owner.name,
      payment_provider,
      provider_position: provider.position,
      distributor,
      distributor_position: distribution?.position,
      terminal_count: terminals.length,
      created_at,
      updated_at: created_at,
    };
    const midIsFree = isFree([{ pointer: '/mid', code: 'taken', detail: 'Another branch has this MID.' }]);
    const others =
      partnership && !arePartners
        ? // Nothing of the stranger's is touched, not even to find out what else is wrong: that would tell what it has.
          [refuseMissing(partnership.key, [partnership.fault])]
        : [
            ...(partnership ? [check(partnership.key, exists([partnership.fault]))] : []),
            ...ownerSteps,
            provider.step,
            ...(distribution ? [distribution.step] : []),
          ];
    const created = { branch, terminals: terminals.map((terminal) => ({ terminal, branch })) };
    await transact([
      ...alongside(created),
      put(branchKey(mid), branch, midIsFree),
      ...others,
      ...createSteps(terminals),
    ]);
    return created;
  });
