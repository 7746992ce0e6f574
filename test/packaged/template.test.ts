import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { alarms } from '../../infra/template/alarms.ts';
import { CEILINGS, type Ceilings, ceilings, readCeilings } from '../../infra/template/ceilings.ts';
import { CORS, cors } from '../../infra/template/cors.ts';
import { ENDPOINTS, FOLDERS, FUNCTIONS, INDEXES, logicalId, MEMORY } from '../../infra/template/definitions.ts';
import { domain } from '../../infra/template/domain.ts';
import { type Resource, referencesIn, resourceOf, type Template } from '../../infra/template/template.ts';
import { METRICS } from '../../lib/base/metrics.ts';
import { UNITS_PER_TOKEN } from '../../lib/http/rateLimit.ts';
import { TIMEOUT_MS } from '../../lib/platform/selfCheck.ts';
import { BUDGET_MS, RETRY_MS } from '../../lib/table/retry.ts';
import { LIMITS } from '../../lib/table/sdk.ts';
import { isAwsMetric, tagsOf, templateErrors } from '../awsTable/spec.ts';
import { resolved } from './deployed.ts';
import { templateOf as compiled, OPTIONAL } from './packaging.ts';

/*
 * Checks the templates that `serverless package` makes of serverless.yml and infra/ for each stage.
 */

/** A stage's parameters in serverless.yml. */
interface Stage extends Ceilings {
  name: string;
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
}

const { params } = parse(readFileSync('serverless.yml', 'utf8')) as { params: Record<string, Partial<Stage>> };
const stageOf = (name: string, more: Partial<Stage> = {}): Stage =>
  ({ ...params['default'], table: `acquirer-partner-api-${name}`, ...params[name], name, ...more }) as Stage;

const STAGES = ['dev', 'staging', 'prod'].map((name) => stageOf(name));
const prod = stageOf('prod');
const ELSEWHERE = { table: 'acquirer-partner-api-prod-2', ...OPTIONAL };
const VARIANTS: [title: string, stage: Stage, params: Record<string, string>][] = [
  ...STAGES.map((stage): [string, Stage, Record<string, string>] => [stage.name, stage, {}]),
  ['prod with a domain, a docs site and a restored table', stageOf('prod', ELSEWHERE), ELSEWHERE],
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
    expect(burst).toBeGreaterThan(102);
  });

  test('serve ten acquirers at their limits per route, and less than one of them at unknown routes', () => {
    expect([throttleRate, throttleBurst]).toEqual([10 * rate, 20 * rate]);
    expect([stage.memberCheckRate, stage.createRate]).toEqual([throttleRate, throttleRate]);
    expect(stage.unknownRate).toBeLessThan(rate);
    expect(stage.monthlyBudget).toBeGreaterThan(0);
  });

  test('protect only prod, which also pages and has warm instances within their reserved concurrency', () => {
    const { name, protection, dataRemoval, urgentTopic } = stage;
    const isProd = name === 'prod';
    expect({ protection, dataRemoval, urgentTopic, isWarm: memberCheckInstances > 0 }).toEqual({
      protection: isProd,
      dataRemoval: isProd ? 'Retain' : 'Delete',
      urgentTopic: isProd ? 'PageTopic' : 'NoticeTopic',
      isWarm: isProd,
    });
    expect(memberCheckConcurrency).toBeGreaterThanOrEqual(memberCheckInstances);
  });
});

const NAMES = Object.keys(FUNCTIONS);
const lambdaOf = (name: string): string => logicalId(name, 'LambdaFunction');

const idsOf = (template: Template, type: string): string[] =>
  Object.keys(template.Resources).filter((id) => template.Resources[id]?.Type === type);
// biome-ignore lint/suspicious/noExplicitAny: each type has properties of its own
const propertiesOf = (template: Template, id: string): any => resourceOf(template, id).Properties;
const functionOf = (template: Template, name: string) => propertiesOf(template, lambdaOf(name));

