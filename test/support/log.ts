import { jest } from '@jest/globals';

/** A parsed line of the log. */
// biome-ignore lint/suspicious/noExplicitAny: tests assert the line's shape, they do not rely on it
export type Line = Record<string, any>;

/** Captures the log from now until `jest.restoreAllMocks()`; the function returns its lines so far. */
export function captureLog(): () => Line[] {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  return () =>
    write.mock.calls.map(([line]) => {
      if (!/^[^\n]+\n$/.test(String(line))) throw new Error(`This is not one line: ${line}`);
      return JSON.parse(String(line));
    });
}
