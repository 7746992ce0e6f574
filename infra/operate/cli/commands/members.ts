import { createReadStream } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import type { Argument } from 'commander';
import type { RecordEvent } from '../../../../lib/record/record.ts';
import type { Group } from '../command.ts';
import { explain } from '../explain.ts';
import { FIELDS, memberId } from '../import/memberRow.ts';
import { csvRows } from '../import/rows.ts';
import { checking, inOrder, type Outcome, type Run, runsOf, storing, type Work } from '../import/store.ts';
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
A refused row does not stop the others. All refused rows are printed at the end; with --json, each row when it is done.
Importing the same file again is safe. Rewards of one member in consecutive rows are stored together, which is faster.

Examples:
  $ npm run operator -- members import members.csv --check --stage dev
  $ npm run operator -- members import members.csv --stage dev
  $ zcat rewards.csv.gz | npm run --silent operator -- members import - --json > results.jsonl`;

const ERASE_HELP = `
If it was interrupted, run it again; until then, imports refuse the member. Imports that began before it ended cannot
bring the member back. A later import of a file that still has the member can.`;

export const members: Group = (program) => {
  const group = program.add('members', 'loyalty members, their cards and rewards');

  group
    .add('import', 'import the cards and rewards of a file')
    .argument('<file>', 'CSV; - for stdin')
    .option('--check', 'check all rows, and store nothing')
    .addHelpText('after', HELP)
    .runs(async (session, file: string, { check = false }: { check?: boolean }) => {
      await checkAccess();
      await importFile(session, file, check);
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

/** The most refused rows that are printed without --json. */
const MOST_LINES = 10_000;

async function importFile({ host, print, showCount }: Session, file: string, isCheck: boolean): Promise<void> {
  const interrupted = host.interruption();
  const input = addAbortSignal(interrupted, file === '-' ? host.stdin : createReadStream(file));
  const done = isCheck ? 'valid' : 'stored';
  const count = { [done]: 0, refused: 0 } as Record<Outcome['result'], number>;
  const lines: string[] = [];
  let [event, work, last, failure]: [RecordEvent?, Work?, number?, Error?] = [];
  try {
    for await (const runs of inChunks(runsOf(csvRows(input)), CONCURRENCY)) {
      // Before the first write, and only if the file has rows.
      if (!isCheck) event ??= await service.beginImport();
      work ??= event ? storing(event.id) : checking();
      for (const [at, outcomes] of (await inOrder(runs, work)).entries()) {
        if (outcomes.status === 'rejected') throw stopped(runs[at] as Run, outcomes.reason);
        for (const outcome of outcomes.value) {
          count[outcome.result] += 1;
          last = outcome.line;
          if (outcome.result === 'refused' && lines.length < MOST_LINES) lines.push(lineOf(outcome));
          await print(outcome, undefined);
        }
      }
      showCount(count[done] + count.refused);
      interrupted.throwIfAborted();
    }
    if (event) await service.endImport(event, { stored: count.stored, refused: count.refused });
  } catch (error) {
    failure = error as Error;
  }
  const isInterrupted = interrupted.aborted && failure?.name === 'AbortError';
  // A file that could not be read at all needs no summary.
  if (!failure || last !== undefined) {
    if (count.refused > lines.length) lines.push(`… and ${count.refused - lines.length} more: --json prints all.`);
    await print(count, [...lines, `${count[done]} rows ${done}, ${count.refused} refused.`].join('\n'));
  }
  if (isInterrupted) throw new Stop(`Interrupted after line ${last ?? 0}.${isCheck ? '' : ` ${AGAIN}`}`);
  if (failure) throw failure;
  if (count.refused > 0) throw new Stop(`Refused ${count.refused} of ${count[done] + count.refused} rows.`);
}

const AGAIN = 'Rows stored so far stay; import the file again to continue.';

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

function lineOf({ line, errors }: Extract<Outcome, { result: 'refused' }>): string {
  const reasons = errors.map(({ pointer, detail }) => (pointer ? `${pointer.slice(1)}: ${detail}` : detail));
  return [`line ${line}`, 'refused', ...reasons].join('  ');
}

const stopped = ({ line }: Run, error: Error): Stop => new Stop(`Stopped at line ${line}: ${explain(error)} ${AGAIN}`);
