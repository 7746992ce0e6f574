import { routeKey } from '../../infra/template/definitions.ts';
import type { Template } from '../../infra/template/template.ts';

/*
 * Evaluates the alarms of a compiled template over minutes of data, as CloudWatch does:
 *
 * - each alarm once a minute, whatever its period, over a window that slides ("Alarm evaluation window", "Limits");
 * - M of N periods, and missing data: of two more periods than N, the most recent N with values count, and the rest is
 *   treated as the alarm says ("Configuring how CloudWatch alarms treat missing data", whose tables retrieve two more);
 * - metric math per period ("Using math expressions with CloudWatch metrics"), as far as the alarms use it: between two
 *   series, a missing value is 0;
 * - composite alarms, at once.
 *
 * Assumptions that AWS documents nowhere: values arrive {@link DELAY_MINUTES} after their minute has ended, and FILL gives
 * values to a series that has none at all, or not (`fillsEmpty`).
 */

/** Minutes between the end of a minute and the arrival of its values, for Lambda's metrics and those of log lines. */
const DELAY_MINUTES = 1;

interface Options {
  /** The first minute to evaluate, so that alarms over hours have their data. */
  from?: number;
  delay?: number;
  fillsEmpty?: boolean;
}

interface Metric {
  Namespace: string;
  MetricName: string;
  Dimensions?: { Name: string; Value: unknown }[];
}
interface MetricQuery {
  Id: string;
  Expression?: string;
  MetricStat?: { Metric: Metric; Period: number; Stat: string };
  ReturnData: boolean;
}

const keys = new WeakMap<Metric, string>();
/** The names of a stage's resources are not resolved, because equal references mean equal names. */
function keyOf(metric: Metric): string {
  const known = keys.get(metric);
  if (known) return known;
  const { MetricName, Dimensions = [] } = metric;
  const key = JSON.stringify([MetricName, ...Dimensions.map(({ Value }) => Value)]);
  keys.set(metric, key);
  return key;
}

/** Values of a minute, each with how often it occurred. */
type Values = [value: number, count: number][];

/** What happened to a function in a minute. */
interface Traffic {
  requests: number;
  /** Requests to which the function responded with `server_error`. */
  failed?: number;
  crashed?: number;
  throttled?: number;
  /** Duration of the slow ones, and how many are slow. All others take 50 ms. */
  slowMs?: number;
  slow?: number;
}

/** The metrics of a stage, by minute. */
export class Metrics {
  readonly #values = new Map<string, Map<number, Values>>();
  readonly #stats = new Map<string, number | undefined>();
  readonly minutes: number;

  /** @param minutes How long the stage is simulated. */
  constructor(minutes: number) {
    this.minutes = minutes;
  }

  /** Adds values of a metric of this service, or of AWS with its dimensions. */
  add(minute: number, MetricName: string, values: Values, dimensions: unknown[] = []): void {
    const key = JSON.stringify([MetricName, ...dimensions]);
    const byMinute = this.#values.get(key) ?? new Map<number, Values>();
    this.#values.set(key, byMinute);
    byMinute.set(minute, [...(byMinute.get(minute) ?? []), ...values]);
  }

  /** Adds the metrics of a function's requests in a minute, as Lambda, API Gateway and our log lines publish them. */
  send(minute: number, name: string, traffic: Traffic): void {
    const { requests, failed = 0, crashed = 0, throttled = 0, slowMs = 0, slow = 0 } = traffic;
    const lambda = [{ Ref: `${name[0]?.toUpperCase()}${name.slice(1)}LambdaFunction` }];
    const invoked = requests - throttled;
    if (invoked > 0) {
      this.add(minute, 'Invocations', [[1, invoked]], lambda);
      const durations: Values = [
        [50, invoked - slow],
        [slowMs, slow],
      ];
      this.add(
        minute,
        'Duration',
        durations.filter(([, count]) => count > 0),
        lambda,
      );
    }
    if (requests > 0) {
      this.add(minute, 'Errors', [[crashed, 1]], lambda);
      this.add(minute, 'Throttles', [[throttled, 1]], lambda);
      this.add(minute, '5xx', [[crashed + throttled, 1]], [{ Ref: 'HttpApi' }]);
    }
    if (failed > 0)
      for (const dimensions of [[], [routeKey(name)]]) this.add(minute, 'server_errors', [[1, failed]], dimensions);
  }

