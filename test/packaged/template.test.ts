import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { alarms, availabilityAlarmOf } from '../../infra/template/alarms.ts';
import { CEILINGS, type Ceilings, ceilings, readCeilings } from '../../infra/template/ceilings.ts';
import { CORS, cors } from '../../infra/template/cors.ts';
import {
  ENDPOINTS,
  FUNCTIONS,
  functionsOf,
  INDEXES,
  isOfConsole,
  logicalId,
  MEMORY,
  OPERATIONS as PARTNERS,
  routeKey,
} from '../../infra/template/definitions.ts';
import { domain } from '../../infra/template/domain.ts';
import { readOptions } from '../../infra/template/options.ts';
import { record } from '../../infra/template/record.ts';
import { hasIssuer, readSignIn } from '../../infra/template/signIn.ts';
import { SLOS } from '../../infra/template/slos.ts';
import { table } from '../../infra/template/table.ts';
import { type Resource, referencesIn, resourceOf, type Template } from '../../infra/template/template.ts';
import { addVersions } from '../../infra/template/versions.ts';
import { METRICS } from '../../lib/base/metrics.ts';
import { UNITS_PER_TOKEN } from '../../lib/http/rateLimit.ts';
import { MOST_IN_SEQUENCE, TIMEOUT_MS } from '../../lib/platform/selfCheck.ts';
import { BUDGET_MS, RETRY_MS } from '../../lib/table/retry.ts';
import { LIMITS } from '../../lib/table/sdk.ts';
import { isAwsMetric, tagsOf, templateErrors } from '../awsTable/spec.ts';
import { resolved } from './deployed.ts';
import { templateOf as compiled, OPTIONAL, STANDBY, USER_POOL } from './packaging.ts';

/*
 * Checks the templates that `serverless package` makes of serverless.yml and infra/ for each stage.
 */

/** A stage's parameters in serverless.yml. */
interface Stage extends Ceilings {
  name: string;
  region: string;
  deployment: string;
  logLevel: string;
  logRetentionDays: number;
  rate: number;
  burst: number;
  eventDays: number;
  urgentTopic: string;
  protection: boolean;
  dataRemoval: 'Delete' | 'Retain';
  memberCheckInstances: number;
  throttleRate: number;
  throttleBurst: number;
  table: string;
  domain: string;
  siteOrigin: string;
  issuer: string;
  clientId: string;
  cognitoDomainPrefix: string;
  cognitoClient: number | string;
  warmReadUnits: number | string;
  warmWriteUnits: number | string;
  tracing: boolean | string;
  kmsKey: string;
  backupVault: string;
  cardHmacKeySecret: string | { Ref: string };
}

const { params } = parse(readFileSync('serverless.yml', 'utf8')) as { params: Record<string, Partial<Stage>> };
const stageOf = (name: string, more: Partial<Stage> = {}): Stage =>
  ({ ...params['default'], table: `acquirer-partner-api-${name}`, ...params[name], name, ...more }) as Stage;

const STAGES = ['dev', 'staging', 'prod'].map((name) => stageOf(name));
const prod = stageOf('prod');
const ELSEWHERE = { table: 'acquirer-partner-api-prod-2', ...OPTIONAL };
const OWN_POOL = { domain: OPTIONAL.domain, certificate: OPTIONAL.certificate, ...USER_POOL, cognitoClient: '2' };
const VARIANTS: [title: string, stage: Stage, params: Record<string, string>][] = [
  ...STAGES.map((stage): [string, Stage, Record<string, string>] => [stage.name, stage, {}]),
  ['dev with every option', stageOf('dev', OPTIONAL), OPTIONAL],
  ['staging with every option', stageOf('staging', OPTIONAL), OPTIONAL],
  ['prod with every option and a restored table', stageOf('prod', ELSEWHERE), ELSEWHERE],
  ['dev with a user pool', stageOf('dev', USER_POOL), USER_POOL],
  ['prod with a domain and a user pool', stageOf('prod', OWN_POOL), OWN_POOL],
  ['the standby of docs/scale.md', stageOf('standby', STANDBY), {}],
];

const templates: Record<string, Template> = {};
const templateOf = (title: string): Template => structuredClone(templates[title] as Template);
beforeAll(async () => {
  for (const [title, { name }, params] of VARIANTS) templates[title] = await compiled(name, params);
});

describe.each(STAGES)('the parameters of $name', (stage) => {
  const { rate, burst, throttleRate, throttleBurst, memberCheckConcurrency, memberCheckInstances } = stage;

  test('let an acquirer at its limit write at most a tenth of the units, and send the heaviest request', () => {
    expect(rate * UNITS_PER_TOKEN).toBeLessThanOrEqual(stage.maxWriteUnits / 10);
    // docs/guides/rate-limits.md has this weight.
    expect(burst).toBeGreaterThan(111);
  });

  test('serve ten acquirers at their limits per route, and less than one of them at unknown routes and at sign-in', () => {
    expect([throttleRate, throttleBurst]).toEqual([10 * rate, 20 * rate]);
    expect(stage.createRate).toBe(throttleRate);
    // In prod, five times as many, so that tills are served beside a flood; half of an account's default quota.
    expect(stage.memberCheckRate).toBe(stage.name === 'prod' ? 5000 : throttleRate);
    expect(stage.unknownRate).toBeLessThan(rate);
    expect(stage.signInRate).toBe(stage.unknownRate);
    expect(stage.monthlyBudget).toBeGreaterThan(0);
  });

  test('protect only prod, which also pages', () => {
    const { name, protection, dataRemoval, urgentTopic } = stage;
    const isProd = name === 'prod';
    expect({ protection, dataRemoval, urgentTopic }).toEqual({
      protection: isProd,
      dataRemoval: isProd ? 'Retain' : 'Delete',
      urgentTopic: isProd ? 'PageTopic' : 'NoticeTopic',
    });
  });

  test('give staging the shape of prod: gradual, with reserved concurrency and fewer warm instances', () => {
    const isGradual = stage.deployment.startsWith('Canary');
    const isDev = stage.name === 'dev';
    expect([isGradual, memberCheckInstances > 0, memberCheckConcurrency > 0]).toEqual([!isDev, !isDev, !isDev]);
    // During a deployment, two versions have warm instances.
    expect(memberCheckConcurrency).toBeGreaterThanOrEqual(2 * memberCheckInstances);
    expect(Object.keys(params['staging'] ?? {})).toEqual(Object.keys(params['prod'] ?? {}));
  });
});

/** Whether people can sign in, at an issuer or at a user pool of the stage's own. */
const hasPeople = ({ issuer, cognitoDomainPrefix }: Stage): boolean => Boolean(issuer || cognitoDomainPrefix);

/** The functions of a stage: those of `functions/console` only where people can sign in. */
const namesOf = (stage: Stage): string[] =>
  Object.keys(FUNCTIONS).filter(
    (name) => hasPeople(stage) || !FUNCTIONS[name]?.handler.startsWith('functions/console/'),
  );
const endpointsOf = (stage: Stage): string[] => namesOf(stage).filter((name) => ENDPOINTS[name]);

const lambdaOf = (name: string): string => logicalId(name, 'LambdaFunction');

const idsOf = (template: Template, type: string): string[] =>
  Object.keys(template.Resources).filter((id) => template.Resources[id]?.Type === type);
// biome-ignore lint/suspicious/noExplicitAny: each type has properties of its own
const propertiesOf = (template: Template, id: string): any => resourceOf(template, id).Properties;
const functionOf = (template: Template, name: string) => propertiesOf(template, lambdaOf(name));

/** The client of a stage's user pool. */
const clientOf = ({ cognitoClient }: Stage): string => `UserPoolClient${cognitoClient}`;

