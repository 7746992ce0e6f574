import { boundaryOf } from '../../stack/template/definitions.ts';
import { arn, globalArn, policy } from '../../stack/template/iam.ts';
import {
  allow,
  BACKUP_ROLE,
  BUCKET,
  KEEPS_PROTECTED,
  LOGS,
  NAME,
  RECORD,
  type Statement,
  sub,
  TABLES,
  throughDynamoDb,
  wordsIn,
} from './policies.ts';

/*
 * What CloudFormation may do to create, read, change and delete the resources of a stage, by their types: what the handlers
 * of the types call (`handlers` and `tagging` of "CloudFormation resource provider schemas"), but for what
 * test/packaged/handlers.ts lists. It compares both. A type of a template that is missing here fails a test.
 */

export interface Scope {
  types: string[];
  statement: Statement;
}

const scope = (types: string, ...statement: Parameters<typeof allow>): Scope => ({
  types: wordsIn(types),
  statement: allow(...statement),
});

const API = `arn:\${AWS::Partition}:apigateway:\${AWS::Region}::`;

/**
 * Where IAM can name a resource before it exists, only those of the stage are named. It cannot for HTTP APIs, user pools,
 * backup plans and budgets, whose ids AWS generates: there, stages of an account can reach each other's. `*` stands only
 * where IAM knows no resource ("Actions, resources, and condition keys", Service Authorization Reference), or where a
 * comment says so.
 */
export const SCOPES: Scope[] = [
  scope(
    'AWS::ApiGatewayV2::Api ApiMapping DomainName Integration Route Stage',
    'apigateway:DELETE GET PATCH POST PUT TagResource UntagResource',
    ['/apis', '/apis/*', '/domainnames', '/domainnames/*', '/tags/*'].map((path) => API + path),
  ),
  // Access logs ("Configure logging for HTTP APIs", API Gateway Developer Guide).
  scope(
    'AWS::ApiGatewayV2::Stage',
    'logs:*LogDelivery DescribeLogGroups DescribeResourcePolicies ListLogDeliveries PutResourcePolicy',
    ['*'],
  ),
  scope(
    'AWS::Backup::BackupPlan BackupSelection',
    'backup:*BackupPlan *BackupSelection ListTags TagResource UntagResource',
    [arn('backup', 'backup-plan:*')],
  ),
  scope(
    'AWS::Backup::BackupVault',
    `backup:CreateBackupVault DeleteBackupVault DescribeBackupVault GetBackupVault* ListTags TagResource
      UntagResource`,
    [arn('backup', `backup-vault:${NAME}`)],
  ),
  // "Access control", AWS Backup Developer Guide: a vault needs a mount of its storage and a grant on its key.
  scope(
    'AWS::Backup::BackupVault',
    'backup-storage:Mount MountCapsule kms:CreateGrant Decrypt DescribeKey GenerateDataKey RetireGrant',
    ['*'],
    { StringEqualsIfExists: { 'kms:ViaService': sub(`backup.\${AWS::Region}.amazonaws.com`) } },
  ),
  // All actions on a budget but those on its actions (Service Authorization Reference, "AWS Budget Service").
  scope('AWS::Budgets::Budget', 'budgets:ListTagsForResource ModifyBudget TagResource UntagResource ViewBudget', [
    globalArn('budgets', 'budget/*'),
  ]),
  scope(
    'AWS::CloudWatch::Alarm',
    'cloudwatch:DeleteAlarms ListTagsForResource PutMetricAlarm TagResource UntagResource',
    [arn('cloudwatch', `alarm:${NAME}-*`)],
  ),
  // A narrower scope hides composite alarms, whose names are in the same namespace (CloudWatch API Reference).
  scope('AWS::CloudWatch::Alarm', 'cloudwatch:DescribeAlarms', ['*']),
  scope(
    'AWS::CloudWatch::Dashboard',
    'cloudwatch:DeleteDashboards GetDashboard ListTagsForResource PutDashboard TagResource UntagResource',
    [globalArn('cloudwatch', `dashboard/${NAME}*`)],
  ),
  // A changed alias is a deployment.
  scope(
    'AWS::CodeDeploy::Application DeploymentGroup AWS::Lambda::Alias',
    `codedeploy:*Application *DeploymentGroup CreateDeployment Get* ListDeployments ListTagsForResource
      RegisterApplicationRevision TagResource UntagResource`,
    [`application:${NAME}`, `deploymentgroup:${NAME}/*`, 'deploymentconfig:*'].map((name) => arn('codedeploy', name)),
  ),
  scope('AWS::CodeDeploy::DeploymentGroup AWS::Lambda::Alias', 'codedeploy:StopDeployment', ['*']),
  scope('AWS::Cognito::UserPool', 'cognito-idp:CreateUserPool', ['*']),
  scope('AWS::Cognito::UserPoolDomain', 'cognito-idp:DescribeUserPoolDomain', ['*']),
  scope(
    'AWS::Cognito::ManagedLoginBranding UserPool UserPoolClient UserPoolDomain',
    `cognito-idp:*ManagedLoginBranding* *UserPool *UserPoolClient *UserPoolDomain *UserPoolMfaConfig
      ListTagsForResource TagResource UntagResource`,
    [arn('cognito-idp', 'userpool/*')],
  ),
  // Also on indexes and streams.
  scope(
    'AWS::DynamoDB::Table',
    `dynamodb:CreateTable DeleteTable Describe* GetResourcePolicy ListTagsOfResource TagResource UntagResource
      UpdateContinuousBackups UpdateContributorInsights UpdateTable UpdateTimeToLive`,
    [TABLES],
  ),
  { types: ['AWS::DynamoDB::Table'], statement: throughDynamoDb('CreateGrant RevokeGrant') },
  scope(
    'AWS::Events::Rule',
    'events:DeleteRule DescribeRule ListT* PutRule PutTargets RemoveTargets TagResource UntagResource',
    [arn('events', `rule/${NAME}-*`)],
  ),
  // None of them invokes, nor gives a function a URL of its own.
  scope(
    'AWS::Lambda::Alias EventInvokeConfig Function Permission Version',
    `lambda:*Alias *FunctionConcurrency *FunctionEventInvokeConfig *FunctionRecursionConfig
      *FunctionScalingConfig *Permission *ProvisionedConcurrencyConfig *RuntimeManagementConfig CreateFunction
      DeleteFunction Get* List* PublishVersion TagResource UntagResource UpdateFunctionCode
      UpdateFunctionConfiguration`,
    [arn('lambda', `function:${NAME}-*`)],
  ),
  scope(
    'AWS::Lambda::EventSourceMapping',
    `lambda:CreateEventSourceMapping DeleteEventSourceMapping GetEventSourceMapping UpdateEventSourceMapping`,
    ['*'],
    { ArnLike: { 'lambda:FunctionArn': sub(arn('lambda', `function:${NAME}-*`)) } },
  ),
  scope('AWS::Lambda::EventSourceMapping', 'lambda:ListTags TagResource UntagResource', [
    arn('lambda', 'event-source-mapping:*'),
  ]),
  scope(
    'AWS::Logs::LogGroup LogStream MetricFilter',
    `logs:*LogGroup *LogStream *MetricFilter *RetentionPolicy DeleteDataProtectionPolicy DescribeLogStreams
      DescribeMetricFilters GetDataProtectionPolicy ListTagsForResource PutLogGroupDeletionProtection TagResource
      UntagResource`,
    [...LOGS, ...RECORD],
  ),
  scope('AWS::Logs::LogGroup', 'logs:DescribeIndexPolicies DescribeLogGroups DescribeResourcePolicies', ['*']),
  scope(
    'AWS::S3::Bucket BucketPolicy',
    `s3:*BucketTagging CreateBucket DeleteBucket DeleteBucketPolicy DeleteBucketEncryption Get*Configuration
      GetBucket* ListBucket ListTagsForResource PutBucketPolicy PutEncryptionConfiguration TagResource
      UntagResource`,
    [BUCKET],
  ),
  // The code of functions.
  scope('AWS::Lambda::Function', 's3:GetObject', [`${BUCKET}/*`]),
  // What is deployed can read the stage's secrets anyway, so no secret is kept from a deployment.
  scope(
    'AWS::SecretsManager::Secret',
    `secretsmanager:CreateSecret DeleteSecret DescribeSecret GetSecretValue PutSecretValue TagResource
      UntagResource UpdateSecret`,
    [arn('secretsmanager', `secret:${NAME}/*`)],
  ),
  scope('AWS::SecretsManager::Secret', 'secretsmanager:GetRandomPassword', ['*']),
  scope(
    'AWS::SNS::Topic TopicPolicy',
    `sns:CreateTopic DeleteTopic GetDataProtectionPolicy GetTopicAttributes ListSubscriptionsByTopic
      ListTagsForResource SetTopicAttributes TagResource UntagResource`,
    [arn('sns', `${NAME}-*`)],
  ),
  // GetParameters also resolves `{{resolve:ssm:…}}`.
  scope(
    'AWS::SSM::Parameter',
    `ssm:AddTagsToResource DeleteParameter GetParameters ListTagsForResource PutParameter RemoveTagsFromResource`,
    [arn('ssm', `parameter/${NAME}/*`)],
  ),
];

