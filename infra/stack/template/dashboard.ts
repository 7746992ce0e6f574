import { ENDPOINTS, isOfConsole, logicalId, QUEUES, STAGE_NAME } from './definitions.ts';
import { sub } from './iam.ts';
import {
  availabilityOf,
  type DimensionValue,
  type Indicator,
  type Metric,
  ofAlias,
  ofApi,
  ofFunction,
  ofQueue,
  ofService,
  ofTable,
  ofTableAndIndexes,
  PERIOD_SECONDS,
  type ServiceMetric,
  within,
} from './metrics.ts';
import { budgetOf, SLO_DAYS, SLOS, sloOf } from './slos.ts';

const region = `\${AWS::Region}`;
/** A third of the width of a dashboard, which is 24. */
const THIRD = 8;

/** A dimension's value within the dashboard's body, which is the text of one `Fn::Sub`. */
const textOf = (value: DimensionValue): string => {
  if (typeof value === 'string') return value;
  return 'Ref' in value ? `\${${value.Ref}}` : value['Fn::Sub'];
};

/** A line of a graph: a metric, and its statistic unless that is the sum. */
type Line = Metric | [metric: Metric, stat: string];

/** A metric as the body of a dashboard has it. */
const lineOf = (line: Line, options: object = {}) => {
  const [{ Namespace, MetricName, Dimensions = [] }, stat] = Array.isArray(line) ? line : [line, 'Sum'];
  const dimensions = Dimensions.flatMap(({ Name, Value }) => [Name, textOf(Value)]);
  return [Namespace, MetricName, ...dimensions, { stat, ...options }];
};

const widget = (type: string, width: number, height: number, properties: object) => ({
  type,
  width,
  height,
  properties,
});

const graph = (title: string, ...lines: Line[]) => {
  const metrics = lines.map((line) => lineOf(line));
  return widget('metric', THIRD, 6, { title, metrics, view: 'timeSeries', region, period: PERIOD_SECONDS });
};

const ofServices = (...names: ServiceMetric[]): Line[] => names.map(ofService);

/** The percentage of the error budget of a route that is left; negative if more was used. Ids begin with `id`. */
function budgetLines(label: string, id: string, { metrics, missed, total }: Indicator, objective: number): unknown[][] {
  const own = (expression: string) =>
    Object.keys(metrics).reduce(
      (text, name) => text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), id + name),
      expression,
    );
  return [
    ...Object.entries(metrics).map(([name, line]) => lineOf(line, { id: id + name, visible: false })),
    [{ label, id, expression: `100 * (1 - (${own(missed)}) / (${own(total)}) / ${budgetOf(objective)})` }],
  ];
}

/** The error budgets of all routes, as one number each, over the days of the objective whatever the dashboard shows. */
const budgets = (of: string, objective: 'availability' | 'fast', indicatorOf: (name: string) => Indicator) =>
  widget('metric', 24, 6, {
    title: `Error budget left of ${of} (%, ${SLO_DAYS} days)`,
    metrics: Object.entries(SLOS).flatMap(([name, slo], at) =>
      budgetLines(name, `r${at}`, indicatorOf(name), slo[objective]),
    ),
    view: 'singleValue',
    setPeriodToTimeRange: true,
    start: `-P${SLO_DAYS}D`,
    region,
    period: PERIOD_SECONDS,
  });

/** The most frequent problems, by route: a query of CloudWatch Logs Insights, which can name at most 50 log groups. */
const problems = (title: string, functions: string[]) => {
  const sources = functions.filter((name) => ENDPOINTS[name]).map((name) => `\${${logicalId(name, 'LogGroup')}}`);
  const query = [
    ...sources.map((group) => `SOURCE '${group}'`),
    'filter status >= 400',
    'stats count(*) as requests by route, code, level',
    'sort requests desc',
    'limit 50',
  ].join(' | ');
  return widget('log', 24, 6, { title, query, view: 'table', region });
};

const widgetsOf = (alarmIds: string[], functions: string[]) => [
  widget('alarm', 24, 3, { title: 'Alarms', alarms: alarmIds.map((id) => `\${${id}.Arn}`) }),
  budgets('availability', 'availability', availabilityOf),
  budgets('latency', 'fast', (name) => within(ofFunction('Duration', name), sloOf(name))),
  graph('Requests', ...['Count', '4xx', '5xx'].map(ofApi), ...ofServices('api_throttles', 'member_check_throttles')),
  graph(
    'Latency (ms)',
    [ofApi('Latency'), 'p50'],
    [ofApi('Latency'), 'p99'],
    [ofService('self_check_list_ms'), 'Maximum'],
    [ofService('self_check_member_check_ms'), 'Maximum'],
    [ofService('self_check_write_ms'), 'Maximum'],
  ),
  graph('Self-check', ofService('self_check_failures'), [ofService('self_check_is_enabled'), 'Minimum']),
  graph('Tills: spillover and concurrency', ofAlias('ProvisionedConcurrencySpilloverInvocations', 'memberCheck'), [
    ofFunction('ConcurrentExecutions', 'memberCheck'),
    'Maximum',
  ]),
  graph('Clock skew (ms)', [ofService('clock_skew_ms'), 'Maximum']),
  graph(
    'Degraded',
    ...ofServices('seal_failures', 'limiter_failures', 'secret_failures', 'delivery_errors'),
    ...ofServices('last_seen_failures', 'refused_requests_not_kept'),
  ),
  graph(
    'Webhooks: age of the oldest message (s)',
    ...Object.keys(QUEUES).map((name): Line => [ofQueue('ApproximateAgeOfOldestMessage', name), 'Maximum']),
  ),
  graph(
    'Server errors, rejected keys, rate limits',
    ...ofServices('server_errors', 'retries_exhausted', 'authentication_failures', 'rate_limited'),
  ),
  ...(functions.some(isOfConsole) ? [graph('Sign-in', ...ofServices('failed_sign_ins', 'issuer_failures'))] : []),
  graph('Table: units', ofTable('ConsumedReadCapacityUnits'), ofTable('ConsumedWriteCapacityUnits')),
  graph(
    'Table: throttles and conflicts',
    ...['ReadThrottleEvents', 'WriteThrottleEvents'].flatMap(ofTableAndIndexes),
    ofTable('TransactionConflict'),
  ),
  graph(
    'Functions: errors and throttles',
    ...['Errors', 'Throttles'].flatMap((metric) => functions.map((name) => ofFunction(metric, name))),
  ),
  graph(
    'Functions: concurrency',
    ...functions.map((name): Line => [ofFunction('ConcurrentExecutions', name), 'Maximum']),
  ),
  problems(
    'Problems and server errors',
    functions.filter((name) => !isOfConsole(name)),
  ),
  ...(functions.some(isOfConsole)
    ? [problems('Problems and server errors of the console', functions.filter(isOfConsole))]
    : []),
];

export const dashboard = (alarmIds: string[], functions: string[]) => ({
  Resources: {
    Dashboard: {
      Type: 'AWS::CloudWatch::Dashboard',
      Properties: {
        DashboardName: STAGE_NAME,
        DashboardBody: sub(JSON.stringify({ widgets: widgetsOf(alarmIds, functions) })),
      },
    },
  },
});
