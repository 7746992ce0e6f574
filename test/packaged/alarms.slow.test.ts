import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { ALARMS_OF_STOPPED_TRAFFIC, availabilityAlarmOf } from '../../infra/stack/template/alarms.ts';
import { ENDPOINTS, GRADUAL, INDEXES, logicalId, OPERATIONS } from '../../infra/stack/template/definitions.ts';
import { SLOS } from '../../infra/stack/template/slos.ts';
import { type Resource, resourceOf, type Template } from '../../infra/stack/template/template.ts';
import { METRICS } from '../../lib/base/metrics.ts';
import { EVERY_OPTION, templateOf } from './packaging.ts';
import { isAwsMetric } from './spec.ts';

/*
 * The alarms and the dashboard of prod with a console, beside their runbooks in docs/operations.md.
 */

let template: Template;
beforeAll(async () => {
  template = await templateOf('prod', EVERY_OPTION);
});

const NAME = 'acquirer-partner-api-prod';
const GUIDE = readFileSync('docs/operations.md', 'utf8');

/** The rows of the guide's table of alarms: whether they page. */
const RUNBOOKS = new Map(
  [...GUIDE.matchAll(/^\| \[([\w-]+)\]\(#alarm-\1\) \| (yes|no|tills) \|/gm)].map(([, name = '', pages]) => [
    name,
    pages,
  ]),
);

interface Metric {
  Namespace: string;
  MetricName: string;
  Dimensions?: { Name: string; Value: string | { Ref: string } }[];
}

const all = (): Resource[] => Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm');
const runbookOf = ({ Properties }: Resource): string =>
  /#alarm-([\w-]+)$/.exec(Properties.AlarmDescription)?.[1] as string;
const isUrgent = ({ Properties }: Resource): boolean => Properties.AlarmActions[0].Ref === 'PageTopic';

const metricsOf = ({ Properties }: Resource): Metric[] =>
  Properties.Metrics
    ? Properties.Metrics.flatMap(({ MetricStat }: { MetricStat?: { Metric: Metric } }) => MetricStat?.Metric ?? [])
    : [Properties];

/** The metrics of the filters of the access log. */
const OF_ACCESS_LOG = ['api_throttles', 'member_check_throttles', 'sign_in_throttles'];

/** Whether a metric has a source: our log lines, the filters of the access log, or AWS. */
function hasSource({ Namespace, MetricName, Dimensions = [] }: Metric): boolean {
  const dimensions = Dimensions.map(({ Name }) => Name);
  if (Namespace !== NAME) return isAwsMetric(Namespace, MetricName, dimensions);
  const isOfRoute = MetricName === 'server_errors' && `${dimensions}` === 'route';
  return (dimensions.length === 0 || isOfRoute) && [...Object.keys(METRICS), ...OF_ACCESS_LOG].includes(MetricName);
}

/** The metric of a line of the dashboard, such as `[namespace, name, dimension, value, { stat }]`. */
function metricOfLine(line: (string | object)[]): Metric {
  const [Namespace = '', MetricName = '', ...others] = line.filter((part) => typeof part === 'string');
  const Dimensions = others.flatMap((Name, at) => (at % 2 === 0 ? [{ Name, Value: others[at + 1] ?? '' }] : []));
  return { Namespace, MetricName, Dimensions };
}

/** What pages although it is no ratio: a missing heartbeat, what is late, and requests of strangers. */
const NO_RATIO = ['self-check', 'record-copy', 'webhook-delay', 'flood', 'issuer-failures', 'sign-in-throttles'];

describe('the alarms', () => {
  test('are at most 25, on metrics that cost at most $8 a month', () => {
    const metrics = all().flatMap(metricsOf).length;
    expect(all().length).toBeLessThanOrEqual(25);
    // "Amazon CloudWatch Pricing": $0.10 for each metric of an alarm.
    expect(0.1 * metrics).toBeLessThanOrEqual(8);
    expect(GUIDE).toContain(`| ${all().length} alarms on ${metrics} metrics | ${(0.1 * metrics).toFixed(2)} |`);
  });

  test('have a runbook each, which says whether they page, and name its address', () => {
    expect(new Set(all().map(runbookOf))).toEqual(new Set(RUNBOOKS.keys()));
    for (const alarm of all()) {
      const name = runbookOf(alarm);
      const { AlarmName, AlarmActions, OKActions, AlarmDescription } = alarm.Properties;
      // The pipeline sets the page of the commit that it deploys.
      expect(AlarmDescription.split(' ').at(-1)).toBe(`${EVERY_OPTION.runbook}#alarm-${name}`);
      expect(GUIDE).toContain(`\n### Alarm: ${name}\n`);
      const pages = RUNBOOKS.get(name) === 'yes' || (RUNBOOKS.get(name) === 'tills' && /memberCheck$/.test(AlarmName));
      expect([AlarmName, isUrgent(alarm)]).toEqual([AlarmName, pages]);
      expect(AlarmName).toMatch(new RegExp(`^${NAME}-${name}`));
      expect(OKActions).toEqual(AlarmActions);
    }
  });

  test('watch only metrics with a source, at most ten each, and every count of our log lines is shown', () => {
    for (const alarm of all()) {
      expect(metricsOf(alarm).filter((metric) => !hasSource(metric))).toEqual([]);
      // "Limits that apply to alarms based on metric math expressions".
      expect(metricsOf(alarm).length).toBeLessThanOrEqual(10);
    }
    const { widgets } = JSON.parse(resourceOf(template, 'Dashboard').Properties.DashboardBody['Fn::Sub']) as {
      widgets: { properties: { metrics?: (string | object)[][]; alarms?: string[]; query?: string } }[];
    };
    const shown = widgets
      .flatMap(({ properties }) => properties.metrics ?? [])
      .filter(([namespace]) => typeof namespace === 'string')
      .map(metricOfLine);
    expect(shown.filter((metric) => !hasSource(metric))).toEqual([]);
    const counts = Object.keys(METRICS).filter((name) => METRICS[name as keyof typeof METRICS] === 'Count');
    expect(shown.map(({ MetricName }) => MetricName)).toEqual(expect.arrayContaining(counts));
    expect(widgets.flatMap(({ properties }) => properties.alarms ?? []).length).toBe(all().length);
    const queried = widgets.map(({ properties: { query = '' } }) => [...query.matchAll(/SOURCE '\$\{(\w+)\}' \| /g)]);
    expect(queried.flatMap((groups) => groups.map(([, group]) => group)).sort()).toEqual(
      Object.keys(ENDPOINTS)
        .map((name) => logicalId(name, 'LogGroup'))
        .sort(),
    );
    // "StartQuery", CloudWatch Logs API Reference.
    for (const groups of queried) expect(groups.length).toBeLessThanOrEqual(50);
  });

  test('of the table watch it and every index, and end without values', () => {
    for (const id of ['TableThrottlesReads', 'TableThrottlesWrites', 'TableUsageReads', 'TableUsageWrites']) {
      const alarm = resourceOf(template, `${id}Alarm`);
      const indexes = metricsOf(alarm).map(({ Dimensions = [] }) => Dimensions[1]?.Value);
      expect(indexes).toEqual([undefined, ...INDEXES]);
      expect(alarm.Properties.Metrics.at(-1).Expression).toMatch(/^(SUM|MAX)\(FILL\(METRICS\(\), 0\)\)$/);
    }
  });

  test('of a stopped traffic exist', () => {
    const names = all().map(({ Properties }) => Properties.AlarmName);
    expect(names).toEqual(expect.arrayContaining(ALARMS_OF_STOPPED_TRAFFIC.map((name) => `${NAME}-${name}`)));
  });

  test('page for a self-check that is missing as for one that failed', () => {
    expect(resourceOf(template, 'SelfCheckAlarm').Properties).toMatchObject({
      TreatMissingData: 'breaching',
      DatapointsToAlarm: 3,
      EvaluationPeriods: 5,
      Period: 60,
    });
  });
});

/** The value of an alarm's metric math for so many requests, of which so many missed. */
function ratioOf(alarm: Resource, total: number, missed: number): number {
  const { Expression } = alarm.Properties.Metrics.at(-1);
  const IF = (condition: boolean, then: number, otherwise: number) => (condition ? then : otherwise);
  return new Function('IF', 'total', 'missed', `return ${Expression}`)(IF, total, missed);
}

describe('the alarms that page for requests of partners', () => {
  const paging = () => all().filter((alarm) => isUrgent(alarm) && !NO_RATIO.includes(runbookOf(alarm)));

  test('are ratios with a least number of requests: at night, one client that retries pages nobody', () => {
    expect(paging().length).toBeGreaterThan(5);
    for (const alarm of paging()) {
      const { Threshold, Metrics } = alarm.Properties;
      const minutes = Metrics[0].MetricStat.Period / 60;
      // A request every two seconds, all of which fail, and the four of the self-check.
      expect([runbookOf(alarm), ratioOf(alarm, 34 * minutes, 30 * minutes) < Threshold || minutes > 1]).toEqual([
        runbookOf(alarm),
        true,
      ]);
      expect(ratioOf(alarm, 9 * minutes, 9 * minutes)).toBe(0);
      expect(ratioOf(alarm, 100_000, 2)).toBe(0);
      // All of a busy API fails.
      expect(ratioOf(alarm, 6000, 6000)).toBeGreaterThanOrEqual(Threshold);
    }
  });

  test.each([
    ['AvailabilityAlarm', 0.0143, 0.0145],
    ['AvailabilityMemberCheckAlarm', 0.0071, 0.0073],
    ['AvailabilityCreateBranchAlarm', 0.0143, 0.0145],
    ['SlowBurnAlarm', 0.0059, 0.0061],
    ['LatencyMemberCheckAlarm', 0.143, 0.145],
    ['MemberCheckThrottlesAlarm', 0.009, 0.011],
  ])('%s is silent at a share of %d, and fires at %d', (id, silent, fires) => {
    const alarm = resourceOf(template, id);
    expect(ratioOf(alarm, 100_000, 100_000 * silent)).toBeLessThan(alarm.Properties.Threshold);
    expect(ratioOf(alarm, 100_000, 100_000 * fires)).toBeGreaterThanOrEqual(alarm.Properties.Threshold);
  });

  test('stop the deployment of a gradual function, whose own requests they count', () => {
    for (const name of GRADUAL) {
      const FunctionName = { Name: 'FunctionName', Value: { Ref: logicalId(name, 'LambdaFunction') } };
      const [failed, ...others] = metricsOf(resourceOf(template, availabilityAlarmOf(name)));
      expect(failed?.Dimensions).toEqual([{ Name: 'route', Value: expect.stringMatching(/^POST /) }]);
      expect(others.map(({ MetricName, Dimensions }) => [MetricName, Dimensions])).toEqual(
        ['Errors', 'Throttles', 'Invocations'].map((metric) => [metric, [FunctionName]]),
      );
    }
  });
});

test('the guide has the objectives of every operation of partners', () => {
  expect(Object.keys(SLOS)).toEqual(Object.keys(OPERATIONS));
  for (const [name, { availability, fast, withinMs }] of Object.entries(SLOS)) {
    const row = name === 'memberCheck' ? 'Member checks' : 'Each other operation of partners';
    const share = (value: number) => `${Number((100 * value).toFixed(2))} %`;
    expect(GUIDE).toContain(
      `| ${row} | ${share(availability)} | ${share(fast)} within ${withinMs.toLocaleString('en')} ms |`,
    );
  }
});
