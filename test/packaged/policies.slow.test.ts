import { globSync, readFileSync, statSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { pipelineMayChange } from '../../infra/operate/verify/checks.ts';
import { nameOf, STAGES } from '../../infra/stack/template/definitions.ts';
import { ownSecretIn } from '../../infra/stack/template/parameters.ts';
import { itemStatements } from '../../infra/stack/template/roles.ts';
import type { Template } from '../../infra/stack/template/template.ts';
import { EXECUTION, grantsIn, itemStatementsOf, POLICIES, POLICIES_FILE, TEMPLATE } from '../support/policies.ts';
import { ACCOUNT } from './deployed.ts';
import { EVERY_OPTION, type Templates, templatesOf, USER_POOL } from './packaging.ts';
import { allows, isLike, KINDS, type Statement, statementsOf } from './roles.ts';
import { isObject } from './spec.ts';

/*
 * The policies of the people, the pipeline and CloudFormation, as statements: what they name, and what nobody may.
 * Whether they suffice is compared with what the commands send.
 */

const NAME = 'acquirer-partner-api-prod';
const ACCESS_NAME = 'acquirer-partner-api-access-prod';

/**
 * The policies of a stage by name, with `cloudformation` and `boundary`, as CloudFormation would resolve them.
 *
 * @throws Error if they refer to what is unknown.
 */
function documentsOf(stage: string, account: string, region: string): typeof POLICIES {
  const known: Record<string, string> = {
    ...TEMPLATE.Mappings.Stages[stage],
    ...{ Partition: 'aws', AccountId: account, Region: region, Stage: stage },
  };
  const textOf = (name: string): string => {
    if (known[name] === undefined) throw new Error(`The policies refer to ${name}, which is unknown.`);
    return known[name];
  };
  const resolved = (_: string, value: unknown): unknown => {
    if (!isObject(value) || !('Fn::Sub' in value)) return value;
    const [text] = [value['Fn::Sub']].flat();
    return String(text).replace(/\$\{(?:AWS::)?(\w+)\}/g, (__, name) => textOf(name));
  };
  return JSON.parse(JSON.stringify({ ...POLICIES, cloudformation: EXECUTION }, resolved));
}

/** The statements of the policies of a stage, by the policy's name. */
const policiesOf = (stage: string): Record<string, Statement[]> =>
  Object.fromEntries(
    Object.entries(documentsOf(stage, ACCOUNT, 'eu-central-1')).map(([name, { Statement }]) => [
      name,
      Statement.map(
        ({ Action, Resource, ...rest }) =>
          ({ ...rest, Action: [Action].flat(), Resource: [Resource].flat() }) as Statement,
      ),
    ]),
  );
const PROD = policiesOf('prod');
/** What a deployment, a person or the pipeline gets. The boundary grants nothing. */
const GRANTING = Object.entries(PROD).filter(([name]) => name !== 'boundary');

const DEPLOYMENT = PROD['cloudformation'] as Statement[];

const grantsOf = (statements: Statement[]) => statements.filter(({ Effect }) => Effect === 'Allow');

test('the template is so small that "aws cloudformation deploy" takes it without a bucket', () => {
  // https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
  expect(statSync(POLICIES_FILE).size).toBeLessThanOrEqual(51_200);
});

test('the rows of the stages have what follows from infra/stack/stages.yml', () => {
  const rows = Object.entries(STAGES).map(([stage, { protection, account, region, ...others }]) => {
    const keyOf = (secret = '', key: string) =>
      ownSecretIn(secret, String(region), String(account ?? '')) ?? `${nameOf(stage)}/${key}`;
    const row = {
      Cut: nameOf(stage).slice(0, 24),
      CardKey: keyOf(others.cardHmacKeySecret, 'card-hmac-key'),
      WebhookKey: keyOf(others.webhookKeySecret, 'webhook-key'),
      Kept: protection ? 'record' : 'none',
      Verifies: pipelineMayChange(stage) ? 'verifier' : 'observer',
    };
    return [stage, row];
  });
  expect(TEMPLATE.Mappings.Stages).toEqual(Object.fromEntries(rows));
  expect(TEMPLATE.Parameters.Stage.AllowedValues).toEqual(Object.keys(STAGES));
});

test.each(['operator', 'member-operator', 'auditor', 'verifier'])(
  'the statements of %s on items are those with which roles grant the same',
  (policy) => {
    const sorted = (statements: object[]) =>
      statements
        .map((each) => JSON.stringify(each, (_, value) => (Array.isArray(value) ? value.toSorted() : value)))
        .map((text) => JSON.parse(text))
        .map(({ Action, Condition }) => [[Action].flat().join(), Condition])
        .sort(([one], [other]) => one.localeCompare(other));
    const found = itemStatementsOf(policy);
    expect(found.length).toBeGreaterThan(2);
    expect(sorted(found)).toEqual(sorted(itemStatements(grantsIn(policy))));
  },
);

test.each(Object.keys(STAGES))('the policies of %s fit into what IAM accepts, in every Region', (stage) => {
  // https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html: inline in a role, and managed.
  const tooLong = Object.entries(documentsOf(stage, ACCOUNT, 'ap-southeast-1')).filter(
    ([name, document]) => JSON.stringify(document).length > (name === 'cloudformation' ? 10_240 : 6_144),
  );
  expect(tooLong.map(([name]) => name)).toEqual([]);
});

test('no stage has a name that begins with that of another, because wildcards end names', () => {
  const stages = [...Object.keys(STAGES), 'access'];
  for (const stage of stages) expect(stages.filter((other) => other !== stage && other.startsWith(stage))).toEqual([]);
});

/**
 * Resources of which IAM knows no name of the stage's (infra/operate/policies.yml,
 * docs/operations.md#permissions).
 */
const UNNAMED = [
  /:apigateway:eu-central-1::\/(apis|domainnames|tags)/,
  /:backup:.*:(backup-plan|recovery-point):\*$/,
  /:budgets::.*:budget\/\*$/,
  /:codedeploy:.*:deploymentconfig:\*$/,
  /:cognito-idp:.*:userpool\/\*$/,
  /:iam::.*:role\/aws-service-role\/\*$/,
  /:kms:.*:key\/\*$/,
  /:lambda:.*:event-source-mapping:\*$/,
];

test.each(GRANTING)('%s names only what is the stage’s, apart from what has no name', (_, statements) => {
  for (const { Action, Resource } of statements)
    for (const resource of Resource.filter((each) => each !== '*' && !UNNAMED.some((pattern) => pattern.test(each))))
      expect([Action, resource]).toEqual([
        Action,
        expect.stringMatching(`:(\\S*/)?(${NAME}|${ACCESS_NAME}|acquirer-partner-api-pro\\*-serverless)`),
      ]);
});

test('on everything, the policies only read, apart from what IAM cannot confine', () => {
  const found = GRANTING.flatMap(([name, statements]) =>
    statements
      .filter(({ Resource, Condition }) => Resource.includes('*') && !Condition)
      .flatMap(({ Action }) => Action.filter((action) => !/:(Describe|Get|List|ValidateTemplate)/.test(action)))
      .map((action) => `${name}: ${action}`),
  );
  expect(found.sort()).toEqual([
    'auditor: logs:StopQuery',
    'cloudformation: backup-storage:Mount',
    'cloudformation: backup-storage:MountCapsule',
    'cloudformation: codedeploy:StopDeployment',
    'cloudformation: cognito-idp:CreateUserPool',
    'cloudformation: logs:*LogDelivery',
    'cloudformation: logs:PutResourcePolicy',
  ]);
});

test('a key is used through DynamoDB or AWS Backup only', () => {
  const resource = `arn:aws:kms:eu-central-1:${ACCOUNT}:key/of-others`;
  const VIA = ['dynamodb', 'backup', 's3', 'secretsmanager'].map((name) => `${name}.eu-central-1.amazonaws.com`);
  for (const [name, statements] of [...GRANTING, ['boundary', PROD['boundary'] ?? []] as const]) {
    const actions = statements.flatMap(({ Action }) => Action.filter((each) => each.startsWith('kms:')));
    for (const action of new Set(actions)) {
      expect([name, action, allows(statements, { action, resource })]).toEqual([name, action, false]);
      const ways = VIA.filter((each) =>
        allows(statements, { action, resource, context: { 'kms:ViaService': [each] } }),
      );
      expect([name, action, VIA.slice(0, 2)]).toEqual([name, action, expect.arrayContaining(ways)]);
    }
  }
});

test('no condition holds for a request that lacks its key', () => {
  const operators = Object.values(PROD).flatMap((statements) =>
    statements.flatMap(({ Condition = {} }) => Object.keys(Condition)),
  );
  expect(operators).toContain('StringEquals');
  expect(operators.filter((each) => each.endsWith('IfExists'))).toEqual([]);
  // It holds for a request without keys too, so one beside it must require them.
  for (const { Condition = {} } of Object.values(PROD).flat())
    if ('ForAllValues:StringLike' in Condition) expect(Condition).toHaveProperty('Null');
});

describe('the role of the pipeline', () => {
  /** The statements of its role in a stage, by the policies that the template attaches. */
  const pipelineOf = (stage: string): Statement[] => {
    const attached = TEMPLATE.Resources['DeployerRole']?.Properties.ManagedPolicyArns;
    expect(attached).toEqual([
      { Ref: 'DeployerPolicy' },
      { 'Fn::If': ['PipelineMayChange', { Ref: 'VerifierPolicy' }, { Ref: 'ObserverPolicy' }] },
    ]);
    const policies = policiesOf(stage);
    return ['deployer', pipelineMayChange(stage) ? 'verifier' : 'observer'].flatMap((name) => policies[name] ?? []);
  };
  const may = (stage: string, action: string, resource: string, context: Record<string, string[]> = {}) =>
    allows(pipelineOf(stage), { action, resource: `arn:aws:${resource}`, context });
  const secretOf = (stage: string) =>
    `secretsmanager:eu-central-1:${ACCOUNT}:secret:acquirer-partner-api-${stage}/card-hmac-key-AbCdEf`;

  test.each([
    ['prod', false],
    ['dev', true],
    ['staging', true],
  ])('in %s, may read the card key and change items to verify: %p', (stage, isAllowed) => {
    expect(may(stage, 'secretsmanager:GetSecretValue', secretOf(stage))).toBe(isAllowed);
    const onItems = ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'BatchGetItem', 'ConditionCheckItem'];
    const found = [...onItems, 'Scan', 'BatchWriteItem', 'PartiQLUpdate'].filter((action) =>
      Object.values(KINDS).some((key) =>
        ['', '-restored', '/index/events-by-branch'].some((rest) =>
          may(
            stage,
            `dynamodb:${action}`,
            `dynamodb:eu-central-1:${ACCOUNT}:table/acquirer-partner-api-${stage}${rest}`,
            {
              'dynamodb:LeadingKeys': [key],
            },
          ),
        ),
      ),
    );
    expect(found).toEqual(isAllowed ? onItems : []);
  });

  test.each(Object.keys(STAGES))('in %s, has what a deployment and its verification send', (stage) => {
    const sent = [...actionsIn('infra/operate/verify'), 'cloudformation:UpdateStack'];
    for (const action of sent) expect(pipelineOf(stage).some(({ Action }) => isLike(Action, action))).toBe(true);
  });
});

