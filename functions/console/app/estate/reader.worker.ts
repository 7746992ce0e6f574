import { readCsv, readPaste } from './readCsv.ts';
import type { Outcome } from './readFile.ts';
import { UnreadableFile } from './unreadable.ts';

/* Reads one file or pasted text, in a thread of its own: see readFile.ts. */

const say = (outcome: Outcome): void => postMessage(outcome);

addEventListener('message', async ({ data }: MessageEvent<Blob | string>) => {
  try {
    say({ read: typeof data === 'string' ? readPaste(data) : await readCsv(data) });
  } catch (error) {
    if (!(error instanceof UnreadableFile)) return say({ failed: true });
    const { code, line, column } = error;
    say({ refused: { code, line, column } });
  }
});
