import { type FieldError, Problem } from '../../../lib/base/problem.ts';
import type { Reward } from '../../../lib/member.ts';
import type { Service } from '../session.ts';
import { type MemberRow, memberRowOf } from './memberRow.ts';
import type { Row } from './rows.ts';

/** What became of a row. */
export type Outcome = { line: number } & ({ result: 'stored' } | { result: 'refused'; errors: FieldError[] });

/**
 * Stores rows, up to 99. What is about the same card or the same member is stored as in the file: its cards one after the
 * other, then all of its rewards at once. Each write for a member checks that it was not erased, so several at the same time
 * would be in each other's way.
 *
 * @param importId The id of the import's event.
 * @returns What became of each row in the file's order, or what went wrong that is no fault of the row.
 */
export async function storeRows(
  service: Service,
  rows: Row[],
  importId: string,
): Promise<PromiseSettledResult<Outcome>[]> {
  const judged = rows.map((row) => ('fields' in row ? memberRowOf(row.fields) : row.errors));
  const cards = storeCards(service, judged, importId);
  const outcomes = await Promise.allSettled(cards);
  // A row whose card is refused stores no reward either.
  const isStored = (at: number) => outcomes[at]?.status === 'fulfilled' && outcomes[at].value.length === 0;
  const rewards = storeRewards(service, judged.filter((_, at) => isStored(at)) as MemberRow[], importId);
  return Promise.allSettled(
    rows.map(async ({ line }, at): Promise<Outcome> => {
      const row = judged[at] as MemberRow;
      const ofCard = (await cards[at]) as FieldError[];
      const errors = ofCard.length === 0 && row.reward ? ((await rewards.get(row.member_id)) as FieldError[]) : ofCard;
      return errors.length > 0 ? { line, result: 'refused', errors } : { line, result: 'stored' };
    }),
  );
}

/** Why a write is refused; empty when it is done. Rejects with what is no fault of the row. */
const refusalOf = (write: Promise<void>): Promise<FieldError[]> =>
  write.then(
    () => [],
    (error) => {
      if (error instanceof Problem && error.errors) return error.errors;
      throw error;
    },
  );

/** Stores the cards of rows. Returns why each row is refused: for its own errors, or for its card. */
function storeCards(service: Service, rows: (MemberRow | FieldError[])[], importId: string): Promise<FieldError[]>[] {
  const last = new Map<string, Promise<unknown>>();
  return rows.map((row) => {
    if (Array.isArray(row)) return Promise.resolve(row);
    const { member_id, card } = row;
    if (!card) return Promise.resolve([]);
    const names = [`member ${member_id}`, `card ${card.card_id}`];
    const stored = Promise.all(names.map((name) => last.get(name))).then(() =>
      refusalOf(service.addCard(member_id, card, importId)),
    );
    for (const name of names) last.set(name, stored);
    return stored;
  });
}

/** Stores the rewards of rows. Returns why they are refused, by member. */
function storeRewards(service: Service, rows: MemberRow[], importId: string): Map<string, Promise<FieldError[]>> {
  const members = Map.groupBy(
    rows.filter(({ reward }) => reward),
    ({ member_id }) => member_id,
  );
  return new Map(
    [...members].map(([member_id, theirs]) => {
      const rewards = theirs.map(({ reward }) => reward as Reward);
      return [member_id, refusalOf(service.addRewards(member_id, rewards, importId))];
    }),
  );
}
