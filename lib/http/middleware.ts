import type middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Acquirer } from '../acquirers/acquirer.ts';
import type { KeyRole, PersonRole } from '../acquirers/roles.ts';
import type { Author, ChangeOptions } from '../events/decision.ts';
import type { Cost } from '../limits/cost.ts';
import type { Allowance, Share } from '../limits/rateLimiter.ts';
import type { OpenSession } from '../people/session.ts';
import type { Warnings } from './warnings.ts';

/** How long before the function's timeout middy ends a request, so that there is still time to respond. */
export const EARLY = { timeoutEarlyInMillis: 500 };

/** The API key or the person that makes a request. */
type Caller =
  | { kind: 'API key'; role: KeyRole }
  /**
   * `auth_time`: when the person last signed in at the issuer, in seconds since 1970. `sha256`: the session, which began at
   * `started_at`.
   */
  | { kind: 'person'; role: PersonRole; auth_time: number; sha256: string; started_at: string };

/** An API Gateway event (payload 2.0), with what the middlewares add to it. */
export interface Incoming extends Omit<APIGatewayProxyEventV2, 'body'> {
  acquirer?: Acquirer;
  /** Who sends the request. */
  author?: Author;
  /** How it makes its change, as its query and headers say. */
  options?: ChangeOptions;
  caller?: Caller;
  /** The session of a person who does not act as an acquirer: see personEndpoint. */
  session?: OpenSession;
  /** Resolves when the use of the API key or of the session is recorded, or could not be. */
  use?: Promise<void>;
  allowance?: Allowance | undefined;
  /** What the request was charged, until it is settled: the tokens that it took, by what its operation states. */
  charged?: { share: Share; tokens: number; stated: Cost };
  /** Whether the request counts against the limit of its person already. */
  isPersonCounted?: boolean;
  query?: unknown;
  body?: unknown;
  warnings?: Warnings;
}

/** The event that a handler receives, with path, body and query parsed by the endpoint's schemas. */
export interface Call<Path extends string = never, Body = unknown, Query = unknown> extends Incoming {
  acquirer: Acquirer;
  caller: Caller;
  pathParameters: Record<Path, string>;
  body: Body;
  query: Query;
}

/** The event of an operation that changes something: who makes the change, and how. */
export interface ChangeCall<Path extends string = never, Body = unknown> extends Call<Path, Body> {
  author: Author;
  options: ChangeOptions;
}

/** The event of an operation that only people can call. */
export interface ByPerson<Path extends string = never, Body = unknown> extends Call<Path, Body> {
  author: Extract<Author, { person: string }>;
}

export interface HandlerResult {
  status: 200 | 201;
  body: { data: unknown };
  /** `secret` of `data`, which has `null` there: only this response shows it, and neither a validation nor a replay. */
  secret?: string;
  /** URL of the created resource. */
  location?: string | undefined;
  cookies?: string[];
  /** Whether an earlier response is replayed, and nothing was executed. */
  isReplay?: boolean;
}

/** An API Gateway response (payload 2.0). */
export interface Response extends APIGatewayProxyStructuredResultV2 {
  headers: Record<string, string>;
}

/** A middleware of the chain. The response is a {@link HandlerResult} until `json` has run. */
export type Middleware = middy.MiddlewareObj<Incoming, HandlerResult | Response, unknown>;