  /** A statistic of the minutes from `from` until before `to`; `undefined` without values. */
  stat(metric: Metric, stat: string, from: number, to: number): number | undefined {
    const key = keyOf(metric);
    const byMinute = this.#values.get(key);
    if (!byMinute) return undefined;
    // Windows slide, so most of their periods have been asked for before.
    const asked = [key, stat, from, to].join();
    if (this.#stats.has(asked)) return this.#stats.get(asked);
    const values: Values = [];
    for (let minute = Math.max(from, 0); minute < to; minute++) values.push(...(byMinute.get(minute) ?? []));
    const found = values.length > 0 ? statistic(stat, values) : undefined;
    this.#stats.set(asked, found);
    return found;
  }

  has(metric: Metric): boolean {
    return this.#values.has(keyOf(metric));
  }
}

function statistic(stat: string, values: Values): number {
  const count = (is: (value: number) => boolean) =>
    values.filter(([value]) => is(value)).reduce((sum, [, times]) => sum + times, 0);
  const all = count(() => true);
  if (stat === 'Sum') return values.reduce((sum, [value, times]) => sum + value * times, 0);
  if (stat === 'SampleCount') return all;
  if (stat === 'Maximum') return Math.max(...values.map(([value]) => value));
  const [, bound] = /^PR\(:(\d+)\)$/.exec(stat) ?? [];
  if (!bound) throw new Error(`The simulator does not know the statistic ${stat}.`);
  return (100 * count((value) => value <= Number(bound))) / all;
}

/** Values by period, the latest first; `undefined` where there is none. A number is the same in every period. */
type Series = (number | undefined)[];
type Term = Series | Series[];
interface Context {
  series: Record<string, Series>;
  /** The series that are numbers. Where the other operand has no value, there is no result. */
  numbers: Set<Term>;
  /** The series of metrics, for `METRICS()`. */
  metrics: string[];
  periods: number;
  fillsEmpty: boolean;
}

const TOKENS = /\s*(\d+(?:\.\d+)?|[A-Za-z]\w*|\|\||&&|>=|<=|==|[-+*/<>()[\],])/y;
const OPERATORS: Record<string, (a: number, b: number) => number | undefined>[] = [
  { '||': (a, b) => Number(a !== 0 || b !== 0) },
  { '&&': (a, b) => Number(a !== 0 && b !== 0) },
  {
    '>=': (a, b) => Number(a >= b),
    '<=': (a, b) => Number(a <= b),
    '==': (a, b) => Number(a === b),
    '>': (a, b) => Number(a > b),
    '<': (a, b) => Number(a < b),
  },
  { '+': (a, b) => a + b, '-': (a, b) => a - b },
  // Dividing by 0 gives no value.
  { '*': (a, b) => a * b, '/': (a, b) => (b === 0 ? undefined : a / b) },
];

const isSeriesList = (term: Term): term is Series[] => Array.isArray(term[0]);
const eachOf = (terms: Series[], of: (...values: Series) => number | undefined): Series =>
  (terms[0] ?? []).map((_, at) => of(...terms.map((term) => term[at])));

const over = (of: (...values: number[]) => number) => (_: Context, terms: Term[]) =>
  eachOf(
    terms.flatMap((term) => (isSeriesList(term) ? term : [term])),
    (...values) => {
      const defined = values.filter((value) => value !== undefined);
      return defined.length > 0 ? of(...defined) : undefined;
    },
  );

const FUNCTIONS: Record<string, (context: Context, terms: Term[]) => Term> = {
  METRICS: ({ series, metrics }) => metrics.map((name) => series[name] as Series),
  SUM: over((...values) => values.reduce((sum, value) => sum + value, 0)),
  MAX: over(Math.max),
  FILL: ({ fillsEmpty }, [term = [], by = []]) => {
    const filled = (series: Series) =>
      fillsEmpty || series.some((value) => value !== undefined)
        ? eachOf([series, by as Series], (value, instead) => value ?? instead)
        : series;
    return isSeriesList(term) ? term.map(filled) : filled(term);
  },
  IF: (_, terms) =>
    eachOf(terms as Series[], (is, then = 0, otherwise) => (is === undefined ? undefined : is ? then : otherwise)),
};

/** Evaluates an expression of metric math in every period. */
function evaluate(expression: string, context: Context): Term {
  const tokens: string[] = [];
  TOKENS.lastIndex = 0;
  for (let match = TOKENS.exec(expression); match; match = TOKENS.exec(expression)) tokens.push(match[1] as string);
  const scalar = (value: number): Series => {
    const series = Array.from({ length: context.periods }, () => value);
    context.numbers.add(series);
    return series;
  };
  const expect = (token: string) => {
    const found = tokens.shift();
    if (found !== token) throw new Error(`The simulator expects ${token}, not ${found}, in ${expression}.`);
  };
  const list = (end: string): Term[] => {
    const terms: Term[] = [];
    while (tokens[0] !== end) {
      terms.push(binary(0));
      if (tokens[0] === ',') tokens.shift();
    }
    expect(end);
    return terms;
  };
  function binary(level: number): Term {
    const operators = OPERATORS[level];
    if (!operators) return primary();
    let left = binary(level + 1);
    for (let apply = operators[tokens[0] ?? '']; apply; apply = operators[tokens[0] ?? '']) {
      const of = apply;
      tokens.shift();
      const right = binary(level + 1);
      const isSure = [left, right].some((term) => context.numbers.has(term));
      left = eachOf([left as Series, right as Series], (a, b) =>
        (a === undefined && b === undefined) || (isSure && (a === undefined || b === undefined))
          ? undefined
          : of(a ?? 0, b ?? 0),
      );
    }
    return left;
  }
  function primary(): Term {
    const token = tokens.shift() ?? '';
    if (/^\d/.test(token)) return scalar(Number(token));
    if (token === '[') return list(']') as Series[];
    if (token === '(') {
      const term = binary(0);
      expect(')');
      return term;
    }
    const call = FUNCTIONS[token];
    if (call) {
      expect('(');
      return call(context, list(')'));
    }
    const series = context.series[token];
    if (!series) throw new Error(`The simulator does not know ${token} in ${expression}.`);
    return series;
  }
  const term = binary(0);
  if (tokens.length > 0) throw new Error(`The simulator does not understand ${tokens.join(' ')} in ${expression}.`);
  return term;
}

/** The values of an alarm at the end of a minute, the latest first. */
function valuesOf(properties: Alarm, metrics: Metrics, now: number, periods: number, options: Options): Series {
  const { delay = DELAY_MINUTES, fillsEmpty = true } = options;
  const arrived = now - delay;
  const seriesOf = (metric: Metric, stat: string, seconds: number): Series =>
    Array.from({ length: periods }, (_, at) => {
      const to = now - (at * seconds) / 60;
      return metrics.stat(metric, stat, to - seconds / 60, Math.min(to, arrived));
    });
  if (!properties.Metrics) return seriesOf(properties, properties.Statistic, properties.Period);
  const context: Context = { series: {}, numbers: new Set(), metrics: [], periods, fillsEmpty };
  for (const { Id, MetricStat, Expression = '', ReturnData } of properties.Metrics) {
    if (MetricStat) {
      context.metrics.push(Id);
      context.series[Id] = seriesOf(MetricStat.Metric, MetricStat.Stat, MetricStat.Period);
    } else context.series[Id] = evaluate(Expression, context) as Series;
    if (ReturnData) return context.series[Id] as Series;
  }
  throw new Error('No metric of the alarm is returned.');
}

/**
 * The percentages of error budgets left that the dashboard shows, by the title of the widget and the operation, at the end
 * of the simulated minutes.
 */
export function budgetsLeft({ Resources }: Template, metrics: Metrics): Record<string, Record<string, number>> {
  const { widgets } = JSON.parse(Resources['Dashboard']?.Properties.DashboardBody['Fn::Sub']) as {
    widgets: { properties: { title: string; setPeriodToTimeRange?: boolean; metrics: BudgetLine[] } }[];
  };
  return Object.fromEntries(
    widgets
      .filter(({ properties }) => properties.setPeriodToTimeRange)
      .map(({ properties }) => {
        const context: Context = { series: {}, numbers: new Set(), metrics: [], periods: 1, fillsEmpty: true };
        const left: Record<string, number> = {};
        for (const line of properties.metrics) {
          const options = line.at(-1) as { id: string; stat: string; label: string; expression?: string };
          if (options.expression)
            left[options.label] = (evaluate(options.expression, context) as number[])[0] as number;
          else context.series[options.id] = [metrics.stat(metricOf(line), options.stat, 0, metrics.minutes)];
        }
        return [properties.title, left];
      }),
  );
}

/** A line of a widget: a metric with its dimensions, or an expression. */
type BudgetLine = (string | object)[];

/** The metric of a line, with references as in the alarms. */
function metricOf(line: BudgetLine): Metric {
  const [Namespace = '', MetricName = '', ...others] = line.filter((part) => typeof part === 'string');
  const values = others.filter((_, at) => at % 2 === 1);
  const Dimensions = values.map((value) => {
    const [, Ref] = /^\$\{(\w+)\}$/.exec(value) ?? [];
    return { Name: '', Value: Ref ? { Ref } : value };
  });
  return { Namespace, MetricName, Dimensions };
}

interface Alarm extends Metric {
  Metrics?: MetricQuery[];
  Statistic: string;
  Period: number;
  Threshold: number;
  ComparisonOperator: 'GreaterThanOrEqualToThreshold' | 'LessThanThreshold';
  DatapointsToAlarm: number;
  EvaluationPeriods: number;
  TreatMissingData: 'breaching' | 'notBreaching';
}

/** CloudWatch retrieves more periods than it evaluates, and prefers those with values. */
const MORE_PERIODS = 2;

function isBreaching(alarm: Alarm, metrics: Metrics, now: number, options: Options): boolean {
  const { EvaluationPeriods, DatapointsToAlarm, Threshold, ComparisonOperator, TreatMissingData } = alarm;
  const values = valuesOf(alarm, metrics, now, EvaluationPeriods + MORE_PERIODS, options);
  const known = values.filter((value) => value !== undefined).slice(0, EvaluationPeriods);
  const breaching = known.filter((value) =>
    ComparisonOperator === 'LessThanThreshold' ? value < Threshold : value >= Threshold,
  ).length;
  const missing = TreatMissingData === 'breaching' ? EvaluationPeriods - known.length : 0;
  return breaching + missing >= DatapointsToAlarm;
}

/** An alarm that began, by its logical id: the minute at whose end, and the topic that it notifies. */
export interface Fired {
  alarm: string;
  minute: number;
  isUrgent: boolean;
}

/** Simulates all alarms of a template, which have been off before. */
export function fired({ Resources }: Pick<Template, 'Resources'>, metrics: Metrics, options: Options = {}): Fired[] {
  const { from = 0 } = options;
  const found: Fired[] = [];
  const on = new Set<string>();
  const alarms = Object.entries(Resources).filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm');
  const relevant = alarms.filter(
    ([, { Properties }]) =>
      Properties.TreatMissingData === 'breaching' ||
      (Properties.Metrics ?? [{ MetricStat: { Metric: Properties } }]).some(
        ({ MetricStat }: MetricQuery) => MetricStat && metrics.has(MetricStat.Metric),
      ),
  );
  const composites = Object.entries(Resources).filter(([, { Type }]) => Type === 'AWS::CloudWatch::CompositeAlarm');
  const set = (alarm: string, isOn: boolean, minute: number) => {
    if (isOn && !on.has(alarm)) {
      const [{ Ref = '' } = {}] = Resources[alarm]?.Properties.AlarmActions ?? [];
      found.push({ alarm, minute, isUrgent: Ref === 'PageTopic' });
    }
    if (isOn) on.add(alarm);
    else on.delete(alarm);
  };
  for (let minute = from; minute < metrics.minutes; minute++) {
    for (const [id, { Properties }] of relevant)
      set(id, isBreaching(Properties as Alarm, metrics, minute + 1, options), minute);
    for (const [id, { Properties }] of composites) {
      const children = [...(Properties.AlarmRule['Fn::Sub'] as string).matchAll(/ALARM\("\$\{(\w+)\}"\)/g)];
      set(
        id,
        children.some(([, child = '']) => on.has(child)),
        minute,
      );
    }
  }
  return found;
}
