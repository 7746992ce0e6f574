import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { CEILINGS } from '../../infra/template/ceilings.ts';
import { ENDPOINTS, FOLDERS, FUNCTIONS, INDEXES, logicalId } from '../../infra/template/definitions.ts';
import { type Resource, referencesIn, resourceOf, type Template } from '../../infra/template/template.ts';
import { METRICS } from '../../lib/base/metrics.ts';
import { UNITS_PER_TOKEN } from '../../lib/http/rateLimit.ts';
import { TIMEOUT_MS } from '../../lib/platform/selfCheck.ts';
import { BUDGET_MS, RETRY_MS } from '../../lib/table/retry.ts';
import { LIMITS } from '../../lib/table/sdk.ts';
import { isAwsMetric, tagsOf, templateErrors } from '../awsTable/spec.ts';
import { resolved } from './deployed.ts';
import { templateOf as compiled, DOMAIN } from './packaging.ts';

/*
 * Checks the templates that `serverless package` makes of serverless.yml and infra/ for each stage. Every check comes
 * with changes that break a template, and each of these must fail that check and no other.
 */

/** Repeated, not imported, because stages differ only in these values. */
interface Stage {
  name: string;
  logLevel: string;
  retention: number;
  rate: number;
  burst: number;
  /** The rate limit of an acquirer: tokens per second on average, and per window. */
  limit: number;
  quota: number;
  eventDays: number;
  urgent: string;
  isProtected: boolean;
  warm: number;
  table: string;
  baseUrl: string;
  /** Requests per second of the routes with limits of their own. */
  rates: { memberCheck: number; create: number; unknown: number } | undefined;
  /** Reserved concurrency, for each of the two creates. */
  reserved: { memberCheck: number; create: number } | undefined;
  /** Units per second of the table and of each index. */
  units: { read: number; write: number } | undefined;
  /** US dollars per month. */
  budget: number | undefined;
}

const GENERATED_URL = 'https://a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com';
const dev: Stage = {
  name: 'dev',
  logLevel: 'DEBUG',
  retention: 7,
  rate: 200,
  burst: 400,
  limit: 20,
  quota: 120,
  eventDays: 7,
  urgent: 'NoticeTopic',
  isProtected: false,
  warm: 0,
  table: 'acquirer-partner-api-dev',
  baseUrl: GENERATED_URL,
  rates: { memberCheck: 200, create: 200, unknown: 5 },
  reserved: undefined,
  units: { read: 1000, write: 3200 },
  budget: 50,
};
const staging: Stage = {
  ...dev,
  name: 'staging',
  logLevel: 'INFO',
  retention: 30,
  rate: 500,
  burst: 1000,
  limit: 50,
  quota: 150,
  eventDays: 30,
  table: 'acquirer-partner-api-staging',
  rates: { memberCheck: 500, create: 500, unknown: 10 },
  units: { read: 2000, write: 8000 },
  budget: 100,
};
const prod: Stage = {
  name: 'prod',
  logLevel: 'INFO',
  retention: 90,
  rate: 1000,
  burst: 2000,
  limit: 100,
  quota: 200,
  eventDays: 400,
  urgent: 'PageTopic',
  isProtected: true,
  warm: 2,
  table: 'acquirer-partner-api-prod',
  baseUrl: GENERATED_URL,
  rates: { memberCheck: 1000, create: 1000, unknown: 20 },
  reserved: { memberCheck: 100, create: 100 },
  units: { read: 12_000, write: 16_000 },
  budget: 500,
};
const STAGES: Record<string, { stage: Stage; params?: Record<string, string> }> = {
  dev: { stage: dev },
  staging: { stage: staging },
  prod: { stage: prod },
  'prod with a domain and a restored table': {
    stage: { ...prod, table: 'acquirer-partner-api-prod-2', baseUrl: 'https://partners.example.com' },
    params: { table: 'acquirer-partner-api-prod-2', ...DOMAIN },
  },
  'dev without ceilings': {
    stage: { ...dev, rates: undefined, units: undefined, budget: undefined },
    params: Object.fromEntries(CEILINGS.map((name) => [name, '0'])),
  },
};

const templates: Record<string, Template> = {};
const templateOf = (name: string): Template => structuredClone(templates[name] as Template);
beforeAll(async () => {
  for (const [name, { stage, params }] of Object.entries(STAGES)) templates[name] = await compiled(stage.name, params);
});

test.each([dev, staging, prod])('an acquirer at its limit writes at most a tenth of the units of $name', (stage) => {
  expect(stage.limit * UNITS_PER_TOKEN).toBeLessThanOrEqual((stage.units?.write ?? 0) / 10);
});

const NAMES = Object.keys(FUNCTIONS);

const ofType = (template: Template, type: string): [string, Resource][] =>
  Object.entries(template.Resources).filter(([, { Type }]) => Type === type);
// biome-ignore lint/suspicious/noExplicitAny: each type has properties of its own
const propertiesOf = (template: Template, id: string): any => resourceOf(template, id).Properties;
const functionOf = (template: Template, name: string) => propertiesOf(template, logicalId(name, 'LambdaFunction'));
const policiesOf = (template: Template, name: string) => propertiesOf(template, logicalId(name, 'Role')).Policies;
const accessLogOf = (template: Template): Record<string, string> =>
  JSON.parse(propertiesOf(template, 'HttpApiStage').AccessLogSettings.Format);

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

/** A metric in words: `AWS/Lambda Errors`, `ours server_errors`. */
const wordsOf = ({ Namespace, MetricName }: Metric, { name }: Stage): string =>
  `${Namespace === `acquirer-partner-api-${name}` ? 'ours' : Namespace} ${MetricName}`;

/** Metrics without a source: neither our log lines nor a filter of the template nor AWS. */
const missing = (metrics: Metric[], template: Template, { name }: Stage): Metric[] => {
  const filtered = ofType(template, 'AWS::Logs::MetricFilter').flatMap(([, { Properties }]) =>
    Properties.MetricTransformations.map((each: { MetricName: string }) => each.MetricName),
  );
  return metrics.filter(({ Namespace, MetricName, Dimensions = [] }) => {
    const dimensions = Dimensions.map(({ Name }) => Name);
    return Namespace === `acquirer-partner-api-${name}`
      ? dimensions.length > 0 || ![...Object.keys(METRICS), ...filtered].includes(MetricName)
      : !isAwsMetric(Namespace, MetricName, dimensions);
  });
};

interface Dashboard {
  widgets: { type: string; properties: { metrics?: (string | object)[][]; alarms?: string[]; query?: string } }[];
}
const dashboardOf = (template: Template): Dashboard =>
  JSON.parse(propertiesOf(template, 'Dashboard').DashboardBody['Fn::Sub']);

/** The metric of a line such as `[namespace, name, dimension, value, { stat }]`. */
function metricOfLine(line: (string | object)[]): Metric {
  const [Namespace = '', MetricName = '', ...others] = line.filter((part) => typeof part === 'string');
  const Dimensions = others.flatMap((Name, at) => (at % 2 === 0 ? [{ Name, Value: others[at + 1] ?? '' }] : []));
  return { Namespace, MetricName, Dimensions };
}

/** The settings of most alarms: they fire if a value of five minutes is too large. */
const TOO_LARGE = { ComparisonOperator: 'GreaterThanOrEqualToThreshold', TreatMissingData: 'notBreaching' };

/** The alarms: their metrics, thresholds and numbers of five-minute periods, or other settings. */
const ALARMS: Record<
  string,
  { isUrgent: boolean; watches: string[]; threshold?: number; periods?: number; judged?: object }
