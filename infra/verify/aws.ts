import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  type AlarmType,
  CloudWatchClient,
  DescribeAlarmsCommand,
  GetMetricDataCommand,
  type Metric,
} from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { Stop } from '../admin/stop.ts';
import { SERVICE } from '../template/definitions.ts';
import { awaited, linesIn } from './logs.ts';
import type { Logs } from './verify.ts';

/*
 * What a run reads of AWS beside the API and the table. `ACTIONS` lists every action of it.
 */

/** The IAM actions of a run beside those of the operator's tool, by what they are for. docs/operations.md#verify-a-stage. */
export const ACTIONS = {
  /** On the stage's stack. */
  stack: ['cloudformation:DescribeStacks'],
  /** On the log groups of the stage's functions. */
  logs: ['logs:FilterLogEvents'],
  /** On everything: they have no resource level ("Actions, resources, and condition keys for Amazon CloudWatch"). */
  metrics: ['cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricData'],
  /** On the probe role of the stage (infra/template/probe.ts). */
  probe: ['sts:AssumeRole'],
} as const;

/** Returns the outputs of a stage's stack by name. || @throws Stop if there is no such stack. */
export async function outputsOf(stage: string): Promise<Record<string, string>> {
  const StackName = `${SERVICE}-${stage}`;
  const { Stacks: [stack] = [] } = await new CloudFormationClient().send(new DescribeStacksCommand({ StackName }));
  const outputs = (stack?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]);
  const found = Object.fromEntries(outputs);
  if (!found['BaseUrl']) throw new Stop(`The stack ${StackName} has no output BaseUrl.`);
  return found;
}

/** How long a log line may take to arrive, and the pause between two looks. FilterLogEvents has a low quota. */
const LOG_LAG_MS = 60_000;
const LOG_PAUSE_MS = 3_000;

/** The most lines of a log that are read. */
const MOST_LINES = 1_000;

/** The log groups of a stage's functions in CloudWatch Logs. */
export function logGroups(stage: string): Logs {
  const client = new CloudWatchLogsClient();
  return {
    linesOf(name, ids, since, isComplete) {
      const conditions = ids.map((id) => `$.request_id = "${id}" || $.requestId = "${id}"`);
      const filterPattern = `{ ${['$.level = "ERROR"', ...conditions].join(' || ')} }`;
      const read = async () => {
        const found: string[] = [];
        let nextToken: string | undefined;
        do {
          const page = await client.send(
            new FilterLogEventsCommand({
              logGroupName: `/aws/lambda/${SERVICE}-${stage}-${name}`,
              startTime: since,
              filterPattern,
              nextToken,
            }),
          );
          found.push(...(page.events ?? []).map(({ message = '' }) => message));
          nextToken = page.nextToken;
        } while (nextToken && found.length < MOST_LINES);
        return linesIn(found.map((line) => line.trim()).join('\n'));
      };
      return awaited(read, isComplete, LOG_LAG_MS, LOG_PAUSE_MS);
    },
  };
}

/** An alarm as it is deployed. */
export interface DeployedAlarm {
  name: string;
  notifies: boolean;
  state: string;
  /** When its state last changed, in milliseconds since 1970. */
  stateSince: number;
  metrics: Metric[];
}

/** Reads alarms and metrics of CloudWatch. */
export interface Watch {
  alarms: () => Promise<DeployedAlarm[]>;
  /** Returns which metrics have a value since a time, in milliseconds since 1970. */
  haveValues: (metrics: Metric[], since: number) => Promise<boolean[]>;
}

/** The most metrics of one request ("GetMetricData", CloudWatch API Reference). */
const MOST_QUERIES = 500;
const PERIOD_S = 60;

/** The alarms of a stage, and their metrics. */
export function cloudWatch(stage: string): Watch {
  const client = new CloudWatchClient();
  const AlarmTypes: AlarmType[] = ['MetricAlarm', 'CompositeAlarm'];
  return {
    async alarms() {
      const found: DeployedAlarm[] = [];
      let NextToken: string | undefined;
      do {
        const page = await client.send(
          new DescribeAlarmsCommand({ AlarmNamePrefix: `${SERVICE}-${stage}-`, AlarmTypes, NextToken }),
        );
        for (const { AlarmName = '', ActionsEnabled, AlarmActions = [], StateValue = '', ...alarm } of [
          ...(page.MetricAlarms ?? []),
          ...(page.CompositeAlarms ?? []),
        ]) {
          const {
            MetricName,
            Namespace,
            Dimensions,
            Metrics = [],
          } = { MetricName: undefined, ...alarm } as Metric & {
            Metrics?: { MetricStat?: { Metric?: Metric } }[];
          };
          found.push({
            name: AlarmName,
            notifies: Boolean(ActionsEnabled) && AlarmActions.length > 0,
            state: StateValue,
            stateSince: alarm.StateUpdatedTimestamp?.getTime() ?? 0,
            metrics: MetricName
              ? [{ Namespace, MetricName, Dimensions }]
              : Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []),
          });
        }
        NextToken = page.NextToken;
      } while (NextToken);
      return found;
    },
    async haveValues(metrics, since) {
      const found = new Set<string>();
      for (let at = 0; at < metrics.length; at += MOST_QUERIES) {
        const MetricDataQueries = metrics.slice(at, at + MOST_QUERIES).map((each, place) => ({
          Id: `m${at + place}`,
          MetricStat: { Metric: each, Period: PERIOD_S, Stat: 'SampleCount' },
        }));
        let NextToken: string | undefined;
        do {
          const page = await client.send(
            new GetMetricDataCommand({
              MetricDataQueries,
              StartTime: new Date(since - PERIOD_S * 1000),
              EndTime: new Date(Date.now() + PERIOD_S * 1000),
              NextToken,
            }),
          );
          for (const { Id = '', Values = [] } of page.MetricDataResults ?? []) if (Values.length > 0) found.add(Id);
          NextToken = page.NextToken;
        } while (NextToken);
      }
      return metrics.map((_, at) => found.has(`m${at}`));
    },
  };
}
