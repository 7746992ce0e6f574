/** The values of ApplicationLogLevel, the most detailed first (AWS Lambda API Reference, "LoggingConfig"). */
export const APPLICATION_LOG_LEVELS = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const;
type ApplicationLogLevel = (typeof APPLICATION_LOG_LEVELS)[number];

/** A date and time of RFC 3339, section 5.6. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/**
 * Whether Lambda sends a line of stdout to CloudWatch Logs, as its Developer Guide says under "Log-level filtering":
 * lines of the chosen level and of less detailed ones. A line that is not a JSON object, or has no valid level or no
 * valid timestamp, has the level INFO.
 */
export function isSent(line: string, applicationLogLevel: ApplicationLogLevel): boolean {
  const rank = (level: ApplicationLogLevel) => APPLICATION_LOG_LEVELS.indexOf(level);
  return rank(levelOf(line)) >= rank(applicationLogLevel);
}

function levelOf(line: string): ApplicationLogLevel {
  try {
    const { level, timestamp } = JSON.parse(line);
    const known = APPLICATION_LOG_LEVELS.find((each) => each === String(level).toUpperCase());
    return (TIMESTAMP.test(timestamp) && !Number.isNaN(Date.parse(timestamp)) && known) || 'INFO';
  } catch {
    return 'INFO';
  }
}
