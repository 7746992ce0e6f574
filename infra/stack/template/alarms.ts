import { GRADUAL, isOfConsole, STAGE_NAME } from './definitions.ts';
import {
  API_AVAILABILITY,
  availabilityOf,
  type Indicator,
  MEMBER_CHECK_THROTTLES,
  type Metric,
  ofApi,
  ofFunction,
  ofQueue,
  ofService,
  ofTableAndIndexes,
  PERIOD_SECONDS,
  type ServiceMetric,
  type Terms,
  within,
} from './metrics.ts';
import type { Parameters } from './parameters.ts';
import { budgetOf, MEMBER_CHECK, ROUTE, sloOf } from './slos.ts';

/** An alarm that fires when what it measures reaches a threshold. */
interface Alarm {
  /** The name of the alarm and of its section in docs/operations.md. */
  name: string;
  part?: string;
  /** Whether it pages on-call: partners are affected, it does not resolve by itself, and on-call can act on it. */
  pages?: true;
  description: string;
  /** The properties of the CloudFormation resource that name its metrics, statistics and period, and other ones. */
  measured: object;
  threshold: number;
  /** How many of how many periods must reach the threshold; default 1 of 1. */
  periods?: [count: number, of: number];
}

const statOf = (metric: Metric, Statistic = 'Sum', Period = PERIOD_SECONDS) => ({ ...metric, Period, Statistic });

/** Metric math. The alarm watches the last of the expressions. */
const math = (terms: Terms, expressions: Record<string, string>, Period = PERIOD_SECONDS) => ({
  Metrics: [
    ...Object.entries(terms).map(([Id, [Metric, Stat]]) => ({
      Id,
      MetricStat: { Metric, Period, Stat },
      ReturnData: false,
    })),
    ...Object.entries(expressions).map(([Id, Expression], at, { length }) => ({
      Id,
      Expression,
      ReturnData: at === length - 1,
    })),
  ],
});

/**
 * Combines several metrics. They are filled with 0 where they have no value: without values, CloudWatch keeps an alarm on
 * DynamoDB's metrics in its state, so it would never end ("PutMetricAlarm", `TreatMissingData`).
 */
const combined = (metrics: Metric[], by: 'SUM' | 'MAX') =>
  math(Object.fromEntries(metrics.map((metric, at) => [`m${at}`, [metric, 'Sum']])), {
    [by.toLowerCase()]: `${by}(FILL(METRICS(), 0))`,
  });

/** Where values are filled in, one more period counts, because the values of the last one may not have arrived yet. */
const FILLED: [count: number, of: number] = [1, 2];

const LEAST_MISSED = 3;

/**
 * The share of requests that missed something, as a multiple of `most`. It is 0 below a least number of requests and of misses:
 * a client that retries one broken request all night is no outage. A quiet API is watched by the self-check.
 */
const ratio = ({ metrics, missed, total }: Indicator, most: number, period: number, least: number) =>
  math(
    metrics,
    {
      missed,
      total,
      ratio: `IF((total >= ${least}) && (missed > ${LEAST_MISSED - 0.5}), missed / total, 0) / ${most}`,
    },
    period,
  );

/** A burn rate that fires if enough periods have it: 1 uses up an error budget in exactly the days of the objective. */
interface Burn {
  rate: number;
  seconds: number;
  periods: [count: number, of: number];
  /** Requests in a period without which it does not fire. */
  least: number;
}

/**
 * The burn rates of the SRE Workbook, "Alerting on SLOs": 14.4 uses 2 % of the budget in an hour, 6 uses 5 % in six
 * hours. An alarm of CloudWatch has one period, so several periods of a window stand for the workbook's two windows.
 */
const FAST: Burn = { rate: 14.4, seconds: 60, periods: [3, 5], least: 60 };
/** All three, because a window slides: of more periods, a past failure would touch now two, now three, and page again. */
const SLOW: Burn = { rate: 6, seconds: 3600, periods: [3, 3], least: 600 };

const burning = (indicator: Indicator, objective: number, { rate, seconds, periods, least }: Burn) => ({
  measured: ratio(indicator, budgetOf(objective), seconds, least),
  threshold: rate,
  periods,
});

