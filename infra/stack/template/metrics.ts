import type { Metric as LoggedMetric } from '../../../lib/base/metrics.ts';
import { INDEXES, LIVE, logicalId, QUEUES, routeKey, STAGE_NAME } from './definitions.ts';
import { sub } from './iam.ts';
import type { Slo } from './slos.ts';

/** The period of all metrics, unless said otherwise. */
export const PERIOD_SECONDS = 300;

/** The metrics of this service: those of log lines, and those of the access log (infra/stack/api.yml). */
export type ServiceMetric = LoggedMetric | 'api_throttles' | 'member_check_throttles' | 'sign_in_throttles';

/** The value of a dimension: a text, or a reference to a resource of the template. */
export type DimensionValue = string | { Ref: string } | { 'Fn::Sub': string };

export interface Metric {
  Namespace: string;
  MetricName: string;
  Dimensions?: { Name: string; Value: DimensionValue }[];
}

const metric = (Namespace: string, MetricName: string, dimensions: Record<string, DimensionValue>): Metric => ({
  Namespace,
  MetricName,
  Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
});

export const ofService = (MetricName: ServiceMetric): Metric => ({ Namespace: STAGE_NAME, MetricName });

export const ofApi = (name: string): Metric => metric('AWS/ApiGateway', name, { ApiId: { Ref: 'HttpApi' } });

/** A metric of a function, of all its versions or of those behind its alias `live`. */
export const ofFunction = (name: string, of: string): Metric =>
  metric('AWS/Lambda', name, { FunctionName: { Ref: logicalId(of, 'LambdaFunction') } });
export const ofAlias = (name: string, of: string): Metric => {
  const id = logicalId(of, 'LambdaFunction');
  return metric('AWS/Lambda', name, { FunctionName: { Ref: id }, Resource: sub(`\${${id}}:${LIVE}`) });
};

export const ofQueue = (name: string, of: string): Metric =>
  metric('AWS/SQS', name, { QueueName: QUEUES[of] as string });

const TableName = `\${param:table}`;

/** A metric of the table, or of the table and of each index, which DynamoDB counts separately. */
export const ofTable = (name: string): Metric => metric('AWS/DynamoDB', name, { TableName });
export const ofTableAndIndexes = (name: string): Metric[] => [
  ofTable(name),
  ...INDEXES.map((index) => metric('AWS/DynamoDB', name, { TableName, GlobalSecondaryIndexName: index })),
];

/** Metrics by the ids that metric math calls them by, with their statistics. */
export type Terms = Record<string, [metric: Metric, stat: string]>;

/** The requests of a route that missed an objective, and all of them, as metric math. */
export interface Indicator {
  metrics: Terms;
  missed: string;
  total: string;
}

/*
 * `SUM([…])` skips series without any value, whether or not FILL gives values to a series that has none. Without
 * requests, the total is 1 so that nothing is divided by 0. Metric math: "Using math expressions with CloudWatch metrics".
 */

/**
 * The requests to the API that failed, of all requests, whatever their route. What a function throws, what exceeds its time
 * and what Lambda throttles is a 5xx response of API Gateway.
 */
export const API_AVAILABILITY: Indicator = {
  metrics: {
    failed: [ofService('server_errors'), 'Sum'],
    broken: [ofApi('5xx'), 'Sum'],
    counted: [ofApi('Count'), 'Sum'],
  },
  missed: 'SUM([FILL(failed, 0), FILL(broken, 0)])',
  total: 'FILL(counted, 1)',
};

/** The member checks that API Gateway throttled, of all. */
export const MEMBER_CHECK_THROTTLES: Indicator = {
  metrics: {
    throttled: [ofService('member_check_throttles'), 'Sum'],
    invoked: [ofFunction('Invocations', 'memberCheck'), 'Sum'],
  },
  missed: 'FILL(throttled, 0)',
  total: 'SUM([FILL(throttled, 0), FILL(invoked, 1)])',
};

/**
 * The requests to a function that failed, of all its requests. Lambda counts throttled requests neither as invocations nor as errors
 * ("Types of metrics for Lambda functions").
 */
export const availabilityOf = (name: string): Indicator => ({
  metrics: {
    failed: [metric(STAGE_NAME, 'server_errors', { route: routeKey(name) }), 'Sum'],
    crashed: [ofFunction('Errors', name), 'Sum'],
    throttled: [ofFunction('Throttles', name), 'Sum'],
    invoked: [ofFunction('Invocations', name), 'Sum'],
  },
  missed: 'SUM([FILL(failed, 0), FILL(crashed, 0), FILL(throttled, 0)])',
  total: 'SUM([FILL(invoked, 1), FILL(throttled, 0)])',
});

/** The values of a duration that were longer than an objective. `PR(:500)` is the percentage of values up to 500. */
export const within = (metric: Metric, { withinMs }: Slo): Indicator => ({
  metrics: { counted: [metric, 'SampleCount'], within: [metric, `PR(:${withinMs})`] },
  missed: 'FILL(counted, 0) * (100 - FILL(within, 100)) / 100',
  total: 'FILL(counted, 1)',
});
