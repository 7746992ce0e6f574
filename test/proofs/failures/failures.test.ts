import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newApiKey } from '../../../lib/base/apiKeyFormat.ts';
import type { Branch } from '../../../lib/branches/branch.ts';
import { getItem, table, tableName } from '../../../lib/table/client.ts';
import { branchKey } from '../../../lib/table/keys.ts';
import { type ApiResponse, expectProblem, type Operation } from '../../support/api.ts';
import { INVALID_KEY, SERVICE_BUSY } from '../../support/constants.ts';
import { expectNoViolations } from '../../support/invariants.ts';
import { type Caller, unique } from '../../support/world.ts';
import { ALL, copyOf, newMember, type Prepared, prepareAll, type Stored, storedByTag, WRITES } from './operations.ts';
import { type Service, startService } from './remote.ts';
import {
  boundsOf,
  DONE_BEFORE,
  endsByTime,
  justWaits,
  LAGS,
  LASTING,
  ORDERS,
  type Order,
  PAIRS,
  PASSING,
  type Pair,
  type Row,
  SEAL_FAILURES,
  type SealFailure,
  SLOW_MS,
  THROTTLES,
} from './rows.ts';
import type { Call, Outcome } from './service.ts';
import { type Plan, type Sent, TARGETS, type Target } from './wire.ts';

/*
 * Each operation while requests to the table fail. `FAULT_TABLE=<file>` writes the results there as a table in
 * Markdown.
 */

/** The response and the stored items, in terms that are the same for all callers. */
interface Alike {
  items: Stored[];
  response?: ApiResponse;
}

/** A request of an operation, and what it did. */
interface Cell extends Outcome {
  prepared: Prepared;
  result: Alike;
  /** The table requests until the end of the test. */
  sentInAll: Sent[];
  /** The same request after the failure. */
  repeated?: Outcome & { result: Alike };
}

/** A create that seals a list, what it did, and the list afterwards. */
interface Sealed extends Outcome {
  prepared: Prepared;
  result: Alike;
  list: ApiResponse;
}

/** Our write with another one in between, and the same two one after the other. */
interface Both {
  atOnce: Outcome & { prepared: Prepared; result: Alike };
  oneByOne: { response: ApiResponse | undefined; prepared: Prepared; result: Alike };
}

const CELLS = [...LASTING, ...PASSING].flatMap((row) => row.operations.map((operation) => ({ row, operation })));
const BOTH = ORDERS.flatMap((order) => PAIRS.map((pair) => ({ pair, order })));

/** Each operation without a failure, and what is stored when it is not called. */
const plain = new Map<Operation, Cell & { untouched: Stored[] }>();
const cells = new Map<string, Cell>();
const pairs = new Map<string, Both>();
const seals = new Map<string, Sealed>();
let prepared: Map<Operation, Prepared[]>;
let starting: Promise<Service>;
let service: Service;

const plainOf = (operation: Operation) => plain.get(operation) as Cell & { untouched: Stored[] };
const nameOf = (row: Row | undefined, operation: Operation) => `${operation}, ${row?.title ?? 'nothing fails'}`;
const cellOf = (row: Row, operation: Operation) => cells.get(nameOf(row, operation)) as Cell;
/** One round of requests, for operations that have several. */
const ROUND: Partial<Record<Operation, Target>> = {
  getBranchHistory: 'index',
  listTerminals: 'index',
  getTerminalHistory: 'index',
  memberCheck: 'batch',
};
function targetOf({ target, failures, waits, lasts }: Row, operation: Operation): Target {
  if (target !== 'last') return target;
  if (WRITES.includes(operation)) return 'write';
  return (waits && !lasts && failures.length === 1 && ROUND[operation]) || 'reads';
}
/** A caller that is prepared for an operation and has called nothing yet. */
const next = (operation: Operation) => prepared.get(operation)?.pop() as Prepared;

const ANYBODY: Caller = { id: randomUUID(), type: 'PAYMENT_PROVIDER', name: '', key: newApiKey() };
/**
 * Until a branch is ranked, its positions are its time of creation in milliseconds. The end of an event's retention and
 * a cursor are also made of a time, which is stored beside them.
 */
