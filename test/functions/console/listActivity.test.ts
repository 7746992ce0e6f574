import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { hashOf } from '../../../lib/base/apiKeyFormat.ts';
import { cursorAt } from '../../../lib/base/cursor.ts';
import { lowerBoundId, newEventId } from '../../../lib/base/eventId.ts';
import { copyKey, type Event } from '../../../lib/events/event.ts';
import { getItem } from '../../../lib/table/client.ts';
import { type ApiResponse, call, expectProblem } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { EVENT_ID, NO_BRANCH, NO_TERMINAL, TIME } from '../../support/constants.ts';
import { bodyOf } from '../../support/outcomes.ts';
import { personOf, type SignedIn } from '../../support/people.ts';
import { storeMany } from '../../support/storeMany.ts';
import { operationsOf, tableRequestsBy, unitsOf } from '../../support/tableRequests.ts';
import {
  archiveBranch,
  type Caller,
  newAcquirer,
  newBranch,
  newDistributorOf,
  newSharedBranch,
  newSharedTerminal,
  newTerminal,
  numbered,
  unique,
  useWorld,
} from '../../support/world.ts';
import { pagesOf, type Query } from '../events/pages.ts';

const [SECOND, HOUR, DAY] = [1000, 3_600_000, 86_400_000];
const NO_CURSOR = 'before: Must be a cursor from this list.';
const { EVENT_DAYS } = process.env;

afterEach(() => {
  jest.useRealTimers();
  process.env['EVENT_DAYS'] = EVENT_DAYS;
});

const world = useWorld();
const list = ({ session }: Pick<SignedIn, 'session'>, query: Query = {}) => call('listActivity', { session, query });
const viewerOf = ({ id }: Caller) => personOf(id, 'viewer');

const eventsOf = ({ body }: ApiResponse): Event[] => body.data.events;
const typesOf = (response: ApiResponse): string[] => eventsOf(response).map(({ type }) => type);
const midsOf = (response: ApiResponse): string[] => eventsOf(response).map(({ branch }) => branch.mid);
/** The MIDs of the branches that a page names. */
const namedBy = ({ body }: ApiResponse): string[] => body.data.branches.map(({ mid }: { mid: string }) => mid).sort();

/** An acquirer with branches created at these times, and a person who signs in at the last. */
async function createdAt(...times: string[]) {
  const caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const mids: string[] = [];
  for (const time of times) {
    setClock(Date.parse(time));
    mids.unshift((await newBranch(caller)).mid);
  }
  return { caller, mids, viewer: await viewerOf(caller) };
}

