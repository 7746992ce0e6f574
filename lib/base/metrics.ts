import { setting } from './config.ts';

/**
 * Fields of log lines that are also CloudWatch metrics, with their units. infra/template/alarms.ts has an alarm for
 * each count. Requests only log metrics for failures, because every logged byte costs.
 */
export const METRICS = {
  server_errors: 'Count',
  retries_exhausted: 'Count',
  authentication_failures: 'Count',
  rate_limited: 'Count',
  failed_sign_ins: 'Count',
  issuer_failures: 'Count',
  seal_failures: 'Count',
  limiter_failures: 'Count',
  self_check_successes: 'Count',
  self_check_duration_ms: 'Milliseconds',
} as const;
export type Metric = keyof typeof METRICS;

/**
 * The field `_aws` of a log line, from which CloudWatch extracts metrics (Embedded Metric Format, specification 1.0).
 * Publishing them needs no API call.
 *
 * @param Timestamp Time of the metrics, in milliseconds since 1970.
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
