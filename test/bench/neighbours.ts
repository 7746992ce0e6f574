import type { Agent } from 'node:http';
import { SEALING } from '../../lib/branches/ranks.ts';
import { getItem, table } from '../../lib/table/client.ts';
import { branchKey, masterMerchantEntryKey, masterMerchantUuidOf } from '../../lib/table/keys.ts';
import { type AwsTable, startAwsTable } from '../awsTable/table.ts';
import { type ApiResponse, eventOf, invoke, type Operation, type Request } from '../support/invoke.ts';
import { storeMany } from '../support/storeMany.ts';
import { metered } from './meter.ts';
import { checkPages, type Wrongs } from './neighbourPages.ts';
import type { Part, Row } from './part.ts';
import { createWithRank } from './rivals/ranksInWrite.ts';
import { quantile } from './statistics.ts';
import { type Caller, newAcquirer, newPartners, succeed, unique } from './world.ts';

const CREATORS = 64;
const RUNS = 3;
const FLAT_OUT_MS = 4_000;
const MANY = 16;
const REFUSED_AT_A_TIME = 24;
const PARTNER_WORKERS = 8;
const UPDATES = 64;
const OF_ONE_BUSINESS = 50;
/** The most items of a lookup. */
const MOST_ITEMS = 1_000;
const BUSINESSES = [100, 10_000, 50_000];
/** The most read units of a lookup, which reads at most 1 MB: 128, and a page ends with the item that exceeds it. */
const MOST_UNITS = 130;
const MOST_REQUESTS = 8;
const MOST_SECONDS = 4;
const PATIENCE_MS = 60_000;

/** A table this many times as slow is the bottleneck for many workers. Otherwise DynamoDB Local would be. */
const SLOWER = 4;

/** Lags of index entries, in milliseconds: usual ones, and such as a partner can outrun. */
const LAG = [15, 45] as const;
const LONG_LAG = [75, 225] as const;

const round = (value: number, digits = 1) => Number(value.toFixed(digits));
const inSeconds = (ms: number) => round(ms / 1000, 2);

/** The table that the client uses instead of DynamoDB Local. */
let aws: AwsTable | undefined;

table.middlewareStack.add(
  (next) => (args) => {
    if (aws) {
      const { hostname, port } = new URL(aws.endpoint);
      Object.assign(args.request as object, { hostname, port: Number(port) });
    }
    return next(args);
  },
  { step: 'build', name: 'neighbours' },
);

/** The part of the SDK's HTTP handler that is used here. */
interface HttpHandler {
  httpHandlerConfigs: () => { httpAgent: Agent } & Record<(typeof TIMEOUTS)[number], number>;
  updateHttpClientConfig: (name: string, value: unknown) => void;
}
const TIMEOUTS = ['connectionTimeout', 'requestTimeout', 'socketTimeout'] as const;

/**
 * Runs some work with a client that uses a table like AWS's. The client never waits for a connection, as functions
 * share none. It waits for DynamoDB Local for any time, because that is far slower than AWS under many writes.
 */
async function onAws<T>(work: (aws: AwsTable) => Promise<T>): Promise<T> {
  const started = await startAwsTable(process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string, { lag: LAG });
  // The agent exists once it was used.
  await getItem(branchKey('-'));
  const handler = table.config.requestHandler as unknown as HttpHandler;
  const before = handler.httpHandlerConfigs();
  const { maxSockets } = before.httpAgent;
  before.httpAgent.maxSockets = Number.POSITIVE_INFINITY;
  for (const name of TIMEOUTS) handler.updateHttpClientConfig(name, PATIENCE_MS);
  aws = started;
  try {
    return await work(started);
  } finally {
    aws = undefined;
    before.httpAgent.maxSockets = maxSockets;
    for (const name of TIMEOUTS) handler.updateHttpClientConfig(name, before[name]);
    await started.stop();
  }
}

const ask = (operation: Operation, request: Request): Promise<ApiResponse> =>
  invoke(operation, eventOf(operation, request));
const timed = async <T>(work: () => Promise<T>) => {
  const started = performance.now();
  const result = await work();
  return { result, ms: performance.now() - started };
};
const create = ({ key }: Caller, body: object = {}) =>
  ask('createBranch', { key, body: { mid: unique('M'), master_merchant_id: unique('MM'), ...body } });
const atOnce = <T>(count: number, work: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)));

