import { validate as isUuid } from 'uuid';
import type * as v from 'valibot';
import type { Acquirer } from './acquirer.ts';
import { Problem, validationFailed } from './base/problem.ts';
import { laterThan } from './base/time.ts';
import { type Branch, isAccessible, lastChangeOf, viewsOf } from './branch.ts';
import { hasTerminal, removeTerminal } from './branchTerminals.ts';
import { type Author, eventSteps } from './event.ts';
import { type Found, getItem, getItems, type Keys } from './table/client.ts';
import { branchKey, NO_ID, serialKey, terminalKey } from './table/keys.ts';
import { Conflict, retrying } from './table/retry.ts';
import { tombstoneOf } from './table/tombstone.ts';
import { check, isAsRead, put, type Step, transact, update } from './table/transaction.ts';
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

/**
 * Reads a terminal and then its branch.
 *
 * @param foreign Makes the problem for a terminal whose branch is not accessible.
 * @param also Keys of further items, read with the terminal.
 * @throws Problem `not_found` when there is no such terminal; `foreign` when its branch is not accessible.
 * @throws Conflict when the terminal left the branch, or joined it, between the two reads.
 */
export async function loadTerminal<T extends unknown[] = []>(
  acquirer: Acquirer,
  tid: string,
  foreign: () => Problem,
  also: Keys<T> = [] as never,
): Promise<TerminalInBranch & { also: Found<T> }> {
  if (!isUuid(tid)) throw terminalNotFound();
  const [terminal, ...others] = await getItems<[Terminal, ...unknown[]]>([terminalKey(tid), ...also]);
  // The same reads whether the terminal exists or not, so that the response time of a 404 reveals nothing.
  const branch = await getItem<Branch>(branchKey(terminal?.mid ?? NO_ID));
  if (!terminal) throw terminalNotFound();
  if (!branch || !isAccessible(branch, acquirer)) throw foreign();
  if (!hasTerminal(branch, terminal)) throw new Conflict('The terminal left its branch while the branch was read');
  return { terminal, branch, also: others as Found<T> };
}

/**
 * Condition of every write to a terminal: it is unchanged since it was read. Every change increases `updated_at`, so
 * this one attribute is enough.
 */
const terminalIsAsRead = (terminal: Terminal) => isAsRead(terminal, 'updated_at');

/**
 * Prepares a change of a terminal's own attributes: its time, the terminal after it, and the step, on condition that the
 * terminal is unchanged since it was read.
 */
export function prepareChange(
  before: TerminalInBranch,
  changesAt: (at: string) => Partial<Terminal>,
  branch = before.branch,
) {
  const { terminal } = before;
  const at = laterThan(terminal.updated_at, lastChangeOf(before.branch), lastChangeOf(branch));
  const set = { ...changesAt(at), updated_at: at };
  const after: TerminalInBranch = { terminal: { ...terminal, ...set }, branch };
  return { after, at, step: update(terminalKey(terminal.tid), { set }, terminalIsAsRead(terminal)) };
}

/** Steps that store a change of one terminal as events, which both acquirers of its branch see alike. */
const terminalEventSteps = (
  author: Author,
  at: string,
  { terminal, branch }: TerminalInBranch,
  view: Parameters<typeof viewsOf>[1],
) => eventSteps(author, { at, terminals: [terminal], views: viewsOf(branch, view) });

/**
 * A check that the branch is still active, for writes that depend on a terminal's status. An archived branch stays
 * archived, so it needs none.
 */
const branchStaysActive = ({ branch }: TerminalInBranch): Step[] =>
  branch.archived_at ? [] : [check(branchKey(branch.mid), isAsRead(branch, 'archived_at'))];

/**
 * Changes the supplied fields of a terminal. It does not depend on the branch, so changes of the branch do not conflict
 * with it. If the branch is archived at the same moment, the returned terminal may still be active.
 *
 * @throws Problem `not_found`; `not_under_requesting_psp`; `validation_failed` when the serial_no is taken, or the
 *   payment_app or acquirer_name is not one of the caller's.
 */
