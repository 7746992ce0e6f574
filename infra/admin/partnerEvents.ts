import { lowerCaseUuid, MID, UUID } from '../../lib/base/mid.ts';
import type { Branch } from '../../lib/branch.ts';
import { copyKey, type Event, monthBeside, monthOf, type StoredEvent, toEvent } from '../../lib/event.ts';
import { lowerBoundId, retentionMs } from '../../lib/eventId.ts';
import { creationsOf, END, eventsAbout } from '../../lib/history.ts';
import type { RecordPage } from '../../lib/record.ts';
import { getItem, getItems, type Item, queryItems } from '../../lib/table/client.ts';
import { acquirerOfEvent, branchKey, eventKey, terminalKey } from '../../lib/table/keys.ts';
import type { Terminal } from '../../lib/terminal.ts';

type Copy = Item<StoredEvent>;

/** Reads the events with these ids from the copies of their authors, which include the API key. */
async function wholeEvents(provider: string, ids: string[]): Promise<Event[]> {
  const events = await readCopies(ids.map((id) => [provider, id]));
  // Only the author's copy has its API key.
  return readCopies(events.map(({ by, id }) => [by.acquirer, id]));
}

async function readCopies(copies: [acquirer: string, id: string][]): Promise<Event[]> {
  const found = await getItems<Copy[]>(copies.map((copy) => copyKey(...copy)));
  return found.flatMap((copy) => (copy ? [toEvent(copy)] : []));
}

/** The events of a branch and its terminals, newest first; `undefined` if there is no such branch. */
export async function eventsOfBranch(text: string, { limit, before = END }: RecordPage): Promise<Event[] | undefined> {
  const mid = lowerCaseUuid(text);
  const branch = MID.test(mid) ? await getItem<Branch>(branchKey(mid)) : undefined;
  if (!branch) return undefined;
  const keys = await eventsAbout('branch', mid, before, limit);
  return wholeEvents(
    branch.payment_provider,
    keys.map(({ sk }) => sk),
  );
}

/**
 * The events of a terminal under all its payment providers, newest first; `undefined` if there is neither such a
 * terminal nor an event of it.
 */
export async function eventsOfTerminal(
  text: string,
  { limit, before = END }: RecordPage,
): Promise<Event[] | undefined> {
  if (!UUID.test(text)) return undefined;
  const tid = text.toLowerCase();
  const terminal = await getItem<Terminal>(terminalKey(tid));
  const branch = terminal && (await getItem<Branch>(branchKey(terminal.mid)));
  // Includes the event at which the previous page ended, because it has the time when its terminal was created.
  const keys = await eventsAbout('terminal', tid, `${before}${END}`, limit + 1);
  if (!terminal && keys.length === 0) return undefined;
  const changes = (await getItems<Copy[]>(keys)).flatMap((copy) => copy ?? []);
  const lives = new Map(changes.map((copy) => [copy.terminal_created_at, acquirerOfEvent(copy)]));
  if (terminal && branch) lives.set(terminal.created_at, branch.payment_provider);
  const creations = await Promise.all([...lives].map(([time, provider]) => creationsOf(provider, tid, time)));
  const copies = [...changes, ...creations.flat()].filter(({ sk }) => sk < before);
  const events = await Promise.all(copies.map((copy) => wholeEvents(acquirerOfEvent(copy), [copy.sk])));
  return newestFirst(events.flat()).slice(0, limit);
}

const newestFirst = (events: Event[]): Event[] => events.sort((one, other) => (one.id < other.id ? 1 : -1));

/** The events that an acquirer can access, newest first; only those of one API key if its id is given. */
export async function eventsOfAcquirer(
  acquirer: string,
  { limit, before }: RecordPage,
  keyId?: string,
): Promise<Event[]> {
  const found: Event[] = [];
  const oldest = monthOf(lowerBoundId(Date.now() - retentionMs()));
  let place = before ?? END;
  for (let month = monthOf(before ?? lowerBoundId(Date.now())); month >= oldest && found.length < limit; ) {
    const copies = await queryItems<Copy>(
      {
        KeyConditionExpression: 'pk = :pk AND sk < :place',
        ExpressionAttributeValues: { ':pk': eventKey(acquirer, month, '').pk, ':place': place },
        ScanIndexForward: false,
        ConsistentRead: true,
      },
      Math.max(limit, 100),
    );
    found.push(...copies.map(toEvent).filter(({ by }) => keyId === undefined || by.key_id === keyId));
    const last = copies.at(-1);
    place = last?.sk ?? END;
    if (!last) month = monthBeside(month, -1);
  }
  return found.slice(0, limit);
}
