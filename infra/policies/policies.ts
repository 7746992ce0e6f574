import { SERVICE, STAGES } from '../template/definitions.ts';
import { itemStatements } from '../template/roles.ts';
import { TABLE_GRANTS } from '../verify/grants.ts';
import { AUDITOR, MEMBER_OPERATOR, OPERATOR } from './operators.ts';
import { BUCKET, SCOPES, type Scope } from './types.ts';

/*
 * The policies of the people and the pipeline of a stage, as data. template.ts makes a CloudFormation template of them.
 * `${AWS::…}` is replaced by CloudFormation.
 */

/** A statement of a policy. */
export interface Statement {
  Effect: 'Allow' | 'Deny';
  Action: string[];
  Resource: unknown;
  Condition?: object;
}

/** A policy's document. */
export interface Policy {
  Version: '2012-10-17';
  Statement: Statement[];
}

/** The beginning of the names of everything that a stage has. */
export const nameOf = (stage: string): string => `${SERVICE}-${stage}`;

/**
 * The beginning of the names of who may access a stage. A name of the stage's own must not begin like it, because whoever
 * deploys may change those.
 */
export const accessOf = (stage: string): string => `${SERVICE}-access-${stage}`;

const arn = (service: string, resource: string, region = `\${AWS::Region}`): string =>
  `arn:\${AWS::Partition}:${service}:${region}:\${AWS::AccountId}:${resource}`;
const globalArn = (service: string, resource: string): string => arn(service, resource, '');

const allow = (Action: string[], Resource: string[], Condition?: object): Statement => ({
  Effect: 'Allow',
  Action,
  Resource: Resource.map((text) => (text === '*' ? text : { 'Fn::Sub': text })),
  ...(Condition && { Condition }),
});

const policy = (...Statement: Statement[]): Policy => ({ Version: '2012-10-17', Statement });

/** The table, and restored ones beside it (docs/operations.md#restore-the-table-to-a-point-in-time). */
const tablesOf = (stage: string): string[] =>
  ['', '-*'].map((suffix) => arn('dynamodb', `table/${nameOf(stage)}${suffix}`));

/** What reads and writes items needs of a key of one's own: DynamoDB calls KMS on behalf of its caller. */
const throughDynamoDb = (): Statement =>
  allow(
    ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
    [arn('kms', 'key/*')],
    {
      StringEquals: { 'kms:ViaService': { 'Fn::Sub': `dynamodb.\${AWS::Region}.amazonaws.com` } },
    },
  );

/** Access to items by their kinds, and to indexes. */
const items = (stage: string, grants: typeof OPERATOR): Statement[] => [
  ...itemStatements(
    grants,
    tablesOf(stage).map((table) => ({ 'Fn::Sub': table })),
  ).map((statement) => ({ Effect: 'Allow' as const, ...statement })),
  ...Object.entries(grants)
    .filter(([name]) => name.includes('-by-'))
    .map(([index, actions]) =>
      allow(
        actions.map((action) => `dynamodb:${action}`),
        tablesOf(stage).map((table) => `${table}/index/${index}`),
      ),
    ),
  throughDynamoDb(),
];

/** Reads whole tables, all kinds of items. */
const scans = (stage: string): Statement => allow(['dynamodb:Scan'], tablesOf(stage));

const secret = (stage: string, name: string): string => arn('secretsmanager', `secret:${nameOf(stage)}/${name}-??????`);

/** The card HMAC key: the stage's own, or that of another stage, with its suffix or without. */
const cardKeys = (stage: string): string[] => {
  const other = STAGES[stage]?.cardHmacKeySecret;
  return other ? [other, `${other}-??????`] : [secret(stage, 'card-hmac-key')];
};

/** The log groups of functions and of API Gateway, and that of the record's copy. */
const logsOf = (stage: string): string[] =>
  [`/aws/lambda/${nameOf(stage)}-*`, `/aws/http-api/${nameOf(stage)}`].flatMap(group);
const recordOf = (stage: string): string[] => group(`/${nameOf(stage)}/record`);

/** A log group, and its streams. */
const group = (name: string): string[] => ['', ':*'].map((rest) => arn('logs', `log-group:${name}${rest}`));

