import { validationFailed } from '../base/problem.ts';
import type { Author } from '../events/event.ts';
import { serialKey } from '../table/keys.ts';
import { retrying } from '../table/retry.ts';
import { transact } from '../table/transaction.ts';
import { loadTerminal, prepareChange, terminalEventSteps } from './change.ts';
import { claimSerial, references, releaseSerial, serialTaken, unknownOf } from './claims.ts';
import { foreignTerminal, type TerminalInBranch, type TerminalUpdate, toTerminal } from './terminal.ts';

/**
 * Changes the supplied fields of a terminal. It does not depend on the branch, so changes of the branch do not conflict
 * with it. If the branch is archived at the same moment, the returned terminal may still be active.
 *
 * @throws Problem `not_found`; `not_under_requesting_psp`; `validation_failed` when the serial_no is taken, or the
 *   payment_app or acquirer_name is not one of the caller's.
 */
export const updateTerminal = (author: Author, tid: string, changes: TerminalUpdate): Promise<TerminalInBranch> =>
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
