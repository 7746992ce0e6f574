import { plainId } from '../../../../docs/client/estate/search.ts';
import { withoutLabel } from '../../../../lib/base/words.ts';

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

const spaced = (text: string): string[] => text.split(/\s+/);
const cellsOf = (text: string): string[] => text.split(/[\n\r,;\t]+/);
const unlabelled = (cell: string): string => withoutLabel(cell.trim());

/** All that may be a serial number or an ID in a pasted list, by `plainId`: whole cells first, then parts of them. */
export function idsIn(text: string): Map<string, string> {
  const pasted = cellsOf(text);
  const cells = pasted.map(unlabelled);
  const ids = new Map<string, string>();
  for (const cell of [...pasted, ...cells, ...cells.flatMap(spaced)])
    if (!ids.has(plainId(cell))) ids.set(plainId(cell), cell);
  ids.delete('');
  return ids;
}

/**
 * Finds the terminals of a pasted list of serial numbers or terminal IDs: one a line, or with commas, tabs or spaces,
 * and with labels before them, such as `S/N:`.
 *
 * @param tids The TIDs of terminals by those of {@link idsIn} that they have.
 * @param most How many are taken.
 */
export function findPasted(text: string, tids: ReadonlyMap<string, string>, most: number): Pasted {
  const isKnown = (cell: string) => tids.has(plainId(cell));
  const cells = cellsOf(text).map((cell) => (isKnown(cell) ? cell : unlabelled(cell)));
  // Spaces can be within a number, or between numbers.
  const parted = cells.flatMap((cell) => (isKnown(cell) ? [cell] : spaced(cell)));
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
