import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { type Replica, walk } from '../../../docs/client/examples/mirror.ts';
import { call, type Operation, type Request } from '../../support/api.ts';
import { INDEXES_LAG, waitForIndexes } from '../../support/waitForIndexes.ts';
import { installGate, interleaved } from '../model/interleaving.ts';
import { MOST_OFF_MS, pass, served, setClocks, useFleetClocks } from './clocks.ts';
import {
  type Change,
  changes,
  clientOf,
  fetchBySender,
  founding,
  injected,
  installFailures,
  make,
  NAMES,
  type Name,
  newEstate,
  type Send,
  sendingBy,
  withFailure,
} from './estate.ts';
import { expectExact, expectMirrored, feedsOf } from './proof.ts';

/*
 * Proves that partners can mirror an estate: several acquirers make random changes at once while each acquirer walks
 * through its lists with the guides' own client.
 */

const { MODEL_RUNS, MODEL_SEED } = process.env;
// An emulated AWS table takes five times as long.
const RUNS = (INDEXES_LAG ? 10 : 20) * Number(MODEL_RUNS ?? 10);
const TIMEOUT_MS = 120_000 + RUNS * 8_000;
const PARAMETERS = {
  numRuns: RUNS,
  seed: Number(MODEL_SEED ?? Date.now() % 2 ** 31),
  // Otherwise the first sequences would be short.
  unbiased: true,
  // The seed repeats the sequence. Shrinking takes minutes.
  endOnFailure: true,
};

/** Longer than an event is held back, in milliseconds. */
const LATER_MS = 35_000;

const total = { sequences: 0, events: 0, done: 0, failed: 0 };
let endFleetClocks: () => void;

beforeAll(() => {
  process.stdout.write(`MODEL_RUNS=${MODEL_RUNS ?? 10} MODEL_SEED=${PARAMETERS.seed} repeats these sequences.\n`);
  installGate();
  installFailures();
  // Retries after a conflict do not wait: the scheduler decides the order.
  jest.spyOn(Math, 'random').mockReturnValue(0);
  jest.spyOn(globalThis, 'fetch').mockImplementation(fetchBySender);
  endFleetClocks = useFleetClocks();
});
afterAll(() => {
  endFleetClocks();
  jest.restoreAllMocks();
  const { sequences, events, done, failed } = total;
  process.stdout.write(`${sequences} sequences: ${done} changes, ${failed} failed, ${events} events.\n`);
});

/** Sends each request to the next of several processes, whose clocks are off by these times. */
function byProcesses(offs: number[]): Send {
  let requests = 0;
  return (operation, request) =>
    served(offs[requests++ % offs.length] as number, () => call(operation, request) as ReturnType<Send>);
}

const off = fc.integer({ min: -MOST_OFF_MS, max: MOST_OFF_MS });
const sequence = fc.record({
  founding,
  first: changes('first', { maxLength: 6 }),
  /** Time between the first changes and those of the writers. */
  since: fc.constantFrom(0, 5_000, 20_000, LATER_MS),
  writers: fc.tuple(...['a', 'b', 'c'].map((name) => changes(name, { minLength: 1, maxLength: 8 }))),
  /** Items per page of the walks. Small pages make them long. */
  most: fc.constantFrom(3, 100),
  /** Time that passes between two requests to the table, in milliseconds. */
  pace: fc.constantFrom(0, 10, 100, 400),
  offs: fc.array(off, { minLength: 5, maxLength: 5 }),
});

test(
  'replicas made of events, or of a walk while others write, equal the lists',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        sequence,
        async (scheduler, { founding, first, since, writers, most, pace, offs }) => {
          setClocks();
          const estate = await newEstate();
          const send = byProcesses(offs);
          const attempt = async (change: Change, request: Request) => {
            const response = await withFailure(change.failure, () => send(change.operation, request));
            expect(response.body.code).not.toBe('server_error');
            return response;
          };
          const tried = await make(estate, [...founding, ...first], attempt);
          pass(since);

          const walked = new Map<Name, Replica>();
          const work = [
            ...writers.map((changes, at) => ({
              name: `writer ${at}`,
              start: async () => {
                tried.push(...(await make(estate, changes, attempt)));
              },
            })),
            ...NAMES.map((name) => ({
              name: `walk of ${name}`,
              start: async () => {
                walked.set(name, await sendingBy(send, () => walk(clientOf(estate, name), most)));
              },
            })),
          ];
          const schedule = scheduler.schedule.bind(scheduler);
          const waitOne = () => {
            pass(pace);
            return scheduler.waitOne();
          };
          await interleaved({ schedule, waitOne }, work);

          pass(LATER_MS);
          await waitForIndexes();
          const feeds = await feedsOf(estate, send);
          expectExact(estate, tried, feeds);
          await expectMirrored(estate, feeds, walked, send);
          total.sequences += 1;
          total.events += [...feeds.values()].flat().length;
          for (const { response } of tried) total[response.status < 300 ? 'done' : 'failed'] += 1;
        },
      ),
      PARAMETERS,
    );
    expect(injected.failures).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);

test('a walk finds terminals that move to an earlier page while others are deleted', async () => {
  setClocks();
  const estate = await newEstate();
  const plain = { caller: 'P1', mid: 'M1', isEmpty: false, failure: undefined, isReplay: false } as const;
  const change = (operation: Operation, ...terminals: string[]): Change => ({
    ...plain,
    operation,
    terminals,
    mark: [operation, ...terminals].join('-'),
  });
  const attempt = ({ operation }: Change, request: Request) => call(operation, request);
  await make(estate, [change('createBranch', 'T1', 'T2', 'T3', 'T4')], attempt);
  let pages = 0;
  const send: Send = async (operation, request) => {
    if (operation === 'listTerminals') pages += 1;
    if (pages === 2) await make(estate, [change('deleteTerminal', 'T1'), change('deleteTerminal', 'T2')], attempt);
    return call(operation, request);
  };
  const { terminals } = await sendingBy(send, () => walk(clientOf(estate, 'P1'), 3));
  const ids = [...terminals.values()].map(({ terminal_id }) => terminal_id.slice(estate.prefix.length));
  expect(ids).toEqual(['T1', 'T2', 'T3', 'T4']);
});
