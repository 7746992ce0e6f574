import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import * as v from 'valibot';
import type { Share } from '../rateLimit.ts';
import { withUsage } from '../table/usageMeter.ts';
import { authenticate } from './authenticate.ts';
import { type BodySchema, jsonBody, noBody, validBody } from './body.ts';
import { errorMapper } from './errorMapper.ts';
import { log } from './log.ts';
import type { Call, HandlerResult } from './middleware.ts';
import { lowerCasePath } from './path.ts';
import { validQuery } from './query.ts';
import { rateLimit, rateLimitHeaders } from './rateLimit.ts';
import { requestId } from './requestId.ts';
import { json } from './response.ts';

/** Left for our own answer when the function's time runs out. */
const TIMEOUT_EARLY_MS = 500;

/**
 * The one chain that every endpoint is wrapped in. `before` hooks run in this order, which is also the order of refusal;
 * `after` and `onError` hooks run in reverse, so that what `json` or `problems` made is marked by `requestId`, and `log`
 * tells of what is answered.
 */
export const endpoint = <C extends Call>(
  handler: (call: C) => Promise<HandlerResult>,
  { share = 'requests', ...schemas }: { query?: BodySchema; body?: BodySchema; share?: Share } = {},
) => {
  const chain = middy({ timeoutEarlyInMillis: TIMEOUT_EARLY_MS })
    .use(log())
    .use(requestId())
    .use(rateLimitHeaders())
    .use(errorMapper())
    .use(json())
    .use(authenticate())
    .use(rateLimit(share))
    .use(lowerCasePath())
    .use(validQuery(schemas.query ?? v.object({})))
    .use(schemas.body ? [jsonBody(), validBody(schemas.body)] : noBody())
    .handler(handler as never);
  const invoke = (event: APIGatewayProxyEventV2, context: Context) => withUsage(() => chain(event as never, context));
  // For the contract, which is made of them.
  return Object.assign(invoke, { schemas });
};