/** The types of which a template has exactly these resources. */
const resourcesOf = (stage: Stage, names = namesOf(stage)): Record<string, string[]> => ({
  'AWS::Lambda::Function': names.map(lambdaOf),
  'AWS::IAM::Role': [
    ...names.map((name) => logicalId(name, 'Role')),
    'DeploymentRole',
    ...(stage.backupVault ? ['BackupRole'] : []),
    // `npm run verify` probes IAM with it, where data is not protected.
    ...(stage.protection ? [] : ['ProbeRole']),
  ],
  'AWS::Backup::BackupVault': stage.backupVault ? ['BackupVault'] : [],
  'AWS::Backup::BackupPlan': stage.backupVault ? ['BackupPlan'] : [],
  'AWS::Backup::BackupSelection': stage.backupVault ? ['BackupSelection'] : [],
  'AWS::Logs::LogGroup': [...names.map((name) => logicalId(name, 'LogGroup')), 'HttpApiLogGroup', 'RecordLogGroup'],
  'AWS::Lambda::EventSourceMapping': ['KeepRecordMapping'],
  'AWS::Lambda::Alias': names.map((name) => logicalId(name, 'LiveAlias')),
  'AWS::CodeDeploy::Application': ['Deployments'],
  'AWS::CodeDeploy::DeploymentGroup': names.map((name) => logicalId(name, 'DeploymentGroup')),
  'AWS::ApiGatewayV2::DomainName': stage.domain ? ['Domain'] : [],
  'AWS::ApiGatewayV2::ApiMapping': stage.domain ? ['DomainMapping'] : [],
  'AWS::DynamoDB::Table': ['Table'],
  'AWS::SecretsManager::Secret': [
    // A standby has the copy of another stage's.
    ...(typeof stage.cardHmacKeySecret === 'object' ? ['CardHmacKey'] : []),
    'SelfCheckKey',
    ...(hasPeople(stage) ? ['ClientSecret', 'SealingKey'] : []),
  ],
  'AWS::Cognito::UserPool': stage.cognitoDomainPrefix ? ['UserPool'] : [],
  'AWS::Cognito::UserPoolClient': stage.cognitoDomainPrefix ? [clientOf(stage)] : [],
  'AWS::Cognito::UserPoolDomain': stage.cognitoDomainPrefix ? ['UserPoolDomain'] : [],
  'AWS::Cognito::ManagedLoginBranding': stage.cognitoDomainPrefix ? [`UserPoolStyle${stage.cognitoClient}`] : [],
  'AWS::SNS::Topic': ['PageTopic', 'NoticeTopic'],
  // The URL of a pager is a credential, so operators subscribe by hand.
  'AWS::SNS::Subscription': [],
  'AWS::Budgets::Budget': ['Budget'],
});

const tagged = { Tags: expect.anything() };

/** Properties of single resources, and why. */
const expectedProperties = (stage: Stage): Record<string, object> => ({
  ...commonProperties(stage),
  ...(hasPeople(stage) && signInProperties(stage)),
  ...(stage.cognitoDomainPrefix && userPoolProperties(stage)),
  ...(stage.backupVault && backupProperties(stage)),
});

/**
 * The backup of the table, and its copy. By "AWS::Backup::BackupPlan" and the pages of its properties, names of plans,
 * vaults, rules and selections have at most 50 letters, digits, hyphens and underscores. "Lifecycle": a backup is deleted
 * after 1 day or later. By "BackupSelectionResourceType" (the same guide), a selection has at most 500 resources.
 */
const backupProperties = ({ name, table, backupVault }: Stage): Record<string, object> => ({
  BackupVault: { BackupVaultName: `acquirer-partner-api-${name}`, BackupVaultTags: expect.anything() },
  BackupRole: {
    RoleName: `acquirer-partner-api-${name}-backup`,
    AssumeRolePolicyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: { Service: 'backup.amazonaws.com' }, Action: 'sts:AssumeRole' }],
    },
    // "Managed policies for AWS Backup", AWS Backup Developer Guide.
    ManagedPolicyArns: ['Backup', 'Restores'].map((suffix) => ({
      'Fn::Sub': `arn:\${AWS::Partition}:iam::aws:policy/service-role/AWSBackupServiceRolePolicyFor${suffix}`,
    })),
    ...tagged,
  },
  BackupPlan: expect.objectContaining({
    BackupPlan: {
      BackupPlanName: `acquirer-partner-api-${name}`,
      BackupPlanRule: [
        {
          RuleName: 'table',
          TargetBackupVault: { Ref: 'BackupVault' },
          ScheduleExpression: 'cron(0 3 * * ? *)',
          Lifecycle: { DeleteAfterDays: 7 },
          CopyActions: [{ DestinationBackupVaultArn: backupVault, Lifecycle: { DeleteAfterDays: 7 } }],
        },
      ],
    },
  }) as unknown as object,
  BackupSelection: {
    BackupPlanId: { Ref: 'BackupPlan' },
    BackupSelection: {
      SelectionName: 'table',
      IamRoleArn: { 'Fn::GetAtt': ['BackupRole', 'Arn'] },
      Resources: [{ 'Fn::Sub': `arn:\${AWS::Partition}:dynamodb:\${AWS::Region}:\${AWS::AccountId}:table/${table}` }],
    },
  },
});

/** The secrets of the sign-in. */
const signInProperties = (stage: Stage): Record<string, object> => ({
  // The operator sets this one, or Cognito.
  ClientSecret: {
    Name: `acquirer-partner-api-${stage.name}/client-secret`,
    Description: expect.any(String),
    ...(stage.cognitoDomainPrefix && { SecretString: { 'Fn::GetAtt': [clientOf(stage), 'ClientSecret'] } }),
    ...tagged,
  },
  SealingKey: {
    Name: `acquirer-partner-api-${stage.name}/sealing-key`,
    Description: expect.any(String),
    GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true },
    ...tagged,
  },
});

/** The stage's own user pool. */
const userPoolProperties = (stage: Stage): Record<string, object> => ({
  // Nobody signs up by themselves, every address is verified, and everybody has a second factor.
  UserPool: {
    UserPoolName: `acquirer-partner-api-${stage.name}-people`,
    UserPoolTier: 'ESSENTIALS',
    DeletionProtection: stage.protection ? 'ACTIVE' : 'INACTIVE',
    AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
    UsernameAttributes: ['email'],
    UsernameConfiguration: { CaseSensitive: false },
    AutoVerifiedAttributes: ['email'],
    UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] },
    AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'verified_email', Priority: 1 }] },
    MfaConfiguration: 'ON',
    EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
    Policies: {
      PasswordPolicy: {
        MinimumLength: 14,
        RequireLowercase: true,
        RequireUppercase: true,
        RequireNumbers: true,
        RequireSymbols: true,
        TemporaryPasswordValidityDays: 7,
      },
    },
    UserPoolTags: expect.anything(),
  },
  UserPoolDomain: { UserPoolId: { Ref: 'UserPool' }, Domain: stage.cognitoDomainPrefix, ManagedLoginVersion: 2 },
  // Without a style, managed login has no pages.
  [`UserPoolStyle${stage.cognitoClient}`]: {
    UserPoolId: { Ref: 'UserPool' },
    ClientId: { Ref: clientOf(stage) },
    UseCognitoProvidedValues: true,
  },
  // A confidential client that can only use codes, only for this console.
  [clientOf(stage)]: expect.objectContaining({
    UserPoolId: { Ref: 'UserPool' },
    GenerateSecret: true,
    AllowedOAuthFlowsUserPoolClient: true,
    AllowedOAuthFlows: ['code'],
    AllowedOAuthScopes: ['openid', 'email', 'profile'],
    CallbackURLs: [redirectOf(stage)],
    SupportedIdentityProviders: ['COGNITO'],
    PreventUserExistenceErrors: 'ENABLED',
  }) as unknown as object,
});

const redirectOf = ({ domain }: Stage): unknown =>
  domain ? `https://${domain}/console/callback` : { 'Fn::Sub': `\${HttpApi.ApiEndpoint}/console/callback` };

const commonProperties = ({
  name,
  domain,
  siteOrigin,
  monthlyBudget,
  cardHmacKeySecret,
}: Stage): Record<string, object> => ({
  // A domain is its only endpoint. Pages of other origins may not call the API, except for those of the docs site.
  HttpApi: {
    Name: `${name}-acquirer-partner-api`,
    ProtocolType: 'HTTP',
    ...(domain && { DisableExecuteApiEndpoint: true }),
    ...(siteOrigin && {
      CorsConfiguration: {
        AllowOrigins: [siteOrigin],
        AllowMethods: ['GET', 'POST', 'PATCH', 'DELETE'],
        AllowHeaders: ['api-key', 'content-type', 'idempotency-key', 'if-match'],
        ExposeHeaders: [
          'etag',
          'idempotent-replayed',
          'location',
          'ratelimit',
          'ratelimit-policy',
          'retry-after',
          'x-request-id',
        ],
        MaxAge: 3600,
      },
    }),
    ...tagged,
  },
  ...(domain && {
    Domain: expect.objectContaining({
      DomainName: domain,
      DomainNameConfigurations: [expect.objectContaining({ SecurityPolicy: 'TLS_1_2' })],
    }) as unknown as object,
  }),
  // AWS generates this key, and would replace it if it were to generate it in another way.
  ...(typeof cardHmacKeySecret === 'object' && {
    CardHmacKey: {
      Name: `acquirer-partner-api-${name}/card-hmac-key`,
      Description: expect.any(String),
      GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true },
      ...tagged,
    },
  }),
  // The operator sets this one, so the template has no value.
  SelfCheckKey: { Name: `acquirer-partner-api-${name}/self-check-key`, Description: expect.any(String), ...tagged },
  // The alarm expects one check per minute; a late one says nothing.
  SelfCheckEventsRuleSchedule1: expect.objectContaining({
    Name: `acquirer-partner-api-${name}-self-check`,
    ScheduleExpression: 'rate(1 minute)',
    State: 'ENABLED',
  }) as unknown as object,
  SelfCheckLambdaEvConf: expect.objectContaining({
    MaximumRetryAttempts: 0,
    MaximumEventAgeInSeconds: 60,
  }) as unknown as object,
  // No key of KMS, which CloudWatch could not use.
  PageTopic: { TopicName: `acquirer-partner-api-${name}-page`, ...tagged },
  NoticeTopic: { TopicName: `acquirer-partner-api-${name}-notice`, ...tagged },
  // Only CloudWatch and the budgets of this account publish.
  NoticeTopicPolicy: {
    Topics: [{ Ref: 'NoticeTopic' }],
    PolicyDocument: {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: ['budgets.amazonaws.com', 'cloudwatch.amazonaws.com'] },
          Action: 'sns:Publish',
          Resource: { Ref: 'NoticeTopic' },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        },
      ],
    },
  },
  // What API Gateway throttles has no function's request id.
  ...Object.fromEntries(
    [
      ['ThrottledRequests', '!='],
      ['ThrottledMemberChecks', '='],
    ].map(([id, is]) => [
      id,
      expect.objectContaining({
        LogGroupName: { Ref: 'HttpApiLogGroup' },
        FilterPattern: `{ $.status = "429" && $.lambda_request_id != "*-*-*-*-*" && $.route ${is} "POST /api/v1/host/member-check" }`,
      }) as unknown as object,
    ]),
  ),
  // Counts only the stage's costs, and notifies before they are spent.
  Budget: {
    Budget: expect.objectContaining({
      BudgetLimit: { Amount: monthlyBudget, Unit: 'USD' },
      CostFilters: { TagKeyValue: [`user:stage$${name}`] },
    }),
    NotificationsWithSubscribers: (
      [
        ['ACTUAL', 50],
        ['ACTUAL', 80],
        ['ACTUAL', 100],
        ['FORECASTED', 100],
      ] as const
    ).map(([NotificationType, Threshold]) => ({
      Notification: expect.objectContaining({ NotificationType, Threshold, ComparisonOperator: 'GREATER_THAN' }),
      Subscribers: [{ SubscriptionType: 'SNS', Address: { Ref: 'NoticeTopic' } }],
    })),
    ResourceTags: expect.anything(),
  },
});

