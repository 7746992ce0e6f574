import { setTimeout as sleep } from 'node:timers/promises';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { table } from '../../lib/table/client.ts';
import { cancelled } from '../lib/table/errors.ts';
import { above, type Part, quantile, rounded } from './report.ts';
import { createWithRank } from './rivals/ranksInWrite.ts';
import { keysOf } from './units.ts';
import { ask, newAcquirer, plainBranch } from './world.ts';

/** Few enough that DynamoDB Local responds within the time of an attempt. */
const CREATORS = 16;
const WORKERS = 4;
const MILLISECONDS = 4_000;
/**
 * The average time that a request takes in addition to DynamoDB Local's. It varies from half to one and a half times.
 */
const LATENCY_MS = { read: 5, write: 20 };

/** The transactions since the last reset, and those of them that conflicted with one in progress. */
const counts = { transactions: 0, conflicts: 0 };
/** The items of transactions in progress. */
const held = new Set<string>();

/** Gives each request AWS's latency, and cancels a transaction if one with the same item is in progress. */
function behaveLikeAws(): void {
  const pause = (average: number) => sleep(average * (0.5 + Math.random()));
  table.middlewareStack.add(
    (next) => async (args) => {
      const { TransactItems } = args.input as Partial<TransactWriteCommandInput>;
      if (!TransactItems) {
        await pause(LATENCY_MS.read);
        return next(args);
      }
      counts.transactions += 1;
      const items = keysOf(TransactItems).map(({ pk, sk }) => `${pk} ${sk}`);
      const codes = items.map((item) => (held.has(item) ? 'TransactionConflict' : 'None'));
      const conflicts = codes.includes('TransactionConflict');
      // A cancelled transaction holds no items.
      const own = conflicts ? [] : items;
      for (const item of own) held.add(item);
      try {
        await pause(LATENCY_MS.write);
        if (!conflicts) return await next(args);
        counts.conflicts += 1;
        throw cancelled(...codes);
      } finally {
        for (const item of own) held.delete(item);
      }
    },
    { step: 'initialize', priority: 'low', name: 'aws' },
  );
}

/** Lets workers send a create each, and the next one after each response. */
async function create(creates: string, workers: number, call: () => Promise<{ status: number }>, milliseconds = 0) {
  Object.assign(counts, { transactions: 0, conflicts: 0 });
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
    'attempts per create': rounded(counts.transactions / times.length, 2),
    conflicts: counts.conflicts,
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
    'Whole handlers run in one process, on DynamoDB Local with what AWS adds: latency, and transactions that are ' +
    'cancelled because they conflict with one in progress.',
  async measure() {
    behaveLikeAws();
    // Warms up: the first calls of a process are slow.
    await create('', WORKERS, await creates(), 500);
    const ours = [
      await create('all at once', CREATORS, await creates()),
      await create('one after another', WORKERS, await creates(), MILLISECONDS),
    ];
    const rival = await create('each takes the next rank', WORKERS, await rankedCreates(), MILLISECONDS);
    table.middlewareStack.remove('aws');
    return {
      tables: { Creates: [...ours, rival] },
      unmet: ours.flatMap((row) => above(0, `conflicts and failures, ${row.creates}`, row.conflicts + row.failures)),
      notes: [
        'A read takes 5 ms more than on DynamoDB Local and a transaction 20 ms more, each varied from half to one ' +
          'and a half times. These are assumptions, not measurements on AWS.',
        'Everything runs on one machine, which limits the rates of creates. Compare them with each other only.',
        'A create that takes the next rank is not a whole handler: it reads the list head, and writes the branch and' +
          ' the head. Conflicts limit it, not the machine.',
      ],
    };
  },
};
