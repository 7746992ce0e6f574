import type { Acquirer } from './acquirer.ts';
import type { PageRequest } from './paging.ts';
import { Problem } from './problem.ts';
import { getItem, queryItems } from './table/client.ts';
import { branchKey, branchListKey, type Key } from './table/keys.ts';
import { retrying } from './table/retry.ts';
import { type Condition, isAsRead, type Step, transact, update } from './table/transaction.ts';
import { laterThan } from './time.ts';

/** A merchant branch as it is stored. Times are RFC 3339 UTC with milliseconds. */
export interface Branch {
  mid: string;
  merchant_name?: string | undefined;
  area?: string | undefined;
  city?: string | undefined;
  /** UUID of the master merchant; its id and name stand beside it because every list shows them. */
  existing_master_merchant: string;
  master_merchant_id: string;
  master_merchant_name?: string | undefined;
  payment_provider: string;
  /** Rank in the provider's list, 1…count: branches are never deleted, so ranks are dense and never change. */
  provider_position: number;
  distributor?: string | undefined;
  distributor_position?: number | undefined;
  terminal_count: number;
  created_at: string;
  updated_at: string;
  archived_at?: string | undefined;
}

/** The attributes that a list shows: what the two list indexes project, and no more. */
export type ListedBranch = Pick<
  Branch,
  | 'mid'
  | 'merchant_name'
  | 'area'
  | 'city'
  | 'master_merchant_name'
  | 'master_merchant_id'
  | 'created_at'
  | 'archived_at'
>;

/** Head of an acquirer's branch list: how many branches there are, and when the last was created. */
export interface BranchList {
  count: number;
  last_created_at: string;
}

/** The index that holds an acquirer's list, and the attribute that ranks it. An index is named after its keys. */
const LIST_INDEXES = {
  PAYMENT_PROVIDER: { index: 'branches-by-provider', owner: 'payment_provider', position: 'provider_position' },
  DISTRIBUTOR: { index: 'branches-by-distributor', owner: 'distributor', position: 'distributor_position' },
} as const;

/** A MID: alphanumeric or a UUID, at most 64 characters (interface §2.1, §4.2). */
export const MID = /^(?:[0-9A-Za-z]{1,64}|[\dA-Fa-f]{8}(?:-[\dA-Fa-f]{4}){3}-[\dA-Fa-f]{12})$/;

/** A branch is accessible to exactly two acquirers: its payment provider and its distributor. */
export const isAccessible = (branch: Branch, acquirer: Acquirer): boolean =>
  branch.payment_provider === acquirer.id || branch.distributor === acquirer.id;

export const branchNotFound = (): Problem =>
  new Problem('not_found', 'No branch with this MID exists or is accessible to you.');

export const branchArchived = (): Problem =>
  new Problem('branch_archived', 'The branch is archived and takes no more terminals.');

/** Condition of a write on a branch that exists: it takes new terminals. */
export const takesTerminals = (): Condition => ({
  expression: 'attribute_not_exists(archived_at)',
  refusal: branchArchived(),
});

/** Counts terminals that come to (or, below zero, leave) a branch. */
export const countTerminals = (mid: string, by: number, condition: Condition): Step =>
  update(branchKey(mid), { add: { terminal_count: by } }, condition);

/** Key of the branch that a text names; a text that cannot be a MID names none, and costs no read. */
export const keyOfBranch = (mid: string): Key | undefined => (MID.test(mid) ? branchKey(mid) : undefined);

/** The branch with this MID, whoever it belongs to. */
export async function findBranch(mid: string): Promise<Branch | undefined> {
  const key = keyOfBranch(mid);
  return key && getItem<Branch>(key);
}

/**
 * The branch with this MID (interface §4.3).
 *
 * @throws Problem `not_found` when there is none or it is not accessible to the acquirer.
 */
