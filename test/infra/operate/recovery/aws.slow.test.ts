import { text } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Served, serve } from '../../../../infra/local/serve.ts';
import { Stop } from '../../../../infra/operate/cli/stop.ts';
import { awsCloud, type Source } from '../../../../infra/operate/recovery/aws.ts';
import { limitsOf, type TableSettings, tableSettingsOf } from '../../../../infra/operate/recovery/settings.ts';
import {
  CONFIGURE,
  FAILOVER_STEPS,
  RESTORE_STEPS,
  recover,
  START,
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
const COPY = {
  recoveryPoint: 'arn:aws:backup:eu-central-1:123456789012:recovery-point:a',
  roleArn: 'arn:aws:iam::123456789012:role/backup',
};

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
/** Whether Lambda runs nothing that delivers to webhooks. */
let isSilent: boolean;
/** The requests that changed something. */
let changes: [action: string, input: Json][];
/** The status of jobs of AWS Backup. */
let jobStatus: string;
/** Whether tables have point-in-time recovery. */
let recovers: boolean;
/** What fails of the next requests: an action, and how many of them succeed before. */
let failing: { action: string; after: number } | undefined;
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
  DescribeContinuousBackups: () => ({
    ContinuousBackupsDescription: {
      PointInTimeRecoveryDescription: {
        PointInTimeRecoveryStatus: recovers ? 'ENABLED' : 'DISABLED',
        EarliestRestorableDateTime: Date.parse('2026-10-24T00:00:00Z') / 1000,
        LatestRestorableDateTime: Date.parse('2026-11-28T00:00:00Z') / 1000,
      },
    },
  }),
  RestoreTableToPointInTime({ SourceTableName, TargetTableName, RestoreDateTime }) {
    const table = restored(String(TargetTableName));
    const SourceTableArn = `arn:aws:dynamodb:eu-central-1:123456789012:table/${SourceTableName}`;
    Object.assign(table.description, { RestoreSummary: { SourceTableArn, RestoreDateTime, RestoreInProgress: false } });
    tables.set(String(TargetTableName), table);
  },
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
  DescribeAlarms: ({ AlarmNames }) => ({
    MetricAlarms: (AlarmNames as string[]).map((AlarmName) => ({
      AlarmName,
      ActionsEnabled: !muted.includes(AlarmName),
    })),
  }),
  EnableAlarmActions: ({ AlarmNames }) => (muted = muted.filter((each) => !(AlarmNames as unknown[]).includes(each))),
  'PUT deliverWebhooks': ({ ReservedConcurrentExecutions }) => (isSilent = ReservedConcurrentExecutions === 0),
  'DELETE deliverWebhooks': () => (isSilent = false),
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
  isSilent = false;
  changes = [];
  jobStatus = 'RUNNING';
  recovers = true;
  failing = undefined;
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
    const path = /restore-jobs|stages|deliverWebhooks(?=.concurrency$)/
      .exec(request.url ?? '')?.[0]
      .replace('stages', 'stage');
    const action = String(request.headers['x-amz-target']?.toString().split('.').at(-1) ?? `${request.method} ${path}`);
    const input = JSON.parse(body || '{}');
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    try {
      if (failing?.action === action && failing.after-- === 0) throw new Error('AccessDeniedException');
      if (!/^(Describe|Get|GET|List|Scan)/.test(action)) changes.push([action, input]);
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
  reach: async () => {},
  audit: async () => ({ items: {}, broken: [] }),
  lowerRights: async () => ({ changed: { 'api key removed': 1 }, withoutAdmin: ['7d0a'] }),
  repeatErasures: async () => ({ listed: 0, members: 0, people: 0, invitations: 0 }),
  rehash: async () => undefined,
};

const START_COMMAND = 'npm run recover -- start --stage prod';
const STOPPED =
  `Traffic is stopped: callers get 429, webhooks nothing. Alarms that stopped traffic fires are off. To start what is ` +
  `stopped: ${START_COMMAND}`;
const RUNS = 'Traffic runs, and its alarms are on.';

const SET_EACH_TIME = ['UpdateContinuousBackups', 'TagResource', 'PutParameter'];

/**
 * Runs steps on the account. Returns their lines, and the requests that changed something, but for what is set each
 * time.
 */
async function run(steps: Step[], source: Parameters<typeof recover>[1]['source'], into: string, isDryRun = false) {
  changes = [];
  const cloud = awsCloud('prod', DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: aws.url })), 0.01);
  const lines: string[] = [];
  const limits = await limitsOf('prod');
  const recovery = { cloud, data, source, into, limits, acceptsViolations: false, starts: START_COMMAND, pollMs: 1 };
  await recover(steps, recovery, (line) => lines.push(line), isDryRun);
  const actions = changes.map(([action]) => action).filter((action) => !SET_EACH_TIME.includes(action));
  return { lines, actions };
}

