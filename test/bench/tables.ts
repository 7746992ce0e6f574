/** A row of a table, by column. */
export type Row = Record<string, string | number>;

/** The number of decimals of a number. */
const decimalsOf = (value: number): number => String(value).split('.')[1]?.length ?? 0;

/** Formats a number, by default with all its decimals: 1234.5 is `1,234.5`. */
export const figure = (value: number, decimals = decimalsOf(value)): string =>
  value.toLocaleString('en-GB', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });

/**
 * Rows as a Markdown table that is also legible as text; empty without rows. Columns of numbers are aligned right, with
 * equal decimals.
 */
export function markdownTable(rows: Row[]): string {
  if (rows.length === 0) return '';
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = names.map((name) => {
    const values = rows.map((row) => row[name] ?? '');
    const numbers = values.filter((value) => typeof value === 'number');
    const isNumeric = values.every((value) => value === '' || typeof value === 'number');
    const decimals = Math.max(0, ...numbers.map(decimalsOf));
    const cells = [name, ...values.map((value) => (typeof value === 'number' ? figure(value, decimals) : value))].map(
      (cell) => cell.replaceAll('|', '\\|'),
    );
    const width = Math.max(...cells.map((cell) => cell.length), 3);
    const rule = isNumeric ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width);
    const [head, ...others] = cells.map((cell) => (isNumeric ? cell.padStart(width) : cell.padEnd(width)));
    return [head, rule, ...others];
  });
  return Array.from(
    { length: rows.length + 2 },
    (_, line) => `| ${columns.map((cells) => cells[line]).join(' | ')} |`,
  ).join('\n');
}
