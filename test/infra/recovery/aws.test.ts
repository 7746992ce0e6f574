import { text } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type Served, serve } from '../../../infra/local/serve.ts';
import { awsCloud } from '../../../infra/recovery/aws.ts';
import { limitsOf } from '../../../infra/recovery/limits.ts';
import { FAILOVER_STEPS, RESTORE_STEPS, recover, type Step, Waiting } from '../../../infra/recovery/steps.ts';
import type { Template } from '../../../infra/template/template.ts';
import { templateOf } from '../../packaged/packaging.ts';
import { type FakeStack, startFakeStack } from './fakeStack.ts';

/*
 * The steps of a recovery on a fake account: its tables without items, the API's stage, alarms and backups. A restored table has
 * what AWS documents, and lacks the rest ("Restore a table in DynamoDB", DynamoDB Developer Guide).
 */

const PROD = 'acquirer-partner-api-prod';
const STREAM = { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' };

let template: Template;
beforeAll(async () => {
  template = await templateOf('prod');
});

type Json = Record<string, unknown>;

/** A table as `DescribeTable` returns it, with what other requests return. */
interface FakeTable {
  description: Json & { GlobalSecondaryIndexes: (Json & { IndexName: string })[] };
  recovery: string;
  ttl: string;
  tags: unknown;
  isEmpty: boolean;
}

let tables: Map<string, FakeTable>;
let stage: Json;
let alarms: Map<string, boolean>;
/** The requests that changed something, such as `dynamodb UpdateTable`. */
let changes: [action: string, input: Json][];
/** The status of jobs of AWS Backup. */
let jobStatus: string;

const restored = (name: string): FakeTable => ({
  description: {
    TableName: name,
    TableStatus: 'ACTIVE',
    TableArn: `arn:aws:dynamodb:eu-central-1:123456789012:table/${name}`,
    GlobalSecondaryIndexes: template.Resources['Table']?.Properties.GlobalSecondaryIndexes.map(
      ({ IndexName }: { IndexName: string }) => ({ IndexName, IndexStatus: 'ACTIVE' }),
    ),
  },
  recovery: 'DISABLED',
  ttl: 'DISABLED',
  tags: [],
  isEmpty: false,
});

/** Answers a request, or throws the name of an error. */
const ACTIONS: Record<string, (input: Json & { TableName: string }) => Json> = {
  DescribeTable: ({ TableName }) => ({ Table: tableNamed(TableName).description }),
  DescribeContinuousBackups: ({ TableName }) => ({
    ContinuousBackupsDescription: {
      ContinuousBackupsStatus: 'ENABLED',
      PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: tableNamed(TableName).recovery },
    },
  }),
  DescribeTimeToLive: ({ TableName }) => ({ TimeToLiveDescription: { TimeToLiveStatus: tableNamed(TableName).ttl } }),
  Scan: ({ TableName }) => ({ Count: tableNamed(TableName).isEmpty ? 0 : 1 }),
  DeleteTable({ TableName }) {
    tables.delete(TableName);
    return {};
  },
  RestoreTableToPointInTime({ TargetTableName }) {
    tables.set(String(TargetTableName), restored(String(TargetTableName)));
    stack.tables.add(String(TargetTableName));
    return {};
  },
  UpdateContinuousBackups({ TableName }) {
    tableNamed(TableName).recovery = 'ENABLED';
    return {};
  },
  UpdateTimeToLive({ TableName }) {
    tableNamed(TableName).ttl = 'ENABLED';
    return {};
  },
  UpdateTable({ TableName, GlobalSecondaryIndexUpdates = [], SSESpecification, ...properties }) {
    const { description } = tableNamed(TableName);
    Object.assign(description, properties);
    if (SSESpecification) description['SSEDescription'] = { Status: 'ENABLED', SSEType: 'KMS' };
    for (const { Update } of GlobalSecondaryIndexUpdates as { Update: { IndexName: string } }[])
      Object.assign(
        description.GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === Update.IndexName) ?? {},
        Update,
      );
    return {};
  },
  TagResource({ ResourceArn, Tags }) {
    tableNamed(String(ResourceArn).split('/').at(-1) ?? '').tags = Tags;
    return {};
  },
  DisableAlarmActions: ({ AlarmNames }) => setAlarms(AlarmNames as string[], false),
  EnableAlarmActions: ({ AlarmNames }) => setAlarms(AlarmNames as string[], true),
  'GET stage': () => stage,
  'PATCH stage': ({ defaultRouteSettings, routeSettings }) => {
    Object.assign(stage, { defaultRouteSettings, routeSettings });
    return {};
  },
  'PUT restore-jobs'({ Metadata }) {
    const { targetTableName = '' } = Metadata as Record<string, string>;
    if (jobStatus === 'RUNNING') tables.set(targetTableName, restored(targetTableName));
    return { RestoreJobId: 'job' };
  },
  'GET restore-jobs': () => ({ Status: jobStatus, StatusMessage: 'no permission' }),
};