/** A metric of an alarm or the dashboard. */
interface Metric {
  Namespace: string;
  MetricName: string;
  Dimensions?: { Name: string; Value: string | { Ref: string } }[];
}

/** The metrics of an alarm; none of an alarm over other alarms. */
const metricsOf = ({ Type, Properties }: Resource): Metric[] => {
  if (Type === 'AWS::CloudWatch::CompositeAlarm') return [];
  return Properties.Metrics
    ? Properties.Metrics.flatMap(({ MetricStat }: { MetricStat?: { Metric: Metric } }) => MetricStat?.Metric ?? [])
    : [Properties];
};

/** The metrics of the filters of the access log. */
const OF_ACCESS_LOG = ['api_throttles', 'member_check_throttles'];

/** Metrics without a source: neither our log lines nor the filters of the access log nor AWS. */
const missing = (metrics: Metric[], { name }: Stage): Metric[] =>
  metrics.filter(({ Namespace, MetricName, Dimensions = [] }) => {
    const dimensions = Dimensions.map(({ Name }) => Name);
    return Namespace === `acquirer-partner-api-${name}`
      ? `${dimensions}` !== (MetricName === 'server_errors' && dimensions.length > 0 ? 'route' : '') ||
          ![...Object.keys(METRICS), ...OF_ACCESS_LOG].includes(MetricName)
      : !isAwsMetric(Namespace, MetricName, dimensions);
  });

/** The metric of a line of the dashboard, such as `[namespace, name, dimension, value, { stat }]`. */
function metricOfLine(line: (string | object)[]): Metric {
  const [Namespace = '', MetricName = '', ...others] = line.filter((part) => typeof part === 'string');
  const Dimensions = others.flatMap((Name, at) => (at % 2 === 0 ? [{ Name, Value: others[at + 1] ?? '' }] : []));
  return { Namespace, MetricName, Dimensions };
}