describe('200: of the acquirer', () => {
  test('lists all events up to now, the newest first, with their branches and names of people', async () => {
    const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const viewer = await viewerOf(provider);
    const operator = await personOf(provider.id, 'operator');
    const fields = { branch_name: 'Harbour', city: 'Porto', terminals: numbered(unique('T'), 1) };
    const [from, to] = [await newBranch(provider, fields), await newBranch(provider)];
    const [{ tid }] = from.terminals;
    const { session } = operator;
    const moved = await call('reassignTerminal', { session, path: { id: tid }, body: { mid: to.mid } });
    await archiveBranch(provider, to.mid);

    const body = await bodyOf(() => list(viewer));

    const [archived, reassigned, ...created] = body.data.events as Event[];
    expect(body).toEqual({
      meta: { next: null, read_to: null, complete_to: TIME },
      data: {
        events: [archived, reassigned, ...created],
        branches: expect.arrayContaining([
          { mid: from.mid, merchant_name: 'Harbour', city: 'Porto', status: 'active' },
          { mid: to.mid, merchant_name: null, city: null, status: 'archived' },
        ]),
      },
    });
    expect(body.data.branches).toHaveLength(2);
    expect(reassigned).toEqual({
      id: EVENT_ID,
      type: 'terminal.reassigned',
      at: moved.body.data.updated_at,
      branch: { mid: to.mid, status: 'active', archived_at: null },
      data: moved.body.data,
      changes: { mid: from.mid },
      reason: null,
      by: {
        acquirer: provider.id,
        acquirer_name: 'Payfair',
        key_id: null,
        key_label: null,
        person: { id: operator.id, name: operator.identity.name },
      },
      request_id: moved.headers['x-request-id'],
    });
    expect([archived?.type, created.map(({ data }) => data)]).toEqual([
      'branch.archived',
      [{ ...to, terminals: [] }, from],
    ]);
  });

  test('has the same events as the feed, in reverse', async () => {
    const { caller, viewer } = await createdAt('2026-11-20T12:00:00.000Z', '2026-11-20T12:00:01.000Z');
    setClock(Date.parse('2026-11-20T12:01:00.000Z'));
    const { body } = await call('listEvents', { key: caller.key });
    expect(eventsOf(await list(viewer))).toEqual(body.data.reverse());
  });

  test('pages through all events, without gaps or doubles, over months', async () => {
    const { mids, viewer } = await createdAt(
      '2026-10-02T12:00:00.000Z',
      '2026-10-31T23:59:59.998Z',
      '2026-10-31T23:59:59.999Z',
      '2026-11-01T00:00:00.000Z',
      '2026-11-01T00:00:00.001Z',
    );
    for (const limit of [1, 2, 3, 50]) {
      const pages = await pagesOf((query) => list(viewer, query), limit);
      expect(pages.flatMap(midsOf)).toEqual(mids);
      expect(pages).toHaveLength(Math.ceil(5 / limit));
      for (const page of pages) expect(namedBy(page)).toEqual(midsOf(page).sort());
    }
  });

  test('has the events from one time to before another, page by page, also of a branch', async () => {
    const times = [
      '2026-09-30T22:00:00.000Z',
      '2026-09-30T23:59:59.999Z',
      '2026-10-01T00:00:00.000Z',
      '2026-10-02T08:00:00.000Z',
    ];
    const { mids, viewer } = await createdAt(...times);
    const [, third, second] = mids;
    const of = (since: string, until: string, more: Query = {}) => list(viewer, { since, until, ...more });
    expect(midsOf(await of('2026-09-30T23:00:00Z', '2026-10-02T08:00:00.000Z'))).toEqual([third, second]);
    const first = await of('2026-09-30T23:00:00Z', '2026-10-02T08:00:00Z', { limit: '1' });
    const rest = await of('2026-09-30T23:00:00Z', '2026-10-02T08:00:00Z', { before: first.body.meta.next });
    expect([midsOf(first), midsOf(rest), rest.body.meta.next]).toEqual([[third], [second], null]);
    const none = await of('2026-10-01T01:00:00Z', '2026-10-02T00:00:00Z');
    expect(none.body).toMatchObject({ data: { events: [], branches: [] }, meta: { next: null } });
    expect(midsOf(await of('2026-10-01T00:00:00Z', '2026-10-03T00:00:00Z', { mid: third as string }))).toEqual([third]);
    expect(midsOf(await of('2026-10-02T00:00:00Z', '2026-10-03T00:00:00Z', { mid: third as string }))).toEqual([]);
    expectProblem(
      await of('yesterday', '2026-10-03'),
      'invalid_query',
      'since: Must be a time in UTC (RFC 3339). until: Must be a time in UTC (RFC 3339).',
    );
  });

  test('has an event that a process stored whose clock is ahead, also of the next month', async () => {
    const { mids, viewer } = await createdAt('2026-11-01T00:00:02.000Z');
    setClock(Date.parse('2026-10-31T23:59:58.000Z'));
    expect(midsOf(await list(viewer))).toEqual(mids);
  });

  test('reads at most six months a page: one without events can have a next', async () => {
    process.env['EVENT_DAYS'] = '400';
    const { mids, viewer } = await createdAt(
      '2026-01-15T12:00:00.000Z',
      '2026-02-01T00:00:00.000Z',
      '2027-02-01T00:00:00.000Z',
    );
    await list(viewer);
    const first = await tableRequestsBy(() => list(viewer));
    expect(operationsOf(first)).toBe('Query Query Query Query Query Query BatchGetItem');
    expect(midsOf(first.response)).toEqual(mids.slice(0, 1));
    const second = await tableRequestsBy(() => list(viewer, { before: first.response.body.meta.next }));
    expect(operationsOf(second)).toBe('Query Query Query Query Query Query');
    const meta = { next: expect.any(String), read_to: '2026-02-28T23:59:59.999Z' };
    expect(second.response.body).toMatchObject({ data: { events: [], branches: [] }, meta });
    const third = await tableRequestsBy(() => list(viewer, { before: second.response.body.meta.next }));
    // To December 2025, when the retention begins.
    expect(operationsOf(third)).toBe('Query Query Query BatchGetItem');
    expect(midsOf(third.response)).toEqual(mids.slice(1));
    expect(third.response.body.meta).toMatchObject({ next: null, read_to: null });
  });

  test('ends at the oldest retained event, which DynamoDB deletes only later', async () => {
    const NOON = Date.parse('2026-11-20T12:00:00.000Z');
    const { caller, mids } = await createdAt('2026-11-20T12:00:00.000Z', '2026-11-20T12:00:01.000Z');
    setClock(NOON + 30 * DAY);
    const viewer = await viewerOf(caller);
    const first = await list(viewer, { limit: '1' });
    expect(midsOf(await list(viewer))).toEqual(mids);
    setClock(NOON + 30 * DAY + 1);
    expect(midsOf(await list(viewer))).toEqual(mids.slice(0, 1));
    expect((await list(viewer, { before: first.body.meta.next })).body).toMatchObject({
      data: { events: [], branches: [] },
      meta: { next: null },
    });
    setClock(NOON + 30 * DAY + SECOND + 1);
    expect((await list(viewer)).body.meta).toMatchObject({ next: null });
  });

  test('takes one query, and one read each for the branches and for the names of people', async () => {
    const caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const admin = await personOf(caller.id, 'admin');
    await list(admin);
    expect(operationsOf(await tableRequestsBy(() => list(admin)))).toMatch(/^Query( Query)?$/);
    const { mid } = await newBranch(caller);
    const sent = await tableRequestsBy(() => list(admin));
    expect(operationsOf(sent)).toMatch(/^Query( Query)? BatchGetItem$/);
    expect(sent.requests[0]?.input).toMatchObject({ ConsistentRead: true, Limit: 22 });
    expect(JSON.stringify(sent.requests.at(-1)?.input)).toContain(
      '"ConsistentRead":false,"ProjectionExpression":"pk, sk',
    );
    expect(unitsOf(sent)).toBeLessThanOrEqual(2.5);
    await call('updateBranch', { session: admin.session, path: { mid }, body: { city: 'Porto' } });
    const byPerson = await tableRequestsBy(() => list(admin));
    expect(operationsOf(byPerson)).toMatch(/^Query( Query)? BatchGetItem BatchGetItem$/);
    expect(byPerson.atOnce).toBe(2);
  });

  test('has no event of other acquirers, and for each only its own views', async () => {
    const { provider, distributor, stranger } = world;
    const { mid } = await newSharedBranch(world, { branch_name: 'Shared' });
    const other = await newDistributorOf(provider);
    const theirs = await newBranch(other, { payment_provider: provider.id, branch_name: 'Theirs' });
    const { tid } = await newTerminal(provider, mid);
    await call('reassignTerminal', { key: provider.key, path: { id: tid }, body: { mid: theirs.mid } });
    const seenBy = async (caller: Caller) => {
      const response = await list(await viewerOf(caller));
      return { types: typesOf(response), named: namedBy(response), text: JSON.stringify(response.body) };
    };
    const ofProvider = await seenBy(provider);
    expect(ofProvider.types[0]).toBe('terminal.reassigned');
    expect(ofProvider.named).toEqual([mid, theirs.mid].sort());
    const ofDistributor = await seenBy(distributor);
    expect(ofDistributor.types).toEqual(['terminal.left', 'terminals.created', 'branch.created']);
    expect(ofDistributor.named).toEqual([mid]);
    for (const hidden of [theirs.mid, 'Theirs', other.id]) expect(ofDistributor.text).not.toContain(hidden);
    const ofOther = await seenBy(other);
    expect(ofOther.types).toEqual(['terminal.joined', 'branch.created']);
    expect(ofOther.named).toEqual([theirs.mid]);
    for (const hidden of [mid, 'Shared', distributor.id]) expect(ofOther.text).not.toContain(hidden);
    expect(await seenBy(stranger)).toMatchObject({ types: [], named: [] });
  });

  test('accepts a cursor of any time', async () => {
    const { caller, mids, viewer } = await createdAt('2026-11-20T12:00:00.000Z');
    const at = (time: number) => cursorAt(lowerBoundId(time), [caller.id, 'activity']);
    for (const time of [0, Date.now()]) expect(midsOf(await list(viewer, { before: at(time) }))).toEqual([]);
    for (const time of [Date.now() + 1, Date.now() + HOUR, 0xffffffffffff])
      expect(midsOf(await list(viewer, { before: at(time) }))).toEqual(mids);
  });
});

