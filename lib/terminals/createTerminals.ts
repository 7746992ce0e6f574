import { retrying } from '../aws/retry.ts';
import { validationFailed } from '../base/problem.ts';
import { laterThan } from '../base/time.ts';
import {
  type Branch,
  branchArchived,
  branchNotFound,
  isAccessible,
  keyOfBranch,
  lastChangeOf,
  viewsOf,
} from '../branches/branch.ts';
import { addTerminals, checkRoom } from '../branches/branchTerminals.ts';
import { type Author, creationEventOf, eventSteps } from '../events/event.ts';
import { getItemsAndTombstones } from '../table/client.ts';
import { branchOrder, tidOf } from '../table/keys.ts';
import { deletionsOf } from '../table/tombstone.ts';
import { claim, type ExtraSteps, takenOf, transact } from '../table/transaction.ts';
import { claimKeys, claimsOf, references, unknownOf } from './claims.ts';
import { type Terminal, type TerminalInBranch, type TerminalInput, toTerminal } from './terminal.ts';

/** Makes the stored terminals of a request. Ascending lists keep the order of the request. */
export const newTerminals = (author: Author, inputs: TerminalInput[], mid: string, created_at: string): Terminal[] =>
  inputs.map((input, place) => {
    const tid = tidOf(input.terminal_id);
    return {
      ...input,
      tid,
      mid,
      branch_order: branchOrder(created_at, place, tid),
      created_at,
      updated_at: created_at,
      creation_event: creationEventOf(author, created_at, inputs.length),
    };
  });

/**
 * Creates terminals for a branch: all or none.
 *
 * @param extraSteps Makes further steps of the transaction.
 * @throws Problem `not_found`; `branch_archived`; `too_many_terminals`; `validation_failed` with every terminal_id and serial_no that is
 *   taken, and every payment_app and acquirer_name that is not one of the caller's.
 */
export const createTerminals = (
  author: Author,
  mid: string,
  inputs: TerminalInput[],
  extraSteps: ExtraSteps<TerminalInBranch[]> = () => [],
): Promise<TerminalInBranch[]> =>
  retrying(async () => {
    const { acquirer } = author;
    const key = keyOfBranch(mid);
    if (!key) throw branchNotFound();
    const wanted = inputs.flatMap((input, place) => references(acquirer, input, `/terminals/${place}`));
    const {
      items: [branch, ...found],
      tombstones,
    } = await getItemsAndTombstones<[Branch, ...unknown[]]>([
      key,
      ...wanted.map((each) => each.key),
      ...inputs.flatMap(claimKeys),
    ]);
    if (!branch || !isAccessible(branch, acquirer)) throw branchNotFound();
    if (branch.archived_at) throw branchArchived();
    checkRoom(branch, inputs.length);
    const at = laterThan(lastChangeOf(branch), ...deletionsOf(tombstones));
    const terminals = newTerminals(author, inputs, mid, at);
    const claims = terminals.flatMap((terminal, place) => claimsOf(terminal, `/terminals/${place}`));
    const fieldErrors = [...unknownOf(wanted, found), ...takenOf(claims, found.slice(wanted.length))];
    if (fieldErrors.length > 0) throw validationFailed(fieldErrors);
    const created = terminals.map((terminal) => ({ terminal, branch }));
    const views = viewsOf(branch, { type: 'terminals.created', data: created.map(toTerminal) });
    await transact([
      ...extraSteps(created),
      addTerminals(branch, terminals, at),
      ...claims.map(claim),
      ...eventSteps(author, { at, terminals, views }),
    ]);
    return created;
  });