/** The alarms by the runbooks' table: whether they page, and their thresholds. */
const OPERATIONS = readFileSync('docs/operations.md', 'utf8');
const ALARMS = new Map(
  [...OPERATIONS.matchAll(/^\| \[([\w-]+)\]\(#alarm-\1\) \| (yes|no|tills) \| ([\d.,]*)/gm)].map(
    ([, name = '', pages, threshold = '']) => [name, { pages, threshold: Number(threshold.replaceAll(',', '')) }],
  ),
);

/** The objectives by the table in docs/operations.md. */
const objectiveOf = (name: string): { availability: number; fast: number; withinMs: number } => {
  const row = name === 'memberCheck' ? 'Member checks' : 'Each other operation of partners';
  const [, ...values] =
    new RegExp(`^\\| ${row} \\| ([\\d.]+) % \\| ([\\d.]+) % within ([\\d,]+) ms \\|`, 'm').exec(OPERATIONS) ?? [];
  const [availability = 0, fast = 0, withinMs = 0] = values.map((value) => Number(value.replace(',', '')));
  return { availability, fast, withinMs };
};

/** The alarms that exist only where people can sign in, or where instances are warm. */
const OF_SIGN_IN = ['failed-sign-ins', 'issuer-failures'];
const isOfStage = (stage: Stage, alarm: string): boolean =>
  (hasPeople(stage) || !OF_SIGN_IN.includes(alarm)) && (stage.memberCheckInstances > 0 || alarm !== 'spillover');

/** The metrics of alarms that do not have the name of a metric of our log lines. */
const FAILED = ['server_errors', 'Errors', 'Throttles', 'Invocations'];
const WATCHED: Record<string, string[]> = {
  availability: FAILED,
  'slow-burn': FAILED,
  latency: ['Duration'],
  'self-check': ['self_check_failures'],
  'self-check-disabled': ['self_check_is_enabled'],
  'clock-skew': ['clock_skew_ms'],
  'record-copy': ['IteratorAge'],
  flood: ['authentication_failures'],
  'gateway-errors': ['5xx'],
  'function-errors': ['5xx'],
  'table-throttles': ['ReadThrottleEvents', 'WriteThrottleEvents'],
  'table-usage': ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'],
  spillover: ['ProvisionedConcurrencySpilloverInvocations'],
};

/** The conditions of alarms that do not fire at one sum of five minutes. */
const MINUTES = { DatapointsToAlarm: 3, EvaluationPeriods: 5 };
const CONDITIONS: Record<string, object> = {
  availability: MINUTES,
  latency: MINUTES,
  'slow-burn': { DatapointsToAlarm: 3, EvaluationPeriods: 3 },
  'self-check': { ...MINUTES, Period: 60, Statistic: 'Maximum', TreatMissingData: 'breaching' },
  'self-check-disabled': {
    DatapointsToAlarm: 12,
    EvaluationPeriods: 12,
    Statistic: 'Maximum',
    ComparisonOperator: 'LessThanThreshold',
  },
  'clock-skew': { Statistic: 'Maximum' },
  // An hour.
  'record-copy': { Statistic: 'Maximum', Threshold: 3_600_000 },
  'member-check-throttles': { Period: 60, EvaluationPeriods: 2 },
  'server-errors': { Period: 3600 },
};

/** The alarms of a template by the name of their runbook. Some have parts, such as functions. */
const alarmsOf = (template: Template): Map<string, Resource[]> =>
  Map.groupBy(
    [...idsOf(template, 'AWS::CloudWatch::CompositeAlarm'), ...idsOf(template, 'AWS::CloudWatch::Alarm')].map((id) =>
      resourceOf(template, id),
    ),
    ({ Properties }) => /\. See docs\/operations\.md#alarm-([\w-]+)$/.exec(Properties.AlarmDescription)?.[1] as string,
  );

/** The part of an alarm's name that follows its runbook's. */
const partOf = ({ Properties }: Resource, name: string, stage: Stage): string =>
  Properties.AlarmName.replace(`acquirer-partner-api-${stage.name}-${name}`, '').replace(/^-/, '');

/** Whether an alarm pages: of the alarms of routes, only that of the tills, and the one over all others. */
const isUrgent = (alarm: Resource, name: string, stage: Stage): boolean => {
  const part = partOf(alarm, name, stage);
  return OF_ROUTES.includes(name) && part ? part === 'memberCheck' : ALARMS.get(name)?.pages === 'yes';
};
const OF_ROUTES = ['availability', 'slow-burn', 'latency'];

const thresholdOf = (alarm: Resource, name: string, stage: Stage): number | undefined =>
  name === 'table-usage'
    ? 300 * 0.5 * (partOf(alarm, name, stage) === 'reads' ? stage.maxReadUnits : stage.maxWriteUnits)
    : ALARMS.get(name)?.threshold;

/** The types whose tags are a map with a name of its own. */
const MAPS_OF_TAGS: Record<string, string> = {
  'AWS::Cognito::UserPool': 'UserPoolTags',
  'AWS::Backup::BackupVault': 'BackupVaultTags',
  'AWS::Backup::BackupPlan': 'BackupPlanTags',
};

const CHECKS: Record<string, (template: Template, stage: Stage) => void> = {
  'has only types, properties and references that CloudFormation accepts': (template) =>
    expect(templateErrors(template)).toEqual([]),
  'has exactly these resources of their types': (template, stage) => {
    const expected = Object.entries(resourcesOf(stage));
    expect(expected.map(([type]) => [type, idsOf(template, type).sort()])).toEqual(
      expected.map(([type, ids]) => [type, ids.toSorted()]),
    );
  },
  'has these properties of single resources': (template, stage) => {
    for (const [id, properties] of Object.entries(expectedProperties(stage)))
      expect([id, propertiesOf(template, id)]).toEqual([id, properties]);
    // On creation, AWS Budgets checks that it may publish.
    expect(resourceOf(template, 'Budget').DependsOn).toContain('NoticeTopicPolicy');
  },
  'outputs the table, the URL and the topics, and what an issuer needs': ({ Outputs }, stage) => {
    const { table: TableName, domain, cognitoDomainPrefix } = stage;
    expect(Outputs['SignInRedirectUrl']?.Value).toEqual(hasPeople(stage) ? redirectOf(stage) : undefined);
    expect(Outputs['UserPoolId']?.Value).toEqual(cognitoDomainPrefix ? { Ref: 'UserPool' } : undefined);
    expect(Outputs).toMatchObject({
      TableName: { Value: TableName },
      BaseUrl: { Value: domain ? `https://${domain}` : { 'Fn::GetAtt': ['HttpApi', 'ApiEndpoint'] } },
      ...(domain && { DomainTarget: { Value: { 'Fn::GetAtt': ['Domain', 'RegionalDomainName'] } } }),
      PageTopic: { Value: { Ref: 'PageTopic' } },
      NoticeTopic: { Value: { Ref: 'NoticeTopic' } },
    });
  },
  'tags every resource that accepts tags with the service and the stage': (template, { name }) => {
    const expected = { service: 'acquirer-partner-api', stage: name };
    for (const [id, resource] of Object.entries(template.Resources)) {
      const tags = MAPS_OF_TAGS[resource.Type]
        ? resource.Properties[MAPS_OF_TAGS[resource.Type] ?? '']
        : tagsOf(resource);
      expect([id, tags]).toEqual([id, tags && expected]);
    }
    // us-east-1 rejects tags of dashboards.
    expect(propertiesOf(template, 'Dashboard')).not.toHaveProperty('Tags');
  },
  'names no dependency that a reference implies': (template) => {
    for (const { DependsOn = [], Properties } of Object.values(template.Resources)) {
      const referred = referencesIn(Properties).map(([id]) => id);
      expect([DependsOn].flat().filter((id) => referred.includes(id))).toEqual([]);
    }
  },
  'runs each function on Node.js 24 and arm64, with a role of its own and a log that is retained for as long as set': (
    template,
    stage,
  ) => {
    const { logRetentionDays: RetentionInDays } = stage;
    for (const name of namesOf(stage)) {
      const lambda = functionOf(template, name);
      expect(lambda).toMatchObject({
        Handler: FUNCTIONS[name]?.handler,
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        MemorySize: MEMORY,
        Role: { 'Fn::GetAtt': [logicalId(name, 'Role'), 'Arn'] },
        // Of Lambda's own lines, only failures.
        LoggingConfig: { LogFormat: 'JSON', SystemLogLevel: 'WARN' },
      });
      expect(lambda.TracingConfig).toEqual(String(stage.tracing) === 'true' ? { Mode: 'Active' } : undefined);
      const log = { LogGroupName: `/aws/lambda/${lambda.FunctionName}`, RetentionInDays };
      expect(propertiesOf(template, logicalId(name, 'LogGroup'))).toMatchObject(log);
    }
    expect(propertiesOf(template, 'HttpApiLogGroup')).toMatchObject({ RetentionInDays });
  },
  'gives each function only its own settings, and secrets only by name': (template, stage) => {
    const { table, domain, siteOrigin, logLevel, rate, burst, eventDays, cognitoDomainPrefix } = stage;
    const secret = (kind: string) =>
      expect.stringMatching(new RegExp(`^arn:aws:secretsmanager:.*:secret:.*/${kind}-\\w{6}$`));
    for (const name of namesOf(stage))
      expect(resolved(template, functionOf(template, name).Environment.Variables)).toEqual({
        TABLE_NAME: table,
        BASE_URL: domain ? `https://${domain}` : 'https://a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com',
        LOG_LEVEL: logLevel,
        METRICS_NAMESPACE: `acquirer-partner-api-${stage.name}`,
        RATE: String(rate),
        BURST: String(burst),
        EVENT_DAYS: String(eventDays),
        ...(name === 'memberCheck' && {
          MEMBER_CHECK_MS: '1000',
          CARD_HMAC_KEY_SECRET:
            typeof stage.cardHmacKeySecret === 'object' ? secret('card-hmac-key') : stage.cardHmacKeySecret,
        }),
        ...(name === 'selfCheck' && { SELF_CHECK_KEY_SECRET: secret('self-check-key') }),
        ...(name === 'keepRecord' && {
          RECORD_LOG_GROUP: `/acquirer-partner-api-${stage.name}/record`,
          RECORD_LOG_STREAM: 'changes',
        }),
        ...(name === 'openConsole' && { STAGE: stage.name }),
        ...(name === 'unknownRoute' && siteOrigin && { SITE_ORIGIN: siteOrigin }),
        ...(/^(signIn|callback)$/.test(name) && {
          ISSUER: cognitoDomainPrefix ? expect.stringMatching(/^https:\/\/cognito-idp\./) : stage.issuer,
          CLIENT_ID: cognitoDomainPrefix ? expect.stringMatching(/^\w{26}$/) : stage.clientId,
          CLIENT_CREDENTIAL_SECRET: secret('client-secret'),
          SEALING_KEY_SECRET: secret('sealing-key'),
        }),
      });
  },
  'lets the SDK time out before the function, and the function before the gateway': (template, stage) => {
    const { connectionTimeout, requestTimeout } = LIMITS.requestHandler;
    const attempt = connectionTimeout + requestTimeout;
    for (const name of endpointsOf(stage)) {
      const { Timeout } = functionOf(template, name);
      const integration = `HttpApiIntegration${name[0]?.toUpperCase()}${name.slice(1)}`;
      const { TimeoutInMillis } = propertiesOf(template, integration);
      // The last attempt of an operation may begin at the end of the budget: a read, a read and a write.
      expect(Timeout).toBeGreaterThan((BUDGET_MS + 3 * attempt) / 1000);
      expect(TimeoutInMillis / 1000).toBeGreaterThan(Timeout);
      expect(TimeoutInMillis).toBeLessThanOrEqual(30_000);
    }
    const { Timeout } = functionOf(template, 'selfCheck');
    // Its key, whose last attempt may begin when retries end, and then its requests.
    expect(Timeout).toBeGreaterThan((RETRY_MS + attempt + MOST_IN_SEQUENCE * TIMEOUT_MS) / 1000);
    expect(Timeout).toBeLessThan(60);
  },
  'reserves concurrency for member checks and caps each create, if the stage sets it': (template, stage) => {
    const { memberCheckConcurrency, createConcurrency } = stage;
    const reserved: Record<string, number> = {
      memberCheck: memberCheckConcurrency,
      createBranch: createConcurrency,
      createTerminals: createConcurrency,
    };
    for (const name of namesOf(stage))
      expect([name, functionOf(template, name).ReservedConcurrentExecutions ?? 0]).toEqual([name, reserved[name] ?? 0]);
  },
  'publishes a version of each function, and shifts its alias with CodeDeploy, after its alarms exist': (
    template,
    stage,
  ) => {
    const { deployment, memberCheckInstances } = stage;
    const versions = idsOf(template, 'AWS::Lambda::Version');
    for (const name of namesOf(stage)) {
      const id = (kind: Parameters<typeof logicalId>[1]) => logicalId(name, kind);
      const FunctionName = { Ref: lambdaOf(name) };
      const digest = functionOf(template, name).Description.replace(/^Version (?=[0-9a-f]{24}$)/, '');
      const version = id('Version') + digest;
      // In-use versions stay; those of a failed deployment go, or the next attempt could not publish them again.
      expect(resourceOf(template, version)).toEqual({
        Type: 'AWS::Lambda::Version',
        DeletionPolicy: 'RetainExceptOnCreate',
        Properties: { FunctionName },
      });
      versions.splice(versions.indexOf(version), 1);
      const warm = name === 'memberCheck' ? memberCheckInstances : 0;
      expect(resourceOf(template, id('LiveAlias'))).toEqual({
        Type: 'AWS::Lambda::Alias',
        UpdatePolicy: {
          CodeDeployLambdaAliasUpdate: {
            ApplicationName: { Ref: 'Deployments' },
            DeploymentGroupName: { Ref: id('DeploymentGroup') },
          },
        },
        Properties: {
          FunctionName,
          FunctionVersion: { 'Fn::GetAtt': [version, 'Version'] },
          Name: 'live',
          ...(warm > 0 && { ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: warm } }),
        },
      });
      const own = `Availability${id('Role').replace(/Role$/, 'Alarm')}`;
      const alarms = [...(own in template.Resources ? [own] : []), 'SelfCheckAlarm'];
      expect(propertiesOf(template, id('DeploymentGroup'))).toEqual({
        ApplicationName: { Ref: 'Deployments' },
        DeploymentGroupName: name,
        ServiceRoleArn: { 'Fn::GetAtt': ['DeploymentRole', 'Arn'] },
        DeploymentConfigName: `CodeDeployDefault.Lambda${deployment}`,
        DeploymentStyle: { DeploymentType: 'BLUE_GREEN', DeploymentOption: 'WITH_TRAFFIC_CONTROL' },
        // An alarm would stop a fix that is deployed all at once.
        AlarmConfiguration: {
          Enabled: deployment !== 'AllAtOnce',
          Alarms: alarms.map((alarm) => ({ Name: { Ref: alarm } })),
        },
        AutoRollbackConfiguration: {
          Enabled: true,
          Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM', 'DEPLOYMENT_STOP_ON_REQUEST'],
        },
        ...tagged,
      });
    }
    expect(versions).toEqual([]);
  },
  'invokes functions only by their alias, which exists before': (template, stage) => {
    const invokers = ['ApiGatewayV2::Integration', 'Lambda::Permission', 'Events::Rule', 'Lambda::EventInvokeConfig'];
    const found = invokers.flatMap((type) => idsOf(template, `AWS::${type}`));
    // An integration and a permission each; a rule, a permission and settings of asynchronous calls for the self-check;
    // the mapping of a stream, which refers to the alias, for the record's copy.
    expect(found.length).toBe(2 * (namesOf(stage).length - 2) + 3);
    for (const id of idsOf(template, 'AWS::Lambda::EventSourceMapping'))
      expect(propertiesOf(template, id).FunctionName).toEqual({ Ref: 'KeepRecordLiveAlias' });
    for (const id of found) {
      const { Properties, DependsOn = [] } = resourceOf(template, id);
      const referred = referencesIn(Properties).map(([each]) => each);
      const [lambda = ''] = referred.filter((each) => /LambdaFunction$/.test(each));
      expect([id, DependsOn]).toEqual([id, expect.arrayContaining([lambda.replace(/LambdaFunction$/, 'LiveAlias')])]);
      // Otherwise API Gateway may invoke an alias before it is allowed to.
      if (id.startsWith('HttpApiIntegration'))
        expect([id, DependsOn]).toEqual([
          id,
          expect.arrayContaining([lambda.replace(/Function$/, 'PermissionHttpApi')]),
        ]);
      const target = Properties.Targets?.[0].Arn ?? Properties.IntegrationUri ?? Properties.FunctionName;
      const alias = { 'Fn::Join': [':', [{ 'Fn::GetAtt': [lambda, 'Arn'] }, 'live']] };
      expect([id, Properties.Qualifier ?? target]).toEqual([id, Properties.Qualifier ? 'live' : alias]);
    }
  },
  // "AWS CloudFormation quotas": 500 resources, and 1 MB of a template in S3.
  'is within the limits of CloudFormation, with room for two more operations': (template) => {
    // A function with its log, role, version, alias, group, integration, route and permission, and three alarms.
    const ofAnOperation = 12;
    expect(Object.keys(template.Resources).length).toBeLessThanOrEqual(500 - 2 * ofAnOperation);
    expect(JSON.stringify(template).length).toBeLessThan(900_000);
  },
  // "CodeDeploy quotas" (1,000 groups, 100 characters), AlarmConfiguration (10 alarms) and BatchGetDeploymentGroups (100
  // groups, infra/deploy/rollback.ts) in the CodeDeploy API Reference; FunctionConfiguration (256 characters) in Lambda's.
  'is within the limits of CodeDeploy and of versions': (template) => {
    const groups = idsOf(template, 'AWS::CodeDeploy::DeploymentGroup').map((id) => propertiesOf(template, id));
    expect(groups.length).toBeLessThanOrEqual(100);
    for (const { DeploymentGroupName, AlarmConfiguration } of groups) {
      expect(DeploymentGroupName).toMatch(/^[\w.+=,@-]{1,100}$/);
      expect(AlarmConfiguration.Alarms.length).toBeLessThanOrEqual(10);
    }
    for (const id of idsOf(template, 'AWS::Lambda::Function'))
      expect(propertiesOf(template, id).Description.length).toBeLessThanOrEqual(256);
  },
  'lets only CodeDeploy assume the role of deployments, which only shifts aliases of this stage': (
    template,
    { name },
  ) => {
    const { AssumeRolePolicyDocument, Policies } = propertiesOf(template, 'DeploymentRole');
    expect(AssumeRolePolicyDocument.Statement).toEqual([
      { Effect: 'Allow', Principal: { Service: 'codedeploy.amazonaws.com' }, Action: 'sts:AssumeRole' },
    ]);
    expect(resolved(template, Policies[0].PolicyDocument.Statement)).toEqual([
      {
        Effect: 'Allow',
        Action: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
        Resource: `arn:aws:lambda:eu-central-1:123456789012:function:acquirer-partner-api-${name}-*`,
      },
      { Effect: 'Allow', Action: ['cloudwatch:DescribeAlarms'], Resource: '*' },
    ]);
  },
  // test/packaged/roles.test.ts simulates what they allow.
  'lets only Lambda assume the roles, whose policies fit and name every action and resource in full': (
    template,
    stage,
  ) => {
    for (const name of namesOf(stage)) {
      const role = propertiesOf(template, logicalId(name, 'Role'));
      expect(role).toEqual({
        AssumeRolePolicyDocument: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
        },
        Policies: [expect.anything()],
        Path: `/acquirer-partner-api-${stage.name}/`,
        PermissionsBoundary: {
          'Fn::Sub': `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:policy/acquirer-partner-api-access-${stage.name}-boundary`,
        },
        ...tagged,
      });
      for (const statement of role.Policies[0].PolicyDocument.Statement) {
        const { Effect, Action, Resource, Condition: _, ...others } = statement;
        expect([Effect, others]).toEqual(['Allow', {}]);
        // X-Ray has no resources, and KMS may only be called by DynamoDB.
        if (Action[0].startsWith('xray:')) continue;
        const wildcards = statement.Condition?.StringEquals?.['kms:ViaService'] ? /^kms:[A-Za-z]+\*?$/ : /^$/;
        for (const action of Action)
          if (!wildcards.test(action)) expect(action).toMatch(/^(dynamodb|secretsmanager|logs):[A-Za-z]+$/);
        // A text may contain a wildcard; a reference names one resource.
        expect(JSON.stringify(Resource)).not.toContain('*');
      }
      // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html: all inline policies of a role.
      expect(JSON.stringify(resolved(template, role.Policies)).length).toBeLessThan(10_240);
    }
  },
  'routes each operation to its function and anything else to unknownRoute': (template, stage) => {
    const routes = idsOf(template, 'AWS::ApiGatewayV2::Route').map((id) => {
      const { RouteKey, Target } = propertiesOf(template, id);
      const uri = propertiesOf(template, Target['Fn::Join'][1][1].Ref).IntegrationUri;
      const [lambda] = uri['Fn::Join'][1][0]['Fn::GetAtt'];
      return [RouteKey, lambda];
    });
    const expected = endpointsOf(stage).flatMap((name) =>
      (ENDPOINTS[name]?.events ?? []).map(({ httpApi }) => [httpApi.replace('*', '$default'), lambdaOf(name)]),
    );
    expect(routes.sort()).toEqual(expected.sort());
  },
  'throttles the API by the stage’s limits, and member checks, creates, sign-ins and unknown routes separately': (
    template,
    stage,
  ) => {
    const { throttleRate, throttleBurst, memberCheckRate, createRate, unknownRate, signInRate } = stage;
    const { DefaultRouteSettings, RouteSettings } = propertiesOf(template, 'HttpApiStage');
    const limits = (rate: number, burst = Math.min(2 * rate, 5000)) => ({
      ThrottlingRateLimit: rate,
      ThrottlingBurstLimit: burst,
    });
    expect(DefaultRouteSettings).toEqual({ DetailedMetricsEnabled: false, ...limits(throttleRate, throttleBurst) });
    const expected = {
      'POST /api/v1/host/member-check': limits(memberCheckRate),
      'POST /ext/api/v1/merchants': limits(createRate),
      'POST /ext/api/v1/terminals/{id}': limits(createRate),
      $default: limits(unknownRate),
      ...(hasPeople(stage) && {
        'GET /console/sign-in': limits(signInRate),
        'GET /console/callback': limits(signInRate),
      }),
    };
    // A standby has none of its own, so that its default closes every route.
    expect(RouteSettings).toEqual(throttleRate > 0 ? expected : {});
    // API Gateway rejects settings of a route that does not exist yet.
    const { DependsOn = [] } = resourceOf(template, 'HttpApiStage');
    expect([DependsOn].flat().map((id) => propertiesOf(template, id).RouteKey)).toEqual(
      expect.arrayContaining(Object.keys(RouteSettings)),
    );
  },
  'logs each access as one line of JSON with the function’s request id, but no place of identifiers': (template) => {
    const { DestinationArn, Format } = propertiesOf(template, 'HttpApiStage').AccessLogSettings;
    expect(DestinationArn).toEqual({ 'Fn::GetAtt': ['HttpApiLogGroup', 'Arn'] });
    expect(Format).not.toContain('\n');
    const { lambda_request_id, ...others } = JSON.parse(Format);
    expect(lambda_request_id).toBe('$context.integration.requestId');
    expect(JSON.stringify(others)).not.toMatch(/path|query|userAgent/i);
  },
  'refers to the generated endpoint only if there is no domain': (template, { domain }) =>
    expect(referencesIn(template).some(([id, name]) => id === 'HttpApi' && name === 'ApiEndpoint')).toBe(!domain),
  'bills the table by request, with recovery, encryption, time to live, its ceilings and the stage’s protection': (
    template,
    { table, protection, dataRemoval, maxReadUnits, maxWriteUnits, warmReadUnits, warmWriteUnits, kmsKey },
  ) => {
    const WarmThroughput = { ReadUnitsPerSecond: Number(warmReadUnits), WriteUnitsPerSecond: Number(warmWriteUnits) };
    const throughput = {
      OnDemandThroughput: { MaxReadRequestUnits: maxReadUnits, MaxWriteRequestUnits: maxWriteUnits },
      ...(Number(warmReadUnits) > 0 && { WarmThroughput }),
    };
    const { GlobalSecondaryIndexes, ...properties } = propertiesOf(template, 'Table');
    for (const each of [properties, ...GlobalSecondaryIndexes])
      expect({ WarmThroughput: each.WarmThroughput }).toEqual({ WarmThroughput: throughput.WarmThroughput });
    expect({ GlobalSecondaryIndexes, ...properties }).toMatchObject({
      // What is in use is the stack's own, even if it was restored.
      TableName: table,
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true, ...(kmsKey && { SSEType: 'KMS', KMSMasterKeyId: kmsKey }) },
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      DeletionProtectionEnabled: protection,
      ...throughput,
      GlobalSecondaryIndexes: INDEXES.map((IndexName) => ({ IndexName, ...throughput })),
    });
    const kept = ['AWS::DynamoDB::Table', 'AWS::Cognito::UserPool', 'AWS::Backup::BackupVault'];
    const record = ['RecordLogGroup', 'RecordLogStream'];
    for (const id of [...kept.flatMap((type) => idsOf(template, type)), 'CardHmacKey', ...record].filter(
      (each) => each in template.Resources,
    ))
      expect(resourceOf(template, id)).toMatchObject({
        DeletionPolicy: dataRemoval,
        UpdateReplacePolicy: dataRemoval,
      });
  },
  'copies every change of the operator’s record, in order, to a log that is retained for as long': (
    template,
    { name, eventDays, protection },
  ) => {
    const { FilterCriteria, ...mapped } = propertiesOf(template, 'KeepRecordMapping');
    expect(mapped).toEqual({
      EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] },
      FunctionName: { Ref: 'KeepRecordLiveAlias' },
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: 1,
      ...tagged,
    });
    const pattern = { dynamodb: { Keys: { pk: { S: [{ prefix: 'RECORD#' }] } } } };
    expect(FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern))).toEqual([pattern]);
    expect(propertiesOf(template, 'Table').StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
    const { LogGroupName, RetentionInDays, DeletionProtectionEnabled } = propertiesOf(template, 'RecordLogGroup');
    expect([LogGroupName, DeletionProtectionEnabled]).toEqual([`/acquirer-partner-api-${name}/record`, protection]);
    expect(RetentionInDays).toBeGreaterThanOrEqual(eventDays);
  },
  'uses, monitors and shows the table in use, even a restored one': (template, { table }) => {
    const users = ['AWS::IAM::Role', 'AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard'];
    const parts = users.flatMap((type) => idsOf(template, type)).map((id) => propertiesOf(template, id));
    const named = JSON.stringify(parts).matchAll(/(?::table\/|TableName\W+(?:Value\W+)?)([\w.-]+)/g);
    expect(new Set([...named].map(([, found]) => found))).toEqual(new Set([table]));
  },
  'has the alarms of the runbooks, for every operation, index and count in our log lines': (template, stage) => {
    const found = alarmsOf(template);
    expect([...found.keys()].sort()).toEqual([...ALARMS.keys()].filter((name) => isOfStage(stage, name)).sort());
    const all = [...found.values()].flat().flatMap(metricsOf);
    expect(missing(all, stage)).toEqual([]);
    const counts = Object.entries(METRICS)
      .filter(([name, unit]) => unit === 'Count' && isOfStage(stage, name.replaceAll('_', '-')))
      .map(([name]) => name)
      // A server error too, which says why.
      .filter((name) => name !== 'retries_exhausted');
    expect(all.map(({ MetricName }) => MetricName)).toEqual(expect.arrayContaining(counts));
    for (const [name, parts] of found) {
      expect(OPERATIONS).toContain(`\n### Alarm: ${name}\n`);
      const metrics = parts.flatMap(metricsOf);
      const watched = [...new Set(metrics.map(({ MetricName }) => MetricName))];
      expect(watched).toEqual(WATCHED[name] ?? [name.replaceAll('-', '_')]);
      const indexes = metrics.flatMap(({ Dimensions = [] }) =>
        Dimensions.filter(({ Name }) => Name === 'GlobalSecondaryIndexName').map(({ Value }) => Value),
      );
      if (name.startsWith('table-')) expect(indexes).toEqual([...INDEXES, ...INDEXES]);
    }
  },
  'fires each alarm at its threshold, and notifies its topic': (template, stage) => {
    for (const [name, parts] of alarmsOf(template))
      for (const alarm of parts) {
        const { Type, Properties } = alarm;
        const topic = { Ref: isUrgent(alarm, name, stage) ? stage.urgentTopic : 'NoticeTopic' };
        expect(Properties).toMatchObject({
          AlarmName: expect.stringMatching(`^acquirer-partner-api-${stage.name}-${name}`),
          AlarmActions: [topic],
          OKActions: [topic],
        });
        if (Type === 'AWS::CloudWatch::CompositeAlarm') continue;
        const { Metrics } = Properties;
        expect(Properties).toMatchObject({
          Threshold: thresholdOf(alarm, name, stage),
          ComparisonOperator: 'GreaterThanOrEqualToThreshold',
          TreatMissingData: 'notBreaching',
          DatapointsToAlarm: 1,
          // With filled-in values, the data of the last period may not have arrived yet.
          ...(Metrics ? { EvaluationPeriods: 2 } : { EvaluationPeriods: 1, Period: 300, Statistic: 'Sum' }),
          ...CONDITIONS[name],
        });
        // An alarm can refer to ten metrics ("Limits that apply to alarms based on metric math expressions").
        expect(metricsOf(alarm).length).toBeLessThanOrEqual(10);
        if (!Metrics || OF_ROUTES.includes(name)) continue;
        // Without filled-in values, an alarm on DynamoDB's metrics would never end. Each index has the whole ceiling.
        const by = name === 'table-usage' ? 'MAX' : 'SUM';
        expect(Metrics).toEqual([
          ...Metrics.slice(0, -1).map(({ Id }: { Id: string }) => ({
            Id,
            MetricStat: { Metric: expect.anything(), Period: 300, Stat: 'Sum' },
            ReturnData: false,
          })),
          { Id: by.toLowerCase(), Expression: `${by}(FILL(METRICS(), 0))`, ReturnData: true },
        ]);
      }
  },
  // test/packaged/alarms.test.ts simulates them.
  'watches the objectives of every operation of partners, and pages if one of them fails': (template) => {
    const names = Object.keys(SLOS);
    expect(names).toEqual(Object.keys(PARTNERS));
    for (const name of names) {
      const { availability, fast, withinMs } = objectiveOf(name);
      const FunctionName = { Name: 'FunctionName', Value: { Ref: lambdaOf(name) } };
      const metricsOfPart = (kind: string) =>
        propertiesOf(template, `${kind}${name[0]?.toUpperCase()}${name.slice(1)}Alarm`).Metrics as {
          Expression?: string;
          MetricStat?: { Metric: Metric; Period: number; Stat: string };
        }[];
      for (const [kind, Period] of [
        ['Availability', 60],
        ['SlowBurn', 3600],
      ] as const) {
        const metrics = metricsOfPart(kind);
        expect(metrics.flatMap(({ MetricStat }) => MetricStat ?? [])).toEqual(
          FAILED.map((MetricName) => ({
            Metric: expect.objectContaining({
              MetricName,
              Dimensions: [MetricName === 'server_errors' ? { Name: 'route', Value: routeKey(name) } : FunctionName],
            }),
            Period,
            Stat: 'Sum',
          })),
        );
        expect(Number(metrics.at(-1)?.Expression?.split(' / ').at(-1))).toBeCloseTo(1 - availability / 100, 6);
      }
      const latency = metricsOfPart('Latency');
      expect(latency.flatMap(({ MetricStat }) => MetricStat ?? [])).toEqual(
        ['SampleCount', `PR(:${withinMs})`].map((Stat) => ({
          Metric: expect.objectContaining({ MetricName: 'Duration', Dimensions: [FunctionName] }),
          Period: 60,
          Stat,
        })),
      );
      expect(Number(latency.at(-1)?.Expression?.split(' / ').at(-1))).toBeCloseTo(1 - fast / 100, 6);
      expect(availabilityAlarmOf(name)).toBe(`Availability${name[0]?.toUpperCase()}${name.slice(1)}Alarm`);
    }
    expect(availabilityAlarmOf('unknownRoute')).toBeUndefined();
    for (const kind of ['Availability', 'SlowBurn'])
      expect(propertiesOf(template, `${kind}Alarm`).AlarmRule['Fn::Sub'].split(' OR ')).toEqual(
        names
          .filter((name) => name !== 'memberCheck')
          .map((name) => `ALARM("\${${kind}${name[0]?.toUpperCase()}${name.slice(1)}Alarm}")`),
      );
  },
  'shows every alarm, only metrics with a source, and every endpoint’s log on the dashboard': (template, stage) => {
    const { widgets } = JSON.parse(propertiesOf(template, 'Dashboard').DashboardBody['Fn::Sub']) as {
      widgets: { properties: { metrics?: (string | object)[][]; alarms?: string[]; query?: string } }[];
    };
    expect(widgets.flatMap(({ properties }) => properties.alarms ?? [])).toEqual(
      ['AWS::CloudWatch::CompositeAlarm', 'AWS::CloudWatch::Alarm'].flatMap((type) =>
        idsOf(template, type).map((id) => `\${${id}.Arn}`),
      ),
    );
    const shown = widgets
      .flatMap(({ properties }) => properties.metrics ?? [])
      .filter(([namespace]) => typeof namespace === 'string')
      .map(metricOfLine);
    expect(shown.length).toBeGreaterThan(50);
    expect(missing(shown, stage)).toEqual([]);
    const [query = ''] = widgets.flatMap(({ properties }) => properties.query ?? []);
    const counts = OF_SIGN_IN.map((name) => name.replaceAll('-', '_'));
    const ofSignIn = shown.map(({ MetricName }) => MetricName).filter((name) => counts.includes(name));
    expect(ofSignIn).toEqual(hasPeople(stage) ? counts : []);
    for (const name of endpointsOf(stage)) expect(query).toContain(`SOURCE '\${${logicalId(name, 'LogGroup')}}' | `);
  },
};

