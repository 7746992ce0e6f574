import { listAcquirers } from '../../../lib/acquirers/registry.ts';
import { lowerBoundId, retentionMs } from '../../../lib/base/eventId.ts';
import { lowerCaseUuid, MID } from '../../../lib/base/mid.ts';
import type { Branch } from '../../../lib/branches/branch.ts';
import { copyKey, type Event, monthBeside, monthOf, type StoredEvent, toEvent } from '../../../lib/events/event.ts';
import { END, eventsAbout } from '../../../lib/history/page.ts';
import { eventsOfTerminal as readTerminal } from '../../../lib/history/terminalHistory.ts';
import type { RecordPage } from '../../../lib/record/record.ts';
import { getItem, getItems, type Item, queryItems } from '../../../lib/table/client.ts';
import { branchKey, eventKey, terminalKey } from '../../../lib/table/keys.ts';
import type { Terminal } from '../../../lib/terminals/terminal.ts';

type Copy = Item<StoredEvent>;

/** Reads events from the copies of their authors, which include the API key. */
async function asAuthored(copies: Copy[]): Promise<Event[]> {
  const events = copies.map(toEvent);
  const authored = await getItems<Copy[]>(events.map(({ by, id }) => copyKey(by.acquirer, id)));
  return events.map((event, at) => (authored[at] ? toEvent(authored[at]) : event));
}

/** The events of a branch and its terminals, newest first; `undefined` if there is no such branch. */
export async function eventsOfBranch(text: string, { limit, before = END }: RecordPage): Promise<Event[] | undefined> {
  const mid = lowerCaseUuid(text);
  const branch = MID.test(mid) ? await getItem<Branch>(branchKey(mid)) : undefined;
  if (!branch) return undefined;
  return asAuthored(await queryItems<Copy>(eventsAbout('branch', branch.payment_provider, mid, before), limit));
}

/**
 * The events of a terminal under all its payment providers, newest first; `undefined` if there is neither such a
 * terminal nor an event of it.
 */
export async function eventsOfTerminal(tid: string, { limit, before = END }: RecordPage): Promise<Event[] | undefined> {
  const terminal = await getItem<Terminal>(terminalKey(tid));
  const providers = (await listAcquirers()).filter(({ type }) => type === 'PAYMENT_PROVIDER');
  const pages = await Promise.all(
    providers.map(async ({ id }) => {
      const found: Copy[] = [];
      for (let page = { hasMore: true }; page.hasMore && found.length < limit; ) {
        const next = await readTerminal(id, tid, found.at(-1)?.sk ?? before, limit);
        found.push(...next.copies);
        page = next;
      }
      return found;
    }),
  );
  const copies = pages.flat();
  if (!terminal && copies.length === 0) return undefined;
  return asAuthored(copies.sort((one, other) => (one.sk < other.sk ? 1 : -1)).slice(0, limit));
}

/** The events that an acquirer can access, newest first; only those whose author is wanted. */
export async function eventsOfAcquirer(
  acquirer: string,
  { limit, before = END }: RecordPage,
  isWanted?: (by: Event['by']) => boolean,
): Promise<Event[]> {
  const found: Event[] = [];
  const [oldest, now] = [Date.now() - retentionMs(), Date.now()].map(lowerBoundId) as [string, string];
  let place = before;
  // An id of another kind can have any time.
  for (let month = monthOf(before < now ? before : now); month >= monthOf(oldest) && found.length < limit; ) {
    const copies = await queryItems<Copy>(
      {
        KeyConditionExpression: 'pk = :pk AND sk < :place',
        ExpressionAttributeValues: { ':pk': eventKey(acquirer, month, '').pk, ':place': place },
        ScanIndexForward: false,
        ConsistentRead: true,
      },
      isWanted ? Math.max(limit, 100) : limit,
    );
    found.push(...copies.map(toEvent).filter(({ by }) => isWanted?.(by) ?? true));
    const last = copies.at(-1);
    place = last?.sk ?? END;
    if (!last) month = monthBeside(month, -1);
  }
  return found.slice(0, limit);
}
