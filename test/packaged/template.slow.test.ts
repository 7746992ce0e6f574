import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { ceilings } from '../../infra/stack/template/ceilings.ts';
import { CORS } from '../../infra/stack/template/cors.ts';
import {
  ENDPOINTS,
  FUNCTIONS,
  functionsOf,
  GRADUAL,
  INDEXES,
  isOfConsole,
  logicalId,
  MEMORY,
} from '../../infra/stack/template/definitions.ts';
import { hasIssuer, type Parameters, readParameters } from '../../infra/stack/template/parameters.ts';
import { recordLog } from '../../infra/stack/template/record.ts';
import { table } from '../../infra/stack/template/table.ts';
import { referencesIn, resourceOf, type Template } from '../../infra/stack/template/template.ts';
import { addVersions } from '../../infra/stack/template/versions.ts';
import { BUDGET_MS, RETRY_MS } from '../../lib/aws/retry.ts';
import { LIMITS } from '../../lib/aws/sdk.ts';
import { UNITS_PER_TOKEN } from '../../lib/http/rateLimit.ts';
import { MOST_IN_SEQUENCE, TIMEOUT_MS } from '../../lib/selfCheck/selfCheck.ts';
import { tagsOf, templateErrors } from '../awsTable/spec.ts';
import { resolved } from './deployed.ts';
import { OPTIONAL, STANDBY, type Templates, templatesOf, USER_POOL } from './packaging.ts';

/*
 * Checks the templates that `npm run package` makes of a stage. test/packaged/alarms.slow.test.ts checks alarms and dashboard.
 */

/** A stage's parameters in infra/stack/stages.yml; those of options are texts. */
interface Stage extends Omit<Parameters, 'tracing' | 'cognitoClient' | 'warmReadUnits' | 'warmWriteUnits'> {
  name: string;
  deployment: string;
  logLevel: string;
  logRetentionDays: number;
  rate: number;
  burst: number;
  urgentTopic: string;
  dataRemoval: string;
  memberCheckInstances: number;
  table: string;
  tracing: boolean | string;
  cognitoClient: number | string;
  warmReadUnits: number | string;
  warmWriteUnits: number | string;
}

const rows = parse(readFileSync('infra/stack/stages.yml', 'utf8')) as Record<string, Partial<Stage>>;
const stageOf = (name: string, more: Partial<Stage> = {}): Stage => {
  const own = {
    table: `acquirer-partner-api-${name}`,
    cardHmacKeySecret: `acquirer-partner-api-${name}/card-hmac-key`,
  };
  return { ...rows['default'], ...own, ...rows[name], name, ...more } as Stage;
};

const STAGES = ['dev', 'staging', 'prod'].map((name) => stageOf(name));
const ELSEWHERE = { table: 'acquirer-partner-api-prod-2', ...OPTIONAL };
const OWN_POOL = { domain: OPTIONAL.domain, certificate: OPTIONAL.certificate, ...USER_POOL, cognitoClient: '2' };
const VARIANTS: [title: string, stage: Stage, params: Record<string, string>][] = [
  ...STAGES.map((stage): [string, Stage, Record<string, string>] => [stage.name, stage, {}]),
  ['dev with every option', stageOf('dev', OPTIONAL), OPTIONAL],
  ['prod with every option and a restored table', stageOf('prod', ELSEWHERE), ELSEWHERE],
  ['dev with a user pool', stageOf('dev', USER_POOL), USER_POOL],
  ['prod with a domain and a user pool', stageOf('prod', OWN_POOL), OWN_POOL],
  ['the standby of docs/scale.md', stageOf('standby', STANDBY), {}],
];

const templates: Record<string, Templates> = {};
const ofVariant = (title: string): Templates => structuredClone(templates[title] as Templates);
beforeAll(async () => {
  for (const [title, { name }, params] of VARIANTS) templates[title] = await templatesOf(name, params);
});

describe.each(STAGES)('the parameters of $name', (stage) => {
  test('let an acquirer at its limit write at most a tenth of the units, and send the heaviest request', () => {
    expect(stage.rate * UNITS_PER_TOKEN).toBeLessThanOrEqual(stage.maxWriteUnits / 10);
    // docs/guides/rate-limits.md has this weight.
    expect(stage.burst).toBeGreaterThan(111);
  });

  test('serve ten acquirers at their limits per route, and less than one of them at unknown routes and at sign-in', () => {
    const { rate, throttleRate, throttleBurst, createRate, memberCheckRate, unknownRate, signInRate } = stage;
    expect([throttleRate, throttleBurst, createRate]).toEqual([10 * rate, 20 * rate, 10 * rate]);
    // In prod, five times as many, so that tills are served beside a flood; half of an account's default quota.
    expect(memberCheckRate).toBe(stage.name === 'prod' ? 5000 : throttleRate);
    expect([unknownRate < rate, signInRate]).toEqual([true, unknownRate]);
    expect(stage.monthlyBudget).toBeGreaterThan(0);
  });

  test('protect only prod, which also pages, and give staging its shape', () => {
    const { protection, dataRemoval, urgentTopic, deployment, memberCheckInstances, memberCheckConcurrency } = stage;
    const [isProd, isDev] = [stage.name === 'prod', stage.name === 'dev'];
    expect({ protection, dataRemoval, urgentTopic }).toEqual({
      protection: isProd,
      dataRemoval: isProd ? 'RetainExceptOnCreate' : 'Delete',
      urgentTopic: isProd ? 'PageTopic' : 'NoticeTopic',
    });
    const isGradual = deployment.startsWith('Canary');
    expect([isGradual, memberCheckInstances > 0, (memberCheckConcurrency ?? 0) > 0]).toEqual([!isDev, !isDev, !isDev]);
    // During a deployment, two versions have warm instances.
    expect(memberCheckConcurrency).toBeGreaterThanOrEqual(2 * memberCheckInstances);
    expect(Object.keys(rows['staging'] ?? {})).toEqual(Object.keys(rows['prod'] ?? {}));
  });
});

