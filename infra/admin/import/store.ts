import { type Fault, Problem } from '../../../lib/problem.ts';
import type { Service } from '../session.ts';
import { type MemberRow, memberRowOf } from './memberRow.ts';
import type { Row } from './rows.ts';

/** What became of a row. */
export type Outcome = { line: number } & ({ result: 'stored' } | { result: 'refused'; errors: Fault[] });

/**
 * Stores rows at the same time, but those of the same card or the same reward one after the other, as in the file.
 *
 * @returns What became of each row in the file's order, or what went wrong that is no fault of the row.
 */
export function storeRows(service: Service, rows: Row[]): Promise<PromiseSettledResult<Outcome>[]> {
  const last = new Map<string, Promise<unknown>>();
  const storing = rows.map((row): Promise<Outcome> => {
    const judged = 'fields' in row ? memberRowOf(row.fields) : row.faults;
    if (Array.isArray(judged)) return Promise.resolve(refusedFor(row, judged));
    const written = writesOf(judged);
    const stored = Promise.all(written.map((key) => last.get(key))).then(() => store(service, row, judged));
    for (const key of written) last.set(key, stored);
    return stored;
  });
  return Promise.allSettled(storing);
}

const refusedFor = ({ line }: Row, errors: Fault[]): Outcome => ({ line, result: 'refused', errors });

/** Names the items that a row is about. */
const writesOf = ({ member_id, card, reward }: MemberRow): string[] => [
  ...(card ? [JSON.stringify([card.card_id])] : []),
  ...(reward ? [JSON.stringify([member_id, reward.reward_id])] : []),
];

async function store(service: Service, row: Row, { member_id, card, reward }: MemberRow): Promise<Outcome> {
  try {
    // The card first: only it can be refused, and a refused row stores nothing.
    if (card) await service.addCard(member_id, card);
    if (reward) await service.addReward(member_id, reward);
    return { line: row.line, result: 'stored' };
  } catch (error) {
    if (error instanceof Problem && error.errors) return refusedFor(row, error.errors);
    throw error;
  }
}
