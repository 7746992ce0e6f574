import { unzipSync } from 'fflate';
import { wordsIn } from '../../infra/operate/policies/policies.ts';
import { ROLE_STATEMENTS, SCOPES } from '../../infra/operate/policies/types.ts';

/*
 * Compares what CloudFormation may do with what the handlers of the types of a stage call, by its resource provider schemas,
 * such as those of https://schema.cloudformation.eu-central-1.amazonaws.com/CloudformationSchema.zip:
 * `npx node test/packaged/handlers.ts <URL>`. It exits with 1 for a difference.
 */

/** The type whose schema names no handlers, so that what they call cannot be compared. */
const BY_HAND = 'AWS::Budgets::Budget';

/** What handlers call only for a property that no template has. A test fails once one has it. */
export const UNUSED: Record<string, Record<string, string>> = {
  'AWS::ApiGatewayV2::Api': { BodyS3Location: 's3:GetObject' },
  'AWS::ApiGatewayV2::Integration': { CredentialsArn: 'iam:PassRole' },
  'AWS::Backup::BackupVault': {
    AccessPolicy: 'backup:PutBackupVaultAccessPolicy backup:DeleteBackupVaultAccessPolicy',
    LockConfiguration: 'backup:PutBackupVaultLockConfiguration backup:DeleteBackupVaultLockConfiguration',
    Notifications: 'backup:PutBackupVaultNotifications backup:DeleteBackupVaultNotifications',
  },
  'AWS::CodeDeploy::DeploymentGroup': { OnPremisesInstanceTagFilters: 'codedeploy:RegisterOnPremisesInstance' },
  'AWS::Cognito::UserPool': {
    EmailConfiguration: 'iam:CreateServiceLinkedRole',
    KeyConfiguration: 'kms:*',
    Schema: 'cognito-idp:AddCustomAttributes',
    SmsConfiguration: 'iam:PassRole',
  },
  'AWS::Cognito::UserPoolClient': { AnalyticsConfiguration: 'iam:*' },
  'AWS::Cognito::UserPoolDomain': { CustomDomainConfig: 'cloudfront:* kms:*' },
  'AWS::DynamoDB::Table': {
    ImportSourceSpecification: 'dynamodb:ImportTable logs:* s3:*',
    KinesisStreamSpecification: 'dynamodb:*KinesisStreamingDestination kinesis:*',
    ResourcePolicy: 'dynamodb:PutResourcePolicy dynamodb:DeleteResourcePolicy',
  },
  'AWS::Events::Rule': { RoleArn: 'iam:PassRole' },
  'AWS::IAM::Role': { Description: 'iam:UpdateRoleDescription' },
  'AWS::Lambda::EventSourceMapping': { KmsKeyArn: 'kms:*' },
  'AWS::Lambda::Function': {
    CapacityProviderConfig: 'lambda:PassCapacityProvider',
    CodeSigningConfigArn: 'lambda:PutFunctionCodeSigningConfig lambda:DeleteFunctionCodeSigningConfig',
    FileSystemConfigs: 'elasticfilesystem:* s3files:*',
    KmsKeyArn: 'kms:*',
    S3ObjectVersion: 's3:GetObjectVersion',
    VpcConfig: 'ec2:*',
  },
  'AWS::Logs::LogGroup': {
    BearerTokenAuthenticationEnabled: 'logs:PutBearerTokenAuthentication',
    DataProtectionPolicy: 'firehose:* logs:CreateLogDelivery logs:PutDataProtectionPolicy s3:*',
    FieldIndexPolicies: 'logs:PutIndexPolicy logs:DeleteIndexPolicy',
    KmsKeyId: 'logs:AssociateKmsKey logs:DisassociateKmsKey',
    ResourcePolicyDocument: 'logs:PutResourcePolicy logs:DeleteResourcePolicy',
  },
  'AWS::S3::Bucket': {
    AbacStatus: 's3:PutBucketAbac',
    AccelerateConfiguration: 's3:PutAccelerateConfiguration',
    AccessControl: 's3:PutBucketAcl s3:PutObjectAcl',
    AnalyticsConfigurations: 's3:*Analytics*',
    CorsConfiguration: 's3:*Cors',
    IntelligentTieringConfigurations: 's3:Put*Tiering*',
    InventoryConfigurations: 's3:Put*Inventory*',
    LifecycleConfiguration: 's3:*Lifecycle*',
    LoggingConfiguration: 's3:PutBucketLogging',
    MetadataConfiguration: 's3:*Metadata* s3tables:*',
    MetricsConfigurations: 's3:*Metrics*',
    NotificationConfiguration: 's3:PutBucketNotification',
    ObjectLockConfiguration: 's3:Put*ObjectLock*',
    OwnershipControls: 's3:PutBucketOwnershipControls',
    PublicAccessBlockConfiguration: 's3:PutBucketPublicAccessBlock',
    ReplicationConfiguration: 'iam:PassRole s3:*Replication*',
    VersioningConfiguration: 's3:PutBucketVersioning',
    WebsiteConfiguration: 's3:*Website',
  },
  'AWS::SecretsManager::Secret': {
    ReplicaRegions: 'secretsmanager:ReplicateSecretToRegions secretsmanager:RemoveRegionsFromReplication',
  },
  'AWS::SNS::Topic': {
    DataProtectionPolicy: 'sns:PutDataProtectionPolicy',
    DeliveryStatusLogging: 'iam:*',
    Subscription: 'sns:Subscribe sns:Unsubscribe',
  },
};