export const updateTerminal = (author: Author, tid: string, changes: TerminalChanges): Promise<TerminalInBranch> =>
  retrying(async () => {
    const { acquirer } = author;
    const wanted = references(acquirer, changes);
    const { serial_no } = changes;
    const { also, ...before } = await loadTerminal<[{ tid: string }, ...unknown[]]>(acquirer, tid, foreignTerminal, [
      serial_no ? serialKey(serial_no) : undefined,
      ...wanted.map(({ key }) => key),
    ]);
    const [holder, ...found] = also;
    const isTaken = holder !== undefined && holder.tid !== before.terminal.tid;
    const fieldErrors = [...(isTaken ? [serialTaken('')] : []), ...unknownOf(wanted, found)];
    if (fieldErrors.length > 0) throw validationFailed(fieldErrors);
    const shown: Record<string, unknown> = toTerminal(before);
    const changed = Object.entries(changes).filter(([name, value]) => value !== undefined && value !== shown[name]);
    if (changed.length === 0) return before;
    const set = Object.fromEntries(changed.map(([name, value]) => [name, value ?? undefined]));
    const { after, at, step } = prepareChange(before, () => set);
    const [serialBefore, serial] = [before.terminal.serial_no, after.terminal.serial_no];
    const serialChanges = serial !== serialBefore;
    await transact([
      step,
      ...(serialChanges && serial ? [claimSerial(serial, after.terminal.tid)] : []),
      ...(serialChanges && serialBefore ? [releaseSerial(serialBefore, after.terminal.tid)] : []),
      ...terminalEventSteps(author, at, after, {
        type: 'terminal.updated',
        data: toTerminal(after),
        changes: Object.fromEntries(changed.map(([name]) => [name, shown[name]])),
      }),
    ]);
    return after;
  });

/**
 * Deletes a terminal and releases its serial.
 *
 * @throws Problem `not_found` when there is no such terminal or it is not accessible.
 */
export const deleteTerminal = (author: Author, tid: string): Promise<v.InferOutput<typeof deletedTerminal>> =>
  retrying(async () => {
    const { terminal, branch } = await loadTerminal(author.acquirer, tid, terminalNotFound);
    const at = laterThan(terminal.updated_at, lastChangeOf(branch));
    const data = toDeleted(terminal);
    await transact([
      put(terminalKey(terminal.tid), tombstoneOf(at), terminalIsAsRead(terminal)),
      ...(terminal.serial_no ? [releaseSerial(terminal.serial_no, terminal.tid)] : []),
      removeTerminal(branch, terminal, at),
      ...terminalEventSteps(author, at, { terminal, branch }, { type: 'terminal.deleted', data }),
    ]);
    return data;
  });

/**
 * Archives a terminal.
 *
 * @throws Problem `not_found`, `not_under_requesting_psp`, `already_archived`.
 */
export const archiveTerminal = (author: Author, tid: string, reason: string): Promise<TerminalInBranch> =>
  retrying(async () => {
    const before = await loadTerminal(author.acquirer, tid, foreignTerminal);
    if (archivingOf(before)) throw new Problem('already_archived', 'The terminal is already archived.');
    const { after, at, step } = prepareChange(before, (now) => ({
      archived_at: now,
      archive_reason: reason,
      restored: undefined,
    }));
    await transact([
      step,
      ...branchStaysActive(before),
      ...terminalEventSteps(author, at, after, { type: 'terminal.archived', data: toTerminal(after) }),
    ]);
    return after;
  });

/**
 * Restores an archived terminal to active, even if its branch is archived and stays so.
 *
 * @throws Problem `not_found` when there is no such terminal or it is not accessible; `not_archived`.
 */
export const restoreTerminal = (author: Author, tid: string): Promise<TerminalInBranch> =>
  retrying(async () => {
    const before = await loadTerminal(author.acquirer, tid, terminalNotFound);
    if (!archivingOf(before)) throw new Problem('not_archived', 'The terminal is not archived.');
    const { after, at, step } = prepareChange(before, () => ({
      archived_at: undefined,
      archive_reason: undefined,
      restored: before.branch.archived_at ? true : undefined,
    }));
    await transact([
      step,
      ...branchStaysActive(before),
      ...terminalEventSteps(author, at, after, { type: 'terminal.restored', data: toTerminal(after) }),
    ]);
    return after;
  });
