import type { BranchField, Field, TerminalField } from '../fields/fields.ts';

/** A row to import. An empty cell is absent. */
export interface Row {
  line: number;
  /** The MID of its branch; empty if the row only has a terminal, which is found by its terminal ID. */
  mid: string;
  branch: Partial<Record<BranchField, string>>;
  terminal: Partial<Record<TerminalField, string>>;
  /** The fields whose cell shows an error of a spreadsheet. */
  errors?: Field[];
}

/** Whether a row has a terminal, and not only a branch. */
export const hasTerminal = ({ terminal }: Row): boolean => Object.keys(terminal).length > 0;

export const cellOf = ({ branch, terminal }: Row, field: string): string | undefined =>
  ({ ...branch, ...terminal })[field as Field];

/** A value as the service compares it: addresses without the case of ASCII letters, phones without spaces. */
function comparable(field: string, value: string): string {
  const text = value.normalize('NFC').replace(/\p{Zs}+/gu, ' ');
  if (field === 'phone') return text.replaceAll(/\s/g, '');
  if (field === 'email') return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return field === 'country' || field === 'country_code' ? text.toLowerCase() : text;
}

/** Whether the service takes two values of a field for the same. */
export const areAlike = (field: string, one: string | null | undefined, other: string | null | undefined): boolean =>
  typeof one === 'string' && typeof other === 'string'
    ? comparable(field, one) === comparable(field, other)
    : one === other;
