import { BackupClient, GetBackupSelectionCommand, ListBackupSelectionsCommand } from '@aws-sdk/client-backup';
import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import {
  CloudWatchClient,
  type CompositeAlarm,
  DescribeAlarmsCommand,
  type MetricAlarm,
} from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { tableName } from '../../../lib/table/client.ts';
import { SERVICE } from '../../stack/template/definitions.ts';
import { connectionTo } from '../cli/connection.ts';
import { stackOutput } from '../cli/stackOutput.ts';
import { awaited, hasLine, type Logs, linesIn } from './logs.ts';
import { Failure, Skipped } from './verify.ts';

/*
 * What only a stage has.
 */

const cloudWatch = () => new CloudWatchClient(connectionTo('CLOUDWATCH'));

/** The beginning of the names of all that a stage has, and the name of the stack with its API. */
const nameOf = (stage: string): string => `${SERVICE}-${stage}`;

/** Returns the base URL of a stage, from its stack. @throws Stop if it has none. */
export const baseUrlOf = (stage: string): Promise<string> => stackOutput(stage, 'BaseUrl');

async function allOf<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const page of pages) found.push(page);
  return found;
}

async function resourcesOf(StackName: string, types: RegExp): Promise<string[]> {
  const client = new CloudFormationClient(connectionTo('CLOUDFORMATION'));
  const pages = await allOf(paginateListStackResources({ client }, { StackName }));
  return pages
    .flatMap(({ StackResourceSummaries = [] }) => StackResourceSummaries)
    .filter(({ ResourceType = '' }) => types.test(ResourceType))
    .map(({ PhysicalResourceId = '' }) => PhysicalResourceId);
}

/** How long a log line may take to arrive, and the pause between two looks. FilterLogEvents has a low quota. */
const LOG_LAG = { ms: 60_000, pause: 3_000 };

async function eventsOf(logGroupName: string, startTime: number, filterPattern: string): Promise<string> {
  const client = new CloudWatchLogsClient(connectionTo('CLOUDWATCH_LOGS'));
  const pages = await allOf(paginateFilterLogEvents({ client }, { logGroupName, startTime, filterPattern }));
  return pages.flatMap(({ events = [] }) => events.map(({ message = '' }) => message.trim())).join('\n');
}

export const logGroups = (stage: string, lag = LOG_LAG): Logs => ({
  linesOf(name, requestId, since) {
    const ofRequest = requestId ? ` || $.request_id = "${requestId}"` : '';
    const read = async () =>
      linesIn(await eventsOf(`/aws/lambda/${nameOf(stage)}-${name}`, since, `{ $.level = "ERROR"${ofRequest} }`));
    return awaited(read, hasLine(requestId), lag);
  },
});

/**
 * The operator's record is copied: a change of this run arrives in the log of the record.
 *
 * @param change An id that only this change has.
 */
export async function checkRecord(stage: string, change: string, since: number, lag = LOG_LAG): Promise<void> {
  const group = `/${nameOf(stage)}/record`;
  const found = await awaited(
    () => eventsOf(group, since, `"${change}"`),
    (text) => text !== '',
    lag,
  );
  if (found) return;
  const errors = await eventsOf(`/aws/lambda/${nameOf(stage)}-keepRecord`, since, '?ERROR ?error');
  const reason =
    errors.split('\n')[0] ||
    `its log has no error, so its event source mapping is disabled or does not read the stream of ${tableName()}`;
  throw new Failure(
    `keepRecord has not copied a change of the operator's record to ${group} within ${lag.ms / 1000} s: ${reason}`,
  );
}

/** The backup selection names the table in use. */
export async function checkBackup(stage: string): Promise<void> {
  const client = new BackupClient(connectionTo('BACKUP'));
  const [BackupPlanId] = await resourcesOf(`${nameOf(stage)}-data`, /^AWS::Backup::BackupPlan$/);
  if (!BackupPlanId) throw new Skipped('the stage has no backupVault');
  const { BackupSelectionsList = [] } = await client.send(new ListBackupSelectionsCommand({ BackupPlanId }));
  const selected: string[] = [];
  for (const { SelectionId } of BackupSelectionsList) {
    const { BackupSelection } = await client.send(new GetBackupSelectionCommand({ BackupPlanId, SelectionId }));
    selected.push(...(BackupSelection?.Resources ?? []));
  }
  if (!selected.some((arn) => arn.endsWith(`:table/${tableName()}`)))
    throw new Failure(
      `the backup plan selects ${selected.join(', ') || 'nothing'}, not the table in use, ${tableName()}: deploy the stage again`,
    );
}

/** The alarms of a stage: at most 24, and one page has up to 100 ("DescribeAlarms", CloudWatch API Reference). */
async function alarmsOf(stage: string): Promise<(MetricAlarm | CompositeAlarm)[]> {
  const { MetricAlarms = [], CompositeAlarms = [] } = await cloudWatch().send(
    new DescribeAlarmsCommand({
      AlarmNamePrefix: `${nameOf(stage)}-`,
      AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
      MaxRecords: 100,
    }),
  );
  return [...MetricAlarms, ...CompositeAlarms];
}

/** After so long, an alarm has been evaluated. Where data is missing, no alarm of ours stays without a state. */
const EVALUATED_MS = 15 * 60_000;

/** Every alarm of the stack exists, notifies, and has a state. */
export async function checkAlarms(stage: string): Promise<void> {
  const names = await resourcesOf(nameOf(stage), /^AWS::CloudWatch::(Composite)?Alarm$/);
  const deployed = new Map((await alarmsOf(stage)).map((alarm) => [alarm.AlarmName, alarm]));
  if (names.length === 0) throw new Failure(`the stack ${nameOf(stage)} has no alarms: deploy the stage again`);
  const faults = names.flatMap((id) => {
    const name = id.split(':').at(-1) as string;
    const alarm = deployed.get(name);
    if (!alarm) return [`the alarm ${name} does not exist`];
    if (!alarm.ActionsEnabled || !alarm.AlarmActions?.length)
      return [`the alarm ${name} notifies nobody: its actions are disabled`];
    const since = Date.now() - Number(alarm.StateUpdatedTimestamp);
    return alarm.StateValue === 'INSUFFICIENT_DATA' && since > EVALUATED_MS
      ? [`the alarm ${name} has had no data for 15 minutes`]
      : [];
  });
  if (faults.length > 0) throw new Failure(faults.join('; '));
}