test('the settings of a table are those of the template', async () => {
  const { Properties } = (await templatesOf('prod')).data.Resources['Table'] ?? {};
  // The table of the stack gets its tags from the stack.
  expect({ ...settings, TableName: PROD }).toEqual({ ...Properties, Tags: settings.Tags });
});

test(
  'a restore gives the new table its settings, then closes the API, and opens it once the table is in ' + 'use',
  async () => {
    const waiting = await run(RESTORE_STEPS, POINT, NEW).catch((error: Error) => error);
    expect(waiting).toBeInstanceOf(Waiting);
    // The self-check fails while traffic is stopped: its alarm would stop a gradual deployment.
    expect(String(waiting)).toContain('npm run deploy -- --stage <stage> --param deployment=AllAtOnce');
    expect(String(waiting)).toContain(STOPPED);
    // Traffic runs until all is there that takes long.
    const actions1 = changes.map(([action]) => action);
    expect(actions1[0]).toBe('RestoreTableToPointInTime');
    expect(actions1.slice(-4)).toEqual(['PutParameter', 'DisableAlarmActions', 'PUT deliverWebhooks', 'PATCH stage']);
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
    expect(isSilent).toBe(true);
    expect(muted).toEqual(['self-check', 'member-check-throttles', 'webhook-delay'].map((name) => `${PROD}-${name}`));

    outputs['TableName'] = NEW;
    const { lines, actions } = await run(RESTORE_STEPS, POINT, NEW);
    expect(lines).toContainEqual(expect.stringContaining('Run "cards rehash" 70 minutes after that'));
    expect(lines).toContainEqual(expect.stringMatching(/api key removed: 1\n +Acquirer 7d0a has no admin any more/));
    const start = ['DELETE deliverWebhooks', 'PATCH stage', 'EnableAlarmActions'];
    expect(actions).toEqual(['DisableAlarmActions', ...start]);
    expect([muted, isSilent]).toEqual([[], false]);
    const { ThrottlingRateLimit: throttlingRateLimit } = (await limitsOf('prod')).DefaultRouteSettings;
    expect(stage['defaultRouteSettings']).toMatchObject({ throttlingRateLimit });

    // Both are idempotent.
    expect((await run(RESTORE_STEPS, POINT, NEW)).actions).toEqual(start);
  },
);

