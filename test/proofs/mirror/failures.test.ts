import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { type Replica, walk } from '../../../docs/client/examples/mirror.ts';
import { call, type Operation, type Request } from '../../support/api.ts';
import { waitForIndexes } from '../../support/waitForIndexes.ts';
import type { FailureName as WireFailure } from '../failures/failures.ts';
import { type Service, startService } from '../failures/remote.ts';
import type { Plan } from '../failures/wire.ts';
import { pass, setClocks, useFleetClocks } from './clocks.ts';
import {
  type Change,
  changes,
  clientOf,
  type FailureName,
  fetchBySender,
  founding,
  type Mid,
  make,
  NAMES,
  type Name,
  newEstate,
  requestOf,
  type Send,
  sendingBy,
} from './estate.ts';
import { expectExact, expectMirrored, feedsOf } from './proof.ts';

/*
 * The mirror under injected failures on the real connection to the table, without a fixed order of requests, and with a
 * process that dies.
 */

const { MODEL_RUNS, MODEL_SEED } = process.env;
const RUNS = 3 * Number(MODEL_RUNS ?? 10);
const TIMEOUT_MS = 120_000 + RUNS * 10_000;
const SEED = Number(MODEL_SEED ?? Date.now() % 2 ** 31);
/** Longer than an event is held back, in milliseconds. */
const LATER_MS = 35_000;

const FAILURES: Record<FailureName, WireFailure[]> = {
  'the response is lost': ['lost', 'lost within the response', 'in conflict'],
  'the connection is closed before it': ['cut off by a reset', 'internal server error'],
  'it conflicts with another write': ['in conflict', 'lost'],
};

let service: Service;
let endFleetClocks: () => void;
beforeAll(async () => {
  process.stdout.write(`MODEL_RUNS=${MODEL_RUNS ?? 10} MODEL_SEED=${SEED} repeats these sequences.\n`);
  service = await startService();
  jest.spyOn(globalThis, 'fetch').mockImplementation(fetchBySender);
  endFleetClocks = useFleetClocks();
});
afterAll(async () => {
  endFleetClocks();
  jest.restoreAllMocks();
  await service.stop();
});

/** Sends a request to a process whose connection to the table fails by this plan. */
async function sendTo(process: Service, operation: Operation, request: Request, plan: Plan | undefined) {
  const { response } = await process.call({ name: randomUUID(), operation, request, ...(plan && { plan }) });
  expect(response.body.code).not.toBe('server_error');
  return response;
}

/** Reads fail too. */
const READ_FAILURES: Plan = { target: 'reads', failures: ['lost', 'half a response'] };
const withReadFailures: Send = (operation, request) => sendTo(service, operation, request, READ_FAILURES);
const attempt = ({ operation, failure }: Change, request: Request) =>
  sendTo(service, operation, request, failure && { target: 'write', failures: FAILURES[failure] });
const here: Send = (operation, request) => call(operation, request);

test(
  'replicas equal the lists although requests to the table fail in every way',
  async () => {
    const writers = fc.tuple(...['a', 'b', 'c'].map((name) => changes(name, { minLength: 1, maxLength: 8 })));
    const property = fc.asyncProperty(founding, writers, fc.constantFrom(3, 100), async (first, others, most) => {
      setClocks();
      const estate = await newEstate();
      const tried = await make(estate, first, attempt);
      const walked = new Map<Name, Replica>();
      const walks = NAMES.map(async (name) => {
        walked.set(name, await sendingBy(withReadFailures, () => walk(clientOf(estate, name), most)));
      });
      for (const more of await Promise.all(others.map((each) => make(estate, each, attempt)))) tried.push(...more);
      await Promise.all(walks);
      pass(LATER_MS);
      await waitForIndexes();
      const feeds = await feedsOf(estate, here);
      expectExact(estate, tried, feeds);
      await expectMirrored(estate, feeds, walked, here);
    });
    await fc.assert(property, { numRuns: RUNS, seed: SEED, unbiased: true, endOnFailure: true });
  },
  TIMEOUT_MS,
);

test('a change whose process dies after the write has one event, even when it is sent again', async () => {
  setClocks();
  const estate = await newEstate();
  const change = (operation: Operation, mid: Mid, ...terminals: string[]): Change => ({
    operation,
    caller: 'P1',
    mid,
    terminals,
    mark: [operation, ...terminals].join('-'),
    isEmpty: false,
    failure: undefined,
    isReplay: false,
  });
  const found = [change('createBranch', 'M1', 'T1', 'T2', 'T3', 'T4'), change('createBranch', 'M2')];
  const created = await make(estate, found, ({ operation }, request) => here(operation, request));
  expect(created.map(({ response }) => response.status)).toEqual([201, 201]);
  const dying = [
    change('updateTerminal', 'M1', 'T1'),
    change('archiveTerminal', 'M1', 'T2'),
    change('reassignTerminal', 'M2', 'T3'),
    change('deleteTerminal', 'M1', 'T4'),
    change('createTerminals', 'M1', 'T5'),
    change('createBranch', 'M3', 'T6'),
  ];
  for (const each of dying) {
    const process = await startService();
    const name = randomUUID();
    const request = requestOf(estate, each);
    const plan: Plan = { target: 'write', failures: ['late response'] };
    const outcome = process.call({ name, operation: each.operation, request, plan });
    const death = expect(outcome).rejects.toThrow('The service has ended.');
    await process.hit(name);
    // By then the table has applied the write, and the response is on its way.
    await new Promise((done) => setTimeout(done, 1_000));
    await process.stop();
    await death;
  }
  pass(LATER_MS);
  await waitForIndexes();
  const feeds = await feedsOf(estate, here);
  expect(
    feeds
      .get('P1')
      ?.slice(found.length)
      .map(({ type }) => type),
  ).toEqual([
    ...(['terminal.updated', 'terminal.archived', 'terminal.reassigned', 'terminal.deleted'] as const),
    ...(['terminals.created', 'branch.created'] as const),
  ]);
  await expectMirrored(estate, feeds, new Map(), here);

  const again = await make(estate, dying, ({ operation }, request) => here(operation, request));
  expect(again.map(({ response }) => [response.status, response.body.code])).toEqual([
    [200, undefined],
    [400, 'already_archived'],
    [200, undefined],
    [404, 'not_found'],
    [201, undefined],
    [201, undefined],
  ]);
  pass(LATER_MS);
  expect(await feedsOf(estate, here)).toEqual(feeds);
});
