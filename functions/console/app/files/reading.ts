import type { Pasted, TableFile } from './readTable.ts';
import { type Place, type Unreadable, UnreadableFile } from './unreadable.ts';

/** What the worker says: what it read, or why it could not. */
type Outcome = { read: TableFile | Pasted } | { code: Unreadable | undefined; place: Place | undefined };

/** The worker, or what is one in tests. */
interface Reader {
  addEventListener(type: 'message', listener: (event: { data: Outcome }) => void): void;
  addEventListener(type: 'error', listener: (event: { message: string }) => void): void;
  postMessage(what: Blob | string): void;
  terminate(): void;
}

/** After so many milliseconds, a file is refused. The largest that may be read takes a fraction of it. */
export const MOST_TIME = 60_000;

/**
 * Has a worker of its own read something, so that the page stays live. The worker ends with it, and when `signal`
 * aborts.
 *
 * @throws UnreadableFile if it cannot be read, or takes longer than {@link MOST_TIME}.
 */
export async function readBy<Read extends TableFile | Pasted>(
  start: () => Reader,
  what: Blob | string,
  signal: AbortSignal,
): Promise<Read> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Read>();
  const worker = start();
  worker.addEventListener('message', ({ data }) => {
    if ('read' in data) resolve(data.read as Read);
    else reject(data.code ? new UnreadableFile(data.code, data.place) : new Error('It failed.'));
  });
  worker.addEventListener('error', ({ message }) => reject(new Error(message)));
  signal.addEventListener('abort', () => reject(signal.reason));
  const deadline = setTimeout(() => reject(new UnreadableFile('slow')), MOST_TIME);
  worker.postMessage(what);
  return promise.finally(() => {
    clearTimeout(deadline);
    worker.terminate();
  });
}
