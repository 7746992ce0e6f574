import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newApiKey } from '../../../lib/base/apiKeyFormat.ts';
import type { Branch } from '../../../lib/branch.ts';
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
  MISHAPS_OF_A_SEAL,
  type Mishap,
  ORDERS,
  type Order,
  PAIRS,
  PASSING,
  type Pair,
  type Row,
  SLOW_MS,
  THROTTLES,
} from './rows.ts';
import type { Call, Outcome } from './service.ts';
import { type Plan, type Sent, TARGETS, type Target } from './wire.ts';

/*
 * Each operation, called while something is wrong on the wire between it and the table. With `FAULT_TABLE=<file>` what
 * came of it is written there as a table for people.
 */

/** What was answered and is stored, in terms that are the same for all callers. */
interface Alike {
  items: Stored[];
  response?: ApiResponse;
}

/** A request of an operation, and what came of it. */
interface Cell extends Outcome {
  prepared: Prepared;
  result: Alike;
  /** What had been sent when all was over. */
  sentInAll: Sent[];
  /** The same request when the fault was over. */
  repeated?: Outcome & { result: Alike };
}

/** A create that seals a list, what came of it, and the list afterwards. */
interface Sealed extends Outcome {
  prepared: Prepared;
  result: Alike;
  list: ApiResponse;
}

/** Our write with another one in between, and the two with one just after the other. */
interface Both {
  atOnce: Outcome & { prepared: Prepared; result: Alike };
  oneByOne: { response: ApiResponse | undefined; prepared: Prepared; result: Alike };
}

const CELLS = [...LASTING, ...PASSING].flatMap((row) => row.operations.map((operation) => ({ row, operation })));
const BOTH = ORDERS.flatMap((order) => PAIRS.map((pair) => ({ pair, order })));

/** Each operation without a fault, and what is stored when it is not called. */
const plain = new Map<Operation, Cell & { untouched: Stored[] }>();
const cells = new Map<string, Cell>();
const pairs = new Map<string, Both>();
const seals = new Map<string, Sealed>();
let prepared: Map<Operation, Prepared[]>;
let starting: Promise<Service>;
let service: Service;

const plainOf = (operation: Operation) => plain.get(operation) as Cell & { untouched: Stored[] };
const nameOf = (row: Row | undefined, operation: Operation) => `${operation}, ${row?.title ?? 'all is well'}`;
const cellOf = (row: Row, operation: Operation) => cells.get(nameOf(row, operation)) as Cell;
/** One round of requests of operations that have several. */
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
 * Until a branch is ranked, its positions are its time of creation in milliseconds. The end of an event and a cursor are made of
 * a time too, which stands beside them.
 */
function timeOf(name: string, value: unknown) {
  if (name === 'ttl' || (name === 'next' && typeof value === 'string' && !value.startsWith('https:'))) return '<made>';
  return name.endsWith('_position') && Number(value) > 1e12 ? new Date(Number(value)).toISOString() : value;
}
const VARYING = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/**
 * What is stored and answered, under one caller's names, and with times and ids numbered as they come: equal for two
 * callers with whom the same happened, and different where, say, another time is answered than is stored.
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

async function runSeal({ title, target, failures }: Mishap): Promise<void> {
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

/** Does something with each of a list, so many at a time. */
async function atMost<T>(count: number, list: T[], work: (each: T) => Promise<unknown>): Promise<void> {
  const left = list.values();
  const worker = async () => {
    for (const each of left) await work(each);
  };
  await Promise.all(Array.from({ length: count }, worker));
}