/** The stage's own roles have its name as their path, so that IAM can name all of them. */
const ROLES = [globalArn('iam', `role/${NAME}/*`)];
const HAS_BOUNDARY = {
  StringEquals: { 'iam:PermissionsBoundary': sub(globalArn('iam', `policy/${boundaryOf(`\${Stage}`)}`)) },
};
const KEEP = `iam:DeleteRole GetRole GetRolePolicy ListAttachedRolePolicies ListRolePolicies ListRoleTags TagRole
      UntagRole UpdateRole`;

/** What creates and changes the stage's roles. None can get more than the boundary, and none of another stage is touched. */
export const ROLE_STATEMENTS: Statement[] = [
  allow(
    'iam:CreateRole DeleteRolePolicy PutRolePermissionsBoundary PutRolePolicy UpdateAssumeRolePolicy',
    ROLES,
    HAS_BOUNDARY,
  ),
  allow(KEEP, ROLES),
  allow('iam:PassRole', ROLES, {
    StringEquals: { 'iam:PassedToService': ['lambda.amazonaws.com', 'codedeploy.amazonaws.com'] },
  }),
  allow(`${KEEP} CreateRole`, [BACKUP_ROLE]),
  allow('iam:AttachRolePolicy DetachRolePolicy', [BACKUP_ROLE], {
    ArnLike: {
      'iam:PolicyARN': sub(`arn:\${AWS::Partition}:iam::aws:policy/service-role/AWSBackupServiceRolePolicyFor*`),
    },
  }),
  allow('iam:PassRole', [BACKUP_ROLE], { StringEquals: { 'iam:PassedToService': 'backup.amazonaws.com' } }),
  allow('iam:CreateServiceLinkedRole', [globalArn('iam', 'role/aws-service-role/*')], {
    StringEquals: { 'iam:AWSServiceName': ['backup.amazonaws.com', 'ops.apigateway.amazonaws.com'] },
  }),
];

export const EXECUTION = policy(...SCOPES.map(({ statement }) => statement), ...ROLE_STATEMENTS, KEEPS_PROTECTED);