/** The number of responses of each status. */
const statusesOf = (statuses: number[]): string =>
  Object.entries(Object.groupBy(statuses, String))
    .map(([status, all]) => `${all?.length} × ${status}`)
    .join(', ') || '-';
const kindsOf = ({ conflictsByKind }: AwsTable['counts']): string =>
  Object.entries(conflictsByKind)
    .map(([kind, count]) => `${kind}: ${count}`)
    .join(', ') || '-';

/** The conflicts of some work. */
interface Met {
  transactions: number;
  conflicts: number;
  kinds: string;
}

/** Runs some work on an idle table, and returns its conflicts. */
async function met<T>(table: AwsTable, work: () => Promise<T>): Promise<{ result: T; met: Met }> {
  await table.settled();
  table.reset();
  const result = await work();
  const { transactions, conflicts } = table.counts;
  return { result, met: { transactions, conflicts, kinds: kindsOf(table.counts) } };
}

const metRow = ({ transactions, conflicts, kinds }: Met, writes: number): Row => ({
  'attempts per write': round(transactions / writes, 2),
  conflicts,
  'conflicts by kind': kinds,
});

/** Concurrent calls, each of which takes at least one transaction. */
async function rush(table: AwsTable, count: number, work: (at: number) => Promise<ApiResponse>) {
  const responses = await met(table, () => atOnce(count, (at) => timed(() => work(at))));
  const statuses = responses.result.map(({ result }) => result.status);
  const longest = Math.max(...responses.result.map(({ ms }) => ms));
  const attempts = responses.met.transactions / count;
  const row = {
    statuses: statusesOf(statuses),
    ...metRow(responses.met, count),
    'last response (s)': inSeconds(longest),
  };
  return { row, attempts, conflicts: responses.met.conflicts, failed: statuses.filter((each) => each >= 300).length };
}

/** Workers that send the next call after each response, until `isOver`. */
const flatOut = async (workers: number, isOver: () => boolean, work: () => Promise<{ status: number }>) => {
  const responses: { status: number; ms: number }[] = [];
  await atOnce(workers, async () => {
    while (!isOver()) {
      const { result, ms } = await timed(work);
      responses.push({ status: result.status, ms });
    }
  });
  return responses;
};

/** The calls of a neighbour, and how many are concurrent. */
interface Neighbour {
  workers: number;
  /** The expected status of all responses. */
  status: number;
  work: () => Promise<ApiResponse>;
}

/** Creates of a payment provider, continuously, alone or beside a neighbour. */
async function provide(
  table: AwsTable,
  workers: number,
  create: () => Promise<{ status: number }>,
  neighbour?: Neighbour,
) {
  let isOver = false;
  const { result, met: what } = await met(table, async () => {
    const beside = neighbour ? flatOut(neighbour.workers, () => isOver, neighbour.work) : Promise.resolve([]);
    const end = performance.now() + FLAT_OUT_MS;
    const { result: own, ms } = await timed(() => flatOut(workers, () => performance.now() > end, create));
    isOver = true;
    return { own, ms, others: await beside };
  });
  const times = result.own.map(({ ms }) => ms);
  const created = result.own.filter(({ status }) => status === 201).length;
  const failed = result.own.length - created;
  const othersFailed = result.others.filter(({ status }) => status !== neighbour?.status).length;
  const perSecond = created / (result.ms / 1000);
  const row = {
    workers,
    'creates per second': round(perSecond),
    'median (ms)': round(quantile(times, 0.5)),
    'p95 (ms)': round(quantile(times, 0.95)),
    'longest (ms)': round(Math.max(...times)),
    failures: failed,
    'responses of the partner': statusesOf(result.others.map(({ status }) => status)),
    ...metRow(what, result.own.length + result.others.length),
  };
  return { row, perSecond, failed, othersFailed, conflicts: what.conflicts };
}

/** Creates terminals of a new branch. */
async function newTerminals({ key }: Caller, count: number): Promise<{ mid: string; tids: string[] }> {
  const { body } = await succeed('createBranch', { key, body: { mid: unique('M'), master_merchant_id: unique('MM') } });
  const { mid } = body.data;
  const tids: string[] = [];
  while (tids.length < count) {
    const terminals = Array.from({ length: Math.min(32, count - tids.length) }, () => ({ terminal_id: unique('T') }));
    const response = await succeed('createTerminals', { key, path: { id: mid }, body: { terminals } });
    tids.push(...response.body.data.map(({ tid }: { tid: string }) => tid));
  }
  return { mid, tids };
}

