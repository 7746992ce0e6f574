import { Unusable } from './engine.ts';

/** Functions that stop what this process has started. */
export const stops: (() => Promise<void>)[] = [];

let ending: Promise<never> | undefined;

/** Stops everything, last started first, and exits. Later calls have no effect. */
export const end = (exitCode: number, message = ''): Promise<never> => {
  ending ??= (async () => {
    process.stderr.write(message);
    for (const stop of stops.toReversed()) await stop();
    process.exit(exitCode);
  })();
  return ending;
};

/** Ends with exit code 1: with a one-line message for an {@link Unusable} environment, otherwise with the stack. */
export const fail = (error: Error): Promise<never> =>
  end(1, `${error instanceof Unusable ? error.message : error.stack}\n`);

/** Never resolves once this process is ending. */
export const unlessEnding = async (): Promise<void> => ending;

/** Ends this process in order on SIGINT, SIGTERM and SIGHUP. */
export function endOnSignals(exitCode: number, message = ''): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end(exitCode, message));
}
