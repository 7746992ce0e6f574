import { validate as isUuid } from 'uuid';
import type * as v from 'valibot';
import type { Acquirer } from './acquirer.ts';
import { Problem, validationFailed } from './base/problem.ts';
import { laterThan } from './base/time.ts';
import {
  type Branch,
  branchArchived,
  isAccessible,
  keyOfBranch,
  lastChangeOf,
  takesTerminals,
  viewersOf,
  viewsOf,
} from './branch.ts';
import { type Author, record, type View } from './event.ts';
import { getItem, getItems } from './table/client.ts';
import { branchKey, type Key, NO_ID, serialKey, terminalKey } from './table/keys.ts';
import { Contention, retrying } from './table/retry.ts';
import { tombstoneOf } from './table/tombstone.ts';
import { type Alongside, check, isAsRead, put, type Step, transact, update } from './table/transaction.ts';
import {
  archivingOf,
  type deletedTerminal,
  foreignTerminal,
  type Terminal,
  type TerminalChanges,
  type TerminalInBranch,
  terminalNotFound,
  toDeleted,
  toTerminal,
} from './terminal.ts';
import { claimSerial, references, releaseSerial, serialTaken, unknownOf } from './terminalClaims.ts';
import { countIn, countOut } from './terminalCount.ts';

/**
 * Makes sure that a terminal was still under its branch when that was found archived: it may have left it just before. A
 * branch is archived for good, so one that is not archived was not when its terminal was read either. Only an answer
 * without a write needs this: a write's conditions see to it themselves.
 *
 * @throws Contention when the terminal has changed since.
 */
async function confirm({ terminal, branch }: TerminalInBranch): Promise<void> {
  if (!branch.archived_at) return;
  const now = await getItem<Terminal>(terminalKey(terminal.tid));
  if (now?.updated_at !== terminal.updated_at) throw new Contention('The terminal changed while its branch was read');
}

/** What else an operation reads together with its terminal. */
type Keys<T extends unknown[]> = { [K in keyof T]: Key | undefined };
type Found<T extends unknown[]> = { [K in keyof T]: T[K] | undefined };

/**
 * Reads a terminal and then its branch, and with the terminal whatever else an operation needs.
 *
 * @throws Problem `not_found` when there is no such terminal; `foreign` when its branch is not accessible.
 */
async function load<T extends unknown[] = []>(
  acquirer: Acquirer,
  tid: string,
  foreign: () => Problem,
  also: Keys<T> = [] as never,
): Promise<TerminalInBranch & { also: Found<T> }> {
  if (!isUuid(tid)) throw terminalNotFound();
  const [terminal, ...others] = await getItems<[Terminal, ...unknown[]]>([terminalKey(tid), ...also]);
  // The same reads whether there is such a terminal or not, so that the time which a 404 takes does not tell.
  const branch = await getItem<Branch>(branchKey(terminal?.mid ?? NO_ID));
  if (!terminal) throw terminalNotFound();
  if (!branch || !isAccessible(branch, acquirer)) throw foreign();
  return { terminal, branch, also: others as Found<T> };
}

/**
 * Condition of every write to a terminal: it is what was read. Each change sets a later `updated_at` than the one before,
 * so that this one attribute tells.
 */
const terminalIsAsRead = (terminal: Terminal) => isAsRead(terminal, 'updated_at');

/** Changes a terminal's own attributes, on condition that it is what was read. */
function change(before: TerminalInBranch, changesAt: (at: string) => Partial<Terminal>, branch = before.branch) {
  const { terminal } = before;
  const at = laterThan(terminal.updated_at, lastChangeOf(before.branch), lastChangeOf(branch));
  const set = { ...changesAt(at), updated_at: at };
  const placed: TerminalInBranch = { terminal: { ...terminal, ...set }, branch };
  return { placed, at, step: update(terminalKey(terminal.tid), { set }, terminalIsAsRead(terminal)) };
}

