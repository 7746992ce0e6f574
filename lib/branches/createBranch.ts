import type { Acquirer } from '../acquirers/acquirer.ts';
import { allDone, retrying } from '../aws/retry.ts';
import { type FieldError, validationFailed } from '../base/problem.ts';
import { laterThan } from '../base/time.ts';
import { type Author, commit } from '../events/event.ts';
import { getGroups } from '../table/client.ts';
import { branchKey, branchListEntryKey, distributorKey, type Key, providerKey } from '../table/keys.ts';
import { deletionsOf } from '../table/tombstone.ts';
import { type Claim, claim, type ExtraSteps, put, takenOf } from '../table/transaction.ts';
import { newEntrySteps, tryIndex } from '../table/wordEntries.ts';
import { type Branch, type BranchDetails, toBranch, viewsOf } from './branch.ts';
import { type ListedTerminal, listed } from './branchTerminals.ts';
import { searchablesOf } from './branchWords.ts';
import {
  type MasterMerchant,
  masterMerchantKeys,
  masterMerchantOf,
  type SentMasterMerchant,
} from './masterMerchant.ts';
import { type ListOwner, trySealAtRandom } from './ranks.ts';

export interface BranchInput {
  mid: string;
  details: BranchDetails;
  /** The branch's acquirers. The caller is one of them. */
  payment_provider: string;
  distributor?: string | undefined;
  master_merchant: SentMasterMerchant;
}

/** The terminals that are created with a branch, as lib/terminals makes them. */
export interface BranchTerminals<Shown> {
  /** What to read before they are decided on. */
  keys: Key[];
  /** Decides on them, from the items of `keys`. */
  create(
    found: unknown[],
    mid: string,
    created_at: string,
  ): {
    terminals: (ListedTerminal & { tid: string; creation_event?: string | undefined })[];
    claims: Claim[];
    fieldErrors: FieldError[];
    shownIn: (branch: Branch) => Shown[];
  };
}

/** With its terminals in the order of the request. */
export type BranchAndTerminals<Shown> = ReturnType<typeof toBranch> & { terminals: Shown[] };

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
 * Creates a branch, its terminals and, if it is new, its master merchant, in one transaction. Two creates conflict only
 * if they have a MID, terminal_id, serial or new master merchant in common, or are the first to share a master merchant
 * with a distributor.
 *
 * @throws Problem `validation_failed` with every field that is taken, that names something which the caller may not
 *   use, or that differs from the stored master merchant. If the other acquirer is not a partner, that is the only
 *   field error, so that the response reveals nothing about others' data.
 */
export async function createBranch<Shown>(
  author: Author,
  input: BranchInput,
  terminals: BranchTerminals<Shown>,
  extraSteps: ExtraSteps<BranchAndTerminals<Shown>> = () => [],
): Promise<BranchAndTerminals<Shown>> {
  const { acquirer } = author;
  return retrying(async () => {
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
      terminals: terminals.keys,
    });
    if (partnership && !found.partner[0]) throw validationFailed([partnership.fieldError]);

    const business = masterMerchantOf(acquirer, input, found.masterMerchant);
    const created_at = laterThan(...deletionsOf(tombstones));
    const created = terminals.create(found.terminals, mid, created_at);
    const position = Date.parse(created_at);
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
      terminals: listed(created.terminals),
      terminals_changed_at: created_at,
      created_at,
      updated_at: created_at,
    };
    const branchClaim: Claim = {
      key: branchKey(mid),
      attributes: branch,
      taken: { pointer: '/mid', code: 'taken', detail: 'Another branch has this MID.' },
    };
    const fieldErrors = [...takenOf([branchClaim], found.branch), ...business.fieldErrors, ...created.fieldErrors];
    if (fieldErrors.length > 0) throw validationFailed(fieldErrors);

    const data = { ...toBranch(branch), terminals: created.shownIn(branch) };
    if (author.isValidation) return data;
    const views = viewsOf(branch, { type: 'branch.created', data });
    const steps = [
      ...extraSteps(data),
      claim(branchClaim),
      ...business.steps,
      ...listsOf(input).map(({ id }) => put(branchListEntryKey(id, created_at, mid), {})),
      ...created.claims.map(claim),
    ];
    const searchables = [...searchablesOf(branch), ...business.searchables];
    const entries = newEntrySteps(searchables, steps.length + views.length);
    const write = commit(author, [...steps, ...entries.steps], {
      at: created_at,
      terminals: created.terminals,
      views,
    });
    // Only now, because a list of an acquirer that is not a partner must not even be read.
    await allDone([write, trySealAtRandom(listsOf(input))]);
    await allDone(entries.unindexed.map(tryIndex));
    return data;
  });
}