describe('the operator’s record', () => {
  const copy = `arn:aws:logs:eu-central-1:${ACCOUNT}:log-group:/${NAME}/record`;
  const CHANGES = /^logs:(?!(Describe|Filter|Get|List|StartQuery|Test|\*))/;

  test('is only added to in the table; a recovery writes the tables that it restores', () => {
    for (const { RECORD = [] } of ['operator', 'member-operator', 'auditor', 'verifier'].map(grantsIn))
      expect(RECORD.filter((action) => !['BatchGetItem', 'GetItem', 'PutItem', 'Query'].includes(action))).toEqual([]);
    const free = GRANTING.flatMap(([name, statements]) =>
      grantsOf(statements)
        .filter(({ Condition, Action }) => !Condition && Action.some((each) => /^dynamodb:.*(Item|PartiQL)/.test(each)))
        .map(({ Resource }) => [name, Resource]),
    );
    expect(free).toEqual([['recovery', [expect.stringMatching(`table/${NAME}-\\*$`)]]]);
  });

  test('has a copy that no person changes, whatever else a person may do', () => {
    for (const [name, statements] of GRANTING.filter(([each]) => each !== 'cloudformation')) {
      const denied = statements.filter(({ Effect }) => Effect === 'Deny').flatMap(({ Action }) => Action);
      const lacking = ['DeleteLogGroup', 'DeleteLogStream', 'PutLogEvents', 'PutRetentionPolicy'].filter(
        (action) => !denied.includes(`logs:${action}`),
      );
      const onCopy = grantsOf(statements).filter(({ Resource }) => isLike(Resource, copy) && !Resource.includes('*'));
      const changes = onCopy.flatMap(({ Action }) => Action).filter((action) => CHANGES.test(action));
      expect({ name, lacking, changes }).toEqual({ name, lacking: [], changes: [] });
    }
  });

  test('has a copy that a deployment does not remove where data is protected', () => {
    const denied = (stage: string) => policiesOf(stage)['cloudformation']?.filter(({ Effect }) => Effect === 'Deny');
    expect(denied('prod')).toMatchObject([
      { Action: ['logs:DeleteLogGroup', 'logs:DeleteLogStream', 'logs:PutLogEvents'], Resource: [copy, `${copy}:*`] },
    ]);
    expect(JSON.stringify(denied('dev'))).not.toContain('/record');
  });
});

