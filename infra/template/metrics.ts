import type { Metric as LoggedMetric } from '../../lib/base/metrics.ts';
import { INDEXES, logicalId, STAGE_NAME } from './definitions.ts';

/** The period of all metrics but the self-check's alarm. */
export const PERIOD_SECONDS = 300;

/** A CloudWatch metric. A dimension's value is a string, or a reference to a resource of the template. */
export interface Metric {
  Namespace: string;
  MetricName: string;
  Dimensions?: { Name: string; Value: string | { Ref: string } }[];
}

/** A metric of this service, from the functions' log lines or the access log. */
export const ofService = (MetricName: LoggedMetric | 'api_throttles'): Metric => ({
  Namespace: STAGE_NAME,
  MetricName,
});

/** A metric of the HTTP API. */
export const ofApi = (MetricName: string): Metric => ({
  Namespace: 'AWS/ApiGateway',
  MetricName,
  Dimensions: [{ Name: 'ApiId', Value: { Ref: 'HttpApi' } }],
});

/** A metric of a function. */
export const ofFunction = (MetricName: string, name: string): Metric => ({
  Namespace: 'AWS/Lambda',
  MetricName,
  Dimensions: [{ Name: 'FunctionName', Value: { Ref: logicalId(name, 'LambdaFunction') } }],
});

/** A metric of the table. */
export const ofTable = (MetricName: string): Metric => ({
  Namespace: 'AWS/DynamoDB',
  MetricName,
  Dimensions: [{ Name: 'TableName', Value: `\${param:table}` }],
});

/** A metric of the table and of each index, which DynamoDB counts separately. */
export const ofTableAndIndexes = (MetricName: string): Metric[] => {
  const { Dimensions = [], ...table } = ofTable(MetricName);
  return [
    { ...table, Dimensions },
    ...INDEXES.map((Value) => ({ ...table, Dimensions: [...Dimensions, { Name: 'GlobalSecondaryIndexName', Value }] })),
  ];
};
