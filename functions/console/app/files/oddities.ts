import { formatNumber } from '../shared/format.ts';

/** What is odd in a table and corrected, and how it is said of one and of several. `?` is a text of the table. */
const ODDITIES = {
  encoding: [
    'word is read as Windows-1252 (the file is not Unicode): ?. If it looks wrong, save the file as CSV UTF-8',
    'words are read as Windows-1252 (the file is not Unicode), such as ?. If they look wrong, save the file as CSV UTF-8',
  ],
  above: ['line above the header is left out', 'lines above the header are left out'],
  beyond: [
    'row has cells beyond the last column, which are left out',
    'rows have cells beyond the last column, which are left out',
  ],
  quote: ['cell has a quotation mark in its text', 'cells have a quotation mark in their text'],
  formula: ['cell written as ="…" counts as its text', 'cells written as ="…" count as their text'],
  placeholder: ['cell with “?” counts as empty', 'cells with “?” count as empty'],
  sheets: ['other sheet is left out: only “?” is read', 'other sheets are left out: only “?” is read'],
  hiddenSheets: ['hidden sheet is left out', 'hidden sheets are left out'],
  hiddenRows: ['row is hidden in the workbook, and is read too', 'rows are hidden in the workbook, and are read too'],
  hiddenColumns: [
    'column is hidden in the workbook, and is read too',
    'columns are hidden in the workbook, and are read too',
  ],
  unseen: [
    'cell has a number that its format does not show, and counts as empty',
    'cells have a number that their format does not show, and count as empty',
  ],
} as const;
type Oddity = keyof typeof ODDITIES;

/** What was odd in one table. */
export class Oddities {
  readonly #counts = new Map<string, number>();

  add(oddity: Oddity, { text = '', count = 1 } = {}): void {
    const key = `${oddity} ${text}`;
    if (count > 0) this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }

  notes(): string[] {
    return [...this.#counts].map(([key, count]) => {
      const [oddity = ''] = key.split(' ', 1);
      const words = ODDITIES[oddity as Oddity][count === 1 ? 0 : 1];
      return `${formatNumber(count)} ${words.replace('?', () => key.slice(oddity.length + 1))}.`;
    });
  }
}
