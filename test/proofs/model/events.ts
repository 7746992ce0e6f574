import { createHash } from 'node:crypto';
import { v7 as uuidV7 } from 'uuid';
import { acquirersOf, placeOf } from './resources.ts';
import { ok } from './responses.ts';
import type { Acquirer, Branch, Change, Input, Operations, State, Terminal, Times, View } from './state.ts';

/* Events, their pages and histories. */

/** The time of a change, which is later than the times before it. */
export function changed({ began, stated }: Times, ...notBefore: string[]): string {
  const earliest = [began, ...notBefore].sort().at(-1) as string;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(stated) && stated >= earliest ? stated : `from ${earliest} on`;
}

/** Records a change. Both acquirers of its branch see the same. */
export function record(
  s: State,
  { caller, times: { request_id } }: Input,
  branch: Branch,
  change: { at: string; type: string; terminals: Terminal[]; data: unknown; changes?: object | null },
  more: Partial<Change> = {},
): void {
  const { at, type, terminals, data, changes = null } = change;
  const view = { type, branch: placeOf(branch), data, changes };
  s.changes.push({
    request_id,
    author: caller.id,
    at,
    mids: [branch.mid],
    tids: terminals.map(({ tid }) => tid),
    views: acquirersOf(branch).map((acquirer) => ({ acquirer, ...view })),
    ...more,
  });
}

/** An event as one acquirer sees it. */
function showEvent(s: State, { request_id, author, at }: Change, { acquirer, ...shown }: View) {
  const random = createHash('sha256').update(request_id).digest().subarray(0, 16);
  const { key_id, name } = s.acquirers.find(({ id }) => id === author) as Acquirer;
  // Others learn nothing about the key.
  const key = acquirer === author ? { key_id, key_label: 'model' } : { key_id: null, key_label: null };
  return {
    id: uuidV7({ msecs: Date.parse(at), random }),
    at,
    request_id,
    ...shown,
    reason: null,
    by: { acquirer: author, acquirer_name: name, ...key, person: null },
  };
}

/** The events of some changes that an acquirer sees, oldest first. */
const eventsOf = (s: State, { id }: Acquirer, isAbout: (change: Change) => boolean = () => true) =>
  s.changes
    .filter(isAbout)
    .flatMap((change) =>
      change.views.filter(({ acquirer }) => acquirer === id).map((view) => showEvent(s, change, view)),
    )
    .sort((a, b) => (a.id < b.id ? -1 : 1));

/** A cursor's text in the model. The real text can be any. */
export const CURSOR = 'a cursor';

/** A page of a history. */
export function historyPage(ask: Input, isAbout: (change: Change) => boolean) {
  const [most, place] = [Number(ask.query['limit'] ?? 20), ask.cursor?.place ?? '~'];
  const events = eventsOf(ask.items, ask.caller, isAbout).reverse();
  const left = events.filter(({ id }) => id < place);
  return ok(left.slice(0, most), { meta: { next: left.length > most ? CURSOR : null } });
}

/** The next millisecond. A time that is only known to be from another one on belongs to an order that is impossible. */
export const after = (time: string): string =>
  time.startsWith('from') ? time : new Date(Date.parse(time) + 1).toISOString();

export const EVENT_OPERATIONS = {
  listEvents(s, ask) {
    const { caller, query, times } = ask;
    const [most, place] = [Number(query['limit'] ?? 100), ask.cursor?.place ?? ''];
    const isTime = place.includes('T');
    // Only the response of a last page has the time up to which it is complete.
    const { began, ended, stated } = times;
    const end = began <= stated && stated <= ended ? stated : ended;
    const shown = eventsOf(s, caller).filter(
      ({ id, at }) => at < end && query['after'] !== 'now' && (isTime ? at >= place : id > place),
    );
    const data = shown.slice(0, most);
    const isFull = data.length === most;
    return ok(data, { meta: { next: CURSOR, up_to_date: !isFull, complete_to: isFull ? data.at(-1)?.at : end } });
  },
} satisfies Partial<Operations>;
