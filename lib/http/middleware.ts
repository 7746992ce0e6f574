import type middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Acquirer } from '../acquirer.ts';
import type { Author } from '../event.ts';
import type { Allowance } from '../rateLimit.ts';
import type { Warnings } from './warnings.ts';

/** An API Gateway event (payload 2.0) on its way through the chain, which completes it step by step. */
export interface Incoming extends Omit<APIGatewayProxyEventV2, 'body'> {
  acquirer?: Acquirer;
  author?: Author;
  allowance?: Allowance | undefined;
  query?: unknown;
  body?: unknown;
  warnings?: Warnings;
}

/**
 * The event as a handler gets it: authenticated, with the named path parameters, and with body and query as the
 * endpoint's schemas let them through.
 */
export interface Call<Path extends string = never, Body = unknown, Query = unknown> extends Incoming {
  acquirer: Acquirer;
  author: Author;
  pathParameters: Record<Path, string>;
  body: Body;
  query: Query;
}

/** What a handler returns, before it is made an HTTP response. */
export interface HandlerResult {
  status: 200 | 201;
  body: { data: unknown };
  /** URL of what was created. */
  location?: string | undefined;
  /** It was given before, and nothing was executed this time. */
  isReplay?: boolean;
}

/** An API Gateway response (payload 2.0). */
export interface Response extends APIGatewayProxyStructuredResultV2 {
  headers: Record<string, string>;
}

/** One concern of the chain. On its way out a response is an {@link HandlerResult} until the middleware `json` has run. */
export type Middleware = middy.MiddlewareObj<Incoming, HandlerResult | Response, unknown>;
