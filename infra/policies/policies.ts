import { SERVICE } from '../template/definitions.ts';
import { itemStatements } from '../template/roles.ts';
import { TABLE_GRANTS } from '../verify/grants.ts';
import { AUDITOR, MEMBER_OPERATOR, OPERATOR } from './operators.ts';

/*
 * The policies of the people and the pipeline of a stage, as data. template.ts makes a CloudFormation template of them, in
 * which CloudFormation replaces `${AWS::…}`, `${Stage}` and what differs between stages ({@link DIFFERENCES}).
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
  Statement: unknown[];
}

/** The beginning of the names of everything that a stage has. */
export const nameOf = (stage: string): string => `${SERVICE}-${stage}`;

/**
 * The beginning of the names of who may access a stage. A name of the stage's own must not begin like it, because whoever
 * deploys may change those.
 */
export const accessOf = (stage: string): string => `${SERVICE}-access-${stage}`;

/** The role with which CloudFormation changes the stage's stacks, and the most that a role of a stack may ever do. */
export const executionRoleOf = (stage: string): string => `${accessOf(stage)}-cloudformation`;
export const boundaryOf = (stage: string): string => `${accessOf(stage)}-boundary`;

/** What the template's mapping has for each stage: a shortened name, and the name of the secret with the card HMAC key. */
export const DIFFERENCES = ['Cut', 'CardKey', 'Protected'] as const;
export const differenceOf = (name: (typeof DIFFERENCES)[number]) => ({
  'Fn::FindInMap': ['Stages', { Ref: 'Stage' }, name],
});

/** Text in which CloudFormation replaces what stands in `${…}`. */
export function sub(text: string) {
  const looked = DIFFERENCES.filter((name) => text.includes(`\${${name}}`));
  const values = Object.fromEntries(looked.map((name) => [name, differenceOf(name)]));
  return { 'Fn::Sub': looked.length > 0 ? [text, values] : text };
}

/** These words, each after the prefix, such as `logs:`. */
export const each = (prefix: string, ...words: string[]): string[] =>
  words.flatMap((text) => text.split(' ')).map((word) => prefix + word);

export const arn = (service: string, resource: string, region = `\${AWS::Region}`): string =>
  `arn:\${AWS::Partition}:${service}:${region}:\${AWS::AccountId}:${resource}`;
export const globalArn = (service: string, resource: string): string => arn(service, resource, '');

export const allow = (Action: string[], resources: string[], Condition?: object): Statement => ({
  Effect: 'Allow',
  Action,
  Resource: resources.map((text) => (text === '*' ? text : sub(text))),
  ...(Condition && { Condition }),
});

export const policy = (...Statement: unknown[]): Policy => ({ Version: '2012-10-17', Statement });

const STAGE = `\${Stage}`;
export const NAME = nameOf(STAGE);

/** The stacks of the data and of the API. */
const STACKS = ['', '-data'].map((suffix) => arn('cloudformation', `stack/${NAME}${suffix}/*`));

/** The buckets of the stacks' artifacts. CloudFormation cuts long names of stacks where it generates a name. */
export const BUCKET = `arn:\${AWS::Partition}:s3:::\${Cut}*-serverlessdeploymentbuck*`;

/**
 * The table, and restored ones beside it, which have a suffix (docs/operations.md#restore-the-table-to-a-point-in-time). One
 * pattern for both, because a managed policy has at most 6,144 characters. So no stage's name may begin with another's.
 */
export const TABLES = arn('dynamodb', `table/${NAME}*`);
const RESTORED = arn('dynamodb', `table/${NAME}-*`);

/** What reads and writes items needs of a key of one's own: DynamoDB calls KMS on behalf of its caller. */
export const throughDynamoDb = (...more: string[]): Statement =>
  allow(each('kms:', 'Decrypt DescribeKey Encrypt GenerateDataKey* ReEncrypt*', ...more), [arn('kms', 'key/*')], {
    StringEquals: { 'kms:ViaService': sub(`dynamodb.\${AWS::Region}.amazonaws.com`) },
  });

