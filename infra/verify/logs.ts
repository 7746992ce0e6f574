import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogLine } from './causes.ts';
import type { Logs } from './verify.ts';

/** Parses the JSON lines of a log. Others are left out. */
export const linesIn = (text: string): LogLine[] =>
  text.split('\n').flatMap((line) => {
    try {
      return line.startsWith('{') ? [JSON.parse(line)] : [];
    } catch {
      return [];
    }
  });

/** Waits until what is read is complete, or so many milliseconds. Returns what was read last. */
export async function awaited<T>(
  read: () => Promise<T> | T,
  isComplete: (found: T) => boolean,
  ms: number,
  pause: number,
) {
  const until = performance.now() + ms;
  for (;;) {
    const found = await read();
    if (isComplete(found) || performance.now() > until) return found;
    await sleep(pause);
  }
}

/** Whether a log has the line of a request or, without an id, any line. */
export const hasLine =
  (requestId: string | undefined) =>
  (lines: LogLine[]): boolean =>
    requestId === undefined ? lines.length > 0 : JSON.stringify(lines).includes(requestId);

/** How long lines of a file may take: the server writes them after the response. */
const FILE_LAG_MS = 2_000;
const PAUSE_MS = 100;

/** The log file of `npm start`, which has the lines of all functions. */
export const logFile = (file: string): Logs => ({
  linesOf: (_, requestId) =>
    awaited(
      () =>
        linesIn(readFileSync(file, 'utf8')).filter(
          (line) => line['level'] === 'ERROR' || (requestId && JSON.stringify(line).includes(requestId)),
        ),
      hasLine(requestId),
      FILE_LAG_MS,
      PAUSE_MS,
    ),
});
