import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Schemas } from '../../../../functions/console/app/api/client.ts';
import { isSwap, type Run, runsOf } from '../../../../functions/console/app/resources/runs.ts';

type Event = Schemas['Event'];

const START = Date.parse('2026-11-24T12:00:00.000Z');
const SECOND = 1_000;
const PAGE = 50;

interface Made {
  type?: string;
  by?: string;
  tid?: string;
  reason?: string | null;
  changes?: object | null;
  data?: object;
}

/** An event so many seconds after the start. */
const event = (second: number, { type = 'terminal.reassigned', by = 'ana', tid, ...made }: Made = {}): Event =>
  ({
    id: `${String(second * 10).padStart(10, '0')}-${by}`,
    at: new Date(START + second * SECOND).toISOString(),
    type,
    branch: { mid: 'HERE', status: 'active', archived_at: null },
    data: { tid: tid ?? `T${second}`, terminal_id: tid ?? `T${second}`, serial_no: null },
    changes: null,
    reason: null,
    by: { acquirer: 'us', acquirer_name: 'Us', key_id: null, key_label: null, person: { id: by, name: by } },
    request_id: `${second}`,
    ...made,
  }) as unknown as Event;

/** So many events, one a second, the newest first. */
const batch = (count: number, made: Made = {}, from = 0): Event[] =>
  Array.from({ length: count }, (_, at) => event(from + count - 1 - at, made));

const newestFirst = (...events: Event[]): Event[] => events.sort((one, other) => (one.id < other.id ? 1 : -1));

/** The first pages of events, as the service sends them. */
const pagesOf = (events: Event[], pages: number): [Event[], string | null] => {
  const read = events.slice(0, pages * PAGE);
  return [read, read.length < events.length ? (read.at(-1)?.at ?? null) : null];
};

const shown = (runs: Run[]) => runs.map(({ events, isLeast }) => `${isLeast ? 'at least ' : ''}${events.length}`);

describe('the count of a batch', () => {
  test.each([
    [9, 1, '9'],
    [50, 1, 'at least 50'],
    [70, 1, 'at least 50'],
    [70, 2, '70'],
    [1_100, 1, 'at least 50'],
    [1_100, 21, 'at least 1050'],
    [1_100, 23, '1100'],
  ])('is the whole, or says “at least”: %i changes, of which %i pages are read', (count, pages, text) => {
    const earlier = event(-3_600, { type: 'terminal.restored' });
    const [events, readTo] = pagesOf([...batch(count), earlier], pages);
    expect(shown(runsOf(events, readTo))[0]).toBe(text);
  });

  test('is the whole if others make changes meanwhile, and across midnight', () => {
    const midnight = 12 * 3_600;
    const ours = batch(70, {}, midnight - 35);
    const theirs = Array.from({ length: 7 }, (_, at) => event(midnight - 30 + 10 * at, { by: 'key', tid: `K${at}` }));
    expect(shown(runsOf(newestFirst(...ours, ...theirs), null))).toEqual(['70', '7']);
  });

  test('is the whole if what follows is more than a minute earlier', () => {
    const [last] = batch(3);
    const readTo = (seconds: number) => new Date(START - seconds * SECOND).toISOString();
    expect(last).toBeDefined();
    expect(shown(runsOf(batch(3), readTo(60)))).toEqual(['at least 3']);
    expect(shown(runsOf(batch(3), readTo(61)))).toEqual(['3']);
  });

  test('is the whole if what is left out by a filter of days is more than a minute later', () => {
    const until = (second: number) => event(second).at;
    expect(shown(runsOf(batch(3), null, until(62)))).toEqual(['at least 3']);
    expect(shown(runsOf(batch(3), null, until(63)))).toEqual(['3']);
  });
});

describe('an entry', () => {
  test('has changes of one kind and author, each within a minute of the next, and at least three', () => {
    const apart = [event(0), event(60), event(120), event(181)];
    expect(shown(runsOf(newestFirst(...apart), null))).toEqual(['1', '3']);
    expect(shown(runsOf(batch(2), null))).toEqual(['1', '1']);
    expect(shown(runsOf(newestFirst(...batch(3), ...batch(3, { type: 'terminal.restored' }, 10)), null))).toEqual([
      '3',
      '3',
    ]);
  });

  test('has no change that an undo or a swap is told apart from', () => {
    const undone = { reason: 'To undo a change' };
    expect(shown(runsOf([...batch(3, undone, 10), ...batch(3)], null))).toEqual(['3', '3']);
    const swap = { type: 'terminal.updated', changes: { serial_no: 'OLD' }, data: { tid: 'T', serial_no: 'NEW' } };
    expect(shown(runsOf([...batch(3, swap, 10), ...batch(3, { type: 'terminal.updated' })], null))).toEqual(['3', '3']);
    for (const [changes, serial_no] of [
      [{ serial_no: null }, 'NEW'],
      [{ serial_no: 'OLD' }, null],
      [{ terminal_model: 'OLD' }, 'SAME'],
      [null, 'SAME'],
    ] as const)
      expect(isSwap(event(0, { ...swap, changes, data: { tid: 'T', serial_no } }))).toBe(false);
    expect(isSwap(event(0, swap))).toBe(true);
  });

  test('does not jump over another change of the same thing', () => {
    const things = ['A', 'B', 'C'];
    const act = (type: string, from: number) => things.map((tid, at) => event(from + at, { type, tid }));
    const events = newestFirst(
      ...act('terminal.archived', 0),
      ...act('terminal.restored', 10),
      ...act('terminal.archived', 20),
    );
    expect(runsOf(events, null).map(({ events: [{ type }] }) => type)).toEqual([
      'terminal.archived',
      'terminal.restored',
      'terminal.archived',
    ]);
  });

  test('has each change once, whatever they are', () => {
    const made = fc.record({
      second: fc.integer({ min: 0, max: 300 }),
      type: fc.constantFrom('terminal.reassigned', 'terminal.archived', 'terminal.restored'),
      by: fc.constantFrom('ana', 'key'),
      tid: fc.constantFrom('A', 'B', 'C', 'D', 'E'),
    });
    fc.assert(
      fc.property(fc.array(made, { maxLength: 60 }), (all) => {
        const events = newestFirst(
          ...all.map(({ second, ...each }, at) => ({ ...event(second, each), id: `${1_000 + second}-${at}` })),
        );
        const runs = runsOf(events, null);
        expect(newestFirst(...runs.flatMap((run) => run.events))).toEqual(events);
        const newest = runs.map((run) => run.events[0].id);
        expect(newest).toEqual([...newest].sort().reverse());
        for (const run of runs) expect(new Set(run.events.map(({ type, by }) => type + by.person?.id)).size).toBe(1);
      }),
    );
  });
});
