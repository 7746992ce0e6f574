import type { Operation } from '../support/invoke.ts';
import type { Code } from '../support/promised.ts';

/** What came of a request that has an Idempotency-Key, however often it is sent. */
interface Once {
  /** What its first success was, byte for byte. */
  response?: string;
  /** How many answers were no repetitions. */
  executions: number;
}

/** A request, and what the interface lets its answer be. */
export interface Call {
  operation: Operation;
  /** Method and path of what is no operation. */
  route?: string;
  /** Path parameters by name. */
  path?: Record<string, string>;
  query?: Record<string, string>;
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown;
  /** The caller's own if none is given. */
  apiKey?: string;
  idempotencyKey?: string;
  /** What may be answered while everybody else calls at the same time: a success, or refusals with these codes. */
  may: ('ok' | Code)[];
  /** What a success shows at least. */
  shows?: unknown;
  /** Takes note of what may come of it, when it is sent. */
  ask?: () => void;
  /** Takes note of what has come of it, once. */
  // biome-ignore lint/suspicious/noExplicitAny: nobody learns from an answer before it is judged
  learn?: (data: any, meta: any) => void;
  once?: Once;
  /** It has succeeded before, so it must be answered the same and change nothing. */
  isRepetition?: boolean;
}