/** The types of which a template has exactly these resources. */
const resourcesOf = ({ domain, memberCheckInstances }: Stage): Record<string, string[]> => ({
  'AWS::Lambda::Function': NAMES.map(lambdaOf),
  'AWS::IAM::Role': NAMES.map((name) => logicalId(name, 'Role')),
  'AWS::Logs::LogGroup': [...NAMES.map((name) => logicalId(name, 'LogGroup')), 'HttpApiLogGroup'],
  'AWS::Lambda::Alias': memberCheckInstances > 0 ? ['MemberCheckProvConcLambdaAlias'] : [],
  'AWS::Lambda::Version':
    memberCheckInstances > 0 ? [expect.stringContaining('MemberCheckLambdaVersion') as unknown as string] : [],
  'AWS::ApiGatewayV2::DomainName': domain ? ['Domain'] : [],
  'AWS::ApiGatewayV2::ApiMapping': domain ? ['DomainMapping'] : [],
  'AWS::DynamoDB::Table': ['Table'],
  'AWS::SecretsManager::Secret': ['CardHmacKey', 'SelfCheckKey'],
  'AWS::SNS::Topic': ['PageTopic', 'NoticeTopic'],
  // The URL of a pager is a credential, so operators subscribe by hand.
  'AWS::SNS::Subscription': [],
  'AWS::Budgets::Budget': ['Budget'],
});

const tagged = { Tags: expect.anything() };