describe.each(VARIANTS)('the template of %s', (title, stage) => {
  test.each(Object.entries(CHECKS))('%s', (_, check) => check(templateOf(title), stage));
});

test('prod has as many alarms as docs/operations.md says, and costs as much, and its template has room', () => {
  const all = [...alarmsOf(templateOf('prod')).values()].flat();
  const alone = all.filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm');
  const metrics = alone.flatMap(metricsOf).length;
  // "Amazon CloudWatch Pricing": $0.10 for each metric of an alarm, $0.50 for an alarm over others.
  const cost = 0.1 * metrics + 0.5 * (all.length - alone.length);
  expect(OPERATIONS).toContain(
    `| ${alone.length} alarms on ${metrics} metrics, and two alarms over others | ${cost.toFixed(2)} |`,
  );
  // A template may have 500 resources and 1 MB ("CloudFormation quotas").
  for (const template of Object.values(templates)) {
    expect(Object.keys(template.Resources).length).toBeLessThanOrEqual(460);
    expect(JSON.stringify(template).length).toBeLessThan(900_000);
  }
});

/** Changes to properties of a template that checks notice, although they follow from AWS's specification. */
const NOTICED: [what: string, check: string, id: string, path: string, value: unknown][] = [
  ['an unknown property', 'accepts', 'LookupRole', 'Policies.0.Colour', 'red'],
  ['a missing property', 'accepts', 'ServerlessDeploymentBucketPolicy', 'Bucket', undefined],
  ['a text instead of a number', 'accepts', 'ServerErrorsAlarm', 'DatapointsToAlarm', '1'],
  ['a reference to nothing', 'accepts', 'HttpApi', 'Name', { Ref: 'Nothing' }],
  ['an attribute that does not exist', 'accepts', 'HttpApi', 'Name', { 'Fn::GetAtt': ['Table', 'Colour'] }],
  ['a log without tags', 'tags', 'LookupLogGroup', 'Tags', undefined],
  ['an API without its map of tags', 'tags', 'HttpApi', 'Tags', undefined],
  ['a budget without its tags, which have another name', 'tags', 'Budget', 'ResourceTags', undefined],
  ['a metric that no log line has', 'alarms of', 'ServerErrorsAlarm', 'MetricName', 'server_erorrs'],
  ['a metric without its dimension', 'alarms of', 'GatewayErrorsAlarm', 'Dimensions', undefined],
  ['a route without its server errors', 'objectives', 'AvailabilityLookupAlarm', 'Metrics.0.MetricStat', undefined],
  ['a route that does not page', 'objectives', 'AvailabilityAlarm', 'AlarmRule.Fn::Sub', 'ALARM("x")'],
  ['an index without an alarm', 'alarms of', 'TableThrottlesReadsAlarm', 'Metrics.1.MetricStat', undefined],
];