function timeOf(name: string, value: unknown) {
  if (name === 'ttl' || (name === 'next' && typeof value === 'string' && !value.startsWith('https:'))) return '<made>';
  return name.endsWith('_position') && Number(value) > 1e12 ? new Date(Number(value)).toISOString() : value;
}
const VARYING = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/**
 * Responses and items as if of one caller, with times and ids numbered in order. They are equal for two callers exactly
 * if the same happened to both, and differ if, say, a response has another time than the item.
 */
function alike({ caller }: Prepared, items: Stored[] = [], response?: ApiResponse): Alike {
  const shapeOf = (item: Stored) => JSON.stringify(item).replace(VARYING, '');
  const copies = items
    .filter(({ key }) => !key.startsWith('IDEMPOTENCY_KEY#'))
    .map((item) => copyOf(item, caller, ANYBODY))
    .sort((a, b) => (shapeOf(a) < shapeOf(b) ? -1 : 1));
  const all = { items: copies, ...(response && { response: copyOf(response, caller, ANYBODY) }) };
  const text = JSON.stringify(all, timeOf);
  const seen: string[] = [];
  const number = (each: string) => {
    if (!seen.includes(each)) seen.push(each);
    return `#${seen.indexOf(each)}`;
  };
  return JSON.parse(text.replace(VARYING, number));
}

async function run(operation: Operation, row?: Row): Promise<Cell> {
  const { request, ...to } = next(operation);
  const headers = row?.idempotencyKey && { headers: { 'idempotency-key': row.idempotencyKey } };
  const call: Call = { name: nameOf(row, operation), operation, request: { ...request, ...headers } };
  if (row) {
    const target = targetOf(row, operation);
    const slowMs = row.lasts && endsByTime(row, target) ? SLOW_MS : 0;
    call.plan = { target, failures: row.failures, forever: row.lasts === true, slowMs };
  }
  if (row?.keyIsKnown)
    await service.call({ name: `${call.name}, before`, operation: 'unknownRoute', request: { key: to.caller.key } });
  return {
    ...(await service.call(call)),
    prepared: { ...to, request: call.request },
    result: { items: [] },
    sentInAll: [],
  };
}

async function runPair({ ours, other }: Pair, { failure, first }: Order): Promise<void> {
  const [atOnce, oneByOne] = [next(ours), next(ours)];
  const name = `${ours}, ${failure}`;
  const plan: Plan = { target: 'write', failures: [failure] };
  const meanwhile = other(atOnce);
  const outcome = await service.call({ name, operation: ours, request: atOnce.request, plan, meanwhile });

  const our = { name: `${name}: ours`, operation: ours, request: oneByOne.request };
  const their = { name: `${name}: theirs`, ...other(oneByOne) };
  let response: ApiResponse | undefined;
  for (const call of first === 'we' ? [our, their] : [their, our]) {
    const outcome = await service.call(call);
    if (call === our) response = outcome.response;
  }

  pairs.set(ours + failure, {
    atOnce: { ...outcome, prepared: atOnce, result: { items: [] } },
    oneByOne: { response, prepared: oneByOne, result: { items: [] } },
  });
}

async function runSeal({ title, target, failures }: SealFailure): Promise<void> {
  const { request, ...to } = next('createBranch');
  const plan: Plan = { target, failures, forever: failures.length > 0 };
  const call: Call = { name: `a create that seals, when ${title}`, operation: 'createBranch', request, plan };
  const outcome = await service.call({ ...call, seals: true });
  const list = await listOf(to.caller, title);
  seals.set(title, { ...outcome, prepared: { ...to, request }, result: { items: [] }, list });
}

/** An acquirer's list of branches. */
const listOf = async ({ key }: Caller, when: string): Promise<ApiResponse> =>
  (await service.call({ name: `the list, when ${when}`, operation: 'listBranches', request: { key } })).response;

/** Runs `work` for each of a list, at most `count` at a time. */
async function atMost<T>(count: number, list: T[], work: (each: T) => Promise<unknown>): Promise<void> {
  const left = list.values();
  const worker = async () => {
    for (const each of left) await work(each);
  };
  await Promise.all(Array.from({ length: count }, worker));
}