/** Properties of single resources, and why. */
const expectedProperties = ({ name, domain, siteOrigin, monthlyBudget }: Stage): Record<string, object> => ({
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
  CardHmacKey: {
    Name: `acquirer-partner-api-${name}/card-hmac-key`,
    Description: expect.any(String),
    GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true },
    ...tagged,
  },
  // The operator sets this one, so the template has no value.
  SelfCheckKey: { Name: `acquirer-partner-api-${name}/self-check-key`, Description: expect.any(String), ...tagged },
  // The alarm expects one check per minute; a late one says nothing.
  SelfCheckEventsRuleSchedule1: expect.objectContaining({
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
  ThrottledRequests: expect.objectContaining({
    LogGroupName: { Ref: 'HttpApiLogGroup' },
    FilterPattern: '{ $.status = "429" && $.lambda_request_id != "*-*-*-*-*" }',
  }) as unknown as object,
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

/** The metrics of an alarm. */
const metricsOf = ({ Properties }: Resource): Metric[] =>
  Properties.Metrics
    ? Properties.Metrics.flatMap(({ MetricStat }: { MetricStat?: { Metric: Metric } }) => MetricStat?.Metric ?? [])
    : [Properties];

/** Metrics without a source: neither our log lines nor the filter of the access log nor AWS. */
const missing = (metrics: Metric[], { name }: Stage): Metric[] =>
  metrics.filter(({ Namespace, MetricName, Dimensions = [] }) => {
    const dimensions = Dimensions.map(({ Name }) => Name);
    return Namespace === `acquirer-partner-api-${name}`
      ? dimensions.length > 0 || ![...Object.keys(METRICS), 'api_throttles'].includes(MetricName)
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
  [...OPERATIONS.matchAll(/^\| \[([\w-]+)\]\(#alarm-\1\) \| (yes|no) \| (\d*)/gm)].map(
    ([, name = '', pages, threshold]) => [name, { isUrgent: pages === 'yes', threshold: Number(threshold) }],
  ),
);

/** The metrics of alarms that do not have the name of a metric of our log lines. */
const WATCHED: Record<string, string[]> = {
  'self-check': ['self_check_successes'],
  'gateway-errors': ['5xx'],
  'table-throttles': ['ReadThrottleEvents', 'WriteThrottleEvents'],
  'function-throttles': ['Throttles'],
  'latency-p99': ['Latency'],
  'function-errors': ['Errors'],
  'table-usage': ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'],
};

/** The conditions of alarms that do not fire at a sum of five minutes. */
const conditionsOf = ({ maxReadUnits, maxWriteUnits }: Stage, { AlarmName }: { AlarmName: string }): object => {
  if (AlarmName.endsWith('-self-check'))
    return {
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
      Statistic: 'Sum',
      Period: 60,
      EvaluationPeriods: 5,
      DatapointsToAlarm: 3,
    };
  if (AlarmName.endsWith('-latency-p99'))
    return { Threshold: 3000, ExtendedStatistic: 'p99', EvaluationPeriods: 3, DatapointsToAlarm: 3 };
  if (AlarmName.endsWith('-table-usage-reads')) return { Threshold: 300 * 0.5 * maxReadUnits };
  if (AlarmName.endsWith('-table-usage-writes')) return { Threshold: 300 * 0.5 * maxWriteUnits };
  return {};
};

/** The alarms of a template by the name of their runbook. Some have parts, such as the folders of functions. */
const alarmsOf = (template: Template, { name }: Stage): Map<string, Resource[]> =>
  Map.groupBy(
    idsOf(template, 'AWS::CloudWatch::Alarm').map((id) => resourceOf(template, id)),
    ({ Properties }) =>
      Properties.AlarmName.replace(`acquirer-partner-api-${name}-`, '').replace(
        new RegExp(`^(function-\\w+|table-\\w+)-(${[...Object.keys(FOLDERS), 'reads', 'writes'].join('|')})$`),
        '$1',
      ),
  );

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
  'outputs the table, the URL and the topics': ({ Outputs }, { table, domain }) =>
    expect(Outputs).toMatchObject({
      TableName: { Value: table },
      BaseUrl: { Value: domain ? `https://${domain}` : { 'Fn::GetAtt': ['HttpApi', 'ApiEndpoint'] } },
      ...(domain && { DomainTarget: { Value: { 'Fn::GetAtt': ['Domain', 'RegionalDomainName'] } } }),
      PageTopic: { Value: { Ref: 'PageTopic' } },
      NoticeTopic: { Value: { Ref: 'NoticeTopic' } },
    }),
  'tags every resource that accepts tags with the service and the stage': (template, { name }) => {
    const expected = { service: 'acquirer-partner-api', stage: name };
    for (const [id, resource] of Object.entries(template.Resources)) {
      const tags = tagsOf(resource);
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
    { logRetentionDays: RetentionInDays },
  ) => {
    for (const name of NAMES) {
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
      const log = { LogGroupName: `/aws/lambda/${lambda.FunctionName}`, RetentionInDays };
      expect(propertiesOf(template, logicalId(name, 'LogGroup'))).toMatchObject(log);
    }
    expect(propertiesOf(template, 'HttpApiLogGroup')).toMatchObject({ RetentionInDays });
  },
  'gives each function only its own settings, and secrets only by name': (
    template,
    { name: stage, table, domain, siteOrigin, logLevel, rate, burst, eventDays },
  ) => {
    const secret = (kind: string) =>
      expect.stringMatching(new RegExp(`^arn:aws:secretsmanager:.*:secret:.*/${kind}-key-\\w{6}$`));
    for (const name of NAMES)
      expect(resolved(template, functionOf(template, name).Environment.Variables)).toEqual({
        TABLE_NAME: table,
        BASE_URL: domain ? `https://${domain}` : 'https://a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com',
        LOG_LEVEL: logLevel,
        METRICS_NAMESPACE: `acquirer-partner-api-${stage}`,
        RATE: String(rate),
        BURST: String(burst),
        EVENT_DAYS: String(eventDays),
        ...(name === 'memberCheck' && { CARD_HMAC_KEY_SECRET: secret('card-hmac') }),
        ...(name === 'selfCheck' && { SELF_CHECK_KEY_SECRET: secret('self-check') }),
        ...(name === 'unknownRoute' && siteOrigin && { SITE_ORIGIN: siteOrigin }),
      });
  },
  'lets the SDK time out before the function, and the function before the gateway': (template) => {
    const { connectionTimeout, requestTimeout } = LIMITS.requestHandler;
    const attempt = connectionTimeout + requestTimeout;
    for (const name of Object.keys(ENDPOINTS)) {
      const { Timeout } = functionOf(template, name);
      const integration = `HttpApiIntegration${name[0]?.toUpperCase()}${name.slice(1)}`;
      const { TimeoutInMillis } = propertiesOf(template, integration);
      // The last attempt of an operation may begin at the end of the budget: a read, a read and a write.
      expect(Timeout).toBeGreaterThan((BUDGET_MS + 3 * attempt) / 1000);
      expect(TimeoutInMillis / 1000).toBeGreaterThan(Timeout);
      expect(TimeoutInMillis).toBeLessThanOrEqual(30_000);
    }
    const { Timeout } = functionOf(template, 'selfCheck');
    // The key of one check, whose last attempt may begin when retries end, and then its request.
    expect(Timeout).toBeGreaterThan((RETRY_MS + attempt + TIMEOUT_MS) / 1000);
    expect(Timeout).toBeLessThan(60);
  },
  'reserves concurrency for member checks, caps each create, and keeps member checks warm if the stage sets it': (
    template,
    { memberCheckConcurrency, createConcurrency, memberCheckInstances },
  ) => {
    const reserved: Record<string, number> = {
      memberCheck: memberCheckConcurrency,
      createBranch: createConcurrency,
      createTerminals: createConcurrency,
    };
    for (const name of NAMES)
      expect([name, functionOf(template, name).ReservedConcurrentExecutions ?? 0]).toEqual([name, reserved[name] ?? 0]);
    for (const id of idsOf(template, 'AWS::Lambda::Alias'))
      expect(propertiesOf(template, id)).toMatchObject({
        FunctionName: { Ref: 'MemberCheckLambdaFunction' },
        ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: memberCheckInstances },
      });
  },
  // test/packaged/roles.test.ts simulates what they allow.
  'lets only Lambda assume the roles, whose policies fit and name every action and resource in full': (template) => {
    for (const name of NAMES) {
      const role = propertiesOf(template, logicalId(name, 'Role'));
      expect(role).toEqual({
        AssumeRolePolicyDocument: {
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
        },
        Policies: [expect.anything()],
        ...tagged,
      });
      for (const statement of role.Policies[0].PolicyDocument.Statement) {
        const { Effect, Action, Resource, Condition: _, ...others } = statement;
        expect([Effect, others]).toEqual(['Allow', {}]);
        for (const action of Action) expect(action).toMatch(/^(dynamodb|secretsmanager|logs):[A-Za-z]+$/);
        // A text may contain a wildcard; a reference names one resource.
        expect(JSON.stringify(Resource)).not.toContain('*');
      }
      // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html: all inline policies of a role.
      expect(JSON.stringify(resolved(template, role.Policies)).length).toBeLessThan(10_240);
    }
  },
  'routes each operation to its function and anything else to unknownRoute': (template) => {
    const routes = idsOf(template, 'AWS::ApiGatewayV2::Route').map((id) => {
      const { RouteKey, Target } = propertiesOf(template, id);
      const uri = propertiesOf(template, Target['Fn::Join'][1][1].Ref).IntegrationUri;
      const [lambda] = uri['Fn::GetAtt'] ?? uri['Fn::Join'][1][0]['Fn::GetAtt'];
      return [RouteKey, lambda];
    });
    const expected = Object.entries(ENDPOINTS).map(([name, { events }]) => [
      events[0].httpApi.replace('*', '$default'),
      lambdaOf(name),
    ]);
    expect(routes.sort()).toEqual(expected.sort());
  },
  'throttles the API by the stage’s limits, and member checks, creates and unknown routes separately': (
    template,
    { throttleRate, throttleBurst, memberCheckRate, createRate, unknownRate },
  ) => {
    const { DefaultRouteSettings, RouteSettings } = propertiesOf(template, 'HttpApiStage');
    const limits = (rate: number, burst = 2 * rate) => ({ ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst });
    expect(DefaultRouteSettings).toEqual({ DetailedMetricsEnabled: false, ...limits(throttleRate, throttleBurst) });
    expect(RouteSettings).toEqual({
      'POST /api/v1/host/member-check': limits(memberCheckRate),
      'POST /ext/api/v1/merchants': limits(createRate),
      'POST /ext/api/v1/terminals/{id}': limits(createRate),
      $default: limits(unknownRate),
    });
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
    { name, protection, dataRemoval, maxReadUnits, maxWriteUnits },
  ) => {
    const OnDemandThroughput = { MaxReadRequestUnits: maxReadUnits, MaxWriteRequestUnits: maxWriteUnits };
    expect(propertiesOf(template, 'Table')).toMatchObject({
      TableName: `acquirer-partner-api-${name}`,
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true },
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      DeletionProtectionEnabled: protection,
      OnDemandThroughput,
      GlobalSecondaryIndexes: INDEXES.map((IndexName) => ({ IndexName, OnDemandThroughput })),
    });
    for (const id of ['Table', 'CardHmacKey'])
      expect(resourceOf(template, id)).toMatchObject({
        DeletionPolicy: dataRemoval,
        UpdateReplacePolicy: dataRemoval,
      });
  },
  'uses, monitors and shows the table in use, even a restored one': (template, { table }) => {
    const users = ['AWS::IAM::Role', 'AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard'];
    const parts = users.flatMap((type) => idsOf(template, type)).map((id) => propertiesOf(template, id));
    const named = JSON.stringify(parts).matchAll(/(?::table\/|TableName\W+(?:Value\W+)?)([\w.-]+)/g);
    expect(new Set([...named].map(([, found]) => found))).toEqual(new Set([table]));
  },
  'has the alarms of the runbooks, for every function, index and count in our log lines': (template, stage) => {
    const found = alarmsOf(template, stage);
    expect([...found.keys()].sort()).toEqual([...ALARMS.keys()].sort());
    const all = [...found.values()].flat().flatMap(metricsOf);
    expect(missing(all, stage)).toEqual([]);
    const counts = Object.entries(METRICS).flatMap(([name, unit]) => (unit === 'Count' ? [name] : []));
    expect(all.map(({ MetricName }) => MetricName)).toEqual(expect.arrayContaining(counts));
    for (const [name, parts] of found) {
      expect(OPERATIONS).toContain(`\n### Alarm: ${name}\n`);
      const metrics = parts.flatMap(metricsOf);
      const watched = [...new Set(metrics.map(({ MetricName }) => MetricName))];
      expect(watched).toEqual(WATCHED[name] ?? [name.replaceAll('-', '_')]);
      const valuesOf = (dimension: string) =>
        metrics
          .flatMap(({ Dimensions = [] }) => Dimensions.filter(({ Name }) => Name === dimension))
          .map(({ Value }) => (typeof Value === 'string' ? Value : Value.Ref));
      if (name.startsWith('function-')) expect(valuesOf('FunctionName').sort()).toEqual(NAMES.map(lambdaOf).sort());
      if (name.startsWith('table-')) expect(valuesOf('GlobalSecondaryIndexName')).toEqual([...INDEXES, ...INDEXES]);
    }
  },
  'fires each alarm at its threshold, by the sum of its metrics or the busiest one, and notifies its topic': (
    template,
    stage,
  ) => {
    for (const [name, parts] of alarmsOf(template, stage))
      for (const { Properties } of parts) {
        const { isUrgent, threshold } = ALARMS.get(name) ?? {};
        const topic = { Ref: isUrgent ? stage.urgentTopic : 'NoticeTopic' };
        const { Metrics, ExtendedStatistic, Statistic = ExtendedStatistic } = Properties;
        expect({ ...Properties, Statistic }).toMatchObject({
          Threshold: threshold,
          ComparisonOperator: 'GreaterThanOrEqualToThreshold',
          TreatMissingData: 'notBreaching',
          DatapointsToAlarm: 1,
          // With filled-in values, the data of the last period may not have arrived yet.
          ...(Metrics
            ? { EvaluationPeriods: 2 }
            : { EvaluationPeriods: 1, Period: 300, Statistic: ExtendedStatistic ?? 'Sum' }),
          ...conditionsOf(stage, Properties),
          AlarmActions: [topic],
          OKActions: [topic],
          AlarmDescription: expect.stringMatching(new RegExp(`\\. See docs/operations\\.md#alarm-${name}$`)),
        });
        if (!Metrics) continue;
        // CloudWatch's limit is ten, beside the expression.
        expect(Metrics.length).toBeLessThanOrEqual(11);
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
  'shows every alarm, only metrics with a source, and every endpoint’s log on the dashboard': (template, stage) => {
    const { widgets } = JSON.parse(propertiesOf(template, 'Dashboard').DashboardBody['Fn::Sub']) as {
      widgets: { properties: { metrics?: (string | object)[][]; alarms?: string[]; query?: string } }[];
    };
    expect(widgets.flatMap(({ properties }) => properties.alarms ?? [])).toEqual(
      idsOf(template, 'AWS::CloudWatch::Alarm').map((id) => `\${${id}.Arn}`),
    );
    const shown = widgets.flatMap(({ properties }) => properties.metrics ?? []).map(metricOfLine);
    expect(shown.length).toBeGreaterThan(50);
    expect(missing(shown, stage)).toEqual([]);
    const [query = ''] = widgets.flatMap(({ properties }) => properties.query ?? []);
    for (const name of Object.keys(ENDPOINTS))
      expect(query).toContain(`SOURCE '\${${logicalId(name, 'LogGroup')}}' | `);
  },
};

describe.each(VARIANTS)('the template of %s', (title, stage) => {
  test.each(Object.entries(CHECKS))('%s', (_, check) => check(templateOf(title), stage));
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
  ['a function without an alarm', 'alarms of', 'FunctionErrorsBranchesAlarm', 'Metrics.0.MetricStat', undefined],
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

describe('the stages', () => {
  test('differ only in their parameters and names', async () => {
    /** The resources without names, generated ids and the types of parameters, which are texts on the command line. */
    const common = ({ Resources }: Template, stage: string) =>
      JSON.parse(
        JSON.stringify(Resources, (_, value) => (typeof value === 'object' ? value : String(value)))
          .replaceAll(new RegExp(`\\b${stage}\\b`, 'g'), 'stage')
          .replace(/stage\/\d+-[\dT:.-]+Z/g, '')
          .replace(/(LambdaVersion)\w+/g, '$1'),
      );
    const ofProd = Object.entries(params['prod'] ?? {}).map(([name, value]) => [name, String(value)]);
    const devAsProd = await compiled('dev', Object.fromEntries(ofProd));
    expect(common(devAsProd, 'dev')).toEqual(common(templateOf('prod'), 'prod'));
  });

  test('have no ceilings that are 0, and no alarms for them', () => {
    const none = Object.fromEntries(CEILINGS.map((name) => [name, 0])) as Ceilings;
    expect(ceilings(none, 'dev')).toEqual({
      extensions: { HttpApiStage: { Properties: { RouteSettings: {} } } },
      Resources: {},
    });
    expect(Object.keys(alarms(none).Resources).filter((id) => id.startsWith('TableUsage'))).toEqual([]);
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

  test('cannot be packaged with such an origin', async () => {
    await expect(compiled('dev', { siteOrigin: '*' })).rejects.toThrow('The parameter siteOrigin must be an origin');
  });

  test('are only these: another one fails with the name of its missing parameter', async () => {
    await expect(compiled('production')).rejects.toThrow(
      'Cannot resolve variable at "provider.environment.LOG_LEVEL": Value not found at "param" source',
    );
  });
});
