import type { Acquirer } from '../acquirers/acquirer.ts';
import { expectState } from '../base/state.ts';
import type { ChangeOptions, Decision } from '../events/decision.ts';
import { terminalKey } from '../table/keys.ts';
import { tombstoneOf } from '../table/tombstone.ts';
import { put } from '../table/transaction.ts';
import { removeTerminal } from './branchTerminals.ts';
import { loadTerminal, terminalChange, terminalIsAsRead, timeOfChange } from './changeTerminal.ts';
import { removeLastSeen } from './lastSeen.ts';
import { releaseSerial } from './releasedSerial.ts';
import { type DeletedTerminal, terminalNotFound, toDeleted, toTerminal } from './terminal.ts';

/**
 * Decides to delete a terminal, which releases its serial.
 *
 * @throws Problem `not_found`; `partnership_ended`; `precondition_failed`.
 */
export async function decideDeleteTerminal(
  acquirer: Acquirer,
  tid: string,
  options: ChangeOptions,
): Promise<Decision<DeletedTerminal>> {
  const { terminal, branch } = await loadTerminal(acquirer, tid, terminalNotFound);
  expectState(options, toTerminal({ terminal, branch }));
  const at = timeOfChange({ terminal, branch });
  const data = toDeleted(terminal);
  const steps = [
    put(terminalKey(terminal.tid), tombstoneOf(at), terminalIsAsRead(terminal)),
    removeLastSeen(terminal.tid, at),
    ...(terminal.serial_no ? releaseSerial(terminal.serial_no, { terminal, branch }, at) : []),
    removeTerminal(branch, terminal, at),
  ];
  return { data, change: terminalChange(at, { terminal, branch }, { type: 'terminal.deleted', data }, steps) };
}
