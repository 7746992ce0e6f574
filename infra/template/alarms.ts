import type { Ceilings } from './ceilings.ts';
import { byFolder, isOfConsole, STAGE_NAME } from './definitions.ts';
import { type Metric, ofApi, ofFunction, ofService, ofTableAndIndexes, PERIOD_SECONDS } from './metrics.ts';

/** An alarm that fires when metrics, each summed over five minutes and then combined, reach a threshold. */
interface Alarm {
  /** The name of the alarm and of its section in docs/operations.md. */
  name: string;
  /** Distinguishes alarms with the same name. */
  part?: string;
  /** Whether it pages on-call: partners are affected, it does not resolve by itself, and on-call can act on it. */
  isUrgent: boolean;
  /** What happened, in one sentence or two. */
  description: string;
  metrics: Metric[];
  /** How several metrics are combined; default `SUM`. */
  combined?: 'SUM' | 'MAX';
  threshold: number;
  /** The statistic of a single metric; default `Sum`. */
  percentile?: 'p99';
  /** Number of consecutive five-minute periods; default 1. */
  periods?: number;
  /** Overrides properties of the CloudFormation resource. */
  properties?: object;
}

/** The most metrics of an alarm that combines them. */
const MOST_METRICS = 10;

/** The parts of an alarm on functions: one per folder, or several with a number if a folder has too many functions. */
const partsOf = (functions: string[]): [part: string, names: string[]][] =>
  Object.entries(byFolder(functions)).flatMap(([folder, names]) => {
    const count = Math.ceil(names.length / MOST_METRICS);
    return Array.from({ length: count }, (_, at): [string, string[]] => [
      count === 1 ? folder : `${folder}-${at + 1}`,
      names.slice(at * MOST_METRICS, (at + 1) * MOST_METRICS),
    ]);
  });

/** An alarm on a metric of all functions, in parts. */
const ofFunctions = (functions: string[], metric: string, alarm: Omit<Alarm, 'part' | 'metrics'>): Alarm[] =>
  partsOf(functions).map(([part, names]) => ({
    ...alarm,
    part,
    metrics: names.map((name) => ofFunction(metric, name)),
  }));

const alarmsOf = (functions: string[]): Alarm[] => [
  {
    name: 'self-check',
    isUrgent: true,
    description: 'The self-check failed or did not run.',
    metrics: [ofService('self_check_failures')],
    threshold: 1,
    // 3 of 5, because a check that starts late leaves a minute without a value, and rotating the key can fail one
    // check.
    properties: {
      Period: 60,
      EvaluationPeriods: 5,
      DatapointsToAlarm: 3,
      TreatMissingData: 'breaching',
    },
  },
  {
    name: 'server-errors',
    isUrgent: true,
    description: 'Requests failed with 400 server_error.',
    metrics: [ofService('server_errors')],
    threshold: 5,
  },
  {
    name: 'gateway-errors',
    isUrgent: true,
    description: 'API Gateway returned 5xx responses: a function crashed, timed out or was throttled.',
    metrics: [ofApi('5xx')],
    threshold: 5,
  },
  {
    name: 'retries-exhausted',
    isUrgent: true,
    description:
      'Requests failed after all retries: table or secret store slow or unreachable, throttling, or conflicts.',
    metrics: [ofService('retries_exhausted')],
    threshold: 3,
  },
  // Two alarms, because an alarm can have at most ten metrics, and each kind has six: the table's and those of five
  // indexes.
  ...(['Read', 'Write'] as const).map(
    (kind): Alarm => ({
      // A few are normal while an on-demand table scales with its traffic. The SDK retries those.
      name: 'table-throttles',
      part: `${kind.toLowerCase()}s`,
      isUrgent: true,
      description: `DynamoDB throttled ${kind.toLowerCase()}s of the table or an index.`,
      metrics: ofTableAndIndexes(`${kind}ThrottleEvents`),
      threshold: 50,
    }),
  ),
  ...ofFunctions(functions, 'Throttles', {
    name: 'function-throttles',
    isUrgent: true,
    description: 'Lambda throttled functions: a function or the account has no concurrency left.',
    threshold: 5,
  }),
  {
    // Three periods in a row: with little traffic, a single cold start is the p99.
    name: 'latency-p99',
    isUrgent: true,
    description: 'The p99 latency was three seconds or more for 15 minutes.',
    metrics: [ofApi('Latency')],
    percentile: 'p99',
    threshold: 3000,
    periods: 3,
  },
  // Not urgent: if partners are affected, gateway-errors pages on-call.
  ...ofFunctions(functions, 'Errors', {
    name: 'function-errors',
    isUrgent: false,
    description:
      'A function crashed, timed out or ran out of memory. Handlers catch all other errors, so even one is a bug.',
    threshold: 1,
  }),
  {
    // A lower bound: AWS may omit access logs of excessive 429s ("Monitor HTTP APIs").
    name: 'api-throttles',
    isUrgent: false,
    description: 'API Gateway throttled requests with 429: they exceeded the limit of the stage or of a route.',
    metrics: [ofService('api_throttles')],
    threshold: 20,
  },
  {
    name: 'authentication-failures',
    isUrgent: false,
    description: 'Many requests had no valid API key: a key has expired or was revoked, or somebody is trying keys.',
    metrics: [ofService('authentication_failures')],
    threshold: 100,
  },
  {
    name: 'rate-limited',
    isUrgent: false,
    description: 'Acquirers exceeded their rate limits and got 429.',
    metrics: [ofService('rate_limited')],
    threshold: 500,
  },
  {
    name: 'limiter-failures',
    isUrgent: false,
    description:
      'Tokens of a rate limit could not be leased: requests are accepted without it, unless leases are throttled.',
    metrics: [ofService('limiter_failures')],
    threshold: 5,
  },
  {
    name: 'seal-failures',
    isUrgent: false,
    description: 'A branch list could not be ranked: it is correct, but costs more with each new branch.',
    metrics: [ofService('seal_failures')],
    threshold: 1,
  },
  {
    // Urgent: what is not copied within 24 hours has left the stream.
    name: 'record-copy',
    isUrgent: true,
    description: "A change of the operator's record was not copied for an hour. After a day it is lost to the copy.",
    metrics: [ofFunction('IteratorAge', 'keepRecord')],
    threshold: 3_600_000,
    properties: { Statistic: 'Maximum' },
  },
  ...(functions.some(isOfConsole) ? SIGN_IN_ALARMS : []),
];

