import { createHash } from 'node:crypto';
import { v7 as uuidV7 } from 'uuid';
import type { Operation } from '../../support/invoke.ts';
import { inOneCase } from './bodies.ts';
import { acquirersOf, placeOf } from './resources.ts';
import { ok, Rejection, wrongNumber } from './responses.ts';
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

/** What an acquirer learns about the key or the person of another. */
const NOBODY = { key_id: null, key_label: null, person: null };

/** An event as one acquirer sees it. */
function showEvent(s: State, { request_id, author, at }: Change, { acquirer, ...shown }: View) {
  const random = createHash('sha256').update(request_id).digest().subarray(0, 16);
  const { by, name } = s.acquirers.find(({ id }) => id === author) as Acquirer;
  return {
    id: uuidV7({ msecs: Date.parse(at), random }),
    at,
    request_id,
    ...shown,
    by: { acquirer: author, acquirer_name: name, ...(acquirer === author ? by : NOBODY) },
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

/** The limit of a list of events and the place of its cursor, if it has one. */
function rangeOf(operation: Operation, parameter: 'after' | 'before', { query, path, caller, cursor }: Input) {
  const { [parameter]: text, limit } = query;
  const noCursor = `${parameter}: Must be a cursor from this list.`;
  const wrong = limit === undefined ? undefined : wrongNumber(limit, 100);
  const isNow = parameter === 'after' && text === 'now';
  const fieldErrors = [
    ...(text === undefined || isNow || /^(?:[\w-]{34}|[\w-]{64})$/.test(text) ? [] : [noCursor]),
    ...(wrong ? [`limit: ${wrong}`] : []),
  ];
  if (fieldErrors.length > 0) throw new Rejection('invalid_query', fieldErrors.join(' '));
  const isOwn =
    cursor?.text === text &&
    cursor?.operation === operation &&
    cursor.caller === caller.id &&
    Object.values(cursor.path).map(inOneCase).join() === Object.values(path).join();
  if (text !== undefined && !isNow && !isOwn) throw new Rejection('invalid_query', noCursor);
  return { most: Number(limit ?? (parameter === 'after' ? 100 : 20)), place: isOwn ? cursor.place : undefined };
}

/** A page of a history. */
export function historyPage(operation: Operation, ask: Input, isAbout: (change: Change) => boolean) {
  const { most, place = '~' } = rangeOf(operation, 'before', ask);
  const events = eventsOf(ask.items, ask.caller, isAbout).reverse();
  const left = events.filter(({ id }) => id < place);
  return ok(left.slice(0, most), { meta: { next: left.length > most ? CURSOR : null } });
}

export const after = (time: string): string => new Date(Date.parse(time) + 1).toISOString();

export const EVENT_OPERATIONS = {
  listEvents(s, ask) {
    const { caller, query, times } = ask;
    const { most, place = '' } = rangeOf('listEvents', 'after', ask);
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