beforeAll(async () => {
  // To the service, all preparation is a minute old. Otherwise the machine's speed would decide which reads a list
  // needs.
  starting = startService(60_000);
  // For each operation one caller that never calls it and one that calls it without a failure, and then one for each
  // test.
  const needed = [
    ...[...ALL, ...ALL, ...CELLS.map(({ operation }) => operation), ...LAGS.map(({ write }) => write)],
    ...BOTH.flatMap(({ pair: { ours } }) => [ours, ours]),
    ...[...SEAL_FAILURES, 'and one that is throttled'].map(() => 'createBranch' as const),
  ];
  [prepared] = await Promise.all([prepareAll(needed), newMember()]);
  service = await starting;
  const everybody = [...prepared.values()].flat();
  const untouched = new Map(ALL.map((operation) => [operation, next(operation)]));
  await atMost(4, ALL, async (operation) => {
    plain.set(operation, { ...(await run(operation)), untouched: [] });
  });

  // A request is retried for 3 s only, so few calls send table requests at a time, or a slow machine would exceed this.
  // Calls that only wait after a failure are not counted.
  const isWaiting = ({ row, operation }: (typeof CELLS)[number]) => justWaits(row, targetOf(row, operation));
  const runCell = async ({ row, operation }: (typeof CELLS)[number]) =>
    void cells.set(nameOf(row, operation), await run(operation, row));
  const waiting = new Set<Promise<unknown>>();
  const wait = async (cell: (typeof CELLS)[number]) => {
    while (waiting.size >= 24) await Promise.race(waiting);
    const end = runCell(cell).finally(() => waiting.delete(end));
    waiting.add(end);
    await Promise.race([end, service.hit(nameOf(cell.row, cell.operation))]);
  };
  const work = async () => {
    await atMost(
      3,
      CELLS.filter((cell) => !isWaiting(cell)),
      runCell,
    );
    await atMost(3, BOTH, ({ pair, order }) => runPair(pair, order));
  };
  await Promise.all([work(), atMost(2, CELLS.filter(isWaiting), wait), atMost(2, SEAL_FAILURES, runSeal)]);
  await Promise.all(waiting);

  const after = await storedByTag(everybody);
  const both = [...pairs.values()].flatMap(({ atOnce, oneByOne }) => [atOnce, oneByOne]);
  for (const cell of [...plain.values(), ...cells.values(), ...both, ...seals.values()])
    cell.result = alike(cell.prepared, after.get(cell.prepared.tag), cell.response);
  for (const [operation, of] of untouched) plainOf(operation).untouched = alike(of, after.get(of.tag)).items;

  const lasting = CELLS.filter(({ row }) => row.lasts);
  await atMost(3, lasting, async ({ row, operation }) => {
    const cell = cellOf(row, operation);
    const call = { name: `${nameOf(row, operation)}, again`, operation, request: cell.prepared.request };
    cell.repeated = { ...(await service.call(call)), result: { items: [] } };
  });
  const then = await storedByTag(everybody);
  for (const [name, cell] of cells) {
    cell.sentInAll = await service.sent(name);
    if (cell.repeated) cell.repeated.result = alike(cell.prepared, then.get(cell.prepared.tag), cell.repeated.response);
  }
});

afterAll(async () => {
  await (await starting).stop();
  const file = process.env['FAULT_TABLE'];
  if (file) writeFileSync(file, asTable());
});

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
  const { sent } = plainOf(operation);
  const isHit = TARGETS[targetOf(row, operation)];
  const before = sent.slice(0, sent.findIndex(isHit)).filter(({ isKey }) => !(isKey && row.keyIsKnown));
  const hit = sent.filter(isHit);
  return { before, hit: isHit(sent[0] as Sent) ? hit.slice(0, 1) : hit.slice(0, AT_ONCE[operation] ?? 1) };
}
/** The request of a create that reads a list before it may seal it. */
const LOOK: Sent[] = [{ operation: 'Query', isKey: false }];
const withoutKey = (sent: Sent[]) => sent.filter(({ isKey }) => !isKey);

