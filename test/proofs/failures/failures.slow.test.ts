import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiResponse, expectProblem, type Operation, STATUSES } from '../../support/api.ts';
import { SERVICE_BUSY } from '../../support/constants.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { rescan } from '../../support/stored.ts';
import { checkEach } from '../../support/walk.ts';
import {
  ALL,
  type Effect,
  effectOf,
  itemsByTag,
  type Prepared,
  preparation,
  requestAbout,
  WRITES,
} from './operations.ts';
import { type Service, startService } from './remote.ts';
import { LASTING, ORDERS, PAIRS, PASSING, type Pair, type Row } from './rows.ts';
import type { Call, Outcome } from './service.ts';
import type { Plan, Target } from './wire.ts';

/* Each operation while requests to the table fail. */

/** A call, and what it did. */
interface Cell extends Prepared, Outcome {
  call: Call;
  row: Row | undefined;
  /** The stored items before it. */
  before: Effect;
  effect: Effect;
  /** Its table requests until the end of the test. */
  sentInAll: string[];
  /** The same call after the failure, of some cells. */
  repeated?: Outcome & { effect: Effect };
}

/** Our write with another one in between, and the same two one after the other. */
interface Both {
  pair: Pair;
  order: (typeof ORDERS)[number];
  atOnce: Cell;
  oneByOne: Cell;
}

const cells = new Map<string, Cell>();
const both: Both[] = [];
let service: Service;

const nameOf = (operation: Operation, row?: Row) => `${operation}, ${row?.title ?? 'nothing fails'}`;
const cellOf = (operation: Operation, row?: Row) => cells.get(nameOf(operation, row)) as Cell;

function targetOf({ target }: Row, operation: Operation): Target {
  if (target !== 'last') return target;
  return WRITES.includes(operation) ? 'write' : 'reads';
}

function newCell(prepared: Prepared, operation: Operation, row?: Row): Cell {
  const call: Call = { name: nameOf(operation, row), operation, request: prepared.request };
  if (row) call.plan = { target: targetOf(row, operation), failures: row.failures, forever: row.lasts === true };
  if (row?.isKeyed) call.request = { ...call.request, headers: { 'idempotency-key': prepared.tag } };
  return { ...prepared, row, call } as Cell;
}

async function run(cell: Cell): Promise<void> {
  Object.assign(cell, await service.call(cell.call));
}

async function repeat(cell: Cell): Promise<void> {
  const { name, operation, request } = cell.call;
  cell.repeated = { ...(await service.call({ name: `${name}, again`, operation, request })), effect: { items: [] } };
}

async function runPair({ pair, order, atOnce, oneByOne }: Both): Promise<void> {
  const { ours, other, about = (subject) => subject } = pair;
  const theirs = ({ subject, request: { key } }: Prepared) => ({
    operation: other,
    request: requestAbout(other, about(subject), { key }),
  });
  const name = `${ours}, ${order.failure}`;
  const plan: Plan = { target: 'write', failures: [order.failure] };
  Object.assign(atOnce, await service.call({ ...atOnce.call, name, plan, meanwhile: theirs(atOnce) }));

  if (order.first === 'we') await run(oneByOne);
  await service.call({ name: `${name}: theirs`, ...theirs(oneByOne) });
  if (order.first === 'they') await run(oneByOne);
}

