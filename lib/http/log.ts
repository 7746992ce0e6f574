import { requestContext } from '../aws/requestContext.ts';
import { setting } from '../base/config.ts';
import { type Level, writeLine } from '../base/logLine.ts';
import type { Metric } from '../base/metrics.ts';
import type { Problem } from '../base/problem.ts';
import { FAILED_SIGN_INS } from '../people/signInFailure.ts';
import { causesOf, distinct } from './loggedCauses.ts';
import type { Middleware, Response } from './middleware.ts';
import { REPLAYED } from './response.ts';

/** True until the first request of the process; with provisioned concurrency, no request waits for a cold start. */
let isCold = process.env['AWS_LAMBDA_INITIALIZATION_TYPE'] !== 'provisioned-concurrency';

/** A smaller clock skew is not logged, so that routine lines stay short. In milliseconds. */
const LEAST_SKEW_MS = 500;

/** Bounds the length of a line, which CloudWatch Logs limits to 1 MB: a failure takes at most 40,000 characters. */
const MOST_FAILURES = 5;

/**
 * Logs one line of JSON per request: the caller, the operation and the outcome. Paths, queries, headers and bodies are
 * never logged, because any of them may contain a card identifier. Absent values, zero counts and `false` are omitted.
 *
 * A line with metrics has the level WARN or ERROR, so Lambda's log filter keeps it at ApplicationLogLevel WARN.
 * LOG_LEVEL ERROR logs failures only, INFO every request, DEBUG also each request to the table.
 */
export const log = (): Middleware => {
  const write: NonNullable<Middleware['after']> = function log({ event, context, response, error }) {
    const level = setting('LOG_LEVEL');
    const problem = error as Problem | undefined;
    const cold_start = isCold;
    isCold = false;
    const { started, tableRequests: requests, restarts, clockSkewMs, failures: unseen } = requestContext();
    const isServerError = problem?.code === 'server_error';
    const isIssuerFailure = problem?.code === 'issuer_unavailable';
    const failures = [...(isServerError || isIssuerFailure ? [problem.cause] : []), ...Object.values(unseen).flat()];
    const isError = failures.length > 0;
    if (level === 'ERROR' && !isError) return;
    const total = (of: (each: (typeof requests)[number]) => number) =>
      requests.reduce((sum, each) => sum + of(each), 0);
    const metrics = nonZero({
      server_errors: Number(isServerError),
      // A server error has `Retry-After` if it is transient, and then all retries have failed.
      retries_exhausted: Number(isServerError && problem.retryAfter !== undefined),
      authentication_failures: Number(problem?.code === 'invalid_api_key'),
      rate_limited: Number(problem?.code === 'rate_limited'),
      failed_sign_ins: Number(FAILED_SIGN_INS.includes(problem?.code)),
      issuer_failures: Number(isIssuerFailure),
      seal_failures: unseen.seal.length,
      limiter_failures: unseen.limiter.length,
      secret_failures: unseen.secret.length,
      last_seen_failures: unseen.lastSeen.length,
      refused_requests_not_kept: unseen.refusedRequest.length,
      clock_skew_ms: clockSkewMs >= LEAST_SKEW_MS && clockSkewMs,
    } satisfies Partial<Record<Metric, number | false>>);
    const names = Object.keys(metrics) as Metric[];
    const lineLevel: Level = isError ? 'ERROR' : names.length > 0 ? 'WARN' : 'INFO';
    const fields = {
      request_id: context.awsRequestId,
      route: event.routeKey,
      acquirer: event.acquirer?.id,
      key_id: event.author?.key_id,
      key_label: event.author?.label,
      person: event.author?.person,
      status: (response as Response).statusCode,
      code: problem?.code,
      reason: (problem?.cause as { reason?: string } | undefined)?.reason,
      duration_ms: milliseconds(performance.now() - started),
      ...nonZero({
        replayed: REPLAYED in (response as Response).headers,
        cold_start,
        table_requests: requests.length,
        read_units: total(({ read_units }) => read_units),
        write_units: total(({ write_units }) => write_units),
        retries: restarts + total(({ attempts }) => attempts - 1),
      }),
      ...metrics,
      ...(isError && { causes: distinct(failures.slice(0, MOST_FAILURES).flatMap(causesOf)) }),
      ...(level === 'DEBUG' && {
        table: requests.map((each) => ({ ...each, duration_ms: milliseconds(each.duration_ms) })),
      }),
    };
    writeLine(lineLevel, fields, names);
  };
  return { after: write, onError: write };
};

const nonZero = <T extends Record<string, number | boolean>>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value)) as Partial<T>;

const milliseconds = (duration: number): number => Number(duration.toFixed(1));