test.each(NOTICED)('a check of the template notices %s', (_, title, id, path, value) => {
  const [check] = Object.entries(CHECKS).flatMap(([each, holds]) => (each.includes(title) ? [holds] : []));
  const template = templateOf('prod');
  const names = path.split('.');
  const last = names.pop() as string;
  names.reduce((part, name) => part[name], propertiesOf(template, id))[last] = value;
  expect(() => check?.(JSON.parse(JSON.stringify(template)), prod)).toThrow();
});

describe('the version of a function', () => {
  /** The logical id of a version of `lookup` with these properties and this code. */
  const versionOf = (properties: object = {}, zip = 'a') => {
    const template = { Resources: {}, Outputs: {} } as Template;
    const { Description: _, ...others } = functionOf(templateOf('prod'), 'lookup');
    template.Resources[lambdaOf('lookup')] = {
      Type: 'AWS::Lambda::Function',
      Properties: { ...others, ...properties },
    };
    addVersions(template, ['lookup'], { strategy: 'AllAtOnce', digests: { lookup: zip }, warmInstances: {} });
    return idsOf(template, 'AWS::Lambda::Version')[0];
  };

  test.each([
    ['LoggingConfig', { LogFormat: 'JSON', SystemLogLevel: 'INFO' }],
    ['Environment', { Variables: { TABLE_NAME: 'another' } }],
    ['MemorySize', 2048],
    ['Role', { 'Fn::GetAtt': ['FindRole', 'Arn'] }],
    ['Timeout', 10],
    ['Runtime', 'nodejs26.x'],
    ['Architectures', ['x86_64']],
    ['TracingConfig', { Mode: 'Active' }],
    ['KmsKeyArn', 'arn:aws:kms:eu-central-1:123456789012:key/1'],
    ['a property that does not exist yet', 1],
  ])('is another one with another %s', (name, value) => {
    expect(versionOf({ [name]: value })).not.toBe(versionOf());
  });

  test('is another one with other code', () => {
    expect(versionOf({}, 'b')).not.toBe(versionOf());
  });

  test.each([
    ['Code', { S3Key: 'serverless/acquirer-partner-api/prod/2-2026/lookup.zip' }],
    ['Tags', []],
    ['ReservedConcurrentExecutions', 5],
  ])('is the same with another %s, which Lambda does not publish', (name, value) => {
    expect(versionOf({ [name]: value })).toBe(versionOf());
  });
});

