import type { Pasted, TableFile } from './readTable.ts';
import { type Place, type Unreadable, UnreadableFile } from './unreadable.ts';

/** What the worker says: what it read, or why it could not. */
type Outcome = { read: TableFile | Pasted } | ({ code: Unreadable | undefined } & Place);

/** Has the worker read something, so that the page stays live. */
function inWorker<Read extends TableFile | Pasted>(what: Blob | string): Promise<Read> {
  const { promise, resolve, reject } = Promise.withResolvers<Read>();
  const worker = new Worker(document.documentElement.dataset['reader'] as string, { type: 'module' });
  worker.addEventListener('message', ({ data }: MessageEvent<Outcome>) => {
    if ('read' in data) resolve(data.read as Read);
    else reject(data.code ? new UnreadableFile(data.code, data) : new Error('It failed.'));
  });
  worker.addEventListener('error', ({ message }) => reject(new Error(message)));
  worker.postMessage(what);
  return promise.finally(() => worker.terminate());
}

/** Reads a file as `readTable` does. */
export const readFile = (file: Blob): Promise<TableFile> => inWorker(file);

/** Reads a pasted text as `readPaste` does. */
export const readPasted = (text: string): Promise<Pasted> => inWorker(text);