describe('200: with a filter', () => {
  test('has the events of a type, a person, an API key or another acquirer', async () => {
    const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const distributor = await newDistributorOf(provider);
    const operator = await personOf(provider.id, 'operator');
    const { mid, terminals } = await newBranch(distributor, {
      payment_provider: provider.id,
      terminals: numbered(unique('T'), 1),
    });
    await call('updateBranch', { session: operator.session, path: { mid }, body: { city: 'Porto' } });
    await archiveBranch(provider, mid);
    const key = hashOf(provider.key).slice(0, 12);
    for (const subject of [{}, { mid }, { tid: terminals[0].tid }] as Query[]) {
      const of = async (query: Query) => typesOf(await list(operator, { ...subject, ...query }));
      expect(await of({ type: 'branch.archived' })).toEqual(['branch.archived']);
      expect(await of({ person: operator.id })).toEqual(subject['tid'] ? [] : ['branch.updated']);
      expect(await of({ key })).toEqual(['branch.archived']);
      expect(await of({ partner: distributor.id })).toEqual(['branch.created']);
      expect(await of({ key, type: 'branch.created' })).toEqual([]);
    }
    // A partner learns neither the key nor the person.
    const partner = await viewerOf(distributor);
    for (const query of [{ key }, { person: operator.id }] as Query[])
      expect(typesOf(await list(partner, query))).toEqual([]);
  });

  test('has all moves, whichever of their branches are accessible', async () => {
    const { provider } = world;
    const [one, other] = [await newDistributorOf(provider), await newDistributorOf(provider)];
    const of = { payment_provider: provider.id };
    const [from, to] = [await newBranch(one, of), await newBranch(other, of)];
    const { tid } = await newTerminal(one, from.mid);
    await call('reassignTerminal', { key: provider.key, path: { id: tid }, body: { mid: to.mid } });
    const seen = async (caller: Caller) =>
      typesOf(await list(await viewerOf(caller), { type: 'terminal.moved', limit: '1' }));
    expect(await seen(provider)).toEqual(['terminal.reassigned']);
    expect(await seen(one)).toEqual(['terminal.left']);
    expect(await seen(other)).toEqual(['terminal.joined']);
  });

  test('reads at most 1,000 events a request, also if none matches, and then continues', async () => {
    const at = Date.parse('2026-11-20T12:00:00.000Z');
    const { caller, viewer } = await createdAt(new Date(at).toISOString());
    const [{ id }] = eventsOf(await list(viewer)) as [Event];
    const item = await getItem(copyKey(caller.id, id));
    await storeMany(1, 1500, (ms) => ({ ...item, sk: newEventId(new Date(at + ms).toISOString()) }));
    setClock(at + HOUR);
    const query: Query = { type: 'branch.archived' };
    await list(viewer);
    const first = await tableRequestsBy(() => list(viewer, query));
    expect([operationsOf(first), unitsOf(first) < 150]).toEqual(['Query', true]);
    const { meta, data } = first.response.body;
    expect([data, meta.read_to]).toEqual([{ events: [], branches: [] }, new Date(at + 501).toISOString()]);
    const rest = await list(viewer, { ...query, before: meta.next });
    expect(rest.body).toMatchObject({ data: { events: [] }, meta: { next: null, read_to: null } });
    expect(typesOf(await list(viewer, { type: 'branch.created', limit: '1', before: meta.next }))).toHaveLength(1);
    // What is new is asked for every few seconds.
    const fresh = await tableRequestsBy(() => list(viewer, { ...query, since: meta.complete_to }));
    expect([fresh.response.body.meta.next, unitsOf(fresh) <= 1]).toEqual([null, true]);
  });
});

