import { afterAll, beforeAll, describe, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { FEED } from '../../../lib/events/feed.ts';
import { call } from '../../support/api.ts';
import { runs, seed } from '../../support/depth.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { concurrent, SEQUENTIAL } from './commands.ts';
import { atOnce, expectExplained } from './course.ts';
import { inOrderOf, installGate } from './interleaving.ts';
import { addMembers } from './service.ts';

/*
 * Random sequences of all operations by several acquirers, sent to the real handlers and to the model. Each sequence
 * has acquirers of its own.
 */

const RUNS = runs(6, 130);
/** Enough for all runs of a deep proof. */
const TIMEOUT_MS = RUNS * 60_000;
const PARAMETERS = {
  numRuns: RUNS,
  seed,
  // Otherwise the first runs would be short.
  unbiased: true,
};

beforeAll(async () => {
  // Makes events visible at once.
  FEED.horizonMs = 0;
  await addMembers();
});

test(
  'returns the responses of the model for one call after another',
  async () => {
    const property = fc.asyncProperty(SEQUENTIAL, (steps) => expectExplained(call, steps, atOnce));
    await fc.assert(property, PARAMETERS);
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
    'return responses of the model as if they had run in some order',
    async () => {
      const property = fc.asyncProperty(fc.scheduler(), concurrent(20), (scheduler, steps) =>
        expectExplained(call, steps, inOrderOf(scheduler)),
      );
      await fc.assert(property, PARAMETERS);
    },
    TIMEOUT_MS,
  );
});

test('leave no invariant violation in the table', expectNoViolations);