/** For stages with an issuer. Not urgent: sessions and API keys keep working, and operators need no sign-in. */
const SIGN_IN_ALARMS: Alarm[] = [
  {
    name: 'failed-sign-ins',
    isUrgent: false,
    description: 'Many sign-ins were refused: people without an invitation, or somebody tampers with sign-ins.',
    metrics: [ofService('failed_sign_ins')],
    threshold: 20,
  },
  {
    name: 'issuer-failures',
    isUrgent: false,
    description: 'Nobody can sign in: the issuer does not respond, or it rejects our client.',
    metrics: [ofService('issuer_failures')],
    threshold: 3,
  },
];

/** The share of a ceiling on the table's units that fires the alarm, well before DynamoDB throttles. */
const USAGE_SHARE = 0.5;

/** An alarm for each ceiling in use. The table and each index have the same ceiling, so the maximum counts. */
const usageAlarms = ({ maxReadUnits, maxWriteUnits }: Ceilings): Alarm[] =>
  (
    [
      ['reads', 'ConsumedReadCapacityUnits', maxReadUnits],
      ['writes', 'ConsumedWriteCapacityUnits', maxWriteUnits],
    ] as const
  )
    .filter(([, , unitsPerSecond]) => unitsPerSecond > 0)
    .map(([part, metric, unitsPerSecond]) => ({
      name: 'table-usage',
      part,
      isUrgent: false,
      description: 'The table or an index uses half of its ceiling. DynamoDB throttles above the ceiling.',
      metrics: ofTableAndIndexes(metric),
      combined: 'MAX',
      threshold: USAGE_SHARE * unitsPerSecond * PERIOD_SECONDS,
    }));

/**
 * The metric properties of an alarm. Several metrics are filled with 0 where they have no value: without values,
 * CloudWatch keeps an alarm on DynamoDB's metrics in its state, so it would never end.
 */
function measurementOf({ metrics, combined = 'SUM', percentile }: Alarm) {
  const [metric] = metrics;
  if (metrics.length === 1)
    return {
      ...metric,
      Period: PERIOD_SECONDS,
      ...(percentile ? { ExtendedStatistic: percentile } : { Statistic: 'Sum' }),
    };
  return {
    Metrics: [
      ...metrics.map((Metric, at) => ({
        Id: `m${at}`,
        MetricStat: { Metric, Period: PERIOD_SECONDS, Stat: 'Sum' },
        ReturnData: false,
      })),
      { Id: combined.toLowerCase(), Expression: `${combined}(FILL(METRICS(), 0))`, ReturnData: true },
    ],
  };
}

/** The logical id, such as `FunctionErrorsBranchesAlarm` for `function-errors` with the part `branches`. */
const logicalIdOf = ({ name, part }: Alarm): string =>
  `${[...name.split('-'), ...(part?.split('-') ?? [])].map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join('')}Alarm`;

/**
 * The evaluation properties of an alarm. Where missing values are filled with 0, one more period is evaluated, because
 * the values of the last one may not have arrived yet.
 */
const evaluationOf = ({ metrics, periods = 1 }: Alarm) =>
  metrics.length > 1
    ? { EvaluationPeriods: periods + 1, DatapointsToAlarm: periods }
    : { EvaluationPeriods: periods, DatapointsToAlarm: periods };

function alarmOf(alarm: Alarm) {
  const topic = { Ref: alarm.isUrgent ? `\${param:urgentTopic}` : 'NoticeTopic' };
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmName: [STAGE_NAME, alarm.name, ...(alarm.part ? [alarm.part] : [])].join('-'),
      AlarmDescription: `${alarm.description} See docs/operations.md#alarm-${alarm.name}`,
      ...measurementOf(alarm),
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: alarm.threshold,
      ...evaluationOf(alarm),
      TreatMissingData: 'notBreaching',
      AlarmActions: [topic],
      OKActions: [topic],
      ...alarm.properties,
    },
  };
}

/** The alarms of a stage. Each notifies its topic when it begins and when it ends. */
export const alarms = (limits: Ceilings, functions: string[]) => ({
  Resources: Object.fromEntries(
    [...alarmsOf(functions), ...usageAlarms(limits)].map((alarm) => [logicalIdOf(alarm), alarmOf(alarm)]),
  ),
});