test('a dry run changes nothing', async () => {
  const { lines, actions } = await run(RESTORE_STEPS, POINT, NEW, true);
  // One line for each step, and the outcome of the first, which only reads.
  expect([lines.length, actions]).toEqual([RESTORE_STEPS.length + 1, []]);
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
  const actions = changes.map(([action]) => action);
  const stop = ['DisableAlarmActions', 'PUT deliverWebhooks', 'PATCH stage'];
  expect([actions[0], ...actions.slice(-3)]).toEqual(['PUT restore-jobs', ...stop]);
  expect(changes[0]?.[1]).toMatchObject({
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

test('a failover ends with what AWS Backup says if it cannot restore, and stops nothing', async () => {
  jobStatus = 'FAILED';
  await expect(run(FAILOVER_STEPS, COPY, NEW)).rejects.toThrow(
    `Step 2/${FAILOVER_STEPS.length} restore failed: Error: AWS Backup could not restore: no permission\n${RUNS}`,
  );
  expect(isClosed()).toBe(false);
});

const AT = POINT.at.toISOString();
test.each<[what: string, source: Source, into: string, change: () => unknown, message: string]>([
  ['a table that is not there', { ...POINT, from: `${PROD}-0` }, NEW, () => {}, `There is no table ${PROD}-0.`],
  [
    'a table that is not in use',
    { ...POINT, from: `${PROD}-1` },
    NEW,
    () => tables.set(`${PROD}-1`, restored(`${PROD}-1`)),
    `--from must be the table in use, ${PROD}, not ${PROD}-1.`,
  ],
  [
    'a table that is being changed',
    POINT,
    NEW,
    () => Object.assign(tableNamed(PROD).description, { TableStatus: 'UPDATING' }),
    `The table ${PROD} is UPDATING.`,
  ],
  [
    'the same table',
    POINT,
    PROD,
    () => {},
    `--into must begin with "${PROD}-": the stage's roles may use no other table.\n--into must be another table ` +
      `than --from.`,
  ],
  ['a name that the roles may not use', POINT, 'restored', () => {}, `--into must begin with "${PROD}-"`],
  [
    'a table that somebody made',
    POINT,
    NEW,
    () => tables.set(NEW, restored(NEW)),
    `The table ${NEW} exists, and was not restored from ${PROD} at ${AT}. Choose another name for --into.`,
  ],
  [
    'a table that was restored to another time',
    POINT,
    NEW,
    () => ACTIONS['RestoreTableToPointInTime']?.({ SourceTableName: PROD, TargetTableName: NEW, RestoreDateTime: 1 }),
    `The table ${NEW} exists, and was not restored from ${PROD} at ${AT}. Choose another name for --into.`,
  ],
  [
    'a time before the 35 days',
    { ...POINT, at: new Date('2026-10-23T23:59:59Z') },
    NEW,
    () => {},
    '--at must be from 2026-10-24T00:00:00.000Z to 2026-11-28T00:00:00.000Z, not 2026-10-23T23:59:59.000Z.',
  ],
  [
    'a time that has not come',
    { ...POINT, at: new Date('2027-01-01T00:00:00Z') },
    NEW,
    () => {},
    '--at must be from 2026-10-24T00:00:00.000Z to',
  ],
  ['a table without recovery', POINT, NEW, () => (recovers = false), `${PROD} has no point-in-time recovery.`],
  [
    'a copy in another Region',
    { ...COPY, recoveryPoint: 'arn:aws:backup:eu-west-1:1:recovery-point:a' },
    NEW,
    () => {},
    '--recovery-point must be in the Region of prod, eu-central-1, not in eu-west-1.',
  ],
  [
    'a stage that was not deployed',
    POINT,
    NEW,
    () => (outputs = {}),
    `The stack ${PROD} has no output TableName. Deploy the stage first.`,
  ],
])('a recovery of %s ends before anything changes, also as a dry run', async (_, source, into, change, message) => {
  change();
  const steps = 'from' in source ? RESTORE_STEPS : FAILOVER_STEPS;
  for (const isDryRun of [true, false]) {
    const failure = await run(steps, source, into, isDryRun).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(Stop);
    expect(String(failure)).toContain(`Step 1/${steps.length} preflight failed: `);
    expect(String(failure)).toContain(message);
    expect([changes, isClosed(), muted]).toEqual([[], false, []]);
  }
});

test(
  'wherever a restore fails, it says what is stopped and how to start it, and goes on when it is ' + 'repeated',
  async () => {
    /** Runs a restore with its deployment. */
    const restore = async () => {
      await run(RESTORE_STEPS, POINT, NEW).catch((error) => {
        if (!(error instanceof Waiting)) throw error;
      });
      const made = changes;
      outputs['TableName'] = NEW;
      await run(RESTORE_STEPS, POINT, NEW);
      return [...made, ...changes].map(([action]) => action);
    };
    const reset = () => {
      [tables, parameters, muted] = [new Map([[PROD, restored(PROD)]]), new Map(), []];
      outputs['TableName'] = PROD;
      stage = { defaultRouteSettings: { throttlingRateLimit: 1, throttlingBurstLimit: 2 }, routeSettings: {} };
      isSilent = false;
    };
    const actions = await restore();
    expect(actions.length).toBeGreaterThan(10);
    for (const [at, action] of actions.entries()) {
      reset();
      failing = { action, after: actions.slice(0, at).filter((each) => each === action).length };
      const failure = await restore().catch((error: Error) => error);
      expect([action, at, failure]).toEqual([action, at, expect.any(Stop)]);
      const lines = String(failure).split('\n');
      expect(lines[0]).toMatch(/^Error: Step \d+\/\d+ \w+ failed: No access to AWS in /);
      const isMuted = muted.length > 0;
      expect(lines.slice(1)).toEqual([
        isClosed()
          ? STOPPED
          : isMuted
            ? `Traffic runs. Alarms that stopped traffic fires are off. To start what is stopped: ${START_COMMAND}`
            : RUNS,
      ]);
      // What it says to run.
      const pending = outputs['TableName'];
      if (isClosed() || isMuted) await run(START, POINT, '');
      expect([isClosed(), isSilent, muted]).toEqual([false, false, []]);
      outputs['TableName'] = pending ?? PROD;
      if (pending === PROD) await restore();
      else await run(RESTORE_STEPS, POINT, NEW);
      expect([isClosed(), isSilent, muted]).toEqual([false, false, []]);
    }
  },
);

test('where even that cannot be read, it says so, and how to start', async () => {
  const denied = { 'GET stage': ACTIONS['GET stage'], 'PATCH stage': ACTIONS['PATCH stage'] };
  const deny = () => {
    throw new Error('AccessDeniedException');
  };
  Object.assign(ACTIONS, { 'GET stage': deny, 'PATCH stage': deny });
  const failure = await run(START, POINT, '').catch((error: Error) => error);
  Object.assign(ACTIONS, denied);
  expect(String(failure)).toMatch(
    /Step 1\/3 start failed: No access to AWS in .*\nWhether traffic is stopped could not be read \(No access to AWS in .*\)\. To start it: npm run recover -- start --stage prod$/,
  );
});
