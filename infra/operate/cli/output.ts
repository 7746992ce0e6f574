import { Help } from 'commander';
import type { Acquirer, AcquirerType } from '../../../lib/acquirers/acquirer.ts';
import type { StoredAcquirer } from '../../../lib/acquirers/registry.ts';
import { CACHE_MS } from '../../../lib/base/cache.ts';
import type { Limit } from '../../../lib/base/rateAndBurst.ts';

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

/** Formats items as a table. `names` are their attributes by heading. `None.` without items. */
export function table<T extends object>(items: T[], names: Record<string, keyof T>): string {
  const rows = items.map((item) => Object.values(names).map((name) => String(item[name] ?? '')));
  return rows.length > 0 ? columns([Object.keys(names), ...rows]) : 'None.';
}

/** Joins names for a sentence; `none` without names. */
export const list = (names: string[]): string => names.join(', ') || 'none';

export const TYPES: AcquirerType[] = ['DISTRIBUTOR', 'PAYMENT_PROVIDER'];

/** The lookup of an acquirer's partners, by its type. */
export const PARTNERS = { DISTRIBUTOR: 'PAYMENT_PROVIDERS', PAYMENT_PROVIDER: 'DISTRIBUTORS' } as const;

/** An acquirer as `--json` prints it. */
export const acquirerDocument = ({ id, type, name, limit, created_at, disabled_at }: StoredAcquirer) => ({
  id,
  type,
  name,
  created_at,
  limit: limit ?? null,
  disabled_at: disabled_at ?? null,
});

export const nameAndId = ({ name, id }: Pick<Acquirer, 'id' | 'name'>): string => `${name} (${id})`;

/** How soon a change applies although processes may have acquirers, keys and sessions cached. */
export const WITHIN = `within ${CACHE_MS / 1000} seconds`;

export const limitText = ({ rate, burst }: Limit): string => `${rate} requests a second, ${burst} at once`;

/**
 * Breaks a text at spaces into lines of at most 100 columns and the indent; only a longer word has a longer line.
 *
 * @param indent Spaces before each line but the first.
 */
export const wrapped = (text: string, indent: number): string =>
  new Help().boxWrap(text.replace(/[\r\n\t]+/g, ' '), 100).replaceAll('\n', `\n${' '.repeat(indent)}`);