const hasPeople = ({ issuer, cognitoDomainPrefix }: Stage): boolean => Boolean(issuer || cognitoDomainPrefix);
const namesOf = (stage: Stage): string[] => functionsOf(hasPeople(stage));
const endpointsOf = (stage: Stage): string[] => namesOf(stage).filter((name) => ENDPOINTS[name]);
const lambdaOf = (name: string): string => logicalId(name, 'LambdaFunction');

const idsOf = ({ Resources }: Template, type: string): string[] =>
  Object.keys(Resources).filter((id) => Resources[id]?.Type === type);
// biome-ignore lint/suspicious/noExplicitAny: each type has properties of its own
const propertiesOf = (template: Template, id: string): any => resourceOf(template, id).Properties;
const functionOf = (template: Template, name: string) => propertiesOf(template, lambdaOf(name));

/** The types of which the stack of the API has exactly these resources. */
const resourcesOfApi = (stage: Stage, names = namesOf(stage)): Record<string, string[]> => ({
  'AWS::Lambda::Function': names.map(lambdaOf),
  'AWS::IAM::Role': [...names.map((name) => logicalId(name, 'Role')), 'DeploymentRole'],
  'AWS::Logs::LogGroup': [...names.map((name) => logicalId(name, 'LogGroup')), 'HttpApiLogGroup'],
  'AWS::Lambda::EventSourceMapping': ['KeepRecordMapping'],
  'AWS::Lambda::Alias': GRADUAL.map((name) => logicalId(name, 'LiveAlias')),
  'AWS::CodeDeploy::Application': ['Deployments'],
  'AWS::CodeDeploy::DeploymentGroup': GRADUAL.map((name) => logicalId(name, 'DeploymentGroup')),
  'AWS::ApiGatewayV2::DomainName': stage.domain ? ['Domain'] : [],
  'AWS::ApiGatewayV2::ApiMapping': stage.domain ? ['DomainMapping'] : [],
  'AWS::SecretsManager::Secret': hasPeople(stage) ? ['ClientSecret'] : [],
  'AWS::Cognito::UserPoolClient': stage.cognitoDomainPrefix ? [`UserPoolClient${stage.cognitoClient}`] : [],
  'AWS::Cognito::ManagedLoginBranding': stage.cognitoDomainPrefix ? [`UserPoolStyle${stage.cognitoClient}`] : [],
  'AWS::SNS::Topic': ['PageTopic', 'NoticeTopic'],
  // The URL of a pager is a credential, so operators subscribe by hand.
  'AWS::SNS::Subscription': [],
  'AWS::Budgets::Budget': ['Budget'],
});

/** All resources of the data stack, by their types, without the bucket of its template. */
const resourcesOfData = (stage: Stage): Record<string, string[]> => ({
  'AWS::DynamoDB::Table': ['Table'],
  'AWS::SSM::Parameter': ['TableStream', ...(stage.cognitoDomainPrefix ? ['UserPoolParameter'] : [])],
  'AWS::SecretsManager::Secret': [
    // A standby has the copy of another stage's.
    ...(stage.cardHmacKeySecret.startsWith('arn:') ? [] : ['CardHmacKey']),
    'SelfCheckKey',
    ...(hasPeople(stage) ? ['SealingKey'] : []),
  ],
  'AWS::Logs::LogGroup': ['RecordLogGroup'],
  'AWS::Logs::LogStream': ['RecordLogStream'],
  'AWS::Cognito::UserPool': stage.cognitoDomainPrefix ? ['UserPool'] : [],
  'AWS::Cognito::UserPoolDomain': stage.cognitoDomainPrefix ? ['UserPoolDomain'] : [],
  'AWS::Backup::BackupVault': stage.backupVault ? ['BackupVault'] : [],
  'AWS::Backup::BackupPlan': stage.backupVault ? ['BackupPlan'] : [],
  'AWS::Backup::BackupSelection': stage.backupVault ? ['BackupSelection'] : [],
  'AWS::IAM::Role': stage.backupVault ? ['BackupRole'] : [],
});

const redirectOf = ({ domain }: Stage): unknown =>
  domain ? `https://${domain}/console/callback` : { 'Fn::Sub': `\${HttpApi.ApiEndpoint}/console/callback` };

