import { executionRoleOf, nameOf } from '../../stack/template/definitions.ts';
import { arn, globalArn, policy } from '../../stack/template/iam.ts';
import { itemStatements } from '../../stack/template/roles.ts';
import { AUDITOR, MEMBER_OPERATOR, OPERATOR } from './operators.ts';
import { TABLE_GRANTS } from './verifyGrants.ts';

/*
 * The policies of the people and the pipeline of a stage, as data. template.ts makes a CloudFormation template of them, in
 * which CloudFormation replaces `${AWS::…}`, `${Stage}` and what differs between stages ({@link DIFFERENCES}).
 */

export interface Statement {
  Effect: 'Allow' | 'Deny';
  Action: string[];
  Resource: unknown;
  Condition?: object;
}

/**
 * What the template's mapping has for each stage: a shortened name, the name of the secret with the card HMAC key, the log
 * that no deployment deletes, and the policy with which the pipeline verifies.
 */
export const DIFFERENCES = ['Cut', 'CardKey', 'Kept', 'Verifies'] as const;

/** Text in which CloudFormation replaces what stands in `${…}`. */
export function sub(text: string) {
  const looked = DIFFERENCES.filter((name) => text.includes(`\${${name}}`));
  const values = looked.map((name) => [name, { 'Fn::FindInMap': ['Stages', { Ref: 'Stage' }, name] }]);
  return { 'Fn::Sub': looked.length > 0 ? [text, Object.fromEntries(values)] : text };
}

/** The words of a text, each with the prefix, such as `logs:`, of the last word that has one. */
export function wordsIn(text: string): string[] {
  let prefix = '';
  return text.split(/\s+/).map((word) => {
    const [, given, rest] = /^(.*:)?(.*)$/.exec(word) as unknown as [string, string | undefined, string];
    prefix = given ?? prefix;
    return prefix + rest;
  });
}

/** Allows the actions in a text: see {@link wordsIn}. */
export const allow = (actions: string, resources: string[], Condition?: object): Statement => ({
  Effect: 'Allow',
  Action: wordsIn(actions),
  Resource: resources.map((text) => (text === '*' ? text : sub(text))),
  ...(Condition && { Condition }),
});

const STAGE = `\${Stage}`;
export const NAME = nameOf(STAGE);

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
export const throughDynamoDb = (more = ''): Statement =>
  allow(`kms:Decrypt DescribeKey Encrypt GenerateDataKey* ReEncrypt* ${more}`.trim(), [arn('kms', 'key/*')], {
    StringEquals: { 'kms:ViaService': sub(`dynamodb.\${AWS::Region}.amazonaws.com`) },
  });

const items = (grants: typeof OPERATOR): Statement[] => [
  ...itemStatements(grants, sub(TABLES)).map((statement) => ({ Effect: 'Allow' as const, ...statement })),
  ...Object.entries(grants)
    .filter(([name]) => name.includes('-by-'))
    .map(([index, actions]) => allow(`dynamodb:${actions.join(' ')}`, [`${TABLES}/index/${index}`])),
  throughDynamoDb(),
];

const SCANS = allow('dynamodb:Scan', [TABLES]);

const secret = (name: string): string => arn('secretsmanager', `secret:${name}`);

/** The card HMAC key: the stage's own, or that of another stage, which a stage may name with its suffix or without. */
const CARD_KEYS = ['', '-??????'].map((suffix) => secret(`\${CardKey}${suffix}`));

const group = (name: string): string[] => ['', ':*'].map((rest) => arn('logs', `log-group:${name}${rest}`));

/** The log groups of functions and of API Gateway, and that of the record's copy. */
export const LOGS = [arn('logs', `log-group:/aws/lambda/${NAME}-*`), ...group(`/aws/http-api/${NAME}`)];
export const RECORD = group(`/${NAME}/record`);

/** Reads logs and metrics. Queries and metrics have no resource to name, or only for themselves. */
const OBSERVES = [
  allow('logs:FilterLogEvents GetLogEvents StartQuery DescribeLogStreams', [...LOGS, ...RECORD]),
  allow(
    `logs:DescribeLogGroups GetQueryResults StopQuery cloudwatch:DescribeAlarms GetMetricData GetMetricStatistics
      ListMetrics`,
    ['*'],
  ),
];

const deny = (...statement: Parameters<typeof allow>): Statement => ({ ...allow(...statement), Effect: 'Deny' });

/** Denies whatever could remove lines of the record's copy or add others, whoever else allows it. */
const KEEPS_RECORD = deny(
  `logs:CreateLogStream DeleteLogGroup DeleteLogStream PutLogEvents PutLogGroupDeletionProtection
      PutRetentionPolicy`,
  RECORD,
);

/** In a stage whose data is protected, not even a deployment deletes the record's copy. */
export const KEEPS_PROTECTED = deny('logs:DeleteLogGroup DeleteLogStream PutLogEvents', group(`/${NAME}/\${Kept}`));

/** The role of AWS Backup, which has AWS's own policies and no boundary (infra/stack/template/backup.ts). */
export const BACKUP_ROLE = globalArn('iam', `role/${NAME}-backup`);

