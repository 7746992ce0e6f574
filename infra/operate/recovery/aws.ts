import { setTimeout as sleep } from 'node:timers/promises';
import { ApiGatewayV2Client, GetStageCommand, UpdateStageCommand } from '@aws-sdk/client-apigatewayv2';
import { BackupClient, DescribeRestoreJobCommand, StartRestoreJobCommand } from '@aws-sdk/client-backup';
import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  DisableAlarmActionsCommand,
  EnableAlarmActionsCommand,
} from '@aws-sdk/client-cloudwatch';
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { DeleteFunctionConcurrencyCommand, LambdaClient, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { SSMClient } from '@aws-sdk/client-ssm';
import { table } from '../../../lib/table/client.ts';
import { ALARMS_OF_STOPPED_TRAFFIC } from '../../stack/template/alarms.ts';
import { SERVICE, STAGES } from '../../stack/template/definitions.ts';
import { connectionTo } from '../cli/connection.ts';
import { stackOutput } from '../cli/stackOutput.ts';
import { configure } from './configure.ts';
import type { Limits } from './settings.ts';

/** What a new table is made of: a table at a point in time, or a recovery point of AWS Backup. */
export type Source = Point | Copy;
interface Point {
  from: string;
  at: Date;
}
interface Copy {
  recoveryPoint: string;
  roleArn: string;
}

export type Cloud = ReturnType<typeof awsCloud>;

/**
 * What a recovery does to a stage in AWS. Each call can be repeated.
 *
 * @param client Client of the tables.
 * @param pollSeconds The least time between two looks at an operation.
 */
export function awsCloud(stage: string, client = table, pollSeconds = 5) {
  const api = new ApiGatewayV2Client(connectionTo('APIGATEWAYV2'));
  const backup = new BackupClient(connectionTo('BACKUP'));
  const alarms = new CloudWatchClient(connectionTo('CLOUDWATCH'));
  const lambda = new LambdaClient(connectionTo('LAMBDA'));
  const output = (name: string) => stackOutput(stage, name);
  const apiStage = async () => ({ ApiId: await output('HttpApiId'), StageName: '$default' });

  const described = (TableName: string): Promise<TableDescription | undefined> =>
    client.send(new DescribeTableCommand({ TableName })).then(
      ({ Table }) => Table,
      (error) => {
        if (error instanceof ResourceNotFoundException) return undefined;
        throw error;
      },
    );

  /** What delivers to webhooks. Its queues and its schedule do not pass API Gateway. */
  const deliverer = { FunctionName: `${SERVICE}-${stage}-deliverWebhooks` };

  const alarmNames = ALARMS_OF_STOPPED_TRAFFIC.map((name) => `${SERVICE}-${stage}-${name}`);

  /** Why a table cannot be restored to a point in time, or `found` is not what an earlier run has restored. */
  async function pointFaults({ from, at }: Point, into: string, inUse: string, found: TableDescription | undefined) {
    const table = await described(from);
    const { ContinuousBackupsDescription: { PointInTimeRecoveryDescription: recovery } = {} } = table
      ? await client.send(new DescribeContinuousBackupsCommand({ TableName: from }))
      : {};
    const { EarliestRestorableDateTime: earliest = at, LatestRestorableDateTime: latest = at } = recovery ?? {};
    const { SourceTableArn, RestoreDateTime } = found?.RestoreSummary ?? {};
    const isRestored =
      SourceTableArn?.endsWith(`:table/${from}`) && Math.abs(Number(RestoreDateTime) - Number(at)) < 1000;
    const isNew = table && !found;
    const [point, first, last] = [at, earliest, latest].map((time) => time.toISOString());
    return [
      into === from && '--into must be another table than --from.',
      ![from, into].includes(inUse) && `--from must be the table in use, ${inUse}, not ${from}.`,
      !table && `There is no table ${from}.`,
      table && table.TableStatus !== 'ACTIVE' && `The table ${from} is ${table.TableStatus}.`,
      isNew && recovery?.PointInTimeRecoveryStatus !== 'ENABLED' && `${from} has no point-in-time recovery.`,
      isNew && (at < earliest || at > latest) && `--at must be from ${first} to ${last}, not ${point}.`,
      found &&
        !isRestored &&
        `The table ${into} exists, and was not restored from ${from} at ${point}. Choose another name for --into.`,
    ];
  }

  const copyFault = ({ recoveryPoint }: Copy) => {
    const [region, own] = [recoveryPoint.split(':')[3], STAGES[stage]?.region];
    return region !== own && `--recovery-point must be in the Region of ${stage}, ${own}, not in ${region}.`;
  };

  return {
    /** Says what stands in the way of a restore into a table, beside rights to change something. Only reads. */
    async faults(source: Source, into: string): Promise<string[]> {
      const prefix = `${SERVICE}-${stage}-`;
      const [inUse, found] = await Promise.all([output('TableName'), described(into), this.isClosed()]);
      const faults = [
        !into.startsWith(prefix) && `--into must begin with "${prefix}": the stage's roles may use no other table.`,
        ...('from' in source ? await pointFaults(source, into, inUse, found) : [copyFault(source)]),
      ];
      return faults.filter((each) => typeof each === 'string');
    },
    /** Whether an alarm that stopped traffic fires notifies nobody. */
    async isMuted() {
      const { MetricAlarms = [], CompositeAlarms = [] } = await alarms.send(
        new DescribeAlarmsCommand({ AlarmNames: alarmNames, AlarmTypes: ['MetricAlarm', 'CompositeAlarm'] }),
      );
      return [...MetricAlarms, ...CompositeAlarms].some(({ ActionsEnabled }) => ActionsEnabled === false);
    },
    /** Whether API Gateway answers every request with 429. */
    async isClosed() {
      const { DefaultRouteSettings, RouteSettings = {} } = await api.send(new GetStageCommand(await apiStage()));
      return [DefaultRouteSettings, ...Object.values(RouteSettings)].every((each) => each?.ThrottlingRateLimit === 0);
    },
    /** Closes the API, and before it what delivers to webhooks, so that a closed API says that both are. */
    async close() {
      // "Set reserved concurrency to zero" stops a function until it is removed ("Configuring reserved concurrency").
      await lambda.send(new PutFunctionConcurrencyCommand({ ...deliverer, ReservedConcurrentExecutions: 0 }));
      const stage = await apiStage();
      const { RouteSettings = {} } = await api.send(new GetStageCommand(stage));
      const none = { ThrottlingRateLimit: 0, ThrottlingBurstLimit: 0 };
      const routes = Object.fromEntries(Object.keys(RouteSettings).map((route) => [route, none]));
      await api.send(new UpdateStageCommand({ ...stage, DefaultRouteSettings: none, RouteSettings: routes }));
    },
    async open(limits: Limits) {
      await lambda.send(new DeleteFunctionConcurrencyCommand(deliverer));
      await api.send(new UpdateStageCommand({ ...(await apiStage()), ...limits }));
    },
    /** Turns the actions of the alarms that stopped traffic fires on or off. All others go on to notify. */
    async setAlarmActions(isOn: boolean) {
      const Command = isOn ? EnableAlarmActionsCommand : DisableAlarmActionsCommand;
      await alarms.send(new Command({ AlarmNames: alarmNames }));
    },
    /** `undefined` if there is no such table. */
    async table(name: string) {
      const found = await described(name);
      return found && { isActive: found.TableStatus === 'ACTIVE' };
    },
    /** Starts to restore. The table is there from then on, and active later. */
    async restore(source: Source, into: string) {
      if ('from' in source) {
        await client.send(
          new RestoreTableToPointInTimeCommand({
            SourceTableName: source.from,
            TargetTableName: into,
            RestoreDateTime: source.at,
          }),
        );
        return;
      }
      const { RestoreJobId } = await backup.send(
        new StartRestoreJobCommand({
          RecoveryPointArn: source.recoveryPoint,
          IamRoleArn: source.roleArn,
          ResourceType: 'DynamoDB',
          // "Restore a DynamoDB table", AWS Backup Developer Guide. `configure` sets the stage's key.
          Metadata: { targetTableName: into, encryptionType: 'Default' },
        }),
      );
      // The table is there some time later.
      while (!(await described(into))) {
        const job = await backup.send(new DescribeRestoreJobCommand({ RestoreJobId }));
        if (/^(ABORTED|FAILED)$/.test(job.Status ?? ''))
          throw new Error(`AWS Backup could not restore: ${job.StatusMessage}`);
        await sleep(pollSeconds * 1000);
      }
    },
    /** Gives a table the settings of the stage. Returns what it has changed. */
    configure: (name: string) => configure(client, new SSMClient(connectionTo('SSM')), stage, name, pollSeconds),
    // By the output, which a deployment sets together with the environment of all functions.
    tableInUse: () => output('TableName'),
    /** The status and problem code of a request without an API key. */
    async response() {
      const url = `${await output('BaseUrl')}/ext/api/v1/merchants`;
      const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
      const { code } = (await response.json().catch(() => ({}))) as { code?: string };
      return `${response.status} ${code ?? 'without a code'}`;
    },
  };
}
