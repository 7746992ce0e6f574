import type { Agent } from 'node:http';
import { HORIZON_MS } from '../../lib/base/time.ts';
import { SEALING } from '../../lib/branches/ranks.ts';
import { getItem, table } from '../../lib/table/client.ts';
import { branchKey } from '../../lib/table/keys.ts';
import { type AwsTable, startAwsTable } from '../awsTable/table.ts';
import { checkPages } from './neighbourPages.ts';
import { atMost, type Figures, type Part } from './part.ts';
import { createWithRank } from './rivals/ranksInWrite.ts';
import { quantile } from './statistics.ts';
import {
  ask,
  type Caller,
  newAcquirer,
  newBranch,
  newPartners,
  newTerminals,
  plainBranch,
  succeed,
  unique,
} from './world.ts';

const CREATORS = 64;
const WORKERS = 4;
const REFUSED_WORKERS = 24;
const PARTNER_WORKERS = 8;
const UPDATES = 64;
const PATIENCE_MS = 60_000;

/** How much is measured, and what is enough to notice a conflict or a wrong page. */
const FULL = { runs: 3, milliseconds: 4_000, pages: 500 };
const CHECK = { runs: 1, milliseconds: 1_000, pages: 250 };

/** Lags of index entries, in milliseconds: usual ones, and such as a partner can outrun. */
const LAG = [15, 45] as const;
const LONG_LAG = [75, 225] as const;

const round = (value: number, digits = 1) => Number(value.toFixed(digits));

/** The part of the SDK's HTTP handler that is used here. */
interface HttpHandler {
  httpHandlerConfigs: () => { httpAgent: Agent };
  updateHttpClientConfig: (name: string, value: unknown) => void;
}

/**
 * Runs some work with a client that uses a table like AWS's. The client never waits for a connection, as functions
 * share none. It waits for DynamoDB Local for any time, because that is far slower than AWS under many writes.
 */
async function onAws<T>(work: (aws: AwsTable) => Promise<T>): Promise<T> {
  const aws = await startAwsTable(process.env['AWS_ENDPOINT_URL_DYNAMODB'] as string, { lag: LAG });
  const { hostname, port } = new URL(aws.endpoint);
  table.middlewareStack.add(
    (next) => (args) => {
      Object.assign(args.request as object, { hostname, port: Number(port) });
      return next(args);
    },
    { step: 'build', name: 'aws' },
  );
  // The agent exists once it was used.
  await getItem(branchKey('-'));
  const handler = table.config.requestHandler as unknown as HttpHandler;
  handler.httpHandlerConfigs().httpAgent.maxSockets = Number.POSITIVE_INFINITY;
  for (const name of ['connectionTimeout', 'requestTimeout', 'socketTimeout'])
    handler.updateHttpClientConfig(name, PATIENCE_MS);
  try {
    return await work(aws);
  } finally {
    table.middlewareStack.remove('aws');
    await aws.stop();
  }
}

/** Calls that workers send in sequence, and their expected status. */
interface Load {
  workers: number;
  status: number;
  call: (worker: number) => Promise<{ status: number }>;
}

/** Lets all workers send a call, and the next one after each response, until `isOver`. */
async function send({ workers, status: expected, call }: Load, isOver: () => boolean) {
  const times: number[] = [];
  let failures = 0;
  const worker = async (number: number) => {
    do {
      const started = performance.now();
      const { status } = await call(number);
      times.push(performance.now() - started);
      if (status !== expected) failures += 1;
    } while (!isOver());
  };
  await Promise.all(Array.from({ length: workers }, (_, number) => worker(number)));
  return { times, failures };
}

/** Writes, alone or beside those of a partner, on a table that is idle before. By default, one of each worker. */
async function write(table: AwsTable, writes: string, load: Load, milliseconds = 0, partner?: Load) {
  await table.settled();
  table.reset();
  const started = performance.now();
  const end = started + milliseconds;
  let isOver = false;
  const beside = partner && send(partner, () => isOver);
  const { times, failures } = await send(load, () => performance.now() > end);
  const seconds = (performance.now() - started) / 1000;
  isOver = true;
  const others = (await beside) ?? { times: [], failures: 0 };
  const { transactions, conflicts, conflictsByKind } = table.counts;
  const row = {
    writes,
    workers: load.workers,
    'per second': round((times.length - failures) / seconds),
    'median (ms)': round(quantile(times, 0.5)),
    'p95 (ms)': round(quantile(times, 0.95)),
    'longest (ms)': round(Math.max(...times)),
    'calls of the partner': others.times.length,
    failures: failures + others.failures,
    'attempts per write': round(transactions / (times.length + others.times.length), 2),
    conflicts,
    'of these items': Object.keys(conflictsByKind).join(', ') || '-',
  };
  return { row, conflicts, failures: row.failures, attempts: row['attempts per write'] };
}

type Written = Awaited<ReturnType<typeof write>>;

const createsOf = ({ key }: Caller, workers: number, body: object = {}, status = 201): Load => ({
  workers,
  status,
  call: () => ask('createBranch', { key, body: { ...plainBranch(), ...body } }),
});