export async function getBranch(acquirer: Acquirer, mid: string): Promise<Branch> {
  const branch = await findBranch(mid);
  if (!branch || !isAccessible(branch, acquirer)) throw branchNotFound();
  return branch;
}

/**
 * One page of the branches accessible to an acquirer, and the count of all (interface §4.1). Any page is one range of
 * ranks, so it costs the same at any depth of any list. Where the range does not depend on the count, both are read at
 * the same time.
 */
export async function listBranches(
  acquirer: Acquirer,
  { page, per_page, sort }: PageRequest,
): Promise<{ total: number; branches: ListedBranch[] }> {
  const { index, owner, position } = LIST_INDEXES[acquirer.type];
  const ranked = (low: number, high: number) =>
    queryItems<ListedBranch & Record<typeof position, number>>(
      {
        IndexName: index,
        KeyConditionExpression: `${owner} = :owner AND ${position} BETWEEN :low AND :high`,
        ExpressionAttributeValues: { ':owner': acquirer.id, ':low': low, ':high': high },
        ScanIndexForward: sort === 'asc',
      },
      per_page,
    );
  const skipped = (page - 1) * per_page;
  const guess = () => {
    if (sort === 'asc' && Number.isSafeInteger(skipped + per_page)) return ranked(skipped + 1, skipped + per_page);
    return page === 1 ? ranked(1, Number.MAX_SAFE_INTEGER) : [];
  };
  const reads = [getItem<BranchList>(branchListKey(acquirer.id)), guess()] as const;
  // If one of them fails, the other one is not to go on behind the answer's back.
  await Promise.allSettled(reads);
  const [list, guessed] = await Promise.all(reads);

  const total = list?.count ?? 0;
  if (skipped >= total) return { total, branches: [] };
  const [low, high] =
    sort === 'asc'
      ? [skipped + 1, Math.min(skipped + per_page, total)]
      : [Math.max(total - skipped - per_page + 1, 1), total - skipped];
  const branches = guessed.filter(({ [position]: rank }) => low <= rank && rank <= high);
  // Ranks are dense, so those that are all in the range and as many are the page. A branch may have been created between
  // the two reads, or the index may lag.
  return { total, branches: branches.length > high - low ? branches : await ranked(low, high) };
}

/**
 * Archives a branch (interface §4.4). Its terminals are archived by the same single write, whatever their number: a
 * terminal's status is computed from its own state and its branch's.
 *
 * @throws Problem `not_found`, `already_archived`.
 */
export const archiveBranch = (acquirer: Acquirer, mid: string): Promise<Branch> =>
  retrying(async () => {
    const branch = await getBranch(acquirer, mid);
    if (branch.archived_at) throw new Problem('already_archived', 'The branch is archived already.');
    const now = laterThan(branch.updated_at);
    const changes = { archived_at: now, updated_at: now };
    await transact([update(branchKey(mid), { set: changes }, isAsRead(branch, 'archived_at', 'terminal_count'))]);
    return { ...branch, ...changes };
  });

const statusOf = ({ archived_at }: { archived_at?: string | undefined }) => (archived_at ? 'archived' : 'active');

/** A branch as a list shows it (interface §2.1). */
export const toListedBranch = (branch: ListedBranch) => ({
  mid: branch.mid,
  merchant_name: branch.merchant_name ?? null,
  area: branch.area ?? null,
  city: branch.city ?? null,
  master_merchant_name: branch.master_merchant_name ?? null,
  master_merchant_id: branch.master_merchant_id,
  status: statusOf(branch),
  created_at: branch.created_at,
});

/** A branch on its own. */
export const toBranch = (branch: Branch) => ({
  ...toListedBranch(branch),
  existing_master_merchant: branch.existing_master_merchant,
  payment_provider: branch.payment_provider,
  distributor: branch.distributor ?? null,
  terminal_count: branch.terminal_count,
  updated_at: branch.updated_at,
  archived_at: branch.archived_at ?? null,
});
