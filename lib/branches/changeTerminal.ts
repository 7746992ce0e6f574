import { validate as isUuid } from 'uuid';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { Conflict } from '../aws/retry.ts';
import type { Problem } from '../base/problem.ts';
import { laterThan } from '../base/time.ts';
import type { Change } from '../events/decision.ts';
import { type Found, getItem, getItems, type Keys } from '../table/client.ts';
import { branchKey, terminalKey } from '../table/keys.ts';
import { isAsRead, type Step, update } from '../table/transaction.ts';
import { type Branch, lastChangeOf, viewsOf } from './branch.ts';
import { hasTerminal } from './branchTerminals.ts';
import { changeable } from './partnership.ts';
import { type Terminal, type TerminalInBranch, terminalNotFound } from './terminal.ts';

/**
 * Reads a terminal to change, with further items, and then its branch.
 *
 * @throws Problem `not_found` when there is no such terminal; `foreign` when its branch is not accessible;
 *   `partnership_ended`.
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
  if (!terminal) throw terminalNotFound();
  const branch = await changeable(acquirer, await getItem<Branch>(branchKey(terminal.mid)), foreign);
  if (!hasTerminal(branch, terminal)) throw new Conflict('The terminal left its branch while the branch was read');
  return { terminal, branch, also: others as Found<T> };
}

/** Condition of every write to a terminal. */
export const terminalIsAsRead = (terminal: Terminal) => isAsRead(terminal, 'updated_at');

/** The time of a change of a terminal in its branch and, if it moves, of the branch that it moves to. */
export const timeOfChange = ({ terminal, branch }: TerminalInBranch, to = branch): string =>
  laterThan(terminal.updated_at, lastChangeOf(branch), lastChangeOf(to));

/** A change of a terminal's own attributes: the terminal after it, and the step. Every change sets `updated_at`. */
export function changedTerminal(
  before: Terminal,
  at: string,
  changes: Partial<Terminal>,
): { after: Terminal; step: Step } {
  const set = { ...changes, updated_at: at };
  const step = update(terminalKey(before.tid), { set }, terminalIsAsRead(before));
  return { after: { ...before, ...set }, step };
}

/** A change of one terminal, which both acquirers of its branch see alike. */
export const terminalChange = (
  at: string,
  { terminal, branch }: TerminalInBranch,
  view: Parameters<typeof viewsOf>[1],
  steps: Step[],
): Change => ({ steps, at, terminals: [terminal], views: viewsOf(branch, view) });
