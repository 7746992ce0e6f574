import { setting } from '../base/config.ts';
import { embeddedMetrics, type Metric } from '../base/metrics.ts';
import type { Problem } from '../base/problem.ts';
import { usage } from '../table/usageMeter.ts';
import { causesOf } from './causes.ts';
import type { Middleware, Response } from './middleware.ts';
import { REPLAYED } from './response.ts';

/** The first request of a process has waited for its start, unless the process was started ahead. */
let isCold = process.env['AWS_LAMBDA_INITIALIZATION_TYPE'] !== 'provisioned-concurrency';

/**
 * Writes one line of JSON per request. It names the caller, the operation and the outcome, and never what was sent: no path,
 * query, header or body, as any of them may hold a card identifier. Members that would be `null`, `false` or 0 are left out.
 *
 * The line goes to stdout itself: Lambda's runtime wraps what `console` writes, and nothing else
 * (aws-lambda-nodejs-runtime-interface-client 3.3.0, src/LogPatch.js, `_patchConsoleWith`), in its JSON format too.
 *
 * LOG_LEVEL: ERROR writes the lines of faults only, INFO every line, DEBUG also each request to the table.
 */
export const log = (): Middleware => {
  const write: NonNullable<Middleware['after']> = function log({ event, context, response, error }) {
    const level = setting('LOG_LEVEL');
    const problem = error as Problem | undefined;
    const cold_start = isCold;
    isCold = false;
    const { started, requests, restarts, sealFailures, limiterFailures } = usage();
    const isServerError = problem?.code === 'server_error';
    const failures = [...(isServerError ? [problem.cause] : []), ...sealFailures, ...limiterFailures];
    const isError = failures.length > 0;
    if (level === 'ERROR' && !isError) return;
    const total = (of: (each: (typeof requests)[number]) => number) =>
      requests.reduce((sum, each) => sum + of(each), 0);
    const metrics = nonZero({
      server_errors: Number(isServerError),
      // A fault that may pass is one of which all retries have failed.
      retries_exhausted: Number(isServerError && problem.retryAfter !== undefined),
      authentication_failures: Number(problem?.code === 'invalid_api_key'),
      rate_limited: Number(problem?.code === 'rate_limited'),
      seal_failures: sealFailures.length,
      limiter_failures: limiterFailures.length,
    } satisfies Partial<Record<Metric, number>>);
    const line = {
      level: isError ? 'ERROR' : 'INFO',
      request_id: context.awsRequestId,
      route: event.routeKey,
      acquirer: event.acquirer?.id,
      key_id: event.author?.key_id,
      key_label: event.author?.label,
      status: (response as Response).statusCode,
      code: problem?.code,
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
      ...(isError && { causes: failures.flatMap(causesOf) }),
      ...(level === 'DEBUG' && {
        table: requests.map((each) => ({ ...each, duration_ms: milliseconds(each.duration_ms) })),
      }),
      ...(Object.keys(metrics).length > 0 && { _aws: embeddedMetrics(Object.keys(metrics) as Metric[]) }),
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  };
  return { after: write, onError: write };
};

/** Those members that are neither 0 nor `false`. */
const nonZero = <T extends Record<string, number | boolean>>(members: T): Partial<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value)) as Partial<T>;

const milliseconds = (duration: number): number => Number(duration.toFixed(1));