describe('a deployment cannot escalate', () => {
  /** What IAM lets someone do by roles. */
  const RIGHTS = /^iam:(\*|Create|Put|Attach|Update(?!Role$)|Add|Set|Pass|DeleteRolePerm)/;

  test('because only these statements give rights or pass roles, with these conditions', () => {
    const found = GRANTING.flatMap(([name, statements]) =>
      grantsOf(statements).flatMap(({ Action, Resource, Condition = {} }) => {
        const rights = Action.filter((action) => RIGHTS.test(action));
        const conditions = Object.values(Condition)
          .flatMap((each) => Object.entries(each))
          .flat(2);
        const text = [name, ...rights, 'on', ...Resource, 'if', ...conditions].join(' ');
        return rights.length > 0 ? [text.replace(/arn:aws:iam:\S*?:(?=role|policy)|iam:/g, '')] : [];
      }),
    );
    expect(found.sort()).toEqual([
      'cloudformation AttachRolePolicy on role/acquirer-partner-api-prod-backup if PolicyARN ' +
        'policy/service-role/AWSBackupServiceRolePolicyFor*',
      'cloudformation CreateRole PutRolePermissionsBoundary PutRolePolicy UpdateAssumeRolePolicy on ' +
        'role/acquirer-partner-api-prod/* if PermissionsBoundary policy/acquirer-partner-api-access-prod-boundary',
      'cloudformation CreateRole on role/acquirer-partner-api-prod-backup if',
      'cloudformation CreateServiceLinkedRole on role/aws-service-role/* if AWSServiceName backup.amazonaws.com ' +
        'ops.apigateway.amazonaws.com',
      'cloudformation PassRole on role/acquirer-partner-api-prod-backup if PassedToService backup.amazonaws.com',
      'cloudformation PassRole on role/acquirer-partner-api-prod/* if PassedToService lambda.amazonaws.com ' +
        'codedeploy.amazonaws.com',
      'deployer PassRole on role/acquirer-partner-api-access-prod-cloudformation if PassedToService ' +
        'cloudformation.amazonaws.com',
      'recovery PassRole on role/acquirer-partner-api-prod-backup if PassedToService backup.amazonaws.com',
    ]);
  });

  test('by a job outside the environment of the stage', () => {
    const { DeployerRole, ExecutionRole } = TEMPLATE.Resources;
    expect(DeployerRole?.Properties.AssumeRolePolicyDocument.Statement[0]).toHaveProperty('Condition', {
      StringEquals: {
        'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
        'token.actions.githubusercontent.com:sub': { 'Fn::Sub': `repo:\${Repository}:environment:\${Stage}` },
      },
    });
    // A condition that CloudFormation does not send would refuse every deployment.
    expect(ExecutionRole?.Properties.AssumeRolePolicyDocument.Statement).toEqual([
      { Effect: 'Allow', Principal: { Service: 'cloudformation.amazonaws.com' }, Action: 'sts:AssumeRole' },
    ]);
  });
});

