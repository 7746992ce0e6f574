import { afterAll, beforeAll, describe, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { expectNoViolations } from '../../support/invariants.ts';
import { AT_ONCE, type Draft, drafts, FOUNDING, MOVING } from './commands.ts';
import { begin, type Course, compare, lookAround, make } from './course.ts';
import { installGate, interleaved } from './interleaving.ts';
import { callsSoFar, responsesSoFar } from './report.ts';
import type { State } from './state.ts';
import { addMembers, type Pools, perform, type World } from './world.ts';

/*
 * Random sequences of all operations by several acquirers, sent to the real handlers and to the model. Each sequence
 * has acquirers of its own.
 */

const { MODEL_RUNS, MODEL_SEED } = process.env;
const RUNS = Number(MODEL_RUNS ?? 10);
/** Enough for all runs, or for shrinking a failing one. */
const TIMEOUT_MS = 120_000 + RUNS * 5_000;
const PARAMETERS = {
  numRuns: RUNS,
  seed: Number(MODEL_SEED ?? Date.now() % 2 ** 31),
  // Otherwise the first runs would be short.
  unbiased: true,
  interruptAfterTimeLimit: TIMEOUT_MS - 30_000,
  markInterruptAsFailure: true,
};

const SEQUENTIAL: Pools = { mids: 4, terminals: 7, serials: 3, businesses: 3 };
/** Fewer resources, so concurrent calls often have one in common. */
const INTERLEAVED: Pools = { mids: 4, terminals: 5, serials: 2, businesses: 3 };

class Command implements fc.AsyncCommand<Course, World> {
  readonly draft: Draft;

  constructor(draft: Draft) {
    this.draft = draft;
  }

  check({ world, states }: Course): boolean {
    return this.draft.placed(world, states[0] as State) !== undefined;
  }

  run(course: Course): Promise<void> {
    return make(course, this.draft);
  }

  toString(): string {
    return String(this.draft);
  }
}

/** Creates of some of the resources, one after another. */
const founding = fc.array(drafts({ ...INTERLEAVED, mids: 2, terminals: 2 }, FOUNDING), { maxLength: 40, size: 'max' });

/** Concurrent calls: the first of these that can succeed, sometimes one of them twice. */
const callsAtOnce = (least: number, each: fc.Arbitrary<Draft>) =>
  fc.record({
    most: fc.integer({ min: least, max: 4 }),
    isTwice: fc.nat(5).map((dice) => dice === 5),
    /** The table request before which the first call waits until all others have ended. */
    freezesAt: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 3 }),
    drafts: fc.array(each, { minLength: 1, maxLength: 16, size: 'max' }),
  });
const step = fc.oneof(
  callsAtOnce(1, drafts(INTERLEAVED, AT_ONCE)),
  // Calls for one terminal and its branch, where most conflicts are.
  callsAtOnce(3, drafts(INTERLEAVED, MOVING, 1)),
);

beforeAll(async () => {
  process.stdout.write(`MODEL_RUNS=${RUNS} MODEL_SEED=${PARAMETERS.seed} repeats this run of the model.\n`);
  await addMembers();
});

describe('the API returns the responses of the model', () => {
  test(
    'for one call after another',
    async () => {
      const commands = fc.commands([drafts(SEQUENTIAL).map((draft) => new Command(draft))], {
        maxCommands: 300,
        size: 'max',
      });
      await fc.assert(
        fc.asyncProperty(founding, commands, async (first, sequence) => {
          const course = await begin(SEQUENTIAL, first);
          await fc.asyncModelRun(() => ({ model: course, real: course.world }), sequence);
          await lookAround(course, true);
        }),
        PARAMETERS,
      );
    },
    TIMEOUT_MS,
  );

  describe('concurrent calls', () => {
    beforeAll(() => {
      installGate();
      // Retries after a conflict do not wait: the scheduler decides the order.
      jest.spyOn(Math, 'random').mockReturnValue(0);
    });
    afterAll(() => {
      jest.restoreAllMocks();
    });

    test(
      'return responses as if they had run in some order',
      async () => {
        const steps = fc.array(step, { minLength: 1, maxLength: 20, size: 'max' });
        await fc.assert(
          fc.asyncProperty(fc.scheduler(), founding, steps, async (scheduler, first, sequence) => {
            const course = await begin(INTERLEAVED, first);
            const { world } = course;
            for (const { most, drafts, isTwice, freezesAt } of sequence) {
              const placed = drafts.map((draft) => draft.placed(world, course.states[0] as State));
              const calls = placed.filter((call) => call !== undefined).slice(0, most);
              if (isTwice) calls.push(...calls.slice(0, 1));
              world.calls.push(...calls);
              const work = calls.map((call, at) => ({
                name: `${at + 1} ${call.operation}`,
                start: () => perform(world, call),
                freezesAt: at === 0 ? freezesAt : undefined,
              }));
              compare(course, await interleaved(scheduler, work));
              if (calls.length > 1) await lookAround(course, false);
            }
            await lookAround(course, true);
          }),
          PARAMETERS,
        );
      },
      TIMEOUT_MS,
    );
  });
});

test(
  'leave no invariant violation in the table',
  async () => {
    await expectNoViolations();
  },
  TIMEOUT_MS,
);

afterAll(() => {
  const responses = MODEL_RUNS ? [':', ...responsesSoFar()].join('\n') : '.';
  process.stdout.write(`${callsSoFar()} responses equal the model's${responses}\n`);
});
