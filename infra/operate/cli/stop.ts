export const WRONG_USAGE = 2;

/** Ends a command with a one-line message. */
export class Stop extends Error {
  readonly exitCode: number;

  constructor(line: string, exitCode = 1) {
    super(line);
    this.exitCode = exitCode;
  }
}
