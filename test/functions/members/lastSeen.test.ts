import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { cursorAt } from '../../../lib/base/cursor.ts';
import { hourOf, SEEING } from '../../../lib/branches/lastSeen.ts';
import { lastSeenKey } from '../../../lib/table/keys.ts';
import { named, throttled } from '../../lib/table/errors.ts';
import { beforeNext, failTable, intercept } from '../../lib/table/intercept.ts';
import { call, expectProblem } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { captureLog } from '../../support/log.ts';
import { personOf } from '../../support/people.ts';
import { storedBy, terminalItemOf } from '../../support/stored.ts';
import { storeMany } from '../../support/storeMany.ts';
import { operationsOf, tableRequestsBy, unitsOf } from '../../support/tableRequests.ts';
import {
  archiveBranch,
  type Caller,
  newAcquirer,
  newBranch,
  newSharedBranch,
  newSharedTerminal,
  newTerminal,
  useWorld,
} from '../../support/world.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-05-04T12:34:56.789Z');
const NOON = '2026-05-04T12:00:00.000Z';
const before = { ...SEEING };

const world = useWorld();
beforeEach(() => {
  setClock(NOW);
  // The engine may be slow.
  Object.assign(SEEING, { intervalMs: HOUR, attemptMs: 5_000 });
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
  Object.assign(SEEING, before);
});

interface Terminal {
  tid: string;
  terminal_id: string;
  mid: string;
}

/** Checks a card of nobody. */
const check = ({ terminal_id }: Pick<Terminal, 'terminal_id'>, { key }: Caller = world.provider) => {
  const card = { card_id: 'card-of-nobody', card_pseudo_token: 'token' };
  const body = { amount: 1, currency: 'EUR', ...card, terminal_id, acquirer_id: world.provider.id };
  return call('memberCheck', { key, body });
};
const find = (tid: string) => call('find', { key: world.provider.key, query: { tid } });
const seenOf = async ({ tid }: Terminal) => (await find(tid)).body.data.last_seen_at;
const change = (operation: 'reassignTerminal' | 'deleteTerminal', { tid }: Terminal, body?: object) =>
  call(operation, { key: world.provider.key, path: { id: tid }, body });
const nameOf = ({ tid }: Terminal) => `LAST_SEEN#${tid} LAST_SEEN`;

/** What is stored of a terminal that was just seen in a branch of both acquirers. */
const itemOf = async ({ tid, mid }: Terminal, hour = hourOf(NOW)) => ({
  mid,
  branch_order: `~${(await terminalItemOf(tid))?.['branch_order']}`,
  payment_provider: world.provider.id,
  provider_position: -hour,
  distributor: world.distributor.id,
  distributor_position: -hour,
});

describe('a check of an active terminal', () => {
  test('stores its hour after its reads, and changes neither updated_at, ETag nor events', async () => {
    const terminal = await newSharedTerminal(world);
    const old = await find(terminal.tid);
    await check({ terminal_id: 'NOSUCHTERMINAL' });
    const { response, changed, events } = await storedBy(() => tableRequestsBy(() => check(terminal)));
    expect(operationsOf(response)).toBe('BatchGetItem GetItem Query UpdateItem');
    expect(response.requests.map(({ wave }) => wave)).toEqual([1, 2, 2, 3]);
    expect([changed, events]).toEqual([{ [nameOf(terminal)]: await itemOf(terminal) }, undefined]);
    const found = await find(terminal.tid);
    expect([old.body.data.last_seen_at, found.body.data]).toEqual([null, { ...old.body.data, last_seen_at: NOON }]);
    expect(found.headers['etag']).toBe(old.headers['etag']);
  });

  test('attempts it once an hour in a process, and reads as before', async () => {
    const terminal = await newSharedTerminal(world);
    await check(terminal, world.distributor);
    const again = await tableRequestsBy(() => check(terminal, world.distributor));
    expect(operationsOf(again)).toBe('BatchGetItem GetItem Query');
    setClock(NOW + HOUR / 2);
    const stored = await storedBy(() => check(terminal));
    expect(stored.changed).toEqual({ [nameOf(terminal)]: await itemOf(terminal, hourOf(NOW) + 1) });
  });

  test('stores one write an hour, however many processes there are, and no earlier hour', async () => {
    const terminal = await newSharedTerminal(world);
    // Each as of another process.
    SEEING.intervalMs = -1;
    const writes = { sent: 0, stored: 0 };
    intercept(async (send, { operation }) => {
      writes.sent += Number(operation === 'UpdateItem');
      const result = await send();
      writes.stored += Number(operation === 'UpdateItem');
      return result;
    });
    await Promise.all(Array.from({ length: 12 }, () => check(terminal)));
    setClock(NOW - HOUR);
    const lines = captureLog();
    await check(terminal);
    expect([writes, await seenOf(terminal), lines()]).toEqual([{ sent: 13, stored: 1 }, NOON, []]);
  });
});