/** What handlers call and CloudFormation may not, whatever a template has. */
export const WITHHELD: Record<string, string> = {
  // Only replicas of a global table need them, or a key that is named by an alias. A deployment reads no items.
  'AWS::DynamoDB::Table': 'dynamodb:*Item *TableReplica Query Scan iam:CreateServiceLinkedRole kms:ListAliases',
  // No deployment lifts the boundary of a role.
  'AWS::IAM::Role': 'iam:DeleteRolePermissionsBoundary',
  // Only the deployer deletes artifacts.
  'AWS::S3::Bucket': 's3:DeleteObject',
};

/** The part of a resource provider schema that says what the handlers of its type call. */
interface Schema {
  typeName: string;
  handlers?: Record<string, { permissions: string[] }>;
  tagging?: { permissions?: string[] };
}

/** The schemas of an archive, as CloudFormation publishes it, by type. */
async function schemasOf(url: string): Promise<Map<string, Schema>> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} responded ${response.status}. Name the archive of another Region.`);
  const files = Object.values(unzipSync(new Uint8Array(await response.arrayBuffer())));
  const schemas = files.map((file): Schema => JSON.parse(new TextDecoder().decode(file)));
  return new Map(schemas.map((schema) => [schema.typeName, schema]));
}

/** Whether one of these patterns, such as `s3:Get*`, has an action. Neither's case matters. */
export const covers = (patterns: string[], action: string): boolean =>
  patterns.some((pattern) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 'i').test(action));

/**
 * What the handlers of the types of a stage call, by the schemas at a URL, and CloudFormation's role lacks; and what cannot
 * be told. Listing is left out: no deployment lists.
 */
async function findings(url: string): Promise<string[]> {
  const schemas = await schemasOf(url);
  const ofRoles = ROLE_STATEMENTS.flatMap(({ Action }) => Action);
  const types = [...new Set(SCOPES.flatMap(({ types }) => types)), 'AWS::IAM::Role'].sort();
  return types.flatMap((type) => {
    const { handlers, tagging } = schemas.get(type) ?? {};
    if (!handlers)
      return type === BY_HAND ? [] : [`${type}: no schema names what its handlers call. Is this the right archive?`];
    const { list: _, ...used } = handlers;
    const called = [...Object.values(used).flatMap(({ permissions }) => permissions), ...(tagging?.permissions ?? [])];
    const left = [...Object.values(UNUSED[type] ?? {}), WITHHELD[type] ?? ''].flatMap(wordsIn);
    const allowed = SCOPES.filter(({ types }) => types.includes(type)).flatMap(({ statement }) => statement.Action);
    const patterns = [...allowed, ...ofRoles, ...left];
    const lacking = [...new Set(called)].filter((action) => !covers(patterns, action)).sort();
    return lacking.map((action) => `${type}: its handlers call ${action}. Add it to infra/operate/policies/types.ts.`);
  });
}

if (import.meta.main) {
  const found = await findings(process.argv[2] ?? '');
  process.stdout.write(`${[...found, `${found.length} findings`].join('\n')}\n`);
  process.exitCode = Number(found.length > 0);
}
