import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { inRequest } from '../aws/requestContext.ts';
import { errorMapper } from './errorMapper.ts';
import { log } from './log.ts';
import type { Incoming, Response } from './middleware.ts';
import { requestId } from './requestId.ts';

/** Wraps the handler of what everybody may read. It must not read the table, because nothing limits its callers. */
export const publicFile = (handler: (event: Incoming) => Promise<Response>) => {
  const chain = middy()
    .use(log())
    .use(requestId())
    .use(errorMapper())
    .handler(handler as never);
  return (event: APIGatewayProxyEventV2, context: Context) => inRequest(() => chain(event as never, context));
};
