import { jest } from '@jest/globals';

/** A line of the log, as it is written. */
// biome-ignore lint/suspicious/noExplicitAny: tests assert the line's shape, they do not rely on it
export type Line = Record<string, any>;

/** What is written to the log from here on, line by line; `jest.restoreAllMocks()` ends it. */
export function captureLog(): () => Line[] {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  return () =>
    write.mock.calls.map(([line]) => {
      if (!/^[^\n]+\n$/.test(String(line))) throw new Error(`This is not one line: ${line}`);
      return JSON.parse(String(line));
    });
}
