import { setTimeout as sleep } from 'node:timers/promises';

/** A log line of a function, parsed. Those of Lambda itself have other fields. */
export type LogLine = Record<string, unknown> & {
  request_id?: string;
  causes?: { name: string; message: string }[];
};

export interface Logs {
  /**
   * Returns the log lines of a function with errors, and the one of a request, for which it waits.
   *
   * @param since In milliseconds since 1970.
   */
  linesOf: (name: string, requestId: string | undefined, since: number) => Promise<LogLine[]>;
}

/** Parses the JSON lines of a log. Others are left out. */
export const linesIn = (text: string): LogLine[] =>
  text.split('\n').flatMap((line) => {
    try {
      return line.startsWith('{') ? [JSON.parse(line)] : [];
    } catch {
      return [];
    }
  });

/** Lambda's own line about a function that crashed or timed out, rather than the function's about a request. */
const isCrash = ({ request_id, message, level }: LogLine): boolean =>
  request_id === undefined && message !== undefined && level === 'ERROR';

/** Whether a line is about a request or, without an id, about a crash, whose response had none. */
export const isOf = (line: LogLine, requestId: string | undefined): boolean =>
  requestId === undefined ? isCrash(line) : JSON.stringify(line).includes(requestId);

/**
 * Whether an error is of what a request does not wait long for, such as a lease of the rate limit. It says that something is
 * slow. An attempt that ends while its response arrives has Node.js's own error.
 */
const isSlow = ({ name, message }: { name: string; message: string }): boolean =>
  ['AbortError', 'TimeoutError'].includes(name) || message.startsWith('aborted');

/**
 * The causes in a log line of a request. The messages name what is missing: the action that a role denies and its
 * resource, an environment variable, or an index.
 */
export const causesIn = (line: LogLine): string[] => [
  ...(line.causes ?? []).filter((cause) => !isSlow(cause)).map(({ name, message }) => `had ${name}: ${message}`),
  ...(isCrash(line) ? [`crashed: ${JSON.stringify(line['message'])}`] : []),
];

/** Waits until what is read is complete, or so many milliseconds. Returns what was read last. */
export async function awaited<T>(
  read: () => Promise<T> | T,
  isComplete: (found: T) => boolean,
  { ms, pause }: { ms: number; pause: number },
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
    requestId === undefined ? lines.length > 0 : lines.some((line) => isOf(line, requestId));