/** Stores the change of one terminal, which both acquirers of its branch see alike, as events. */
const recordOne = (
  author: Author,
  at: string,
  { terminal, branch }: TerminalInBranch,
  view: Parameters<typeof viewsOf>[1],
) => record(author, { at, branch, terminal, views: viewsOf(branch, view) });

/**
 * Lets a write that was decided by a terminal's status pass only while its branch is not archived. A branch that was found
 * archived stays so, and needs no check.
 */
const branchStaysActive = ({ branch }: TerminalInBranch): Step[] =>
  branch.archived_at ? [] : [check(branchKey(branch.mid), isAsRead(branch, 'archived_at'))];

/**
 * Changes the supplied fields of a terminal (interface §4.7). It decides nothing by the branch, so it does not wait for others that
 * do; of a branch that is archived at the same moment, the terminal returned may still be active.
 *
 * @throws Problem `not_found`, `not_under_requesting_psp`, or `validation_failed` for a serial_no that is taken or a
 *   name that is not among the caller's.
 */
export const updateTerminal = (author: Author, tid: string, changes: TerminalChanges): Promise<TerminalInBranch> =>
  retrying(async () => {
    const { acquirer } = author;
    const wanted = references(acquirer, changes);
    const { serial_no } = changes;
    const { also, ...before } = await load<[{ tid: string }, ...unknown[]]>(acquirer, tid, foreignTerminal, [
      serial_no ? serialKey(serial_no) : undefined,
      ...wanted.map(({ key }) => key),
    ]);
    const [holder, ...found] = also;
    const isTaken = holder !== undefined && holder.tid !== before.terminal.tid;
    const fieldErrors = [...(isTaken ? [serialTaken('')] : []), ...unknownOf(wanted, found)];
    if (fieldErrors.length > 0) throw validationFailed(fieldErrors);
    const shown: Record<string, unknown> = toTerminal(before);
    const changed = Object.entries(changes).filter(([name, value]) => value !== undefined && value !== shown[name]);
    if (changed.length === 0) {
      await confirm(before);
      return before;
    }
    const set = Object.fromEntries(changed.map(([name, value]) => [name, value ?? undefined]));
    const { placed, at, step } = change(before, () => set);
    const [serialBefore, serial] = [before.terminal.serial_no, placed.terminal.serial_no];
    const serialChanges = serial !== serialBefore;
    await transact([
      step,
      ...(serialChanges && serial ? [claimSerial(serial, placed.terminal.tid)] : []),
      ...(serialChanges && serialBefore ? [releaseSerial(serialBefore, placed.terminal.tid)] : []),
      ...recordOne(author, at, placed, {
        type: 'terminal.updated',
        data: toTerminal(placed),
        changes: Object.fromEntries(changed.map(([name]) => [name, shown[name]])),
      }),
    ]);
    return placed;
  });

/**
 * Deletes a terminal and releases its serial (interface §4.8).
 *
 * @throws Problem `not_found` when there is no such terminal or it is not accessible.
 */
export const deleteTerminal = (author: Author, tid: string): Promise<v.InferOutput<typeof deletedTerminal>> =>
  retrying(async () => {
    const { terminal, branch } = await load(author.acquirer, tid, terminalNotFound);
    const at = laterThan(terminal.updated_at, lastChangeOf(branch));
    const data = toDeleted(terminal);
    await transact([
      put(terminalKey(terminal.tid), tombstoneOf(at), terminalIsAsRead(terminal)),
      ...(terminal.serial_no ? [releaseSerial(terminal.serial_no, terminal.tid)] : []),
      countOut(branch, { ...terminal, updated_at: at }, isAsRead(branch, 'archived_at')),
      ...recordOne(author, at, { terminal, branch }, { type: 'terminal.deleted', data }),
    ]);
    return data;
  });

/**
 * Archives a terminal (interface §4.9).
 *
 * @throws Problem `not_found`, `not_under_requesting_psp`, `already_archived`.
 */
