import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type TableDescription,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  type UpdateTableCommandInput,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { PutParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { SERVICE } from '../../stack/template/definitions.ts';
import { type TableSettings, tableSettingsOf } from './settings.ts';

type Change = [what: string, request: Omit<UpdateTableCommandInput, 'TableName'>];

/** What DescribeTable and UpdateTable have for no ceiling. */
const UNLIMITED = { MaxReadRequestUnits: -1, MaxWriteRequestUnits: -1 };

type Throughput = Pick<TableDescription, 'OnDemandThroughput' | 'WarmThroughput'>;

/** The changes of a table that its settings ask for. DynamoDB takes one at a time, and of indexes only one new one. */
function* changesOf(found: TableDescription, wanted: TableSettings): Generator<Change> {
  const { KMSMasterKeyId } = wanted.SSESpecification;
  const { SSEType, KMSMasterKeyArn } = found.SSEDescription ?? {};
  if (SSEType !== 'KMS' || (KMSMasterKeyId && KMSMasterKeyArn !== KMSMasterKeyId))
    yield ['encryption', { SSESpecification: { Enabled: true, SSEType: 'KMS', KMSMasterKeyId } }];

  const OnDemandThroughput = { ...UNLIMITED, ...wanted.OnDemandThroughput };
  const { WarmThroughput = {} } = wanted;
  // Warm throughput cannot be lowered ("Understanding DynamoDB warm throughput", DynamoDB Developer Guide).
  const isCold = (warm: Record<string, unknown>) =>
    Object.entries(WarmThroughput).some(([name, units]) => Number(warm[name] ?? 0) < units);
  const lackedBy = (each: Throughput) => ({
    ...(!isDeepStrictEqual({ ...UNLIMITED, ...each.OnDemandThroughput }, OnDemandThroughput) && { OnDemandThroughput }),
    ...(isCold({ ...each.WarmThroughput }) && { WarmThroughput }),
  });
  if (Object.keys(lackedBy(found)).length > 0) yield ['throughput of the table', lackedBy(found)];

  const indexes = found.GlobalSecondaryIndexes ?? [];
  const isOf = (name: string | undefined) => (each: { IndexName?: string | undefined }) => each.IndexName === name;
  const updates = indexes
    .filter(({ IndexName }) => wanted.GlobalSecondaryIndexes.some(isOf(IndexName)))
    .map((index) => ({ Update: { IndexName: index.IndexName, ...lackedBy(index) } }))
    .filter(({ Update }) => Object.keys(Update).length > 1);
  if (updates.length > 0) yield ['throughput of indexes', { GlobalSecondaryIndexUpdates: updates }];

  for (const Create of wanted.GlobalSecondaryIndexes.filter(({ IndexName }) => !indexes.some(isOf(IndexName)))) {
    const AttributeDefinitions = wanted.AttributeDefinitions.filter(({ AttributeName }) =>
      Create.KeySchema?.some((each) => each.AttributeName === AttributeName),
    );
    yield [`index ${Create.IndexName}`, { AttributeDefinitions, GlobalSecondaryIndexUpdates: [{ Create }] }];
  }

  const { DeletionProtectionEnabled, StreamSpecification } = wanted;
  if (!found.StreamSpecification?.StreamEnabled)
    yield ['stream', { StreamSpecification: { StreamEnabled: true, ...StreamSpecification } }];
  if (Boolean(found.DeletionProtectionEnabled) !== DeletionProtectionEnabled)
    yield ['deletion protection', { DeletionProtectionEnabled }];
}

/**
 * Gives a table the settings of its stage, and the stage the stream of the table. A restore leaves most of them out ("Restore a
 * table in DynamoDB", DynamoDB Developer Guide), and a restored table is in no stack, so later changes of infra/stack/table.yml and
 * of the stage's parameters reach it only so. A missing index is made, which takes as long as
 * DynamoDB needs to fill it; one that infra/stack/table.yml does not have stays, because an older version may read it.
 *
 * @param pollSeconds The time between two looks at a change.
 * @returns What was changed, apart from what is set each time: recovery, tags, and the stage's stream.
 */
export async function configure(
  client: DynamoDBDocumentClient,
  ssm: SSMClient,
  stage: string,
  TableName: string,
  pollSeconds: number,
): Promise<string[]> {
  const settings = await tableSettingsOf(stage);
  const changed: string[] = [];
  /** Describes the table as soon as it takes changes. */
  const settled = async (): Promise<TableDescription> => {
    for (;;) {
      const { Table = {} } = await client.send(new DescribeTableCommand({ TableName }));
      const { TableStatus, GlobalSecondaryIndexes = [] } = Table;
      if ([TableStatus, ...GlobalSecondaryIndexes.map((each) => each.IndexStatus)].every((each) => each === 'ACTIVE'))
        return Table;
      await sleep(pollSeconds * 1000);
    }
  };
  const { PointInTimeRecoverySpecification, TimeToLiveSpecification, Tags } = settings;
  await client.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (!/^ENABL/.test(TimeToLiveDescription?.TimeToLiveStatus ?? '')) {
    await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
    changed.push('time to live');
  }
  for (const [what, request] of changesOf(await settled(), settings)) {
    await client.send(new UpdateTableCommand({ TableName, ...request }));
    await settled();
    changed.push(what);
  }
  const { TableArn: ResourceArn, LatestStreamArn: Value } = await settled();
  await client.send(new TagResourceCommand({ ResourceArn, Tags }));
  // From here, the template of the API takes the stream whose changes keepRecord copies.
  const Name = `/${SERVICE}-${stage}/${TableName}/stream`;
  await ssm.send(new PutParameterCommand({ Name, Value, Type: 'String', Overwrite: true }));
  return changed;
}