describe('the templates of the stages', () => {
  let ofProd: Templates;
  let templates: Template[];
  beforeAll(async () => {
    ofProd = await templatesOf('prod', EVERY_OPTION);
    templates = [ofProd, await templatesOf('dev', USER_POOL)].flatMap(({ api, data }) => [api, data]);
  });

  test('have only types of services that CloudFormation’s role may use', () => {
    const OTHERS: Record<string, string> = { ApiGatewayV2: 'apigateway', Cognito: 'cognito-idp' };
    const allowed = new Set(DEPLOYMENT.flatMap(({ Action }) => Action.map((each) => each.split(':')[0])));
    for (const { Type } of templates.flatMap(({ Resources }) => Object.values(Resources))) {
      const [, service = ''] = Type.split('::');
      expect([Type, allowed.has(OTHERS[service] ?? service.toLowerCase())]).toEqual([Type, true]);
    }
  });

  test('have only names within what CloudFormation’s role names', () => {
    const named = /^(FunctionName|LogGroupName|AlarmName|TopicName|TableName|BackupVaultName|DashboardName|Name)$/;
    for (const [id, { Type, Properties }] of Object.entries({ ...ofProd.api.Resources, ...ofProd.data.Resources }))
      for (const [property, value] of Object.entries(Properties ?? {}))
        if (named.test(property) && typeof value === 'string' && !/::(ApiGatewayV2::|Lambda::Alias)/.test(Type))
          expect([id, property, value]).toEqual([id, property, expect.stringContaining(NAME)]);
  });

  test('have no role that may do more than the boundary', () => {
    const roles = Object.entries(ofProd.api.Resources).filter(
      ([, { Type, Properties }]) => Type === 'AWS::IAM::Role' && !Properties.RoleName,
    );
    expect(roles.length).toBeGreaterThan(10);
    for (const [id, { Properties }] of roles) {
      expect([id, Properties.Path]).toEqual([id, `/${NAME}/`]);
      expect(`${id} ${JSON.stringify(Properties.PermissionsBoundary)}`).toContain(`${ACCESS_NAME}-boundary`);
      for (const { Action, Resource } of statementsOf(ofProd.api, id))
        for (const action of Action)
          for (const resource of Resource) {
            const context = { 'kms:ViaService': ['dynamodb.eu-central-1.amazonaws.com'] };
            const isWithin = allows(PROD['boundary'] as Statement[], { action, resource, context });
            expect([id, action, resource, isWithin]).toEqual([id, action, resource, true]);
          }
    }
  });
});