describe('When nothing fails,', () => {
  const STATUSES: Partial<Record<Operation, number>> = { createBranch: 201, createTerminals: 201, unknownRoute: 404 };
  const INDEXES: Partial<Record<Operation, string[]>> = {
    listBranches: ['branches-by-provider'],
    getBranchHistory: ['events-by-branch'],
    listTerminals: ['terminals-by-branch'],
    getTerminalHistory: ['events-by-terminal'],
  };

  test.each(WRITES)('%s stores one event, with the data of its response', (operation) => {
    const { result, untouched } = plainOf(operation);
    const bodiesIn = (items: Stored[]) =>
      items.filter(({ key }) => key.startsWith('EVENTS#')).map(({ attributes }) => JSON.parse(`${attributes['body']}`));
    const { headers, body } = result.response as ApiResponse;
    const events = bodiesIn(result.items);
    expect(events).toHaveLength(bodiesIn(untouched).length + 1);
    const own = events.filter(({ request_id }) => request_id === headers['x-request-id']);
    expect(own.map(({ data }) => data)).toEqual([body.data]);
  });

  test.each(ALL)('%s reads the API key first, writes at most once, and reads an index only to list', (operation) => {
    const { response, sent, result, untouched } = plainOf(operation);
    expect(response.status).toBe(STATUSES[operation] ?? 200);
    expect(sent.map(({ isKey }) => isKey)).toEqual([true, ...Array(sent.length - 1).fill(false)]);
    expect(tokensOf(sent)).toBe(WRITES.includes(operation) ? 'A' : '');
    expect(sent.flatMap(({ index }) => index ?? [])).toEqual(INDEXES[operation] ?? []);
    if (WRITES.includes(operation)) expect(result.items).not.toEqual(untouched);
    else expect(result.items).toEqual(untouched);
  });
});

describe.each(PASSING)('When $title,', (row) => {
  const begins = (at: number) => row.again?.[at] === 'operation';

  /** Every attempt sends each request that is hit again, or all of the operation up to there. */
  function sentUnder(operation: Operation): Sent[] {
    const { sent } = plainOf(operation);
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
      const { result, sent, sentInAll } = cellOf(row, operation);
      expect(result).toEqual(plainOf(operation).result);
      expect(named(sent)).toEqual(named(sentUnder(operation)));
      expect(tokensOf(sent)).toBe(tokensUnder(sent.filter(TARGETS.write).length));
      expect(sentInAll).toEqual(sent);
    },
  );
});

describe.each(LASTING)('When $title,', (row) => {
  const { applied, idempotencyKey } = row;
  const ends = applied ? 'although its write is stored once' : 'and stores nothing';

  test.each(row.operations)(
    `%s responds with a server error and Retry-After ${ends}; its retry succeeds or says why not`,
    (operation) => {
      const { response, result, sent, sentInAll, repeated } = cellOf(row, operation);
      const reference = plainOf(operation);

      expectProblem(response, 'server_error', SERVICE_BUSY);
      expect(response.headers).toEqual({
        'content-type': 'application/problem+json',
        'cache-control': 'no-store',
        'retry-after': expect.stringMatching(/^[1-5]$/),
        'x-request-id': response.body.request_id,
      });
      expect(result.items).toEqual(applied ? reference.result.items : reference.untouched);

      const target = targetOf(row, operation);
      const hits = sent.filter(TARGETS[target]);
      const { before, hit } = splitAt(row, operation);
      expect([...new Set(named(hits))]).toEqual(named(hit));
      const [least, most] = boundsOf(row, target, hit.length);
      expect(hits.length).toBeGreaterThanOrEqual(least);
      expect(hits.length).toBeLessThanOrEqual(most);
      const once = row.again ? before.filter(({ isKey }) => isKey) : before;
      const eachTime = row.again ? withoutKey(before) : [];
      expect(named(sent)).toEqual(named([...once, ...hits.flatMap((each) => [...eachTime, each])]));
      if (hit.some(TARGETS.write)) expect(new Set(tokensOf(sent)).size).toBe(row.again ? hits.length : 1);
      // Nothing is sent after the response.
      expect(sentInAll).toEqual(sent);

      const expected = applied && !idempotencyKey ? DONE_BEFORE[operation] : undefined;
      if (expected) {
        expect([repeated?.response.status, repeated?.response.body.code]).toEqual([expected.status, expected.code]);
        expect(repeated?.result.items).toEqual(reference.result.items);
        // A read finds every conflict.
        if (expected.code) expect(tokensOf(repeated?.sent ?? [])).toBe('');
        if (expected.taken)
          expect(repeated?.response.body.errors).toEqual(
            expected.taken.map((pointer) => ({ pointer, code: 'taken', detail: expect.any(String) })),
          );
      } else {
        const { items, response: done } = reference.result;
        // The event has the id of the first request.
        const replayed = idempotencyKey && { 'idempotent-replayed': 'true', 'x-request-id': expect.any(String) };
        expect(repeated?.result).toEqual({ items, response: { ...done, headers: { ...done?.headers, ...replayed } } });
      }
    },
  );
});

