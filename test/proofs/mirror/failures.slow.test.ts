import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { call } from '../../support/api.ts';
import { runs, seed } from '../../support/depth.ts';
import { rescan } from '../../support/stored.ts';
import type { FailureName as WireFailure } from '../failures/failures.ts';
import { type Service, startService } from '../failures/remote.ts';
import type { Plan } from '../failures/wire.ts';
import { newWorld, type Send } from '../model/world.ts';
import { setClocks, useFleetClocks } from './clocks.ts';
import { type Attempt, type FailureName, founding, make, writers } from './estate.ts';
import { expectProven, type Walked, walks } from './proof.ts';

/* The mirror under injected failures on the real connection to the table, without a fixed order of requests. */

const FAILURES: Record<FailureName, WireFailure[]> = {
  'the response is lost': ['lost', 'lost within the response', 'in conflict'],
  'the connection is closed before it': ['cut off by a reset', 'internal server error'],
  'it conflicts with another write': ['in conflict', 'lost'],
};

let service: Service;
let endFleetClocks: () => void;
beforeAll(async () => {
  service = await startService();
  endFleetClocks = useFleetClocks();
});
afterAll(async () => {
  endFleetClocks();
  await service.stop();
});

/** Returns a function that sends requests to a service whose connection to the table fails by this plan. */
const sendWith =
  (plan: Plan | undefined): Send =>
  async (operation, request) => {
    const { response } = await service.call({ name: randomUUID(), operation, request, plan });
    expect(response.body.code).not.toBe('server_error');
    return response;
  };
/** Reads fail too. */
const send = sendWith({ target: 'reads', failures: ['lost', 'half a response'] });
const attempt: Attempt = ({ operation, failure }, request) =>
  sendWith(failure && { target: 'write', failures: FAILURES[failure] })(operation, request);

test('replicas equal the lists although requests to the table fail in every way', async () => {
  const property = fc.asyncProperty(founding, writers, fc.constantFrom(3, 100), async (first, others, most) => {
    setClocks();
    const world = await newWorld(call);
    const walked: Walked = {};
    const tried = await make(world, first, attempt);
    const writing = others.map((changes) => make(world, changes, attempt));
    await Promise.all(walks(world, walked, most, send).map(({ start }) => start()));
    tried.push(...(await Promise.all(writing)).flat());
    await expectProven(world, tried, call, walked);
  });
  await fc.assert(property, { numRuns: runs(5), seed, unbiased: true, endOnFailure: true });
  await rescan();
});
