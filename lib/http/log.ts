import { setting } from '../config.ts';
import type { Problem } from '../problem.ts';
import { usage } from '../table/usage.ts';
import { REPLAYED } from './answer.ts';
import { causesOf } from './causes.ts';
import type { Middleware, Response } from './middleware.ts';

/**
 * Members of a log line that are CloudWatch metrics too, by the Embedded Metric Format (its specification 1.0): one line
 * is both, so that no call is spent on metrics. infra/ makes alarms and a dashboard of them.
 */
const METRICS = [
  ['duration_ms', 'Milliseconds'],
  ['table_requests', 'Count'],
  ['read_units', 'Count'],
  ['write_units', 'Count'],
  ['retries', 'Count'],
  ['faults', 'Count'],
  ['retries_exhausted', 'Count'],
  ['authentication_failures', 'Count'],
  ['seal_failures', 'Count'],
] as const;

const CLOUD_WATCH_METRICS = [
  {
    Namespace: setting('METRICS_NAMESPACE'),
    Dimensions: [[]],
    Metrics: METRICS.map(([Name, Unit]) => ({ Name, Unit })),
  },
];

/** The first request of a process has waited for its start, unless the process was started ahead. */
let isCold = process.env['AWS_LAMBDA_INITIALIZATION_TYPE'] !== 'provisioned-concurrency';

/**
 * Writes one line of JSON per request. It tells who asked for which operation and how that ended, and never what was
 * asked: no path, query, header or body, as any of them may hold a card identifier.
 *
 * LOG_LEVEL: ERROR writes the lines of faults only, INFO every line, DEBUG also each request to the table.
 */
export const log = (): Middleware => {
  const write: NonNullable<Middleware['after']> = function log({ event, context, response, error }) {
    const level = setting('LOG_LEVEL');
    const problem = error as Problem | undefined;
    const isFault = problem?.code === 'server_error';
    const cold_start = isCold;
    isCold = false;
    const { started, requests, restarts, sealFailures } = usage();
    const isError = isFault || sealFailures.length > 0;
    if (level === 'ERROR' && !isError) return;
    const total = (of: (each: (typeof requests)[number]) => number) =>
      requests.reduce((sum, each) => sum + of(each), 0);
    const line: Record<(typeof METRICS)[number][0], number> & Record<string, unknown> = {
      level: isError ? 'ERROR' : 'INFO',
      request_id: context.awsRequestId,
      route: event.routeKey,
      acquirer: event.acquirer?.id ?? null,
      key_id: event.apiKey?.key_id ?? null,
      key_label: event.apiKey?.label ?? null,
      status: (response as Response).statusCode,
      code: problem?.code ?? null,
      replayed: REPLAYED in (response as Response).headers,
      cold_start,
      duration_ms: milliseconds(performance.now() - started),
      table_requests: requests.length,
      read_units: total(({ read_units }) => read_units),
      write_units: total(({ write_units }) => write_units),
      retries: restarts + total(({ attempts }) => attempts - 1),
      faults: Number(isFault),
      // A fault that may pass is one of which all retries have failed.
      retries_exhausted: Number(isFault && problem.retryAfter !== undefined),
      authentication_failures: Number(problem?.code === 'invalid_api_key'),
      seal_failures: sealFailures.length,
      ...(isError && { causes: [...(isFault ? [problem.cause] : []), ...sealFailures].flatMap(causesOf) }),
      ...(level === 'DEBUG' && {
        table: requests.map((each) => ({ ...each, duration_ms: milliseconds(each.duration_ms) })),
      }),
      _aws: { Timestamp: Date.now(), CloudWatchMetrics: CLOUD_WATCH_METRICS },
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  };
  return { after: write, onError: write };
};

const milliseconds = (duration: number): number => Number(duration.toFixed(1));
