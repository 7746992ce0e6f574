import type { Ceilings } from './ceilings.ts';
import { FOLDERS, STAGE_NAME } from './definitions.ts';
import { type Metric, ofApi, ofFunction, ofTableAndIndexes, ours, PERIOD_SECONDS } from './metrics.ts';

/** What is to be looked at when some metrics, each summed over five minutes and then combined, reach a threshold. */
interface Alarm {
  /** What it is called: the alarm, and its section in docs/operations.md. */
  name: string;
  /** Tells apart alarms of one name. */
  part?: string;
  /** Whether somebody is to be woken. Partners feel it, it does not pass by itself, and somebody can do something. */
  isUrgent: boolean;
  meaning: string;
  metrics: Metric[];
  /** How several metrics become one; default `SUM`. */
  combined?: 'SUM' | 'MAX';
  threshold: number;
  /** Default `Sum`. */
  percentile?: 'p99';
  /** How many five minutes on end; default one. */
  periods?: number;
  /** Overrides properties that the other alarms share. */
  properties?: object;
}

/** CloudWatch adds up ten metrics in an alarm at the most, so functions are watched by folder. */
const byFolder = (metric: string, alarm: Omit<Alarm, 'part' | 'metrics'>): Alarm[] =>
  Object.entries(FOLDERS).map(([part, names]) => ({
    ...alarm,
    part,
    metrics: names.map((name) => ofFunction(metric, name)),
  }));

const ALARMS: Alarm[] = [
  {
    name: 'self-check',
    isUrgent: true,
    meaning: 'The API does not respond to the self-check as it should, or the self-check does not run.',
    metrics: [ours('self_check_successes')],
    threshold: 1,
    // Three of five: a check that starts late leaves its minute without a value, and a rotation of the key may fail one.
    properties: {
      Period: 60,
      EvaluationPeriods: 5,
      DatapointsToAlarm: 3,
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
    },
  },
  {
    name: 'server-errors',
    isUrgent: true,
    meaning: 'Requests were answered as server_error, which no status shows.',
    metrics: [ours('server_errors')],
    threshold: 5,
  },
  {
    name: 'gateway-errors',
    isUrgent: true,
    meaning: 'Partners got a 5xx from API Gateway: a function crashed, ran out of time or was throttled.',
    metrics: [ofApi('5xx')],
    threshold: 5,
  },
  {
    name: 'retries-exhausted',
    isUrgent: true,
    meaning:
      'Requests failed although they were repeated: the table or the secret store is slow, busy or out of reach.',
    metrics: [ours('retries_exhausted')],
    threshold: 3,
  },
  // CloudWatch adds up ten metrics in an alarm at the most, and there are five indexes.
  ...(['Read', 'Write'] as const).map(
    (kind): Alarm => ({
      // A few pass unseen: the SDK repeats them while an on-demand table grows with its traffic.
      name: 'table-throttles',
      part: `${kind.toLowerCase()}s`,
      isUrgent: true,
      meaning: `DynamoDB throttled ${kind.toLowerCase()}s of the table or an index.`,
      metrics: ofTableAndIndexes(`${kind}ThrottleEvents`),
      threshold: 50,
    }),
  ),
  ...byFolder('Throttles', {
    name: 'function-throttles',
    isUrgent: true,
    meaning: 'Lambda throttled functions: a function, or the account, has no concurrency left.',
    threshold: 5,
  }),
  {
    // Three times on end: with little traffic, one cold start is the p99.
    name: 'latency-p99',
    isUrgent: true,
    meaning: 'One request in a hundred took three seconds or more for a quarter of an hour.',
    metrics: [ofApi('Latency')],
    percentile: 'p99',
    threshold: 3000,
    periods: 3,
  },
  // Not urgent: if partners feel it, the gateway's errors wake somebody.
  ...byFolder('Errors', {
    name: 'function-errors',
    isUrgent: false,
    meaning:
      'A function crashed or ran out of memory or time. The chain leaves no error to Lambda, so even one is a bug.',
    threshold: 1,
  }),
  {
    // AWS may leave out access logs of excessive 429s ("Monitor HTTP APIs"), so what is counted is the least that there were.
    name: 'api-throttles',
    isUrgent: false,
    meaning: 'API Gateway refused requests with 429: the stage allows fewer than were sent.',
    metrics: [ours('api_throttles')],
    threshold: 20,
  },
  {
    name: 'authentication-failures',
    isUrgent: false,
    meaning: 'Many requests had no valid API key: a partner lost its key, or somebody tries keys out.',
    metrics: [ours('authentication_failures')],
    threshold: 100,
  },
  {
    name: 'rate-limited',
    isUrgent: false,
    meaning: 'Acquirers send more requests than their rate limits allow, and get 429.',
    metrics: [ours('rate_limited')],
    threshold: 500,
  },
  {
    name: 'limiter-failures',
    isUrgent: false,
    meaning: 'Tokens of a rate limit could not be leased: requests are accepted without a limit.',
    metrics: [ours('limiter_failures')],
    threshold: 5,
  },
  {
    name: 'seal-failures',
    isUrgent: false,
    meaning: 'A branch list could not be ranked: lists stay right, and cost more with each branch that is created.',
    metrics: [ours('seal_failures')],
    threshold: 1,
  },
];

/** From which share of a ceiling on the table's units somebody should know: well before DynamoDB throttles. */
const USAGE_SHARE = 0.5;

/** An alarm for each ceiling in use. The table and each index have the same ceiling, so the busiest of them counts. */
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
      meaning: 'The table or an index uses half of its ceiling, beyond which DynamoDB throttles.',
      metrics: ofTableAndIndexes(metric),
      combined: 'MAX',
      threshold: USAGE_SHARE * unitsPerSecond * PERIOD_SECONDS,
    }));

/**
 * What is measured. Where nothing is counted, several metrics are 0: an alarm on DynamoDB's would otherwise never end, as
 * CloudWatch keeps its state while they are missing.
 */
function measured({ metrics, combined = 'SUM', percentile }: Alarm) {
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

/** `function-errors` of the part `branches` is `FunctionErrorsBranchesAlarm`. */
const logicalIdOf = ({ name, part }: Alarm): string =>
  `${[...name.split('-'), ...(part ? [part] : [])].map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join('')}Alarm`;

/**
 * How many periods are looked at, and how many must be wrong. Where missing values are taken for 0, the last period may
 * be one whose values have not come in yet, so the one before is looked at again.
 */
const judgedOver = ({ metrics, periods = 1 }: Alarm) =>
  metrics.length > 1
    ? { EvaluationPeriods: periods + 1, DatapointsToAlarm: periods }
    : { EvaluationPeriods: periods, DatapointsToAlarm: periods };

function alarmOf(alarm: Alarm) {
  const topic = { Ref: alarm.isUrgent ? `\${param:urgentTopic}` : 'NoticeTopic' };
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmName: [STAGE_NAME, alarm.name, ...(alarm.part ? [alarm.part] : [])].join('-'),
      AlarmDescription: `${alarm.meaning} See docs/operations.md#alarm-${alarm.name}`,
      ...measured(alarm),
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: alarm.threshold,
      ...judgedOver(alarm),
      TreatMissingData: 'notBreaching',
      AlarmActions: [topic],
      OKActions: [topic],
      ...alarm.properties,
    },
  };
}

/** The alarms of a stage, each told to a topic when it begins and when it ends. */
export const alarms = (limits: Ceilings) => ({
  Resources: Object.fromEntries(
    [...ALARMS, ...usageAlarms(limits)].map((alarm) => [logicalIdOf(alarm), alarmOf(alarm)]),
  ),
});