describe('the stages', () => {
  test('differ only in their parameters and names', async () => {
    /** The resources without names, generated ids and the types of parameters, which are texts on the command line. */
    const common = ({ Resources }: Template, stage: string) =>
      JSON.parse(
        JSON.stringify(Resources, (_, value) => (typeof value === 'object' ? value : String(value)))
          .replaceAll(new RegExp(`\\b${stage}\\b`, 'g'), 'stage')
          .replace(/stage\/\d+-[\dT:.-]+Z/g, '')
          .replace(/(Version ?)[0-9a-f]{24}/g, '$1'),
      );
    const ofProd = Object.entries(params['prod'] ?? {}).map(([name, value]) => [name, String(value)]);
    const devAsProd = await compiled('dev', Object.fromEntries(ofProd));
    expect(common(devAsProd, 'dev')).toEqual(common(templateOf('prod'), 'prod'));
  });

  /** The options of dev with these parameters. */
  const optionsWith = (more: Record<string, unknown>) => {
    const all: Record<string, unknown> = { ...stageOf('dev'), ...more };
    return readOptions(async (name) => all[name]);
  };
  const tableOf = async (more: Record<string, unknown>) =>
    table(Object.fromEntries(CEILINGS.map((name) => [name, 0])) as Ceilings, await optionsWith(more));

  test('can warm the reads alone, or encrypt alone', async () => {
    const WarmThroughput = { ReadUnitsPerSecond: 12_000 };
    const indexes = INDEXES.map((IndexName) => expect.objectContaining({ IndexName, WarmThroughput }));
    expect(await tableOf({ warmReadUnits: 12_000 })).toEqual({
      extensions: { Table: { Properties: { WarmThroughput, GlobalSecondaryIndexes: indexes } } },
    });
    const SSESpecification = { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: OPTIONAL.kmsKey };
    expect(await tableOf({ kmsKey: OPTIONAL.kmsKey })).toEqual({
      extensions: { Table: { Properties: { SSESpecification } } },
    });
  });

  test.each([
    ['warmReadUnits', '11999', '0, or a whole number of 12000 or more, which every table has'],
    ['warmWriteUnits', '3999', '0, or a whole number of 4000 or more, which every table has'],
    ['tracing', 'Active', 'true or false'],
    ['kmsKey', 'alias/table', 'the ARN of a KMS key, not of an alias'],
    ['backupVault', 'locked', 'the ARN of a backup vault'],
    ['backupSchedule', 'rate(5 minutes)', 'a cron expression that runs once an hour at most'],
    ['backupSchedule', 'cron(0/30 * * * ? *)', 'a cron expression that runs once an hour at most'],
    ['backupDays', '0', 'a whole number of 1 or more'],
    ['cardHmacKeySecret', 'arn:aws:secretsmanager:*:*:secret:*', 'the ARN of a secret'],
  ])('reject %s: %s', async (name, value, rule) => {
    await expect(optionsWith({ [name]: value })).rejects.toThrow(
      `The parameter ${name} must be ${rule}, not "${value}".`,
    );
  });

  test('have no ceilings that are 0, and no alarms for them', async () => {
    const none = Object.fromEntries(CEILINGS.map((name) => [name, 0])) as Ceilings;
    const all = functionsOf(true);
    expect(ceilings(none, 'dev', all)).toEqual({
      extensions: { HttpApiStage: { Properties: { RouteSettings: {} } } },
      Resources: {},
    });
    expect(await tableOf({})).toEqual({});
    expect(Object.keys(alarms(none, all, 0).Resources).filter((id) => id.startsWith('TableUsage'))).toEqual([]);
  });

  test.each(['fast', '-1', '0.5'])('reject %s as a ceiling', async (ceiling) => {
    await expect(readCeilings(async () => ceiling)).rejects.toThrow(
      'The parameter memberCheckRate must be a whole number of 0 or more.',
    );
  });

  test('reject a domain without a certificate', () => {
    expect(() => domain('partners.example.com', '')).toThrow('The parameter domain needs a certificate.');
  });

  test('let a docs site send and read what the contract has, apart from what browsers allow anyway', () => {
    const sent = new Set<string>();
    const { paths, components } = JSON.parse(readFileSync('docs/openapi.json', 'utf8'), (_, value) => {
      if (value?.in === 'header') sent.add(value.name.toLowerCase());
      return value;
    });
    const methods = Object.values<object>(paths).flatMap((operations) => Object.keys(operations));
    expect(new Set(CORS.methods)).toEqual(new Set(methods.map((method) => method.toUpperCase())));
    // Browsers allow the content types of forms, but not JSON.
    expect(new Set(CORS.requestHeaders)).toEqual(new Set([...sent, 'content-type']));
    expect(new Set(CORS.responseHeaders)).toEqual(
      new Set(Object.keys(components.headers).map((name) => name.toLowerCase())),
    );
  });

  test.each(['https://docs.example.com', 'https://docs.example.com:8443', 'http://localhost', 'http://127.0.0.1:4000'])(
    'accept %s as the origin of a docs site',
    (origin) => {
      expect(cors(origin)).toMatchObject({
        extensions: { HttpApi: { Properties: { CorsConfiguration: { AllowOrigins: [origin] } } } },
      });
    },
  );

  test.each([
    '*',
    'https://*',
    'https://*.example.com',
    'https://docs.example.com/',
    'https://docs.example.com/partners',
    'https://docs.example.com?a',
    'https://docs.example.com:443',
    'https://Docs.example.com',
    'https://docs.example.com,https://a.example',
    'https://a@docs.example.com',
    'https://',
    'docs.example.com',
    'null',
    'http://docs.example.com',
    'http://localhost.example.com',
    'ftp://localhost',
  ])('reject %s as the origin of a docs site', (value) => {
    expect(() => cors(value)).toThrow(
      `The parameter siteOrigin must be an origin such as https://docs.example.com, without a path or a slash at the end, not "${value}". Only localhost and 127.0.0.1 may use http.`,
    );
  });

  /** The sign-in of a stage with these parameters. */
  const signInWith = (params: Record<string, string>) => {
    const all: Record<string, unknown> = { ...stageOf('dev'), ...params };
    return readSignIn(async (name) => all[name]);
  };

  test.each([
    'https://login.example.com',
    'https://login.example.com/',
    'https://login.example.com:8443/oauth2/default',
    'http://127.0.0.1:4000',
  ])('accept %s as the issuer', async (issuer) => {
    const signIn = await signInWith({ issuer, clientId: 'console' });
    expect(signIn).toMatchObject({ issuer, clientId: 'console' });
    expect(hasIssuer(signIn)).toBe(true);
  });

  test.each([
    'login.example.com',
    'http://login.example.com',
    'http://localhost:4000',
    'http://127.0.0.1.example.com',
    'http://127.0.0.1@example.com',
    'https://',
    'https://*.example.com',
    'https://user:secret@login.example.com',
    'https://login.example.com?tenant=1',
    'https://login.example.com#a',
    'https://login example.com',
    'https://login.example.com:port',
    'true',
  ])('reject %s as the issuer', async (issuer) => {
    await expect(signInWith({ issuer, clientId: 'console' })).rejects.toThrow(
      `The parameter issuer must be a URL such as https://login.example.com, without query, fragment and credentials, not "${issuer}". Only 127.0.0.1 may use http.`,
    );
  });

  test.each(['Payfair', 'pay_fair', '-payfair', 'payfair-', 'my-aws-people', 'cognito', 'a'.repeat(64)])(
    'reject %s as the prefix of a user pool’s domain',
    async (cognitoDomainPrefix) => {
      await expect(signInWith({ cognitoDomainPrefix })).rejects.toThrow(
        `The parameter cognitoDomainPrefix must have 1 to 63 lowercase letters, digits and hyphens, without "aws", "amazon" and "cognito", not "${cognitoDomainPrefix}".`,
      );
    },
  );

  test('reject an issuer without a client, an issuer beside a user pool, and a client that is not a number', async () => {
    await expect(signInWith({ issuer: 'https://login.example.com' })).rejects.toThrow(
      'The parameter issuer needs a clientId.',
    );
    await expect(signInWith({ ...USER_POOL, clientId: 'console' })).rejects.toThrow(
      'With the parameter cognitoDomainPrefix, issuer and clientId are those of the user pool. Remove them.',
    );
    await expect(signInWith({ ...USER_POOL, cognitoClient: '0' })).rejects.toThrow(
      'The parameter cognitoClient must be a whole number of 1 or more.',
    );
  });

  test('have no issuer by default, and then nothing of the console', async () => {
    expect(hasIssuer(await signInWith({}))).toBe(false);
    const names = Object.keys(FUNCTIONS).filter(isOfConsole);
    expect(names).toEqual(expect.arrayContaining(['signIn', 'callback', 'createKey', 'invitePerson']));
    for (const name of ['dev', 'staging', 'prod'])
      for (const found of [...names.map(lambdaOf), '/console/', 'ClientSecret', 'SealingKey', 'Cognito'])
        expect(JSON.stringify(templateOf(name))).not.toContain(found);
  });

  test.each([
    [6, 7],
    [400, 400],
    [401, 545],
    [3654, undefined],
  ])('that retain the record for %i days retain its copy for %s', (eventDays, days) => {
    expect(record(eventDays).Resources.RecordLogGroup.Properties.RetentionInDays).toBe(days);
  });

  test('cannot be packaged with such an origin, issuer or deployment', async () => {
    await expect(compiled('dev', { deployment: 'Canary' })).rejects.toThrow(
      'The parameter deployment must be AllAtOnce or a configuration such as Canary10Percent10Minutes, not "Canary".',
    );
    await expect(compiled('dev', { siteOrigin: '*' })).rejects.toThrow('The parameter siteOrigin must be an origin');
    const issuer = 'http://login.example.com';
    await expect(compiled('dev', { issuer, clientId: 'x' })).rejects.toThrow('The parameter issuer must be a URL');
  });

  test('are only these: another one fails with the name of its missing parameter', async () => {
    await expect(compiled('production')).rejects.toThrow(
      'Cannot resolve variable at "provider.environment.LOG_LEVEL": Value not found at "param" source',
    );
  });
});
