import middy from '@middy/core';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import * as v from 'valibot';
import type { Permission } from '../acquirers/roles.ts';
import { type Budget, inRequest } from '../aws/requestContext.ts';
import type { StatedCost } from '../limits/cost.ts';
import type { Share } from '../limits/rateLimiter.ts';
import { authenticate } from './authenticate.ts';
import { authorize, recordUse } from './authorize.ts';
import { errorMapper } from './errorMapper.ts';
import { jsonBody } from './jsonBody.ts';
import { keepRefused } from './keepRefused.ts';
import { limitedBody } from './limitedBody.ts';
import { log } from './log.ts';
import { type Call, EARLY, type HandlerResult, type Incoming, type Middleware } from './middleware.ts';
import { storedPath } from './path.ts';
import { validQuery } from './query.ts';
import { rateLimit, rateLimitHeaders, takeStated } from './rateLimit.ts';
import { requestId } from './requestId.ts';
import type { QuerySchema, RequestSchema } from './requestSchema.ts';
import { json } from './response.ts';
import { noBody, validBody } from './validBody.ts';

/**
 * Wraps a handler in the middleware chain that all endpoints share. `before` hooks run in this order, so a request with
 * several errors gets the problem of the first. `after` and `onError` hooks run in reverse: `log` sees the final
 * response.
 *
 * @param options.needs What the caller's role must permit; `undefined` for any caller.
 * @param options.share The rate limit that requests count against.
 * @param options.isForPeople Whether it is part of the console: only people can call it.
 * @param options.query Schema of the query parameters; none by default.
 * @param options.body Schema of the body; by default the operation has no body.
 * @param options.cost What a usual request costs: it is charged for that before its handler runs, and settled by what
 *   it used. By default what one token pays for.
 * @param options.budget How long the request may wait for services; by default as long as retry.ts allows.
 */
export const endpoint = <C extends Call>(
  handler: (call: C) => Promise<HandlerResult>,
  { needs, share = 'requests', isForPeople, ...options }: EndpointOptions<C>,
) =>
  chained(handler, { needs, ...options }, [
    // No person makes a member check, and floods of made-up cookies must not reach it.
    authenticate(needs, isForPeople ? 'people' : share === 'member-checks' ? 'keys' : 'both'),
    authorize(needs),
    recordUse(),
    rateLimit(share),
    // Its hook runs before that of the limit, which settles what it costs.
    keepRefused(),
  ]);

export interface ChainOptions<C> {
  needs: Permission | undefined;
  body?: RequestSchema;
  cost?: StatedCost<C>;
  query?: QuerySchema;
  budget?: Budget;
}

interface EndpointOptions<C> extends ChainOptions<C> {
  share?: Share;
  isForPeople?: true;
}

/** @param caller The middlewares that find out who calls, and whether they may. */
export const chained = <C extends Incoming>(
  handler: (call: C) => Promise<HandlerResult>,
  { needs, budget, cost: costOf = {}, ...schemas }: ChainOptions<C>,
  caller: Middleware[],
) => {
  // The chain has made the call that it takes.
  const cost = costOf as StatedCost<Call>;
  const chain = middy(EARLY)
    .use(log())
    .use(requestId())
    .use(rateLimitHeaders())
    .use(errorMapper())
    .use(json())
    .use(caller)
    .use(storedPath())
    .use(validQuery(schemas.query ?? v.object({})))
    .use(limitedBody())
    .use(schemas.body ? [jsonBody(), validBody(schemas.body)] : noBody())
    .use(takeStated(cost))
    .handler(handler as never);
  const invoke = (event: APIGatewayProxyEventV2, context: Context) =>
    inRequest(() => chain(event as never, context), budget);
  // For the contract, which is generated from them, and the table of weights.
  return Object.assign(invoke, { schemas, needs, cost });
};
