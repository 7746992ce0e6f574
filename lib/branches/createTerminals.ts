import { validationFailed } from '../base/problem.ts';
import { laterThan } from '../base/time.ts';
import type { Author, Decision } from '../events/decision.ts';
import { getGroups } from '../table/client.ts';
import { deletionsOf } from '../table/tombstone.ts';
import { claim } from '../table/transaction.ts';
import { type Branch, branchArchived, branchNotFound, keyOfBranch, lastChangeOf, viewsOf } from './branch.ts';
import { addTerminals, checkRoom } from './branchTerminals.ts';
import { keysOfNewTerminals, newTerminals } from './newTerminals.ts';
import { changeable } from './partnership.ts';
import { type ShownTerminal, type TerminalInput, toTerminal } from './terminal.ts';

/**
 * Decides to create terminals for a branch: all or none.
 *
 * @throws Problem `not_found`; `partnership_ended`; `branch_archived`; `too_many_terminals`; `validation_failed`: see
 *   {@link newTerminals}.
 */
export async function decideCreateTerminals(
  author: Author,
  mid: string,
  inputs: TerminalInput[],
): Promise<Decision<ShownTerminal[]>> {
  const { acquirer } = author;
  const key = keyOfBranch(mid);
  if (!key) throw branchNotFound();
  const { found, tombstones } = await getGroups<{ branch: [Branch]; terminals: unknown[] }>({
    branch: [key],
    terminals: keysOfNewTerminals(acquirer, inputs),
  });

  const branch = await changeable(acquirer, found.branch[0], branchNotFound);
  if (branch.archived_at) throw branchArchived();
  checkRoom(branch, inputs.length);
  const at = laterThan(lastChangeOf(branch), ...deletionsOf(tombstones));
  const { terminals, claims, fieldErrors } = newTerminals(author, mid, inputs, at, found.terminals);
  if (fieldErrors.length > 0) throw validationFailed(fieldErrors);

  const data = terminals.map((terminal) => toTerminal({ terminal, branch }));
  const steps = [addTerminals(branch, terminals, at), ...claims.map(claim)];
  return { data, change: { steps, at, terminals, views: viewsOf(branch, { type: 'terminals.created', data }) } };
}
