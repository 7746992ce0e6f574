import type { Operation } from '../support/invoke.ts';
import type { Code } from '../support/promised.ts';

/** The results of a request with an Idempotency-Key, however often it is sent. */
interface Once {
  /** The text of its first success. */
  response?: string;
  /** The number of responses that were not replays. */
  executions: number;
}

/** A request, and the responses that the API may return. */
export interface Call {
  operation: Operation;
  /** Method and path of an unknown route. */
  route?: string;
  /** Path parameters by name. */
  path?: Record<string, string>;
  query?: Record<string, string>;
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown;
  /** The caller's own by default. */
  apiKey?: string;
  idempotencyKey?: string;
  /** The possible responses while everyone else calls at the same time: a success, or problems with these codes. */
  may: ('ok' | Code)[];
  /** The data that a success has at least. */
  shows?: unknown;
  /** Records the possible effects when it is sent. */
  prepare?: () => void;
  /** Records its effects, once. */
  // biome-ignore lint/suspicious/noExplicitAny: called only with a checked response
  learn?: (data: any, meta: any) => void;
  once?: Once;
  /** It has succeeded before, so its response must be replayed and nothing may change. */
  isReplay?: boolean;
}
