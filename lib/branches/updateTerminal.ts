import type { Acquirer } from '../acquirers/acquirer.ts';
import { validationFailed } from '../base/problem.ts';
import { expectState } from '../base/state.ts';
import { differences } from '../base/update.ts';
import type { ChangeOptions, Decision } from '../events/decision.ts';
import { serialKey } from '../table/keys.ts';
import { checkStatus } from './branchTerminals.ts';
import { changedTerminal, loadTerminal, terminalChange, timeOfChange } from './changeTerminal.ts';
import { releaseSerial } from './releasedSerial.ts';
import { foreignTerminal, type ShownTerminal, type TerminalUpdate, toTerminal } from './terminal.ts';
import { claimSerial, references, serialTaken, unknownOf } from './terminalClaims.ts';

/**
 * Decides to change the supplied fields of a terminal. Without `If-Match`, changes of the branch do not conflict with
 * it. If the branch is archived at the same moment, the returned terminal may still be active.
 *
 * @throws Problem `not_found`; `not_under_requesting_psp`; `partnership_ended`; `precondition_failed`;
 *   `validation_failed` when the serial_no is taken, or the payment_app or acquirer_name is not one of the caller's.
 */
export async function decideUpdateTerminal(
  acquirer: Acquirer,
  tid: string,
  update: TerminalUpdate,
  options: ChangeOptions,
): Promise<Decision<ShownTerminal>> {
  const wanted = references(acquirer, update);
  const { serial_no } = update;
  const { also, ...before } = await loadTerminal<[{ tid: string }, ...unknown[]]>(acquirer, tid, foreignTerminal, [
    serial_no ? serialKey(serial_no) : undefined,
    ...wanted.map(({ key }) => key),
  ]);
  const shown = toTerminal(before);
  expectState(options, shown);
  const { terminal, branch } = before;
  const [holder, ...found] = also;
  const isTaken = holder !== undefined && holder.tid !== terminal.tid;
  const fieldErrors = [...(isTaken ? [serialTaken('')] : []), ...unknownOf(wanted, found)];
  if (fieldErrors.length > 0) throw validationFailed(fieldErrors);
  const changed = differences(shown, update);
  if (!changed) return { data: shown };

  const at = timeOfChange(before);
  const { after, step } = changedTerminal(terminal, at, changed.set);
  const serialChanges = after.serial_no !== terminal.serial_no;
  const steps = [
    step,
    ...(options.if_match ? [checkStatus(branch)] : []),
    ...(serialChanges && after.serial_no ? [claimSerial(after.serial_no, after.tid)] : []),
    ...(serialChanges && terminal.serial_no ? releaseSerial(terminal.serial_no, before, at) : []),
  ];
  const data = toTerminal({ terminal: after, branch });
  const view = { type: 'terminal.updated', data, changes: changed.changes } as const;
  return { data, change: terminalChange(at, { terminal: after, branch }, view, steps) };
}
