import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as macrotask } from 'node:timers/promises';
import type { Scheduler } from 'fast-check';
import { table } from '../../../lib/table/client.ts';

/*
 * Operations at once, whose requests to the table a scheduler puts into an order. Only one request is ever under way, and the
 * next is chosen when every operation waits for one or has ended; so the order is the scheduler's alone, and a seed
 * repeats it.
 */

/** One operation on its way. */
interface Run {
  name: string;
  scheduler: Pick<Scheduler, 'schedule' | 'waitOne'>;
  /** How many requests it has come to. */
  requests: number;
  /** Requests that wait for their turn: an operation may have several. */
  waiting: number;
  underWay: boolean;
  isDone: boolean;
  /** Before this request it stands still until all others have ended. */
  freezesAt: number | undefined;
  isFrozen: boolean;
  thawed: PromiseWithResolvers<void>;
}

const current = new AsyncLocalStorage<Run>();
let moved = Promise.withResolvers<void>();

function move(run: Run, change: Partial<Run>): void {
  Object.assign(run, change);
  moved.resolve();
  moved = Promise.withResolvers();
}

/** Lets requests of interleaved operations wait for their turn; all others pass. */
export function installGate(): void {
  table.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const run = current.getStore();
        if (!run) return next(args);
        run.requests += 1;
        if (run.requests === run.freezesAt) {
          move(run, { isFrozen: true });
          await run.thawed.promise;
        }
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
  for (;;) {
    // What an operation does of itself it has done by then, all of several requests at once included.
    await macrotask();
    if (runs.every(({ isDone, isFrozen, waiting, underWay }) => isDone || (!underWay && (isFrozen || waiting > 0))))
      return;
    await moved.promise;
  }
}

/** What one operation does, and before which of its requests it is held up until all others have ended, if it is. */
export interface Work<T> {
  name: string;
  start: () => Promise<T>;
  freezesAt?: number | undefined;
}

/** Does all work at once, in the scheduler's order; results stand in the order of the work. */
export async function interleaved<T>(scheduler: Run['scheduler'], work: Work<T>[]): Promise<T[]> {
  const runs = work.map(
    ({ name, freezesAt }): Run => ({
      ...{ name, scheduler, freezesAt, requests: 0, waiting: 0 },
      ...{ underWay: false, isDone: false, isFrozen: false, thawed: Promise.withResolvers() },
    }),
  );
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
        move(run, { isFrozen: false });
        run.thawed.resolve();
      }
  }
  return (await results).map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** A scheduler that lets those go first whose names come first. */
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