function tableNamed(name: string): FakeTable {
  const found = tables.get(name);
  if (!found) throw new Error('ResourceNotFoundException');
  return found;
}

function setAlarms(names: string[], isOn: boolean): Json {
  for (const name of names) alarms.set(name, isOn);
  return {};
}

let aws: Served;
let api: Served;
let stack: FakeStack;
const before = { ...process.env };

beforeEach(async () => {
  stack = await startFakeStack(structuredClone(template), new Set([PROD]));
  tables = new Map([[PROD, { ...restored(PROD), recovery: 'ENABLED', ttl: 'ENABLED' }]]);
  Object.assign(tables.get(PROD)?.description ?? {}, { LatestStreamArn: 'arn:stream' });
  alarms = new Map([
    [`${PROD}-self-check`, true],
    [`${PROD}-member-check-throttles`, true],
    [`${PROD}-gateway-errors`, true],
  ]);
  const { DefaultRouteSettings: defaults, RouteSettings: routes } = await limitsOf('prod');
  const small = ({ ThrottlingRateLimit, ThrottlingBurstLimit }: typeof defaults) => ({
    throttlingRateLimit: ThrottlingRateLimit,
    throttlingBurstLimit: ThrottlingBurstLimit,
    detailedMetricsEnabled: false,
  });
  stage = {
    defaultRouteSettings: small(defaults),
    routeSettings: Object.fromEntries(Object.entries(routes).map(([route, limit]) => [route, small(limit)])),
  };
  changes = [];
  jobStatus = 'RUNNING';
  aws = await serve(async (request, response) => {
    const body = JSON.parse((await text(request)) || '{}');
    const path = /restore-jobs|stages/.exec(request.url ?? '')?.[0].replace('stages', 'stage');
    const action = String(request.headers['x-amz-target']?.toString().split('.').at(-1) ?? `${request.method} ${path}`);
    if (!/^(Describe|GET|Scan)/.test(action)) changes.push([action, body]);
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    try {
      response.end(JSON.stringify(ACTIONS[action]?.(body) ?? {}));
    } catch (error) {
      response.writeHead(400).end(JSON.stringify({ __type: (error as Error).message }));
    }
  });
  // The API answers as its stage is limited.
  api = await serve((_, response) => {
    const isClosed = (stage['defaultRouteSettings'] as { throttlingRateLimit: number }).throttlingRateLimit === 0;
    response
      .writeHead(isClosed ? 429 : 401)
      .end(isClosed ? '{"message":"Too Many Requests"}' : '{"code":"invalid_api_key"}');
  });
  stack.template.Outputs['BaseUrl'] = { Value: api.url };
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: aws.url,
    AWS_ENDPOINT_URL_CLOUDFORMATION: stack.url,
    AWS_ENDPOINT_URL_S3: stack.url,
  });
});
afterEach(async () => {
  process.env = { ...before };
  await Promise.all([aws.stop(), api.stop(), stack.stop()]);
});

const SOUND = {
  audit: async () => ({ items: {}, broken: [] }),
  revokeAgain: async () => ({}),
  repeatErasures: async () => ({ listed: 0, members: 0, people: 0 }),
  rehash: async () => undefined,
};

/** Runs steps on the account; returns their lines. */
async function run(steps: Step[], source: Parameters<typeof recover>[1]['source'], into: string, isDryRun = false) {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: aws.url }));
  const lines: string[] = [];
  const recovery = {
    cloud: awsCloud('prod', client, 0.01),
    data: SOUND,
    source,
    into,
    limits: await limitsOf('prod'),
    acceptsViolations: false,
    pollMs: 1,
  };
  await recover(steps, recovery, (line) => lines.push(line), isDryRun);
  return lines;
}

const POINT = { from: PROD, at: new Date('2026-11-20T09:41:00Z') };
const actions = () => changes.map(([action]) => action);
const OnDemandThroughput = { MaxReadRequestUnits: 12_000, MaxWriteRequestUnits: 16_000 };

