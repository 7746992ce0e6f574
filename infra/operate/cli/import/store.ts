import { type FieldError, Problem } from '../../../../lib/base/problem.ts';
import { addCard, addRewards, newImportId, refusalsOf } from '../../../../lib/operator/memberImport.ts';
import { type MemberRow, memberRowOf } from './memberRow.ts';
import type { Row } from './rows.ts';

export type Outcome = { line: number } & ({ result: 'stored' | 'valid' } | { result: 'refused'; errors: FieldError[] });

type Refused = Extract<Outcome, { errors: FieldError[] }>;
type ValidRow = MemberRow & { line: number };

/** Consecutive rows of one member, or a row that is not valid. */
export type Run = { line: number } & ({ member_id: string; rows: ValidRow[] } | { refused: Refused });

/** Far fewer rewards than a transaction can have. */
const MOST_ROWS = 50;

/** Joins consecutive rows of one member, whose rewards so take one transaction. */
export async function* runsOf(rows: AsyncIterable<Row>): AsyncGenerator<Run> {
  let open: Extract<Run, { rows: ValidRow[] }> | undefined;
  for await (const row of rows) {
    const { line } = row;
    const parsed = 'fields' in row ? memberRowOf(row.fields) : row.errors;
    if (!Array.isArray(parsed) && open?.member_id === parsed.member_id && open.rows.length < MOST_ROWS) {
      open.rows.push({ ...parsed, line });
      continue;
    }
    if (open) yield open;
    open = undefined;
    if (Array.isArray(parsed)) yield { line, refused: { line, result: 'refused', errors: parsed } };
    else open = { line, member_id: parsed.member_id, rows: [{ ...parsed, line }] };
  }
  if (open) yield open;
}

/** What is done with rows of one member. It throws for a failure that is not due to a row. */
export type Work = (member_id: string, rows: ValidRow[]) => Promise<Outcome[]>;

/**
 * Does some work with runs at once, but with those of the same member or with the same card_id one after the other in the
 * file's order: each write for a member checks that the member was not erased, so concurrent ones would conflict.
 *
 * @returns The outcomes of each run in the file's order.
 */
export function inOrder(runs: Run[], work: Work): Promise<PromiseSettledResult<Outcome[]>[]> {
  const last = new Map<string, Promise<unknown>>();
  return Promise.allSettled(
    runs.map((run) => {
      if ('refused' in run) return [run.refused];
      const { member_id, rows } = run;
      const cards = rows.flatMap(({ card }) => (card ? [`card ${card.card_id}`] : []));
      const names = [`member ${member_id}`, ...cards];
      const done = Promise.allSettled(names.map((name) => last.get(name))).then(() => work(member_id, rows));
      for (const name of names) last.set(name, done);
      return done;
    }),
  );
}

/** Stores rows. If the card of a row is refused, it stores no reward of it either. */
export const storing =
  (importId: string): Work =>
  async (member_id, rows) => {
    const ofCards: FieldError[][] = [];
    for (const { card } of rows) ofCards.push(card ? await refusalsBy(() => addCard(member_id, card, importId)) : []);
    const rewards = rows.flatMap(({ reward }, at) => (ofCards[at]?.length === 0 && reward ? [reward] : []));
    const ofRewards = await refusalsBy(() => addRewards(member_id, rewards, importId));
    return rows.map((row, at) =>
      outcomeOf(row, 'stored', row.reward && ofCards[at]?.length === 0 ? ofRewards : ofCards[at]),
    );
  };

/** Checks whether rows would be stored now, and stores nothing. */
export function checking(): Work {
  const importId = newImportId();
  const owners = new Map<string, string>();
  return async (member_id, rows) => {
    const outcomes: Outcome[] = [];
    for (const row of rows)
      outcomes.push(outcomeOf(row, 'valid', await refusalsOf(member_id, row.card, importId, owners)));
    return outcomes;
  };
}

const outcomeOf = ({ line }: ValidRow, result: 'stored' | 'valid', errors: FieldError[] = []): Outcome =>
  errors.length > 0 ? { line, result: 'refused', errors } : { line, result };

/** Runs a write. Returns why it was refused; nothing if it was not. */
async function refusalsBy(write: () => Promise<unknown>): Promise<FieldError[]> {
  try {
    await write();
    return [];
  } catch (error) {
    if (error instanceof Problem && error.errors) return error.errors;
    throw error;
  }
}