/** Whether a first page of a list is complete, and has an item or not as expected. */
const isRight = (
  { body: { data, meta } }: ApiResponse,
  field: string,
  total: number,
  wanted: string,
  isThere: boolean,
) =>
  meta.total === total &&
  data.length === Math.min(100, total) &&
  data.some((each: Record<string, unknown>) => each[field] === wanted) === isThere;

/** Lists items right after they were created or deleted. Returns the number of wrong pages by kind. */
async function listAfterwards(): Promise<Row[]> {
  const { key } = await newAcquirer('PAYMENT_PROVIDER');
  const query = { sort: 'desc', per_page: '100' };
  const wrong = { branches: 0, created: 0, deleted: 0 };
  const [BRANCHES, TERMINALS] = [30, 20];
  for (let total = 1; total <= BRANCHES; total += 1) {
    const mid = unique('M');
    await succeed('createBranch', { key, body: { mid, master_merchant_id: unique('MM') } });
    if (!isRight(await succeed('listBranches', { key, query }), 'mid', total, mid, true)) wrong.branches += 1;
  }
  const { mid } = await newTerminals({ key } as Caller, 0);
  const list = () => succeed('listTerminals', { key, path: { id: mid }, query });
  const tids: string[] = [];
  for (let total = 1; total <= TERMINALS; total += 1) {
    const terminals = [{ terminal_id: unique('T') }];
    const { body } = await succeed('createTerminals', { key, path: { id: mid }, body: { terminals } });
    tids.push(body.data[0].tid);
    if (!isRight(await list(), 'tid', total, body.data[0].tid, true)) wrong.created += 1;
  }
  for (const [at, tid] of tids.entries()) {
    await succeed('deleteTerminal', { key, path: { id: tid } });
    if (!isRight(await list(), 'tid', TERMINALS - at - 1, tid, false)) wrong.deleted += 1;
  }
  return [
    { 'listed right after': 'a branch was created', pages: BRANCHES, wrong: wrong.branches },
    { 'listed right after': 'a terminal was created', pages: TERMINALS, wrong: wrong.created },
    { 'listed right after': 'a terminal was deleted', pages: TERMINALS, wrong: wrong.deleted },
  ];
}

/** Stores master merchants as their lookup reads them and no more, because so many creates would take an hour. */
const seedBusinesses = ({ id }: Caller, count: number): Promise<void> =>
  storeMany(1, count, (number) => {
    // All have the same size, so pages of 1 MB always end alike.
    const padded = String(number).padStart(5, '0');
    return {
      ...masterMerchantEntryKey(id, masterMerchantUuidOf(id, `BUSINESS${padded}`)),
      name: `Harbour Cafés ${padded}`,
      master_merchant_id: `BUSINESS${padded}`,
    };
  });

/** Table usage of a lookup of master merchants, cold and warm. */
async function lookUp(caller: Caller, businesses: number) {
  const { key } = caller;
  const measure = async () => {
    const lookup = () => ask('lookup', { key, path: { method: 'masterMerchants' } });
    const { result, ms } = await timed(() => metered(lookup));
    const { status, body } = result.result;
    if (status === 200 && body.data.length !== Math.min(businesses, MOST_ITEMS))
      throw new Error('The lookup lacks businesses.');
    return { ...result.usage, ms, status };
  };
  // Caches the API key.
  await succeed('lookup', { key, path: { method: 'paymentApp' } });
  const [cold, warm] = [await measure(), await measure()];
  const row = {
    'master merchants': businesses,
    statuses: `${cold.status}, ${warm.status}`,
    'read units, cold': cold.readUnits,
    'requests in sequence, cold': cold.inSequence,
    'cold (ms)': round(cold.ms),
    'read units, warm': warm.readUnits,
    'requests in sequence, warm': warm.inSequence,
    'warm (ms)': round(warm.ms),
  };
  const hasResponse = cold.status === 200 && warm.status === 200;
  return { row, businesses, hasResponse, cold: cold.readUnits, warm: warm.readUnits };
}

