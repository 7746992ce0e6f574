import type { CsvFile, Pasted } from './readCsv.ts';
import { type Place, type Unreadable, UnreadableFile } from './unreadable.ts';

/** What the worker says. */
type Outcome = { read: CsvFile | Pasted } | { refused: { code: Unreadable } & Place } | { failed: true };

/** Has the worker read something, so that the page stays live. */
function inWorker<Read extends CsvFile | Pasted>(what: Blob | string): Promise<Read> {
  const { promise, resolve, reject } = Promise.withResolvers<Read>();
  const worker = new Worker(document.documentElement.dataset['reader'] as string, { type: 'module' });
  worker.addEventListener('message', ({ data }: MessageEvent<Outcome>) => {
    if ('read' in data) resolve(data.read as Read);
    else reject('refused' in data ? new UnreadableFile(data.refused.code, data.refused) : new Error('It failed.'));
  });
  worker.addEventListener('error', ({ message }) => reject(new Error(message)));
  worker.postMessage(what);
  return promise.finally(() => worker.terminate());
}

/** Reads a file as `readCsv` does. */
export const readFile = (file: Blob): Promise<CsvFile> => inWorker(file);

/** Reads a pasted text as `readPaste` does. */
export const readPasted = (text: string): Promise<Pasted> => inWorker(text);