/** Reads logs and metrics. Queries and metrics have no resource to name, or only for themselves. */
const observes = (...groups: string[]): Statement[] => [
  allow(['logs:FilterLogEvents', 'logs:GetLogEvents', 'logs:StartQuery', 'logs:DescribeLogStreams'], groups),
  allow(
    [
      'logs:DescribeLogGroups',
      'logs:GetQueryResults',
      'logs:StopQuery',
      'cloudwatch:DescribeAlarms',
      'cloudwatch:GetMetricData',
      'cloudwatch:GetMetricStatistics',
      'cloudwatch:ListMetrics',
    ],
    ['*'],
  ),
];

const denyOnRecord = (stage: string, actions: string[]): Statement => ({
  Effect: 'Deny',
  Action: actions.map((action) => `logs:${action}`),
  Resource: recordOf(stage).map((text) => ({ 'Fn::Sub': text })),
});

/** Denies whatever could remove lines of the record's copy or add others, whoever else allows it. */
const keepsRecord = (stage: string): Statement =>
  denyOnRecord(stage, [
    ...['CreateLogStream', 'DeleteLogGroup', 'DeleteLogStream', 'PutLogEvents', 'PutLogGroupDeletionProtection'],
    'PutRetentionPolicy',
  ]);

/** The role with which CloudFormation changes the stage's stack, and the most that a role of the stack may ever do. */
export const executionRoleOf = (stage: string): string => `${accessOf(stage)}-cloudformation`;
export const boundaryOf = (stage: string): string => `${accessOf(stage)}-boundary`;

/** The role of AWS Backup, which has AWS's own policies and no boundary (infra/template/backup.ts). */
const backupRoleOf = (stage: string): string => globalArn('iam', `role/${nameOf(stage)}-backup`);
const BACKUP_POLICIES = `arn:\${AWS::Partition}:iam::aws:policy/service-role/AWSBackupServiceRolePolicyFor*`;

/** The stage's own roles have its name as their path, so that IAM can name all of them. */
const rolesOf = (stage: string): string => globalArn('iam', `role/${nameOf(stage)}/*`);

const named = (stage: string, text: string): string =>
  text.replaceAll(`\${Name24}`, nameOf(stage).slice(0, 24)).replaceAll(`\${Name}`, nameOf(stage));

/** Replaces what CloudFormation has in texts, wherever they are in a condition. */
const withReferences = (value: unknown): unknown => {
  if (typeof value === 'string') return value.includes('${') ? { 'Fn::Sub': value } : value;
  if (Array.isArray(value)) return value.map(withReferences);
  return Object.fromEntries(Object.entries(value as object).map(([name, each]) => [name, withReferences(each)]));
};

/** A statement of {@link SCOPES}. */
const scopeOf = (stage: string, { actions, resources, condition }: Scope): Statement =>
  allow(
    actions,
    resources.map((resource) => named(stage, resource)),
    condition && (withReferences(JSON.parse(named(stage, JSON.stringify(condition)))) as object),
  );

/** What creates and changes the stage's roles. None can get more than the boundary, and none of another stage is touched. */
function roleStatements(stage: string): Statement[] {
  const boundary = { 'Fn::Sub': globalArn('iam', `policy/${boundaryOf(stage)}`) };
  const each = (actions: string[]) => actions.map((action) => `iam:${action}`);
  const keep = [
    'DeleteRole',
    'GetRole',
    'GetRolePolicy',
    'ListAttachedRolePolicies',
    'ListRolePolicies',
    'TagRole',
    'UntagRole',
  ];
  return [
    allow(
      each(['CreateRole', 'DeleteRolePolicy', 'PutRolePermissionsBoundary', 'PutRolePolicy', 'UpdateAssumeRolePolicy']),
      [rolesOf(stage)],
      { StringEquals: { 'iam:PermissionsBoundary': boundary } },
    ),
    allow(each([...keep, 'UpdateRole']), [rolesOf(stage)]),
    allow(each(['PassRole']), [rolesOf(stage)], {
      StringEquals: { 'iam:PassedToService': ['lambda.amazonaws.com', 'codedeploy.amazonaws.com'] },
    }),
    allow(each([...keep, 'CreateRole']), [backupRoleOf(stage)]),
    allow(each(['AttachRolePolicy', 'DetachRolePolicy']), [backupRoleOf(stage)], {
      ArnLike: { 'iam:PolicyARN': { 'Fn::Sub': BACKUP_POLICIES } },
    }),
    allow(each(['PassRole']), [backupRoleOf(stage)], {
      StringEquals: { 'iam:PassedToService': 'backup.amazonaws.com' },
    }),
    allow(each(['CreateServiceLinkedRole']), [globalArn('iam', 'role/aws-service-role/*')], {
      StringEquals: { 'iam:AWSServiceName': ['backup.amazonaws.com', 'ops.apigateway.amazonaws.com'] },
    }),
  ];
}

