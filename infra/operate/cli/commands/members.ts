import { createReadStream } from 'node:fs';
import type { Argument } from 'commander';
import type { RecordEvent } from '../../../../lib/record/record.ts';
import type { Group } from '../command.ts';
import { explain } from '../explain.ts';
import { FIELDS, memberId } from '../import/memberRow.ts';
import { csvRows, type Row } from '../import/rows.ts';
import { type Outcome, storeRows } from '../import/store.ts';
import { argument } from '../input.ts';
import { table } from '../output.ts';
import { checkAccess } from '../reach.ts';
import * as service from '../service.ts';
import type { Session } from '../session.ts';
import { Stop } from '../stop.ts';

const CONCURRENCY = 16;

const HELP = `
Each row has a member_id and a card, a reward or both:
  ${FIELDS.join(', ')}
The file begins with a line of these names. Times are in UTC, such as 2026-01-31T23:59:59Z.
A refused row is reported and does not stop the others. Importing the same file again is safe.

Examples:
  $ npm run operator -- members import members.csv --stage dev
  $ zcat rewards.csv.gz | npm run --silent operator -- members import - --json > results.jsonl`;

const ERASE_HELP = `
If it was interrupted, run it again; until then, imports refuse the member. Imports that began before it ended cannot
bring the member back. A later import of a file that still has the member can.`;

export const members: Group = (program) => {
  const group = program.add('members', 'loyalty members, their cards and rewards');

  group
    .add('import', 'import the cards and rewards of a file; prints a result per row')
    .argument('<file>', 'CSV; - for stdin')
    .addHelpText('after', HELP)
    .runs(async (session, file: string) => {
      await checkAccess();
      await importFile(session, file);
    });

  group
    .add('show', 'show the rewards and cards of a member; cards by reference, never by card_id')
    .addArgument(memberArgument())
    .runs(async ({ print }, id: string) => {
      const member = await service.getMember(id);
      await print(member, `Cards:\n${table(member.cards, CARDS)}\n\nRewards:\n${table(member.rewards, REWARDS)}`);
    });

  group
    .add('erase', 'erase all cards and rewards of a member permanently')
    .addArgument(memberArgument())
    .addHelpText('after', ERASE_HELP)
    .runs(async (session, id: string) => {
      const { print, confirm } = session;
      await checkAccess();
      const { cards, rewards } = await service.erasableOf(id);
      await confirm(`erase the member ${id} for good (cards: ${cards}, rewards: ${rewards})`);
      const erased = await service.eraseMember(id);
      await print(erased, `Erased the member (cards: ${erased.cards}, rewards: ${erased.rewards}).`);
    });
};

const memberArgument = (): Argument => argument('<member-id>', 'member_id, as imported', memberId);

const CARDS = { CARD: 'card', IMPORTED: 'imported_at', BLOCKED: 'blocked_at' } as const;
const REWARDS = {
  ID: 'reward_id',
  NAME: 'name',
  CURRENCY: 'currency',
  MINIMUM: 'minimum_amount',
  'VALID FROM': 'valid_from',
  EXPIRES: 'expires_at',
} as const;

async function importFile({ host, print }: Session, file: string): Promise<void> {
  const input = file === '-' ? host.stdin : createReadStream(file);
  const count = { stored: 0, refused: 0 };
  let event: RecordEvent | undefined;
  for await (const rows of inChunks(csvRows(input), CONCURRENCY)) {
    // Before the first write, and only if the file has rows.
    event ??= await service.beginImport();
    const outcomes = await storeRows(rows, event.id);
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.status === 'rejected') throw stopped(rows[at], outcome.reason);
      count[outcome.value.result] += 1;
      await print(outcome.value, lineOf(outcome.value));
    }
  }
  if (event) await service.endImport(event, count);
  await print(count, `${count.stored} rows stored, ${count.refused} refused.`);
  if (count.refused > 0) throw new Stop(`Refused ${count.refused} of ${count.stored + count.refused} rows.`);
}

async function* inChunks<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let chunk: T[] = [];
  for await (const item of items) {
    chunk.push(item);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

function lineOf(outcome: Outcome): string {
  const errors = outcome.result === 'refused' ? outcome.errors : [];
  const reasons = errors.map(({ pointer, detail }) => (pointer ? `${pointer.slice(1)}: ${detail}` : detail));
  return [`line ${outcome.line}`, outcome.result, ...reasons].join('  ');
}

const stopped = (row: Row | undefined, error: Error): Stop =>
  new Stop(
    `Stopped at line ${row?.line}: ${explain(error)} Rows stored so far stay; import the file again to continue.`,
  );
