import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Event } from '../../../lib/events/event.ts';
import { FEED } from '../../../lib/events/feed.ts';
import { call } from '../../support/api.ts';
import { runs, seed } from '../../support/depth.ts';
import { waitForIndexes } from '../../support/waitForIndexes.ts';
import { SEQUENTIAL } from './commands.ts';
import { atOnce, begin, take } from './course.ts';
import { branchOf } from './resources.ts';
import type { State } from './state.ts';
import { addMembers } from './world.ts';

/*
 * Replays the history of each terminal after a random sequence of calls, and compares it with the status that the
 * terminal had after each call.
 */

const RUNS = runs(5, 100);

beforeAll(async () => {
  FEED.horizonMs = 0;
  await addMembers();
});

/** A status, or none, from a time on. */
type Moment = [at: string, status: string | null];

/** Adds a moment, unless the status stays. */
function add(moments: Moment[], at: string, status: string | null): void {
  if ((moments.at(-1)?.[1] ?? null) !== status) moments.push([at, status]);
}

/** The status of a terminal, for an acquirer that can access it. */
function statusOf(state: State, acquirer: string, tid: string): string | null {
  const terminal = state.terminals.find((each) => each.tid === tid);
  const { payment_provider, distributor } = (terminal && branchOf(state, terminal.mid)) ?? {};
  if (!terminal || ![payment_provider, distributor].includes(acquirer)) return null;
  return terminal.archived ? 'archived' : 'active';
}

/** The moments that a history tells, from its events, the oldest first. */
function replayed(events: Event[], tid: string): Moment[] {
  const moments: Moment[] = [];
  let archived_at: string | null = null;
  for (const { at, type, data, changes } of events) {
    const shown = [data, (data as { terminals?: unknown }).terminals].flat() as Record<string, string | null>[];
    const own = shown.find((each) => each?.['tid'] === tid);
    const isActive = moments.at(-1)?.[1] === 'active';
    if (type === 'terminal.deleted' || type === 'terminal.left') add(moments, at, null);
    else if (type === 'branch.archived' && isActive) {
      archived_at = at;
      add(moments, at, 'archived');
    } else if (type === 'branch.restored' && archived_at === (changes as { archived_at: string }).archived_at)
      add(moments, at, 'active');
    else if (own && type !== 'terminal.updated') {
      archived_at = own['archived_at'] ?? null;
      add(moments, at, own['status'] as string);
    }
  }
  return moments;
}

test(
  'replaying the history of each terminal gives its status at every moment',
  async () => {
    let compared = 0;
    const property = fc.asyncProperty(SEQUENTIAL, async (steps) => {
      const course = await begin(call);
      const { world } = course;
      const known = new Map<string, Moment[]>();
      for (const step of steps) {
        await take(course, step, atOnce);
        const state = course.states[0] as State;
        const at =
          state.changes
            .map((change) => change.at)
            .sort()
            .at(-1) ?? '';
        const tids = new Set(state.changes.flatMap((change) => change.tids));
        for (const { id } of world.state.acquirers)
          for (const tid of tids) {
            const moments = known.get(`${id} ${tid}`) ?? [];
            known.set(`${id} ${tid}`, moments);
            add(moments, at, statusOf(state, id, tid));
          }
      }
      await waitForIndexes();
      for (const [name, moments] of known) {
        const [acquirer = '', tid = ''] = name.split(' ');
        if (moments.length === 0) continue;
        const events: Event[] = [];
        for (let query: Record<string, string> | undefined = { limit: '3' }; query; ) {
          const by = world.callers.get(acquirer);
          const { body } = await call('getTerminalHistory', { ...by, path: { id: tid }, query });
          events.unshift(...body.data.toReversed());
          query = body.meta.next ? { limit: '3', before: body.meta.next } : undefined;
        }
        expect(replayed(events, tid)).toEqual(moments);
        compared += 1;
      }
    });
    await fc.assert(property, { numRuns: RUNS, seed, unbiased: true, endOnFailure: true });
    expect(compared).toBeGreaterThan(RUNS);
    process.stdout.write(`${compared} histories give the status of their terminal in ${RUNS} sequences.\n`);
  },
  120_000 + RUNS * 5_000,
);
