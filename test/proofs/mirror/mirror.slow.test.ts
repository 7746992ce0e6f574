import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { call } from '../../support/api.ts';
import { newWorld, type Send } from '../../support/cast.ts';
import { runs, seed } from '../../support/depth.ts';
import { installGate, interleaved } from '../../support/interleaving.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { MOST_OFF_MS, pass, served, setClocks, useFleetClocks } from './clocks.ts';
import { changes, founding, make, writers } from './estate.ts';
import { expectProven, LATER_MS, type Walked, walks } from './proof.ts';

/*
 * Proves that partners can mirror an estate: several acquirers make random changes at once while each acquirer walks
 * through its lists with the guides' own client.
 */

const RUNS = runs(15);

let endFleetClocks: () => void;
beforeAll(() => {
  installGate();
  // Retries after a conflict do not wait: the scheduler decides the order.
  jest.spyOn(Math, 'random').mockReturnValue(0);
  endFleetClocks = useFleetClocks();
});
afterAll(() => {
  endFleetClocks();
  jest.restoreAllMocks();
});

const off = fc.integer({ min: -MOST_OFF_MS, max: MOST_OFF_MS });
const sequence = fc.record({
  founding,
  first: changes('first', { maxLength: 6 }),
  /** Time between the first changes and those of the writers. */
  since: fc.constantFrom(0, 5_000, 20_000, LATER_MS),
  writers,
  /** Items per page of the walks. Small pages make them long. */
  most: fc.constantFrom(3, 100),
  /** Time that passes between two requests to the table, in milliseconds. */
  pace: fc.constantFrom(0, 10, 100, 400),
  /** How far off the clocks of the processes are, which serve the requests in turn. */
  offs: fc.array(off, { minLength: 5, maxLength: 5 }),
});

test('replicas made of events, or of a walk while others write, equal the lists', async () => {
  const property = fc.asyncProperty(
    fc.scheduler(),
    sequence,
    async (scheduler, { since, most, pace, offs, ...all }) => {
      setClocks();
      const world = await newWorld();
      let requests = 0;
      const send: Send = async (operation, request) => {
        const response = await served(offs[requests++ % offs.length] as number, () => call(operation, request));
        expect(response.body.code).not.toBe('server_error');
        return response;
      };
      const tried = await make(world, [...all.founding, ...all.first], send);
      pass(since);

      const walked: Walked = {};
      const writing = all.writers.map((changes, at) => ({
        name: `writer ${at}`,
        start: async () => void tried.push(...(await make(world, changes, send))),
      }));
      const waitOne = () => {
        pass(pace);
        return scheduler.waitOne();
      };
      const schedule = scheduler.schedule.bind(scheduler);
      await interleaved({ schedule, waitOne }, [...writing, ...walks(world, walked, most, send)]);
      await expectProven(world, tried, send, walked);
    },
  );
  // The seed repeats a sequence. Shrinking takes minutes.
  await fc.assert(property, { numRuns: RUNS, seed, unbiased: true, endOnFailure: true });
});

test('leaves no invariant violation in the table', expectNoViolations);
