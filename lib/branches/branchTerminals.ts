import { Problem } from '../base/problem.ts';
import { branchKey, packOrder } from '../table/keys.ts';
import { check, isAsRead, type Step, update } from '../table/transaction.ts';
import { type Branch, hasStatusAsRead, MOST_TERMINALS } from './branch.ts';

/*
 * A branch lists its terminals itself, as a set of 23 bytes each (see packOrder), which every write that adds or
 * removes one changes: see docs/decisions/0001-ranks-and-tail.md.
 */

export interface ListedTerminal {
  branch_order: string;
}

const elementsOf = (terminals: ListedTerminal[]): Set<Uint8Array> =>
  new Set(terminals.map(({ branch_order }) => packOrder(branch_order)));

/** The `terminals` of a new branch. */
export const packedOrders = (terminals: ListedTerminal[]): Branch['terminals'] =>
  terminals.length > 0 ? elementsOf(terminals) : undefined;

/** A step that changes the terminals of a branch, on condition that the branch {@link hasStatusAsRead}. */
const change = (branch: Branch, at: string, changes: Parameters<typeof update>[1], room: number): Step => {
  const asRead = hasStatusAsRead(branch, at);
  return update(
    branchKey(branch.mid),
    { set: { terminals_changed_at: at, updated_at: at }, ...changes },
    {
      ...asRead,
      expression:
        `${asRead.expression} AND updated_at < :at AND (attribute_not_exists(terminals) OR ` +
        `size(terminals) <= :room)`,
      values: { ...asRead.values, ':room': room },
    },
  );
};

export const addTerminals = (branch: Branch, terminals: ListedTerminal[], at: string): Step =>
  change(branch, at, { add: { terminals: elementsOf(terminals) } }, MOST_TERMINALS - terminals.length);

export const removeTerminal = (branch: Branch, terminal: ListedTerminal, at: string): Step =>
  change(branch, at, { remove: { terminals: elementsOf([terminal]) } }, MOST_TERMINALS);

/**
 * Notes on a branch that a terminal of it was archived or restored, on condition that the branch {@link
 * hasStatusAsRead}. So changes of status are in the order of their times. It costs what a check of the branch does.
 */
export const noteStatusChange = (branch: Branch, at: string): Step =>
  update(branchKey(branch.mid), { set: { terminals_changed_at: at } }, hasStatusAsRead(branch, at));

/** A check that a branch was neither archived nor restored since it was read. */
export const checkStatus = (branch: Branch): Step =>
  check(branchKey(branch.mid), isAsRead(branch, 'archived_at', 'restored_at'));

/** Whether a branch has a terminal. If not, the terminal left it, or joined it, between the reads of the two. */
export const hasTerminal = ({ terminals = new Set() }: Branch, { branch_order }: ListedTerminal): boolean => {
  const element = packOrder(branch_order);
  return [...terminals].some((each) => Buffer.compare(each, element) === 0);
};

/**
 * Checks that a branch has room for terminals.
 *
 * @throws Problem `too_many_terminals`.
 */
export function checkRoom({ terminals }: Branch, added: number): void {
  const count = terminals?.size ?? 0;
  if (count + added > MOST_TERMINALS)
    throw new Problem(
      'too_many_terminals',
      `A branch can have at most ${MOST_TERMINALS} terminals, and this one has ${count}. Delete some, or use ` +
        `another branch.`,
    );
}
