import { text } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Served, serve } from '../../../../infra/local/serve.ts';
import { awsCloud } from '../../../../infra/operate/recovery/aws.ts';
import { limitsOf, type TableSettings, tableSettingsOf } from '../../../../infra/operate/recovery/settings.ts';
import {
  CONFIGURE,
  FAILOVER_STEPS,
  RESTORE_STEPS,
  recover,
  type Step,
  Waiting,
} from '../../../../infra/operate/recovery/steps.ts';
import { templatesOf } from '../../../packaged/packaging.ts';

/*
 * The steps of a recovery on a fake account: its tables without items, the API's stage, alarms, parameters and backups.
 * A restored table has what AWS documents, and lacks the rest ("Restore a table in DynamoDB", DynamoDB Developer
 * Guide).
 */

const PROD = 'acquirer-partner-api-prod';
const NEW = `${PROD}-2`;
const POINT = { from: PROD, at: new Date('2026-11-20T09:41:00Z') };
const COPY = { recoveryPoint: 'arn:aws:backup:point', roleArn: 'arn:aws:iam::123456789012:role/backup' };

type Json = Record<string, unknown>;
type Index = Json & { IndexName: string };

/** A table as `DescribeTable` returns it, and what other requests return. */
interface FakeTable {
  description: Json & { GlobalSecondaryIndexes: Index[] };
  recovery?: string;
  ttl?: string;
  tags?: unknown;
}

let settings: TableSettings;
let tables: Map<string, FakeTable>;
let parameters: Map<unknown, unknown>;
let outputs: Record<string, string>;
let stage: Json;
/** The alarms whose actions are off. */
let muted: unknown[];
/** The requests that changed something. */
let changes: [action: string, input: Json][];
/** The status of jobs of AWS Backup. */
let jobStatus: string;
let aws: Served;

const restored = (name: string): FakeTable => ({
  description: {
    TableName: name,
    TableStatus: 'ACTIVE',
    TableArn: `arn:aws:dynamodb:eu-central-1:123456789012:table/${name}`,
    GlobalSecondaryIndexes: settings.GlobalSecondaryIndexes.map(({ IndexName = '' }) => ({
      IndexName,
      IndexStatus: 'ACTIVE',
    })),
  },
});

function tableNamed(name: unknown): FakeTable {
  const found = tables.get(String(name).split('/').at(-1) as string);
  if (!found) throw new Error('ResourceNotFoundException');
  return found;
}

/** Responds to a request, or throws the name of an error. */
const ACTIONS: Record<string, (input: Json) => unknown> = {
  DescribeTable: ({ TableName }) => ({ Table: tableNamed(TableName).description }),
  DescribeTimeToLive: ({ TableName }) => ({ TimeToLiveDescription: { TimeToLiveStatus: tableNamed(TableName).ttl } }),
  RestoreTableToPointInTime: ({ TargetTableName: name }) => tables.set(String(name), restored(String(name))),
  UpdateContinuousBackups: ({ TableName }) => Object.assign(tableNamed(TableName), { recovery: 'ENABLED' }),
  UpdateTimeToLive: ({ TableName }) => Object.assign(tableNamed(TableName), { ttl: 'ENABLED' }),
  TagResource: ({ ResourceArn, Tags }) => Object.assign(tableNamed(ResourceArn), { tags: Tags }),
  UpdateTable({ TableName, GlobalSecondaryIndexUpdates = [], SSESpecification, AttributeDefinitions: _, ...others }) {
    const { description } = tableNamed(TableName);
    Object.assign(description, others);
    if (SSESpecification) description['SSEDescription'] = { Status: 'ENABLED', SSEType: 'KMS' };
    if (others['StreamSpecification']) description['LatestStreamArn'] = `${description['TableArn']}/stream/1`;
    const indexes = description.GlobalSecondaryIndexes;
    for (const { Create, Update } of GlobalSecondaryIndexUpdates as { Create?: Index; Update?: Index }[])
      if (Create) indexes.push({ ...Create, IndexStatus: 'ACTIVE' });
      else Object.assign(indexes.find(({ IndexName }) => IndexName === Update?.IndexName) ?? {}, Update);
  },
  PutParameter: ({ Name, Value }) => parameters.set(Name, Value),
  DisableAlarmActions: ({ AlarmNames }) => (muted = AlarmNames as unknown[]),
  EnableAlarmActions: ({ AlarmNames }) => (muted = muted.filter((each) => !(AlarmNames as unknown[]).includes(each))),
  'GET stage': () => stage,
  'PATCH stage': (limits) => (stage = limits),
  'PUT restore-jobs'({ Metadata }) {
    const { targetTableName = '' } = Metadata as Record<string, string>;
    if (jobStatus === 'RUNNING') tables.set(targetTableName, restored(targetTableName));
    return { RestoreJobId: 'job' };
  },
  'GET restore-jobs': () => ({ Status: jobStatus, StatusMessage: 'no permission' }),
};