/** The most that a role of the stage may ever do, whatever a template says. A boundary grants nothing by itself. */
export const BOUNDARY = policy(
  allow(
    `dynamodb:BatchGetItem ConditionCheckItem DeleteItem GetItem PutItem Query UpdateItem DescribeStream
      GetRecords GetShardIterator ListStreams`,
    // Also of indexes and streams.
    [TABLES],
  ),
  throughDynamoDb(),
  allow('secretsmanager:GetSecretValue', [secret(`${NAME}/*`), ...CARD_KEYS]),
  allow('logs:CreateLogStream PutLogEvents', LOGS),
  allow('logs:PutLogEvents', RECORD),
  allow('lambda:GetAlias GetProvisionedConcurrencyConfig UpdateAlias', [arn('lambda', `function:${NAME}-*`)]),
  allow('cloudwatch:DescribeAlarms xray:PutTelemetryRecords PutTraceSegments', ['*']),
);

/** Stops traffic, and mutes the alarms meanwhile. The ids of HTTP APIs are AWS's. */
const STOPS_TRAFFIC = [
  allow('apigateway:GET PATCH', [`arn:\${AWS::Partition}:apigateway:\${AWS::Region}::/apis/*/stages/*`]),
  allow('cloudwatch:DisableAlarmActions EnableAlarmActions', [arn('cloudwatch', `alarm:${NAME}-*`)]),
];

/** What the stage logged, and what only a stage has. */
const VERIFIES = [
  allow('logs:FilterLogEvents', [...LOGS, ...RECORD]),
  allow('cloudformation:DescribeStacks', STACKS),
  allow('cloudwatch:DescribeAlarms', ['*']),
];

export type Policy = ReturnType<typeof policy>;

/** What a policy of a person or of the pipeline is for, and its document. None changes the record's copy. */
const policyFor = (purpose: string, ...statements: Statement[]): [purpose: string, document: Policy] => [
  purpose,
  policy(...statements, KEEPS_RECORD),
];

/**
 * The policies that people attach to their roles, by name (docs/operations.md#permissions). IAM shows what each is for: it
 * cannot be changed later without a new policy.
 */
export const POLICIES = {
  operator: policyFor(
    'npm run operator, without members and cards',
    ...items(OPERATOR),
    allow('secretsmanager:PutSecretValue', [secret(`${NAME}/self-check-key-??????`)]),
  ),
  'member-operator': policyFor(
    'npm run operator: members, cards, the card HMAC key',
    ...items(MEMBER_OPERATOR),
    SCANS,
    allow('secretsmanager:GetSecretValue PutSecretValue', CARD_KEYS),
  ),
  auditor: policyFor(
    'npm run operator: audit, find, history; logs, metrics and the copy of the record',
    ...items(AUDITOR),
    SCANS,
    ...OBSERVES,
  ),
  // CloudFormation acts with the role of the stacks, whoever calls it.
  deployer: policyFor(
    'npm run deploy, and to stop traffic',
    allow(
      `cloudformation:CancelUpdateStack CreateChangeSet CreateStack DeleteChangeSet DescribeChangeSet
      DescribeStackEvents DescribeStackResource DescribeStackResources DescribeStacks ExecuteChangeSet GetTemplate
      ListStackResources SetStackPolicy UpdateStack UpdateTerminationProtection`,
      STACKS,
    ),
    allow('cloudformation:ValidateTemplate cloudwatch:DescribeAlarms', ['*']),
    allow('s3:GetBucketLocation ListBucket', [BUCKET]),
    allow('s3:DeleteObject GetObject PutObject', [`${BUCKET}/*`]),
    // Nobody else may pass that role, and to no other service (template.ts says why this matters).
    allow('iam:PassRole', [globalArn('iam', `role/${executionRoleOf(STAGE)}`)], {
      StringEquals: { 'iam:PassedToService': 'cloudformation.amazonaws.com' },
    }),
    // Whether the code has changed since the last deployment.
    allow('lambda:GetFunction', [arn('lambda', `function:${NAME}-*`)]),
    ...STOPS_TRAFFIC,
  ),
  // Restores the table beside the one in use.
  recovery: policyFor(
    'npm run recover, beside operator and member-operator',
    allow(
      `dynamodb:DescribeContinuousBackups DescribeTable DescribeTimeToLive RestoreTableToPointInTime TagResource UpdateContinuousBackups UpdateTable
      UpdateTimeToLive`,
      [TABLES],
    ),
    // A restore writes with the permissions of its caller ("Restoring a table", DynamoDB Developer Guide), never into the
    // stage's first table.
    allow('dynamodb:BatchWriteItem DeleteItem GetItem PutItem Query UpdateItem', [RESTORED]),
    // A restored table with a key of one's own is a new user of the key.
    throughDynamoDb('CreateGrant'),
    // Where deployments find the stream of the restored table.
    allow('ssm:PutParameter', [arn('ssm', `parameter/${NAME}/*`)]),
    allow('cloudformation:DescribeStacks', STACKS),
    ...STOPS_TRAFFIC,
    allow('cloudwatch:DescribeAlarms backup:DescribeRestoreJob', ['*']),
    allow('backup:StartRestoreJob', [arn('backup', 'recovery-point:*'), arn('dynamodb', `table/${NAME}/backup/*`)]),
    allow('iam:PassRole', [BACKUP_ROLE], { StringEquals: { 'iam:PassedToService': 'backup.amazonaws.com' } }),
  ),
  // Acquirers, members and people of its own, what the stage logged, and what only a stage has.
  verifier: policyFor(
    'npm run verify',
    ...items(TABLE_GRANTS),
    allow('secretsmanager:GetSecretValue', CARD_KEYS),
    ...VERIFIES,
  ),
  // The pipeline, where data is protected: neither items nor the card key.
  observer: policyFor('npm run verify -- --pipeline', ...VERIFIES),
};