/** Access to items by their kinds, and to indexes. */
const items = (grants: typeof OPERATOR): Statement[] => [
  ...itemStatements(grants, sub(TABLES)).map((statement) => ({ Effect: 'Allow' as const, ...statement })),
  ...Object.entries(grants)
    .filter(([name]) => name.includes('-by-'))
    .map(([index, actions]) => allow(each('dynamodb:', ...actions), [`${TABLES}/index/${index}`])),
  throughDynamoDb(),
];

/** Reads whole tables, all kinds of items. */
const SCANS = allow(['dynamodb:Scan'], [TABLES]);

const secret = (name: string): string => arn('secretsmanager', `secret:${name}`);

/** The card HMAC key: the stage's own, or that of another stage, which a stage may name with its suffix or without. */
const CARD_KEYS = ['', '-??????'].map((suffix) => secret(`\${CardKey}${suffix}`));

/** A log group, and its streams. */
const group = (name: string): string[] => ['', ':*'].map((rest) => arn('logs', `log-group:${name}${rest}`));

/** The log groups of functions and of API Gateway, and that of the record's copy. */
export const LOGS = [arn('logs', `log-group:/aws/lambda/${NAME}-*`), ...group(`/aws/http-api/${NAME}`)];
export const RECORD = group(`/${NAME}/record`);

/** Reads logs and metrics. Queries and metrics have no resource to name, or only for themselves. */
const OBSERVES = [
  allow(each('logs:', 'FilterLogEvents GetLogEvents StartQuery DescribeLogStreams'), [...LOGS, ...RECORD]),
  allow(
    [
      ...each('logs:', 'DescribeLogGroups GetQueryResults StopQuery'),
      ...each('cloudwatch:', 'DescribeAlarms GetMetricData GetMetricStatistics ListMetrics'),
    ],
    ['*'],
  ),
];

export const denyOnRecord = (...actions: string[]): Statement => ({
  ...allow(each('logs:', ...actions), RECORD),
  Effect: 'Deny',
});

/** Denies whatever could remove lines of the record's copy or add others, whoever else allows it. */
const KEEPS_RECORD = denyOnRecord(
  'CreateLogStream DeleteLogGroup DeleteLogStream PutLogEvents PutLogGroupDeletionProtection PutRetentionPolicy',
);

/** The role of AWS Backup, which has AWS's own policies and no boundary (infra/template/backup.ts). */
export const BACKUP_ROLE = globalArn('iam', `role/${NAME}-backup`);

/** The most that a role of the stage may ever do, whatever a template says. A boundary grants nothing by itself. */
export const BOUNDARY = policy(
  allow(
    each(
      'dynamodb:',
      'BatchGetItem ConditionCheckItem DeleteItem GetItem PutItem Query UpdateItem',
      'DescribeStream GetRecords GetShardIterator ListStreams',
    ),
    // Also of indexes and streams.
    [TABLES],
  ),
  throughDynamoDb(),
  allow(['secretsmanager:GetSecretValue'], [secret(`${NAME}/*`), ...CARD_KEYS]),
  allow(each('logs:', 'CreateLogStream PutLogEvents'), LOGS),
  allow(['logs:PutLogEvents'], RECORD),
  allow(each('lambda:', 'GetAlias GetProvisionedConcurrencyConfig UpdateAlias'), [arn('lambda', `function:${NAME}-*`)]),
  allow(['cloudwatch:DescribeAlarms', ...each('xray:', 'PutTelemetryRecords PutTraceSegments')], ['*']),
);

/** Stops traffic, and mutes the alarms meanwhile. The ids of HTTP APIs are AWS's. */
const STOPS_TRAFFIC = [
  allow(each('apigateway:', 'GET PATCH'), [`arn:\${AWS::Partition}:apigateway:\${AWS::Region}::/apis/*/stages/*`]),
  allow(each('cloudwatch:', 'DisableAlarmActions EnableAlarmActions'), [arn('cloudwatch', `alarm:${NAME}-*`)]),
];

