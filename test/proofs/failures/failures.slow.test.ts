import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Branch } from '../../../lib/branches/branch.ts';
import { getItem } from '../../../lib/table/client.ts';
import { branchKey } from '../../../lib/table/keys.ts';
import { type ApiResponse, expectProblem, type Operation, STATUSES } from '../../support/api.ts';
import { SERVICE_BUSY } from '../../support/constants.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { rescan } from '../../support/stored.ts';
import { newAcquirer } from '../../support/world.ts';
import {
  ALL,
  type Effect,
  effectOf,
  itemsByTag,
  type Prepared,
  preparation,
  prepare,
  requestAbout,
  WRITES,
} from './operations.ts';
import { type Service, startService } from './remote.ts';
import { hitsOf, LASTING, ORDERS, PAIRS, PASSING, type Pair, type Row, SEALS } from './rows.ts';
import type { Call, Outcome } from './service.ts';
import { type Plan, type Sent, TARGETS, type Target } from './wire.ts';

/* Each operation while requests to the table fail. */

/** A call, and what it did. */
interface Cell extends Prepared, Outcome {
  call: Call;
  row: Row | undefined;
  /** The stored items before it. */
  before: Effect;
  effect: Effect;
  /** Its table requests until the end of the test. */
  sentInAll: Sent[];
  /** The same call after the failure. */
  repeated: Outcome & { effect: Effect };
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
  if (row) {
    call.plan = { target: targetOf(row, operation), failures: row.failures, forever: row.lasts === true };
    call.keyIsKnown = row.keyIsKnown;
    call.seals = row.seals;
    if (row.isKeyed) call.request = { ...call.request, headers: { 'idempotency-key': prepared.tag } };
  }
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

/** Prepares a create in a list of its own, whose only other branch is the target. */
async function prepareSeal(): Promise<Prepared> {
  // Named like the acquirer whose writes these are compared with.
  const caller = await newAcquirer('PAYMENT_PROVIDER', 'Quickpay');
  const { subject } = await prepare('getBranch', caller);
  const prepared = await prepare('createBranch', caller);
  return { ...prepared, subject: { ...prepared.subject, target: subject.mid } };
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
  const rows = [...LASTING, ...PASSING, ...SEALS];
  const needed: { operation: Operation; row?: Row }[] = [
    ...ALL.map((operation) => ({ operation })),
    ...rows.flatMap((row) => row.operations.map((operation) => ({ operation, row }))),
  ];
  await forEach(needed, async ({ operation, row }) => {
    const prepared = await (row?.seals ? prepareSeal() : prepareFor(operation));
    cells.set(nameOf(operation, row), newCell(prepared, operation, row));
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
  const again = [...cells.values()].filter(({ row }) => !row || row.lasts);
  await forEach(again, repeat);
  const then = await itemsByTag();
  const all = [...cells.values(), ...both.flatMap(({ atOnce, oneByOne }) => [atOnce, oneByOne])];
  for (const cell of all) {
    cell.before = effectOf(before.get(cell.tag));
    cell.effect = effectOf(after.get(cell.tag), cell.response);
  }
  for (const cell of again) cell.repeated.effect = effectOf(then.get(cell.tag), cell.repeated.response);
  for (const cell of cells.values()) cell.sentInAll = await service.sent(cell.call.name);
});
afterAll(() => service.stop());

/** The table requests by name, sorted, because some are sent at the same time. */
const named = (sent: Sent[]) =>
  sent.map(({ operation, isKey, index = '' }) => `${operation} ${isKey ? 'API key' : index}`).sort();

/** The tokens of the writes in order, as letters: `AAB` is a write that was sent twice, and then another one. */
function tokensOf(sent: Sent[]): string {
  const tokens = sent.filter(TARGETS.write).map(({ token = 'none' }) => token);
  const different = [...new Set(tokens)];
  return tokens.map((token) => String.fromCharCode(65 + different.indexOf(token))).join('');
}

/** Operations that start with several requests at once when the key is cached. */
const AT_ONCE: Partial<Record<Operation, number>> = { listBranches: 2, getTerminalHistory: 2 };

/**
 * The table requests without a failure before the first one that the failure hits, and this one with those sent beside
 * it.
 */
function splitAt(row: Row, operation: Operation): { before: Sent[]; hit: Sent[] } {
  const { sent } = cellOf(operation);
  const isHit = TARGETS[targetOf(row, operation)];
  const before = sent.slice(0, sent.findIndex(isHit)).filter(({ isKey }) => !(isKey && row.keyIsKnown));
  const hit = sent.filter(isHit);
  return { before, hit: isHit(sent[0] as Sent) ? hit.slice(0, 1) : hit.slice(0, AT_ONCE[operation] ?? 1) };
}
/** The request of a create that reads a list before it may seal it. */
const LOOK: Sent[] = [{ operation: 'Query', isKey: false }];
const withoutKey = (sent: Sent[]) => sent.filter(({ isKey }) => !isKey);

describe('When nothing fails,', () => {
  test.each(ALL)('%s succeeds, reads the API key first and writes at most once', (operation) => {
    const { response, sent, effect, before } = cellOf(operation);
    expect(response.status).toBe(STATUSES[operation][0]);
    expect(sent.map(({ isKey }) => isKey)).toEqual([true, ...Array(sent.length - 1).fill(false)]);
    expect(tokensOf(sent)).toBe(WRITES.includes(operation) ? 'A' : '');
    if (WRITES.includes(operation)) expect(effect.items).not.toEqual(before.items);
    else expect(effect.items).toEqual(before.items);
  });
});

describe.each(PASSING)('When $title,', (row) => {
  const begins = (at: number) => row.again?.[at] === 'operation';

  /** Every attempt sends each request that is hit again, or all of the operation up to there. */
  function sentUnder(operation: Operation): Sent[] {
    const { sent } = cellOf(operation);
    const { before, hit } = splitAt(row, operation);
    const target = targetOf(row, operation);
    const hits = target === 'batch' ? hit : sent.filter(TARGETS[target]);
    return [...sent, ...row.failures.flatMap((_, at) => (begins(at) ? [...withoutKey(before), ...hit] : hits))];
  }

  /** A new token whenever the operation starts again, else the same. */
  function tokensUnder(writes: number): string {
    let letter = 65;
    const others = row.failures.slice(0, writes - 1).map((_, at) => (begins(at) ? ++letter : letter));
    return writes > 0 ? String.fromCharCode(65, ...others) : '';
  }

  test.each(row.operations)(
    '%s returns the same response as without a failure and stores its write once',
    (operation) => {
      const { effect, sent, sentInAll } = cellOf(operation, row);
      expect(effect).toEqual(cellOf(operation).effect);
      expect(named(sent)).toEqual(named(sentUnder(operation)));
      expect(tokensOf(sent)).toBe(tokensUnder(sent.filter(TARGETS.write).length));
      expect(sentInAll).toEqual(sent);
    },
  );
});

/** The most table requests of a call when everything is throttled. */
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

describe.each(LASTING)('When $title,', (row) => {
  const ends = row.applied ? 'although its write is stored once' : 'and stores nothing';

  test.each(row.operations)(`%s responds with a server error and Retry-After ${ends}`, (operation) => {
    const { response, before, effect, sent, sentInAll } = cellOf(operation, row);
    expectBusy(response);
    expect(effect.items).toEqual(row.applied ? cellOf(operation).effect.items : before.items);

    const target = targetOf(row, operation);
    const hits = sent.filter(TARGETS[target]);
    const { before: first, hit } = splitAt(row, operation);
    expect([...new Set(named(hits))]).toEqual(named(hit));
    expect(hitsOf(row, operation, target, hit.length)).toContain(hits.length);
    if (target === 'all' || row.keyIsKnown) expect(sent.length).toBeLessThanOrEqual(MOST_THROTTLED);
    const once = row.again ? first.filter(({ isKey }) => isKey) : first;
    const eachTime = row.again ? withoutKey(first) : [];
    expect(named(sent)).toEqual(named([...once, ...hits.flatMap((each) => [...eachTime, each])]));
    if (hit.some(TARGETS.write)) expect(new Set(tokensOf(sent)).size).toBe(row.again ? hits.length : 1);
    // Nothing is sent after the response.
    expect(sentInAll).toEqual(sent);
  });

  const repeats = row.applied && !row.isKeyed ? 'as after a success' : row.isKeyed ? 'with a replay' : 'successfully';
  test.each(row.operations)(`%s responds to the same request later ${repeats}`, (operation) => {
    const { repeated } = cellOf(operation, row);
    const reference = cellOf(operation);
    if (row.isKeyed) {
      const { items, response: done } = reference.effect;
      // The event has the id of the first request.
      const replayed = { 'idempotent-replayed': 'true', 'x-request-id': expect.any(String) };
      const response = { ...done, headers: { ...done?.headers, ...replayed } };
      expect(repeated.effect).toEqual({ items, response });
    } else if (row.applied) {
      expect(repeated.effect).toEqual(reference.repeated.effect);
      expect(named(repeated.sent)).toEqual(named(reference.repeated.sent));
    } else {
      expect(repeated.effect).toEqual(reference.effect);
    }
  });
});

describe.each(PAIRS)('When another request $theirs between a write and its retry,', (pair) => {
  test.each(ORDERS)(`${pair.ours}, $failure, ends as if $first had come first`, (order) => {
    const { atOnce, oneByOne } = both.find((each) => each.pair === pair && each.order === order) as Both;
    expect(atOnce.effect).toEqual(oneByOne.effect);
    // The request that came first is recognised by its token. The other one is decided again, and then written if it
    // still can be, unless the two have no item in common.
    const isDecidedAgain = order.first === 'they' && !pair.apart;
    expect(tokensOf(atOnce.sent)).toBe(isDecidedAgain && atOnce.response.status < 300 ? 'AAB' : 'AA');
  });
});

test.each(SEALS)('When $title, createBranch returns its usual response', async (row) => {
  const { response, effect, sent, sentInAll, subject } = cellOf('createBranch', row);
  const reference = cellOf('createBranch');
  expect(effectOf([], response)).toEqual(effectOf([], reference.response));
  // A seal may rank the new branch too.
  if (!row.applied) expect(effect.items).toEqual(reference.effect.items);
  const sealed = await getItem<Branch>(branchKey(subject.target));
  expect(sealed?.provider_position).toBe(row.applied ? 1 : Date.parse(sealed?.created_at ?? ''));

  const isHit = TARGETS[row.target as Target];
  const look = row.target === 'seal' ? LOOK : [];
  expect(named(sent.filter((each) => !isHit(each)))).toEqual(named([...reference.sent, ...look]));
  // Neither is retried, because the next request does the same.
  expect(sent.filter(isHit)).toHaveLength(1);
  expect(sentInAll).toEqual(sent);
});

test('After all failures, the table has no invariant violation', async () => {
  await expectNoViolations();
  await rescan();
});
