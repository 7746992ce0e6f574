import type { Middleware, Response } from './middleware.ts';

/** Marks every response, errors included, with the id that its log lines carry. */
export const requestId = (): Middleware => {
  const mark: NonNullable<Middleware['after']> = function requestId({ response, context }) {
    (response as Response).headers['x-request-id'] = context.awsRequestId;
  };
  return { after: mark, onError: mark };
};
