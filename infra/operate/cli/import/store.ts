import { type FieldError, Problem } from '../../../../lib/base/problem.ts';
import { addCard, addReward } from '../../../../lib/operator/memberImport.ts';
import { type MemberRow, memberRowOf } from './memberRow.ts';
import type { Row } from './rows.ts';

export type Outcome = { line: number } & ({ result: 'stored' } | { result: 'refused'; errors: FieldError[] });

/**
 * Stores rows, those of the same member or with the same card_id one after the other in the file's order: each write for a
 * member checks that the member was not erased, so concurrent ones would conflict.
 *
 * @param importId The id of the import's event.
 * @returns The outcome of each row in the file's order; rejected for a failure that is not due to the row.
 */
export function storeRows(rows: Row[], importId: string): Promise<PromiseSettledResult<Outcome>[]> {
  const last = new Map<string, Promise<unknown>>();
  return Promise.allSettled(
    rows.map((row) => {
      const parsed = 'fields' in row ? memberRowOf(row.fields) : row.errors;
      if (Array.isArray(parsed)) return Promise.resolve<Outcome>({ line: row.line, result: 'refused', errors: parsed });
      const names = [`member ${parsed.member_id}`, ...(parsed.card ? [`card ${parsed.card.card_id}`] : [])];
      const earlier = names.map((name) => last.get(name));
      const stored = Promise.allSettled(earlier).then(() => storeRow(parsed, row.line, importId));
      for (const name of names) last.set(name, stored);
      return stored;
    }),
  );
}

/** Stores a row. If its card is refused, it stores no reward either. */
async function storeRow({ member_id, card, reward }: MemberRow, line: number, importId: string): Promise<Outcome> {
  try {
    if (card) await addCard(member_id, card, importId);
    if (reward) await addReward(member_id, reward, importId);
    return { line, result: 'stored' };
  } catch (error) {
    if (error instanceof Problem && error.errors) return { line, result: 'refused', errors: error.errors };
    throw error;
  }
}
