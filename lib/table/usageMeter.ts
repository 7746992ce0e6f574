import { AsyncLocalStorage } from 'node:async_hooks';

/** One request to the table, the SDK's own repetitions included. */
export interface TableRequest {
  /** The API's operation, such as `GetItem`. */
  operation: string;
  duration_ms: number;
  attempts: number;
  read_units: number;
  write_units: number;
}

/** What a piece of work asked of the table, as the table itself accounts for it. */
export interface Usage {
  /** By the clock of `performance.now()`. */
  started: number;
  requests: TableRequest[];
  /** How often the work as a whole began again because of other writers: see retry.ts. */
  restarts: number;
  /** When the first of its requests, or the work as a whole, failed in a way that is retried; by the same clock. */
  firstFailure: number | undefined;
  /** Retries of single requests since the last one that succeeded. */
  retriesInARow: number;
  /** Why branch lists could not be ranked, contention and a busy table aside: no response depends on it. */
  sealFailures: unknown[];
  /** Why tokens of a rate limit could not be leased; the request was accepted all the same. */
  limiterFailures: unknown[];
}

const newUsage = (): Usage => ({
  started: performance.now(),
  requests: [],
  restarts: 0,
  firstFailure: undefined,
  retriesInARow: 0,
  sealFailures: [],
  limiterFailures: [],
});

const current = new AsyncLocalStorage<Usage>();

/** Does some work, of which {@link usage} tells from within what it has asked of the table so far. */
export const withUsage = <T>(work: () => T): T => current.run(newUsage(), work);

/** What the surrounding {@link withUsage} has asked of the table so far; outside of one, nothing is kept. */
export const usage = (): Usage => current.getStore() ?? newUsage();