/** Calls while the table throttles everything. */
async function callThrottled(table: AwsTable) {
  const { key } = await newAcquirer('PAYMENT_PROVIDER');
  const calls: [Operation, Request][] = [
    ['listBranches', { key }],
    ['createBranch', { key, body: { mid: unique('M'), master_merchant_id: unique('MM') } }],
    [
      'memberCheck',
      {
        key,
        body: {
          amount: 12.5,
          currency: 'EUR',
          card_id: 'card',
          card_pseudo_token: 'token',
          terminal_id: unique('T'),
          acquirer_id: unique('A'),
        },
      },
    ],
    ['lookup', { key, path: { method: 'masterMerchants' } }],
  ];
  const outcomes: { operation: Operation; requests: number; seconds: number; status: number }[] = [];
  // It reads a secret, but only once.
  for (const [operation, request] of calls.filter(([name]) => name === 'memberCheck'))
    await succeed(operation, request);
  for (const [operation, request] of calls) {
    // Caches the API key.
    await succeed('lookup', { key, path: { method: 'paymentApp' } });
    table.reset();
    table.settings.throttles = true;
    const { result, ms } = await timed(() => ask(operation, request));
    table.settings.throttles = false;
    const requests = Object.values(table.counts.requests).reduce((sum, count) => sum + count, 0);
    outcomes.push({ operation, requests, seconds: ms / 1000, status: result.status });
  }
  return outcomes;
}

/** Runs some work while branches are ranked at an age of some seconds, so lists are ranked continuously. */
async function sealingOften<T>(work: () => Promise<T>): Promise<T> {
  const { horizonMs } = SEALING;
  SEALING.horizonMs = 5_000;
  try {
    return await work();
  } finally {
    SEALING.horizonMs = horizonMs;
  }
}

const wrongPages = (wrongs: Wrongs): number => Object.values(wrongs).reduce((sum, count) => sum + count, 0);

async function measureAll(table: AwsTable) {
  const fresh = () => newAcquirer('PAYMENT_PROVIDER');
  // Warms up: the first calls of a process are slow.
  const anybody = await fresh();
  for (let time = 0; time < 10; time += 1) await atOnce(4, () => create(anybody));

  const creators: Awaited<ReturnType<typeof rush>>[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const provider = await fresh();
    await succeed('listBranches', { key: provider.key });
    creators.push(await rush(table, CREATORS, () => create(provider)));
  }

  const aloneWith = async (workers: number) => {
    const provider = await fresh();
    return provide(table, workers, () => create(provider));
  };
  /** Creates as before lists had a tail: each takes the next rank. */
  const rankedWith = async (workers: number) => {
    const { id } = await fresh();
    return provide(table, workers, async () => ({ status: (await createWithRank(id)) ? 201 : 400 }));
  };
  const ofFour = await aloneWith(4);
  const rankedOfFour = await rankedWith(4);
  const beside = async (neighbourOf: (partners: Awaited<ReturnType<typeof newPartners>>) => Promise<Neighbour>) => {
    const partners = await newPartners();
    return provide(table, 4, () => create(partners.provider), await neighbourOf(partners));
  };
  const besideRefused = await beside(async ({ distributor, provider }) => {
    const body = { mid: unique('M'), payment_provider: provider.id };
    await succeed('createBranch', { key: distributor.key, body: { ...body, master_merchant_id: unique('MM') } });
    return { workers: REFUSED_AT_A_TIME, status: 422, work: () => create(distributor, body) };
  });
  const besideCreated = await beside(async ({ distributor, provider }) => ({
    workers: PARTNER_WORKERS,
    status: 201,
    work: () => create(distributor, { payment_provider: provider.id }),
  }));

  const { read, write } = table.settings;
  Object.assign(table.settings, { read: SLOWER * read, write: SLOWER * write });
  const ofMany = await aloneWith(MANY);
  const rankedOfMany = await rankedWith(MANY);
  Object.assign(table.settings, { read, write });

  const owner = await fresh();
  const { tids } = await newTerminals(owner, UPDATES);
  const updates = await rush(table, UPDATES, (at) =>
    ask('updateTerminal', {
      key: owner.key,
      path: { id: tids[at] as string },
      body: { terminal_model: `Handheld ${at}` },
    }),
  );

  const { provider, distributor } = await newPartners();
  const { body } = await create(provider);
  const existing_master_merchant = body.data.existing_master_merchant;
  const ofOneBusiness = await rush(table, OF_ONE_BUSINESS, () =>
    create(provider, { existing_master_merchant, master_merchant_id: undefined, distributor: distributor.id }),
  );

  table.settings.lag = LONG_LAG;
  const afterwards = await listAfterwards();
  const pages = await sealingOften(async () =>
    checkPages(await newPartners(), Number(process.env['NEIGHBOUR_PAGES'] ?? 500), table.settled),
  );
  table.settings.lag = LAG;

  const throttled = await callThrottled(table);
  return {
    creators,
    ofFour,
    rankedOfFour,
    ofMany,
    rankedOfMany,
    besideRefused,
    besideCreated,
    updates,
    ofOneBusiness,
    afterwards,
    pages,
    throttled,
  };
}

