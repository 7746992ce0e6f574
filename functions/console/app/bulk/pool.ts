import { createPatience, type Patience, type PatienceOptions } from '../api/patience.ts';

/** How many requests are under way at once. */
const WORKERS = 4;

export interface RunOptions<Done> extends Pick<PatienceOptions, 'signal' | 'onWaiting'> {
  /** Called after each change with what is done so far. It is the same object in each call. */
  onProgress?: (done: Done) => void;
}

/**
 * Works on batches of parts, one batch after the other, four parts at once. The first error ends the others, and is
 * thrown once all of them have ended.
 *
 * @throws Interrupted as {@link createPatience}.
 */
export async function inPool<Part>(
  batches: Part[][],
  { signal, ...options }: PatienceOptions,
  work: (part: Part, patience: Patience) => Promise<void>,
): Promise<void> {
  const failure = new AbortController();
  const patience = createPatience({ ...options, signal: AbortSignal.any([signal, failure.signal]) });
  for (const parts of batches) {
    const queue = parts.values();
    const takeAll = async () => {
      for (const part of queue) await work(part, patience);
    };
    const workers = Array.from({ length: WORKERS }, () => takeAll().catch((error) => failure.abort(error)));
    await Promise.all(workers);
    failure.signal.throwIfAborted();
  }
}
