import { setting } from './config.ts';
import { METRICS, METRICS_BY_ROUTE, type Metric } from './metrics.ts';

/**
 * Levels of Lambda's log filter, the most detailed first. Lambda drops the lines that are more detailed than a
 * function's ApplicationLogLevel, and takes a line without a valid `level` and an RFC 3339 `timestamp` for `INFO` (AWS
 * Lambda Developer Guide, "Log-level filtering").
 */
export type Level = 'INFO' | 'WARN' | 'ERROR' | 'FATAL';

/**
 * Writes one line of JSON to the log. It writes to stdout directly, because Lambda's runtime wraps the output of
 * `console` (aws-lambda-nodejs-runtime-interface-client 3.3.0, src/LogPatch.js, `_patchConsoleWith`).
 *
 * @param fields Its fields; absent values are omitted.
 * @param metrics The fields that are metrics.
 * @param now Time of the line and of its metrics.
 */
export function writeLine(level: Level, fields: object, metrics: Metric[], now = new Date()): void {
  const line = {
    timestamp: now.toISOString(),
    level,
    ...fields,
    ...(metrics.length > 0 && { _aws: emf(metrics, now) }),
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/**
 * The field `_aws` of a log line, from which CloudWatch extracts metrics (Amazon CloudWatch User Guide, "Specification:
 * Embedded metric format"). Publishing them needs no API call.
 */
function emf(names: Metric[], now: Date) {
  const directive = (Dimensions: string[][], own: Metric[]) => ({
    Namespace: setting('METRICS_NAMESPACE'),
    Dimensions,
    Metrics: own.map((Name) => ({ Name, Unit: METRICS[Name] })),
  });
  const isByRoute = (name: Metric) => METRICS_BY_ROUTE.includes(name);
  const directives = [
    directive([[], ['route']], names.filter(isByRoute)),
    directive(
      [[]],
      names.filter((name) => !isByRoute(name)),
    ),
  ];
  return {
    Timestamp: now.getTime(),
    CloudWatchMetrics: directives.filter(({ Metrics }) => Metrics.length > 0),
  };
}
