import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { call } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { EVENT_ID } from '../../support/constants.ts';
import { bodyOf, expectRefused } from '../../support/outcomes.ts';
import { operationsOf, tableRequestsBy } from '../../support/tableRequests.ts';
import { archiveBranch, type Caller, newAcquirer, newBranch } from '../../support/world.ts';

const NO_CURSOR = 'after: Must be a cursor from this list.';
const EXPIRED =
  'Events after this cursor may have expired. Get a cursor with after=now, read the lists, then continue from that ' +
  'cursor.';
const [SECOND, DAY] = [1000, 24 * 60 * 60 * 1000];
const NOON = Date.parse('2026-11-20T12:00:00.000Z');

let caller: Caller;
beforeEach(async () => {
  caller = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
});
afterEach(() => void jest.useRealTimers());

const list = (query: Record<string, string> = {}, { key } = caller) => call('listEvents', { key, query });
const data = async (query?: Record<string, string>) => (await list(query)).body.data;
const meta = async (query?: Record<string, string>) => (await list(query)).body.meta;
const midsOf = (events: { branch: { mid: string } }[]) => events.map(({ branch }) => branch.mid);
const cursor = expect.stringMatching(/^[\w-]+$/);
const time = (at: number) => new Date(at).toISOString();

/** Creates branches, each at a given time. */
async function createAt(times: Record<string, number>): Promise<void> {
  for (const [name, at] of Object.entries(times)) {
    setClock(at);
    await newBranch(caller, { mid: `${name}${caller.id.slice(0, 8)}` });
  }
}
const named = (...names: string[]) => names.map((name) => `${name}${caller.id.slice(0, 8)}`);