describe('When everything is always throttled,', () => {
  const MOST = 8;
  const rows = LASTING.filter(
    ({ target, failures, keyIsKnown }) => failures === THROTTLES && (target === 'all' || keyIsKnown),
  );

  test.each(ALL)('%s sends the table at most eight requests', (operation) => {
    const sent = rows
      .filter(({ operations }) => operations.includes(operation))
      .map((row) => cellOf(row, operation).sent);
    expect(sent).toHaveLength(operation === 'unknownRoute' ? 1 : 2);
    for (const each of sent) expect(each.length).toBeLessThanOrEqual(MOST);
  });

  test('createBranch does not add to the load by also sealing a list', async () => {
    const { request } = next('createBranch');
    const name = 'a create that may seal a list, when everything is throttled';
    await service.call({ name: `${name}, before`, operation: 'unknownRoute', request: { key: request.key } });
    const plan: Plan = { target: 'all', failures: THROTTLES, forever: true };
    const { response, sent } = await service.call({ name, operation: 'createBranch', request, plan, seals: true });
    expectProblem(response, 'server_error', SERVICE_BUSY);
    expect([...new Set(named(sent))]).toEqual(['BatchGetItem ']);
    expect(sent.length).toBeLessThanOrEqual(MOST);
    expect(await service.sent(name)).toEqual(sent);
  });
});

test('A text that cannot be an API key returns 401 without a table request', async () => {
  const plan: Plan = { target: 'all', failures: ['cut off'], forever: true };
  const request = { key: 'apk_junk' };
  const { response, sent } = await service.call({ name: 'junk', operation: 'listBranches', request, plan });
  expectProblem(response, 'invalid_api_key', INVALID_KEY);
  expect(sent).toEqual([]);
});

describe.each(PAIRS)('When another request $theirs between a write and its retry,', ({ ours, apart }) => {
  test.each(ORDERS)(`${ours}, $failure, ends as if $first had come first`, ({ failure, first }) => {
    const { atOnce, oneByOne } = pairs.get(ours + failure) as Both;
    expect(atOnce.result).toEqual(oneByOne.result);
    // The request that came first is recognised by its token. The other one is decided again, and then written if it
    // still can be, unless the two have no item in common.
    const isDecidedAgain = first === 'they' && !apart;
    expect(tokensOf(atOnce.sent)).toBe(isDecidedAgain && atOnce.response.status < 300 ? 'AAB' : 'AA');
  });
});

