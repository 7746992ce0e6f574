import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { attemptMs, RetryStrategy } from './retry.ts';

/**
 * Timeouts and retries of every AWS client, with one retry quota. If a service is unreachable, the API responds before
 * the function or API Gateway (30 s) times out.
 */
export const LIMITS = {
  retryStrategy: new RetryStrategy(),
  // Only `socketTimeout` ends a response that stalls after it has begun.
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true, socketTimeout: 2000 },
};

type Handler = Pick<DynamoDBClient['config']['requestHandler'], 'handle'>;

/**
 * Ends each attempt of a client when the API request's budget says so: see {@link attemptMs}. The SDK has no such
 * option. An abort ends connecting, waiting for a response and reading it.
 */
export function withinBudget<C extends { config: { requestHandler: Handler } }>(client: C): C {
  const { requestHandler } = client.config;
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = async (request, options) => {
    const ms = attemptMs();
    if (ms === Number.POSITIVE_INFINITY) return handle(request, options);
    if (ms <= 0) throw timeout();
    const ended = AbortSignal.timeout(Math.ceil(ms));
    const { abortSignal } = (options ?? {}) as { abortSignal?: AbortSignal };
    try {
      const signal = abortSignal ? AbortSignal.any([abortSignal, ended]) : ended;
      return await handle(request, { ...options, abortSignal: signal });
    } catch (error) {
      throw ended.aborted ? timeout() : error;
    }
  };
  return client;
}

/** A timeout, which the retry strategy takes for a lost request. It would not retry an abort. */
const timeout = (): Error =>
  Object.assign(new Error("The API request's budget ended this attempt."), { name: 'TimeoutError' });
