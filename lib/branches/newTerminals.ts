import type * as v from 'valibot';
import { extend, field, listOf } from '../base/values.ts';
import { type Author, creationEventOf } from '../events/event.ts';
import { branchOrder, tidOf } from '../table/keys.ts';
import { takenOf } from '../table/transaction.ts';
import { type Branch, shownBranch } from './branch.ts';
import type { BranchTerminals } from './createBranch.ts';
import { type ShownTerminal, shownTerminal, type Terminal, type TerminalInput, toTerminal } from './terminal.ts';
import { claimKeys, claimsOf, references, unknownOf } from './terminalClaims.ts';

export const shownCreatedBranch = extend(shownBranch, {
  terminals: field(
    listOf(shownTerminal, 40),
    'Terminals of the branch, in the order of the request. Each `terminal_id` and `serial_no` must be unique within the request.',
  ),
});

export type CreatedBranch = v.InferOutput<typeof shownCreatedBranch>;

/**
 * The terminals that a request creates. Field errors name every terminal_id and serial_no that is taken, and every
 * payment_app and acquirer_name that is not one of the caller's. Ascending lists keep the order of the request.
 */
export function newTerminals(author: Author, inputs: TerminalInput[]): BranchTerminals<ShownTerminal> {
  const wanted = inputs.flatMap((input, at) => references(author.acquirer, input, `/terminals/${at}`));
  return {
    keys: [...wanted.map(({ key }) => key), ...inputs.flatMap(claimKeys)],
    create(found, mid, created_at) {
      const terminals: Terminal[] = inputs.map((input, place) => {
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
      const claims = terminals.flatMap((terminal, at) => claimsOf(terminal, `/terminals/${at}`));
      return {
        terminals,
        claims,
        fieldErrors: [...unknownOf(wanted, found), ...takenOf(claims, found.slice(wanted.length))],
        shownIn: (branch: Branch) => terminals.map((terminal) => toTerminal({ terminal, branch })),
      };
    },
  };
}