beforeAll(async () => {
  // To the service, all preparation is a minute old. Otherwise the machine's speed decides which reads a list needs.
  starting = startService(60_000);
  // One that is never called and one that is called without a fault, and then one for each test.
  const needed = [
    ...[...ALL, ...ALL, ...CELLS.map(({ operation }) => operation), ...LAGS.map(({ write }) => write)],
    ...BOTH.flatMap(({ pair: { ours } }) => [ours, ours]),
    ...[...MISHAPS_OF_A_SEAL, 'and one that is throttled'].map(() => 'createBranch' as const),
  ];
  [prepared] = await Promise.all([prepareAll(needed), newMember()]);
  service = await starting;
  const everybody = [...prepared.values()].flat();
  const untouched = new Map(ALL.map((operation) => [operation, next(operation)]));
  await atMost(4, ALL, async (operation) => {
    plain.set(operation, { ...(await run(operation)), untouched: [] });
  });

  // A request is retried for 3 s only, so this machine must not be what makes it slow: few calls are on the way to the
  // table at a time, beside those that just wait once a fault has hit them.
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
  await Promise.all([work(), atMost(2, CELLS.filter(isWaiting), wait), atMost(2, MISHAPS_OF_A_SEAL, runSeal)]);
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
}, 180_000);

afterAll(async () => {
  await (await starting).stop();
  const file = process.env['FAULT_TABLE'];
  if (file) writeFileSync(file, asTable());
});

/** What was sent, in words and whatever its order: some requests go out at the same time. */
const named = (sent: Sent[]) =>
  sent.map(({ operation, isKey, index = '' }) => `${operation} ${isKey ? 'API key' : index}`).sort();

/** The tokens of the writes in their order, as letters: `AAB` is a write that was sent twice, and then another one. */
function tokensOf(sent: Sent[]): string {
  const tokens = sent.filter(TARGETS.write).map(({ token = 'none' }) => token);
  const different = [...new Set(tokens)];
  return tokens.map((token) => String.fromCharCode(65 + different.indexOf(token))).join('');
}

/** Operations that begin with several requests at once, once they know the key. */
const AT_ONCE: Partial<Record<Operation, number>> = { listBranches: 2 };

/** What is sent without a fault before the first request that the fault hits, and that one with those beside it. */
function splitAt(row: Row, operation: Operation): { before: Sent[]; hit: Sent[] } {
  const { sent } = plainOf(operation);
  const isHit = TARGETS[targetOf(row, operation)];
  const before = sent.slice(0, sent.findIndex(isHit)).filter(({ isKey }) => !(isKey && row.keyIsKnown));
  const hit = sent.filter(isHit);
  return { before, hit: isHit(sent[0] as Sent) ? hit.slice(0, 1) : hit.slice(0, AT_ONCE[operation] ?? 1) };
}
/** What a create sends to look at a list that it may seal. */
const LOOK: Sent[] = [{ operation: 'Query', isKey: false }];
const withoutKey = (sent: Sent[]) => sent.filter(({ isKey }) => !isKey);

describe('Without a fault,', () => {
  const STATUSES: Partial<Record<Operation, number>> = { createBranch: 201, createTerminals: 201, unknownRoute: 404 };
  const INDEXES: Partial<Record<Operation, string[]>> = {
    listBranches: ['branches-by-provider'],
    getBranchHistory: ['events-by-branch'],
    listTerminals: ['terminals-by-branch'],
    getTerminalHistory: ['events-by-terminal'],
  };

  test.each(WRITES)('%s stores one event, which has what its response has', (operation) => {
    const { result, untouched } = plainOf(operation);
    const bodiesIn = (items: Stored[]) =>
      items.filter(({ key }) => key.startsWith('EVENTS#')).map(({ attributes }) => JSON.parse(`${attributes['body']}`));
    const { headers, body } = result.response as ApiResponse;
    const events = bodiesIn(result.items);
    expect(events).toHaveLength(bodiesIn(untouched).length + 1);
    const own = events.filter(({ request_id }) => request_id === headers['x-request-id']);
    expect(own.map(({ data }) => data)).toEqual([body.data]);
  });

  test.each(ALL)(
    '%s looks at the API key first, writes once if it writes, and looks at an index only to list',
    (operation) => {
      const { response, sent, result, untouched } = plainOf(operation);
      expect(response.status).toBe(STATUSES[operation] ?? 200);
      expect(sent.map(({ isKey }) => isKey)).toEqual([true, ...Array(sent.length - 1).fill(false)]);
      expect(tokensOf(sent)).toBe(WRITES.includes(operation) ? 'A' : '');
      expect(sent.flatMap(({ index }) => index ?? [])).toEqual(INDEXES[operation] ?? []);
      if (WRITES.includes(operation)) expect(result.items).not.toEqual(untouched);
      else expect(result.items).toEqual(untouched);
    },
  );
});