test('a check stores nothing of a terminal that is unknown, archived or of another acquirer', async () => {
  const [archived, foreign] = [await newSharedTerminal(world), await newSharedTerminal(world)];
  await archiveBranch(world.provider, archived.mid);
  for (const send of [
    () => check({ terminal_id: 'NOSUCHTERMINAL' }),
    () => check(archived),
    () => check(foreign, world.stranger),
  ])
    expect((await storedBy(send)).changed).toEqual({});
});

describe('the response is the same, and the write is counted and not repeated that hour,', () => {
  /** Checks a terminal twice, and asserts the responses and the counts of failures in the log. */
  async function expectUnaffected(terminal: Terminal): Promise<void> {
    const { body } = await check({ terminal_id: 'NOSUCHTERMINAL' });
    const lines = captureLog();
    for (let time = 0; time < 2; time += 1) expect((await check(terminal)).body).toEqual(body);
    const failed = { status: 200, level: 'ERROR', last_seen_failures: 1, causes: expect.any(Array) };
    expect(lines()).toEqual([expect.objectContaining(failed)]);
  }

  test.each([
    ['is throttled', throttled],
    ['is not permitted', () => named('AccessDeniedException', 'not authorized')],
    ['meets a transaction', () => named('TransactionConflictException')],
  ])('if it %s', async (_, error) => {
    const terminal = await newSharedTerminal(world);
    const sent = failTable(error, { operations: ['UpdateItem'] });
    await expectUnaffected(terminal);
    expect(sent).toHaveLength(1);
  });

  test('if it stalls: it is aborted after 50 ms', async () => {
    const terminal = await newSharedTerminal(world);
    SEEING.attemptMs = before.attemptMs;
    const { timeout: real } = AbortSignal;
    const timeout = jest.spyOn(AbortSignal, 'timeout');
    timeout.mockImplementation((ms) => (ms === 50 ? AbortSignal.abort() : real.call(AbortSignal, ms)));
    await expectUnaffected(terminal);
    expect(timeout.mock.calls.filter(([ms]) => ms === 50)).toHaveLength(1);
  });
});

describe('when a terminal was last seen', () => {
  test('moves along with it, to and from branches with a distributor', async () => {
    const terminal = await newSharedTerminal(world);
    await check(terminal);
    const item = await itemOf(terminal);
    const { mid } = await newBranch(world.provider);
    const { distributor, ...unshared } = { ...item, mid };
    const moved = async (to: string) =>
      (await storedBy(() => change('reassignTerminal', terminal, { mid: to }))).changed[nameOf(terminal)];
    expect([await moved(mid), await seenOf(terminal), await moved(terminal.mid)]).toEqual([unshared, NOON, item]);
  });

  test('is not stored by a check that has read the terminal before it moved or was deleted', async () => {
    const terminal = await newSharedTerminal(world);
    const { mid } = await newSharedBranch(world);
    SEEING.intervalMs = -1;
    const during = async (act: () => Promise<unknown>) => {
      beforeNext(({ operation }) => operation === 'UpdateItem', act);
      await check(terminal);
    };
    await during(() => change('reassignTerminal', terminal, { mid }));
    expect(await seenOf(terminal)).toBe(null);
    await during(() => change('deleteTerminal', terminal));
    const again = await newTerminal(world.provider, mid, { terminal_id: terminal.terminal_id });
    expect([again.tid, await seenOf(again)]).toEqual([terminal.tid, null]);
    expect((await storedBy(() => check(again))).changed).toEqual({ [nameOf(again)]: await itemOf(again) });
    expect(await seenOf(again)).toBe(NOON);
  });
});

