import type * as v from 'valibot';
import { retrying } from '../aws/retry.ts';
import { expectState } from '../base/state.ts';
import { laterThan } from '../base/time.ts';
import { type Author, commit } from '../events/event.ts';
import { terminalKey } from '../table/keys.ts';
import { tombstoneOf } from '../table/tombstone.ts';
import { put } from '../table/transaction.ts';
import { lastChangeOf } from './branch.ts';
import { removeTerminal } from './branchTerminals.ts';
import { changeOf, loadTerminal, terminalIsAsRead } from './changeTerminal.ts';
import { removeLastSeen } from './lastSeen.ts';
import { releaseSerial } from './releasedSerial.ts';
import { type deletedTerminal, terminalNotFound, toDeleted, toTerminal } from './terminal.ts';

/**
 * Deletes a terminal and releases its serial.
 *
 * @throws Problem `not_found`; `partnership_ended`; `precondition_failed`.
 */
export const deleteTerminal = (author: Author, tid: string): Promise<v.InferOutput<typeof deletedTerminal>> =>
  retrying(async () => {
    const { terminal, branch } = await loadTerminal(author.acquirer, tid, terminalNotFound);
    expectState(author, toTerminal({ terminal, branch }));
    const at = laterThan(terminal.updated_at, lastChangeOf(branch));
    const data = toDeleted(terminal);
    const steps = [
      put(terminalKey(terminal.tid), tombstoneOf(at), terminalIsAsRead(terminal)),
      removeLastSeen(terminal.tid, at),
      ...(terminal.serial_no ? releaseSerial(terminal.serial_no, { terminal, branch }, at) : []),
      removeTerminal(branch, terminal, at),
    ];
    await commit(author, steps, changeOf(at, { terminal, branch }, { type: 'terminal.deleted', data }));
    return data;
  });
