import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as macrotask } from 'node:timers/promises';
import type { Scheduler } from 'fast-check';
import { table } from '../../lib/table/client.ts';

/*
 * Concurrent operations whose table requests are ordered by a scheduler. Only one request runs at a time, and the next
 * is chosen when every operation waits for one or has ended. So only the scheduler decides the order, and a seed
 * repeats it.
 */

/** One operation, and the request before which it waits until all others have ended, if any. */
export interface Work<T> {
  name: string;
  start: () => Promise<T>;
  freezesAt?: number | undefined;
}

/** One running operation. */
interface Run extends Work<unknown> {
  scheduler: Pick<Scheduler, 'schedule' | 'waitOne'>;
  /** The number of its requests so far. */
  requests: number;
  /** Requests that wait for their turn. An operation may have several. */
  waiting: number;
  underWay: boolean;
  isDone: boolean;
  /** Ends its wait for all others. */
  thaw: (() => void) | undefined;
}

const current = new AsyncLocalStorage<Run>();
let moved = Promise.withResolvers<void>();

function move(run: Run, change: Partial<Run>): void {
  Object.assign(run, change);
  moved.resolve();
  moved = Promise.withResolvers();
}

/** Makes the requests of interleaved operations wait for their turn. All others pass. */
export function installGate(): void {
  table.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const run = current.getStore();
        if (!run) return next(args);
        run.requests += 1;
        if (run.requests === run.freezesAt) await new Promise<void>((thaw) => move(run, { thaw }));
        move(run, { waiting: run.waiting + 1 });
        await run.scheduler.schedule(Promise.resolve(), `${run.name}: ${commandName.replace('Command', '')}`);
        move(run, { waiting: run.waiting - 1, underWay: true });
        try {
          return await next(args);
        } finally {
          move(run, { underWay: false });
        }
      },
    { step: 'initialize', name: 'gate' },
  );
}

async function settled(runs: Run[]): Promise<void> {
  const isSettled = ({ isDone, thaw, waiting, underWay }: Run) => isDone || (!underWay && (thaw || waiting > 0));
  // By then the operations have sent all the requests that they send at once.
  for (await macrotask(); !runs.every(isSettled); await macrotask()) await moved.promise;
}

/** Runs all work concurrently in the scheduler's order. Results have the order of `work`. */
export async function interleaved<T>(scheduler: Run['scheduler'], work: Work<T>[]): Promise<T[]> {
  const begun = { scheduler, requests: 0, waiting: 0, underWay: false, isDone: false, thaw: undefined };
  const runs = work.map((each): Run => ({ ...each, ...begun }));
  const results = Promise.allSettled(
    work.map(({ start }, at) => {
      const run = runs[at] as Run;
      return current.run(run, start).finally(() => move(run, { isDone: true }));
    }),
  );
  for (;;) {
    await settled(runs);
    const open = runs.filter(({ isDone }) => !isDone);
    if (open.length === 0) break;
    if (open.some(({ waiting }) => waiting > 0)) await scheduler.waitOne();
    else
      for (const run of open) {
        run.thaw?.();
        move(run, { thaw: undefined });
      }
  }
  return (await results).map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** A scheduler that runs work in the order of the names. */
export function oneAfterAnother() {
  const waiting: { name: string; go: () => void }[] = [];
  return {
    schedule: (_: unknown, name = '') => new Promise<never>((go) => waiting.push({ name, go: go as () => void })),
    waitOne: async () => {
      waiting.sort((a, b) => (a.name < b.name ? -1 : 1));
      waiting.shift()?.go();
    },
  };
}