> = {
  'self-check': {
    isUrgent: true,
    watches: ['ours self_check_successes'],
    threshold: 1,
    judged: {
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
      Statistic: 'Sum',
      Period: 60,
      EvaluationPeriods: 5,
      DatapointsToAlarm: 3,
    },
  },
  'server-errors': { isUrgent: true, watches: ['ours server_errors'], threshold: 5 },
  'gateway-errors': { isUrgent: true, watches: ['AWS/ApiGateway 5xx'], threshold: 5 },
  'retries-exhausted': { isUrgent: true, watches: ['ours retries_exhausted'], threshold: 3 },
  'table-throttles': {
    isUrgent: true,
    watches: ['AWS/DynamoDB ReadThrottleEvents', 'AWS/DynamoDB WriteThrottleEvents'],
    threshold: 50,
  },
  'function-throttles': { isUrgent: true, watches: ['AWS/Lambda Throttles'], threshold: 5 },
  'latency-p99': { isUrgent: true, watches: ['AWS/ApiGateway Latency'], threshold: 3000, periods: 3 },
  'function-errors': { isUrgent: false, watches: ['AWS/Lambda Errors'], threshold: 1 },
  'api-throttles': { isUrgent: false, watches: ['ours api_throttles'], threshold: 20 },
  'authentication-failures': { isUrgent: false, watches: ['ours authentication_failures'], threshold: 100 },
  'rate-limited': { isUrgent: false, watches: ['ours rate_limited'], threshold: 500 },
  'limiter-failures': { isUrgent: false, watches: ['ours limiter_failures'], threshold: 5 },
  'seal-failures': { isUrgent: false, watches: ['ours seal_failures'], threshold: 1 },
  // Only in stages with ceilings, from which their thresholds follow.
  'table-usage': {
    isUrgent: false,
    watches: ['AWS/DynamoDB ConsumedReadCapacityUnits', 'AWS/DynamoDB ConsumedWriteCapacityUnits'],
  },
};
const alarmsIn = ({ units }: Stage) =>
  Object.entries(ALARMS).filter(([name]) => name !== 'table-usage' || units !== undefined);

/** Half of the stage's ceiling on the metric of an alarm, over five minutes. */
const usageThreshold = (alarm: Resource, { units = { read: 0, write: 0 } }: Stage): number =>
  300 * 0.5 * (metricsOf(alarm)[0]?.MetricName.includes('Read') ? units.read : units.write);

/** The runbooks of the alarms. */
const OPERATIONS = readFileSync('docs/operations.md', 'utf8');

/** The alarms of the template by name. Those in parts, such as the folders of functions, have one name. */
const alarmsOf = (template: Template, { name }: Stage): Map<string, Resource[]> =>
  Map.groupBy(
    ofType(template, 'AWS::CloudWatch::Alarm').map(([, alarm]) => alarm),
    ({ Properties }) =>
      Properties.AlarmName.replace(`acquirer-partner-api-${name}-`, '').replace(
        new RegExp(`^(function-\\w+|table-\\w+)-(${[...Object.keys(FOLDERS), 'reads', 'writes'].join('|')})$`),
        '$1',
      ),
  );

interface Check {
  holds: (template: Template, stage: Stage) => void;
  /** Each breaks a template so that only this check fails. */
  broken: Record<string, (template: Template) => void>;
}

