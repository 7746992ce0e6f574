import type { Acquirer } from '../../lib/acquirer.ts';
import type { Service } from './session.ts';

/** Rows of cells, each column as wide as its widest cell, each row one line. */
export function columns(rows: string[][]): string {
  const lines = rows.map((row) => row.map((cell) => cell.replace(/\s+/g, ' ')));
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Rows under their heads, or that there are none. */
export const table = (heads: string[], rows: string[][]): string =>
  rows.length > 0 ? columns([heads, ...rows]) : 'None.';

/** A list in a sentence. */
export const list = (names: string[]): string => names.join(', ') || 'none';

/** An acquirer as sentences name it. */
export const called = ({ name, id }: Acquirer): string => `${name} (${id})`;

/** When a key that was let in a moment ago is refused. */
export const refused = ({ CACHE_MS }: Service): string => `refused within ${CACHE_MS / 1000} seconds at the latest`;
