import { execFile } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { restoreGroups, rollBack, type Surroundings } from '../../../infra/deploy/rollback.ts';
import { STAGES } from '../../../infra/template/definitions.ts';
import type { Template } from '../../../infra/template/template.ts';
import { type Replies, startFakeAws } from './fakeAws.ts';

/*
 * A stage on a fake of AWS: a stack with its events, and the deployment groups of two functions.
 */

const STACK_ID = 'arn:aws:cloudformation:eu-central-1:111122223333:stack/acquirer-partner-api-prod/1';
/** The time of the deployment with this number, and its directory in the bucket. */
const time = (number: number): string => String(1_795_630_000_000 + number);
const directory = (number: number): string => `${time(number)}-${new Date(Number(time(number))).toISOString()}`;

/** Schemas that the framework has compiled. */
const COMPILED = 'node_modules/.cache/serverless';
const CANARY = 'CodeDeployDefault.LambdaCanary10Percent10Minutes';
const AS_DEPLOYED = { config: CANARY, alarms: ['availability', 'self-check'], enabled: true };
const ALL_AT_ONCE = { ...AS_DEPLOYED, config: 'CodeDeployDefault.LambdaAllAtOnce', enabled: false };

/** The key of a file of the deployment with this number in the bucket. */
const keyOf = (number: number, file: string) => `serverless/acquirer-partner-api/prod/${directory(number)}/${file}`;
const TEMPLATE = 'compiled-cloudformation-template.json';
/** A request to the bucket, as the fake names it. */
const onObject = (method: string, key: string) => `${method} /artifacts/${key.replaceAll(':', '%3A')}`;

/** The number of a deployment that was all at once. */
const HOTFIX = 4;

/** A template of the deployment with this number. */
const templateOf = (number: number): Template => ({
  Outputs: {},
  Resources: {
    Lambda: {
      Type: 'AWS::Lambda::Function',
      Properties: { Code: { S3Key: `serverless/a/${directory(number)}/a.zip` } },
    },
    ...Object.fromEntries(
      ['find', 'lookup'].map((DeploymentGroupName) => [
        DeploymentGroupName,
        {
          Type: 'AWS::CodeDeploy::DeploymentGroup',
          Properties: {
            DeploymentGroupName,
            DeploymentConfigName: HOTFIX === number ? ALL_AT_ONCE.config : CANARY,
            AlarmConfiguration: { Enabled: HOTFIX !== number, Alarms: [] },
          },
        },
      ]),
    ),
  },
});

let stage: {
  account: string;
  status: string;
  deployment: number;
  /** The template in use; that of the deployment if `undefined`. */
  template?: Template;
  /** Operations on the stack, the oldest first: their last status, and the deployment that they were for. */
  operations: [status: string, deployment: number][];
  groups: Record<string, { config: string; alarms: string[]; enabled: boolean }>;
};
let aws: Awaited<ReturnType<typeof startFakeAws>>;
/** What was put into the bucket, by its path. */
const stored = new Map<string, string>();
let printed: string[];
let deploys: string[][];
/**
 * Updates the stack, as CloudFormation does: first the groups that the template changes, then the aliases, if the functions
 * change. That fails unless the groups shift all at once then, because alarms fire.
 */
function update(template: Template): void {
  const { Lambda, ...groups } = template.Resources;
  const inUse = (stage.template ?? templateOf(stage.deployment)).Resources as Record<string, unknown>;
  for (const [name, group] of Object.entries(groups)) {
    if (isDeepStrictEqual(group, inUse[name])) continue;
    const { DeploymentConfigName: config, AlarmConfiguration } = group.Properties;
    stage.groups[name] = { ...AS_DEPLOYED, config, enabled: AlarmConfiguration.Enabled };
  }
  if (!isDeepStrictEqual(Lambda, inUse['Lambda']))
    expect(stage.groups).toEqual({ find: ALL_AT_ONCE, lookup: ALL_AT_ONCE });
  stage.template = template;
}

