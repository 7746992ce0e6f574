export const WRONG_USAGE = 2;

export class Stop extends Error {
  readonly exitCode: number;

  constructor(line: string, exitCode = 1) {
    super(line);
    this.exitCode = exitCode;
  }
}
