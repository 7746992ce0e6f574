import { createReadStream, ReadStream } from 'node:fs';
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { type Argument, Option } from 'commander';
import type { Member } from '../../../lib/memberRights.ts';
import type { RecordEvent } from '../../../lib/record.ts';
import { explain } from '../explain.ts';
import { startBar } from '../import/bar.ts';
import { FIELDS, memberId } from '../import/memberRow.ts';
import { csvRows, jsonlRows, type Row } from '../import/rows.ts';
import { type Outcome, storeRows } from '../import/store.ts';
import { argument } from '../input.ts';
import { table } from '../output.ts';
import { reachAll } from '../reach.ts';
import type { Group, Session } from '../session.ts';
import { Stop, WRONG_USAGE } from '../stop.ts';

const READERS = { csv: csvRows, jsonl: jsonlRows };
type Format = keyof typeof READERS;
const EXTENSIONS: Record<string, Format> = { '.csv': 'csv', '.jsonl': 'jsonl', '.ndjson': 'jsonl' };

/** Little enough that what was read is soon stored: the bar shows what was read. */
const READ_BYTES = 4096;

/** So many rows are stored at the same time. */
const AT_ONCE = 16;

const HELP = `
Each row has a member_id, and a card, a reward or both:
  ${FIELDS.join(', ')}
A CSV file begins with a line of such names. Times are in UTC, such as 2026-01-31T23:59:59Z.
A row that is refused is reported and keeps no other from being stored. Importing a file again changes nothing that is as
the file has it.

Examples:
  $ npm run admin -- members import members.csv --stage dev
  $ zcat rewards.jsonl.gz | npm run --silent admin -- members import - --format jsonl --json > results.jsonl`;

const ERASE_HELP = `
Repeat it if it was interrupted: it erases the rest, and until then no import stores anything of the member. Imports that
began before it ended bring nothing back; a later import of a file that still has the member does.`;

export const members: Group = (program, action) => {
  const group = program.command('members').description('members of the loyalty programme: their cards and rewards');

  group
    .command('import')
    .description('store the cards and rewards of a file, with a result per row')
    .argument('<file>', 'CSV or JSON Lines; - for stdin')
    .addOption(new Option('--format <format>', "default: by the file's extension").choices(Object.keys(READERS)))
    .addHelpText('after', HELP)
    .action(
      action(async (session, file: string, { format = EXTENSIONS[extname(file)] }: { format?: Format }) => {
        if (!format) throw new Stop('Wrong usage: add --format csv or --format jsonl for this file.', WRONG_USAGE);
        await reachAll(session.service);
        await importFile(session, file, READERS[format]);
      }),
    );

  group
    .command('show')
    .description("a member's cards and rewards; cards by a short reference, never by an identifier")
    .addArgument(memberArgument())
    .action(
      action(async ({ service, response }, id: string) => {
        const member = await service.getMember(id);
        await response(member, textOf(member));
      }),
    );

  group
    .command('erase')
    .description('remove all cards and rewards of a member, for good')
    .addArgument(memberArgument())
    .addHelpText('after', ERASE_HELP)
    .action(
      action(async (session, id: string) => {
        const { service, response, confirm } = session;
        await reachAll(service);
        const { cards, rewards } = await service.erasableOf(id);
        await confirm(`erase the member ${id} for good (cards: ${cards}, rewards: ${rewards})`);
        const erased = await service.eraseMember(id);
        await response(erased, `Erased the member (cards: ${erased.cards}, rewards: ${erased.rewards}).`);
      }),
    );
};

const memberArgument = (): Argument => argument('<member-id>', 'as it was imported', memberId);

const textOf = ({ cards, rewards }: Member): string => {
  const cardRows = cards.map(({ card, imported_at, blocked_at }) => [card, imported_at ?? '', blocked_at ?? '']);
  const rewardRows = rewards.map(({ minimum_amount, ...reward }) => [
    ...[reward.reward_id, reward.name, reward.currency, String(minimum_amount)],
    ...[reward.valid_from, reward.expires_at],
  ]);
  return [
    `Cards:\n${table(['CARD', 'IMPORTED', 'BLOCKED'], cardRows)}`,
    `Rewards:\n${table(['ID', 'NAME', 'CURRENCY', 'MINIMUM', 'VALID FROM', 'EXPIRES'], rewardRows)}`,
  ].join('\n\n');
};

async function importFile(
  { io, service, showsProgress, response }: Session,
  file: string,
  read: (input: Readable) => AsyncIterable<Row>,
): Promise<void> {
  const bar = showsProgress && file !== '-' ? startBar(file, io.stderr) : undefined;
  const input = file === '-' ? io.stdin : createReadStream(file, { highWaterMark: READ_BYTES });
  const count = { stored: 0, refused: 0 };
  let event: RecordEvent | undefined;
  try {
    for await (const rows of inChunks(read(input), AT_ONCE)) {
      // Before anything is stored, and not for a file that has no rows.
      event ??= await service.beginImport();
      const outcomes = await storeRows(service, rows, event.id);
      bar?.makeWay();
      for (const [at, outcome] of outcomes.entries()) {
        if (outcome.status === 'rejected') throw stopped(rows[at], outcome.reason);
        count[outcome.value.result] += 1;
        await response(outcome.value, lineOf(outcome.value));
      }
      bar?.advanceTo(input instanceof ReadStream ? input.bytesRead : 0, `${count.stored + count.refused} rows`);
    }
  } finally {
    bar?.end();
  }
  if (event) await service.endImport(event, count);
  await response(count, `${count.stored} rows stored, ${count.refused} refused.`);
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
  new Stop(`Stopped at line ${row?.line}: ${explain(error)} What is stored stays; import the file again to go on.`);