/** What the framework does when it is told to roll back. */
let framework: (to: string) => number;

/** What is changed on AWS, in order. */
const changes = (): string[] =>
  aws.calls
    .filter(({ action }) => /^(Cancel|Stop|Update)/.test(action))
    .map(({ action, input }) =>
      action === 'UpdateDeploymentGroup'
        ? `${input['currentDeploymentGroupName']}: ${String(input['deploymentConfigName']).replace('CodeDeployDefault.Lambda', '')}`
        : action,
    );

const replies: Replies = {
  GetCallerIdentity: () => ({ Account: stage.account, Arn: `arn:aws:iam::${stage.account}:user/ana`, UserId: '1' }),
  DescribeStacks: () => ({
    Stacks: [{ StackName: 's', StackStatus: stage.status, CreationTime: '2026-01-01T00:00:00Z' }],
  }),
  GetTemplate: () => ({ TemplateBody: JSON.stringify(stage.template ?? templateOf(stage.deployment)) }),
  DescribeStackResource: () => ({ StackResourceDetail: { PhysicalResourceId: 'artifacts' } }),
  UpdateStack: ({ TemplateURL }) => {
    update(JSON.parse(stored.get(new URL(String(TemplateURL)).pathname) ?? ''));
    return { StackId: STACK_ID };
  },
  ...Object.fromEntries(
    [1, 2, 3].flatMap((number) => [
      [onObject('GET', keyOf(number, TEMPLATE)), () => JSON.stringify(templateOf(number))],
      [
        onObject('PUT', keyOf(number, 'all-at-once.json')),
        ({ body }: Record<string, unknown>) => {
          stored.set(`/artifacts/${keyOf(number, 'all-at-once.json')}`, String(body));
          return '';
        },
      ],
    ]),
  ),
  [onObject('GET', keyOf(9, TEMPLATE))]: () => 404,

  DescribeStackEvents: () => ({
    StackEvents: stage.operations.toReversed().flatMap(([status, deployment], at) => {
      const event = { StackId: STACK_ID, EventId: at, StackName: 's', Timestamp: '2026-01-01T00:00:00Z' };
      const ofStack = {
        ...event,
        PhysicalResourceId: STACK_ID,
        LogicalResourceId: 's',
        ResourceType: 'AWS::CloudFormation::Stack',
      };
      return [
        { ...ofStack, EventId: `${at} ends`, ResourceStatus: status },
        {
          ...event,
          ResourceType: 'AWS::Lambda::Function',
          PhysicalResourceId: 'lookup',
          ResourceStatus: 'UPDATE_COMPLETE',
          ResourceProperties: JSON.stringify({ Code: { S3Key: `serverless/a/${directory(deployment)}/a.zip` } }),
        },
        { ...ofStack, EventId: `${at} begins`, ResourceStatus: 'UPDATE_IN_PROGRESS' },
      ];
    }),
  }),
  BatchGetDeploymentGroups: () => ({
    deploymentGroupsInfo: Object.entries(stage.groups).map(([deploymentGroupName, { config, alarms, enabled }]) => ({
      deploymentGroupName,
      deploymentConfigName: config,
      alarmConfiguration: { enabled, alarms: alarms.map((name) => ({ name })) },
    })),
  }),
  UpdateDeploymentGroup: (input) => {
    const { enabled, alarms } = input['alarmConfiguration'] as { enabled: boolean; alarms: { name: string }[] };
    stage.groups[String(input['currentDeploymentGroupName'])] = {
      config: String(input['deploymentConfigName']),
      enabled,
      alarms: alarms.map(({ name }) => name),
    };
    return {};
  },
  ListDeployments: () => ({ deployments: ['d-1'] }),
  StopDeployment: () => ({ status: 'Pending' }),
  CancelUpdateStack: () => {
    stage.status = 'UPDATE_ROLLBACK_IN_PROGRESS';
    setTimeout(() => Object.assign(stage, { status: 'UPDATE_ROLLBACK_COMPLETE', deployment: 2 }), 20);
    return {};
  },
};

