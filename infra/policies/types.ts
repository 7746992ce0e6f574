/*
 * What CloudFormation does to create, change and delete the resources of a stage, by their types. A type of a template that
 * is missing here fails a test.
 */

/** Actions on resources. `${Name}` is the beginning of the stage's names, such as `acquirer-partner-api-prod`. */
export interface Scope {
  types: string[];
  actions: string[];
  /** ARNs without partition and account: the service, `regional` or `global`, and the resource. `*` is any. */
  resources: string[];
  condition?: Record<string, Record<string, string | string[]>>;
}

const REGIONAL = (service: string) => `arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}:`;
const GLOBAL = (service: string) => `arn:\${AWS::Partition}:${service}::\${AWS::AccountId}:`;
const API = `arn:\${AWS::Partition}:apigateway:\${AWS::Region}::`;

/** CloudFormation cuts long names of stacks to 24 characters where it generates a name. */
const CUT = `\${Name24}`;
export const BUCKET = `arn:\${AWS::Partition}:s3:::${CUT}*-serverlessdeploymentbuck*`;

/**
 * Where IAM can name a resource before it exists, only those of the stage are named. It cannot for HTTP APIs, user pools,
 * backup plans and budgets, whose ids AWS generates: there, stages of an account can reach each other's.
 */