test('a deployment reads and writes no items', () => {
  for (const action of ['GetItem', 'PutItem', 'Query', 'Scan', 'PartiQLSelect', 'GetRecords'])
    expect([action, DEPLOYMENT.some(({ Action }) => isLike(Action, `dynamodb:${action}`))]).toEqual([action, false]);
});

/** The actions of the SDK's commands that a folder imports, by service. */
function actionsIn(folder: string): string[] {
  const SERVICES: Record<string, string> = { 'cloudwatch-logs': 'logs', 'secrets-manager': 'secretsmanager' };
  const found = new Set<string>();
  for (const file of globSync(`${folder}/**/*.ts`)) {
    const imports = readFileSync(file, 'utf8').matchAll(/import \{([^}]+)\} from '@aws-sdk\/client-([\w-]+)'/g);
    for (const [, names = '', client = ''] of imports)
      for (const [, paginated, command] of names.matchAll(/\bpaginate(\w+)|\b(\w+)Command\b/g))
        found.add(`${SERVICES[client] ?? client}:${paginated ?? command}`);
  }
  // Everyone may ask who one is, and API Gateway's actions are the methods of HTTP.
  return [...found].filter((action) => !/^(sts|apigatewayv2):/.test(action)).sort();
}

test.each([
  ['infra/operate/verify', ['verifier']],
  ['infra/operate/recovery', ['operator', 'member-operator', 'recovery']],
])('what %s sends is allowed by %j', (folder, names) => {
  const granted = names.flatMap((name) => grantsOf(PROD[name] ?? []).flatMap(({ Action }) => Action));
  const sent = actionsIn(folder);
  expect(sent.length).toBeGreaterThan(1);
  expect(sent.filter((action) => !isLike(granted, action))).toEqual([]);
});
