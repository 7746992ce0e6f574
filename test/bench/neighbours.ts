import { table } from '../../lib/table/client.ts';
import { type AwsTable, startAwsTable } from '../awsTable/table.ts';
import { above, type Part, quantile, rounded } from './report.ts';
import { createWithRank } from './rivals/ranksInWrite.ts';
import { ask, newAcquirer, plainBranch } from './world.ts';

/** Few enough that DynamoDB Local responds within the time of an attempt. */
const CREATORS = 16;
const WORKERS = 4;
const MILLISECONDS = 4_000;
/** The lag of an index entry, in milliseconds. */
const LAG = [15, 45] as const;

/** Runs some work with a client that uses a table like AWS's. */
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
  try {
    return await work(aws);
  } finally {
    table.middlewareStack.remove('aws');
    await aws.stop();
  }
}

/** Lets workers send a create each, and the next one after each response, on a table that is idle before. */
async function create(
  table: AwsTable,
  creates: string,
  workers: number,
  call: () => Promise<{ status: number }>,
  milliseconds = 0,
) {
  await table.settled();
  table.reset();
  const times: number[] = [];
  let failures = 0;
  const begun = performance.now();
  const worker = async () => {
    do {
      const started = performance.now();
      const { status } = await call();
      times.push(performance.now() - started);
      if (status !== 201) failures += 1;
    } while (performance.now() < begun + milliseconds);
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return {
    creates,
    workers,
    'per second': rounded((1000 * (times.length - failures)) / (performance.now() - begun), 1),
    'median, ms': rounded(quantile(times, 0.5), 1),
    'p95, ms': rounded(quantile(times, 0.95), 1),
    failures,
    'attempts per create': rounded(table.counts.transactions / times.length, 2),
    conflicts: table.counts.conflicts,
  };
}

/** Creates of one payment provider. */
async function creates() {
  const { key } = await newAcquirer('PAYMENT_PROVIDER');
  return () => ask('createBranch', { key, body: plainBranch() });
}

/** Creates that each take the next rank. */
async function rankedCreates() {
  const { id } = await newAcquirer('PAYMENT_PROVIDER');
  return async () => ({ status: (await createWithRank(id)) ? 201 : 400 });
}

/** The effects of concurrent creates on each other. */
export const neighbours: Part = {
  title: 'Concurrent creates of one acquirer',
  about:
    'Whole handlers run in one process, on a table that behaves like AWS (`test/awsTable/table.ts`): DynamoDB Local ' +
    'behind a proxy that adds latency, and cancels transactions that conflict with one in progress.',
  async measure() {
    const { ours, rival } = await onAws(async (aws) => {
      // Warms up: the first calls of a process are slow.
      await create(aws, '', WORKERS, await creates(), 500);
      return {
        ours: [
          await create(aws, 'all at once', CREATORS, await creates()),
          await create(aws, 'one after another', WORKERS, await creates(), MILLISECONDS),
        ],
        rival: await create(aws, 'each takes the next rank', WORKERS, await rankedCreates(), MILLISECONDS),
      };
    });
    return {
      tables: { Creates: [...ours, rival] },
      unmet: ours.flatMap((row) => above(0, `conflicts and failures, ${row.creates}`, row.conflicts + row.failures)),
      notes: [
        'A read takes 5 ms more than on DynamoDB Local and a transaction 20 ms more, each varied from half to one and a ' +
          'half times. These are assumptions, not measurements on AWS.',
        'Everything runs on one machine, which limits the rates of creates. Compare them with each other only.',
        'A create that takes the next rank is not a whole handler: it reads the list head, and writes the branch and the ' +
          'head. Conflicts limit it, not the machine.',
      ],
    };
  },
};