describe.each(SEAL_FAILURES)('When $title while a create seals a list,', ({ title, target, applied }) => {
  test('createBranch returns its usual response, and the list is correct', async () => {
    const { response, result, sent, list, prepared } = seals.get(title) as Sealed;
    const reference = plainOf('createBranch');
    expect(response.status).toBe(201);
    expect(alike(prepared, [], response)).toEqual(alike(reference.prepared, [], reference.response));
    if (!applied) expect(result.items).toEqual(reference.result.items);

    const isHit = TARGETS[target];
    expect(named(sent.filter((each) => !isHit(each)))).toEqual(
      named([...reference.sent, ...(target === 'seal' ? LOOK : [])]),
    );
    // Neither is retried, because the next request does the same.
    expect(sent.filter(isHit)).toHaveLength(1);

    const { data, meta } = list.body;
    expect([list.status, meta.total]).toEqual([200, 2]);
    const mids = [`B${prepared.tag}`, `A${prepared.tag}`];
    expect(data.map(({ mid }: { mid: string }) => mid)).toEqual(mids);
    const positions = (await Promise.all(mids.map((mid) => getItem<Branch>(branchKey(mid))))).map(
      (branch) => branch?.provider_position,
    );
    expect(positions).toEqual([expect.any(Number), applied ? 1 : Date.parse(data[1].created_at)]);
  });
});

describe('When an index lags behind', () => {
  test.each(LAGS)('$list after $write shows the change: $isSeen', async ({ write, list, total, isSeen }) => {
    const { tag, request } = next(write);
    const page = { key: request.key, ...(list === 'listTerminals' && { path: { id: `A${tag}` } }) };
    const get = async (name: string, plan?: Plan) => {
      const call = { name: `${name} ${write}`, operation: list, request: page, ...(plan && { plan }) };
      return (await service.call(call)).response;
    };

    const before = await get('before');
    await service.call({ name: `then ${write}`, operation: write, request });
    const stale = await get('soon after', {
      target: 'index',
      failures: ['response as before'],
      since: `before ${write}`,
    });
    const fresh = await get('after');

    const { data, links, meta } = fresh.body;
    expect(meta).toEqual({ current_page: 1, per_page: 10, total });
    expect(data).not.toEqual(before.body.data);
    expect([stale.status, stale.body]).toEqual([200, { data: isSeen ? data : before.body.data, links, meta }]);
  });
});

test('After all failures, the table has no invariant violation', async () => {
  await expectNoViolations();
});

describe('The table of these tests', () => {
  test('applies a token once, rejects another request with this token, and applies another token', async () => {
    const key = { pk: unique('ITEM#'), sk: 'ITEM' };
    const add = (ClientRequestToken: string, by: number) => {
      const values = { UpdateExpression: 'ADD amount :by', ExpressionAttributeValues: { ':by': by } };
      const TransactItems = [{ Update: { TableName: tableName(), Key: key, ...values } }];
      return table.send(new TransactWriteCommand({ ClientRequestToken, TransactItems }));
    };
    const [one, other] = [randomUUID(), randomUUID()];
    await Promise.all([add(one, 1), add(one, 1)]);
    await add(one, 1);
    expect(await getItem(key)).toMatchObject({ amount: 1 });
    await expect(add(one, 2)).rejects.toMatchObject({ name: 'IdempotentParameterMismatchException' });
    await add(other, 1);
    expect(await getItem(key)).toMatchObject({ amount: 2 });
  });
});

/** The results as a table in Markdown: status, number of table requests, and what a write stored. */
function asTable(): string {
  const storedAs = (operation: Operation, { items }: Alike): string => {
    const { result, untouched } = plainOf(operation);
    const is = (others: Stored[]) => JSON.stringify(items) === JSON.stringify(others);
    if (!WRITES.includes(operation)) return is(untouched) ? '' : ', CHANGED';
    return is(result.items) ? ', once' : is(untouched) ? ', nothing' : ', PARTLY';
  };
  const summary = (operation: Operation, { response, sent, result, repeated }: Cell) =>
    `${response.status}, ${sent.length}${storedAs(operation, result)}${repeated ? ` → ${repeated.response.status}` : ''}`;
  const line = (columns: string[]) => `| ${columns.join(' | ')} |`;
  const cell = (row: Row) => (operation: Operation) =>
    row.operations.includes(operation) ? summary(operation, cellOf(row, operation)) : '';
  return [
    line(['When', ...ALL]),
    line(['---', ...ALL.map(() => '---')]),
    line(['nothing fails', ...ALL.map((operation) => summary(operation, plainOf(operation)))]),
    ...[...PASSING, ...LASTING].map((row) => line([row.title, ...ALL.map(cell(row))])),
    '',
  ].join('\n');
}