/** Runs `work` for each of a list, a few at a time. */
async function forEach<T>(list: Iterable<T>, work: (each: T) => Promise<unknown>): Promise<void> {
  const left = Iterator.from(list);
  const worker = async () => {
    for (const each of left) await work(each);
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
}

beforeAll(async () => {
  // To the service, all preparation is a minute old. Otherwise the machine's speed would decide which reads a list
  // needs.
  const starting = startService(60_000);
  const prepareFor = await preparation();
  const needed: { operation: Operation; row?: Row }[] = [
    ...ALL.map((operation) => ({ operation })),
    ...[...LASTING, ...PASSING].flatMap((row) => row.operations.map((operation) => ({ operation, row }))),
  ];
  /** What is prepared for all failures after which nothing may be stored. */
  const shared = new Map<Operation, Promise<Prepared>>();
  await forEach(needed, async ({ operation, row }) => {
    const prepared = (row?.lasts && !row.applied && shared.get(operation)) || prepareFor(operation);
    if (row?.lasts && !row.applied) shared.set(operation, prepared);
    cells.set(nameOf(operation, row), newCell(await prepared, operation, row));
  });
  await forEach(PAIRS, async (pair) => {
    const { ours } = pair;
    const each = async () => newCell(await prepareFor(ours), ours);
    for (const order of ORDERS) both.push({ pair, order, atOnce: await each(), oneByOne: await each() });
  });
  const before = await itemsByTag();

  service = await starting;
  await forEach(cells.values(), run);
  await forEach(both, runPair);

  const after = await itemsByTag();
  const isAlone = (row: Row) => row.applied || row.target === 'all';
  const again = [...cells.values()].filter(({ row }) => !row || (row.lasts && isAlone(row)));
  await forEach(again, repeat);
  const then = await itemsByTag();
  const all = [...cells.values(), ...both.flatMap(({ atOnce, oneByOne }) => [atOnce, oneByOne])];
  for (const cell of all) {
    cell.before = effectOf(before.get(cell.tag));
    cell.effect = effectOf(after.get(cell.tag), cell.response);
  }
  for (const { tag, repeated } of again) if (repeated) repeated.effect = effectOf(then.get(tag), repeated.response);
  for (const cell of cells.values()) cell.sentInAll = await service.sent(cell.call.name);
});
afterAll(() => service.stop());

const each = (operations: Operation[]) => operations.map((operation) => [operation, operation] as const);

test('When nothing fails, each operation succeeds, and writes at most once', () =>
  checkEach<Operation>(each(ALL), async (operation) => {
    const { response, sent, effect, before } = cellOf(operation);
    expect(response.status).toBe(STATUSES[operation][0]);
    const writes = sent.filter((each) => each === 'TransactWriteItems');
    expect([writes.length, sent[0]]).toEqual([WRITES.includes(operation) ? 1 : 0, 'GetItem']);
    if (WRITES.includes(operation)) expect(effect.items).not.toEqual(before.items);
    else expect(effect.items).toEqual(before.items);
  }));

test.each(PASSING)('When $title, the response is as without a failure, and a write is stored once', (row) =>
  checkEach<Operation>(each(row.operations), async (operation) => {
    const { effect, sent, sentInAll } = cellOf(operation, row);
    expect(effect).toEqual(cellOf(operation).effect);
    // The failure has hit, and nothing is sent after the response.
    expect(sent.length).toBeGreaterThan(cellOf(operation).sent.length);
    expect(sentInAll).toEqual(sent);
  }),
);

/** The most table requests of a call when everything is throttled, beside that for the API key. */
const MOST_THROTTLED = 8;

function expectBusy(response: ApiResponse): void {
  expectProblem(response, 'server_error', SERVICE_BUSY);
  expect(response.headers).toEqual({
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'retry-after': expect.stringMatching(/^[1-5]$/),
    'x-request-id': response.body.request_id,
  });
}

test.each(LASTING)(
  'When $title, the response is a server error with Retry-After, and the same request succeeds later',
  (row) =>
    checkEach<Operation>(each(row.operations), async (operation) => {
      const { response, before, effect, sent, sentInAll, repeated } = cellOf(operation, row);
      const reference = cellOf(operation);
      expectBusy(response);
      expect(effect.items).toEqual(row.applied ? reference.effect.items : before.items);
      if (row.failures.every((failure) => /^(throttled|.* exceeded)$/.test(failure)) && row.target !== 'write')
        expect(sent.length).toBeLessThanOrEqual(1 + MOST_THROTTLED);
      expect(sentInAll).toEqual(sent);
      if (!repeated) return;
      if (row.isKeyed) {
        const { items, response: done } = reference.effect;
        // The event has the id of the first request.
        const replayed = { 'idempotent-replayed': 'true', 'x-request-id': expect.any(String) };
        expect(repeated.effect).toEqual({ items, response: { ...done, headers: { ...done?.headers, ...replayed } } });
      } else expect(repeated.effect).toEqual(row.applied ? reference.repeated?.effect : reference.effect);
    }),
);

test('When another request writes between a write and its retry, both end as if one had come first', () =>
  checkEach<Both>(
    both.map((each) => [`${each.pair.ours}, ${each.order.failure}: ${each.pair.other}`, each] as const),
    async ({ atOnce, oneByOne }) => expect(atOnce.effect).toEqual(oneByOne.effect),
  ));

test('After all failures, the table has no invariant violation', async () => {
  await expectNoViolations();
  await rescan();
});
