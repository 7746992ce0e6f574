/** A failure of the environment or of its user, not of the program. It is printed as one line, without a stack. */
export class Unusable extends Error {}

/** Functions that stop what this process has started. */
export const stops: (() => Promise<void>)[] = [];

let shutdown: Promise<never> | undefined;

/** Stops everything, last started first, and exits. Later calls have no effect. */
export const shutDown = (exitCode: number, message = ''): Promise<never> => {
  shutdown ??= (async () => {
    process.stderr.write(message);
    for (const stop of stops.toReversed()) await stop();
    process.exit(exitCode);
  })();
  return shutdown;
};

/** Shuts down with exit code 1: with a one-line message for an {@link Unusable} environment, otherwise with the stack. */
export const fail = (error: Error): Promise<never> =>
  shutDown(1, `${error instanceof Unusable ? error.message : error.stack}\n`);

/** Shuts this process down in order on SIGINT, SIGTERM and SIGHUP. */
export function shutDownOnSignals(exitCode: number, message = ''): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => shutDown(exitCode, message));
}