export const SCOPES: Scope[] = [
  {
    types: ['Api', 'ApiMapping', 'DomainName', 'Integration', 'Route', 'Stage'].map((t) => `AWS::ApiGatewayV2::${t}`),
    actions: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((a) => `apigateway:${a}`),
    resources: ['/apis', '/apis/*', '/domainnames', '/domainnames/*', '/tags/*'].map((path) => API + path),
  },
  {
    // Access logs of an HTTP API ("Logging for HTTP APIs", API Gateway Developer Guide).
    types: ['AWS::ApiGatewayV2::Stage'],
    actions: [
      ...['CreateLogDelivery', 'DeleteLogDelivery', 'GetLogDelivery', 'ListLogDeliveries', 'UpdateLogDelivery'],
      ...['DescribeLogGroups', 'DescribeResourcePolicies', 'PutResourcePolicy'],
    ].map((action) => `logs:${action}`),
    resources: ['*'],
  },
  {
    types: ['BackupPlan', 'BackupSelection', 'BackupVault'].map((type) => `AWS::Backup::${type}`),
    actions: [
      'Create*',
      'Delete*',
      'Get*',
      'List*',
      'TagResource',
      'UntagResource',
      'Update*',
      'DescribeBackupVault',
    ].map((action) => `backup:${action}`),
    resources: [`${REGIONAL('backup')}backup-vault:\${Name}`, `${REGIONAL('backup')}backup-plan:*`],
  },
  {
    // "Access control", AWS Backup Developer Guide: a vault needs a mount of its storage and a grant on its key.
    types: ['AWS::Backup::BackupVault'],
    actions: [
      'backup-storage:MountCapsule',
      'kms:CreateGrant',
      'kms:Decrypt',
      'kms:DescribeKey',
      'kms:GenerateDataKey',
      'kms:RetireGrant',
    ],
    resources: ['*'],
    condition: { StringEqualsIfExists: { 'kms:ViaService': [`backup.\${AWS::Region}.amazonaws.com`] } },
  },
  {
    types: ['AWS::Budgets::Budget'],
    actions: ['ListTagsForResource', 'ModifyBudget', 'TagResource', 'UntagResource', 'ViewBudget'].map(
      (a) => `budgets:${a}`,
    ),
    resources: [`${GLOBAL('budgets')}budget/*`],
  },
  {
    types: ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'],
    actions: [
      'DeleteAlarms',
      'DescribeAlarms',
      'ListTagsForResource',
      'PutCompositeAlarm',
      'PutMetricAlarm',
      'TagResource',
      'UntagResource',
    ].map((action) => `cloudwatch:${action}`),
    resources: [`${REGIONAL('cloudwatch')}alarm:\${Name}-*`],
  },
  {
    types: ['AWS::CloudWatch::Dashboard'],
    actions: ['DeleteDashboards', 'GetDashboard', 'PutDashboard'].map((action) => `cloudwatch:${action}`),
    resources: [`${GLOBAL('cloudwatch')}dashboard/\${Name}*`],
  },
  {
    types: ['AWS::CodeDeploy::Application', 'AWS::CodeDeploy::DeploymentGroup'],
    // A changed alias is a deployment.
    actions: [
      'Batch*',
      'Create*',
      'Delete*',
      'Get*',
      'List*',
      'RegisterApplicationRevision',
      'StopDeployment',
      'TagResource',
      'UntagResource',
      'Update*',
    ].map((action) => `codedeploy:${action}`),
    resources: [`application:\${Name}`, `deploymentgroup:\${Name}/*`, 'deploymentconfig:*'].map(
      (resource) => REGIONAL('codedeploy') + resource,
    ),
  },
  {
    types: ['ManagedLoginBranding', 'UserPool', 'UserPoolClient', 'UserPoolDomain'].map(
      (type) => `AWS::Cognito::${type}`,
    ),
    actions: ['CreateUserPool', 'DescribeUserPoolDomain'].map((action) => `cognito-idp:${action}`),
    resources: ['*'],
  },
  {
    types: ['AWS::Cognito::UserPool'],
    actions: [
      ...['Create*', 'Delete*', 'Describe*', 'Get*', 'List*', 'Set*', 'TagResource', 'UntagResource', 'Update*'],
    ].map((action) => `cognito-idp:${action}`),
    resources: [`${REGIONAL('cognito-idp')}userpool/*`],
  },
  {
    types: ['AWS::DynamoDB::Table'],
    actions: [
      ...['CreateTable', 'DeleteTable', 'Describe*', 'ListTagsOfResource', 'TagResource', 'UntagResource'],
      ...['UpdateContinuousBackups', 'UpdateContributorInsights', 'UpdateTable', 'UpdateTimeToLive'],
    ].map((action) => `dynamodb:${action}`),
    resources: ['', '-*'].map((rest) => `${REGIONAL('dynamodb')}table/\${Name}${rest}`),
  },
  {
    // A table with a key of one's own.
    types: ['AWS::DynamoDB::Table'],
    actions: ['kms:CreateGrant', 'kms:DescribeKey'],
    resources: [`${REGIONAL('kms')}key/*`],
    condition: { StringEquals: { 'kms:ViaService': [`dynamodb.\${AWS::Region}.amazonaws.com`] } },
  },
  {
    types: ['AWS::Events::Rule'],
    actions: [
      'DeleteRule',
      'DescribeRule',
      'ListTagsForResource',
      'ListTargetsByRule',
      'PutRule',
      'PutTargets',
      'RemoveTargets',
      'TagResource',
      'UntagResource',
    ].map((action) => `events:${action}`),
    resources: [`${REGIONAL('events')}rule/\${Name}-*`],
  },
  {
    types: ['Alias', 'EventInvokeConfig', 'Function', 'Permission', 'Version'].map((type) => `AWS::Lambda::${type}`),
    // None of them invokes.
    actions: [
      'Add*',
      'Create*',
      'Delete*',
      'Get*',
      'List*',
      'Publish*',
      'Put*',
      'Remove*',
      'Tag*',
      'Untag*',
      'Update*',
    ].map((action) => `lambda:${action}`),
    resources: [`${REGIONAL('lambda')}function:\${Name}-*`],
  },
  {
    types: ['AWS::Lambda::EventSourceMapping'],
    actions: [
      'CreateEventSourceMapping',
      'DeleteEventSourceMapping',
      'GetEventSourceMapping',
      'UpdateEventSourceMapping',
    ].map((action) => `lambda:${action}`),
    resources: ['*'],
    condition: { ArnLike: { 'lambda:FunctionArn': `${REGIONAL('lambda')}function:\${Name}-*` } },
  },
  {
    types: ['AWS::Lambda::EventSourceMapping'],
    actions: ['lambda:ListTags', 'lambda:TagResource', 'lambda:UntagResource'],
    resources: [`${REGIONAL('lambda')}event-source-mapping:*`],
  },
  {
    types: ['AWS::Logs::LogGroup', 'AWS::Logs::LogStream', 'AWS::Logs::MetricFilter'],
    actions: [
      ...['CreateLogGroup', 'CreateLogStream', 'DeleteLogGroup', 'DeleteLogStream', 'DeleteMetricFilter'],
      ...['DescribeLogStreams', 'DescribeMetricFilters', 'ListTagsForResource', 'PutLogGroupDeletionProtection'],
      ...['PutMetricFilter', 'PutRetentionPolicy', 'TagResource', 'UntagResource'],
    ].map((action) => `logs:${action}`),
    resources: [`/aws/lambda/\${Name}-*`, `/aws/http-api/\${Name}`, `/\${Name}/record`].flatMap((group) =>
      ['', ':*'].map((rest) => `${REGIONAL('logs')}log-group:${group}${rest}`),
    ),
  },
  {
    types: ['AWS::S3::Bucket', 'AWS::S3::BucketPolicy'],
    actions: [
      'CreateBucket',
      'DeleteBucket',
      'DeleteBucketPolicy',
      'GetBucket*',
      'GetEncryptionConfiguration',
      'ListBucket',
      'PutBucket*',
      'PutEncryptionConfiguration',
      'PutLifecycleConfiguration',
    ].map((action) => `s3:${action}`),
    resources: [BUCKET],
  },
  {
    // The code of functions.
    types: ['AWS::Lambda::Function'],
    actions: ['s3:GetObject'],
    resources: [`${BUCKET}/*`],
  },
  {
    types: ['AWS::SecretsManager::Secret'],
    // It cannot read a secret, but replace it.
    actions: [
      'CreateSecret',
      'DeleteSecret',
      'DescribeSecret',
      'GetResourcePolicy',
      'PutSecretValue',
      'TagResource',
      'UntagResource',
      'UpdateSecret',
    ].map((action) => `secretsmanager:${action}`),
    resources: [`${REGIONAL('secretsmanager')}secret:\${Name}/*`],
  },
  { types: ['AWS::SecretsManager::Secret'], actions: ['secretsmanager:GetRandomPassword'], resources: ['*'] },
  {
    types: ['AWS::SNS::Topic', 'AWS::SNS::TopicPolicy'],
    actions: [
      'CreateTopic',
      'DeleteTopic',
      'GetTopicAttributes',
      'ListTagsForResource',
      'SetTopicAttributes',
      'TagResource',
      'UntagResource',
    ].map((action) => `sns:${action}`),
    resources: [`${REGIONAL('sns')}\${Name}-*`],
  },
];
