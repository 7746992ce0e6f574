import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Context, DynamoDBStreamEvent, ScheduledEvent } from 'aws-lambda';
import { handler as deliverWebhooks } from '../../../functions/other/deliverWebhooks.ts';
import { handler as wakeWebhooks } from '../../../functions/other/wakeWebhooks.ts';
import type { Key } from '../../../lib/table/keys.ts';
import type { Lane } from '../../../lib/webhooks/queue.ts';
import { cancelled, lost } from '../../lib/table/errors.ts';
import { intercept } from '../../lib/table/intercept.ts';
import { MOST_OFF_MS, pass, served } from '../mirror/clocks.ts';
import { dice, oneOf } from './dice.ts';
import { eventOf, serveQueues } from './sqs.ts';

/*
 * The functions of webhooks as they run on AWS, in a time that passes while nothing happens: queues, a schedule, a stream
 * and an index that lag, several workers at once, and workers that are killed at any request to the table.
 */

/** How many workers a lane has, and how many messages each receives at once. */
const WORKERS = { healthy: 3, slow: 3 };
const BATCH = 3;
/** The timeout of the function, in milliseconds. */
const LIFE_MS = 60_000;
/** How long the stream keeps events until it tells of them together, in milliseconds. */
const STREAM_LAG_MS = 2_000;
/** Longer than a lease, in milliseconds. */
const STALLED_MS = 40_000;

/** What becomes of a worker, of 100. `stalls`: its request arrives when others have taken over, and it goes on. */
const FATES = { lives: 76, 'is killed before': 9, 'is killed after': 9, stalls: 6 } as const;

interface Worker {
  number: number;
  requests: number;
  /** Lets the fleet go on without it. */
  end: () => void;
  work: Promise<unknown>;
}

const never = new Promise<never>(() => {});

/** Runs the functions for new events until they have nothing to do. */
export async function startFleet() {
  const queues = await serveQueues();
  const current = new AsyncLocalStorage<Worker>();
  const running = new Set<Promise<unknown>>();
  const busy: Record<Lane, number> = { healthy: 0, slow: 0 };
  const stalled: { until: number; goOn: () => void }[] = [];
  const counts = { invocations: 0, requests: 0, ended: 0, stalled: 0, conflicts: 0 };
  let known: Key[] = [];

  intercept(async (send, { operation, input }) => {
    const worker = current.getStore();
    // A lease of tokens is shared by all workers of this process, as in no fleet.
    if (!worker || operation === 'UpdateItem') return send();
    counts.requests += 1;
    const { requests } = counts;
    worker.requests += 1;
    pass(Math.ceil(150 * dice('pace', requests)));
    const fate = oneOf(FATES, 'fate', worker.number);
    if (worker.requests === 1 + Math.floor(12 * dice('when', worker.number)) && fate !== 'lives') {
      if (fate === 'is killed after') await send();
      worker.end();
      if (fate !== 'stalls') return never;
      counts.stalled += 1;
      await new Promise<void>((resolve) => {
        const goOn = () => {
          track(worker.work);
          resolve();
        };
        stalled.push({ until: Date.now() + STALLED_MS, goOn });
      });
    } else if (operation === 'TransactWriteItems' && dice('conflict', requests) < 0.03) {
      counts.conflicts += 1;
      if (dice('lost', requests) < 0.5) throw cancelled('TransactionConflict');
      await send();
      throw lost();
    }
    const result = await send();
    if (input['IndexName'] === 'webhooks-by-due') {
      // The index does not show some yet, and shows others that are not due any more.
      const Items = (result.output as { Items: Key[] }).Items;
      const shown = Items.filter((_, at) => dice('lag', requests, at) > 0.3);
      const old = known.filter((_, at) => dice('old', requests, at) < 0.05);
      known = [...new Map([...known, ...Items].map((key) => [key.pk + key.sk, key])).values()];
      Object.assign(result.output, { Items: [...shown, ...old] });
    }
    return result;
  }, 'deserialize');

  /** Runs a function as a process does whose clock is off by some seconds. Resolves with whether it has ended by itself. */
  async function invoke(run: (context: Context) => Promise<unknown>): Promise<boolean> {
    counts.invocations += 1;
    const number = counts.invocations;
    const { promise: ended, resolve } = Promise.withResolvers<boolean>();
    const off = Math.round(MOST_OFF_MS * (2 * dice('off', number) - 1));
    const began = Date.now();
    const context = {
      awsRequestId: randomUUID(),
      getRemainingTimeInMillis: () => began + LIFE_MS - Date.now(),
    } as Context;
    const worker: Worker = { number, requests: 0, end: () => resolve(false), work: never };
    const hasEnded = await served(off, () =>
      current.run(worker, () => {
        const work = run(context).then(
          () => true,
          () => false,
        );
        worker.work = work;
        return Promise.race([work, ended]);
      }),
    );
    if (!hasEnded) counts.ended += 1;
    return hasEnded;
  }

  function track(work: Promise<unknown>): void {
    const tracked: Promise<unknown> = work.finally(() => running.delete(tracked));
    running.add(tracked);
  }

  async function handle(lane: Lane, messages: ReturnType<typeof queues.receive>): Promise<void> {
    busy[lane] += 1;
    let failed: number[] | undefined;
    const hasEnded = await invoke(async (context) => {
      const { batchItemFailures } = await deliverWebhooks(eventOf(lane, messages), context);
      failed = batchItemFailures.map(({ itemIdentifier }) => Number(itemIdentifier));
    });
    busy[lane] -= 1;
    if (hasEnded)
      queues.delete(
        lane,
        messages.filter((_, at) => !failed?.includes(at)),
      );
  }

  return {
    counts,
    stop: queues.stop,
    /**
     * @param events The keys of events in the order of their time, which the table has.
     * @param each Is called each minute. Returns whether the end is reached.
     */
    async run(events: { key: Key; at: number }[], each: () => Promise<boolean>): Promise<void> {
      let [told, tick] = [0, Date.now()];
      for (;;) {
        for (const one of stalled.filter(({ until }) => until <= Date.now())) {
          stalled.splice(stalled.indexOf(one), 1);
          one.goOn();
        }
        for (const lane of ['healthy', 'slow'] as const)
          while (busy[lane] < WORKERS[lane]) {
            const messages = queues.receive(lane, BATCH);
            if (messages.length === 0) break;
            track(handle(lane, messages));
          }
        const ripe = events.slice(told, told + 100).filter(({ at }) => at <= Date.now());
        if (ripe[0] && ripe[0].at + STREAM_LAG_MS <= Date.now()) {
          const Records = ripe.map(({ key: { pk, sk } }) => ({ dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } } }));
          // As Lambda does, repeats what has failed.
          const isTold = await wakeWebhooks({ Records } as DynamoDBStreamEvent).then(
            () => true,
            () => false,
          );
          if (isTold) told += ripe.length;
          continue;
        }
        if (tick <= Date.now()) {
          tick = Date.now() + 60_000;
          if (await each()) {
            await Promise.all(running);
            return;
          }
          track(invoke((context) => deliverWebhooks({} as ScheduledEvent, context)));
        }
        if (running.size > 0) await Promise.race(running);
        else {
          const event = events[told];
          const next = Math.min(
            queues.next(),
            tick,
            ...stalled.map(({ until }) => until),
            event ? event.at + STREAM_LAG_MS : tick,
          );
          pass(Math.max(1, next - Date.now()));
        }
      }
    },
  };
}