/** The record's copy in a stage whose data is protected: not even a deployment deletes it. */
const keepsCopy = (stage: string): Statement[] =>
  STAGES[stage]?.protection ? [denyOnRecord(stage, ['DeleteLogGroup', 'DeleteLogStream', 'PutLogEvents'])] : [];

/** The policy of {@link executionRoleOf}. */
export const executionOf = (stage: string): Policy =>
  policy(...SCOPES.map((scope) => scopeOf(stage, scope)), ...roleStatements(stage), ...keepsCopy(stage));

/** The most that a role of the stage may ever do, whatever a template says. A boundary grants nothing by itself. */
export const boundary = (stage: string): Policy =>
  policy(
    allow(
      [
        ...['BatchGetItem', 'ConditionCheckItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'],
        ...['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'],
      ].map((action) => `dynamodb:${action}`),
      tablesOf(stage).flatMap((table) => [table, `${table}/index/*`, `${table}/stream/*`]),
    ),
    throughDynamoDb(),
    allow(['secretsmanager:GetSecretValue'], [arn('secretsmanager', `secret:${nameOf(stage)}/*`), ...cardKeys(stage)]),
    allow(['logs:CreateLogStream', 'logs:PutLogEvents'], logsOf(stage)),
    allow(['logs:PutLogEvents'], recordOf(stage)),
    allow(
      ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
      [arn('lambda', `function:${nameOf(stage)}-*`)],
    ),
    allow(['cloudwatch:DescribeAlarms', 'xray:PutTelemetryRecords', 'xray:PutTraceSegments'], ['*']),
  );

/** Reads and changes the stage's stack. CloudFormation acts with the role of the stack, whoever calls it. */
const changesStack = (stage: string, ...more: string[]): Statement =>
  allow(
    [
      ...['CreateChangeSet', 'DescribeChangeSet', 'DescribeStackEvents', 'DescribeStackResource', 'DescribeStacks'],
      ...['ExecuteChangeSet', 'GetTemplate', 'UpdateStack', ...more],
    ].map((action) => `cloudformation:${action}`),
    [arn('cloudformation', `stack/${nameOf(stage)}/*`)],
  );

const artifacts = (stage: string, actions: string[]): Statement[] => [
  allow(['s3:GetBucketLocation', 's3:ListBucket'], [named(stage, BUCKET)]),
  allow(
    actions.map((action) => `s3:${action}`),
    [`${named(stage, BUCKET)}/*`],
  ),
];

/** The pipeline: `npm run deploy` and `npm run rollback`. */
const deployer = (stage: string): Policy =>
  policy(
    changesStack(
      stage,
      ...['CancelUpdateStack', 'CreateStack', 'DeleteChangeSet', 'DescribeStackResources', 'ListStackResources'],
      ...['SetStackPolicy', 'UpdateTerminationProtection'],
    ),
    allow(['cloudformation:ValidateTemplate'], ['*']),
    ...artifacts(stage, ['DeleteObject', 'GetObject', 'PutObject']),
    allow(['iam:PassRole'], [globalArn('iam', `role/${executionRoleOf(stage)}`)], {
      StringEquals: { 'iam:PassedToService': 'cloudformation.amazonaws.com' },
    }),
    // Whether the code has changed since the last deployment.
    allow(['lambda:GetFunction'], [arn('lambda', `function:${nameOf(stage)}-*`)]),
    allow(
      ['BatchGetDeploymentGroups', 'ListDeployments', 'UpdateDeploymentGroup'].map((action) => `codedeploy:${action}`),
      [`application:${nameOf(stage)}`, `deploymentgroup:${nameOf(stage)}/*`].map((each) => arn('codedeploy', each)),
    ),
    // By the id of a deployment.
    allow(['codedeploy:StopDeployment'], ['*']),
    keepsRecord(stage),
  );