test('a restore closes the API, gives the table what it lacks, takes it into the stack, and opens the API once it is in use', async () => {
  const into = `${PROD}-2`;
  const waiting = await run(RESTORE_STEPS, POINT, into).catch((error: Error) => error);
  expect(waiting).toBeInstanceOf(Waiting);
  // The self-check fails while traffic is stopped: its alarm would stop a gradual deployment.
  expect(String(waiting)).toContain('npm run deploy -- --stage <stage> --param deployment=AllAtOnce');
  expect(changes.find(([action]) => action === 'RestoreTableToPointInTime')?.[1]).toMatchObject({
    SourceTableName: PROD,
    TargetTableName: into,
    RestoreDateTime: POINT.at.getTime() / 1000,
  });
  const { description, recovery, ttl, tags } = tableNamed(into);
  expect({ recovery, ttl }).toEqual({ recovery: 'ENABLED', ttl: 'ENABLED' });
  expect(tags).toEqual(template.Resources['Table']?.Properties.Tags);
  expect(description).toMatchObject({
    OnDemandThroughput,
    StreamSpecification: STREAM,
    DeletionProtectionEnabled: true,
    SSEDescription: { SSEType: 'KMS' },
  });
  expect(description.GlobalSecondaryIndexes.map((index) => index['OnDemandThroughput'])).toEqual(
    description.GlobalSecondaryIndexes.map(() => OnDemandThroughput),
  );
  expect(stack.template.Resources['Table']?.Properties.TableName).toBe(into);
  expect(stage['defaultRouteSettings']).toMatchObject({ throttlingRateLimit: 0, throttlingBurstLimit: 0 });
  expect(JSON.stringify(stage['routeSettings'])).toMatch(
    /^\{("[^"]+":\{"throttlingBurstLimit":0,"throttlingRateLimit":0\},?)+\}$/,
  );
  expect([...alarms]).toEqual([
    [`${PROD}-self-check`, false],
    [`${PROD}-member-check-throttles`, false],
    [`${PROD}-gateway-errors`, true],
  ]);

  // The deployment.
  Object.assign(stack.template.Outputs['TableName'] ?? {}, { Value: into });
  changes = [];
  const lines = await run(RESTORE_STEPS, POINT, into);
  expect(lines).toContainEqual(expect.stringContaining('Run "cards rehash" 70 minutes after that'));
  // Disabling again and tags are idempotent.
  expect(actions()).toEqual(['DisableAlarmActions', 'TagResource', 'PATCH stage', 'EnableAlarmActions']);
  expect(stage['defaultRouteSettings']).toMatchObject({ throttlingRateLimit: 1000, throttlingBurstLimit: 2000 });
  expect([...alarms.values()]).toEqual([true, true, true]);

  changes = [];
  await run(RESTORE_STEPS, POINT, into);
  expect(actions()).toEqual(['TagResource', 'EnableAlarmActions']);
});

test('a dry run changes nothing', async () => {
  const lines = await run(RESTORE_STEPS, POINT, `${PROD}-2`, true);
  expect(lines).toHaveLength(RESTORE_STEPS.length);
  expect(changes).toEqual([]);
  expect(stack.actions).not.toContain('UpdateStack');
});

const COPY = { recoveryPoint: 'arn:aws:backup:point', roleArn: 'arn:aws:iam::123456789012:role/backup' };

test('a failover replaces the empty table by the copy, under its name, and opens the API', async () => {
  tableNamed(PROD).isEmpty = true;
  await run(FAILOVER_STEPS, COPY, PROD);
  expect(
    actions()
      .filter((each) => /Table$|restore/.test(each))
      .slice(0, 2),
  ).toEqual(['DeleteTable', 'PUT restore-jobs']);
  expect(changes.find(([action]) => action === 'PUT restore-jobs')?.[1]).toMatchObject({
    RecoveryPointArn: COPY.recoveryPoint,
    IamRoleArn: COPY.roleArn,
    ResourceType: 'DynamoDB',
    Metadata: { targetTableName: PROD },
  });
  expect(tableNamed(PROD)).toMatchObject({ recovery: 'ENABLED', ttl: 'ENABLED' });
  expect(stage['defaultRouteSettings']).toMatchObject({ throttlingRateLimit: 1000 });
  expect(stack.actions).not.toContain('UpdateStack');
});

test('a failover never removes a table with items', async () => {
  await run(FAILOVER_STEPS, COPY, PROD);
  expect(actions()).not.toContain('DeleteTable');
});

test('a failover ends with what AWS Backup says if it cannot restore, and leaves the API closed', async () => {
  tableNamed(PROD).isEmpty = true;
  jobStatus = 'FAILED';
  await expect(run(FAILOVER_STEPS, COPY, PROD)).rejects.toThrow('AWS Backup could not restore: no permission');
  expect(stage['defaultRouteSettings']).toMatchObject({ throttlingRateLimit: 0 });
});
