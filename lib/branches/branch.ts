import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { alphanumeric, mid, storedText } from '../base/fields.ts';
import { MID } from '../base/mid.ts';
import { Problem } from '../base/problem.ts';
import {
  bytes,
  extend,
  field,
  positive,
  shownAs,
  shownId,
  shownMid,
  shownNumber,
  shownText,
  status,
  time,
  uuidValue,
} from '../base/values.ts';
import type { View } from '../events/decision.ts';
import type { Event } from '../events/event.ts';
import { getItem, getItems } from '../table/client.ts';
import { branchKey, type Key } from '../table/keys.ts';
import { type Condition, isAsRead } from '../table/transaction.ts';
import { listedDetails, otherDetails, storedDetails } from './branchDetails.ts';

const packedOrder = v.pipe(
  bytes,
  v.check(({ length }) => length === 23),
);

/** The most terminals of a branch, so that its item has at most 23 KB of them. */
export const MOST_TERMINALS = 1_000;

export const branchItem = v.object({
  ...storedDetails,
  mid,
  /** UUID of the master merchant. Its id and name are also stored here, because every list shows them. */
  existing_master_merchant: uuidValue,
  master_merchant_id: alphanumeric,
  master_merchant_name: v.optional(storedText),
  payment_provider: uuidValue,
  /** Its rank in the provider's list, or the creation time in milliseconds until it is ranked: see ranks.ts. */
  provider_position: positive,
  distributor: v.optional(uuidValue),
  distributor_position: v.optional(positive),
  /** Its terminals: see branchTerminals.ts. Absent if it has none. */
  terminals: v.optional(v.pipe(v.set(packedOrder), v.maxSize(MOST_TERMINALS))),
  /** When a terminal of it was last added, removed, archived or restored. */
  terminals_changed_at: time,
  created_at: time,
  /** When what a response shows of it last changed. */
  updated_at: time,
  archived_at: v.optional(time),
  /** When it was last restored, and its `archived_at` until then. */
  restored_at: v.optional(time),
  restored_from: v.optional(time),
});
export type Branch = v.InferOutput<typeof branchItem>;

/** The ids of the acquirers that can access a branch: its payment provider and its distributor, if any. */
export const acquirersOf = ({ payment_provider, distributor }: OfAcquirers): string[] =>
  distributor ? [payment_provider, distributor] : [payment_provider];
type OfAcquirers = Pick<Branch, 'payment_provider' | 'distributor'>;

export const isAccessible = (branch: OfAcquirers, acquirer: Acquirer): boolean =>
  acquirersOf(branch).includes(acquirer.id);

/** The views of a change that all acquirers of its branch see alike. */
export const viewsOf = (branch: Branch, view: Pick<View, 'type' | 'data' | 'changes'>): View[] =>
  acquirersOf(branch).map((acquirer) => ({ acquirer, branch: eventBranchOf(branch), ...view }));

const eventBranchOf = (branch: Branch): Event['branch'] => ({
  mid: branch.mid,
  status: statusOf(branch),
  archived_at: branch.archived_at ?? null,
});

/** When a branch or the status of a terminal of it last changed. The time of the next change must be later. */
export const lastChangeOf = ({ updated_at, terminals_changed_at }: Branch): string =>
  updated_at > terminals_changed_at ? updated_at : terminals_changed_at;

/**
 * Condition: what a response shows of a branch is unchanged since it was read, and the status of its terminals last
 * changed before `at`. So the events of these changes sort in the order in which they happened.
 */
export const isUnchanged = (branch: Branch, at: string): Condition => isAsReadAt(at, branch, 'updated_at');

/** Condition: like {@link isUnchanged}, but only the status of the branch must be unchanged. */
export const hasStatusAsRead = (branch: Branch, at: string): Condition =>
  isAsReadAt(at, branch, 'archived_at', 'restored_at');

function isAsReadAt(at: string, branch: Branch, ...attributes: (keyof Branch)[]): Condition {
  const asRead = isAsRead(branch, ...attributes);
  return {
    ...asRead,
    expression: `${asRead.expression} AND terminals_changed_at < :at`,
    values: { ...asRead.values, ':at': at },
  };
}

export const branchNotFound = (): Problem =>
  new Problem('not_found', 'No branch with this MID exists or is accessible to you.');

