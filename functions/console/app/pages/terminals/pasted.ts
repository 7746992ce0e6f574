import { plainId } from '../../estate/row.ts';
import type { Row } from '../../estate/useEstate.ts';
import { MOST_SELECTED } from './useSelection.ts';

export interface Pasted {
  tids: string[];
  /** How many serial numbers and IDs it has. */
  count: number;
  /** Those that no terminal has. */
  missing: string[];
  /** How many come after the last one that is taken. */
  beyond: number;
}

/**
 * Finds the terminals of a pasted list of serial numbers or terminal IDs: one a line, or with commas, tabs or spaces.
 */
export function findPasted(text: string, rows: readonly Row[]): Pasted {
  const tids = new Map<string, string>();
  for (const { terminal } of rows)
    for (const id of [terminal.serial_no, terminal.tid, terminal.terminal_id])
      if (id !== null) tids.set(plainId(id), terminal.tid);
  const cells = text.split(/[\n\r,;\t]+/).map((cell) => cell.trim());
  // Spaces can be within a number, or between numbers.
  const parted = cells.flatMap((cell) => (tids.has(plainId(cell)) ? [cell] : cell.split(/\s+/)));
  const wanted = [...new Map(parted.map((cell) => [plainId(cell), cell]))].filter(([id]) => id !== '');
  const taken = wanted.slice(0, MOST_SELECTED);
  return {
    tids: taken.flatMap(([id]) => tids.get(id) ?? []),
    count: taken.length,
    missing: taken.filter(([id]) => !tids.has(id)).map(([, cell]) => cell),
    beyond: wanted.length - taken.length,
  };
}
