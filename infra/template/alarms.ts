import type { Ceilings } from './ceilings.ts';
import { isOfConsole, STAGE_NAME } from './definitions.ts';
import {
  availabilityOf,
  type Indicator,
  latencyOf,
  type Metric,
  ofAlias,
  ofApi,
  ofFunction,
  ofService,
  ofTableAndIndexes,
  PERIOD_SECONDS,
} from './metrics.ts';
import { budgetOf, SLOS } from './slos.ts';

/** An alarm that fires when what it measures reaches a threshold. */
interface Alarm {
  /** The name of the alarm and of its section in docs/operations.md. */
  name: string;
  /** Distinguishes alarms with the same name. */
  part?: string;
  /** Whether it pages on-call: partners are affected, it does not resolve by itself, and on-call can act on it. */
  isUrgent: boolean;
  /** What happened, in one sentence or two. */
  description: string;
  /** The properties of the CloudFormation resource that name its metrics, statistics and period. */
  measured: object;
  threshold: number;
  /** How many of how many periods must reach the threshold; default 1 of 1. */
  periods?: [count: number, of: number];
  /** Overrides properties of the CloudFormation resource. */
  properties?: object;
}

const statOf = (metric: Metric, Statistic = 'Sum', Period = PERIOD_SECONDS) => ({ ...metric, Period, Statistic });

/**
 * Combines several metrics. They are filled with 0 where they have no value: without values, CloudWatch keeps an alarm on
 * DynamoDB's metrics in its state, so it would never end ("PutMetricAlarm", `TreatMissingData`).
 */
const combined = (metrics: Metric[], by: 'SUM' | 'MAX') => ({
  Metrics: [
    ...metrics.map((Metric, at) => ({
      Id: `m${at}`,
      MetricStat: { Metric, Period: PERIOD_SECONDS, Stat: 'Sum' },
      ReturnData: false,
    })),
    { Id: by.toLowerCase(), Expression: `${by}(FILL(METRICS(), 0))`, ReturnData: true },
  ],
});

/** Where values are filled in, one more period counts, because the values of the last one may not have arrived yet. */
const FILLED: [count: number, of: number] = [1, 2];

/**
 * How fast a route uses up its error budget: 1 uses it up in exactly the days of the objective. A single miss in a
 * period does not count, unless nothing else was requested. So one failure never fires, however quiet the route.
 */
const burnRate = ({ metrics, missed, total }: Indicator, objective: number, Period: number) => ({
  Metrics: [
    ...Object.entries(metrics).map(([Id, [Metric, Stat]]) => ({
      Id,
      MetricStat: { Metric, Period, Stat },
      ReturnData: false,
    })),
    { Id: 'missed', Expression: missed, ReturnData: false },
    { Id: 'total', Expression: total, ReturnData: false },
    {
      Id: 'burn',
      Expression: `IF((missed > 1.5) || (missed > total - 0.5), missed / total, 0) / ${budgetOf(objective)}`,
      ReturnData: true,
    },
  ],
});

/** A burn rate that fires if enough periods have it. */
interface Burn {
  rate: number;
  seconds: number;
  periods: [count: number, of: number];
}

/**
 * The burn rates of the SRE Workbook, "Alerting on SLOs": 14.4 uses 2 % of the budget in an hour, 6 uses 5 % in six
 * hours. An alarm of CloudWatch has one period, so several periods of a window stand for the workbook's two windows.
 */
const FAST: Burn = { rate: 14.4, seconds: 60, periods: [3, 5] };
/** All three, because a window slides: of more periods, a past failure would touch now two, now three, and page again. */
const SLOW: Burn = { rate: 6, seconds: 3600, periods: [3, 3] };

/** Only tills page by themselves. For all other routes, one alarm over all of them pages ({@link PAGES_OF_ROUTES}). */
const isTill = (name: string): boolean => name === 'memberCheck';

const burnAlarm = (
  alarm: Pick<Alarm, 'name' | 'part' | 'isUrgent' | 'description'>,
  indicator: Indicator,
  objective: number,
  { rate, seconds, periods }: Burn,
): Alarm => ({ ...alarm, measured: burnRate(indicator, objective, seconds), threshold: rate, periods });

const AVAILABILITY = 'Requests of a route failed, at 14.4 times the rate that its objective allows.';
const SLOW_BURN =
  'For hours, requests of a route failed at 6 times the rate that its objective allows, or all of them.';

/** The alarms of each objective. */
const routeAlarms = (): Alarm[] =>
  Object.entries(SLOS).flatMap(([part, slo]) => {
    const isUrgent = isTill(part);
    return [
      burnAlarm(
        { name: 'availability', part, isUrgent, description: AVAILABILITY },
        availabilityOf(part),
        slo.availability,
        FAST,
      ),
      burnAlarm(
        { name: 'slow-burn', part, isUrgent, description: SLOW_BURN },
        availabilityOf(part),
        slo.availability,
        SLOW,
      ),
      burnAlarm(
        {
          name: 'latency',
          part,
          isUrgent,
          description: 'Requests of a route were slow, at 14.4 times the rate that its objective allows.',
        },
        latencyOf(part, slo),
        slo.fast,
        FAST,
      ),
    ];
  });

