import { retrying } from '../aws/retry.ts';
import { validationFailed } from '../base/problem.ts';
import { expectState } from '../base/state.ts';
import { differences } from '../base/update.ts';
import { type Author, commit } from '../events/event.ts';
import { serialKey } from '../table/keys.ts';
import { checkStatus } from './branchTerminals.ts';
import { changeOf, loadTerminal, prepareChange } from './changeTerminal.ts';
import { releaseSerial } from './releasedSerial.ts';
import { foreignTerminal, type TerminalInBranch, type TerminalUpdate, toTerminal } from './terminal.ts';
import { claimSerial, references, serialTaken, unknownOf } from './terminalClaims.ts';

/**
 * Changes the supplied fields of a terminal. Without `If-Match`, changes of the branch do not conflict with it. If the
 * branch is archived at the same moment, the returned terminal may still be active.
 *
 * @throws Problem `not_found`; `not_under_requesting_psp`; `partnership_ended`; `precondition_failed`;
 *   `validation_failed` when the serial_no is taken, or the payment_app or acquirer_name is not one of the caller's.
 */
export const updateTerminal = (author: Author, tid: string, update: TerminalUpdate): Promise<TerminalInBranch> =>
  retrying(async () => {
    const { acquirer } = author;
    const wanted = references(acquirer, update);
    const { serial_no } = update;
    const { also, ...before } = await loadTerminal<[{ tid: string }, ...unknown[]]>(acquirer, tid, foreignTerminal, [
      serial_no ? serialKey(serial_no) : undefined,
      ...wanted.map(({ key }) => key),
    ]);
    expectState(author, toTerminal(before));
    const [holder, ...found] = also;
    const isTaken = holder !== undefined && holder.tid !== before.terminal.tid;
    const fieldErrors = [...(isTaken ? [serialTaken('')] : []), ...unknownOf(wanted, found)];
    if (fieldErrors.length > 0) throw validationFailed(fieldErrors);
    const changed = differences(toTerminal(before), update);
    if (!changed) return before;
    const { after, at, step } = prepareChange(before, () => changed.set);
    const [serialBefore, serial] = [before.terminal.serial_no, after.terminal.serial_no];
    const serialChanges = serial !== serialBefore;
    const steps = [
      step,
      ...(author.if_match ? [checkStatus(before.branch)] : []),
      ...(serialChanges && serial ? [claimSerial(serial, after.terminal.tid)] : []),
      ...(serialChanges && serialBefore ? releaseSerial(serialBefore, before, at) : []),
    ];
    const { changes } = changed;
    await commit(author, steps, changeOf(at, after, { type: 'terminal.updated', data: toTerminal(after), changes }));
    return after;
  });
