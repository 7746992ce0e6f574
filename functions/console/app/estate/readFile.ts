import { type CsvFile, type Unreadable, UnreadableFile } from './readCsv.ts';

type Outcome = { file?: CsvFile; refused?: { code: Unreadable; line: number | undefined } };

/** Reads a file as {@link readCsv} does, in a worker, so that the page stays live. */
export function readFile(file: Blob): Promise<CsvFile> {
  const { promise, resolve, reject } = Promise.withResolvers<CsvFile>();
  const worker = new Worker(document.documentElement.dataset['reader'] as string, { type: 'module' });
  worker.addEventListener('message', ({ data: { file: read, refused } }: MessageEvent<Outcome>) => {
    if (read) resolve(read);
    else reject(refused ? new UnreadableFile(refused.code, refused.line) : new Error('The file cannot be read.'));
  });
  worker.addEventListener('error', ({ message }) => reject(new Error(message)));
  worker.postMessage(file);
  return promise.finally(() => worker.terminate());
}
