import { globSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  ENDPOINTS,
  FUNCTIONS,
  functionsOf,
  GRADUAL,
  INDEXES,
  isOfConsole,
  logicalId,
  nameOf,
  parameterOf,
  sourceOf,
} from '../../infra/stack/template/definitions.ts';
import { resourceOf, type Template } from '../../infra/stack/template/template.ts';
import { BUDGET_MS, RETRY_MS } from '../../lib/aws/retry.ts';
import { LIMITS } from '../../lib/aws/sdk.ts';
import { MOST_IN_SEQUENCE, TIMEOUT_MS } from '../../lib/selfCheck/selfCheck.ts';
import { LEASE_MS } from '../../lib/webhooks/attempt.ts';
import { MOST_DELAY_S } from '../../lib/webhooks/queue.ts';
import { MOST_BETWEEN_CHECKS_MS } from '../../lib/webhooks/schedule.ts';
import { deep } from '../support/depth.ts';
import { EVERY_OPTION, STANDBY, type Templates, templatesOf, USER_POOL } from './packaging.ts';
import { referencesIn, templateErrors } from './spec.ts';

/*
 * What must hold of the templates that `npm run package` makes, whatever changes in them: who may do what, what is
 * kept, what fits. test/packaged/alarms.slow.test.ts checks alarms and dashboard, roles.test.ts and policies.test.ts
 * what is allowed.
 */

type Params = Record<string, unknown>;

/** A packaged stage: its name, and the parameters that differ from its row. */
const VARIANTS: [title: string, name: string, params: Params][] = [
  ['prod', 'prod', {}],
  ['prod with every option and a restored table', 'prod', EVERY_OPTION],
  ['dev with a user pool', 'dev', USER_POOL],
  ['the standby of docs/scale.md', 'standby', {}],
  ...(deep
    ? ([
        ['dev', 'dev', {}],
        ['staging', 'staging', {}],
        ['dev with every option', 'dev', EVERY_OPTION],
        ['prod with a user pool', 'prod', USER_POOL],
      ] as [string, string, Params][])
    : []),
];

/** A packaged stage, and what its parameters are. */
interface Stage extends Templates {
  name: string;
  param: (name: string) => unknown;
}
const stages = new Map<string, Stage>();
const stageOf = (title: string): Stage => stages.get(title) as Stage;
beforeAll(async () => {
  for (const [title, name, params] of VARIANTS) {
    const row: Params = { table: nameOf(name), ...(name === 'standby' && STANDBY), ...params };
    const templates = await templatesOf(name, params as Record<string, string>);
    stages.set(title, { ...templates, name, param: (each) => row[each] ?? parameterOf(name, each) });
  }
});

const namesOf = ({ param }: Stage): string[] => functionsOf(Boolean(param('issuer') || param('cognitoDomainPrefix')));
const endpointsOf = (stage: Stage): string[] => namesOf(stage).filter((name) => name in ENDPOINTS);
const lambdaOf = (name: string): string => logicalId(name, 'LambdaFunction');

const idsOf = ({ Resources }: Template, ...types: string[]): string[] =>
  Object.keys(Resources).filter((id) => types.includes(Resources[id]?.Type.replace(/^AWS::/, '') ?? ''));
// biome-ignore lint/suspicious/noExplicitAny: each type has properties of its own
const propertiesOf = (template: Template, id: string): any => resourceOf(template, id).Properties;
const functionOf = ({ api }: Stage, name: string) => propertiesOf(api, lambdaOf(name));