describe('listLastSeen', () => {
  const listBy = async ({ id }: Caller, query: Record<string, string> = {}) =>
    call('listLastSeen', { session: (await personOf(id, 'viewer')).session, query });
  const NO_CURSOR = 'after: Must be a cursor from this list.';

  test('lists the terminals that were seen since an hour, the latest first, for people of both acquirers', async () => {
    const [shared, other] = [await newSharedTerminal(world), await newSharedTerminal(world)];
    const own = await newTerminal(world.provider, (await newBranch(world.provider)).mid);
    for (const [terminal, hours] of [
      [other, 22],
      [shared, 22],
      [own, 23],
      [shared, 24],
    ]) {
      setClock(NOW + hours * HOUR);
      await check(terminal);
    }
    jest.useRealTimers();
    const seen = ({ tid }: Terminal, hour: number) => ({ tid, last_seen_at: `2026-05-05T${hour}:00:00.000Z` });
    const expected = [seen(shared, 12), seen(own, 11), seen(other, 10)];
    const since = (time: string) => ({ since: `2026-05-05T${time}Z` });
    expect((await listBy(world.provider, since('10:00:00'))).body).toEqual({ data: expected, meta: { next: null } });
    expect((await listBy(world.provider, since('11:59:59.999'))).body.data).toEqual(expected.slice(0, 2));
    expect((await listBy(world.provider)).body.data.slice(0, 3)).toEqual(expected);
    expect((await listBy(world.distributor, since('00:00:00'))).body.data).toEqual([seen(shared, 12), seen(other, 10)]);
    expect((await listBy(world.stranger)).body.data).toEqual([]);
    // It is where its terminal is, and a deleted one has none.
    await change('reassignTerminal', own, { mid: shared.mid });
    await change('deleteTerminal', other);
    for (const caller of [world.provider, world.distributor])
      expect((await listBy(caller, since('00:00:00'))).body.data).toEqual([seen(shared, 12), seen(own, 11)]);
  });

  test('lists the terminals of one branch that were seen since an hour, for people of both acquirers', async () => {
    const { mid } = await newSharedBranch(world);
    const [early, late, never] = await Promise.all([0, 1, 2].map(() => newTerminal(world.provider, mid)));
    const elsewhere = await newSharedTerminal(world);
    for (const [terminal, hours] of [
      [early, 0],
      [late, 1],
      [elsewhere, 1],
    ]) {
      setClock(NOW + hours * HOUR);
      await check(terminal);
    }
    jest.useRealTimers();
    const seen = ({ tid }: Terminal, hour: number) => ({ tid, last_seen_at: `2026-05-04T${hour}:00:00.000Z` });
    for (const caller of [world.provider, world.distributor]) {
      const { body } = await listBy(caller, { mid });
      expect(body.meta).toEqual({ next: null });
      expect(body.data).toHaveLength(2);
      expect(body.data).toEqual(expect.arrayContaining([seen(early, 12), seen(late, 13)]));
    }
    const { requests, response } = await tableRequestsBy(() =>
      listBy(world.provider, { mid, since: '2026-05-04T13:00:00Z' }),
    );
    expect(response.body.data).toEqual([seen(late, 13)]);
    expect(requests.filter(({ input }) => input['IndexName'])).toHaveLength(1);
    await change('deleteTerminal', early);
    await change('reassignTerminal', late, { mid: elsewhere.mid });
    expect((await listBy(world.provider, { mid })).body.data).toEqual([]);
    await check(never);
    expect((await listBy(world.provider, { mid })).body.data).toMatchObject([{ tid: never.tid }]);
  });

  test('404: a branch that does not exist or is not accessible', async () => {
    jest.useRealTimers();
    const { mid } = await newBranch(world.provider);
    const detail = 'No branch with this MID exists or is accessible to you.';
    expectProblem(await listBy(world.provider, { mid: 'NOSUCHMID' }), 'not_found', detail);
    expectProblem(await listBy(world.distributor, { mid }), 'not_found', detail);
  });

  test('has pages of 1,000, each of one query with at most 25 units', async () => {
    const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
    const positions = { provider_position: -hourOf(NOW), distributor_position: -hourOf(NOW) };
    await storeMany(1, 2_000, () => {
      const tid = randomUUID();
      const place = { mid: 'M'.repeat(64), branch_order: `~${NOON}#000#${tid}`, payment_provider: provider.id };
      return { ...lastSeenKey(tid), ...place, ...positions };
    });
    jest.useRealTimers();
    const first = await tableRequestsBy(() => listBy(provider));
    const after = first.response.body.meta.next;
    const second = await tableRequestsBy(() => listBy(provider, { since: NOON, after }));
    expect(second.response.body.meta).toEqual({ next: null });
    const tids = [first, second].flatMap(({ response }) => response.body.data.map(({ tid }: Terminal) => tid));
    expect([tids.length, new Set(tids).size]).toEqual([2_000, 2_000]);
    for (const sent of [first, second]) {
      const requests = sent.requests.filter(({ input }) => input['IndexName']);
      expect(requests).toHaveLength(1);
      expect(unitsOf({ ...sent, requests })).toBeLessThanOrEqual(25);
    }
    const later = { since: '2026-05-04T13:00:00Z', after };
    expectProblem(await listBy(provider, later), 'invalid_query', NO_CURSOR);
    expectProblem(await listBy(world.provider, { after }), 'invalid_query', NO_CURSOR);
  });

  const NO_TIME = 'since: Must be a time in UTC (RFC 3339).';

  test.each<[string, Record<string, string>, string]>([
    ['no time', { since: 'yesterday' }, NO_TIME],
    ['a month that does not exist', { since: '2026-13-01T00:00:00Z' }, 'since: Must be a time that exists.'],
    ['a day that does not exist', { since: '2026-02-30T00:00:00Z' }, 'since: Must be a time that exists.'],
    ['an hour that does not exist', { since: '2026-02-28T24:00:00Z' }, 'since: Must be a time that exists.'],
    ['a time with an offset', { since: '2026-05-04T12:00:00+02:00' }, NO_TIME],
    ['a cursor of another list', { after: cursorAt('M1#', ['', 'terminals']) }, NO_CURSOR],
    ['a branch and a cursor', { mid: 'M1', after: cursorAt('M1#', ['', 'last-seen']) }, 'Send mid or after, not both.'],
  ])('400: %s', async (_, query, detail) => {
    jest.useRealTimers();
    expectProblem(await listBy(world.provider, query), 'invalid_query', detail);
  });
});
