import type { AnyOperation } from '../local/invoke.ts';
import { causesIn, causesInResponse, isCrash, type LogLine } from './causes.ts';

/** The name of a function that API Gateway invokes. */
export type FunctionName = AnyOperation | 'openConsole' | 'signIn' | 'callback';

/** What does not hold, with the request by which it showed. */
export class Failure extends Error {
  readonly operation: FunctionName | undefined;
  readonly requestId: string | undefined;

  constructor(message: string, operation?: FunctionName, requestId?: string) {
    super(message);
    this.operation = operation;
    this.requestId = requestId;
  }
}

/** What cannot be verified, and why. It has neither passed nor failed. */
export class Skipped extends Error {}

/** The outcome of a step of a story, or of another check. `detail` says why it failed or was skipped. */
export interface Outcome {
  name: string;
  outcome: 'passed' | 'failed' | 'skipped';
  detail: string | null;
  duration_ms: number;
}

/** Reads the functions' logs. */
export interface Logs {
  /**
   * Returns the log lines of a function with errors, and the one of a request, for which it waits.
   *
   * @param since In milliseconds since 1970.
   */
  linesOf: (name: string, requestId: string | undefined, since: number) => Promise<LogLine[]>;
}

/** Checks one thing after another, and keeps the outcomes. */
export class Run {
  readonly since = Date.now();
  /** No further step of a story begins. */
  isOver = false;
  readonly outcomes: Outcome[] = [];
  /** The ids of requests by function, the newest last. */
  readonly #requestIds = new Map<FunctionName, string[]>();
  /** Failed steps whose logs are still to be read. */
  readonly #unexplained: [Outcome, Failure, FunctionName][] = [];
  readonly #onOutcome: (outcome: Outcome) => void;

  constructor(onOutcome: (outcome: Outcome) => void) {
    this.#onOutcome = onOutcome;
  }

  /** Remembers a request that was responded to as it should be, so that its log line can be found. */
  note(operation: FunctionName, requestId: string | undefined): void {
    if (requestId) this.#requestIds.set(operation, [...(this.#requestIds.get(operation) ?? []), requestId]);
  }

  /** Checks something. It fails if this rejects, unless with {@link Skipped}. Returns whether it has not failed. */
  async check(name: string, work: () => Promise<void>): Promise<boolean> {
    const started = performance.now();
    const end = (outcome: Outcome['outcome'], detail: string | null) => {
      const ended = { name, outcome, detail, duration_ms: Math.round(performance.now() - started) };
      this.outcomes.push(ended);
      return ended;
    };
    try {
      await work();
      this.#onOutcome(end('passed', null));
    } catch (error) {
      if (error instanceof Skipped) this.#onOutcome(end('skipped', error.message));
      else if (error instanceof Failure && error.operation)
        this.#unexplained.push([end('failed', error.message), error, error.operation]);
      else this.#onOutcome(end('failed', error instanceof Failure ? error.message : ((error as Error).stack ?? null)));
      return error instanceof Skipped;
    }
    return true;
  }

  /** Reports the failures whose logs were still to be read, with what the logs say about their requests. */
  report(lines = new Map<FunctionName, LogLine[]>()): void {
    for (const [outcome, { message, requestId }, operation] of this.#unexplained.splice(0)) {
      const isAbout = (line: LogLine) => (requestId === undefined ? isCrash(line) : isOf(line, requestId));
      const causes = (lines.get(operation) ?? []).filter(isAbout).flatMap((line) => causesIn(operation, line));
      const named = [...new Set([...causesInResponse(operation, message), ...causes])].join('; ');
      outcome.detail = `${message}${requestId ? ` (request ${requestId})` : ''}${named && `: ${named}`}`;
      this.#onOutcome(outcome);
    }
  }

  /** Adds to each failure what the logs say about its request, and checks that the logs have no other errors of this run. */
  async readLogs(logs: Logs): Promise<void> {
    const lines = new Map<FunctionName, LogLine[]>();
    const failed = this.#unexplained.filter(
      ([, { message }, operation]) => causesInResponse(operation, message).length === 0,
    );
    const names = new Set([...this.#requestIds.keys(), ...failed.map(([, , operation]) => operation)]);
    for (const name of names) lines.set(name, await logs.linesOf(name, this.#requestIds.get(name)?.at(-1), this.since));
    this.report(lines);
    await this.check('the logs have the requests of this run, and no error of them', async () => {
      const faults = [...this.#requestIds].flatMap(([name, ids]) => {
        const found = lines.get(name) ?? [];
        const newest = ids.at(-1);
        if (newest && !found.some((line) => isOf(line, newest)))
          return [`the log of ${name} lacks the request ${newest}`];
        return found.filter((line) => ids.some((id) => isOf(line, id))).flatMap((line) => causesIn(name, line));
      });
      if (faults.length > 0) throw new Failure([...new Set(faults)].join('; '));
    });
  }
}

const isOf = (line: LogLine, requestId: string): boolean => JSON.stringify(line).includes(requestId);
