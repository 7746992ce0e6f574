import { alarms } from './alarms.ts';
import type { Ceilings } from './ceilings.ts';
import { ENDPOINTS, isOfConsole, logicalId, STAGE_NAME } from './definitions.ts';
import { type Metric, ofApi, ofFunction, ofService, ofTable, ofTableAndIndexes, PERIOD_SECONDS } from './metrics.ts';

const region = `\${AWS::Region}`;
/** A third of the width of a dashboard, which is 24. */
const THIRD = 8;

/** A metric in a graph. */
const line = ({ Namespace, MetricName, Dimensions = [] }: Metric, stat = 'Sum') => [
  Namespace,
  MetricName,
  ...Dimensions.flatMap(({ Name, Value }) => [Name, typeof Value === 'string' ? Value : `\${${Value.Ref}}`]),
  { stat },
];

const widget = (type: string, width: number, height: number, properties: object) => ({
  type,
  width,
  height,
  properties,
});

const graph = (title: string, metrics: unknown[][]) =>
  widget('metric', THIRD, 6, { title, metrics, view: 'timeSeries', region, period: PERIOD_SECONDS });

const problemsQuery = (functions: string[]): string =>
  [
    ...functions.filter((name) => ENDPOINTS[name]).map((name) => `SOURCE '\${${logicalId(name, 'LogGroup')}}'`),
    'filter status >= 400',
    'stats count(*) as requests by route, code, level',
    'sort requests desc',
    'limit 50',
  ].join(' | ');

const widgetsOf = (limits: Ceilings, functions: string[]) => [
  widget('alarm', 24, 3, {
    title: 'Alarms',
    alarms: Object.keys(alarms(limits, functions).Resources).map((name) => `\${${name}.Arn}`),
  }),
  graph('Requests', [line(ofApi('Count')), line(ofApi('4xx')), line(ofApi('5xx')), line(ofService('api_throttles'))]),
  graph('Latency (ms)', [
    line(ofApi('Latency'), 'p50'),
    line(ofApi('Latency'), 'p99'),
    ...(['self_check_list_ms', 'self_check_member_check_ms', 'self_check_write_ms'] as const).map((metric) =>
      line(ofService(metric), 'Maximum'),
    ),
  ]),
  graph('Self-check', [line(ofService('self_check_failures'))]),
  graph('Server errors and rejected keys', [
    line(ofService('server_errors')),
    line(ofService('retries_exhausted')),
    line(ofService('authentication_failures')),
  ]),
  ...(functions.some(isOfConsole)
    ? [graph('Sign-in', [line(ofService('failed_sign_ins')), line(ofService('issuer_failures'))])]
    : []),
  graph('Rate limits', [line(ofService('rate_limited')), line(ofService('limiter_failures'))]),
  graph('Table: units', [line(ofTable('ConsumedReadCapacityUnits')), line(ofTable('ConsumedWriteCapacityUnits'))]),
  graph('Table: throttles and conflicts', [
    ...ofTableAndIndexes('ReadThrottleEvents').map((metric) => line(metric)),
    ...ofTableAndIndexes('WriteThrottleEvents').map((metric) => line(metric)),
    line(ofTable('TransactionConflict')),
  ]),
  graph('Functions: errors and throttles', [
    ...functions.map((name) => line(ofFunction('Errors', name))),
    ...functions.map((name) => line(ofFunction('Throttles', name))),
  ]),
  graph(
    'Functions: concurrency',
    functions.map((name) => line(ofFunction('ConcurrentExecutions', name), 'Maximum')),
  ),
  widget('log', 3 * THIRD, 6, {
    title: 'Problems and server errors',
    query: problemsQuery(functions),
    view: 'table',
    region,
  }),
];

/** The CloudWatch dashboard of a stage. */
export const dashboard = (limits: Ceilings, functions: string[]) => ({
  Resources: {
    Dashboard: {
      Type: 'AWS::CloudWatch::Dashboard',
      Properties: {
        DashboardName: STAGE_NAME,
        DashboardBody: { 'Fn::Sub': JSON.stringify({ widgets: widgetsOf(limits, functions) }) },
      },
    },
  },
});