const around: Surroundings = {
  print: (line) => printed.push(line),
  serverless: async (args) => {
    deploys.push(args);
    return framework(args.at(-1) as string);
  },
  pauseMs: 5,
};

const { prod } = STAGES;
const replied = { ...replies };
beforeEach(async () => {
  STAGES['prod'] = { ...prod, account: '111122223333' };
  for (const action of Object.keys(replies)) delete replies[action];
  Object.assign(replies, replied);
  stage = {
    account: '111122223333',
    status: 'UPDATE_COMPLETE',
    deployment: 3,
    operations: [
      ['CREATE_COMPLETE', 1],
      ['UPDATE_ROLLBACK_COMPLETE', 2],
      ['UPDATE_COMPLETE', 3],
    ],
    groups: { find: AS_DEPLOYED, lookup: AS_DEPLOYED },
  };
  printed = [];
  deploys = [];
  stored.clear();
  framework = (to) => {
    update(templateOf(Number(to) - Number(time(0))));
    return 0;
  };
  aws = await startFakeAws(replies);
  Object.assign(process.env, { AWS_ENDPOINT_URL: aws.url, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' });
  delete process.env['AWS_REGION'];
});
afterEach(() => {
  aws.stop();
  delete process.env['AWS_ENDPOINT_URL'];
  STAGES['prod'] = { ...prod };
});

test('rolls back to the last deployment that succeeded, all at once, and then sets the groups back', async () => {
  expect(await rollBack('prod', undefined, around)).toEqual({ from: time(3), to: time(1) });
  expect(deploys).toEqual([['rollback', '--stage', 'prod', '--timestamp', time(1)]]);
  expect(stage.groups).toEqual({ find: AS_DEPLOYED, lookup: AS_DEPLOYED });
  expect(printed.at(-1)).toBe(`Stage prod runs the deployment ${time(1)} of ${directory(1).slice(14)}.`);
});

test('lets the framework deploy the template of the earlier deployment', async () => {
  const contents = [1, 2, 3].map((number) => `<Contents><Key>${keyOf(number, TEMPLATE)}</Key></Contents>`);
  const templates: unknown[] = [];
  Object.assign(replies, {
    'GET /artifacts/': () => `<ListBucketResult>${contents.join('')}</ListBucketResult>`,
    [onObject('GET', keyOf(1, 'serverless-state.json'))]: () => '{}',
    DeleteChangeSet: () => ({}),
    CreateChangeSet: ({ TemplateURL }: Record<string, unknown>) => {
      templates.push(TemplateURL);
      return { Id: '1', StackId: STACK_ID };
    },
    SetStackPolicy: () => ({}),
    DescribeChangeSet: () => ({ Status: 'CREATE_COMPLETE', StackId: STACK_ID }),
    ExecuteChangeSet: () => {
      update(templateOf(1));
      stage.operations.push(['UPDATE_COMPLETE', 1]);
      return {};
    },
  });
  const output: string[] = [];
  const serverless = (args: string[]) =>
    new Promise<number>((resolve) => {
      const file = 'node_modules/serverless/bin/serverless.js';
      const env = { ...process.env, SLS_AWS_MONITORING_FREQUENCY: '10', SLS_SCHEMA_CACHE_BASE_DIR: COMPILED };
      execFile(
        process.execPath,
        [file, ...args, '--param', 'account=111122223333'],
        { env },
        (error, stdout, stderr) => {
          output.push(stdout, stderr);
          resolve(error ? 1 : 0);
        },
      );
    });
  expect([await rollBack('prod', undefined, { ...around, serverless }), output.join('')]).toEqual([
    { from: time(3), to: time(1) },
    expect.stringContaining(`Service rolled back to timestamp "${time(1)}"`),
  ]);
  expect(templates).toEqual([`https://s3.amazonaws.com/artifacts/${keyOf(1, TEMPLATE)}`]);
  expect(stage.groups).toEqual({ find: AS_DEPLOYED, lookup: AS_DEPLOYED });
});

test('goes further back with each rollback, not forward to what was rolled back', async () => {
  stage.operations = [1, 2, 3, 2].map((number) => ['UPDATE_COMPLETE', number]);
  stage.deployment = 2;
  expect(await rollBack('prod', undefined, around)).toEqual({ from: time(2), to: time(1) });
});

test('goes back to what ran before, not to what was rolled back from before that', async () => {
  stage.operations = [1, 2, 3, 2, 4].map((number) => ['UPDATE_COMPLETE', number]);
  stage.deployment = 4;
  stage.groups = { find: ALL_AT_ONCE, lookup: ALL_AT_ONCE };
  expect(await rollBack('prod', undefined, around)).toEqual({ from: time(4), to: time(2) });
});

test('rolls a deployment back that was all at once to one that was gradual, all at once', async () => {
  stage.operations.push(['UPDATE_COMPLETE', HOTFIX]);
  stage.deployment = HOTFIX;
  stage.groups = { find: ALL_AT_ONCE, lookup: ALL_AT_ONCE };
  expect(await rollBack('prod', undefined, around)).toEqual({ from: time(HOTFIX), to: time(3) });
  expect([changes(), deploys]).toEqual([['UpdateStack'], [['rollback', '--stage', 'prod', '--timestamp', time(3)]]]);
  // The template in use is the deployment's own, so the next deployment finds its groups as they are.
  expect(stage.template).toEqual(templateOf(3));
  expect(stage.groups).toEqual({ find: AS_DEPLOYED, lookup: AS_DEPLOYED });
});

test('says that an update failed which was to shift all at once', async () => {
  Object.assign(stage, { deployment: HOTFIX, groups: { find: ALL_AT_ONCE, lookup: ALL_AT_ONCE } });
  replies['UpdateStack'] = () => {
    stage.status = 'UPDATE_ROLLBACK_COMPLETE';
    return { StackId: STACK_ID };
  };
  await expect(rollBack('prod', time(3), around)).rejects.toThrow(
    `The rollback to ${time(3)} failed (its first update)`,
  );
  expect(deploys).toEqual([]);
});

test('rolls back to a chosen deployment, if the bucket has it', async () => {
  await expect(rollBack('prod', time(9), around)).rejects.toThrow(`The bucket has no deployment ${time(9)}.`);
  expect(await rollBack('prod', time(2), around)).toEqual({ from: time(3), to: time(2) });
});

test.each([
  ['runs', {}],
  // Between ListDeployments and StopDeployment.
  ['has just ended', { __type: 'DeploymentAlreadyCompletedException' }],
])('cancels a deployment that is running, and stops a canary that %s', async (_, reply) => {
  replies['StopDeployment'] = () => reply;
  stage.status = 'UPDATE_IN_PROGRESS';
  expect(await rollBack('prod', undefined, around)).toEqual({ from: time(3), to: time(2) });
  expect(deploys).toEqual([]);
  expect(changes()).toEqual([
    'find: AllAtOnce',
    'lookup: AllAtOnce',
    'CancelUpdateStack',
    'StopDeployment',
    'find: Canary10Percent10Minutes',
    'lookup: Canary10Percent10Minutes',
  ]);
});

test('sets the groups back if the rollback fails, once CloudFormation has gone back, and says what is in use', async () => {
  framework = () => {
    stage.status = 'UPDATE_ROLLBACK_IN_PROGRESS';
    setTimeout(() => {
      expect(stage.groups).toEqual({ find: ALL_AT_ONCE, lookup: ALL_AT_ONCE });
      stage.status = 'UPDATE_ROLLBACK_COMPLETE';
    }, 50);
    return 1;
  };
  await expect(rollBack('prod', undefined, around)).rejects.toThrow(
    `The rollback to ${time(1)} failed (exit status 1); the stack is UPDATE_ROLLBACK_COMPLETE and runs ${time(3)}. See "If a rollback fails" in docs/operations.md.`,
  );
  expect(stage.groups).toEqual({ find: AS_DEPLOYED, lookup: AS_DEPLOYED });
});

test('deploys nothing if a group cannot be changed, and sets back those that were', async () => {
  const { UpdateDeploymentGroup } = replied;
  replies['UpdateDeploymentGroup'] = (input) =>
    input['currentDeploymentGroupName'] === 'lookup' ? 403 : (UpdateDeploymentGroup?.(input) ?? 500);
  await expect(rollBack('prod', undefined, around)).rejects.toThrow('no UpdateDeploymentGroup');
  expect(deploys).toEqual([]);
  expect(stage.groups).toEqual({ find: AS_DEPLOYED, lookup: AS_DEPLOYED });
});

test('says how to set the groups back if that fails, beside what failed before', async () => {
  framework = () => {
    replies['BatchGetDeploymentGroups'] = () => 403;
    return 1;
  };
  await expect(rollBack('prod', undefined, around)).rejects.toThrow(
    /^The rollback to \d+ failed .*\nDeployment groups of stage prod still shift all at once .*Run: npm run rollback -- --stage prod --restore-groups$/,
  );
  expect(stage.groups).toEqual({ find: ALL_AT_ONCE, lookup: ALL_AT_ONCE });
  Object.assign(replies, replied);
  await restoreGroups('prod', around);
  expect(stage.groups).toEqual({ find: AS_DEPLOYED, lookup: AS_DEPLOYED });
  await restoreGroups('prod', around);
  expect(printed.slice(-2)).toEqual(
    [2, 0].map((count) => `${count} deployment groups were set back to shift as deployed.`),
  );
});

test.each([
  ['another account', { account: '444455556666' }, 'Stage prod is in the account 111122223333 ("account" in its row'],
  [
    'a deployment that failed and went back',
    { status: 'UPDATE_ROLLBACK_COMPLETE' },
    `went back to ${time(3)} by itself`,
  ],
  [
    'a stack that cannot be updated',
    { status: 'UPDATE_ROLLBACK_FAILED' },
    'is UPDATE_ROLLBACK_FAILED. See "If a rollback',
  ],
  ['no earlier deployment', { deployment: 1 }, `No deployment before ${time(1)} is known to have succeeded.`],
])('changes nothing for %s', async (_, change, message) => {
  Object.assign(stage, change);
  await expect(rollBack('prod', undefined, around)).rejects.toThrow(message);
  expect([changes(), deploys]).toEqual([[], []]);
});

test('asks only who calls, if the credentials are of another account', async () => {
  stage.account = '444455556666';
  await expect(rollBack('prod', undefined, around)).rejects.toThrow('but these credentials are of 444455556666');
  expect(aws.calls.map(({ action }) => action)).toEqual(['GetCallerIdentity']);
});

test('sends nothing for an unknown stage, another Region or a stage without an account', async () => {
  await expect(rollBack('production', undefined, around)).rejects.toThrow(
    'There is no stage "production". Stages: dev,',
  );
  process.env['AWS_REGION'] = 'us-east-1';
  await expect(rollBack('prod', undefined, around)).rejects.toThrow('but AWS_REGION is us-east-1');
  delete process.env['AWS_REGION'];
  STAGES['prod'] = { ...prod, account: '' };
  await expect(rollBack('prod', undefined, around)).rejects.toThrow(`Add "account: '123456789012',"`);
  expect(aws.calls).toEqual([]);
});