/** The pipeline: `npm run deploy`, and to stop traffic. CloudFormation acts with the role of the stacks, whoever calls it. */
const DEPLOYER = policy(
  allow(
    each(
      'cloudformation:',
      'CancelUpdateStack CreateChangeSet CreateStack DeleteChangeSet DescribeChangeSet DescribeStackEvents',
      'DescribeStackResource DescribeStackResources DescribeStacks ExecuteChangeSet GetTemplate ListStackResources',
      'SetStackPolicy UpdateStack UpdateTerminationProtection',
    ),
    STACKS,
  ),
  allow(['cloudformation:ValidateTemplate', 'cloudwatch:DescribeAlarms'], ['*']),
  allow(each('s3:', 'GetBucketLocation ListBucket'), [BUCKET]),
  allow(each('s3:', 'DeleteObject GetObject PutObject'), [`${BUCKET}/*`]),
  // Nobody else may pass that role, and to no other service (template.ts says why this matters).
  allow(['iam:PassRole'], [globalArn('iam', `role/${executionRoleOf(STAGE)}`)], {
    StringEquals: { 'iam:PassedToService': 'cloudformation.amazonaws.com' },
  }),
  // Whether the code has changed since the last deployment.
  allow(['lambda:GetFunction'], [arn('lambda', `function:${NAME}-*`)]),
  ...STOPS_TRAFFIC,
  KEEPS_RECORD,
);

/** `npm run recover`, beside `operator` and `member-operator`: restores the table beside the one in use. */
const RECOVERY = policy(
  allow(
    each(
      'dynamodb:',
      'DescribeContinuousBackups DescribeTable DescribeTimeToLive ListTagsOfResource RestoreTableToPointInTime',
      'TagResource UpdateContinuousBackups UpdateTable UpdateTimeToLive',
    ),
    [TABLES],
  ),
  // A restore writes with the permissions of its caller ("Restoring a table", DynamoDB Developer Guide), never into the
  // stage's first table.
  allow(each('dynamodb:', 'BatchWriteItem DeleteItem GetItem PutItem Query UpdateItem'), [RESTORED]),
  // A restored table with a key of one's own is a new user of the key.
  throughDynamoDb('CreateGrant'),
  // Where deployments find the stream of the restored table.
  allow(each('ssm:', 'GetParameter PutParameter'), [arn('ssm', `parameter/${NAME}/*`)]),
  allow(['cloudformation:DescribeStacks'], STACKS),
  ...STOPS_TRAFFIC,
  allow(['cloudwatch:DescribeAlarms', 'backup:DescribeRestoreJob'], ['*']),
  allow(['backup:StartRestoreJob'], [arn('backup', 'recovery-point:*'), arn('dynamodb', `table/${NAME}/backup/*`)]),
  allow(['iam:PassRole'], [BACKUP_ROLE], { StringEquals: { 'iam:PassedToService': 'backup.amazonaws.com' } }),
  KEEPS_RECORD,
);

/** `npm run verify`: acquirers, members and people of its own, what the stage logged, and what only a stage has. */
const VERIFIER = policy(
  ...items(TABLE_GRANTS),
  allow(['secretsmanager:GetSecretValue'], CARD_KEYS),
  allow(['logs:FilterLogEvents'], [...LOGS, ...RECORD]),
  allow(each('cloudformation:', 'DescribeStacks ListStackResources'), STACKS),
  allow(each('backup:', 'GetBackupSelection ListBackupSelections'), [arn('backup', 'backup-plan:*')]),
  allow(each('cloudwatch:', 'DescribeAlarms GetMetricData'), ['*']),
  KEEPS_RECORD,
);

/**
 * The policies that people attach to their roles, by name. Each says what for (docs/operations.md#permissions).
 */
export const POLICIES = {
  operator: policy(
    ...items(OPERATOR),
    allow(['secretsmanager:PutSecretValue'], [secret(`${NAME}/self-check-key-??????`)]),
    KEEPS_RECORD,
  ),
  'member-operator': policy(
    ...items(MEMBER_OPERATOR),
    SCANS,
    allow(each('secretsmanager:', 'GetSecretValue PutSecretValue'), CARD_KEYS),
    KEEPS_RECORD,
  ),
  auditor: policy(...items(AUDITOR), SCANS, ...OBSERVES, KEEPS_RECORD),
  deployer: DEPLOYER,
  recovery: RECOVERY,
  verifier: VERIFIER,
};
