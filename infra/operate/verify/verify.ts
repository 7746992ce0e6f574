import type { AnyOperation } from '../../publish/contract/invoke.ts';
import { causesIn, isOf, type Logs } from './logs.ts';

export type FunctionName = AnyOperation | 'mcp' | 'openConsole' | 'signIn' | 'callback';

/** A request of a run. Its response may lack an id. */
export interface Sent {
  operation: FunctionName;
  requestId?: string | undefined;
}

/** What does not hold, with the request by which it showed. */
export class Failure extends Error {
  readonly request: Sent | undefined;

  constructor(message: string, request?: Sent) {
    super(message);
    this.request = request;
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

/** What API Gateway itself, `unknownRoute` or the page of the console responds if no route leads to an operation. */
const NO_ROUTE = /{"message":"Not Found"}|No such operation\.|has no text\/html for/;

export class Run {
  readonly since = Date.now();
  /** No further step of a story begins. */
  isOver = false;
  readonly outcomes: Outcome[] = [];
  readonly #succeeded: Sent[] = [];
  readonly #failed: Sent[] = [];
  readonly #onOutcome: (outcome: Outcome) => void;

  constructor(onOutcome: (outcome: Outcome) => void) {
    this.#onOutcome = onOutcome;
  }

  /** Remembers a request that was responded to as it should be, so that its log line can be found. */
  note(request: Sent): void {
    if (request.requestId) this.#succeeded.push(request);
  }

  /** Checks something. It fails if this rejects, unless with {@link Skipped}. Returns whether it has not failed. */
  async check(name: string, work: () => Promise<void>): Promise<boolean> {
    const started = performance.now();
    const [outcome, detail] = await work().then(
      () => ['passed', null] as const,
      (error) => this.#explained(error),
    );
    const ended = { name, outcome, detail, duration_ms: Math.round(performance.now() - started) };
    this.outcomes.push(ended);
    this.#onOutcome(ended);
    return outcome !== 'failed';
  }

  #explained(error: Error): ['skipped' | 'failed', detail: string] {
    const { message, stack = message } = error;
    if (error instanceof Skipped) return ['skipped', message];
    if (!(error instanceof Failure)) return ['failed', stack];
    const { operation, requestId } = error.request ?? {};
    if (operation && NO_ROUTE.test(message)) return ['failed', `${message}: no route leads to ${operation}`];
    if (error.request) this.#failed.push(error.request);
    return ['failed', requestId ? `${message} (request ${requestId})` : message];
  }

  /** Checks that the logs have the requests of this run and no errors of them, and names the causes of those that failed. */
  readLogs = (logs: Logs): Promise<boolean> =>
    this.check('the logs have the requests of this run, and no error of them', async () => {
      const faults = new Set<string>();
      for (const [name, sent] of Map.groupBy([...this.#failed, ...this.#succeeded], ({ operation }) => operation)) {
        const newest = this.#succeeded.findLast(({ operation }) => operation === name)?.requestId;
        const lines = await logs.linesOf(name, newest, this.since);
        if (newest && !lines.some((line) => isOf(line, newest)))
          faults.add(`the log of ${name} lacks the request ${newest}`);
        for (const line of lines.filter((each) => sent.some(({ requestId }) => isOf(each, requestId))))
          for (const cause of causesIn(line)) faults.add(`${name} ${cause}`);
      }
      if (faults.size > 0) throw new Failure([...faults].join('; '));
    });
}