/** The types whose tags are a map with a name of its own. */
const MAPS_OF_TAGS: Record<string, string> = {
  'AWS::Cognito::UserPool': 'UserPoolTags',
  'AWS::Backup::BackupVault': 'BackupVaultTags',
  'AWS::Backup::BackupPlan': 'BackupPlanTags',
};

/** What holds of each stack of a stage. */
const OF_BOTH: Record<string, (template: Template, stage: Stage) => void> = {
  'has only types, properties and references that CloudFormation accepts': (template) =>
    expect(templateErrors(template)).toEqual([]),
  'tags every resource that accepts tags with the service and the stage': (template, { name }) => {
    const expected = { service: 'acquirer-partner-api', stage: name };
    for (const [id, resource] of Object.entries(template.Resources)) {
      // us-east-1 rejects tags of dashboards.
      if (resource.Type === 'AWS::CloudWatch::Dashboard') continue;
      const map = MAPS_OF_TAGS[resource.Type];
      const tags = map ? resource.Properties[map] : tagsOf(resource);
      expect([id, tags]).toEqual([id, tags && expected]);
    }
  },
  'names no dependency that a reference implies': ({ Resources }) => {
    for (const { DependsOn = [], Properties } of Object.values(Resources)) {
      const referred = referencesIn(Properties).map(([id]) => id);
      expect([DependsOn].flat().filter((id) => referred.includes(id))).toEqual([]);
    }
  },
  // Export names are unique within a Region, and the framework's are the same for both stacks of a stage.
  'exports no output': ({ Outputs }) => {
    for (const [name, { Export }] of Object.entries(Outputs)) expect([name, Export]).toEqual([name, undefined]);
  },
  // "AWS CloudFormation quotas": 500 resources, and 1 MB of a template in S3. So both leave room to grow.
  'has at most 300 resources, and is within the size of a template': (template) => {
    expect(Object.keys(template.Resources).length).toBeLessThanOrEqual(300);
    expect(JSON.stringify(template).length).toBeLessThan(500_000);
  },
};