describe('200: of a branch or a terminal', () => {
  let provider: SignedIn;
  let distributor: SignedIn;
  beforeAll(async () => {
    [provider, distributor] = [await viewerOf(world.provider), await viewerOf(world.distributor)];
  });

  /** A terminal that was created with another and a shared branch, and moved to one of the provider alone. */
  async function newMoved() {
    const { key } = world.provider;
    const { mid, terminals } = await newSharedBranch(world, { terminals: numbered(unique('T'), 2) });
    const [{ tid }] = terminals;
    const target = await newBranch(world.provider);
    await call('archiveTerminal', { key, path: { id: tid }, body: { reason: 'Stolen' } });
    await call('reassignTerminal', { key, path: { id: tid }, body: { mid: target.mid } });
    return { tid: tid as string, mid: mid as string, target: target.mid as string };
  }

  test.each([
    ['mid', 'getBranchHistory', 'mid'],
    ['tid', 'getTerminalHistory', 'id'],
  ] as const)(
    'with %s, returns the pages of the history, and names the accessible branches',
    async (by, history, name) => {
      const { mid, target, ...moved } = await newMoved();
      const id = { mid, ...moved }[by];
      const get = async (caller: Caller, query: Query) =>
        (await call(history, { key: caller.key, path: { [name]: id }, query })).body;
      for (const [person, caller, named] of [
        [provider, world.provider, [mid, target]],
        [distributor, world.distributor, [mid]],
      ] as const) {
        const all = await list(person, { [by]: id });
        expect(eventsOf(all)).toEqual((await get(caller, { limit: '20' })).data);
        expect(eventsOf(all).length).toBeGreaterThan(2);
        expect([namedBy(all), all.body.meta.next]).toEqual([[...named].sort(), null]);
        const pages = await pagesOf((query) => list(person, { [by]: id, ...query }), 1);
        expect(pages.flatMap(eventsOf)).toEqual(eventsOf(all));
        const [first] = pages as [ApiResponse];
        expect(first.body.meta).toMatchObject((await get(caller, { limit: '1' })).meta);
        expect(namedBy(pages.at(-1) as ApiResponse)).toEqual([mid]);
      }
    },
  );

  test('accepts a MID or TID in UUID form in either case, with white space around it', async () => {
    const { mid, terminals } = await newSharedBranch(world, {
      mid: crypto.randomUUID(),
      terminals: numbered(unique('T'), 1),
    });
    for (const query of [{ mid: ` ${mid.toUpperCase()}` }, { tid: `${terminals[0].tid.toUpperCase()}\n` }])
      expect(typesOf(await list(provider, query))).toEqual(['branch.created']);
  });

  test('404: to people of all other acquirers, and for what does not exist', async () => {
    const { mid, target } = await newMoved();
    const { tid } = await newSharedTerminal(world);
    for (const caller of [world.secondProvider, world.stranger, world.strangeDistributor]) {
      const person = await viewerOf(caller);
      expectProblem(await list(person, { mid }), 'not_found', NO_BRANCH);
      expectProblem(await list(person, { tid }), 'not_found', NO_TERMINAL);
    }
    expectProblem(await list(distributor, { mid: target }), 'not_found', NO_BRANCH);
    expectProblem(await list(provider, { mid: 'NOSUCHMID' }), 'not_found', NO_BRANCH);
    expectProblem(await list(provider, { tid: 'X#TERMINAL' }), 'not_found', NO_TERMINAL);
  });

  test('400: a cursor of another list, or of another acquirer', async () => {
    const { mid, tid, target } = await newMoved();
    const lists: Query[] = [{}, { mid }, { mid: target }, { tid }];
    const cursors = await Promise.all(
      lists.map(async (query) => (await list(provider, { ...query, limit: '1' })).body.meta.next as string),
    );
    const others = (await list(distributor, { limit: '1' })).body.meta.next;
    for (const [at, query] of lists.entries())
      for (const before of [...cursors.filter((_, of) => of !== at), others])
        if (before) expectProblem(await list(provider, { ...query, before }), 'invalid_query', NO_CURSOR);
  });

  test.each([
    ['tid and mid', { tid: 'x', mid: 'x' }, 'Send tid or mid, not both.'],
    ['a type that no event has', { type: 'branch.moved' }, 'type: Must be the type of an event.'],
    ['an empty tid', { tid: '' }, 'tid: Must not be empty.'],
    ['a limit of 0', { limit: '0' }, 'limit: Must be at least 1.'],
    ['a limit of 51', { limit: '51' }, 'limit: Must be at most 50.'],
    ['a text that is no cursor', { before: 'yesterday' }, NO_CURSOR],
  ])('400: %s, without a request to the table', async (_, query, detail) => {
    await list(provider);
    const { response, requests } = await tableRequestsBy(() => list(provider, query as Query));
    expectProblem(response, 'invalid_query', detail);
    expect(requests).toEqual([]);
  });
});