describe.each(PASSING)('When $title,', (row) => {
  const begins = (at: number) => row.again?.[at] === 'operation';

  /** Each time, each request that is hit once more, or all of the operation up to there. */
  function sentUnder(operation: Operation): Sent[] {
    const { sent } = plainOf(operation);
    const { before, hit } = splitAt(row, operation);
    const target = targetOf(row, operation);
    const hits = target === 'batch' ? hit : sent.filter(TARGETS[target]);
    return [...sent, ...row.failures.flatMap((_, at) => (begins(at) ? [...withoutKey(before), ...hit] : hits))];
  }

  /** A new token whenever the operation begins again, else the same. */
  function tokensUnder(writes: number): string {
    let letter = 65;
    const others = row.failures.slice(0, writes - 1).map((_, at) => (begins(at) ? ++letter : letter));
    return writes > 0 ? String.fromCharCode(65, ...others) : '';
  }

  test.each(row.operations)(
    '%s is answered as if nothing had happened, and what it writes is stored once',
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
  const ends = applied ? 'although what it writes is stored once' : 'and stores nothing';

  test.each(row.operations)(`%s asks for a repetition, ${ends}; the repetition is answered rightly`, (operation) => {
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
    // Nothing goes on behind the answer's back.
    expect(sentInAll).toEqual(sent);

    const told = applied && !idempotencyKey ? DONE_BEFORE[operation] : undefined;
    if (told) {
      expect([repeated?.response.status, repeated?.response.body.code]).toEqual([told.status, told.code]);
      expect(repeated?.result.items).toEqual(reference.result.items);
      // A read shows what refuses it, and all of it.
      if (told.code) expect(tokensOf(repeated?.sent ?? [])).toBe('');
      if (told.taken)
        expect(repeated?.response.body.errors).toEqual(
          told.taken.map((pointer) => ({ pointer, code: 'taken', detail: expect.any(String) })),
        );
    } else {
      const { items, response: done } = reference.result;
      // The event has the id of the first request.
      const replayed = idempotencyKey && { 'idempotent-replayed': 'true', 'x-request-id': expect.any(String) };
      expect(repeated?.result).toEqual({ items, response: { ...done, headers: { ...done?.headers, ...replayed } } });
    }
  });
});

describe('When everything is throttled for ever,', () => {
  const MOST = 8;
  const rows = LASTING.filter(
    ({ target, failures, keyIsKnown }) => failures === THROTTLES && (target === 'all' || keyIsKnown),
  );

  test.each(ALL)('%s sends the table eight requests at most', (operation) => {
    const sent = rows
      .filter(({ operations }) => operations.includes(operation))
      .map((row) => cellOf(row, operation).sent);
    expect(sent).toHaveLength(operation === 'unknownRoute' ? 1 : 2);
    for (const each of sent) expect(each.length).toBeLessThanOrEqual(MOST);
  });

  test('so does createBranch when it looks after a list as well', async () => {
    const { request } = next('createBranch');
    const name = 'a create that looks after a list, when everything is throttled';
    await service.call({ name: `${name}, before`, operation: 'unknownRoute', request: { key: request.key } });
    const plan: Plan = { target: 'all', failures: THROTTLES, forever: true };
    const { response, sent } = await service.call({ name, operation: 'createBranch', request, plan, seals: true });
    expectProblem(response, 'server_error', SERVICE_BUSY);
    expect([...new Set(named(sent))]).toEqual(['BatchGetItem ', 'Query ']);
    expect(sent.length).toBeLessThanOrEqual(MOST);
    expect(await service.sent(name)).toEqual(sent);
  });
});

test('A text that cannot be an API key is refused without the table, whatever is wrong with that', async () => {
  const plan: Plan = { target: 'all', failures: ['cut off'], forever: true };
  const request = { key: 'apk_junk' };
  const { response, sent } = await service.call({ name: 'junk', operation: 'listBranches', request, plan });
  expectProblem(response, 'invalid_api_key', INVALID_KEY);
  expect(sent).toEqual([]);
});

describe.each(PAIRS)('When somebody else $theirs between a write and its repetition,', ({ ours, apart }) => {
  test.each(ORDERS)(`${ours}, $fault, ends as if $first had come first`, ({ failure, first }) => {
    const { atOnce, oneByOne } = pairs.get(ours + failure) as Both;
    expect(atOnce.result).toEqual(oneByOne.result);
    // What came first is known by its token. What came second is decided again, and then written if it still can be;
    // unless the two have nothing in common.
    const isDecidedAgain = first === 'they' && !apart;
    expect(tokensOf(atOnce.sent)).toBe(isDecidedAgain && atOnce.response.status < 300 ? 'AAB' : 'AA');
  });
});

describe.each(MISHAPS_OF_A_SEAL)('When $title while a create seals a list,', ({ title, target, applied }) => {
  test('createBranch is answered as ever, and the list is right', async () => {
    const { response, result, sent, list, prepared } = seals.get(title) as Sealed;
    const reference = plainOf('createBranch');
    expect(response.status).toBe(201);
    expect(alike(prepared, [], response)).toEqual(alike(reference.prepared, [], reference.response));
    if (!applied) expect(result.items).toEqual(reference.result.items);

    const isHit = TARGETS[target];
    expect(named(sent.filter((each) => !isHit(each)))).toEqual(
      named([...reference.sent, ...(target === 'seal' ? LOOK : [])]),
    );
    // Neither is retried: the next request does what this one could not.
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
  test.each(LAGS)('$write, $list shows it: $isSeen', async ({ write, list, total, isSeen }) => {
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
      failures: ['answered as before'],
      since: `before ${write}`,
    });
    const fresh = await get('after');

    const { data, links, meta } = fresh.body;
    expect(meta).toEqual({ current_page: 1, per_page: 10, total });
    expect(data).not.toEqual(before.body.data);
    expect([stale.status, stale.body]).toEqual([200, { data: isSeen ? data : before.body.data, links, meta }]);
  });
});

test('Whatever went wrong, the table is sound', async () => {
  await expectNoViolations();
});

describe('The table that all this is shown on', () => {
  test('applies what has one token once, refuses something else under it, and applies what has another', async () => {
    const key = { pk: unique('THING#'), sk: 'THING' };
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

/** The results as a table in Markdown: the answer, how many requests reached the wire, and what is stored of a write. */
function asTable(): string {
  const storedAs = (operation: Operation, { items }: Alike): string => {
    const { result, untouched } = plainOf(operation);
    const is = (others: Stored[]) => JSON.stringify(items) === JSON.stringify(others);
    if (!WRITES.includes(operation)) return is(untouched) ? '' : ', CHANGED';
    return is(result.items) ? ', once' : is(untouched) ? ', nothing' : ', PARTLY';
  };
  const told = (operation: Operation, { response, sent, result, repeated }: Cell) =>
    `${response.status}, ${sent.length}${storedAs(operation, result)}${repeated ? ` → ${repeated.response.status}` : ''}`;
  const line = (columns: string[]) => `| ${columns.join(' | ')} |`;
  const cell = (row: Row) => (operation: Operation) =>
    row.operations.includes(operation) ? told(operation, cellOf(row, operation)) : '';
  return [
    line(['When', ...ALL]),
    line(['---', ...ALL.map(() => '---')]),
    line(['all is well', ...ALL.map((operation) => told(operation, plainOf(operation)))]),
    ...[...PASSING, ...LASTING].map((row) => line([row.title, ...ALL.map(cell(row))])),
    '',
  ].join('\n');
}