/** What holds of the stack of the API. */
const OF_API: Record<string, (template: Template, stage: Stage) => void> = {
  'has exactly these resources of their types, and none that keeps data': (template, stage) => {
    for (const [type, ids] of Object.entries(resourcesOfApi(stage)))
      expect([type, idsOf(template, type).sort()]).toEqual([type, ids.toSorted()]);
    for (const type of ['AWS::DynamoDB::Table', 'AWS::Cognito::UserPool', 'AWS::Backup::BackupVault'])
      expect(idsOf(template, type)).toEqual([]);
  },
  'takes six resources for an operation, and six more at most for one that changes gradually': (template, stage) => {
    const parts = 'Lambda|LogGroup|Role$|Version|LiveAlias|DeploymentGroup|Alarm|$';
    for (const name of endpointsOf(stage)) {
      const id = logicalId(name, 'Role').slice(0, -'Role'.length);
      const own = new RegExp(`^(HttpApiIntegration|Availability|Latency)?${id}(${parts})`);
      const count = Object.keys(template.Resources).filter((each) => own.test(each)).length;
      const routes = ENDPOINTS[name]?.events.length ?? 0;
      expect([name, count <= (GRADUAL.includes(name) ? 11 : 5), routes <= 2]).toEqual([name, true, true]);
    }
  },
  'outputs the table, the URL and the topics, and what an issuer needs': ({ Outputs }, stage) => {
    const { table: TableName, domain } = stage;
    expect(Outputs['SignInRedirectUrl']?.Value).toEqual(hasPeople(stage) ? redirectOf(stage) : undefined);
    expect(Outputs).toMatchObject({
      TableName: { Value: TableName },
      BaseUrl: { Value: domain ? `https://${domain}` : { 'Fn::GetAtt': ['HttpApi', 'ApiEndpoint'] } },
      HttpApiId: { Value: { Ref: 'HttpApi' } },
      ...(domain && { DomainTarget: { Value: { 'Fn::GetAtt': ['Domain', 'RegionalDomainName'] } } }),
      PageTopic: { Value: { Ref: 'PageTopic' } },
      NoticeTopic: { Value: { Ref: 'NoticeTopic' } },
    });
  },
  'has its domain as its only endpoint, and lets only the docs site’s pages call it': (template, stage) => {
    const { DisableExecuteApiEndpoint = false, CorsConfiguration } = propertiesOf(template, 'HttpApi');
    expect(DisableExecuteApiEndpoint).toBe(Boolean(stage.domain));
    expect(CorsConfiguration?.AllowOrigins).toEqual(stage.siteOrigin ? [stage.siteOrigin] : undefined);
    expect(referencesIn(template).some(([id, name]) => id === 'HttpApi' && name === 'ApiEndpoint')).toBe(!stage.domain);
  },
  'lets only CloudWatch and the budgets of this account publish, and the budget count only its own costs': (
    template,
    { name, monthlyBudget },
  ) => {
    const [statement, ...others] = propertiesOf(template, 'NoticeTopicPolicy').PolicyDocument.Statement;
    expect([statement.Principal.Service, statement.Condition, others]).toEqual([
      ['budgets.amazonaws.com', 'cloudwatch.amazonaws.com'],
      { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      [],
    ]);
    expect(propertiesOf(template, 'Budget').Budget).toMatchObject({
      BudgetLimit: { Amount: monthlyBudget, Unit: 'USD' },
      CostFilters: { TagKeyValue: [`user:stage$${name}`] },
    });
    // On creation, AWS Budgets checks that it may publish.
    expect(resourceOf(template, 'Budget').DependsOn).toContain('NoticeTopicPolicy');
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
    const own = `acquirer-partner-api-${stage.name}`;
    for (const name of namesOf(stage))
      expect(resolved(template, functionOf(template, name).Environment.Variables)).toEqual({
        TABLE_NAME: table,
        BASE_URL: domain ? `https://${domain}` : 'https://a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com',
        LOG_LEVEL: logLevel,
        METRICS_NAMESPACE: own,
        RATE: String(rate),
        BURST: String(burst),
        EVENT_DAYS: String(eventDays),
        ...(name === 'memberCheck' && { MEMBER_CHECK_MS: '1000', CARD_HMAC_KEY_SECRET: stage.cardHmacKeySecret }),
        ...(name === 'selfCheck' && { SELF_CHECK_KEY_SECRET: `${own}/self-check-key` }),
        ...(name === 'keepRecord' && { RECORD_LOG_GROUP: `/${own}/record`, RECORD_LOG_STREAM: 'changes' }),
        ...(name === 'openConsole' && { STAGE: stage.name }),
        ...(name === 'unknownRoute' && siteOrigin && { SITE_ORIGIN: siteOrigin }),
        ...(/^(signIn|callback)$/.test(name) && {
          ISSUER: cognitoDomainPrefix
            ? `https://cognito-idp.eu-central-1.amazonaws.com/{{resolve:ssm:/${own}/user-pool}}`
            : stage.issuer,
          CLIENT_ID: cognitoDomainPrefix ? expect.stringMatching(/^\w{26}$/) : stage.clientId,
          CLIENT_CREDENTIAL_SECRET: `${own}/client-secret`,
          SEALING_KEY_SECRET: `${own}/sealing-key`,
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
    // The alarm expects one check per minute; a late one says nothing.
    const schedule = { ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' };
    expect(propertiesOf(template, 'SelfCheckEventsRuleSchedule1')).toMatchObject(schedule);
    const events = { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 };
    expect(propertiesOf(template, 'SelfCheckLambdaEvConf')).toMatchObject(events);
  },
  // "Lambda quotas": each environment serves ten requests a second. Lambda keeps a concurrency of 100 unreserved.
  'lets no route in more than ten times the concurrency that serves it': (template, stage) => {
    const { DefaultRouteSettings, RouteSettings } = propertiesOf(template, 'HttpApiStage');
    const reserved = idsOf(template, 'AWS::Lambda::Function').map(
      (id) => propertiesOf(template, id).ReservedConcurrentExecutions ?? 0,
    );
    const { accountConcurrency } = stage;
    const unreserved = accountConcurrency - reserved.reduce((sum, each) => sum + each, 0);
    if (unreserved < accountConcurrency) expect(unreserved).toBeGreaterThanOrEqual(100);
    for (const name of endpointsOf(stage))
      for (const { httpApi } of ENDPOINTS[name]?.events ?? []) {
        const concurrency = functionOf(template, name).ReservedConcurrentExecutions ?? unreserved;
        const { ThrottlingRateLimit } = RouteSettings[httpApi.replace('*', '$default')] ?? DefaultRouteSettings;
        expect([httpApi, ThrottlingRateLimit <= 10 * concurrency]).toEqual([httpApi, true]);
      }
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
  'publishes a version of each gradual function, and shifts its alias with CodeDeploy, after its alarms exist': (
    template,
    { deployment, memberCheckInstances },
  ) => {
    for (const name of GRADUAL) {
      const digest = functionOf(template, name).Description.replace(/^Version (?=[0-9a-f]{24}$)/, '');
      const version = logicalId(name, 'Version') + digest;
      // In-use versions stay; those of a failed deployment go, or the next attempt could not publish them again.
      expect(resourceOf(template, version)).toEqual({
        Type: 'AWS::Lambda::Version',
        DeletionPolicy: 'RetainExceptOnCreate',
        Properties: { FunctionName: { Ref: lambdaOf(name) } },
      });
      const { UpdatePolicy, Properties } = resourceOf(template, logicalId(name, 'LiveAlias'));
      expect(UpdatePolicy).toEqual({
        CodeDeployLambdaAliasUpdate: {
          ApplicationName: { Ref: 'Deployments' },
          DeploymentGroupName: { Ref: logicalId(name, 'DeploymentGroup') },
        },
      });
      expect(Properties.FunctionVersion).toEqual({ 'Fn::GetAtt': [version, 'Version'] });
      const warm = name === 'memberCheck' ? memberCheckInstances : 0;
      const { ProvisionedConcurrentExecutions = 0 } = Properties.ProvisionedConcurrencyConfig ?? {};
      expect([name, ProvisionedConcurrentExecutions]).toEqual([name, warm]);
      expect(propertiesOf(template, logicalId(name, 'DeploymentGroup'))).toMatchObject({
        DeploymentConfigName: `CodeDeployDefault.Lambda${deployment}`,
        // An alarm would stop a fix that is deployed all at once.
        AlarmConfiguration: {
          Enabled: deployment !== 'AllAtOnce',
          Alarms: [`Availability${logicalId(name, 'Role').replace(/Role$/, 'Alarm')}`, 'SelfCheckAlarm'].map((Ref) => ({
            Name: { Ref },
          })),
        },
      });
    }
    expect(idsOf(template, 'AWS::Lambda::Version').length).toBe(GRADUAL.length);
  },
  'invokes gradual functions only by their alias, which exists before, and all others without one': (
    template,
    stage,
  ) => {
    const invokers = ['ApiGatewayV2::Integration', 'Lambda::Permission', 'Events::Rule', 'Lambda::EventInvokeConfig'];
    const found = invokers.flatMap((type) => idsOf(template, `AWS::${type}`));
    // An integration and a permission each; a rule, a permission and settings of asynchronous calls for the self-check.
    expect(found.length).toBe(2 * endpointsOf(stage).length + 3);
    for (const id of found) {
      const { Properties, DependsOn = [] } = resourceOf(template, id);
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
  'routes each operation to its function and anything else to unknownRoute': (template, stage) => {
    const routes = idsOf(template, 'AWS::ApiGatewayV2::Route').map((id) => {
      const { RouteKey, Target } = propertiesOf(template, id);
      const { IntegrationUri } = propertiesOf(template, Target['Fn::Join'][1][1].Ref);
      return [RouteKey, referencesIn(IntegrationUri)[0]?.[0]];
    });
    const expected = endpointsOf(stage).flatMap((name) =>
      (ENDPOINTS[name]?.events ?? []).map(({ httpApi }) => [httpApi.replace('*', '$default'), lambdaOf(name)]),
    );
    expect(routes.sort()).toEqual(expected.sort());
  },
  'logs each access as one line of JSON with the function’s request id, but no place of identifiers': (template) => {
    const { DestinationArn, Format } = propertiesOf(template, 'HttpApiStage').AccessLogSettings;
    expect(DestinationArn).toEqual({ 'Fn::GetAtt': ['HttpApiLogGroup', 'Arn'] });
    expect(Format).not.toContain('\n');
    const { lambda_request_id, ...others } = JSON.parse(Format);
    expect(lambda_request_id).toBe('$context.integration.requestId');
    expect(JSON.stringify(others)).not.toMatch(/path|query|userAgent/i);
  },
  'copies every change of the operator’s record, in order, from the stream of the table in use': (
    template,
    { name, table },
  ) => {
    const { FilterCriteria, ...mapped } = propertiesOf(template, 'KeepRecordMapping');
    expect(mapped).toMatchObject({
      EventSourceArn: `{{resolve:ssm:/acquirer-partner-api-${name}/${table}/stream}}`,
      FunctionName: { Ref: 'KeepRecordLambdaFunction' },
      StartingPosition: 'TRIM_HORIZON',
      BatchSize: 1,
    });
    const pattern = { dynamodb: { Keys: { pk: { S: [{ prefix: 'RECORD#' }] } } } };
    expect(FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern))).toEqual([pattern]);
  },
  'uses, monitors and shows the table in use, even a restored one': (template, { table }) => {
    const users = ['AWS::IAM::Role', 'AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard'];
    const parts = users.flatMap((type) => idsOf(template, type)).map((id) => propertiesOf(template, id));
    const named = JSON.stringify(parts).matchAll(/(?::table\/|TableName\W+(?:Value\W+)?)([\w.-]+)/g);
    expect(new Set([...named].map(([, found]) => found))).toEqual(new Set([table]));
  },
  'lets only people whom an administrator of the pool created sign in, with a confidential client': (
    template,
    stage,
  ) => {
    const [id] = idsOf(template, 'AWS::Cognito::UserPoolClient');
    if (id)
      expect(propertiesOf(template, id)).toMatchObject({
        UserPoolId: `{{resolve:ssm:/acquirer-partner-api-${stage.name}/user-pool}}`,
        GenerateSecret: true,
        AllowedOAuthFlows: ['code'],
        CallbackURLs: [redirectOf(stage)],
        SupportedIdentityProviders: ['COGNITO'],
      });
  },
};

/** What holds of the data stack. */
const OF_DATA: Record<string, (template: Template, stage: Stage) => void> = {
  'has exactly these resources': (template, stage) => {
    const found = Map.groupBy(Object.entries(template.Resources), ([, { Type }]) => Type);
    const types = Object.entries(resourcesOfData(stage)).filter(([, ids]) => ids.length > 0);
    expect([...found.keys()].filter((type) => !type.startsWith('AWS::S3::')).sort()).toEqual(
      types.map(([type]) => type).sort(),
    );
    for (const [type, ids] of types) expect([type, idsOf(template, type).sort()]).toEqual([type, ids.toSorted()]);
  },
  'keeps what cannot be made again, but not of a first deployment that failed': (template, { dataRemoval }) => {
    const kept = [
      'AWS::DynamoDB::Table',
      'AWS::SecretsManager::Secret',
      'AWS::Cognito::UserPool',
      'AWS::Logs::LogGroup',
      'AWS::Logs::LogStream',
      'AWS::Backup::BackupVault',
    ];
    for (const id of kept.flatMap((type) => idsOf(template, type))) {
      const { DeletionPolicy, UpdateReplacePolicy } = resourceOf(template, id);
      expect([id, DeletionPolicy, UpdateReplacePolicy]).toEqual([id, dataRemoval, 'Retain']);
    }
  },
  'bills the table by request, with recovery, encryption, time to live, its ceilings and the stage’s protection': (
    template,
    { name, protection, maxReadUnits, maxWriteUnits, warmReadUnits, warmWriteUnits, kmsKey },
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
      TableName: `acquirer-partner-api-${name}`,
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true, ...(kmsKey && { SSEType: 'KMS', KMSMasterKeyId: kmsKey }) },
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      DeletionProtectionEnabled: protection,
      ...throughput,
      GlobalSecondaryIndexes: INDEXES.map((IndexName) => ({ IndexName, ...throughput })),
    });
  },
  'retains the copy of the record for as long as the record, protected like the table': (template, stage) => {
    const { RetentionInDays, DeletionProtectionEnabled } = propertiesOf(template, 'RecordLogGroup');
    expect(DeletionProtectionEnabled).toBe(stage.protection);
    expect(RetentionInDays).toBeGreaterThanOrEqual(stage.eventDays);
  },
  'backs up the table in use, even a restored one': (template, { table }) => {
    for (const id of idsOf(template, 'AWS::Backup::BackupSelection'))
      expect(propertiesOf(template, id).BackupSelection.Resources).toEqual([
        { 'Fn::Sub': `arn:\${AWS::Partition}:dynamodb:\${AWS::Region}:\${AWS::AccountId}:table/${table}` },
      ]);
  },
  'lets nobody sign up, and asks everybody for a second factor': (template, { protection }) => {
    for (const id of idsOf(template, 'AWS::Cognito::UserPool'))
      expect(propertiesOf(template, id)).toMatchObject({
        DeletionProtection: protection ? 'ACTIVE' : 'INACTIVE',
        AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
        AutoVerifiedAttributes: ['email'],
        MfaConfiguration: 'ON',
      });
  },
};

/** What the stack of the API names, and the data stack has. */
function checkNames({ api, data }: Templates, { table, name }: Stage): void {
  const text = JSON.stringify(api);
  const parameters = idsOf(data, 'AWS::SSM::Parameter').map((id) => propertiesOf(data, id).Name);
  // `npm run recover` stores the parameter of a restored table.
  if (table !== `acquirer-partner-api-${name}`) parameters.push(`/acquirer-partner-api-${name}/${table}/stream`);
  for (const [, parameter] of text.matchAll(/\{\{resolve:ssm:([^}]+)\}\}/g)) expect(parameters).toContain(parameter);
  const secrets = [api, data].flatMap((each) =>
    idsOf(each, 'AWS::SecretsManager::Secret').map((id) => propertiesOf(each, id).Name),
  );
  // A standby names the secret of another stage by its ARN.
  for (const [, secret = ''] of text.matchAll(/"\w+_SECRET":"(?!arn:)([^"]+)"/g)) expect(secrets).toContain(secret);
  const groups = idsOf(data, 'AWS::Logs::LogGroup').map((id) => propertiesOf(data, id).LogGroupName);
  expect(groups).toContain(functionOf(api, 'keepRecord').Environment.Variables.RECORD_LOG_GROUP);
  // An export in use cannot be changed.
  expect(text).not.toContain('Fn::ImportValue');
}

describe.each(VARIANTS)('of %s', (title, stage) => {
  test.each(Object.entries({ ...OF_BOTH, ...OF_API }))('the stack of the API %s', (_, check) =>
    check(ofVariant(title).api, stage),
  );
  test.each(Object.entries({ ...OF_BOTH, ...OF_DATA }))('the data stack %s', (_, check) =>
    check(ofVariant(title).data, stage),
  );
  test('the API names only parameters, secrets and logs that exist', () => checkNames(ofVariant(title), stage));
});

/** Changes to properties of a template that checks notice, although they follow from AWS's specification. */
const NOTICED: [what: string, check: string, id: string, path: string, value: unknown][] = [
  ['an unknown property', 'accepts', 'LookupRole', 'Policies.0.Colour', 'red'],
  ['a missing property', 'accepts', 'ServerlessDeploymentBucketPolicy', 'Bucket', undefined],
  ['a text instead of a number', 'accepts', 'ServerErrorsAlarm', 'DatapointsToAlarm', '1'],
  ['a reference to nothing', 'accepts', 'HttpApi', 'Name', { Ref: 'Nothing' }],
  ['an attribute that does not exist', 'accepts', 'HttpApi', 'Name', { 'Fn::GetAtt': ['PageTopic', 'Colour'] }],
  ['a log without tags', 'tags', 'LookupLogGroup', 'Tags', undefined],
  ['an API without its map of tags', 'tags', 'HttpApi', 'Tags', undefined],
  ['a budget without its tags, which have another name', 'tags', 'Budget', 'ResourceTags', undefined],
];

test.each(NOTICED)('a check of the template notices %s', (_, title, id, path, value) => {
  const [check] = Object.entries(OF_BOTH).flatMap(([each, holds]) => (each.includes(title) ? [holds] : []));
  const { api } = ofVariant('prod');
  const names = path.split('.');
  const last = names.pop() as string;
  names.reduce((part, name) => part[name], propertiesOf(api, id))[last] = value;
  expect(() => check?.(JSON.parse(JSON.stringify(api)), stageOf('prod'))).toThrow();
});

describe('the version of a gradual function', () => {
  /** The logical ids of versions with these properties and this code. */
  const versionOf = (properties: object = {}, zip = 'a') => {
    const template = { Resources: {}, Outputs: {} } as Template;
    for (const name of GRADUAL) {
      const { Description: _, ...others } = functionOf(ofVariant('prod').api, name);
      template.Resources[lambdaOf(name)] = { Type: 'AWS::Lambda::Function', Properties: { ...others, ...properties } };
      template.Resources[logicalId(name, 'LiveAlias')] = { Type: 'AWS::Lambda::Alias', Properties: {} };
    }
    addVersions(template, () => Buffer.from(zip));
    return idsOf(template, 'AWS::Lambda::Version').join();
  };

  test.each([
    ['LoggingConfig', { LogFormat: 'JSON', SystemLogLevel: 'INFO' }],
    ['Environment', { Variables: { TABLE_NAME: 'another' } }],
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
    const common = ({ api, data }: Templates, stage: string) =>
      JSON.parse(
        JSON.stringify([api.Resources, data.Resources], (_, value) =>
          typeof value === 'object' ? value : String(value),
        )
          .replaceAll(new RegExp(`\\b${stage}\\b`, 'g'), 'stage')
          .replace(/stage\/\d+-[\dT:.-]+Z/g, '')
          .replace(/(Version ?)[0-9a-f]{24}/g, '$1'),
      );
    const ofProd = Object.entries(rows['prod'] ?? {}).map(([name, value]) => [name, String(value)]);
    const devAsProd = await templatesOf('dev', Object.fromEntries(ofProd));
    expect(common(devAsProd, 'dev')).toEqual(common(ofVariant('prod'), 'prod'));
  });

  /** The parameters of a stage with some others. */
  const parametersWith = (more: Record<string, unknown>, stage = 'dev') => {
    const all: Record<string, unknown> = { ...stageOf(stage), ...more };
    return readParameters((name) => all[name]);
  };

  test('can warm the reads alone, or encrypt alone, and have no ceilings that are 0', async () => {
    const none = { maxReadUnits: 0, maxWriteUnits: 0 };
    const WarmThroughput = { ReadUnitsPerSecond: 12_000 };
    const indexes = INDEXES.map((IndexName) => expect.objectContaining({ IndexName, WarmThroughput }));
    expect(table(await parametersWith({ ...none, warmReadUnits: 12_000 }))).toEqual({
      extensions: { Table: { Properties: { WarmThroughput, GlobalSecondaryIndexes: indexes } } },
    });
    const SSESpecification = { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: OPTIONAL.kmsKey };
    expect(table(await parametersWith({ ...none, kmsKey: OPTIONAL.kmsKey }))).toEqual({
      extensions: { Table: { Properties: { SSESpecification } } },
    });
    expect(table(await parametersWith(none))).toEqual({});
    const off = { memberCheckRate: 0, createRate: 0, unknownRate: 0, signInRate: 0, monthlyBudget: 0 };
    expect(ceilings(await parametersWith(off), 'dev', functionsOf(true))).toEqual({
      extensions: { HttpApiStage: { Properties: { RouteSettings: {} } } },
      Resources: {},
    });
  });

  const ISSUER_RULE =
    'a URL such as https://login.example.com, without query, fragment and credentials, with http only for 127.0.0.1';
  const PREFIX_RULE = '1 to 63 lowercase letters, digits and hyphens, without "aws", "amazon" and "cognito"';
  test.each([
    ['memberCheckRate', 'a whole number of 0 or more', ['fast', '-1', '0.5']],
    ['warmReadUnits', 'a whole number of 12000 or more, which every table has, or 0', ['11999']],
    ['warmWriteUnits', 'a whole number of 4000 or more, which every table has, or 0', ['3999']],
    ['tracing', 'true or false', ['Active']],
    ['kmsKey', 'the ARN of a KMS key, not of an alias', ['alias/table']],
    ['backupVault', 'the ARN of a backup vault', ['locked']],
    ['backupSchedule', 'a cron expression that runs once an hour at most', ['rate(5 minutes)', 'cron(0/30 * * * ? *)']],
    ['backupDays', 'a whole number of 1 or more', ['0']],
    ['cardHmacKeySecret', 'the name or the ARN of a secret', ['arn:aws:secretsmanager:*:*:secret:*']],
    ['cognitoClient', 'a whole number of 1 or more', ['0']],
    [
      'cognitoDomainPrefix',
      PREFIX_RULE,
      ['Payfair', 'pay_fair', '-payfair', 'payfair-', 'my-aws-people', 'cognito', 'a'.repeat(64)],
    ],
    [
      'siteOrigin',
      'an origin such as https://docs.example.com, without a path or a slash at the end, with http only for localhost and 127.0.0.1',
      [
        ...['*', 'https://*.example.com', 'https://docs.example.com/', 'https://docs.example.com?a', 'null'],
        ...['https://docs.example.com:443', 'https://Docs.example.com', 'https://a@docs.example.com'],
        ...['https://docs.example.com,https://a.example', 'http://docs.example.com', 'http://localhost.example.com'],
      ],
    ],
    [
      'issuer',
      ISSUER_RULE,
      [
        ...['login.example.com', 'http://login.example.com', 'http://localhost:4000', 'https://', 'true'],
        ...['http://127.0.0.1.example.com', 'http://127.0.0.1@example.com', 'https://*.example.com'],
        ...['https://user:secret@login.example.com', 'https://login.example.com?tenant=1'],
        ...['https://login.example.com#a', 'https://login example.com', 'https://login.example.com:port'],
      ],
    ],
  ])('reject a %s that is not %s', async (name, rule, values) => {
    for (const value of values)
      await expect(parametersWith({ clientId: 'console', [name]: value })).rejects.toThrow(
        `The parameter ${name} must be ${rule}, not "${value}".`,
      );
  });

  test.each([
    ['siteOrigin', ['https://docs.example.com:8443', 'http://localhost', 'http://127.0.0.1:4000']],
    [
      'issuer',
      ['https://login.example.com/', 'https://login.example.com:8443/oauth2/default', 'http://127.0.0.1:4000'],
    ],
  ])('accept these as %s', async (name, values) => {
    for (const value of values)
      expect(await parametersWith({ clientId: 'console', [name]: value })).toMatchObject({ [name]: value });
  });

  test('reject everything at once, and parameters that contradict each other', async () => {
    await expect(parametersWith({ tracing: 'yes', backupDays: 0 })).rejects.toThrow(
      'The parameter tracing must be true or false, not "yes".\nThe parameter backupDays must be',
    );
    const contradictions: [Record<string, string>, string][] = [
      [{ domain: 'partners.example.com' }, 'The parameter domain needs a certificate.'],
      [{ issuer: 'https://login.example.com' }, 'The parameter issuer needs a clientId.'],
      [
        { ...USER_POOL, clientId: 'console' },
        'With the parameter cognitoDomainPrefix, issuer and clientId are those of the user pool. Remove them.',
      ],
    ];
    for (const [more, message] of contradictions) await expect(parametersWith(more)).rejects.toThrow(message);
  });

  test.each([
    [
      'more member checks than their environments serve',
      { memberCheckRate: 5001 },
      'The parameter memberCheckRate lets in 5001 requests a second, but a concurrency of 500 serves 5000 (memberCheck). Lower it, or raise memberCheckConcurrency.',
    ],
    [
      'more requests than the rest of the concurrency serves',
      { throttleRate: 3001 },
      'The parameter throttleRate lets in 3001 requests a second, but a concurrency of 300 serves 3000 (all other functions). Lower it, or raise accountConcurrency.',
    ],
    [
      'a reservation that leaves Lambda too little',
      { memberCheckConcurrency: 750 },
      'The parameters reserve a concurrency of 950 of 1000, but Lambda keeps 100 unreserved. Have the quota raised, then raise accountConcurrency.',
    ],
  ])('reject %s', async (_, more, message) => {
    const parameters = await parametersWith(more, 'prod');
    expect(() => ceilings(parameters, 'prod', functionsOf(true))).toThrow(message);
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

  test('have no issuer by default, and then nothing of the console', async () => {
    expect(hasIssuer(await parametersWith({}))).toBe(false);
    const names = Object.keys(FUNCTIONS).filter(isOfConsole);
    expect(names).toEqual(expect.arrayContaining(['signIn', 'callback', 'createKey', 'invitePerson']));
    for (const name of ['dev', 'staging', 'prod'])
      for (const found of [...names.map(lambdaOf), '/console/', 'ClientSecret', 'SealingKey', 'Cognito'])
        expect(JSON.stringify(ofVariant(name))).not.toContain(found);
  });

  test.each([
    [6, 7],
    [400, 400],
    [401, 545],
    [3654, undefined],
  ])('that retain the record for %i days retain its copy for %s', (eventDays, days) => {
    expect(recordLog({ eventDays }).Resources.RecordLogGroup.Properties.RetentionInDays).toBe(days);
  });

  test.each([
    ['deployment', 'Canary', 'AllAtOnce or a configuration such as Canary10Percent10Minutes, not "Canary".'],
    ['siteOrigin', '*', 'an origin'],
  ])('cannot be packaged with such a %s', async (name, value, rule) => {
    await expect(templatesOf('dev', { [name]: value })).rejects.toThrow(`The parameter ${name} must be ${rule}`);
  });

  test('are only these: another one fails with the name of its missing parameter', async () => {
    await expect(templatesOf('production')).rejects.toThrow('Value not found at "param" source');
  });
});
