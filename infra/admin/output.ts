import type { Acquirer } from '../../lib/acquirers/acquirer.ts';
import type { Service } from './session.ts';

/** Formats rows as aligned columns, one line per row. */
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

/** Formats rows as a table with headings; `None.` without rows. */
export const table = (headings: string[], rows: string[][]): string =>
  rows.length > 0 ? columns([headings, ...rows]) : 'None.';

/** Joins names for a sentence; `none` without names. */
export const list = (names: string[]): string => names.join(', ') || 'none';

/** The name and id of an acquirer, for messages. */
export const nameAndId = ({ name, id }: Pick<Acquirer, 'id' | 'name'>): string => `${name} (${id})`;

/** How soon a key is refused although processes may have it cached. */
export const refusedWithin = ({ CACHE_MS }: Service): string => `refused within ${CACHE_MS / 1000} seconds`;