export const branchArchived = (): Problem =>
  new Problem('branch_archived', 'The branch is archived. Restore it before you add terminals to it.');

/** `undefined` if the text cannot be a MID, which saves a read. */
export const keyOfBranch = (mid: string): Key | undefined => (MID.test(mid) ? branchKey(mid) : undefined);

/** Reads a branch, without checking access. */
export async function findBranch(mid: string): Promise<Branch | undefined> {
  const key = keyOfBranch(mid);
  return key && getItem<Branch>(key);
}

/**
 * Gets a branch.
 *
 * @throws Problem `not_found` when it does not exist or is not accessible to the acquirer.
 */
export async function getBranch(acquirer: Acquirer, mid: string): Promise<Branch> {
  const branch = await findBranch(mid);
  if (!branch || !isAccessible(branch, acquirer)) throw branchNotFound();
  return branch;
}

export const statusOf = ({ archived_at }: { archived_at?: string | undefined }) =>
  archived_at ? 'archived' : 'active';

export const listedBranch = v.object({
  mid: field(shownMid, 'MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs.'),
  ...listedDetails,
  master_merchant_name: field(v.nullable(shownText), 'Display name of the master merchant.'),
  master_merchant_id: field(
    shownId,
    'Id of the master merchant, unique per payment provider. A create uses the master merchant with this id, or ' +
      'creates it if there is none.',
  ),
  status: field(status, 'Whether the branch is archived.'),
  created_at: field(time, 'When it was created (RFC 3339, UTC).'),
  updated_at: field(time, 'When it, or how many terminals it has, last changed (RFC 3339, UTC).'),
  archived_at: field(v.nullable(time), 'When it was archived (RFC 3339, UTC).'),
});

/** The attributes that a list shows, and that its two indexes project. */
export type ListedBranch = Pick<Branch, Exclude<keyof v.InferOutput<typeof listedBranch>, 'status'>>;

/** A branch in the response of a single-branch operation. */
export const shownBranch = extend(listedBranch, {
  ...otherDetails,
  existing_master_merchant: field(uuidValue, 'UUID of the master merchant: the business that owns the branch.'),
  payment_provider: field(uuidValue, 'UUID of the payment provider. A distributor must name one of its partners.'),
  distributor: field(
    v.nullable(uuidValue),
    'UUID of the distributor. A payment provider may name one of its partners.',
  ),
  terminal_count: field(shownNumber(0, MOST_TERMINALS), 'How many terminals the branch has.'),
});

export type ShownBranch = v.InferOutput<typeof shownBranch>;

export const toListedBranch = (branch: ListedBranch): v.InferOutput<typeof listedBranch> =>
  shownAs(listedBranch, { ...branch, status: statusOf(branch) });

export const toBranch = (branch: Branch): ShownBranch =>
  shownAs(shownBranch, { ...branch, status: statusOf(branch), terminal_count: branch.terminals?.size ?? 0 });

/** A branch in a response about something else: what a person recognizes it by. */
export const shownBranchSummary = v.pick(listedBranch, ['mid', 'merchant_name', 'city', 'status']);
export type BranchSummary = v.InferOutput<typeof shownBranchSummary>;

/** What a summary needs, and who can access the branch. */
const ATTRIBUTES = ['mid', 'merchant_name', 'city', 'archived_at', 'payment_provider', 'distributor'] as const;
type Summarized = Pick<Branch, (typeof ATTRIBUTES)[number]>;

export const toBranchSummary = (branch: Summarized): BranchSummary =>
  shownAs(shownBranchSummary, { ...branch, status: statusOf(branch) });

/**
 * Summarizes branches that are accessible to the acquirer, and leaves out all others. Reads are eventually consistent,
 * and cost half a unit for each 4 KB of a branch: at most 3.5 units each.
 */
export async function summariesOf(acquirer: Acquirer, mids: Iterable<string>): Promise<BranchSummary[]> {
  const branches = await getItems<Summarized[]>([...mids].map(branchKey), {
    ConsistentRead: false,
    ProjectionExpression: ['pk', 'sk', ...ATTRIBUTES].join(', '),
  });
  return branches.flatMap((branch) => (branch && isAccessible(branch, acquirer) ? toBranchSummary(branch) : []));
}