/** The alarms of the objectives: of the API as a whole, and of each gradual function, whose deployments they also stop. */
const OBJECTIVES: Alarm[] = [
  {
    name: 'availability',
    pages: true,
    description: 'Requests failed, at 14.4 times the rate that the objective allows.',
    ...burning(API_AVAILABILITY, ROUTE.availability, FAST),
  },
  ...GRADUAL.map(
    (part): Alarm => ({
      name: 'availability',
      part,
      pages: true,
      description: 'Requests of this operation failed, at 14.4 times the rate that its objective allows.',
      ...burning(availabilityOf(part), sloOf(part).availability, FAST),
    }),
  ),
  {
    name: 'slow-burn',
    pages: true,
    description: 'For three hours, requests failed at 6 times the rate that the objective allows.',
    ...burning(API_AVAILABILITY, ROUTE.availability, SLOW),
  },
  {
    name: 'latency',
    description: 'Requests were slow, at 14.4 times the rate that the objective allows.',
    // With the gateway's share.
    ...burning(within(ofApi('Latency'), ROUTE), ROUTE.fast, FAST),
  },
  {
    name: 'latency',
    part: 'memberCheck',
    pages: true,
    description: 'Member checks were slow, at 14.4 times the rate that their objective allows.',
    ...burning(within(ofFunction('Duration', 'memberCheck'), MEMBER_CHECK), MEMBER_CHECK.fast, FAST),
  },
];

/** What a service that goes on working lacks: the statistic, and how much of it is too much in five minutes. */
const DEGRADED: [name: ServiceMetric | 'wake_errors', stat: string, most: number][] = [
  ['seal_failures', 'Sum', 1],
  ['limiter_failures', 'Sum', 5],
  ['secret_failures', 'Sum', 3],
  // Of 100,000 terminals, one write in a thousand takes too long, most of them at the beginning of an hour.
  ['last_seen_failures', 'Sum', 100],
  // A partner does not see why these failed. In a flood, some take too long.
  ['refused_requests_not_kept', 'Sum', 100],
  // Each message is tried again after a minute and a half, so this is some ten messages.
  ['delivery_errors', 'Sum', 30],
  // Lambda repeats it, so a single one resolves by itself.
  ['wake_errors', 'Sum', 3],
  ['clock_skew_ms', 'Maximum', 2000],
];

/** A function that fails has no log line of ours. */
const degradedBy = (name: (typeof DEGRADED)[number][0]): Metric =>
  name === 'wake_errors' ? ofFunction('Errors', 'wakeWebhooks') : ofService(name);

/**
 * One alarm for all of {@link DEGRADED}, which the dashboard shows one by one. While the clocks are near each other, each is
 * within 2.5 s of the table's (docs/decisions/0025-events.md).
 */
const degraded = math(Object.fromEntries(DEGRADED.map(([name, stat]) => [name, [degradedBy(name), stat]])), {
  degraded: `MAX([${DEGRADED.map(([name, , most]) => `FILL(${name}, 0) / ${most}`).join(', ')}])`,
});

const alarmsOf = (functions: string[]): Alarm[] => [
  ...OBJECTIVES,
  {
    name: 'self-check',
    pages: true,
    description: 'The self-check failed or did not run.',
    measured: { ...statOf(ofService('self_check_failures'), 'Maximum', 60), TreatMissingData: 'breaching' },
    threshold: 1,
    // A check that starts late leaves a minute without a value, and rotating the key can fail one check.
    periods: [3, 5],
  },
  {
    name: 'self-check-disabled',
    description: 'The self-check has no API key, so it checks nothing, and cannot page.',
    measured: { ...statOf(ofService('self_check_is_enabled'), 'Maximum'), ComparisonOperator: 'LessThanThreshold' },
    threshold: 1,
    periods: [12, 12],
  },
  {
    // One in a hundred, of 60 a minute and more. A minute's log lines may arrive in the next one, so two minutes count.
    name: 'member-check-throttles',
    pages: true,
    description: 'API Gateway throttled member checks with 429: tills or a flood exceeded the limit of the route.',
    measured: ratio(MEMBER_CHECK_THROTTLES, 0.01, 60, 60),
    threshold: 1,
    periods: FILLED,
  },
  {
    // 500 a second for five minutes. The requests cost $80 a day.
    name: 'flood',
    pages: true,
    description: 'A flood of requests without a valid API key: it costs, and may use up the limits of routes.',
    measured: statOf(ofService('authentication_failures')),
    threshold: 150_000,
  },
  {
    name: 'function-errors',
    description:
      'API Gateway returned a 5xx response: a function crashed, timed out or was throttled. Handlers catch all other errors, so even one is a bug.',
    measured: statOf(ofApi('5xx')),
    threshold: 1,
  },
  {
    name: 'server-errors',
    description: 'Requests failed with 400 server_error, on any route, the console included.',
    measured: statOf(ofService('server_errors'), 'Sum', 3600),
    threshold: 3,
  },
  // Two alarms, because an alarm can have at most ten metrics, and each kind has one of the table and of each index.
  ...(['Read', 'Write'] as const).map(
    (kind): Alarm => ({
      // The SDK retries them. If that does not help, requests fail, and their alarms page.
      name: 'table-throttles',
      part: `${kind.toLowerCase()}s`,
      description: `DynamoDB throttled ${kind.toLowerCase()}s of the table or an index.`,
      measured: combined(ofTableAndIndexes(`${kind}ThrottleEvents`), 'SUM'),
      threshold: 50,
      periods: FILLED,
    }),
  ),
  {
    // A lower bound: AWS may omit access logs of excessive 429s ("Monitor HTTP APIs").
    name: 'api-throttles',
    description: 'API Gateway throttled requests with 429: they exceeded the limit of the stage or of a route.',
    measured: statOf(ofService('api_throttles')),
    threshold: 20,
  },
  {
    name: 'authentication-failures',
    description: 'Many requests had no valid API key: a key has expired or was revoked, or somebody is trying keys.',
    measured: statOf(ofService('authentication_failures')),
    threshold: 100,
  },
  {
    name: 'degraded',
    description:
      'Something works with less: a branch list is not ranked, rate limits are not counted, a secret is not fetched again, last member checks or refused requests are not stored, webhooks are not woken, their worker fails, or a clock is off.',
    measured: degraded,
    threshold: 1,
    periods: FILLED,
  },
  {
    // Urgent: what is not copied within 24 hours has left the stream.
    name: 'record-copy',
    pages: true,
    description: "A change of the operator's record was not copied for an hour. After a day it is lost to the copy.",
    measured: statOf(ofFunction('IteratorAge', 'keepRecord'), 'Maximum'),
    threshold: 3_600_000,
  },
  {
    // A message arrives 25 s after its event. What the servers of partners do is in the other queue.
    name: 'webhook-delay',
    pages: true,
    description: 'Deliveries to webhooks whose servers respond are late, for 15 minutes.',
    measured: statOf(ofQueue('ApproximateAgeOfOldestMessage', 'webhook-queue'), 'Maximum'),
    threshold: 300,
    periods: [3, 3],
  },
  ...(functions.some(isOfConsole) ? SIGN_IN_ALARMS : []),
];