describe('200', () => {
  test('lists every change that the caller can see, oldest first, and up to when it is complete', async () => {
    const other = await newAcquirer('PAYMENT_PROVIDER', 'Quickpay');
    setClock(NOON);
    const branch = await newBranch(caller);
    setClock(NOON + SECOND);
    const archived = await archiveBranch(caller, branch.mid);
    setClock(NOON + 60 * SECOND);

    const body = await bodyOf(() => list());

    const by = {
      ...{ acquirer: caller.id, acquirer_name: caller.name, key_label: 'test', person: null },
      key_id: expect.stringMatching(/^[\da-f]{12}$/),
    };
    const common = { id: EVENT_ID, changes: null, reason: null, by, request_id: expect.any(String) };
    const { mid } = branch;
    const [created_at, archived_at] = [time(NOON), time(NOON + SECOND)];
    const created = { type: 'branch.created', at: created_at, data: branch };
    const closed = { type: 'branch.archived', at: archived_at, data: archived };
    expect(body).toEqual({
      data: [
        { ...common, ...created, branch: { mid, status: 'active', archived_at: null } },
        { ...common, ...closed, branch: { mid, status: 'archived', archived_at } },
      ],
      meta: { next: cursor, up_to_date: true, complete_to: time(NOON + 35 * SECOND) },
    });
    expect((await list({}, other)).body.data).toEqual([]);
  });

  test('shows an event 25 seconds after its time, once no earlier event can still be stored', async () => {
    await createAt({ A: NOON });
    setClock(NOON + 25 * SECOND);
    expect(await data()).toEqual([]);
    setClock(NOON + 25 * SECOND + 1);
    expect(midsOf(await data())).toEqual(named('A'));
  });

  test('pages through all events with the cursor, without gaps or duplicates', async () => {
    const names = ['A', 'B', 'C', 'D', 'E'];
    await createAt(Object.fromEntries(names.map((name, at) => [name, NOON + at])));
    setClock(NOON + 60 * SECOND);
    const pages = [];
    for (let after: string | undefined, isDone = false; !isDone; ) {
      const { body } = await list({ limit: '2', ...(after && { after }) });
      pages.push(midsOf(body.data));
      after = body.meta.next;
      isDone = body.meta.up_to_date;
    }
    expect(pages).toEqual([named('A', 'B'), named('C', 'D'), named('E')]);
  });

  test('returns the same bytes for a full page, whatever has happened since', async () => {
    await createAt({ A: NOON, B: NOON + 1, C: NOON + 2 });
    setClock(NOON + 60 * SECOND);
    const first = await list({ limit: '2' });
    expect(first.body.meta).toEqual({ next: cursor, up_to_date: false, complete_to: time(NOON + 1) });
    const { mid } = first.body.data[0].branch;
    setClock(NOON + 3600 * SECOND);
    await archiveBranch(caller, mid);
    setClock(NOON + 7200 * SECOND);
    expect((await list({ limit: '2' })).body).toEqual(first.body);
  });

  test('returns for after=now a cursor at the time before which no event can still be stored', async () => {
    await createAt({ A: NOON, B: NOON + 10 * SECOND });
    setClock(NOON + 30 * SECOND);
    const { body } = await list({ after: 'now' });
    expect(body).toEqual({
      data: [],
      meta: { next: cursor, up_to_date: true, complete_to: time(NOON + 5 * SECOND) },
    });
    setClock(NOON + 60 * SECOND);
    expect(midsOf(await data({ after: body.meta.next }))).toEqual(named('B'));
  });

  test('reads across months, including months without events', async () => {
    await createAt({
      A: Date.parse('2026-09-30T23:59:59.999Z'),
      B: Date.parse('2026-10-01T00:00:00.000Z'),
      C: Date.parse('2026-10-24T12:00:00.000Z'),
    });
    setClock(Date.parse('2026-10-25T12:00:00.000Z'));
    expect(midsOf(await data())).toEqual(named('A', 'B', 'C'));
    expect(midsOf(await data({ limit: '1' }))).toEqual(named('A'));
    const { next } = await meta();
    setClock(Date.parse('2026-11-20T12:00:00.000Z'));
    await newBranch(caller, { mid: `D${caller.id.slice(0, 8)}` });
    setClock(Date.parse('2026-11-20T12:01:00.000Z'));
    expect(midsOf(await data({ after: next }))).toEqual(named('D'));
  });

  test('returns the same cursor to a process whose clock is behind', async () => {
    setClock(NOON + 5 * SECOND);
    const ahead = await meta();
    setClock(NOON);
    expect(await meta({ after: ahead.next })).toEqual(ahead);
  });

  test('sends one strongly consistent query', async () => {
    setClock(NOON);
    const { next } = await meta();
    setClock(NOON + 20 * SECOND);
    const sent = await tableRequestsBy(() => list({ after: next }));
    expect(operationsOf(sent)).toBe('Query');
    expect(sent.requests[0]?.input).toMatchObject({ ConsistentRead: true });
    expect(sent.requests[0]?.input).not.toHaveProperty('IndexName');
  });

  test('starts with the oldest retained event and accepts its cursor for one more hour', async () => {
    await createAt({ A: NOON, B: NOON + SECOND, C: NOON + 10 * DAY });
    setClock(NOON + 30 * DAY);
    const { body } = await list({ limit: '2' });
    expect(midsOf(body.data)).toEqual(named('A', 'B'));
    setClock(NOON + 30 * DAY + 1);
    expect(midsOf(await data())).toEqual(named('B', 'C'));
    setClock(NOON + SECOND + 30 * DAY + 3600 * SECOND);
    expect(midsOf(await data({ after: body.meta.next }))).toEqual(named('C'));
  });
});

describe('400', () => {
  test('returns cursor_expired for a cursor older than the retention', async () => {
    await createAt({ A: NOON, B: NOON + SECOND });
    setClock(NOON + 60 * SECOND);
    const { next } = await meta({ limit: '1' });
    setClock(NOON + 30 * DAY + 3600 * SECOND + 1);
    await expectRefused(() => list({ after: next }), 'cursor_expired', EXPIRED);
  });

  test('rejects anything that is not a cursor of these events, without a request to the table', async () => {
    const other = await newAcquirer('PAYMENT_PROVIDER', 'Quickpay');
    const others = (await list({ after: 'now' }, other)).body.meta.next;
    // Caches the API key.
    await list();
    for (const after of ['', others]) {
      const sent = await tableRequestsBy(() => expectRefused(() => list({ after }), 'invalid_query', NO_CURSOR));
      expect(operationsOf(sent)).toBe('');
    }
  });
});
