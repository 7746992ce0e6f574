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
} from './policies.ts';

/*
 * What CloudFormation may do to create, read, change and delete the resources of a stage.
 */

const API = `arn:\${AWS::Partition}:apigateway:\${AWS::Region}::`;
const FUNCTIONS = arn('lambda', `function:${NAME}-*`);

/**
 * Where IAM can name a resource before it exists, only those of the stage are named, with all actions of their service but
 * those on the table's items. It cannot for HTTP APIs, user pools, backup plans and budgets, whose ids AWS generates: there,
 * stages of an account can reach each other's. `*` stands only where IAM knows no resource ("Actions, resources, and condition
 * keys", Service Authorization Reference), or where a comment says so.
 */
const RESOURCES: Statement[] = [
  allow(
    'apigateway:*',
    ['/apis', '/apis/*', '/domainnames', '/domainnames/*', '/tags/*'].map((path) => API + path),
  ),
  allow('backup:*', [arn('backup', 'backup-plan:*'), arn('backup', `backup-vault:${NAME}`)]),
  // "Access control", AWS Backup Developer Guide: a vault needs a mount of its storage and a grant on its key.
  allow('backup-storage:Mount MountCapsule', ['*']),
  allow('kms:CreateGrant Decrypt DescribeKey GenerateDataKey RetireGrant', [arn('kms', 'key/*')], {
    StringEquals: { 'kms:ViaService': sub(`backup.\${AWS::Region}.amazonaws.com`) },
  }),
  allow('budgets:*', [globalArn('budgets', 'budget/*')]),
  allow('cloudwatch:*', [arn('cloudwatch', `alarm:${NAME}-*`), globalArn('cloudwatch', `dashboard/${NAME}*`)]),
  // A changed alias is a deployment.
  allow(
    'codedeploy:*',
    [`application:${NAME}`, `deploymentgroup:${NAME}/*`, 'deploymentconfig:*'].map((name) => arn('codedeploy', name)),
  ),
  allow('cognito-idp:*', [arn('cognito-idp', 'userpool/*')]),
  // Also on indexes and streams. A deployment reads no items.
  allow(
    `dynamodb:CreateTable DeleteTable Describe* GetResourcePolicy ListTagsOfResource TagResource UntagResource
      UpdateContinuousBackups UpdateContributorInsights UpdateTable UpdateTimeToLive`,
    [TABLES],
  ),
  throughDynamoDb('CreateGrant RevokeGrant'),
  allow('events:*', [arn('events', `rule/${NAME}-*`)]),
  allow('lambda:*', [FUNCTIONS]),
  allow(
    'lambda:CreateEventSourceMapping DeleteEventSourceMapping GetEventSourceMapping UpdateEventSourceMapping',
    ['*'],
    { ArnLike: { 'lambda:FunctionArn': sub(FUNCTIONS) } },
  ),
  allow('lambda:ListTags TagResource UntagResource', [arn('lambda', 'event-source-mapping:*')]),
  allow('logs:*', [...LOGS, ...RECORD]),
  allow('s3:*', [BUCKET, `${BUCKET}/*`]),
  // What is deployed can read the stage's secrets anyway, so no secret is kept from a deployment.
  allow('secretsmanager:*', [arn('secretsmanager', `secret:${NAME}/*`)]),
  allow('sns:*', [arn('sns', `${NAME}-*`)]),
  allow('ssm:*', [arn('ssm', `parameter/${NAME}/*`)]),
  // A narrower scope hides composite alarms (CloudWatch API Reference). Access logs of API Gateway are delivered by
  // CloudWatch Logs ("Configure logging for HTTP APIs", API Gateway Developer Guide).
  allow(
    `cloudwatch:DescribeAlarms codedeploy:StopDeployment cognito-idp:CreateUserPool DescribeUserPoolDomain
      logs:*LogDelivery Describe* ListLogDeliveries PutResourcePolicy secretsmanager:GetRandomPassword`,
    ['*'],
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
const ROLE_STATEMENTS: Statement[] = [
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

export const EXECUTION = policy(...RESOURCES, ...ROLE_STATEMENTS, KEEPS_PROTECTED);
