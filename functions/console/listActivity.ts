import * as v from 'valibot';
import type { Acquirer } from '../../lib/acquirers/acquirer.ts';
import { allDone } from '../../lib/aws/retry.ts';
import { MID_KEYWORDS, soughtId, UUID_KEYWORDS } from '../../lib/base/fields.ts';
import { HORIZON_MS } from '../../lib/base/time.ts';
import { EVENT_TYPES, type Event } from '../../lib/events/event.ts';
import { branchesIn, MOST_EVENTS, newestEvents } from '../../lib/history/activity.ts';
import { branchHistory } from '../../lib/history/branchHistory.ts';
import { terminalHistory } from '../../lib/history/terminalHistory.ts';
import { withNames } from '../../lib/history/withNames.ts';
import type { Contract } from '../../lib/http/contract.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { HistoryQuery } from '../../lib/http/history.ts';
import type { Call } from '../../lib/http/middleware.ts';
import { time, wholeNumber } from '../../lib/http/page.ts';
import { ok } from '../../lib/http/response.ts';
import { type Cost, eventsCost, historyCost } from '../../lib/limits/cost.ts';

/** The types that `terminal.moved` stands for: how a move appears depends on which of its branches one can access. */
const MOVED: readonly string[] = ['terminal.reassigned', 'terminal.left', 'terminal.joined'];

const Query = v.pipe(
  v.object({
    tid: soughtId(UUID_KEYWORDS),
    mid: soughtId(MID_KEYWORDS),
    type: v.optional(v.picklist([...EVENT_TYPES, 'terminal.moved'], 'Must be the type of an event.')),
    person: soughtId(UUID_KEYWORDS),
    key: soughtId({ pattern: '^[0-9a-f]{12}$', maxLength: 12 }),
    partner: soughtId(UUID_KEYWORDS),
    since: v.optional(time),
    until: v.optional(time),
    before: HistoryQuery.entries.before,
    limit: v.optional(wholeNumber(MOST_EVENTS), '20'),
  }),
  v.check(({ tid, mid }) => tid === undefined || mid === undefined, 'Send tid or mid, not both.'),
);
type Query = v.InferOutput<typeof Query>;

/** Which events are wanted, by their type and by who made them; `undefined` for all. */
function filterOf({ type, person, key, partner }: Query): ((event: Event) => boolean) | undefined {
  if ((type ?? person ?? key ?? partner) === undefined) return undefined;
  const isWanted = <T>(wanted: T | undefined, value: T | null | undefined) => wanted === undefined || wanted === value;
  return (event) =>
    (type === 'terminal.moved' ? MOVED.includes(event.type) : isWanted(type, event.type)) &&
    isWanted(person, event.by.person?.id) &&
    isWanted(key, event.by.key_id) &&
    isWanted(partner, event.by.acquirer);
}

function pageOf(acquirer: Acquirer, query: Query) {
  const { tid, mid } = query;
  const request = { ...query, matches: filterOf(query) };
  if (tid !== undefined) return terminalHistory(acquirer, tid, request);
  return mid === undefined ? newestEvents(acquirer, request) : branchHistory(acquirer, mid, request);
}

/** GET /console/api/activity. */
async function list({ acquirer, query }: Call<never, unknown, Query>) {
  const complete_to = new Date(Date.now() - HORIZON_MS).toISOString();
  const { events: found, next, read_to } = await pageOf(acquirer, query);
  const isWanted = (at: string) => Date.parse(at) >= (query.since ?? 0);
  const wanted = found.filter(({ at }) => isWanted(at));
  const [events, branches] = await allDone([withNames(acquirer.id, wanted), branchesIn(acquirer, wanted)]);
  const earlier = read_to !== null && isWanted(read_to) ? { next, read_to } : { next: null, read_to: null };
  return ok({ events, branches }, { meta: { ...earlier, complete_to } });
}

/** To find some events, it reads as many as a page can have. */
function costOf({ query }: Call<never, unknown, Query>): Cost {
  const events = filterOf(query) ? MOST_EVENTS : query.limit;
  return query.tid === undefined && query.mid === undefined ? eventsCost(events) : historyCost(events);
}

export const handler = endpoint(list, { needs: 'read', isForPeople: true, query: Query, cost: costOf });

export const contract = {
  tag: 'Events',
  summary: 'List activity',
  description:
    'Returns events, the newest first: of all branches and terminals that are accessible to you or, with `mid` or ' +
    '`tid`, those of the history of a branch or terminal; with `since` and `until`, those from one time to before ' +
    'another; with `type`, `person`, `key` or `partner`, those of a type, and those that a person, an API key or ' +
    'another acquirer made. `terminal.moved` is of all moves: `terminal.reassigned`, `terminal.left` and ' +
    '`terminal.joined`. An event of the last 25 seconds is included at once, and an earlier one can still appear ' +
    'after it. For the next page, send `meta.next` as `before`; it is `null` at the end. A page can have fewer events ' +
    'than `limit`, or none, although there are more: to find those of a type or author, a request reads at most 1,000 ' +
    'events.',
  success: {
    status: 200,
    description: 'A page of events, and the branches that they mention.',
    data: 'Activity',
    meta: 'ActivityMeta',
  },
} satisfies Contract;
