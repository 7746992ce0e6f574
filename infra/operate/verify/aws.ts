import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import type { Outcome as SelfChecked } from '../../../lib/selfCheck/selfCheck.ts';
import { tableName } from '../../../lib/table/client.ts';
import { nameOf } from '../../stack/template/definitions.ts';
import { connectionTo } from '../cli/connection.ts';
import { stackOutput } from '../cli/stackOutput.ts';
import { awaited, hasLine, type Logs, linesIn } from './logs.ts';
import { Failure } from './verify.ts';

/*
 * What only a stage has.
 */

/** Returns the base URL of a stage, from its stack. @throws Stop if it has none. */
export const baseUrlOf = (stage: string): Promise<string> => stackOutput(stage, 'BaseUrl');

/** How long a log line may take to arrive, and the pause between two looks. FilterLogEvents has a low quota. */
const LOG_LAG = { ms: 60_000, pause: 3_000 };

async function eventsOf(logGroupName: string, startTime: number, filterPattern: string): Promise<string> {
  const client = new CloudWatchLogsClient(connectionTo('CLOUDWATCH_LOGS'));
  const lines: string[] = [];
  for await (const { events = [] } of paginateFilterLogEvents({ client }, { logGroupName, startTime, filterPattern }))
    lines.push(...events.map(({ message = '' }) => message.trim()));
  return lines.join('\n');
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

/** A self-check begins each minute, takes at most 50 s (infra/stack/functions.yml), and then its line must arrive. */
const SELF_CHECK_LAG = { ms: 3 * 60_000, pause: 5_000 };

/** A self-check that began after a time passes. It lists, checks a member and changes a terminal over the public URL. */
export async function checkSelfCheck(stage: string, since: number, lag = SELF_CHECK_LAG): Promise<void> {
  const read = async () =>
    linesIn(await eventsOf(`/aws/lambda/${nameOf(stage)}-selfCheck`, since, '"self_check_failures"'))
      .filter(({ timestamp }) => Date.parse(String(timestamp)) >= since)
      .slice(0, 1);
  const [line] = await awaited(read, (lines) => lines.length > 0, lag);
  if (!line) throw new Failure(`no self-check began and ended within ${lag.ms / 1000} s: see the log of selfCheck`);
  if (!line['self_check_is_enabled'])
    throw new Failure(`the self-check is not enabled: npm run operator -- --stage ${stage} self-check enable`);
  const failed = (line['checks'] as SelfChecked[]).filter(({ failure }) => failure !== null);
  if (failed.length > 0) throw new Failure(failed.map(({ check, failure }) => `${check}: ${failure}`).join('; '));
}

/** After so long, an alarm has been evaluated. Where data is missing, no alarm of ours stays without a state. */
const EVALUATED_MS = 15 * 60_000;

/** Every alarm of the stage notifies, and has a state. One page has up to 100 ("DescribeAlarms", CloudWatch API Reference). */
export async function checkAlarms(stage: string): Promise<void> {
  const client = new CloudWatchClient(connectionTo('CLOUDWATCH'));
  const request = new DescribeAlarmsCommand({ AlarmNamePrefix: `${nameOf(stage)}-`, MaxRecords: 100 });
  const { MetricAlarms = [] } = await client.send(request);
  if (MetricAlarms.length === 0) throw new Failure(`the stage ${stage} has no alarms: deploy it again`);
  const faults = MetricAlarms.flatMap((alarm) => {
    if (!alarm.ActionsEnabled || !alarm.AlarmActions?.length)
      return [`the alarm ${alarm.AlarmName} notifies nobody: its actions are disabled`];
    const since = Date.now() - Number(alarm.StateUpdatedTimestamp);
    return alarm.StateValue === 'INSUFFICIENT_DATA' && since > EVALUATED_MS
      ? [`the alarm ${alarm.AlarmName} has had no data for 15 minutes`]
      : [];
  });
  if (faults.length > 0) throw new Failure(faults.join('; '));
}
