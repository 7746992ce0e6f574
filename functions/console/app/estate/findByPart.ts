import { plainId } from '../../../../docs/client/estate/search.ts';
import type { FoundTerminal, LoadedEstate } from './loadedEstate.ts';
import type { Row } from './row.ts';

const MOST_FOUND = 6;

const shown = ({ terminal, branch }: Row): FoundTerminal => {
  const { mid } = terminal;
  return { ...terminal, branch: branch ?? { mid, merchant_name: null, city: null, status: terminal.status } };
};

/**
 * Finds terminals whose ID or serial number has a text: those that begin with it first. A text without a digit is a
 * name of a branch rather, and finds nothing.
 */
export function findByPart(rows: readonly Row[], text: string): ReturnType<LoadedEstate['find']> {
  const part = plainId(text);
  if (part.length < 2 || !/\p{N}/u.test(part)) return { terminals: [], total: 0 };
  const ranked = new Map<Row, number>();
  for (const row of rows) {
    // Most rows have it nowhere.
    if (!row.text.includes(part)) continue;
    const { terminal_id, serial_no } = row.terminal;
    const places = [terminal_id, serial_no ?? ''].map((id) => plainId(id).indexOf(part)).filter((at) => at >= 0);
    if (places.length > 0) ranked.set(row, Math.min(...places, 1) + Number(row.terminal.status === 'archived') / 2);
  }
  const best = [...ranked].sort(([, one], [, other]) => one - other).slice(0, MOST_FOUND);
  return { terminals: best.map(([row]) => shown(row)), total: ranked.size };
}
