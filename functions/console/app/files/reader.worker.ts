import { readPaste, readTable } from './readTable.ts';
import { UnreadableFile } from './unreadable.ts';

/* Reads one file or pasted text, in a thread of its own: see readFile.ts. */

addEventListener('message', async ({ data }: MessageEvent<Blob | string>) => {
  try {
    postMessage({ read: typeof data === 'string' ? readPaste(data) : await readTable(data) });
  } catch (error) {
    const { code, place }: Partial<UnreadableFile> = error instanceof UnreadableFile ? error : {};
    postMessage({ code, place });
  }
});