/** Measured alone. The items are stored directly, not through the proxy. */
async function measureLookups() {
  const callers: { caller: Caller; count: number }[] = [];
  for (const count of BUSINESSES) {
    const caller = await newAcquirer('PAYMENT_PROVIDER');
    await seedBusinesses(caller, count);
    callers.push({ caller, count });
  }
  return onAws(async () => {
    const lookups: Awaited<ReturnType<typeof lookUp>>[] = [];
    for (const { caller, count } of callers) lookups.push(await lookUp(caller, count));
    return lookups;
  });
}

/** The effects of concurrent writers on each other, and lists right after a write. */
export const neighbours: Part = {
  title: 'Concurrent partners on one table',
  about:
    'Partners that write at the same time, and lists that are read right after a write. Whole handlers run in one process, ' +
    'on a table that behaves like AWS (`test/awsTable/table.ts`): DynamoDB Local behind a proxy that adds latency, cancels ' +
    'transactions that conflict with one in progress, and serves index queries from a copy that lags.',
  async measure() {
    const all = await onAws(measureAll);
    const lookups = await measureLookups();
    const { creators, ofFour, rankedOfFour, ofMany, rankedOfMany, besideRefused, besideCreated } = all;
    const { updates, ofOneBusiness, afterwards, pages, throttled } = all;
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
    const rushes = {
      attempts: sum(creators.map(({ attempts }) => attempts)) / RUNS,
      conflicts: sum(creators.map(({ conflicts }) => conflicts)),
      failed: sum(creators.map(({ failed }) => failed)),
    };
    const neighboursOf = { refused: besideRefused, created: besideCreated };
    const whatPartnerDoes = { refused: "its partner's creates are refused", created: 'its partner creates too' };
    const wrongAfterwards = sum(afterwards.map(({ wrong }) => Number(wrong)));
    const mostRequests = Math.max(...throttled.map(({ requests }) => requests));
    const mostSeconds = Math.max(...throttled.map(({ seconds }) => seconds));
    const largeLookup = lookups.find(({ businesses }) => businesses === 10_000);
    const wrong = wrongPages(pages.wrongs);
    return {
      tables: [
        {
          title: 'Concurrent calls',
          rows: [
            ...creators.map(({ row }) => ({ calls: `${CREATORS} creates for one payment provider`, ...row })),
            { calls: `${OF_ONE_BUSINESS} creates with one master merchant and a distributor`, ...ofOneBusiness.row },
            { calls: `${UPDATES} updates of terminals of one branch`, ...updates.row },
          ],
        },
        {
          title: 'Creates of one payment provider at full load',
          rows: [
            { beside: 'nobody', ...ofFour.row },
            { beside: 'nobody, each create takes the next rank', ...rankedOfFour.row },
            { beside: `${REFUSED_AT_A_TIME} workers of a partner, all with one taken MID`, ...besideRefused.row },
            { beside: `${PARTNER_WORKERS} workers of a partner that creates too`, ...besideCreated.row },
          ],
        },
        {
          title: `The same on a table that is ${SLOWER} times as slow`,
          rows: [
            { creates: 'as they are', ...ofMany.row },
            { creates: 'each takes the next rank', ...rankedOfMany.row },
          ],
        },
        { title: `Lists right after a write, with index lags of ${LONG_LAG.join(' to ')} ms`, rows: afterwards },
        {
          title: `Pages of lists while ${pages.creators} creators add to them, with the same lags`,
          rows: [{ ...pages.row, 'wrong pages': wrong, ...pages.wrongs }],
        },
        { title: 'Lookups of masterMerchants', rows: lookups.map(({ row }) => row) },
        {
          title: 'Calls while the table throttles everything',
          rows: throttled.map(({ operation, requests, seconds, status }) => ({
            operation,
            status,
            'requests to the table': requests,
            'time (s)': round(seconds, 2),
          })),
        },
      ],
      chart: {
        title: 'Creates per second of a payment provider with four workers',
        unit: 'creates per second',
        kind: 'bars',
        categories: ['alone', 'while its partner is refused', 'while its partner creates too'],
        series: [
          {
            name: 'creates per second',
            values: [ofFour, besideRefused, besideCreated].map((each) => round(each.perSecond)),
          },
        ],
      },
      targets: [
        {
          target: `${CREATORS} concurrent creates for one acquirer all succeed at the first attempt, without a conflict`,
          measured: `${round(rushes.attempts, 2)} attempts, ${rushes.conflicts} conflicts, ${rushes.failed} failures`,
          isMet: rushes.attempts === 1 && rushes.conflicts === 0 && rushes.failed === 0,
        },
        ...Object.entries(neighboursOf).map(([what, each]) => ({
          target: `While ${whatPartnerDoes[what as keyof typeof neighboursOf]}, a payment provider creates without a conflict or failure`,
          measured: `${each.conflicts} conflicts, ${each.failed} failures, ${each.othersFailed} of the partner`,
          isMet: each.conflicts === 0 && each.failed === 0 && each.othersFailed === 0,
        })),
        {
          target: `${MANY} workers create at least ten times as many branches a second as if each create took the next rank, and none fails`,
          measured: `${round(ofMany.perSecond)} and ${round(rankedOfMany.perSecond)} a second, ${ofMany.failed} failures`,
          isMet: ofMany.failed === 0 && ofMany.perSecond >= 10 * rankedOfMany.perSecond,
          isTime: true,
        },
        {
          target: `${UPDATES} concurrent updates of terminals of one branch do not conflict`,
          measured: `${updates.conflicts} conflicts, ${updates.failed} failures`,
          isMet: updates.conflicts === 0 && updates.failed === 0,
        },
        {
          target:
            'A list shows what its reader has just written, and every page is complete, in order and without duplicates',
          measured: `${wrongAfterwards} of ${sum(afterwards.map((each) => Number(each['pages'])))} and ${wrong} of ${pages.row.pages} pages are wrong`,
          isMet: wrongAfterwards === 0 && wrong === 0,
        },
        {
          target: `A lookup of 10,000 master merchants takes at most ${MOST_UNITS} read units, and none while it is cached`,
          measured: `${largeLookup?.cold}, and ${largeLookup?.warm}`,
          isMet: largeLookup?.hasResponse === true && largeLookup.cold <= MOST_UNITS && largeLookup.warm === 0,
        },
        {
          target: `While the table throttles everything, a call sends at most ${MOST_REQUESTS} requests`,
          measured: `${mostRequests}`,
          isMet: mostRequests <= MOST_REQUESTS,
        },
        {
          target: `The call then returns within ${MOST_SECONDS} s`,
          measured: `${round(mostSeconds)} s`,
          isMet: mostSeconds <= MOST_SECONDS,
          isTime: true,
        },
      ],
      counts: {
        [`attempts per create of ${CREATORS} creators at once`]: round(rushes.attempts, 2),
        [`conflicts of ${CREATORS} creators at once`]: rushes.conflicts,
        ...Object.fromEntries(
          Object.entries(neighboursOf).flatMap(([what, { conflicts, failed, othersFailed }]) => [
            [`conflicts beside a partner whose creates are ${what}`, conflicts],
            [`failures beside a partner whose creates are ${what}`, failed + othersFailed],
          ]),
        ),
        [`conflicts of ${UPDATES} updates at once`]: updates.conflicts,
        'wrong pages': wrong + wrongAfterwards,
        ...Object.fromEntries(
          lookups.flatMap(({ businesses, cold, warm }) => [
            [`read units of a cold lookup of ${businesses} businesses`, cold],
            [`read units of a warm lookup of ${businesses} businesses`, warm],
          ]),
        ),
      },
      notes: [
        `A read takes 5 ms more than on DynamoDB Local and a transaction 20 ms more, each varied from half to one and a half ` +
          `times. An index entry is ${LAG.join(' to ')} ms behind, unless stated otherwise. These are assumptions, not ` +
          'measurements on AWS.',
        'Everything runs on one machine, together with DynamoDB Local. That limits the rates of creates, and explains what a ' +
          'partner takes away from them. Compare the rates with each other, not with those of a deployed stage.',
        `DynamoDB Local applies about 100 such transactions a second on this machine, which would limit ${MANY} workers. So they ` +
          `are measured on a table that is ${SLOWER} times as slow, where latency and conflicts are the limit.`,
        'A create that takes the next rank is not a whole handler: it reads the list head, and writes the branch and the head. ' +
          'Conflicts limit it, not the machine.',
        'Concurrent creates with one master merchant conflict once if it is new to the distributor: each of them adds it to ' +
          "the distributor's lookup.",
      ],
    };
  },
};
