import { setting } from './config.ts';

/**
 * Members of log lines that are CloudWatch metrics too, with their units. infra/template/alarms.ts has an alarm on each
 * count. Those of requests count something wrong, so most requests have none: each byte of a log is paid for.
 */
export const METRICS = {
  server_errors: 'Count',
  retries_exhausted: 'Count',
  authentication_failures: 'Count',
  rate_limited: 'Count',
  seal_failures: 'Count',
  limiter_failures: 'Count',
  self_check_successes: 'Count',
  self_check_duration_ms: 'Milliseconds',
} as const;
export type Metric = keyof typeof METRICS;

/**
 * The member `_aws` of a log line, by which CloudWatch takes other members for metrics (Embedded Metric Format, its
 * specification 1.0), so that no call is spent on metrics.
 *
 * @param Timestamp When they were counted, in milliseconds since 1970.
 */
export const embeddedMetrics = (names: Metric[], Timestamp = Date.now()) => ({
  Timestamp,
  CloudWatchMetrics: [
    {
      Namespace: setting('METRICS_NAMESPACE'),
      Dimensions: [[]],
      Metrics: names.map((Name) => ({ Name, Unit: METRICS[Name] })),
    },
  ],
});