export const archiveTerminal = (author: Author, tid: string, reason: string): Promise<TerminalInBranch> =>
  retrying(async () => {
    const before = await load(author.acquirer, tid, foreignTerminal);
    if (archivingOf(before)) {
      await confirm(before);
      throw new Problem('already_archived', 'The terminal is archived already.');
    }
    const { placed, at, step } = change(before, (now) => ({
      archived_at: now,
      archive_reason: reason,
      restored: undefined,
    }));
    await transact([
      step,
      ...branchStaysActive(before),
      ...recordOne(author, at, placed, { type: 'terminal.archived', data: toTerminal(placed) }),
    ]);
    return placed;
  });

/**
 * Makes an archived terminal active again, also under a branch that stays archived (interface §4.10).
 *
 * @throws Problem `not_found` when there is no such terminal or it is not accessible; `not_archived`.
 */
export const restoreTerminal = (author: Author, tid: string): Promise<TerminalInBranch> =>
  retrying(async () => {
    const before = await load(author.acquirer, tid, terminalNotFound);
    if (!archivingOf(before)) throw new Problem('not_archived', 'The terminal is not archived.');
    const { placed, at, step } = change(before, () => ({
      archived_at: undefined,
      archive_reason: undefined,
      restored: before.branch.archived_at ? true : undefined,
    }));
    await transact([
      step,
      ...branchStaysActive(before),
      ...recordOne(author, at, placed, { type: 'terminal.restored', data: toTerminal(placed) }),
    ]);
    return placed;
  });

/**
 * Moves a terminal to another branch of the same payment provider; its status goes along (interface §4.11).
 *
 * @throws Problem `not_found` for an unknown TID or MID, `not_under_requesting_psp`, `already_under_target_mid`,
 *   `branch_archived`.
 */
export const reassignTerminal = (
  author: Author,
  tid: string,
  mid: string,
  alongside: Alongside<TerminalInBranch> = () => [],
): Promise<TerminalInBranch> =>
  retrying(async () => {
    const { acquirer } = author;
    const { also, ...before } = await load<[Branch]>(acquirer, tid, foreignTerminal, [keyOfBranch(mid)]);
    const [target] = also;
    if (!target) throw new Problem('not_found', 'No branch with the target MID exists.');
    if (!isAccessible(target, acquirer) || target.payment_provider !== before.branch.payment_provider)
      throw new Problem(
        'not_under_requesting_psp',
        'The target MID is not under the same payment provider as the terminal, or not accessible to you.',
      );
    if (target.mid === before.branch.mid)
      throw new Problem('already_under_target_mid', 'The terminal is already under the target MID.');
    if (target.archived_at) throw branchArchived();
    const moves = () => ({
      mid,
      archived_at: undefined,
      archive_reason: undefined,
      ...archivingOf(before),
      restored: undefined,
    });
    const { placed: reassigned, at, step } = change(before, moves, target);
    const { terminal } = reassigned;
    await transact([
      ...alongside(reassigned),
      step,
      countIn(target, [terminal], takesTerminals()),
      countOut(before.branch, terminal, isAsRead(before.branch, 'archived_at')),
      ...record(author, {
        at,
        branch: target,
        terminal,
        from: before.branch.mid,
        views: reassignmentViews(before, reassigned),
      }),
    ]);
    return reassigned;
  });

/** A reassignment as each acquirer of the two branches sees it: what is not accessible to it is not named. */
function reassignmentViews({ branch: from }: TerminalInBranch, reassigned: TerminalInBranch): View[] {
  const { terminal, branch: to } = reassigned;
  const data = toTerminal(reassigned);
  const arrivals = viewsOf(to, { type: 'terminal.joined', data });
  const moved = { type: 'terminal.reassigned', changes: { mid: from.mid } } as const;
  return [
    ...arrivals.map((view) => (viewersOf(from).includes(view.viewer) ? { ...view, ...moved } : view)),
    ...viewsOf(from, { type: 'terminal.left', data: toDeleted(terminal) }).filter(
      ({ viewer }) => !viewersOf(to).includes(viewer),
    ),
  ];
}
