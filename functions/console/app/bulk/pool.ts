import { createPatience, type Patience, type PatienceOptions } from '../api/patience.ts';

/** How many requests are under way at once. */
const WORKERS = 4;

export interface RunOptions<Done> extends Pick<PatienceOptions, 'signal' | 'onWaiting'> {
  /** Called after each change with what is done so far. It is the same object in each call. */
  onProgress?: (done: Done) => void;
}

/**
 * Runs batches of tasks, one batch after the other, four tasks at once. The first error ends the others, and is
 * thrown once all of them have ended.
 *
 * @throws Interrupted as {@link createPatience}.
 */
export async function inPool<Task>(
  batches: Task[][],
  { signal, ...options }: PatienceOptions,
  run: (task: Task, patience: Patience) => Promise<void>,
): Promise<void> {
  const failure = new AbortController();
  const patience = createPatience({ ...options, signal: AbortSignal.any([signal, failure.signal]) });
  for (const tasks of batches) {
    const queue = tasks.values();
    const takeAll = async () => {
      for (const task of queue) await run(task, patience);
    };
    const workers = Array.from({ length: WORKERS }, () => takeAll().catch((error) => failure.abort(error)));
    await Promise.all(workers);
    failure.signal.throwIfAborted();
  }
}
