import { AsyncLocalStorage } from 'node:async_hooks';

/** One request to the table, including the SDK's retries. */
interface TableRequest {
  /** Operation of the DynamoDB API, such as `GetItem`. */
  operation: string;
  duration_ms: number;
  attempts: number;
  read_units: number;
  write_units: number;
}

/** How long an API request may wait for the table and other services, in milliseconds. */
export interface Budget {
  /** From the start of the API request. After that, nothing is sent and nothing is waited for. */
  totalMs: number;
  /** For one attempt to send a request, from connecting to the end of the response. */
  attemptMs: number;
}

/** Table usage of a request, and the state of its retries. */
export interface Usage {
  /** By `performance.now()`. */
  started: number;
  /** `undefined` for the general limits of retry.ts and sdk.ts. */
  budget: Budget | undefined;
  requests: TableRequest[];
  /** How often an operation was retried after a conflict: see retry.ts. */
  restarts: number;
  /** When a table request or an operation first failed in a way that is retried; by `performance.now()`. */
  firstFailure: number | undefined;
  /** Retries of table requests since the last success. */
  retriesInARow: number;
  /** How far this process's clock is provably from the table's, in milliseconds: see clockSkew.ts. */
  clockSkewMs: number;
  /** Why branch lists could not be sealed, or search entries not be stored, except conflicts and throttling. */
  sealFailures: unknown[];
  /** Why tokens of a rate limit could not be leased: see rateLimit.ts. */
  limiterFailures: unknown[];
  /** Why the use of the API key or of the session could not be recorded: see keyUse.ts. No response depends on it. */
  keyUseFailures: unknown[];
  /** Why a secret could not be fetched again, so that what the process knows stays in use: see secret.ts. */
  secretFailures: unknown[];
  /** Whether the request only validates a change: nothing is written. */
  isValidation: boolean;
  /** Charges the caller for a transaction of this many write units, before it is sent. Throws if it may not be sent. */
  charge: ((units: number) => Promise<void>) | undefined;
}

const newUsage = (budget?: Budget): Usage => ({
  started: performance.now(),
  budget,
  requests: [],
  restarts: 0,
  firstFailure: undefined,
  retriesInARow: 0,
  clockSkewMs: 0,
  sealFailures: [],
  limiterFailures: [],
  keyUseFailures: [],
  secretFailures: [],
  isValidation: false,
  charge: undefined,
});

const current = new AsyncLocalStorage<Usage>();

/**
 * Runs some work and measures its table usage, which {@link usage} returns inside it.
 *
 * @param budget Ends its waiting sooner than the general limits.
 */
export const withUsage = <T>(work: () => T, budget?: Budget): T => current.run(newUsage(budget), work);

/** The usage so far of the surrounding {@link withUsage}. Outside of one, changes to it are lost. */
export const usage = (): Usage => current.getStore() ?? newUsage();
