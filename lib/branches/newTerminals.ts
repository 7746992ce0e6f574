import type { Acquirer } from '../acquirers/acquirer.ts';
import type { FieldError } from '../base/problem.ts';
import { type Author, creationEventOf } from '../events/decision.ts';
import { branchOrder, type Key, tidOf } from '../table/keys.ts';
import { type Claim, takenOf } from '../table/transaction.ts';
import type { Terminal, TerminalInput } from './terminal.ts';
import { claimKeys, claimsOf, references, unknownOf } from './terminalClaims.ts';

const referencesOf = (acquirer: Acquirer, inputs: TerminalInput[]) =>
  inputs.flatMap((input, at) => references(acquirer, input, `/terminals/${at}`));

/** The keys of what {@link newTerminals} needs: what the terminals refer to, and what they claim. */
export const keysOfNewTerminals = (acquirer: Acquirer, inputs: TerminalInput[]): Key[] => [
  ...referencesOf(acquirer, inputs).map(({ key }) => key),
  ...inputs.flatMap(claimKeys),
];

/**
 * Decides on the terminals that a request creates. Field errors name every terminal_id and serial_no that is taken, and
 * every payment_app and acquirer_name that is not one of the caller's. Ascending lists keep the order of the request.
 *
 * @param found The items of {@link keysOfNewTerminals}.
 */
export function newTerminals(
  author: Author,
  mid: string,
  inputs: TerminalInput[],
  created_at: string,
  found: unknown[],
): { terminals: Terminal[]; claims: Claim[]; fieldErrors: FieldError[] } {
  const terminals = inputs.map((input, number): Terminal => {
    const tid = tidOf(input.terminal_id);
    return {
      ...input,
      tid,
      mid,
      branch_order: branchOrder(created_at, number, tid),
      created_at,
      updated_at: created_at,
      creation_event: creationEventOf(author, created_at, inputs.length),
    };
  });
  const wanted = referencesOf(author.acquirer, inputs);
  const claims = terminals.flatMap((terminal, at) => claimsOf(terminal, `/terminals/${at}`));
  const fieldErrors = [...unknownOf(wanted, found), ...takenOf(claims, found.slice(wanted.length))];
  return { terminals, claims, fieldErrors };
}
