import type { Acquirer } from '../../lib/acquirers/acquirer.ts';
import { tidOf } from '../../lib/table/keys.ts';

/** The demo data that an acquirer's examples change: three branches, by the numbers in their MIDs. */
export interface Trial {
  acquirer: Acquirer;
  /** The branches' payment provider. */
  provider: Acquirer;
  prefix: string;
  /** The branch that the example archives. */
  archived: string;
  /** Two branches with three terminals each. */
  home: string;
  other: string;
}

/** Parameters and body by operation. `{fresh}` is a placeholder for unused letters and digits. */
export type Examples = Record<string, { parameters?: Record<string, string>; body?: object }>;

/** The terminal_id that a trial restores. The terminal must be archived before. */
export const restoredBy = ({ prefix, other }: Trial): string => `${prefix}TERM${other}1`;

/**
 * Returns values with which each operation succeeds, in any order: no two of them change the same branch or terminal.
 *
 * @param named Further values of bodies: a payment app and a master acquirer of the acquirer, and a member's card.
 */
export function examplesOf(
  trial: Trial,
  named: { payment_app: string; acquirer_name: string; card: object },
): Examples {
  const { acquirer, provider, prefix, archived, home, other } = trial;
  const { card, ...references } = named;
  const midOf = (number: string) => `${prefix}MID${number}`;
  const tid = (terminal_id: string) => ({ id: tidOf(terminal_id) });
  const freshTerminal = {
    terminal_id: 'TERM{fresh}',
    serial_no: 'SERIAL{fresh}',
    terminal_model: 'Handheld 2',
    ...references,
  };
  return {
    createBranch: {
      body: {
        mid: 'MID{fresh}',
        branch_name: 'Harbour Café',
        area: 'Ribeira',
        city: 'Porto',
        ...(acquirer.type === 'DISTRIBUTOR' && { payment_provider: provider.id }),
        master_merchant_id: 'BUSINESS{fresh}',
        master_merchant_name: 'Harbour Cafés',
        terminals: [{ terminal_id: 'FIRST{fresh}', terminal_model: 'Countertop 3' }],
      },
    },
    getBranch: { parameters: { mid: midOf(home) } },
    getBranchHistory: { parameters: { mid: midOf(home) } },
    archiveBranch: { parameters: { mid: midOf(archived) } },
    listTerminals: { parameters: { id: midOf(home) } },
    createTerminals: { parameters: { id: midOf(home) }, body: { terminals: [freshTerminal] } },
    updateTerminal: {
      parameters: tid(`${prefix}TERM${home}1`),
      body: { terminal_model: 'Handheld 2', serial_no: null },
    },
    deleteTerminal: { parameters: tid(`${prefix}TERM${home}2`) },
    archiveTerminal: { parameters: tid(`${prefix}TERM${home}3`), body: { reason: 'Sent to repair' } },
    restoreTerminal: { parameters: tid(restoredBy(trial)) },
    reassignTerminal: { parameters: tid(`${prefix}TERM${other}2`), body: { mid: midOf(home) } },
    getTerminalHistory: { parameters: tid(`${prefix}TERM${other}3`) },
    lookup: { parameters: { method: 'masterMerchants' } },
    find: { parameters: { terminal_id: `${prefix}TERM${other}3` } },
    memberCheck: {
      body: { ...card, amount: 60, terminal_id: `${prefix}TERM${other}3`, acquirer_id: provider.id },
    },
  };
}
