import { type FieldError, Problem } from '../../../../lib/base/problem.ts';
import type { Reward } from '../../../../lib/members/member.ts';
import { addCard, addRewards } from '../../../../lib/operator/memberImport.ts';
import { type MemberRow, memberRowOf } from './memberRow.ts';
import type { Row } from './rows.ts';

export type Outcome = { line: number } & ({ result: 'stored' } | { result: 'refused'; errors: FieldError[] });

/**
 * Stores up to 99 rows. Cards of the same member, or with the same card_id, are stored one after the other in the
 * file's order, then all rewards of a member in one transaction: each write for a member checks that the member was not
 * erased, so concurrent ones would conflict.
 *
 * @param importId The id of the import's event.
 * @returns The outcome of each row in the file's order; rejected for a failure that is not due to the row.
 */
export async function storeRows(rows: Row[], importId: string): Promise<PromiseSettledResult<Outcome>[]> {
  const parsed = rows.map((row) => ('fields' in row ? memberRowOf(row.fields) : row.errors));
  const cards = storeCards(parsed, importId);
  const outcomes = await Promise.allSettled(cards);
  // A row whose card is refused stores no reward either.
  const isStored = (at: number) => outcomes[at]?.status === 'fulfilled' && outcomes[at].value.length === 0;
  const rewards = storeRewards(parsed.filter((_, at) => isStored(at)) as MemberRow[], importId);
  return Promise.allSettled(
    rows.map(async ({ line }, at): Promise<Outcome> => {
      const row = parsed[at] as MemberRow;
      const ofCard = (await cards[at]) as FieldError[];
      const errors = ofCard.length === 0 && row.reward ? ((await rewards.get(row.member_id)) as FieldError[]) : ofCard;
      return errors.length > 0 ? { line, result: 'refused', errors } : { line, result: 'stored' };
    }),
  );
}

/** The field errors with which a write is refused; empty if it succeeds. Rejects with any other error. */
const fieldErrorsOf = (write: Promise<void>): Promise<FieldError[]> =>
  write.then(
    () => [],
    (error) => {
      if (error instanceof Problem && error.errors) return error.errors;
      throw error;
    },
  );

/** Stores the cards of rows. Returns the errors of each row: its own, or those of its card. */
function storeCards(rows: (MemberRow | FieldError[])[], importId: string): Promise<FieldError[]>[] {
  const last = new Map<string, Promise<unknown>>();
  return rows.map((row) => {
    if (Array.isArray(row)) return Promise.resolve(row);
    const { member_id, card } = row;
    if (!card) return Promise.resolve([]);
    const names = [`member ${member_id}`, `card ${card.card_id}`];
    const stored = Promise.all(names.map((name) => last.get(name))).then(() =>
      fieldErrorsOf(addCard(member_id, card, importId)),
    );
    for (const name of names) last.set(name, stored);
    return stored;
  });
}

function storeRewards(rows: MemberRow[], importId: string): Map<string, Promise<FieldError[]>> {
  const members = Map.groupBy(
    rows.filter(({ reward }) => reward),
    ({ member_id }) => member_id,
  );
  return new Map(
    [...members].map(([member_id, theirs]) => {
      const rewards = theirs.map(({ reward }) => reward as Reward);
      return [member_id, fieldErrorsOf(addRewards(member_id, rewards, importId))];
    }),
  );
}