/** The alarms that page if any route but the tills' has one of this name. When a table fails, all routes have one. */
const PAGES_OF_ROUTES = { availability: AVAILABILITY, 'slow-burn': SLOW_BURN };

const compositeAlarms = () =>
  Object.entries(PAGES_OF_ROUTES).map(([name, description]) => {
    const parts = Object.keys(SLOS).filter((part) => !isTill(part));
    return [
      logicalIdOf({ name }),
      {
        Type: 'AWS::CloudWatch::CompositeAlarm',
        Properties: {
          ...notifies({ name, isUrgent: true, description }),
          AlarmRule: { 'Fn::Sub': parts.map((part) => `ALARM("\${${logicalIdOf({ name, part })}}")`).join(' OR ') },
        },
      },
    ];
  });

const alarmsOf = (functions: string[], memberCheckInstances: number): Alarm[] => [
  {
    name: 'self-check',
    isUrgent: true,
    description: 'The self-check failed or did not run.',
    measured: statOf(ofService('self_check_failures'), 'Maximum', 60),
    threshold: 1,
    // 3 of 5, because a check that starts late leaves a minute without a value, and rotating the key can fail one
    // check.
    periods: [3, 5],
    properties: { TreatMissingData: 'breaching' },
  },
  {
    name: 'self-check-disabled',
    isUrgent: false,
    description: 'The self-check has no API key, so it checks nothing, and cannot page.',
    measured: statOf(ofService('self_check_is_enabled'), 'Maximum'),
    threshold: 1,
    periods: [12, 12],
    properties: { ComparisonOperator: 'LessThanThreshold' },
  },
  {
    // While it is off, each clock is within 2.5 s of the table's (docs/decisions/0034-measure-clocks-and-log-as-lambda-reads.md).
    name: 'clock-skew',
    isUrgent: false,
    description: 'The clock of a function differs from that of DynamoDB by 2 seconds or more.',
    measured: statOf(ofService('clock_skew_ms'), 'Maximum'),
    threshold: 2000,
  },
  {
    // 60 a minute are no burst of tills. A minute's log lines may arrive in the next one, so two minutes count.
    name: 'member-check-throttles',
    isUrgent: true,
    description: 'API Gateway throttled member checks with 429: tills or a flood exceeded the limit of the route.',
    measured: statOf(ofService('member_check_throttles'), 'Sum', 60),
    threshold: 60,
    periods: FILLED,
  },
  {
    // 500 a second for five minutes. The requests cost $80 a day.
    name: 'flood',
    isUrgent: true,
    description: 'A flood of requests without a valid API key: it costs, and may use up the limits of routes.',
    measured: statOf(ofService('authentication_failures')),
    threshold: 150_000,
  },
  {
    name: 'gateway-errors',
    isUrgent: true,
    description: 'API Gateway returned 5xx responses: it cannot invoke a function, or a function crashes.',
    measured: statOf(ofApi('5xx')),
    threshold: 5,
  },
  {
    name: 'function-errors',
    isUrgent: false,
    description:
      'API Gateway returned a 5xx response: a function crashed, timed out or was throttled. Handlers catch all other errors, so even one is a bug.',
    measured: statOf(ofApi('5xx')),
    threshold: 1,
  },
  {
    name: 'server-errors',
    isUrgent: false,
    description: 'Requests failed with 400 server_error, on any route, the console included.',
    measured: statOf(ofService('server_errors'), 'Sum', 3600),
    threshold: 3,
  },
  // Two alarms, because an alarm can have at most ten metrics, and each kind has six: the table's and those of five
  // indexes.
  ...(['Read', 'Write'] as const).map(
    (kind): Alarm => ({
      // The SDK retries them. If that does not help, requests fail, and their alarms page.
      name: 'table-throttles',
      part: `${kind.toLowerCase()}s`,
      isUrgent: false,
      description: `DynamoDB throttled ${kind.toLowerCase()}s of the table or an index.`,
      measured: combined(ofTableAndIndexes(`${kind}ThrottleEvents`), 'SUM'),
      threshold: 50,
      periods: FILLED,
    }),
  ),
  {
    // A lower bound: AWS may omit access logs of excessive 429s ("Monitor HTTP APIs").
    name: 'api-throttles',
    isUrgent: false,
    description: 'API Gateway throttled requests with 429: they exceeded the limit of the stage or of a route.',
    measured: statOf(ofService('api_throttles')),
    threshold: 20,
  },
  ...(memberCheckInstances > 0
    ? [
        {
          name: 'spillover',
          isUrgent: false,
          description: 'Member checks found no warm instance, so tills waited for cold starts.',
          measured: statOf(ofAlias('ProvisionedConcurrencySpilloverInvocations', 'memberCheck')),
          threshold: 50,
        },
      ]
    : []),
  {
    name: 'authentication-failures',
    isUrgent: false,
    description: 'Many requests had no valid API key: a key has expired or was revoked, or somebody is trying keys.',
    measured: statOf(ofService('authentication_failures')),
    threshold: 100,
  },
  {
    name: 'rate-limited',
    isUrgent: false,
    description: 'Acquirers exceeded their rate limits and got 429.',
    measured: statOf(ofService('rate_limited')),
    threshold: 500,
  },
  {
    name: 'limiter-failures',
    isUrgent: false,
    description:
      'Tokens of a rate limit could not be leased: requests are accepted without it, unless leases are throttled.',
    measured: statOf(ofService('limiter_failures')),
    threshold: 5,
  },
  {
    name: 'secret-failures',
    isUrgent: false,
    description:
      'A secret could not be fetched again: processes use the text that they know, and new processes may have none.',
    measured: statOf(ofService('secret_failures')),
    threshold: 3,
  },
  {
    name: 'seal-failures',
    isUrgent: false,
    description: 'A branch list could not be ranked: it is correct, but costs more with each new branch.',
    measured: statOf(ofService('seal_failures')),
    threshold: 1,
  },
  {
    // Urgent: what is not copied within 24 hours has left the stream.
    name: 'record-copy',
    isUrgent: true,
    description: "A change of the operator's record was not copied for an hour. After a day it is lost to the copy.",
    measured: statOf(ofFunction('IteratorAge', 'keepRecord'), 'Maximum'),
    threshold: 3_600_000,
  },
  ...(functions.some(isOfConsole) ? SIGN_IN_ALARMS : []),
];