/** The response to DescribeStacks, which is the only one in XML. */
const stacks = () => {
  const members = Object.entries(outputs).map(
    ([name, value]) => `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const stack = `<member><Outputs>${members.join('')}</Outputs></member>`;
  return `<DescribeStacksResponse><DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult></DescribeStacksResponse>`;
};

const isClosed = () => (stage['defaultRouteSettings'] as Json)['throttlingRateLimit'] === 0;

const before = { ...process.env };
beforeEach(async () => {
  settings = await tableSettingsOf('prod');
  tables = new Map([[PROD, restored(PROD)]]);
  parameters = new Map();
  muted = [];
  changes = [];
  jobStatus = 'RUNNING';
  stage = {
    defaultRouteSettings: { throttlingRateLimit: 1, throttlingBurstLimit: 2 },
    routeSettings: { 'GET /a': { throttlingRateLimit: 3, throttlingBurstLimit: 4 } },
  };
  aws = await serve(async (request, response) => {
    const body = await text(request);
    // The API responds as its stage is limited.
    if (request.url?.startsWith('/ext/'))
      return void response.writeHead(isClosed() ? 429 : 401).end(isClosed() ? '{}' : '{"code":"invalid_api_key"}');
    if (body.startsWith('Action=')) return void response.end(stacks());
    const path = /restore-jobs|stages/.exec(request.url ?? '')?.[0].replace('stages', 'stage');
    const action = String(request.headers['x-amz-target']?.toString().split('.').at(-1) ?? `${request.method} ${path}`);
    const input = JSON.parse(body || '{}');
    if (!/^(Describe|Get|GET|List|Scan)/.test(action)) changes.push([action, input]);
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    try {
      response.end(JSON.stringify(ACTIONS[action]?.(input) ?? {}));
    } catch (error) {
      response.writeHead(400).end(JSON.stringify({ __type: (error as Error).message }));
    }
  });
  outputs = { TableName: PROD, BaseUrl: aws.url, HttpApiId: 'api' };
  process.env['AWS_ENDPOINT_URL'] = aws.url;
});
afterEach(async () => {
  process.env = { ...before };
  await aws.stop();
});

const data = {
  audit: async () => ({ items: {}, broken: [] }),
  lowerRights: async () => ({ changed: { 'api key removed': 1 }, withoutAdmin: ['7d0a'] }),
  repeatErasures: async () => ({ listed: 0, members: 0, people: 0 }),
  rehash: async () => undefined,
};

const SET_EACH_TIME = ['UpdateContinuousBackups', 'TagResource', 'PutParameter'];

/** Runs steps on the account. Returns their lines, and the requests that changed something, but for what is set each time. */
async function run(steps: Step[], source: Parameters<typeof recover>[1]['source'], into: string, isDryRun = false) {
  changes = [];
  const cloud = awsCloud('prod', DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: aws.url })), 0.01);
  const lines: string[] = [];
  const limits = await limitsOf('prod');
  const recovery = { cloud, data, source, into, limits, acceptsViolations: false, pollMs: 1 };
  await recover(steps, recovery, (line) => lines.push(line), isDryRun);
  const actions = changes.map(([action]) => action).filter((action) => !SET_EACH_TIME.includes(action));
  return { lines, actions };
}

test('the settings of a table are those of the template', async () => {
  const { Properties } = (await templatesOf('prod')).data.Resources['Table'] ?? {};
  // The table of the stack gets its tags from the stack.
  expect({ ...settings, TableName: PROD }).toEqual({ ...Properties, Tags: settings.Tags });
});

test('a restore closes the API, gives the table its settings, and opens the API once the table is in use', async () => {
  const waiting = await run(RESTORE_STEPS, POINT, NEW).catch((error: Error) => error);
  expect(waiting).toBeInstanceOf(Waiting);
  // The self-check fails while traffic is stopped: its alarm would stop a gradual deployment.
  expect(String(waiting)).toContain('npm run deploy -- --stage <stage> --param deployment=AllAtOnce');
  expect(changes.find(([action]) => action === 'RestoreTableToPointInTime')?.[1]).toMatchObject({
    SourceTableName: PROD,
    TargetTableName: NEW,
    RestoreDateTime: POINT.at.getTime() / 1000,
  });
  const { OnDemandThroughput, StreamSpecification, Tags } = settings;
  const { description, ...others } = tableNamed(NEW);
  expect(others).toEqual({ recovery: 'ENABLED', ttl: 'ENABLED', tags: Tags });
  expect(description).toMatchObject({
    OnDemandThroughput,
    StreamSpecification: { StreamEnabled: true, ...StreamSpecification },
    DeletionProtectionEnabled: true,
    SSEDescription: { SSEType: 'KMS' },
    GlobalSecondaryIndexes: settings.GlobalSecondaryIndexes.map(() => ({ OnDemandThroughput })),
  });
  expect([...parameters]).toEqual([[`/${PROD}/${NEW}/stream`, description['LatestStreamArn']]]);
  const none = { throttlingRateLimit: 0, throttlingBurstLimit: 0 };
  expect(stage).toMatchObject({ defaultRouteSettings: none, routeSettings: { 'GET /a': none } });
  expect(muted).toEqual([`${PROD}-self-check`, `${PROD}-member-check-throttles`]);

  outputs['TableName'] = NEW;
  const { lines, actions } = await run(RESTORE_STEPS, POINT, NEW);
  expect(lines).toContainEqual(expect.stringContaining('Run "cards rehash" 70 minutes after that'));
  expect(lines).toContainEqual(expect.stringMatching(/api key removed: 1\n +Acquirer 7d0a has no admin any more/));
  expect(actions).toEqual(['DisableAlarmActions', 'PATCH stage', 'EnableAlarmActions']);
  expect(muted).toEqual([]);
  const { ThrottlingRateLimit: throttlingRateLimit } = (await limitsOf('prod')).DefaultRouteSettings;
  expect(stage['defaultRouteSettings']).toMatchObject({ throttlingRateLimit });

  // Both are idempotent.
  expect((await run(RESTORE_STEPS, POINT, NEW)).actions).toEqual(['PATCH stage', 'EnableAlarmActions']);
});

test('a dry run changes nothing', async () => {
  const { lines, actions } = await run(RESTORE_STEPS, POINT, NEW, true);
  expect([lines.length, actions]).toEqual([RESTORE_STEPS.length, []]);
});

test('configure changes only what differs, and makes an index that is missing', async () => {
  await run(CONFIGURE, POINT, PROD);
  const { description } = tableNamed(PROD);
  const { IndexName } = description.GlobalSecondaryIndexes.pop() as Index;
  Object.assign(description, { DeletionProtectionEnabled: false, OnDemandThroughput: { MaxReadRequestUnits: 1 } });
  description.GlobalSecondaryIndexes.push({ IndexName: 'of-an-older-version', IndexStatus: 'ACTIVE' });
  const { lines, actions } = await run(CONFIGURE, POINT, PROD);
  expect(lines[1]).toContain(`throughput of the table, index ${IndexName}, deletion protection (`);
  expect(actions).toEqual(['UpdateTable', 'UpdateTable', 'UpdateTable']);
  const { KeySchema, Projection } = settings.GlobalSecondaryIndexes.at(-1) ?? {};
  expect(changes.find(([, each]) => JSON.stringify(each).includes('Create'))?.[1]).toMatchObject({
    AttributeDefinitions: settings.AttributeDefinitions.filter(({ AttributeName }) =>
      KeySchema?.some((each) => each.AttributeName === AttributeName),
    ),
    GlobalSecondaryIndexUpdates: [{ Create: { IndexName, KeySchema, Projection } }],
  });

  const again = await run(CONFIGURE, POINT, PROD);
  expect(again).toMatchObject({
    lines: [expect.anything(), expect.stringContaining('nothing differs'), expect.anything()],
    actions: [],
  });
});

test('a failover restores the copy beside the empty table, waits for a deployment, and opens the API', async () => {
  await expect(run(FAILOVER_STEPS, COPY, NEW)).rejects.toThrow(`Set "table: ${NEW}" in the stage's row`);
  expect(changes.map(([action]) => action).slice(0, 3)).toEqual([
    'DisableAlarmActions',
    'PATCH stage',
    'PUT restore-jobs',
  ]);
  expect(changes[2]?.[1]).toMatchObject({
    RecoveryPointArn: COPY.recoveryPoint,
    IamRoleArn: COPY.roleArn,
    ResourceType: 'DynamoDB',
    Metadata: { targetTableName: NEW },
  });
  expect(tableNamed(NEW)).toMatchObject({ recovery: 'ENABLED', ttl: 'ENABLED' });
  expect(isClosed()).toBe(true);
  outputs['TableName'] = NEW;
  await run(FAILOVER_STEPS, COPY, NEW);
  expect(isClosed()).toBe(false);
});

test('a failover ends with what AWS Backup says if it cannot restore, and leaves the API closed', async () => {
  jobStatus = 'FAILED';
  await expect(run(FAILOVER_STEPS, COPY, NEW)).rejects.toThrow('AWS Backup could not restore: no permission');
  expect(isClosed()).toBe(true);
});
