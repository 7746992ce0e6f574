/** Exit code of a command line that is not understood. */
export const WRONG_USAGE = 2;

/** Ends a command with one line for its user. */
export class Stop extends Error {
  readonly exitCode: number;

  constructor(line: string, exitCode = 1) {
    super(line);
    this.exitCode = exitCode;
  }
}
