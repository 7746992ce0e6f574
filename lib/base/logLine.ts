import { setting } from './config.ts';
import { METRICS, METRICS_BY_ROUTE, type Metric } from './metrics.ts';

/**
 * Levels of Lambda's log filter, which takes a line without a valid `level` and an RFC 3339 `timestamp` for `INFO` (AWS
 * Lambda Developer Guide, "Log-level filtering").
 */
export type Level = 'INFO' | 'WARN' | 'ERROR' | 'FATAL';

/**
 * Writes one line of JSON to the log, to stdout directly because Lambda's runtime wraps `console`.
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

/** The field `_aws`, from which CloudWatch extracts metrics without an API call ("Embedded metric format"). */
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