/** For stages with an issuer. Not urgent: sessions and API keys keep working, and operators need no sign-in. */
const SIGN_IN_ALARMS: Alarm[] = [
  {
    name: 'failed-sign-ins',
    isUrgent: false,
    description: 'Many sign-ins were refused: people without an invitation, or somebody tampers with sign-ins.',
    measured: statOf(ofService('failed_sign_ins')),
    threshold: 20,
  },
  {
    name: 'issuer-failures',
    isUrgent: false,
    description: 'Nobody can sign in: the issuer does not respond, or it rejects our client.',
    measured: statOf(ofService('issuer_failures')),
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
      measured: combined(ofTableAndIndexes(metric), 'MAX'),
      threshold: USAGE_SHARE * unitsPerSecond * PERIOD_SECONDS,
      periods: FILLED,
    }));

/** The logical id, such as `TableUsageReadsAlarm` for `table-usage` with the part `reads`. */
const logicalIdOf = ({ name, part }: Pick<Alarm, 'name' | 'part'>): string =>
  `${[...name.split('-'), part ?? ''].map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Alarm`;

/** The logical id of the alarm that a failing version of a function fires; none without an objective. */
export const availabilityAlarmOf = (name: string): string | undefined =>
  name in SLOS ? logicalIdOf({ name: 'availability', part: name }) : undefined;

/**
 * The alarms that page when the traffic is stopped on purpose, as for a restore. Disable their actions meanwhile.
 */
export const ALARMS_OF_STOPPED_TRAFFIC = ['self-check', 'member-check-throttles'];

/** The properties that every alarm has. */
function notifies({ name, part, isUrgent, description }: Pick<Alarm, 'name' | 'part' | 'isUrgent' | 'description'>) {
  const topic = { Ref: isUrgent ? `\${param:urgentTopic}` : 'NoticeTopic' };
  return {
    AlarmName: [STAGE_NAME, name, ...(part ? [part] : [])].join('-'),
    AlarmDescription: `${description} See docs/operations.md#alarm-${name}`,
    AlarmActions: [topic],
    OKActions: [topic],
  };
}

const alarmOf = (alarm: Alarm) => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: {
    ...notifies(alarm),
    ...alarm.measured,
    ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    Threshold: alarm.threshold,
    DatapointsToAlarm: alarm.periods?.[0] ?? 1,
    EvaluationPeriods: alarm.periods?.[1] ?? 1,
    TreatMissingData: 'notBreaching',
    ...alarm.properties,
  },
});

/** The alarms of a stage. Each notifies its topic when it begins and when it ends. */
export const alarms = (limits: Ceilings, functions: string[], memberCheckInstances: number) => ({
  Resources: Object.fromEntries([
    ...compositeAlarms(),
    ...[...alarmsOf(functions, memberCheckInstances), ...routeAlarms(), ...usageAlarms(limits)].map((alarm) => [
      logicalIdOf(alarm),
      alarmOf(alarm),
    ]),
  ]),
});
