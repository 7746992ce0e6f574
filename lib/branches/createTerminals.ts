import { retrying } from '../aws/retry.ts';
import { validationFailed } from '../base/problem.ts';
import { laterThan } from '../base/time.ts';
import { type Author, commit } from '../events/event.ts';
import { getGroups } from '../table/client.ts';
import { deletionsOf } from '../table/tombstone.ts';
import { claim, type ExtraSteps } from '../table/transaction.ts';
import { type Branch, branchArchived, branchNotFound, keyOfBranch, lastChangeOf, viewsOf } from './branch.ts';
import { addTerminals, checkRoom } from './branchTerminals.ts';
import { newTerminals } from './newTerminals.ts';
import { changeable } from './partnership.ts';
import type { ShownTerminal, TerminalInput } from './terminal.ts';

/**
 * Creates terminals for a branch: all or none.
 *
 * @throws Problem `not_found`; `partnership_ended`; `branch_archived`; `too_many_terminals`; `validation_failed`: see
 *   {@link newTerminals}.
 */
export const createTerminals = (
  author: Author,
  mid: string,
  inputs: TerminalInput[],
  extraSteps: ExtraSteps<ShownTerminal[]> = () => [],
): Promise<ShownTerminal[]> =>
  retrying(async () => {
    const { acquirer } = author;
    const key = keyOfBranch(mid);
    if (!key) throw branchNotFound();
    const asked = newTerminals(author, inputs);
    const { found, tombstones } = await getGroups<{ branch: [Branch]; terminals: unknown[] }>({
      branch: [key],
      terminals: asked.keys,
    });
    const branch = await changeable(acquirer, found.branch[0], branchNotFound);
    if (branch.archived_at) throw branchArchived();
    checkRoom(branch, inputs.length);
    const at = laterThan(lastChangeOf(branch), ...deletionsOf(tombstones));
    const { terminals, claims, fieldErrors, shownIn } = asked.create(found.terminals, mid, at);
    if (fieldErrors.length > 0) throw validationFailed(fieldErrors);
    const data = shownIn(branch);
    const views = viewsOf(branch, { type: 'terminals.created', data });
    const steps = [...extraSteps(data), addTerminals(branch, terminals, at), ...claims.map(claim)];
    await commit(author, steps, { at, terminals, views });
    return data;
  });
