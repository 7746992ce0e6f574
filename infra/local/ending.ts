import { Unusable } from './engine.ts';

/** What this process has started and has to end with it. */
export const stops: (() => Promise<void>)[] = [];

let ending: Promise<never> | undefined;

/** Ends everything, the last one first, and then this process; only the first call counts. */
export const end = (exitCode: number, message = ''): Promise<never> => {
  ending ??= (async () => {
    process.stderr.write(message);
    for (const stop of stops.toReversed()) await stop();
    process.exit(exitCode);
  })();
  return ending;
};

/** The same for a failure: one that is the environment's is told in a line, any other with its stack. */
export const fail = (error: Error): Promise<never> =>
  end(1, `${error instanceof Unusable ? error.message : error.stack}\n`);

/** Goes on only if this process is not about to end. */
export const unlessEnding = async (): Promise<void> => ending;

/** Has the signals by which people and systems end a process end this one in order. */
export function endOnSignals(exitCode: number, message = ''): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end(exitCode, message));
}
