import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { HORIZON_MS } from '../../../lib/base/time.ts';
import { retentionMs, SLACK_MS } from '../../../lib/events/eventId.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { linkPartners } from '../../../lib/operator/partnerships.ts';
import { table } from '../../../lib/table/client.ts';
import { call, expectProblem } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { type Caller, newAcquirer, newBranch, newTerminal, unique } from '../../support/world.ts';

let provider: Caller;
let first: Caller;
let second: Caller;
beforeAll(async () => {
  [provider, first, second] = await Promise.all([
    newAcquirer('PAYMENT_PROVIDER', 'Payfair'),
    newAcquirer('DISTRIBUTOR', 'Northgate'),
    newAcquirer('DISTRIBUTOR', 'Silverline'),
  ]);
  await Promise.all([first, second].map(({ id }) => linkPartners(id, provider.id)));
});
afterEach(() => {
  FEED.horizonMs = HORIZON_MS;
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const read = async ({ key }: Caller, after: string) => {
  const { body } = await call('listEvents', { key, query: { after } });
  return body;
};
const cursorNow = async (caller: Caller): Promise<string> => (await read(caller, 'now')).meta.next;
const sharedWith = (distributor: Caller) => newBranch(provider, { distributor: distributor.id });

describe('a terminal that is reassigned to another distributor’s branch and back within a second', () => {
  test('leaves and joins for the distributors and is reassigned twice for the payment provider', async () => {
    const [home, other] = [await sharedWith(first), await sharedWith(second)];
    const terminal = await newTerminal(provider, home.mid);
    const { tid, terminal_id } = terminal;
    const now = Date.now();
    // Skips the events so far.
    setClock(now + 1_000);
    FEED.horizonMs = 0;
    const cursors = await Promise.all([provider, first, second].map(cursorNow));
    const moves: { request_id: string; data: object; from: string; mid: string }[] = [];
    for (const [at, { from, mid }] of [
      { from: home.mid, mid: other.mid },
      { from: other.mid, mid: home.mid },
    ].entries()) {
      setClock(now + 1_500 + 400 * at);
      const { headers, body } = await call('reassignTerminal', { key: provider.key, path: { id: tid }, body: { mid } });
      moves.push({ request_id: headers['x-request-id'] as string, data: body.data, from, mid });
    }
    setClock(now + 2_500);
    const [seen, seenByFirst, seenBySecond] = await Promise.all(
      [provider, first, second].map(async (caller, at) => (await read(caller, cursors[at] as string)).data),
    );
    const [away, back] = moves.map(({ request_id }, at) => ({
      id: expect.any(String),
      at: new Date(now + 1_500 + 400 * at).toISOString(),
      changes: null,
      by: { acquirer: provider.id, key_id: null, key_label: null },
      request_id,
    }));
    const own = { acquirer: provider.id, key_id: expect.any(String), key_label: 'test' };
    const isActive = { status: 'active' };
    const left = { type: 'terminal.left', data: { tid, terminal_id } };
    const reassigned = [away, back].map((event, at) => {
      const { data, from, mid } = moves[at] as (typeof moves)[number];
      return {
        ...event,
        type: 'terminal.reassigned',
        branch: { mid, ...isActive },
        data,
        changes: { mid: from },
        by: own,
      };
    });
    expect(seen).toEqual(reassigned);
    expect(seenByFirst).toEqual([
      { ...away, ...left, branch: { mid: home.mid, ...isActive } },
      { ...back, type: 'terminal.joined', branch: { mid: home.mid, ...isActive }, data: moves[1]?.data },
    ]);
    expect(seenBySecond).toEqual([
      { ...away, type: 'terminal.joined', branch: { mid: other.mid, ...isActive }, data: moves[0]?.data },
      { ...back, ...left, branch: { mid: other.mid, ...isActive } },
    ]);
  });
});

describe('a cursor', () => {
  test('expires as soon as an event after it may have expired', async () => {
    const cursor = await cursorNow(provider);
    await sharedWith(first);
    const lastsTo = Date.now() - HORIZON_MS + retentionMs() + SLACK_MS;

    setClock(lastsTo - 5_000);
    expect((await read(provider, cursor)).data).toContainEqual(expect.objectContaining({ type: 'branch.created' }));

    setClock(lastsTo + 5_000);
    expectProblem(
      await call('listEvents', { key: provider.key, query: { after: cursor } }),
      'cursor_expired',
      'Events after this cursor may have expired. Get a cursor with after=now, read the lists, then continue from that cursor.',
    );
  });

  test('is rejected if it is another acquirer’s, of a history, or truncated', async () => {
    const { mid } = await sharedWith(first);
    const { tid } = await newTerminal(provider, mid);
    await call('updateTerminal', { key: provider.key, path: { id: tid }, body: { terminal_model: 'Handheld 2' } });
    const history = await call('getBranchHistory', { key: provider.key, path: { mid }, query: { limit: '1' } });
    const own = await cursorNow(provider);
    for (const after of [await cursorNow(first), history.body.meta.next, own.slice(0, -1), own.toLowerCase()])
      expectProblem(
        await call('listEvents', { key: provider.key, query: { after } }),
        'invalid_query',
        'after: Must be a cursor from this list.',
      );
  });
});

describe('a reader that polls every second', () => {
  /**
   * The longest time from the start of a request to its write, and how far its clock may be behind the reader's, in
   * milliseconds.
   */
  const LIFE_MS = 20_000;
  const BEHIND_MS = 4_900;

  test('misses no event of a write that takes as long as a request can, on a clock that is behind', async () => {
    const { mid } = await sharedWith(first);
    const { tid } = await newTerminal(provider, mid);
    // Later than everything before, on either clock.
    const started = Date.now() + 10_000;
    const cursor = await cursorNow(provider);
    const slowId = unique('T');
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const send = table.send.bind(table) as (command: unknown) => Promise<never>;
    jest.spyOn(table, 'send').mockImplementation(async (command: unknown) => {
      if (command instanceof TransactWriteCommand && JSON.stringify(command.input).includes(slowId)) {
        held.resolve();
        await released.promise;
      }
      return send(command);
    });
    setClock(started - BEHIND_MS);
    const body = { terminals: [{ terminal_id: slowId }] };
    const slow = call('createTerminals', { key: provider.key, path: { id: mid }, body });
    await held.promise;

    const seen: { at: string; type: string; request_id: string }[] = [];
    const made: string[] = [];
    let after = cursor;
    for (let passed = 0; passed <= 60_000; passed += 1_000) {
      setClock(started + passed);
      const { data, meta } = await read(provider, after);
      seen.push(...data);
      after = meta.next;
      if (passed === LIFE_MS) {
        released.resolve();
        made.unshift((await slow).headers['x-request-id'] as string);
      } else if (passed % 4_000 === 0 && passed < 30_000) {
        const change = { path: { id: tid }, body: { terminal_model: `Model ${passed}` } };
        made.push((await call('updateTerminal', { key: provider.key, ...change })).headers['x-request-id'] as string);
      }
    }
    expect(made).toHaveLength(8);
    expect(seen.map(({ request_id }) => request_id).slice(-made.length)).toEqual(made);
    expect(seen.map(({ at }) => at)).toEqual(seen.map(({ at }) => at).sort());
  });
});
