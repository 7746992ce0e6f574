import type { BranchField, Field, TerminalField } from './columns.ts';

/** A row to import. An empty cell is absent. */
export interface Row {
  line: number;
  /** The MID of its branch; empty if there is none. */
  mid: string;
  branch: Partial<Record<BranchField, string>>;
  terminal: Partial<Record<TerminalField, string>>;
}

/** Whether a row has a terminal, and not only a branch. */
export const hasTerminal = ({ terminal }: Row): boolean => Object.keys(terminal).length > 0;

/** The value of a cell. */
export const cellOf = ({ branch, terminal }: Row, field: string): string | undefined =>
  ({ ...branch, ...terminal })[field as Field];