const CHECKS: Record<string, Check> = {
  'has only types, properties and references that CloudFormation accepts': {
    holds: (template) => expect(templateErrors(template)).toEqual([]),
    broken: {
      'an unknown property': (template) =>
        Object.assign(propertiesOf(template, 'LookupRole').Policies[0], { Colour: 'red' }),
      'a missing property': (template) => delete propertiesOf(template, 'ServerlessDeploymentBucketPolicy').Bucket,
      'a text instead of a number': (template) =>
        Object.assign(propertiesOf(template, 'ServerErrorsAlarm'), { DatapointsToAlarm: '1' }),
      'a reference to nothing': (template) =>
        Object.assign(template.Outputs, { Nothing: { Value: { Ref: 'Nothing' } } }),
      'an attribute that does not exist': (template) =>
        Object.assign(template.Outputs, { Nothing: { Value: { 'Fn::GetAtt': ['Table', 'Colour'] } } }),
      'an unknown type': (template) =>
        Object.assign(template.Resources, { Nothing: { Type: 'AWS::No::Thing', Properties: {} } }),
    },
  },
  'runs the functions on Node.js 24 and arm64': {
    holds: (template) => {
      for (const name of NAMES)
        expect(functionOf(template, name)).toMatchObject({
          Handler: FUNCTIONS[name]?.handler,
          Runtime: 'nodejs24.x',
          Architectures: ['arm64'],
          MemorySize: expect.any(Number),
        });
      expect(ofType(template, 'AWS::Lambda::Function')).toHaveLength(NAMES.length);
    },
    broken: {
      'an older Node.js': (template) => Object.assign(functionOf(template, 'lookup'), { Runtime: 'nodejs22.x' }),
      'an Intel processor': (template) => Object.assign(functionOf(template, 'lookup'), { Architectures: ['x86_64'] }),
    },
  },
  "logs one line per request, and of Lambda's lines only failures": {
    holds: (template) => {
      for (const name of NAMES)
        expect(functionOf(template, name).LoggingConfig).toMatchObject({ LogFormat: 'JSON', SystemLogLevel: 'WARN' });
    },
    broken: {
      'a line for each start': (template) =>
        Object.assign(functionOf(template, 'lookup').LoggingConfig, { SystemLogLevel: 'INFO' }),
      'lines of text': (template) => Object.assign(functionOf(template, 'lookup').LoggingConfig, { LogFormat: 'Text' }),
    },
  },
  'responds to slow requests itself: operations time out before the function, and the function before the gateway': {
    holds: (template) => {
      const { connectionTimeout, requestTimeout } = LIMITS.requestHandler;
      // The last attempt of an operation may begin at the end of the budget: a read, a read and a write.
      const longest = (BUDGET_MS + 3 * (connectionTimeout + requestTimeout)) / 1000;
      for (const name of Object.keys(ENDPOINTS)) {
        const { Timeout } = functionOf(template, name);
        const gateway = propertiesOf(template, `HttpApiIntegration${name[0]?.toUpperCase()}${name.slice(1)}`);
        expect(Timeout).toBeGreaterThan(longest);
        expect(gateway.TimeoutInMillis / 1000).toBeGreaterThan(Timeout);
        expect(gateway.TimeoutInMillis).toBeLessThanOrEqual(30_000);
      }
    },
    broken: {
      'a function that waits as long as the gateway': (template) =>
        Object.assign(functionOf(template, 'lookup'), { Timeout: 30 }),
      'a function that ends before the SDK': (template) =>
        Object.assign(functionOf(template, 'lookup'), { Timeout: 6 }),
      'a gateway that ends before the function': (template) =>
        Object.assign(propertiesOf(template, 'HttpApiIntegrationLookup'), { TimeoutInMillis: 10_000 }),
    },
  },
  'gives each function only its own settings, and secrets only by name': {
    holds: (template, stage) => {
      for (const name of NAMES)
        expect(resolved(template, functionOf(template, name).Environment.Variables)).toEqual({
          TABLE_NAME: stage.table,
          BASE_URL: stage.baseUrl,
          LOG_LEVEL: stage.logLevel,
          METRICS_NAMESPACE: `acquirer-partner-api-${stage.name}`,
          RATE: String(stage.limit),
          BURST: String(stage.quota),
          EVENT_DAYS: String(stage.eventDays),
          ...(name === 'memberCheck' && {
            CARD_HMAC_KEY_SECRET: expect.stringMatching(/^arn:aws:secretsmanager:.*:secret:.*\/card-hmac-key-\w{6}$/),
          }),
          ...(name === 'selfCheck' && {
            SELF_CHECK_KEY_SECRET: expect.stringMatching(/^arn:aws:secretsmanager:.*:secret:.*\/self-check-key-\w{6}$/),
          }),
        });
    },
    broken: {
      'the secret itself': (template) =>
        Object.assign(functionOf(template, 'memberCheck').Environment.Variables, { CARD_HMAC_KEY: 'secret' }),
      'no secret for the member check': (template) =>
        delete functionOf(template, 'memberCheck').Environment.Variables.CARD_HMAC_KEY_SECRET,
      'another log level': (template) =>
        Object.assign(functionOf(template, 'lookup').Environment.Variables, { LOG_LEVEL: 'ERROR' }),
      'no limit for an acquirer': (template) =>
        Object.assign(functionOf(template, 'lookup').Environment.Variables, { RATE: '0' }),
      'another base URL': (template) =>
        Object.assign(functionOf(template, 'lookup').Environment.Variables, { BASE_URL: 'http://localhost' }),
    },
  },
  'gives each function a role of its own, which only Lambda can assume': {
    holds: (template) => {
      expect(ofType(template, 'AWS::IAM::Role').map(([id]) => id)).toEqual(
        NAMES.map((name) => logicalId(name, 'Role')),
      );
      for (const name of NAMES) {
        const role = logicalId(name, 'Role');
        expect(functionOf(template, name).Role).toEqual({ 'Fn::GetAtt': [role, 'Arn'] });
        expect(propertiesOf(template, role)).toEqual({
          Tags: expect.anything(),
          AssumeRolePolicyDocument: {
            Version: '2012-10-17',
            Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
          },
          Policies: [expect.anything()],
        });
      }
    },
    broken: {
      'a shared role': (template) =>
        Object.assign(functionOf(template, 'lookup'), { Role: { 'Fn::GetAtt': ['MemberCheckRole', 'Arn'] } }),
      'a role for another service': (template) => {
        const { Statement } = propertiesOf(template, 'LookupRole').AssumeRolePolicyDocument;
        Statement[0].Principal = { AWS: '*' };
      },
      'a managed policy': (template) =>
        Object.assign(propertiesOf(template, 'LookupRole'), {
          ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'],
        }),
      'a role without a function': (template) =>
        Object.assign(template.Resources, { SpareRole: structuredClone(resourceOf(template, 'LookupRole')) }),
    },
  },
  'names every action and resource of the roles in full': {
    holds: (template) => {
      const statements = NAMES.flatMap((name) => policiesOf(template, name)).flatMap(
        ({ PolicyDocument }) => PolicyDocument.Statement,
      );
      for (const { Effect, Action, Resource, Condition: _, ...others } of statements) {
        expect([Effect, others]).toEqual(['Allow', {}]);
        expect(Action.filter((action: string) => !/^(dynamodb|secretsmanager|logs):[A-Za-z]+$/.test(action))).toEqual(
          [],
        );
        // A text may contain a wildcard; a reference names one resource.
        expect(JSON.stringify(Resource)).not.toContain('*');
      }
    },
    broken: {
      'all actions': (template) =>
        policiesOf(template, 'lookup')[0].PolicyDocument.Statement[1].Action.push('dynamodb:*'),
      'an action of another service': (template) =>
        policiesOf(template, 'lookup')[0].PolicyDocument.Statement[1].Action.push('s3:GetObject'),
      'all indexes': (template) =>
        Object.assign(policiesOf(template, 'listBranches')[0].PolicyDocument.Statement.at(-1), {
          Resource: 'arn:aws:dynamodb:eu-central-1:123456789012:table/acquirer-partner-api-prod/index/*',
        }),
      'any resource': (template) =>
        Object.assign(policiesOf(template, 'lookup')[0].PolicyDocument.Statement[1], { Resource: '*' }),
      'all but some actions': (template) =>
        Object.assign(policiesOf(template, 'lookup')[0].PolicyDocument.Statement[1], { NotAction: ['dynamodb:Scan'] }),
    },
  },
  'limits each role to kinds of items wherever it has access to the table itself': {
    holds: (template) => {
      for (const { PolicyDocument } of NAMES.flatMap((name) => policiesOf(template, name)))
        for (const { Resource, Condition } of PolicyDocument.Statement) {
          if (!Condition) expect(String(Resource['Fn::Sub'])).not.toMatch(/:table\/[^/]+$/);
          else {
            const { 'ForAllValues:StringLike': all, 'ForAnyValue:StringLike': any = all, ...others } = Condition;
            expect(others).toEqual({ Null: { 'dynamodb:LeadingKeys': 'false' } });
            const patterns = [all, any].flatMap((each) => each['dynamodb:LeadingKeys']);
            expect(patterns.filter((pattern) => !/^[A-Z_]+#\*$/.test(pattern))).toEqual([]);
          }
        }
    },
    broken: {
      'any item': (template) => delete policiesOf(template, 'lookup')[0].PolicyDocument.Statement[1].Condition,
      'no key': (template) => delete policiesOf(template, 'lookup')[0].PolicyDocument.Statement[1].Condition.Null,
      'any kind': (template) =>
        policiesOf(template, 'lookup')[0].PolicyDocument.Statement[1].Condition['ForAllValues:StringLike'][
          'dynamodb:LeadingKeys'
        ].push('*'),
      'kinds with a common prefix': (template) =>
        policiesOf(template, 'lookup')[0].PolicyDocument.Statement[1].Condition['ForAllValues:StringLike'][
          'dynamodb:LeadingKeys'
        ].push('MASTER_*'),
    },
  },
  'has no role larger than IAM allows': {
    holds: (template) => {
      // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html: all inline policies of a role.
      for (const name of NAMES)
        expect(JSON.stringify(resolved(template, policiesOf(template, name))).length).toBeLessThan(10_240);
    },
    broken: {
      'many kinds': (template) =>
        policiesOf(template, 'lookup')[0].PolicyDocument.Statement[1].Condition['ForAllValues:StringLike'][
          'dynamodb:LeadingKeys'
        ].push(...Array.from({ length: 1000 }, () => 'BRANCH#*')),
    },
  },
  'retains every log for as long as the stage sets': {
    holds: (template, stage) => {
      const logs = [...NAMES.map((name) => logicalId(name, 'LogGroup')), 'HttpApiLogGroup'];
      expect(
        ofType(template, 'AWS::Logs::LogGroup')
          .map(([id]) => id)
          .sort(),
      ).toEqual(logs.sort());
      for (const id of logs) expect(propertiesOf(template, id)).toMatchObject({ RetentionInDays: stage.retention });
      for (const name of NAMES)
        expect(propertiesOf(template, logicalId(name, 'LogGroup')).LogGroupName).toBe(
          `/aws/lambda/${functionOf(template, name).FunctionName}`,
        );
    },
    broken: {
      'a log without a retention': (template) => delete propertiesOf(template, 'LookupLogGroup').RetentionInDays,
      'another time': (template) => Object.assign(propertiesOf(template, 'HttpApiLogGroup'), { RetentionInDays: 1 }),
      'a log that the function does not write to': (template) =>
        Object.assign(propertiesOf(template, 'LookupLogGroup'), { LogGroupName: '/aws/lambda/lookup' }),
    },
  },
  'routes each operation to its function and anything else to unknownRoute, without CORS': {
    holds: (template) => {
      const routes = ofType(template, 'AWS::ApiGatewayV2::Route').map(([, { Properties }]) => {
        const integration = Properties.Target['Fn::Join'][1][1].Ref;
        const uri = propertiesOf(template, integration).IntegrationUri;
        const [id] = uri['Fn::GetAtt'] ?? uri['Fn::Join'][1][0]['Fn::GetAtt'];
        return [Properties.RouteKey, id];
      });
      expect(Object.fromEntries(routes)).toEqual(
        Object.fromEntries(
          Object.entries(ENDPOINTS).map(([name, { events }]) => [
            events[0].httpApi === '*' ? '$default' : events[0].httpApi,
            logicalId(name, 'LambdaFunction'),
          ]),
        ),
      );
      expect(propertiesOf(template, 'HttpApi')).not.toHaveProperty('CorsConfiguration');
    },
    broken: {
      'a route to another function': (template) => {
        const target = propertiesOf(template, 'HttpApiRouteDefault').Target['Fn::Join'][1];
        target[1] = { Ref: 'HttpApiIntegrationLookup' };
      },
      'a missing route': (template) => delete template.Resources['HttpApiRouteGetExtApiV1LookupMethodVar'],
      'CORS for browsers': (template) =>
        Object.assign(propertiesOf(template, 'HttpApi'), { CorsConfiguration: { AllowOrigins: ['*'] } }),
    },
  },
  'throttles the API by the stage’s limits, and member checks, creates and unknown routes separately': {
    holds: (template, { rate, burst, rates }) => {
      const { DefaultRouteSettings, RouteSettings } = propertiesOf(template, 'HttpApiStage');
      expect(DefaultRouteSettings).toEqual({
        DetailedMetricsEnabled: false,
        ThrottlingRateLimit: rate,
        ThrottlingBurstLimit: burst,
      });
      const limits = (perSecond: number) => ({ ThrottlingRateLimit: perSecond, ThrottlingBurstLimit: 2 * perSecond });
      expect(RouteSettings).toEqual(
        rates
          ? {
              'POST /api/v1/host/member-check': limits(rates.memberCheck),
              'POST /ext/api/v1/merchants': limits(rates.create),
              'POST /ext/api/v1/terminals/{id}': limits(rates.create),
              $default: limits(rates.unknown),
            }
          : {},
      );
      // API Gateway rejects settings of a route that does not exist yet.
      const { DependsOn = [] } = resourceOf(template, 'HttpApiStage');
      expect([DependsOn].flat().map((id) => propertiesOf(template, id).RouteKey)).toEqual(
        expect.arrayContaining(Object.keys(RouteSettings)),
      );
    },
    broken: {
      'member checks that share the default limit': (template) =>
        delete propertiesOf(template, 'HttpApiStage').RouteSettings['POST /api/v1/host/member-check'],
      'a route without a burst, which would be 0': (template) =>
        delete propertiesOf(template, 'HttpApiStage').RouteSettings.$default.ThrottlingBurstLimit,
      'settings before their routes': (template) => delete resourceOf(template, 'HttpApiStage').DependsOn,
      'no throttle': (template) =>
        delete propertiesOf(template, 'HttpApiStage').DefaultRouteSettings.ThrottlingRateLimit,
      'another throttle': (template) =>
        Object.assign(propertiesOf(template, 'HttpApiStage').DefaultRouteSettings, { ThrottlingBurstLimit: 5000 }),
    },
  },
  'logs each access as one line of JSON with the function’s request id, but no place of identifiers': {
    holds: (template) => {
      const { DestinationArn, Format } = propertiesOf(template, 'HttpApiStage').AccessLogSettings;
      expect(DestinationArn).toEqual({ 'Fn::GetAtt': ['HttpApiLogGroup', 'Arn'] });
      expect(Format).not.toContain('\n');
      expect(accessLogOf(template)).toEqual({
        time: '$context.requestTime',
        request_id: '$context.requestId',
        lambda_request_id: '$context.integration.requestId',
        ip: '$context.identity.sourceIp',
        route: '$context.routeKey',
        status: '$context.status',
        latency_ms: '$context.responseLatency',
        integration_latency_ms: '$context.integrationLatency',
        response_bytes: '$context.responseLength',
        error: '$context.error.message',
      });
    },
    broken: {
      'the path': (template) => {
        const { AccessLogSettings } = propertiesOf(template, 'HttpApiStage');
        AccessLogSettings.Format = JSON.stringify({ ...accessLogOf(template), path: '$context.path' });
      },
      'several lines': (template) => {
        const { AccessLogSettings } = propertiesOf(template, 'HttpApiStage');
        AccessLogSettings.Format = JSON.stringify(accessLogOf(template), null, 2);
      },
      'another log': (template) =>
        Object.assign(propertiesOf(template, 'HttpApiStage').AccessLogSettings, {
          DestinationArn: { 'Fn::GetAtt': ['LookupLogGroup', 'Arn'] },
        }),
    },
  },
  'counts the requests that API Gateway throttles in the access log': {
    holds: (template, { name }) =>
      expect(propertiesOf(template, 'ThrottledRequests')).toEqual({
        LogGroupName: { Ref: 'HttpApiLogGroup' },
        FilterPattern: '{ $.status = "429" && $.lambda_request_id != "*-*-*-*-*" }',
        MetricTransformations: [
          {
            MetricNamespace: `acquirer-partner-api-${name}`,
            MetricName: 'api_throttles',
            MetricValue: '1',
            DefaultValue: 0,
            Unit: 'Count',
          },
        ],
      }),
    broken: {
      'another status': (template) =>
        Object.assign(propertiesOf(template, 'ThrottledRequests'), { FilterPattern: '{ $.status = "404" }' }),
      'another log': (template) =>
        Object.assign(propertiesOf(template, 'ThrottledRequests'), { LogGroupName: { Ref: 'LookupLogGroup' } }),
    },
  },
  'has the stage’s domain as its only endpoint, or no domain resources': {
    holds: (template, { baseUrl }) => {
      const parts = ['Domain', 'DomainMapping', 'DomainTarget'].filter(
        (id) => id in template.Resources || id in template.Outputs,
      );
      expect(template).not.toHaveProperty('Conditions');
      if (baseUrl === GENERATED_URL) {
        expect(parts).toEqual([]);
        expect(propertiesOf(template, 'HttpApi')).not.toHaveProperty('DisableExecuteApiEndpoint');
        return;
      }
      expect(parts).toHaveLength(3);
      expect(propertiesOf(template, 'HttpApi').DisableExecuteApiEndpoint).toBe(true);
      // Therefore nothing refers to the disabled endpoint.
      expect(referencesIn(template)).not.toContainEqual(['HttpApi', 'ApiEndpoint']);
      expect(propertiesOf(template, 'Domain')).toEqual({
        DomainName: new URL(baseUrl).hostname,
        DomainNameConfigurations: [
          { CertificateArn: DOMAIN.certificate, EndpointType: 'REGIONAL', SecurityPolicy: 'TLS_1_2' },
        ],
        Tags: expect.anything(),
      });
      expect(propertiesOf(template, 'DomainMapping')).toEqual({
        ApiId: { Ref: 'HttpApi' },
        DomainName: { Ref: 'Domain' },
        Stage: { Ref: 'HttpApiStage' },
      });
    },
    broken: {
      'no endpoint at all': (template) =>
        Object.assign(propertiesOf(template, 'HttpApi'), { DisableExecuteApiEndpoint: true }),
      'an output of a domain that does not exist': ({ Outputs }) =>
        Object.assign(Outputs, { DomainTarget: { Value: 'd-1.execute-api.eu-central-1.amazonaws.com' } }),
      'a condition': (template) => Object.assign(template, { Conditions: { HasDomain: { 'Fn::Equals': ['', ''] } } }),
    },
  },
  'reserves concurrency for member checks, caps each create, and sets no other concurrency': {
    holds: (template, { reserved, warm }) => {
      const limits = NAMES.flatMap((name): [string, number][] => {
        const { ReservedConcurrentExecutions: limit } = functionOf(template, name);
        return limit === undefined ? [] : [[name, limit]];
      });
      expect(Object.fromEntries(limits)).toEqual(
        reserved
          ? { memberCheck: reserved.memberCheck, createBranch: reserved.create, createTerminals: reserved.create }
          : {},
      );
      // Provisioned concurrency counts against the reserved concurrency of its function.
      for (const [name, limit] of limits) expect(limit).toBeGreaterThanOrEqual(name === 'memberCheck' ? warm : 1);
    },
    broken: {
      'creates that take all of the account': (template) =>
        delete functionOf(template, 'createBranch').ReservedConcurrentExecutions,
      'member checks that share the account with the rest': (template) =>
        delete functionOf(template, 'memberCheck').ReservedConcurrentExecutions,
      'a function that never runs': (template) =>
        Object.assign(functionOf(template, 'lookup'), { ReservedConcurrentExecutions: 0 }),
    },
  },
  'limits the units of the table and of each index by the stage’s ceilings': {
    holds: (template, { units }) => {
      const { OnDemandThroughput, GlobalSecondaryIndexes } = propertiesOf(template, 'Table');
      const expected = units && { MaxReadRequestUnits: units.read, MaxWriteRequestUnits: units.write };
      expect(OnDemandThroughput).toEqual(expected);
      expect(
        GlobalSecondaryIndexes.map((index: Record<string, unknown>) => [
          index['IndexName'],
          index['OnDemandThroughput'],
        ]),
      ).toEqual(INDEXES.map((name) => [name, expected]));
    },
    broken: {
      'a table without a ceiling': (template) => delete propertiesOf(template, 'Table').OnDemandThroughput,
      'an index without a ceiling': (template) =>
        delete propertiesOf(template, 'Table').GlobalSecondaryIndexes[1].OnDemandThroughput,
      'an index that throttles the table': (template) => {
        propertiesOf(template, 'Table').GlobalSecondaryIndexes[2].OnDemandThroughput.MaxWriteRequestUnits = 1;
      },
    },
  },
  'has a budget of the stage’s costs that notifies NoticeTopic before and when it is spent': {
    holds: (template, { name, budget }) => {
      const [[, found] = [], ...others] = ofType(template, 'AWS::Budgets::Budget');
      expect(others).toEqual([]);
      if (budget === undefined) {
        expect(found).toBeUndefined();
        return;
      }
      expect(found?.DependsOn).toContain('NoticeTopicPolicy');
      const { Budget, NotificationsWithSubscribers } = found?.Properties ?? {};
      expect(Budget).toEqual({
        BudgetType: 'COST',
        TimeUnit: 'MONTHLY',
        BudgetLimit: { Amount: budget, Unit: 'USD' },
        CostFilters: { TagKeyValue: [`user:stage$${name}`] },
      });
      const notification = (NotificationType: string, Threshold: number) => ({
        Notification: { NotificationType, Threshold, ThresholdType: 'PERCENTAGE', ComparisonOperator: 'GREATER_THAN' },
        Subscribers: [{ SubscriptionType: 'SNS', Address: { Ref: 'NoticeTopic' } }],
      });
      expect(NotificationsWithSubscribers).toEqual([
        notification('ACTUAL', 50),
        notification('ACTUAL', 80),
        notification('ACTUAL', 100),
        notification('FORECASTED', 100),
      ]);
    },
    broken: {
      'the costs of another stage': (template) => {
        propertiesOf(template, 'Budget').Budget.CostFilters.TagKeyValue = ['user:stage$dev'];
      },
      'a notification without a subscriber': (template) => {
        propertiesOf(template, 'Budget').NotificationsWithSubscribers[0].Subscribers = [];
      },
      'no forecast': (template) => propertiesOf(template, 'Budget').NotificationsWithSubscribers.pop(),
      'a budget before it may publish': (template) => delete resourceOf(template, 'Budget').DependsOn,
      'no budget': (template) => delete template.Resources['Budget'],
    },
  },
  'tags every resource that accepts tags with the service and the stage': {
    holds: (template, { name }) => {
      const expected = { service: 'acquirer-partner-api', stage: name };
      const tagged = Object.entries(template.Resources).flatMap(([id, resource]) => {
        const tags = tagsOf(resource);
        return tags ? [[id, tags]] : [];
      });
      expect(tagged).toEqual(tagged.map(([id]) => [id, expected]));
      expect(propertiesOf(template, 'Dashboard')).not.toHaveProperty('Tags');
    },
    broken: {
      'a log without tags': (template) => delete propertiesOf(template, 'LookupLogGroup').Tags,
      'a topic of another stage': (template) => {
        propertiesOf(template, 'PageTopic').Tags[1].Value = 'dev';
      },
      'an API without its map of tags': (template) => delete propertiesOf(template, 'HttpApi').Tags,
      'a dashboard with tags, which us-east-1 rejects': (template) =>
        Object.assign(propertiesOf(template, 'Dashboard'), { Tags: [] }),
      'a budget without its tags, which have another name': (template) =>
        delete propertiesOf(template, 'Budget').ResourceTags,
    },
  },
  'names no dependency that a reference implies': {
    holds: (template) => {
      for (const { DependsOn = [], Properties } of Object.values(template.Resources)) {
        const referred = referencesIn(Properties).map(([id]) => id);
        expect([DependsOn].flat().filter((id) => referred.includes(id))).toEqual([]);
      }
    },
    broken: {
      'a role of a function': (template) =>
        Object.assign(resourceOf(template, 'LookupLambdaFunction'), { DependsOn: ['LookupLogGroup', 'LookupRole'] }),
    },
  },
  'bills the table by request, with recovery, encryption and time to live': {
    holds: (template) =>
      expect(propertiesOf(template, 'Table')).toMatchObject({
        BillingMode: 'PAY_PER_REQUEST',
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: { SSEEnabled: true },
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      }),
    broken: {
      'paid by the hour': (template) => Object.assign(propertiesOf(template, 'Table'), { BillingMode: 'PROVISIONED' }),
      'no recovery': (template) => delete propertiesOf(template, 'Table').PointInTimeRecoverySpecification,
      'no encryption': (template) =>
        Object.assign(propertiesOf(template, 'Table').SSESpecification, { SSEEnabled: false }),
      'another time to live': (template) =>
        Object.assign(propertiesOf(template, 'Table').TimeToLiveSpecification, { AttributeName: 'expires_at' }),
    },
  },
  'retains the data of prod when the stack is deleted': {
    holds: (template, { isProtected }) => {
      const policy = isProtected ? 'Retain' : 'Delete';
      for (const id of ['Table', 'CardHmacKey'])
        expect(resourceOf(template, id)).toMatchObject({ DeletionPolicy: policy, UpdateReplacePolicy: policy });
      expect(propertiesOf(template, 'Table').DeletionProtectionEnabled).toBe(isProtected);
    },
    broken: {
      'a table that is deleted with the stack': (template) =>
        Object.assign(resourceOf(template, 'Table'), { DeletionPolicy: 'Snapshot' }),
      'a key that is deleted when it is replaced': (template) =>
        delete template.Resources['CardHmacKey']?.UpdateReplacePolicy,
      'a table without protection': (template) => delete propertiesOf(template, 'Table').DeletionProtectionEnabled,
    },
  },
  'lets AWS generate the key of card identifiers': {
    holds: (template, { name }) =>
      expect(propertiesOf(template, 'CardHmacKey')).toEqual({
        Name: `acquirer-partner-api-${name}/card-hmac-key`,
        Description: expect.any(String),
        GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true },
        Tags: expect.anything(),
      }),
    broken: {
      'a value in the template': (template) =>
        Object.assign(propertiesOf(template, 'CardHmacKey'), { SecretString: 'key' }),
      'another way to generate it, which would replace it': (template) =>
        Object.assign(propertiesOf(template, 'CardHmacKey').GenerateSecretString, { PasswordLength: 32 }),
    },
  },
  'leaves the key of the self-check to the operator': {
    holds: (template, { name }) =>
      expect(propertiesOf(template, 'SelfCheckKey')).toEqual({
        Name: `acquirer-partner-api-${name}/self-check-key`,
        Description: expect.any(String),
        Tags: expect.anything(),
      }),
    broken: {
      'a value in the template': (template) =>
        Object.assign(propertiesOf(template, 'SelfCheckKey'), { SecretString: 'key' }),
      'a value that is not a key': (template) =>
        Object.assign(propertiesOf(template, 'SelfCheckKey'), { GenerateSecretString: {} }),
    },
  },
  'runs the self-check once every minute, for less than a minute': {
    holds: (template) => {
      const [[id = '', { Properties } = { Properties: {} }] = []] = ofType(template, 'AWS::Events::Rule');
      const Arn = { 'Fn::GetAtt': ['SelfCheckLambdaFunction', 'Arn'] };
      expect(Properties).toEqual({
        ScheduleExpression: 'rate(1 minute)',
        State: 'ENABLED',
        Targets: [{ Arn, Id: expect.any(String) }],
        Tags: expect.anything(),
      });
      const permissions = ofType(template, 'AWS::Lambda::Permission').map(([, permission]) => permission.Properties);
      expect(permissions).toContainEqual({
        FunctionName: Arn,
        Action: 'lambda:InvokeFunction',
        Principal: 'events.amazonaws.com',
        SourceArn: { 'Fn::GetAtt': [id, 'Arn'] },
      });
      expect(ofType(template, 'AWS::Lambda::EventInvokeConfig').map(([, config]) => config.Properties)).toEqual([
        expect.objectContaining({
          FunctionName: { Ref: 'SelfCheckLambdaFunction' },
          MaximumRetryAttempts: 0,
          MaximumEventAgeInSeconds: 60,
        }),
      ]);
      const { Timeout } = functionOf(template, 'selfCheck');
      const { connectionTimeout, requestTimeout } = LIMITS.requestHandler;
      // The key of one check, whose last attempt may begin when retries end, and then its request.
      expect(Timeout).toBeGreaterThan((RETRY_MS + connectionTimeout + requestTimeout + TIMEOUT_MS) / 1000);
      expect(Timeout).toBeLessThan(60);
    },
    broken: {
      'a check that is off': (template) =>
        Object.assign(propertiesOf(template, 'SelfCheckEventsRuleSchedule1'), { State: 'DISABLED' }),
      'a check every hour': (template) =>
        Object.assign(propertiesOf(template, 'SelfCheckEventsRuleSchedule1'), { ScheduleExpression: 'rate(1 hour)' }),
      'a check that EventBridge may not run': (template) =>
        delete template.Resources['SelfCheckLambdaPermissionEventsRuleSchedule1'],
      'a check that is retried': (template) =>
        delete propertiesOf(template, 'SelfCheckLambdaEvConf').MaximumRetryAttempts,
      'a check that runs hours later': (template) =>
        delete propertiesOf(template, 'SelfCheckLambdaEvConf').MaximumEventAgeInSeconds,
      'a function that ends before its requests': (template) =>
        Object.assign(functionOf(template, 'selfCheck'), { Timeout: 10 }),
    },
  },
  'has two topics to which CloudWatch and its own account’s budgets can publish, and no subscriber in the template': {
    holds: (template, { name }) => {
      expect(ofType(template, 'AWS::SNS::Topic').map(([id, { Properties }]) => [id, Properties])).toEqual([
        ['PageTopic', { TopicName: `acquirer-partner-api-${name}-page`, Tags: expect.anything() }],
        ['NoticeTopic', { TopicName: `acquirer-partner-api-${name}-notice`, Tags: expect.anything() }],
      ]);
      expect(ofType(template, 'AWS::SNS::TopicPolicy').map(([, { Properties }]) => Properties)).toEqual([
        {
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
      ]);
      expect(ofType(template, 'AWS::SNS::Subscription')).toEqual([]);
    },
    broken: {
      'a key that CloudWatch may not use': (template) =>
        Object.assign(propertiesOf(template, 'PageTopic'), { KmsMasterKeyId: 'alias/aws/sns' }),
      'a policy without CloudWatch': (template) =>
        propertiesOf(template, 'NoticeTopicPolicy').PolicyDocument.Statement[0].Principal.Service.pop(),
      'the budgets of any account': (template) =>
        delete propertiesOf(template, 'NoticeTopicPolicy').PolicyDocument.Statement[0].Condition,
      'a subscriber': (template) =>
        Object.assign(template.Resources, {
          Pager: { Type: 'AWS::SNS::Subscription', Properties: { Protocol: 'https', TopicArn: { Ref: 'PageTopic' } } },
        }),
    },
  },
  'has alarms for server errors, partners’ latency, throttling and the self-check': {
    holds: (template, stage) => {
      const alarms = alarmsOf(template, stage);
      expect(
        Object.fromEntries(
          [...alarms].map(([name, parts]) => [
            name,
            [...new Set(parts.flatMap((alarm) => metricsOf(alarm).map((metric) => wordsOf(metric, stage))))],
          ]),
        ),
      ).toEqual(Object.fromEntries(alarmsIn(stage).map(([name, { watches }]) => [name, watches])));
      const watched = (name: string, dimension: string) =>
        alarms
          .get(name)
          ?.flatMap(metricsOf)
          .flatMap(({ Dimensions = [] }) => Dimensions.filter(({ Name }) => Name === dimension))
          .map(({ Value }) => (typeof Value === 'string' ? Value : Value.Ref));
      for (const name of ['function-throttles', 'function-errors'])
        expect(watched(name, 'FunctionName')?.sort()).toEqual(
          NAMES.map((each) => logicalId(each, 'LambdaFunction')).sort(),
        );
      for (const name of ['table-throttles', ...(stage.units ? ['table-usage'] : [])])
        expect(watched(name, 'GlobalSecondaryIndexName')).toEqual([...INDEXES, ...INDEXES]);
      expect(missing([...alarms.values()].flat().flatMap(metricsOf), template, stage)).toEqual([]);
      // Each metric of a log line has an alarm.
      const ours = [...alarms.values()]
        .flat()
        .flatMap(metricsOf)
        .map((metric) => wordsOf(metric, stage));
      expect(ours).toEqual(
        expect.arrayContaining(
          Object.entries(METRICS).flatMap(([name, unit]) => (unit === 'Count' ? [`ours ${name}`] : [])),
        ),
      );
    },
    broken: {
      'a metric without a source': (template) =>
        Object.assign(propertiesOf(template, 'ServerErrorsAlarm'), { MetricName: 'server_erorrs' }),
      'the metric of another stage': (template) =>
        Object.assign(propertiesOf(template, 'ServerErrorsAlarm'), { Namespace: 'acquirer-partner-api-local' }),
      'a metric without its dimension': (template) => delete propertiesOf(template, 'GatewayErrorsAlarm').Dimensions,
      'a function without an alarm': (template) =>
        propertiesOf(template, 'FunctionErrorsBranchesAlarm').Metrics.shift(),
      'an index without an alarm': (template) =>
        propertiesOf(template, 'TableThrottlesReadsAlarm').Metrics.splice(1, 1),
      'a missing alarm': (template) => {
        delete template.Resources['RetriesExhaustedAlarm'];
        const { DashboardBody } = propertiesOf(template, 'Dashboard');
        DashboardBody['Fn::Sub'] = DashboardBody['Fn::Sub'].replace(`"\${RetriesExhaustedAlarm.Arn}",`, '');
      },
    },
  },
  'fires each alarm at its threshold, by the sum of its metrics or the busiest one; the self-check also for missing data':
    {
      holds: (template, stage) => {
        for (const [name, alarms] of alarmsOf(template, stage)) {
          const { threshold, periods = 1, judged } = ALARMS[name] ?? {};
          for (const alarm of alarms) {
            const { Properties } = alarm;
            expect(Properties).toMatchObject({
              Threshold: threshold ?? usageThreshold(alarm, stage),
              ...(judged ?? TOO_LARGE),
            });
            if (judged) continue;
            const { Metrics = [], EvaluationPeriods, DatapointsToAlarm } = Properties;
            // With filled-in values, the data of the last period may not have arrived yet.
            expect(EvaluationPeriods).toBe(Metrics.length > 0 ? periods + 1 : periods);
            expect(Number(DatapointsToAlarm)).toBe(periods);
            const stats = Metrics.flatMap((each: { MetricStat?: object }) => each.MetricStat ?? []);
            // CloudWatch's limit.
            expect(stats.length).toBeLessThanOrEqual(10);
            for (const { Period, Stat, Statistic, ExtendedStatistic } of stats.length > 0 ? stats : [Properties])
              expect([Period, Stat ?? Statistic ?? ExtendedStatistic]).toEqual([
                300,
                name === 'latency-p99' ? 'p99' : 'Sum',
              ]);
            if (stats.length > 0)
              expect(Metrics.filter((each: { ReturnData: boolean }) => each.ReturnData)).toEqual([
                name === 'table-usage'
                  ? { Id: 'max', Expression: 'MAX(FILL(METRICS(), 0))', ReturnData: true }
                  : { Id: 'sum', Expression: 'SUM(FILL(METRICS(), 0))', ReturnData: true },
              ]);
          }
        }
      },
      broken: {
        'another threshold': (template) =>
          Object.assign(propertiesOf(template, 'ServerErrorsAlarm'), { Threshold: 500 }),
        'the wrong comparison': (template) =>
          Object.assign(propertiesOf(template, 'ServerErrorsAlarm'), { ComparisonOperator: 'LessThanThreshold' }),
        'an alarm when there are no requests': (template) =>
          Object.assign(propertiesOf(template, 'LatencyP99Alarm'), { TreatMissingData: 'breaching' }),
        'no alarm when the self-check does not run': (template) =>
          Object.assign(propertiesOf(template, 'SelfCheckAlarm'), { TreatMissingData: 'notBreaching' }),
        'an alarm for one failed self-check': (template) =>
          Object.assign(propertiesOf(template, 'SelfCheckAlarm'), { DatapointsToAlarm: 1 }),
        'an average': (template) =>
          Object.assign(propertiesOf(template, 'ServerErrorsAlarm'), { Statistic: 'Average' }),
        'a mean latency': (template) =>
          Object.assign(propertiesOf(template, 'LatencyP99Alarm'), { ExtendedStatistic: 'p50' }),
        'an alarm that never ends': (template) =>
          Object.assign(propertiesOf(template, 'TableThrottlesReadsAlarm').Metrics.at(-1), {
            Expression: 'SUM(METRICS())',
          }),
        'a ceiling that is reached before its alarm': (template) =>
          Object.assign(propertiesOf(template, 'TableUsageReadsAlarm'), { Threshold: 12_000 * 300 }),
        'the sum of the table and its indexes, although each has the ceiling': (template) =>
          Object.assign(propertiesOf(template, 'TableUsageWritesAlarm').Metrics.at(-1), {
            Id: 'sum',
            Expression: 'SUM(FILL(METRICS(), 0))',
          }),
        'more metrics than CloudWatch can add': (template) => {
          const { Metrics } = propertiesOf(template, 'TableThrottlesReadsAlarm');
          // More metrics of the table, repeating those that are already in the alarm.
          for (const Id of ['again', 'twice', 'thrice', 'a_fourth', 'a_fifth']) Metrics.unshift({ ...Metrics[0], Id });
        },
      },
    },
  'notifies the topic of each alarm when it starts and ends, with a link to its runbook': {
    holds: (template, stage) => {
      for (const [name, alarms] of alarmsOf(template, stage)) {
        const topic = { Ref: ALARMS[name]?.isUrgent ? stage.urgent : 'NoticeTopic' };
        for (const { Properties } of alarms) {
          expect(Properties).toMatchObject({ AlarmActions: [topic], OKActions: [topic] });
          expect(Properties.AlarmDescription).toMatch(new RegExp(`\\. See docs/operations\\.md#alarm-${name}$`));
        }
        expect(OPERATIONS).toContain(`\n### Alarm: ${name}\n`);
      }
    },
    broken: {
      'an alarm without a topic': (template) =>
        Object.assign(propertiesOf(template, 'ServerErrorsAlarm'), { AlarmActions: [] }),
      'an end without a topic': (template) => delete propertiesOf(template, 'ServerErrorsAlarm').OKActions,
      'a page for an alarm that is not urgent': (template) =>
        Object.assign(propertiesOf(template, 'ApiThrottlesAlarm'), { AlarmActions: [{ Ref: 'PageTopic' }] }),
      'no runbook': (template) =>
        Object.assign(propertiesOf(template, 'ServerErrorsAlarm'), { AlarmDescription: 'Server errors.' }),
    },
  },
  'shows every alarm, only metrics with a source, and every endpoint’s log on the dashboard': {
    holds: (template, stage) => {
      const { widgets } = dashboardOf(template);
      expect(widgets.flatMap(({ properties }) => properties.alarms ?? [])).toEqual(
        ofType(template, 'AWS::CloudWatch::Alarm').map(([id]) => `\${${id}.Arn}`),
      );
      const shown = widgets.flatMap(({ properties }) => properties.metrics ?? []).map(metricOfLine);
      expect(shown.length).toBeGreaterThan(50);
      expect(missing(shown, template, stage)).toEqual([]);
      const [query = ''] = widgets.flatMap(({ properties }) => properties.query ?? []);
      for (const name of Object.keys(ENDPOINTS))
        expect(query).toContain(`SOURCE '\${${logicalId(name, 'LogGroup')}}' | `);
      expect(query).toContain('stats count(*) as requests by route, code');
    },
    broken: {
      'invalid JSON': (template) =>
        Object.assign(propertiesOf(template, 'Dashboard').DashboardBody, { 'Fn::Sub': '{' }),
      'a metric without a source': (template) => {
        const { DashboardBody } = propertiesOf(template, 'Dashboard');
        DashboardBody['Fn::Sub'] = DashboardBody['Fn::Sub'].replace('"Latency"', '"Lateness"');
      },
      'a missing log': (template) => {
        const { DashboardBody } = propertiesOf(template, 'Dashboard');
        DashboardBody['Fn::Sub'] = DashboardBody['Fn::Sub'].replace(`SOURCE '\${LookupLogGroup}' | `, '');
      },
      'a missing alarm': (template) => {
        const { DashboardBody } = propertiesOf(template, 'Dashboard');
        DashboardBody['Fn::Sub'] = DashboardBody['Fn::Sub'].replace(`"\${ServerErrorsAlarm.Arn}",`, '');
      },
    },
  },
  'keeps member checks warm if the stage sets it, and has no other versions': {
    holds: (template, { warm }) => {
      const aliases = ofType(template, 'AWS::Lambda::Alias').map(([, { Properties }]) => [
        Properties.FunctionName.Ref,
        Properties.ProvisionedConcurrencyConfig,
      ]);
      const expected = ['MemberCheckLambdaFunction', { ProvisionedConcurrentExecutions: warm }];
      expect(aliases).toEqual(warm > 0 ? [expected] : []);
      expect(ofType(template, 'AWS::Lambda::Version')).toHaveLength(warm > 0 ? 1 : 0);
    },
    broken: {
      'a version of each deployment': (template) =>
        Object.assign(template.Resources, {
          LookupVersion: {
            Type: 'AWS::Lambda::Version',
            Properties: { FunctionName: { Ref: 'LookupLambdaFunction' } },
          },
        }),
    },
  },
  'uses, monitors and shows the table in use, even a restored one, and retains its own': {
    holds: (template, { name, table }) => {
      expect(propertiesOf(template, 'Table').TableName).toBe(`acquirer-partner-api-${name}`);
      const users = ofType(template, 'AWS::IAM::Role').map(([, role]) => JSON.stringify(role));
      const parts = JSON.stringify([
        users,
        ofType(template, 'AWS::CloudWatch::Alarm'),
        propertiesOf(template, 'Dashboard'),
      ]);
      const named = [...parts.matchAll(/(?::table\/|TableName\W+(?:Value\W+)?)([\w.-]+)/g)].map(([, found]) => found);
      expect(new Set(named)).toEqual(new Set([table]));
    },
    broken: {
      'a role for another table': (template) =>
        Object.assign(policiesOf(template, 'lookup')[0].PolicyDocument.Statement[1], {
          Resource: 'arn:aws:dynamodb:eu-central-1:123456789012:table/another',
        }),
      'an alarm for another table': (template) => {
        propertiesOf(template, 'TableThrottlesWritesAlarm').Metrics[0].MetricStat.Metric.Dimensions[0].Value =
          'another';
      },
      'another table of its own': (template) =>
        Object.assign(propertiesOf(template, 'Table'), { TableName: 'another' }),
    },
  },
  'outputs the table, the URL and the topics': {
    holds: ({ Outputs }, { table }) =>
      expect(Outputs).toMatchObject({
        TableName: { Value: table },
        BaseUrl: { Value: expect.anything() },
        PageTopic: { Value: { Ref: 'PageTopic' } },
        NoticeTopic: { Value: { Ref: 'NoticeTopic' } },
      }),
    broken: {
      'no table': ({ Outputs }) => delete Outputs['TableName'],
      'no topic': ({ Outputs }) => delete Outputs['PageTopic'],
    },
  },
};

/** The checks that a template fails. */
const failing = (template: Template, stage: Stage): string[] =>
  Object.entries(CHECKS).flatMap(([name, { holds }]) => {
    try {
      holds(template, stage);
      return [];
    } catch {
      return [name];
    }
  });

describe.each(Object.entries(STAGES))('the template of %s', (name, { stage }) => {
  test.each(Object.entries(CHECKS))('%s', (_, { holds }) => holds(templateOf(name), stage));
});

describe.each(Object.entries(CHECKS))('the check that a template %s', (check, { broken }) => {
  test.each(Object.entries(broken))('alone fails for %s', (_, spoil) => {
    const template = templateOf('prod');
    spoil(template);
    expect(failing(template, prod)).toEqual([check]);
  });
});

describe('the stages', () => {
  /** The template without names of stages and generated ids, which must be the same in all stages. */
  const commonOf = (name: string) =>
    JSON.parse(JSON.stringify(templateOf(name)).replaceAll(new RegExp(`\\b${name}\\b`, 'g'), 'stage'));

  /** Paths of the differences between two values. */
  function differences(one: unknown, other: unknown, path = ''): string[] {
    if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return one === other ? [] : [path];
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].flatMap((name) =>
      differences(one[name as never], other[name as never], path ? `${path}.${name}` : name),
    );
  }

  test('differ only in their parameters', () => {
    const found = differences(commonOf('dev').Resources, commonOf('prod').Resources).map((path) =>
      path
        .replace(/^\w+LambdaFunction\./, '<function>.')
        .replace(/^\w+LogGroup\./, '<log>.')
        .replace(/^\w+Alarm\./, '<alarm>.')
        .replace(/(LambdaVersion)\w+$/, '$1'),
    );
    expect([...new Set(found)].sort()).toEqual(
      [
        '<function>.Properties.Code.S3Key',
        '<function>.Properties.Environment.Variables.BURST',
        '<function>.Properties.Environment.Variables.EVENT_DAYS',
        '<function>.Properties.Environment.Variables.LOG_LEVEL',
        '<function>.Properties.Environment.Variables.RATE',
        '<log>.Properties.RetentionInDays',
        '<alarm>.Properties.AlarmActions.0.Ref',
        '<alarm>.Properties.OKActions.0.Ref',
        'CardHmacKey.DeletionPolicy',
        'CardHmacKey.UpdateReplacePolicy',
        ...[
          'DefaultRouteSettings',
          'RouteSettings.POST /api/v1/host/member-check',
          'RouteSettings.POST /ext/api/v1/merchants',
          'RouteSettings.POST /ext/api/v1/terminals/{id}',
          'RouteSettings.$default',
        ].flatMap((settings) => [
          `HttpApiStage.Properties.${settings}.ThrottlingBurstLimit`,
          `HttpApiStage.Properties.${settings}.ThrottlingRateLimit`,
        ]),
        ...['OnDemandThroughput', ...INDEXES.map((_, at) => `GlobalSecondaryIndexes.${at}.OnDemandThroughput`)].flatMap(
          (throughput) => [
            `Table.Properties.${throughput}.MaxReadRequestUnits`,
            `Table.Properties.${throughput}.MaxWriteRequestUnits`,
          ],
        ),
        '<function>.Properties.ReservedConcurrentExecutions',
        '<alarm>.Properties.Threshold',
        'Budget.Properties.Budget.BudgetLimit.Amount',
        ...['DependsOn', 'Properties.IntegrationUri.Fn::GetAtt', 'Properties.IntegrationUri.Fn::Join'].map(
          (path) => `HttpApiIntegrationMemberCheck.${path}`,
        ),
        ...['DependsOn', 'Properties.FunctionName.Fn::GetAtt', 'Properties.FunctionName.Fn::Join'].map(
          (path) => `MemberCheckLambdaPermissionHttpApi.${path}`,
        ),
        'MemberCheckLambdaVersion',
        'MemberCheckProvConcLambdaAlias',
        'Table.DeletionPolicy',
        'Table.UpdateReplacePolicy',
        'Table.Properties.DeletionProtectionEnabled',
      ].sort(),
    );
  });

  test('tag every type of resource that accepts tags', () => {
    const resources = Object.values(templateOf('prod with a domain and a restored table').Resources);
    expect([...new Set(resources.flatMap((each) => (tagsOf(each) ? [] : [each.Type])))].sort()).toEqual([
      'AWS::ApiGatewayV2::ApiMapping',
      'AWS::ApiGatewayV2::Integration',
      'AWS::ApiGatewayV2::Route',
      'AWS::CloudWatch::Dashboard',
      'AWS::Lambda::Alias',
      'AWS::Lambda::EventInvokeConfig',
      'AWS::Lambda::Permission',
      'AWS::Lambda::Version',
      'AWS::Logs::MetricFilter',
      'AWS::S3::BucketPolicy',
      'AWS::SNS::TopicPolicy',
    ]);
  });

  test.each(['fast', '-1', '0.5'])('reject %s as a ceiling', async (createRate) => {
    await expect(compiled('dev', { createRate })).rejects.toThrow(
      'The parameter createRate must be a whole number of 0 or more.',
    );
  });

  test('reject a domain without a certificate', async () => {
    await expect(compiled('dev', { domain: 'partners.example.com' })).rejects.toThrow(
      'The parameter domain needs a certificate.',
    );
  });

  test('are only these: another one fails with the name of its missing parameter', async () => {
    await expect(compiled('production')).rejects.toThrow(
      'Cannot resolve variable at "provider.environment.LOG_LEVEL": Value not found at "param" source',
    );
  });
});