/** What holds of each stack of a stage. */
const OF_BOTH: Record<string, (template: Template, stage: Stage) => void> = {
  'has only types, properties and references that CloudFormation accepts': (template) =>
    expect(templateErrors(template)).toEqual([]),
  // Export names are unique within a Region, and the framework's are the same for both stacks of a stage.
  'exports no output': ({ Outputs }) => expect(Object.values(Outputs).filter((output) => output.Export)).toEqual([]),
  // "AWS CloudFormation quotas": 500 resources, of which a fifth is left to those who run a stage, and 1 MB of a template
  // in S3. A function adds seven at most.
  'has no more resources than its functions need, and is within the quotas of a stack': (template, stage) => {
    expect(Object.keys(template.Resources).length).toBeLessThanOrEqual(Math.min(400, 60 + 7 * namesOf(stage).length));
    expect(JSON.stringify(template).length).toBeLessThan(1_000_000);
  },
};

/**
 * Types of resources that hold what cannot be made again. The stack of the API has none but the secret that an issuer
 * gives.
 */
const WITH_DATA = [
  'DynamoDB::Table',
  'SecretsManager::Secret',
  'Cognito::UserPool',
  'Logs::LogStream',
  'Backup::BackupVault',
];

/** What holds of a stage. */
const OF_STAGE: Record<string, (stage: Stage) => void> = {
  'keeps what cannot be made again in its data stack, but not of a first deployment that failed': ({
    api,
    data,
    param,
  }) => {
    expect(idsOf(api, ...WITH_DATA).filter((id) => id !== 'ClientSecret')).toEqual([]);
    const kept = idsOf(data, 'Logs::LogGroup', ...WITH_DATA);
    expect(kept).toEqual(expect.arrayContaining(['Table', 'SelfCheckKey', 'RecordLogGroup']));
    for (const id of kept) {
      const { DeletionPolicy, UpdateReplacePolicy } = resourceOf(data, id);
      expect([id, DeletionPolicy, UpdateReplacePolicy]).toEqual([id, param('dataRemoval'), 'Retain']);
    }
  },
  'protects and can restore its table, whose indexes have its throughput': ({ data, param }) => {
    const { GlobalSecondaryIndexes, ...properties } = propertiesOf(data, 'Table');
    const throughputOf = ({ OnDemandThroughput, WarmThroughput }: Params) => ({ OnDemandThroughput, WarmThroughput });
    const warm = Number(param('warmReadUnits'));
    const throughput = {
      OnDemandThroughput: { MaxReadRequestUnits: param('maxReadUnits'), MaxWriteRequestUnits: param('maxWriteUnits') },
      WarmThroughput: warm
        ? { ReadUnitsPerSecond: warm, WriteUnitsPerSecond: Number(param('warmWriteUnits')) }
        : undefined,
    };
    expect(throughputOf(properties)).toEqual(throughput);
    expect(GlobalSecondaryIndexes.map(throughputOf)).toEqual(INDEXES.map(() => throughput));
    expect(properties).toMatchObject({
      DeletionProtectionEnabled: param('protection'),
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true, ...(param('kmsKey') ? { KMSMasterKeyId: param('kmsKey') } : {}) },
    });
  },
  'retains every log, and the copy of the record for as long as the record': ({ api, data, param }) => {
    for (const id of idsOf(api, 'Logs::LogGroup'))
      expect([id, propertiesOf(api, id).RetentionInDays]).toEqual([id, param('logRetentionDays')]);
    const { RetentionInDays, DeletionProtectionEnabled } = propertiesOf(data, 'RecordLogGroup');
    expect(DeletionProtectionEnabled).toBe(param('protection'));
    expect(RetentionInDays).toBeGreaterThanOrEqual(Number(param('eventDays')));
  },
  'uses, monitors, shows and backs up the table in use, even a restored one': ({ api, data, param }) => {
    const users = ['IAM::Role', 'CloudWatch::Alarm', 'CloudWatch::Dashboard', 'Lambda::Function'];
    const parts = [
      ...idsOf(api, ...users).map((id) => propertiesOf(api, id)),
      ...idsOf(data, 'Backup::BackupSelection').map((id) => propertiesOf(data, id)),
    ];
    const named = JSON.stringify(parts).matchAll(/(?::table\/|TABLE_NAME":"|TableName\W+(?:Value\W+)?)([\w.-]+)/g);
    expect(new Set([...named].map(([, found]) => found))).toEqual(new Set([param('table')]));
  },
  'names only parameters, secrets and logs that exist': (stage) => {
    const { api, data, name, param } = stage;
    const text = JSON.stringify(api);
    const namesIn = (template: Template, type: string, property: string): string[] =>
      idsOf(template, type).map((id) => propertiesOf(template, id)[property]);
    const parameters = namesIn(data, 'SSM::Parameter', 'Name');
    // `npm run recover` stores the parameter of a restored table.
    if (param('table') !== nameOf(name)) parameters.push(`/${nameOf(name)}/${param('table')}/stream`);
    for (const [, parameter] of text.matchAll(/\{\{resolve:ssm:([^}]+)\}\}/g)) expect(parameters).toContain(parameter);
    const secrets = [api, data].flatMap((each) => namesIn(each, 'SecretsManager::Secret', 'Name'));
    // A standby names the secret of another stage by its ARN.
    for (const [, secret = ''] of text.matchAll(/"\w+_SECRET":"(?!arn:)([^"]+)"/g)) expect(secrets).toContain(secret);
    const { RECORD_LOG_GROUP } = functionOf(stage, 'keepRecord').Environment.Variables;
    expect(namesIn(data, 'Logs::LogGroup', 'LogGroupName')).toContain(RECORD_LOG_GROUP);
    // An export in use cannot be changed.
    expect(text).not.toContain('Fn::ImportValue');
  },
  'gives each function a role of its own, and a setting with a secret or an issuer only to those that need it': (
    stage,
  ) => {
    const SIGN_IN = ['CLIENT_CREDENTIAL_SECRET', 'CLIENT_ID', 'ISSUER', 'SEALING_KEY_SECRET'];
    const settings: Record<string, string[]> = {
      memberCheck: ['CARD_HMAC_KEY_SECRET'],
      selfCheck: ['SELF_CHECK_KEY_SECRET'],
      signIn: SIGN_IN,
      callback: SIGN_IN,
      createWebhook: ['WEBHOOK_KEY_SECRET'],
      deliverWebhooks: ['WEBHOOK_KEY_SECRET'],
      rotateWebhookSecret: ['WEBHOOK_KEY_SECRET'],
      testWebhook: ['WEBHOOK_KEY_SECRET'],
    };
    for (const name of namesOf(stage)) {
      const { Role, Environment } = functionOf(stage, name);
      expect([name, Role]).toEqual([name, { 'Fn::GetAtt': [logicalId(name, 'Role'), 'Arn'] }]);
      const own = Object.keys(Environment.Variables).filter((each) => /_SECRET$|^CLIENT_ID$|^ISSUER$/.test(each));
      expect([name, own.sort()]).toEqual([name, settings[name] ?? []]);
    }
  },
  'outputs what its operators’ tools and its DNS read': ({ api: { Outputs }, param }) => {
    const domain = param('domain');
    expect(Outputs).toMatchObject({
      TableName: { Value: param('table') },
      BaseUrl: { Value: domain ? `https://${domain}` : { 'Fn::GetAtt': ['HttpApi', 'ApiEndpoint'] } },
      HttpApiId: { Value: { Ref: 'HttpApi' } },
    });
    expect('DomainTarget' in Outputs).toBe(Boolean(domain));
  },
  'has its domain as its only endpoint, and lets only the docs site’s pages call it': ({ api, param }) => {
    const { DisableExecuteApiEndpoint = false, CorsConfiguration } = propertiesOf(api, 'HttpApi');
    expect(DisableExecuteApiEndpoint).toBe(Boolean(param('domain')));
    expect(CorsConfiguration?.AllowOrigins).toEqual(param('siteOrigin') ? [param('siteOrigin')] : undefined);
    const { SITE_ORIGIN, SITE_URL } = propertiesOf(api, lambdaOf('unknownRoute')).Environment.Variables;
    expect([SITE_ORIGIN, SITE_URL]).toEqual([param('siteOrigin') || undefined, param('siteUrl')]);
    expect(referencesIn(api).some(([id, name]) => id === 'HttpApi' && name === 'ApiEndpoint')).toBe(!param('domain'));
  },
  'lets services invoke and publish only on behalf of its own resources and account, and subscribes nobody': ({
    api,
  }) => {
    // The URL of a pager is a credential.
    expect(idsOf(api, 'SNS::Subscription')).toEqual([]);
    for (const id of idsOf(api, 'Lambda::Permission'))
      expect([id, propertiesOf(api, id)]).toHaveProperty('1.SourceArn');
    const [statement, ...others] = propertiesOf(api, 'NoticeTopicPolicy').PolicyDocument.Statement;
    expect([statement.Principal.Service, statement.Condition, others]).toEqual([
      ['budgets.amazonaws.com', 'cloudwatch.amazonaws.com'],
      { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      [],
    ]);
  },
  'lets the SDK time out before the function, and the function before the gateway': (stage) => {
    const { api } = stage;
    const { connectionTimeout, requestTimeout } = LIMITS.requestHandler;
    const attempt = connectionTimeout + requestTimeout;
    for (const name of endpointsOf(stage)) {
      const { Timeout } = functionOf(stage, name);
      const integration = `HttpApiIntegration${name[0]?.toUpperCase()}${name.slice(1)}`;
      const { TimeoutInMillis } = propertiesOf(api, integration);
      // The last attempt of an operation may begin at the end of the budget: a read, a read and a write.
      expect(Timeout).toBeGreaterThan((BUDGET_MS + 3 * attempt) / 1000);
      expect(TimeoutInMillis / 1000).toBeGreaterThan(Timeout);
      expect(TimeoutInMillis).toBeLessThanOrEqual(30_000);
    }
    const { Timeout } = functionOf(stage, 'selfCheck');
    // Its key, whose last attempt may begin when retries end, and then its requests.
    expect(Timeout).toBeGreaterThan((RETRY_MS + attempt + MOST_IN_SEQUENCE * TIMEOUT_MS) / 1000);
    expect(Timeout).toBeLessThan(60);
    // The alarm expects one check per minute; a late one says nothing.
    const schedule = { ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' };
    expect(propertiesOf(api, 'SelfCheckEventsRuleSchedule1')).toMatchObject(schedule);
    const events = { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 };
    expect(propertiesOf(api, 'SelfCheckLambdaEvConf')).toMatchObject(events);
  },
  'delivers to webhooks by two queues, each with a concurrency of its own, and wakes only for new events': (stage) => {
    const { api, param } = stage;
    const { Timeout } = functionOf(stage, 'deliverWebhooks');
    // An attempt begins only if its lease ends before the function.
    expect(Timeout * 1000).toBeGreaterThan(LEASE_MS);
    for (const id of ['WebhookQueue', 'SlowWebhookQueue']) {
      const { VisibilityTimeout, MessageRetentionPeriod, SqsManagedSseEnabled } = propertiesOf(api, id);
      // Lambda rejects a queue whose messages are visible again while a function may still have them.
      expect(VisibilityTimeout).toBeGreaterThanOrEqual(Timeout);
      expect([MessageRetentionPeriod > MOST_DELAY_S, SqsManagedSseEnabled]).toEqual([true, true]);
      // A message that is dropped is found by the index by then.
      expect(MessageRetentionPeriod).toBe(MOST_BETWEEN_CHECKS_MS / 1000);
    }
    const mappings = ['DeliverWebhooksMapping', 'DeliverSlowWebhooksMapping'].map((id) => propertiesOf(api, id));
    expect(mappings).toMatchObject(
      ['WebhookQueue', 'SlowWebhookQueue'].map((id) => ({
        EventSourceArn: { 'Fn::GetAtt': [id, 'Arn'] },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: param('webhookConcurrency') },
      })),
    );
    const [wakes, copies] = ['WakeWebhooksMapping', 'KeepRecordMapping'].map((id) => propertiesOf(api, id));
    expect(wakes.EventSourceArn).toBe(copies.EventSourceArn);
    expect(wakes.FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern))).toEqual([
      { eventName: ['INSERT'], dynamodb: { Keys: { pk: { S: [{ prefix: 'EVENTS#' }] } } } },
    ]);
  },
  'throttles member checks, creates, sign-ins and unknown routes by limits of their own, all else by its default': (
    stage,
  ) => {
    const { api, param } = stage;
    const { DefaultRouteSettings, RouteSettings } = propertiesOf(api, 'HttpApiStage');
    const rates = Object.entries<Params>(RouteSettings).map(([route, { ThrottlingRateLimit: rate }]) => [route, rate]);
    expect(DefaultRouteSettings).toMatchObject({ ThrottlingRateLimit: param('throttleRate') });
    const own = {
      'POST /api/v1/host/member-check': param('memberCheckRate'),
      'POST /ext/api/v1/merchants': param('createRate'),
      'POST /ext/api/v1/terminals/{id}': param('createRate'),
      $default: param('unknownRate'),
      ...(namesOf(stage).includes('signIn') && {
        'GET /console/sign-in': param('signInRate'),
        'GET /console/callback': param('signInRate'),
        'POST /console/join': param('signInRate'),
      }),
    };
    // A standby has none of its own, so that its default closes every route.
    expect(Object.fromEntries(rates)).toEqual(param('throttleRate') === 0 ? {} : own);
    // API Gateway rejects settings of a route that does not exist yet.
    const before = [resourceOf(api, 'HttpApiStage').DependsOn ?? []].flat().map((id) => propertiesOf(api, id).RouteKey);
    expect(before).toEqual(expect.arrayContaining(Object.keys(RouteSettings)));
  },
  'publishes a version of each gradual function, which an alarm takes back unless it is deployed all at once': (
    stage,
  ) => {
    const { api, param } = stage;
    for (const name of GRADUAL) {
      const { FunctionVersion, ProvisionedConcurrencyConfig } = propertiesOf(api, logicalId(name, 'LiveAlias'));
      const [version] = FunctionVersion['Fn::GetAtt'];
      // In-use versions stay; those of a failed deployment go, or the next attempt could not publish them again.
      expect(resourceOf(api, version)).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate' });
      // Lambda publishes no version of what has not changed.
      expect(functionOf(stage, name).Description).toBe(`Version ${version.slice(logicalId(name, 'Version').length)}`);
      const warm = name === 'memberCheck' ? param('memberCheckInstances') : 0;
      expect([name, ProvisionedConcurrencyConfig?.ProvisionedConcurrentExecutions ?? 0]).toEqual([name, warm]);
      const { DeploymentConfigName, AlarmConfiguration } = propertiesOf(api, logicalId(name, 'DeploymentGroup'));
      expect(DeploymentConfigName).toBe(`CodeDeployDefault.Lambda${param('deployment')}`);
      expect(AlarmConfiguration).toEqual({
        // An alarm would stop a fix that is deployed all at once.
        Enabled: param('deployment') !== 'AllAtOnce',
        Alarms: [logicalId(name, 'Role').replace(/(.*)Role$/, 'Availability$1Alarm'), 'SelfCheckAlarm'].map((Ref) => ({
          Name: { Ref },
        })),
      });
    }
  },
  'invokes gradual functions only by their alias, which exists before, and all others without one': (stage) => {
    const { api } = stage;
    const invokers = ['ApiGatewayV2::Integration', 'Lambda::Permission', 'Events::Rule', 'Lambda::EventInvokeConfig'];
    const found = invokers.flatMap((type) => idsOf(api, type));
    // An integration and a permission each; of what a schedule invokes, a rule, a permission and settings of asynchronous calls.
    expect(found.length).toBe(2 * endpointsOf(stage).length + 2 * 3);
    for (const id of found) {
      const { Properties, DependsOn: ids = [] } = resourceOf(api, id);
      const DependsOn = [ids].flat();
      const [lambda = ''] = referencesIn(Properties)
        .map(([each]) => each)
        .filter((each) => /LambdaFunction$/.test(each));
      const isGradual = GRADUAL.map(lambdaOf).includes(lambda);
      expect([id, JSON.stringify(Properties).includes('"live"')]).toEqual([id, isGradual]);
      if (isGradual)
        expect([id, DependsOn]).toEqual([id, expect.arrayContaining([lambda.replace(/LambdaFunction$/, 'LiveAlias')])]);
      // Otherwise API Gateway may invoke a function before it is allowed to.
      if (id.startsWith('HttpApiIntegration'))
        expect([id, DependsOn]).toEqual([
          id,
          expect.arrayContaining([lambda.replace(/Function$/, 'PermissionHttpApi')]),
        ]);
    }
  },
  'logs each access as one line of JSON with the function’s request id, but no place of identifiers': ({ api }) => {
    const { DestinationArn, Format } = propertiesOf(api, 'HttpApiStage').AccessLogSettings;
    expect(DestinationArn).toEqual({ 'Fn::GetAtt': ['HttpApiLogGroup', 'Arn'] });
    expect(Format).not.toContain('\n');
    const { lambda_request_id, ...others } = JSON.parse(Format);
    expect(lambda_request_id).toBe('$context.integration.requestId');
    expect(JSON.stringify(others)).not.toMatch(/path|query|userAgent/i);
  },
  'lets only people whom an administrator of its user pool created sign in, with a second factor': (stage) => {
    const { api, data, name, param } = stage;
    expect(idsOf(data, 'Cognito::UserPool').length).toBe(param('cognitoDomainPrefix') ? 1 : 0);
    for (const id of idsOf(data, 'Cognito::UserPool'))
      expect(propertiesOf(data, id)).toMatchObject({
        DeletionProtection: param('protection') ? 'ACTIVE' : 'INACTIVE',
        AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
        AutoVerifiedAttributes: ['email'],
        MfaConfiguration: 'ON',
      });
    for (const id of idsOf(api, 'Cognito::UserPoolClient'))
      expect(propertiesOf(api, id)).toMatchObject({
        UserPoolId: `{{resolve:ssm:/${nameOf(name)}/user-pool}}`,
        GenerateSecret: true,
        AllowedOAuthFlows: ['code'],
        CallbackURLs: [`https://${param('domain')}/console/callback`],
      });
  },
};

describe.each(VARIANTS)('%s', (title) => {
  test.each(Object.entries(OF_STAGE))('%s', (_, check) => check(stageOf(title)));
  test.each(Object.entries(OF_BOTH))('has two stacks, each of which %s', (_, check) => {
    for (const stack of ['api', 'data'] as const) check(stageOf(title)[stack], stageOf(title));
  });
});

test('each file of a folder of functions is one of them', () => {
  const handlers = Object.keys(FUNCTIONS).map(sourceOf);
  expect(globSync('functions/*/*.ts').sort()).toEqual(handlers.sort());
});

test('a stage without an issuer has nothing of the console', () => {
  const names = Object.keys(FUNCTIONS).filter(isOfConsole);
  expect(names).toEqual(expect.arrayContaining(['signIn', 'callback', 'createKey', 'invitePerson']));
  const { api, data } = stageOf('prod');
  for (const found of [...names.map(lambdaOf), '/console/', 'ClientSecret', 'SealingKey', 'Cognito'])
    expect(JSON.stringify([api, data])).not.toContain(found);
});
