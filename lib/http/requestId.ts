import type { Middleware, Response } from './middleware.ts';

/** Adds `X-Request-Id` to every response, errors included: the request id of the log line. */
export const requestId = (): Middleware => {
  const mark: NonNullable<Middleware['after']> = function requestId({ response, context }) {
    (response as Response).headers['x-request-id'] = context.awsRequestId;
  };
  return { after: mark, onError: mark };
};
