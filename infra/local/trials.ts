import type { Acquirer } from '../../lib/acquirers/acquirer.ts';
import { API_OPERATIONS, type ApiOperation, requestOf, type Subject } from '../publish/contract/calls.ts';

/** The demo data that an acquirer's examples change: four branches, by the numbers in their MIDs. */
export interface Trial {
  acquirer: Acquirer;
  provider: Acquirer;
  prefix: string;
  /** The branch that the example archives, the archived one that it restores, and two with three terminals each. */
  branches: [archived: string, restored: string, home: string, other: string];
}

/** Parameters and body by operation. `{fresh}` is a placeholder for unused letters and digits. */
export type Examples = Record<string, { parameters?: Record<string, string>; body?: object }>;

/** The MID of the branch that a trial restores. It must be archived before. */
export const restoredBranchOf = ({ prefix, branches: [, restored] }: Trial): string => `${prefix}MID${restored}`;

/** The terminal_id that a trial restores. The terminal must be archived before. */
export const restoredTerminalOf = ({ prefix, branches: [, , , other] }: Trial): string => `${prefix}TERM${other}1`;

/**
 * Returns values with which each operation succeeds, in any order: no two of them change the same branch or terminal.
 *
 * @param named Further values of bodies: a payment app and a master acquirer of the acquirer, and a member's card.
 */
export function examplesOf(trial: Trial, named: Pick<Subject, 'payment_app' | 'acquirer_name' | 'card'>): Examples {
  const { acquirer, provider, prefix } = trial;
  const [archived, , home, other] = trial.branches;
  const terminal = (branch: string, at: number) => ({
    terminal_id: `${prefix}TERM${branch}${at}`,
    serial_no: `${prefix}SN${branch}${at}`,
  });
  const mid = `${prefix}MID${home}`;
  const subject: Subject = {
    caller: acquirer,
    provider: provider.id,
    mid,
    target: mid,
    master_merchant_id: 'BUSINESS{fresh}',
    ...terminal(other, 3),
    added: { terminal_id: 'TERM{fresh}', serial_no: 'SERIAL{fresh}' },
    ...named,
  };
  const own: Partial<Record<ApiOperation, Partial<Subject>>> = {
    createBranch: { mid: 'MID{fresh}', terminal_id: 'FIRST{fresh}', serial_no: 'FIRSTSERIAL{fresh}' },
    archiveBranch: { mid: `${prefix}MID${archived}` },
    restoreBranch: { mid: restoredBranchOf(trial) },
    updateTerminal: { ...terminal(home, 1), added: { terminal_id: '', serial_no: 'NEW{fresh}' } },
    deleteTerminal: terminal(home, 2),
    archiveTerminal: terminal(home, 3),
    restoreTerminal: terminal(other, 1),
    reassignTerminal: terminal(other, 2),
  };
  return Object.fromEntries(
    // A list needs no values, and the cursor of a feed would soon expire.
    API_OPERATIONS.filter((operation) => !['listBranches', 'listEvents'].includes(operation)).map((operation) => {
      const { path, query, body } = requestOf(operation, { ...subject, ...own[operation] });
      return [operation, { parameters: { ...path, ...query }, ...(body && { body }) }];
    }),
  );
}