/** For stages with an issuer. Those page with which nobody can sign in. */
const SIGN_IN_ALARMS: Alarm[] = [
  {
    name: 'failed-sign-ins',
    description: 'Many sign-ins were refused: people without an invitation, or somebody tampers with sign-ins.',
    measured: statOf(ofService('failed_sign_ins')),
    threshold: 20,
  },
  {
    name: 'issuer-failures',
    pages: true,
    description: 'Nobody can sign in: the issuer does not respond, or it rejects our client.',
    measured: statOf(ofService('issuer_failures')),
    threshold: 3,
  },
  {
    // One a second: whoever signs in meanwhile is refused too.
    name: 'sign-in-throttles',
    pages: true,
    description: 'API Gateway throttled sign-ins with 429: a flood uses up the limit of their routes.',
    measured: statOf(ofService('sign_in_throttles')),
    threshold: 300,
  },
];

/** The share of a ceiling on the table's units that fires the alarm, well before DynamoDB throttles. */
const USAGE_SHARE = 0.5;

/** An alarm for each ceiling in use. The table and each index have the same ceiling, so the maximum counts. */
const usageAlarms = ({ maxReadUnits, maxWriteUnits }: Parameters): Alarm[] =>
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
      description: 'The table or an index uses half of its ceiling. DynamoDB throttles above the ceiling.',
      measured: combined(ofTableAndIndexes(metric), 'MAX'),
      threshold: USAGE_SHARE * unitsPerSecond * PERIOD_SECONDS,
      periods: FILLED,
    }));

/** The logical id, such as `TableUsageReadsAlarm` for `table-usage` with the part `reads`. */
const logicalIdOf = ({ name, part = '' }: Pick<Alarm, 'name' | 'part'>): string =>
  `${[...name.split('-'), part].map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Alarm`;

/** The logical id of the alarm that a failing version of a gradual function fires. */
export const availabilityAlarmOf = (part: string): string => logicalIdOf({ name: 'availability', part });

/** The alarms that page when the traffic is stopped on purpose, as for a restore. Disable their actions meanwhile. */
export const ALARMS_OF_STOPPED_TRAFFIC = ['self-check', 'member-check-throttles', 'webhook-delay'];

const alarmOf = ({ name, part, pages, description, measured, threshold, periods: [count, of] = [1, 1] }: Alarm) => {
  const topic = { Ref: pages ? `\${param:urgentTopic}` : 'NoticeTopic' };
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmName: [STAGE_NAME, name, ...(part ? [part] : [])].join('-'),
      AlarmDescription: `${description} \${param:runbook}#alarm-${name}`,
      AlarmActions: [topic],
      OKActions: [topic],
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      Threshold: threshold,
      DatapointsToAlarm: count,
      EvaluationPeriods: of,
      TreatMissingData: 'notBreaching',
      ...measured,
    },
  };
};

/** The alarms of a stage. Each notifies its topic when it begins and when it ends. */
export const alarms = (limits: Parameters, functions: string[]) => ({
  Resources: Object.fromEntries(
    [...alarmsOf(functions), ...usageAlarms(limits)].map((alarm) => [logicalIdOf(alarm), alarmOf(alarm)]),
  ),
});
