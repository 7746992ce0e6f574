import { readCsv, UnreadableFile } from './readCsv.ts';

/* Reads one file, in a thread of its own: see readFile.ts. */

addEventListener('message', async ({ data }: MessageEvent<Blob>) => {
  try {
    postMessage({ file: await readCsv(data) });
  } catch (error) {
    postMessage(
      error instanceof UnreadableFile ? { refused: { code: error.code, line: error.line } } : { failed: true },
    );
  }
});