/** Updates of different terminals of one branch. */
async function updates(): Promise<Load> {
  const owner = await newAcquirer('PAYMENT_PROVIDER');
  const { key } = owner;
  const { mid } = await newBranch(owner);
  const half = () => Array.from({ length: UPDATES / 2 }, () => ({ terminal_id: unique('T') }));
  const terminals = [...(await newTerminals(owner, mid, half())), ...(await newTerminals(owner, mid, half()))];
  const call = (at: number) =>
    ask('updateTerminal', { key, path: { id: terminals[at].tid }, body: { terminal_model: `Handheld ${at}` } });
  return { workers: UPDATES, status: 200, call };
}

async function measured(table: AwsTable, { runs, milliseconds, pages }: typeof FULL, check: boolean) {
  const fresh = () => newAcquirer('PAYMENT_PROVIDER');
  // Warms up: the first calls of a process are slow.
  await write(table, 'creates', createsOf(await fresh(), WORKERS), 500);

  const rushes: Written[] = [];
  for (let run = 0; run < runs; run += 1) {
    const provider = await fresh();
    await succeed('listBranches', { key: provider.key });
    rushes.push(await write(table, 'creates at once', createsOf(provider, CREATORS)));
  }
  const updated = await write(table, 'updates of terminals of one branch at once', await updates());

  const alone: Written[] = [];
  if (!check) {
    const [provider, { id }] = [await fresh(), await fresh()];
    const call = async () => ({ status: (await createWithRank(id)) ? 201 : 400 });
    alone.push(await write(table, 'creates', createsOf(provider, WORKERS), milliseconds));
    const ranked = { workers: WORKERS, status: 201, call };
    alone.push(await write(table, 'creates that each take the next rank', ranked, milliseconds));
  }
  const beside = async (what: string, workers: number, body: object, status: number) => {
    const { distributor, provider } = await newPartners();
    const payment_provider = provider.id;
    if (status === 422) await newBranch(distributor, { ...body, payment_provider });
    const partner = createsOf(distributor, workers, { ...body, payment_provider }, status);
    return write(table, `creates beside a partner ${what}`, createsOf(provider, WORKERS), milliseconds, partner);
  };
  const refused = await beside('whose MID is taken', REFUSED_WORKERS, { mid: unique('M') }, 422);
  const created = await beside('that creates too', PARTNER_WORKERS, {}, 201);

  table.settings.lag = LONG_LAG;
  // Ranks branches at an age of some seconds, so lists are ranked continuously, but after all earlier creates.
  SEALING.horizonMs = Math.max(5_000, ...rushes.map(({ row }) => 2 * row['longest (ms)']));
  const checked = await checkPages(await newPartners(), pages, table.settled);
  SEALING.horizonMs = HORIZON_MS;
  return { rushes, updated, alone, refused, created, checked };
}

/** The effects of concurrent writers on each other, and lists right after a write. */
export const neighbours: Part = {
  title: 'Concurrent partners on one table',
  about:
    'Partners that write at the same time, and lists that are read right after a write. Whole handlers run in one process, ' +
    'on a table that behaves like AWS (`test/awsTable/table.ts`): DynamoDB Local behind a proxy that adds latency, cancels ' +
    'transactions that conflict with one in progress, and serves index queries from a copy that lags.',
  async measure({ check }) {
    const sizes = check ? CHECK : FULL;
    const pages = Number(process.env['NEIGHBOUR_PAGES'] ?? sizes.pages);
    const { rushes, updated, alone, refused, created, checked } = await onAws((table) =>
      measured(table, { ...sizes, pages }, check),
    );
    const continuous = [...alone, refused, created].map(({ row }) => row);
    const most = (of: Exclude<keyof Written, 'row'>) => Math.max(...rushes.map((rush) => rush[of]));
    const counts: Figures = {
      [`attempts per create of ${CREATORS} creators at once`]: most('attempts'),
      [`conflicts of ${CREATORS} creators at once`]: most('conflicts'),
      'conflicts beside a partner whose creates are refused': refused.conflicts,
      'failures beside a partner whose creates are refused': refused.failures,
      'conflicts beside a partner whose creates are created': created.conflicts,
      'failures beside a partner whose creates are created': created.failures,
      [`conflicts of ${UPDATES} updates at once`]: updated.conflicts,
      'wrong pages': checked.wrongs.length,
    };
    return {
      tables: [
        { title: 'Writes of one acquirer', rows: [...rushes, updated].map(({ row }) => row).concat(continuous) },
        {
          title: `Pages of lists while they grow, with index lags of ${LONG_LAG.join(' to ')} ms`,
          rows: [checked.row],
        },
      ],
      targets: [
        ...Object.entries(counts).map(([what, count]) => atMost(what.startsWith('attempts') ? 1 : 0, what, count)),
        atMost(0, 'failed writes at once', most('failures') + updated.failures),
      ],
      counts,
      notes: [
        `A read takes 5 ms more than on DynamoDB Local and a transaction 20 ms more, each varied from half to one and a half ` +
          `times. An index entry is ${LAG.join(' to ')} ms behind, unless stated otherwise. These are assumptions, not ` +
          'measurements on AWS.',
        'Everything runs on one machine, together with DynamoDB Local. That limits the rates of creates, and explains what a ' +
          'partner takes away from them. Compare the rates with each other, not with those of a deployed stage.',
        'A create that takes the next rank is not a whole handler: it reads the list head, and writes the branch and the head. ' +
          'Conflicts limit it, not the machine.',
      ],
    };
  },
};
