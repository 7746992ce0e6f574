import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ApiGatewayV2Client, GetStageCommand, UpdateStageCommand } from '@aws-sdk/client-apigatewayv2';
import { BackupClient, DescribeRestoreJobCommand, StartRestoreJobCommand } from '@aws-sdk/client-backup';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, DisableAlarmActionsCommand, EnableAlarmActionsCommand } from '@aws-sdk/client-cloudwatch';
import {
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { table } from '../../lib/table/client.ts';
import { ALARMS_OF_STOPPED_TRAFFIC } from '../template/alarms.ts';
import { SERVICE } from '../template/definitions.ts';
import type { Cloud, Limits, Source } from './cloud.ts';
import { stackOf } from './stack.ts';

/** What a step waits for at most. */
const MOST_SECONDS = 900;

/** The settings of a table that a restore leaves out ("Restore a table in DynamoDB", DynamoDB Developer Guide). */
interface Settings {
  DeletionProtectionEnabled: boolean;
  PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: boolean };
  TimeToLiveSpecification: { AttributeName: string; Enabled: boolean };
  SSESpecification: { SSEEnabled: boolean; KMSMasterKeyId?: string };
  Tags: { Key: string; Value: string }[];
  OnDemandThroughput?: { MaxReadRequestUnits?: number; MaxWriteRequestUnits?: number };
  StreamSpecification?: { StreamViewType: 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES' };
}

/**
 * A stage in AWS. Needs the Region and the credentials in the environment.
 *
 * @param client Client of the tables.
 * @param pollSeconds The least time between two looks at an operation.
 */
export function awsCloud(stage: string, client = table, pollSeconds = 5): Cloud {
  const clients = {
    api: new ApiGatewayV2Client(),
    backup: new BackupClient(),
    watch: new CloudWatchClient(),
  };
  const stack = stackOf(
    stage,
    new CloudFormationClient(),
    new S3Client(),
    async (name) => {
      const found = await described(name);
      return { Ref: name, Arn: found?.TableArn, StreamArn: found?.LatestStreamArn };
    },
    pollSeconds,
  );

  const apiStage = async () => ({ ApiId: await stack.resource('HttpApi'), StageName: '$default' });

  const described = (TableName: string): Promise<TableDescription | undefined> =>
    client.send(new DescribeTableCommand({ TableName })).then(
      ({ Table }) => Table,
      (error) => {
        if (error instanceof ResourceNotFoundException) return undefined;
        throw error;
      },
    );

  /** One change at a time: DynamoDB refuses another while a table is being updated. */
  const active = (TableName: string) =>
    waitUntilTableExists({ client, minDelay: pollSeconds, maxWaitTime: MOST_SECONDS }, { TableName });

  return {
    async limits() {
      const { DefaultRouteSettings, RouteSettings = {} } = await clients.api.send(
        new GetStageCommand(await apiStage()),
      );
      return { DefaultRouteSettings, RouteSettings } as Limits;
    },
    async setLimits(limits) {
      await clients.api.send(new UpdateStageCommand({ ...(await apiStage()), ...limits }));
    },
    async setAlarmActions(isOn) {
      const AlarmNames = ALARMS_OF_STOPPED_TRAFFIC.map((name) => `${SERVICE}-${stage}-${name}`);
      const Command = isOn ? EnableAlarmActionsCommand : DisableAlarmActionsCommand;
      await clients.watch.send(new Command({ AlarmNames }));
    },
    async table(name) {
      const found = await described(name);
      if (!found) return undefined;
      const isActive = found.TableStatus === 'ACTIVE';
      // ItemCount is hours old.
      const isEmpty = isActive && (await client.send(new ScanCommand({ TableName: name, Limit: 1 }))).Count === 0;
      return { isActive, isEmpty };
    },
    async removeEmptyTable(TableName) {
      await client.send(new DeleteTableCommand({ TableName }));
      await waitUntilTableNotExists({ client, minDelay: pollSeconds, maxWaitTime: MOST_SECONDS }, { TableName });
    },
    async restore(source: Source, into) {
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
      const { RestoreJobId } = await clients.backup.send(
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
        const job = await clients.backup.send(new DescribeRestoreJobCommand({ RestoreJobId }));
        if (/^(ABORTED|FAILED)$/.test(job.Status ?? ''))
          throw new Error(`AWS Backup could not restore: ${job.StatusMessage}`);
        await sleep(pollSeconds * 1000);
      }
    },
    async configure(TableName) {
      const { Properties } = await stack.tableDefinition();
      const settings = Properties as Settings;
      const changed: string[] = [];
      const found = (await described(TableName)) as TableDescription;
      const { ContinuousBackupsDescription } = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
      const recovery = ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
      if (recovery !== 'ENABLED') {
        const { PointInTimeRecoverySpecification } = settings;
        await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
        changed.push('point-in-time recovery');
      }
      const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
      if (!/^ENABL/.test(TimeToLiveDescription?.TimeToLiveStatus ?? '')) {
        const { TimeToLiveSpecification } = settings;
        await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
        changed.push('time to live');
      }
      const { OnDemandThroughput, DeletionProtectionEnabled, StreamSpecification } = settings;
      const { KMSMasterKeyId } = settings.SSESpecification;
      if (found.SSEDescription?.SSEType !== 'KMS') {
        const SSESpecification = { Enabled: true, SSEType: 'KMS' as const, KMSMasterKeyId };
        await client.send(new UpdateTableCommand({ TableName, SSESpecification }));
        await active(TableName);
        changed.push('encryption');
      }
      if (OnDemandThroughput && !isDeepStrictEqual(found.OnDemandThroughput, OnDemandThroughput)) {
        await client.send(new UpdateTableCommand({ TableName, OnDemandThroughput }));
        await active(TableName);
        changed.push('ceilings of the table');
      }
      const indexes = (found.GlobalSecondaryIndexes ?? []).filter(
        (index) => OnDemandThroughput && !isDeepStrictEqual(index.OnDemandThroughput, OnDemandThroughput),
      );
      if (indexes.length > 0) {
        const GlobalSecondaryIndexUpdates = indexes.map(({ IndexName }) => ({
          Update: { IndexName, OnDemandThroughput },
        }));
        await client.send(new UpdateTableCommand({ TableName, GlobalSecondaryIndexUpdates }));
        await active(TableName);
        changed.push('ceilings of the indexes');
      }
      if (StreamSpecification && !found.StreamSpecification?.StreamEnabled) {
        const stream = { StreamEnabled: true, StreamViewType: StreamSpecification.StreamViewType };
        await client.send(new UpdateTableCommand({ TableName, StreamSpecification: stream }));
        await active(TableName);
        changed.push('stream');
      }
      if (DeletionProtectionEnabled && !found.DeletionProtectionEnabled) {
        await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled }));
        await active(TableName);
        changed.push('deletion protection');
      }
      await client.send(new TagResourceCommand({ ResourceArn: found.TableArn, Tags: settings.Tags }));
      return [...changed, 'tags'];
    },
    stackTable: () => stack.resource('Table'),
    adopt: (table) => stack.adopt(table),
    // By the output, which a deployment sets together with the environment of all functions.
    tableInUse: async () => (await stack.output('TableName')) ?? '',
    async response() {
      const url = `${await stack.output('BaseUrl')}/ext/api/v1/merchants`;
      const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
      const { code } = (await response.json().catch(() => ({}))) as { code?: string };
      return `${response.status} ${code ?? 'without a code'}`;
    },
  };
}
