import { withoutLabel } from '../../../../../lib/base/words.ts';
import { plainId, type Row } from '../../estate/row.ts';

export interface Pasted {
  tids: string[];
  /** How many serial numbers and IDs it has. */
  count: number;
  /** Those that no terminal has. */
  missing: string[];
  /** Words without a digit that no terminal has, such as those of a header or a label. They are left out. */
  words: string[];
  /** How many come after the last one that is taken. */
  beyond: number;
}

/**
 * Finds the terminals of a pasted list of serial numbers or terminal IDs: one a line, or with commas, tabs or spaces,
 * and with labels before them, such as `S/N:`.
 *
 * @param most How many are taken.
 */
export function findPasted(text: string, rows: readonly Row[], most: number): Pasted {
  const tids = new Map<string, string>();
  for (const { terminal } of rows)
    for (const id of [terminal.serial_no, terminal.tid, terminal.terminal_id])
      if (id !== null) tids.set(plainId(id), terminal.tid);
  const isKnown = (cell: string) => tids.has(plainId(cell));
  const cells = text.split(/[\n\r,;\t]+/).map((cell) => (isKnown(cell) ? cell : withoutLabel(cell.trim())));
  // Spaces can be within a number, or between numbers.
  const parted = cells.flatMap((cell) => (isKnown(cell) ? [cell] : cell.split(/\s+/)));
  const all = [...new Map(parted.map((cell) => [plainId(cell), cell]))].filter(([id]) => id !== '');
  const isWord = ([id]: [id: string, cell: string]) => !tids.has(id) && !/\p{N}/u.test(id);
  const wanted = all.filter((each) => !isWord(each));
  const taken = wanted.slice(0, most);
  return {
    tids: taken.flatMap(([id]) => tids.get(id) ?? []),
    count: taken.length,
    missing: taken.filter(([id]) => !tids.has(id)).map(([, cell]) => cell),
    words: all.filter(isWord).map(([, cell]) => cell),
    beyond: wanted.length - taken.length,
  };
}
