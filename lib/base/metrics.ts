/**
 * Fields of log lines that are also CloudWatch metrics, with their units. infra/stack/template/alarms.ts has their
 * alarms.
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
  secret_failures: 'Count',
  last_seen_failures: 'Count',
  refused_requests_not_kept: 'Count',
  delivery_errors: 'Count',
  clock_skew_ms: 'Milliseconds',
  self_check_is_enabled: 'None',
  self_check_failures: 'Count',
  self_check_list_ms: 'Milliseconds',
  self_check_member_check_ms: 'Milliseconds',
  self_check_write_ms: 'Milliseconds',
} as const;
export type Metric = keyof typeof METRICS;

/** Metrics that also exist for each `route`, another field of their lines. All others are only for the whole stage. */
export const METRICS_BY_ROUTE: readonly Metric[] = ['server_errors'];
