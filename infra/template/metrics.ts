import type { Metric as LoggedMetric } from '../../lib/base/metrics.ts';
import { INDEXES, logicalId, STAGE_NAME } from './definitions.ts';

/** Over how long metrics are added up. */
export const PERIOD_SECONDS = 300;

/** A CloudWatch metric; the value of a dimension is a text or a resource of the template. */
export interface Metric {
  Namespace: string;
  MetricName: string;
  Dimensions?: { Name: string; Value: string | { Ref: string } }[];
}

/** A metric that functions write with their log lines, or that is counted in the access log. */
export const ours = (MetricName: LoggedMetric | 'api_throttles'): Metric => ({ Namespace: STAGE_NAME, MetricName });

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

/** A metric of the table and each of its indexes, which are counted apart. */
export const ofTableAndIndexes = (MetricName: string): Metric[] => {
  const { Dimensions = [], ...table } = ofTable(MetricName);
  return [
    { ...table, Dimensions },
    ...INDEXES.map((Value) => ({ ...table, Dimensions: [...Dimensions, { Name: 'GlobalSecondaryIndexName', Value }] })),
  ];
};
