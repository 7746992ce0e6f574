import { ENDPOINTS, isOfConsole, logicalId, STAGE_NAME } from './definitions.ts';
import {
  availabilityOf,
  type Indicator,
  latencyOf,
  type Metric,
  ofAlias,
  ofApi,
  ofFunction,
  ofService,
  ofTable,
  ofTableAndIndexes,
  PERIOD_SECONDS,
} from './metrics.ts';
import { budgetOf, SLO_DAYS, SLOS, type Slo } from './slos.ts';

const region = `\${AWS::Region}`;
/** A third of the width of a dashboard, which is 24. */
const THIRD = 8;

/** A dimension's value within the dashboard's body, which is the text of one `Fn::Sub`. */
const textOf = (value: NonNullable<Metric['Dimensions']>[number]['Value']): string => {
  if (typeof value === 'string') return value;
  return 'Ref' in value ? `\${${value.Ref}}` : value['Fn::Sub'];
};

/** A metric in a graph. */
const line = ({ Namespace, MetricName, Dimensions = [] }: Metric, stat = 'Sum', options: object = {}) => [
  Namespace,
  MetricName,
  ...Dimensions.flatMap(({ Name, Value }) => [Name, textOf(Value)]),
  { stat, ...options },
];

/** The percentage of the error budget of a route that is left; negative if more was used. Ids begin with `id`. */
function budgetLines(label: string, id: string, { metrics, missed, total }: Indicator, objective: number): unknown[][] {
  const own = (expression: string) =>
    Object.keys(metrics).reduce(
      (text, name) => text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), id + name),
      expression,
    );
  return [
    ...Object.entries(metrics).map(([name, [metric, stat]]) => line(metric, stat, { id: id + name, visible: false })),
    [{ label, id, expression: `100 * (1 - (${own(missed)}) / (${own(total)}) / ${budgetOf(objective)})` }],
  ];
}

/** The error budgets of all routes, as one number each, over the days of the objective whatever the dashboard shows. */
const budgets = (title: string, ofRoute: (name: string, slo: Slo) => [Indicator, objective: number]) =>
  widget('metric', 24, 6, {
    title,
    metrics: Object.entries(SLOS).flatMap(([name, slo], at) => budgetLines(name, `r${at}`, ...ofRoute(name, slo))),
    view: 'singleValue',
    setPeriodToTimeRange: true,
    start: `-P${SLO_DAYS}D`,
    region,
    period: PERIOD_SECONDS,
  });

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

const widgetsOf = (alarmIds: string[], functions: string[]) => [
  widget('alarm', 24, 3, {
    title: 'Alarms',
    alarms: alarmIds.map((id) => `\${${id}.Arn}`),
  }),
  budgets(`Error budget left of availability (%, ${SLO_DAYS} days)`, (name, slo) => [
    availabilityOf(name),
    slo.availability,
  ]),
  budgets(`Error budget left of latency (%, ${SLO_DAYS} days)`, (name, slo) => [latencyOf(name, slo), slo.fast]),
  graph('Requests', [
    line(ofApi('Count')),
    line(ofApi('4xx')),
    line(ofApi('5xx')),
    line(ofService('api_throttles')),
    line(ofService('member_check_throttles')),
  ]),
  graph('Latency (ms)', [
    line(ofApi('Latency'), 'p50'),
    line(ofApi('Latency'), 'p99'),
    ...(['self_check_list_ms', 'self_check_member_check_ms', 'self_check_write_ms'] as const).map((metric) =>
      line(ofService(metric), 'Maximum'),
    ),
  ]),
  graph('Self-check', [line(ofService('self_check_failures')), line(ofService('self_check_is_enabled'), 'Minimum')]),
  graph('Tills: spillover and concurrency', [
    line(ofAlias('ProvisionedConcurrencySpilloverInvocations', 'memberCheck')),
    line(ofFunction('ConcurrentExecutions', 'memberCheck'), 'Maximum'),
  ]),
  graph('Clock skew (ms)', [line(ofService('clock_skew_ms'), 'Maximum')]),
  graph('Degraded', [
    line(ofService('seal_failures')),
    line(ofService('limiter_failures')),
    line(ofService('secret_failures')),
  ]),
  graph('Server errors, rejected keys, rate limits', [
    line(ofService('server_errors')),
    line(ofService('retries_exhausted')),
    line(ofService('authentication_failures')),
    line(ofService('rate_limited')),
  ]),
  ...(functions.some(isOfConsole)
    ? [graph('Sign-in', [line(ofService('failed_sign_ins')), line(ofService('issuer_failures'))])]
    : []),
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
export const dashboard = (alarmIds: string[], functions: string[]) => ({
  Resources: {
    Dashboard: {
      Type: 'AWS::CloudWatch::Dashboard',
      Properties: {
        DashboardName: STAGE_NAME,
        DashboardBody: { 'Fn::Sub': JSON.stringify({ widgets: widgetsOf(alarmIds, functions) }) },
      },
    },
  },
});