/** `npm run recover`, beside `operator` and `member-operator`: restores the table, and puts the restored one in use. */
const recovery = (stage: string): Policy =>
  policy(
    allow(
      [
        ...['DescribeContinuousBackups', 'DescribeTable', 'DescribeTimeToLive', 'RestoreTableToPointInTime'],
        ...['TagResource', 'UpdateContinuousBackups', 'UpdateTable', 'UpdateTimeToLive'],
      ].map((action) => `dynamodb:${action}`),
      tablesOf(stage),
    ),
    // A restore writes with the permissions of its caller ("Restoring a table", DynamoDB Developer Guide), and an empty
    // table that a restore left behind is removed. Never the stage's first table.
    allow(
      ['BatchWriteItem', 'DeleteItem', 'DeleteTable', 'GetItem', 'PutItem', 'Query', 'UpdateItem'].map(
        (action) => `dynamodb:${action}`,
      ),
      tablesOf(stage).slice(1),
    ),
    changesStack(stage),
    ...artifacts(stage, ['GetObject', 'PutObject']),
    allow(
      ['apigateway:GET', 'apigateway:PATCH'],
      [`arn:\${AWS::Partition}:apigateway:\${AWS::Region}::/apis/*/stages/*`],
    ),
    allow(
      ['cloudwatch:DisableAlarmActions', 'cloudwatch:EnableAlarmActions'],
      [arn('cloudwatch', `alarm:${nameOf(stage)}-*`)],
    ),
    allow(['cloudwatch:DescribeAlarms', 'backup:DescribeRestoreJob'], ['*']),
    allow(
      ['backup:StartRestoreJob'],
      [arn('backup', 'recovery-point:*'), arn('dynamodb', `table/${nameOf(stage)}/backup/*`)],
    ),
    allow(['iam:PassRole'], [backupRoleOf(stage)], {
      StringEquals: { 'iam:PassedToService': 'backup.amazonaws.com' },
    }),
    keepsRecord(stage),
  );

/** `npm run verify`: acquirers, members and people of its own, and what the stage logged. */
const verifier = (stage: string): Policy =>
  policy(
    ...items(stage, TABLE_GRANTS),
    allow(['secretsmanager:GetSecretValue'], cardKeys(stage)),
    ...observes(...logsOf(stage)),
    allow(['cloudformation:DescribeStacks'], [arn('cloudformation', `stack/${nameOf(stage)}/*`)]),
    // How AWS judges the keys of a transaction (infra/template/probe.ts).
    allow(['sts:AssumeRole'], [globalArn('iam', `role/${nameOf(stage)}/*ProbeRole*`)]),
    keepsRecord(stage),
  );

/**
 * The policies that people attach to their roles, by name. Each says what for (docs/operations.md#permissions).
 */
export const policiesOf = (stage: string): Record<string, Policy> => ({
  operator: policy(
    ...items(stage, OPERATOR),
    allow(['secretsmanager:PutSecretValue'], [secret(stage, 'self-check-key')]),
    keepsRecord(stage),
  ),
  'member-operator': policy(
    ...items(stage, MEMBER_OPERATOR),
    scans(stage),
    allow(['secretsmanager:GetSecretValue', 'secretsmanager:PutSecretValue'], cardKeys(stage)),
    keepsRecord(stage),
  ),
  auditor: policy(
    ...items(stage, AUDITOR),
    scans(stage),
    ...observes(...logsOf(stage), ...recordOf(stage)),
    keepsRecord(stage),
  ),
  deployer: deployer(stage),
  recovery: recovery(stage),
  verifier: verifier(stage),
});
