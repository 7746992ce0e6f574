import * as v from 'valibot';
import type { Acquirer } from '../acquirers/acquirer.ts';
import { cursorAt, INVALID_CURSOR, positionOf } from '../base/cursor.ts';
import { Problem } from '../base/problem.ts';
import { field, time } from '../base/values.ts';
import { type Item, queryPage } from '../table/client.ts';
import { lastSeenKey, tidOfLastSeen } from '../table/keys.ts';
import { getBranch } from './branch.ts';
import { hourOf, LAST_SEEN_ORDERS, type LastSeen, timeOfHour } from './lastSeen.ts';
import { terminalRowsBetween } from './listTerminals.ts';
import { LISTS } from './ranks.ts';
import { shownTerminal } from './terminal.ts';

export const shownLastSeen = v.object({
  tid: shownTerminal.entries.tid,
  last_seen_at: field(time, 'When its last member check was, to the hour (RFC 3339, UTC).'),
});

export const MOST_SEEN = 1_000;

/** The hour and the TID of the last terminal of a page, in a cursor. */
const PLACE = /^\d{1,7}#[\da-f-]{36}$/;
const listOf = ({ id }: Acquirer) => [id, 'last-seen'];

/**
 * Lists when terminals of an acquirer were last seen, the latest hour first, from an index that can lag by some
 * milliseconds, in one query a page.
 *
 * @param since The hour of this time and later ones, in milliseconds since 1970.
 * @returns `next` is the cursor of the next page, `null` after the last.
 * @throws Problem `invalid_query` unless `after` is a cursor of this list, at such an hour.
 */
export async function listLastSeen(acquirer: Acquirer, since: number, after?: string) {
  const { index, owner, position } = LISTS[acquirer.type];
  // The branches are behind all hours.
  const last = -Math.max(hourOf(since), 1);
  const [hour, tid = ''] = after === undefined ? [] : positionOf(after, listOf(acquirer), 'after', PLACE).split('#');
  if (-Number(hour) > last) throw new Problem('invalid_query', `after: ${INVALID_CURSOR}`);
  const { items } = await queryPage<Item<Record<typeof position, number>>>(
    {
      IndexName: index,
      KeyConditionExpression: `${owner} = :owner AND ${position} <= :last`,
      ExpressionAttributeValues: { ':owner': acquirer.id, ':last': last },
    },
    // One more shows whether there is a next page.
    MOST_SEEN + 1,
    hour ? { from: { ...lastSeenKey(tid), [owner]: acquirer.id, [position]: -Number(hour) } } : {},
  );
  const seen = items.slice(0, MOST_SEEN).map((item) => ({ tid: tidOfLastSeen(item), hour: -item[position] }));
  const end = items.length > MOST_SEEN && seen.at(-1);
  return {
    seen: seen.map(({ tid, hour }) => ({ tid, last_seen_at: timeOfHour(hour) })),
    next: end ? cursorAt(`${end.hour}#${end.tid}`, listOf(acquirer)) : null,
  };
}

/**
 * Lists when the terminals of a branch were last seen, from an index that can lag by some milliseconds, in one query.
 *
 * @param since As of {@link listLastSeen}.
 * @throws Problem `not_found` when the branch is not accessible.
 */
export async function listLastSeenIn(acquirer: Acquirer, mid: string, since: number) {
  await getBranch(acquirer, mid);
  const rows = await terminalRowsBetween<Item<LastSeen>>(mid, LAST_SEEN_ORDERS, MOST_SEEN);
  return rows.flatMap((row) => {
    const hour = -(row.provider_position ?? 0);
    return hour < hourOf(since) ? [] : [{ tid: tidOfLastSeen(row), last_seen_at: timeOfHour(hour) }];
  });
}
