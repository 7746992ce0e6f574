import { acquirers } from '../../../lib/table/keys.ts';
import {
  ACCESS,
  boundaryOf,
  type Grants,
  INDEXES,
  isKind,
  logicalId,
  nameOf,
  QUEUES,
  SECRETS,
  STAGE_NAME,
  STEPS,
} from './definitions.ts';
import { arn, assumedBy, globalArn, policy, sub } from './iam.ts';
import { KEYS, type Parameters } from './parameters.ts';
import { RECORD_STREAM } from './record.ts';
import type { Template } from './template.ts';

/** The table in use, by name: it is in another stack, or in none. */
const TABLE_ARN = arn('dynamodb', `table/\${param:table}`);

const RECORD_ARN = arn('logs', `log-group:/${STAGE_NAME}/record:log-stream:${RECORD_STREAM}`);

/**
 * What a grant on a secret names. The ARN of a secret ends in a hyphen and six random characters, with which and without
 * which a stage may name it; the wildcards match nothing else ("Use ? in place of the suffix": "Identity-based policies",
 * Secrets Manager User Guide).
 */
const secretArns = (secret: string) =>
  secret.startsWith('arn:') ? [secret, `${secret}-??????`] : sub(arn('secretsmanager', `secret:${secret}-??????`));

/**
 * A statement that allows actions on an index, a secret, a queue, the table's stream or the record's log. The partition keys of an
 * index (an acquirer's UUID, a MID) have no kind, so it is granted as a whole.
 *
 * @throws Error if there is no such index.
 */
function statementOf(name: string, actions: string[], options: Parameters) {
  const on = (service: string, Resource: unknown) => ({
    Action: actions.map((action) => `${service}:${action}`),
    Resource,
  });
  if (name === 'stream') return on('dynamodb', sub(`${TABLE_ARN}/stream/*`));
  if (name === 'record-log') return on('logs', sub(RECORD_ARN));
  if (QUEUES[name]) return on('sqs', sub(arn('sqs', QUEUES[name])));
  const secret = SECRETS[name];
  if (secret)
    return on(
      'secretsmanager',
      secretArns(secret in KEYS ? options[secret as keyof typeof KEYS] : `\${param:${secret}}`),
    );
  if (!INDEXES.includes(name)) throw new Error(`infra/stack/functions.yml: there is no index ${name}.`);
  return on('dynamodb', sub(`${TABLE_ARN}/index/${name}`));
}

/** The partition of all acquirers has no id in its key. */
const partitionsOf = (kind: string): string => (kind === acquirers.pk ? kind : `${kind}#*`);

const leadingKeys = (kinds: string[]) => ({ 'dynamodb:LeadingKeys': kinds.map(partitionsOf) });

/**
 * Statements that allow the actions on kinds of items. IAM matches all keys of a request against one statement, so each
 * action is in exactly one.
 *
 * `dynamodb:LeadingKeys` holds the partition keys of a request
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html). AWS does not document
 * whether a step of a transaction is authorized with its own key only, or also with the keys of other steps. These
 * conditions work either way: every key must be of a kind that the function writes, and at least one of a kind on which
 * this action is granted. For a single key, that is exactly the grant.
 */
export function itemStatements(grants: Grants, Resource: unknown = sub(TABLE_ARN)) {
  const kinds = Object.keys(grants).filter(isKind);
  const kindsWith = (actions: string[]) => kinds.filter((kind) => grants[kind]?.some((each) => actions.includes(each)));
  const conditionOf = (action: string) => {
    const own = kindsWith([action]);
    const together = STEPS.includes(action) ? kindsWith(STEPS) : own;
    return {
      'ForAllValues:StringLike': leadingKeys(together),
      ...(own.length < together.length && { 'ForAnyValue:StringLike': leadingKeys(own) }),
      // ForAllValues is true for a request without keys, such as a scan.
      Null: { 'dynamodb:LeadingKeys': 'false' },
    };
  };
  const actions = [...new Set(kinds.flatMap((kind) => grants[kind] ?? []))];
  const alike = Object.groupBy(actions, (action) => JSON.stringify(conditionOf(action)));
  return Object.entries(alike).map(([condition, group = []]) => ({
    Action: group.map((action) => `dynamodb:${action}`),
    Resource,
    Condition: JSON.parse(condition),
  }));
}

/**
 * What a table with a key of one's own needs of whoever uses it: DynamoDB calls KMS on behalf of its caller ("Authorizing
 * use of the KMS key", DynamoDB Developer Guide). Directly, the function may not use the key.
 */
const keyStatement = (kmsKey: string) => ({
  Action: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
  Resource: kmsKey,
  Condition: { StringEquals: { 'kms:ViaService': sub(`dynamodb.\${AWS::Region}.amazonaws.com`) } },
});

/** X-Ray has no resources to name ("Actions, resources, and condition keys for AWS X-Ray"). */
const TRACING = { Action: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'], Resource: '*' };

/** What a function may do: write to its own log group, and its `access` from functions.yml. */
function statementsOf(name: string, options: Parameters): object[] {
  const grants = ACCESS[name] ?? {};
  const others = Object.entries(grants).filter(([resource]) => !isKind(resource));
  const usesTable = Object.keys(grants).some(isKind) || 'stream' in grants;
  return [
    {
      Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      Resource: { 'Fn::GetAtt': [logicalId(name, 'LogGroup'), 'Arn'] },
    },
    ...itemStatements(grants),
    ...others.map((grant) => statementOf(...grant, options)),
    ...(options.kmsKey && usesTable ? [keyStatement(options.kmsKey)] : []),
    ...(options.tracing ? [TRACING] : []),
  ].map((statement) => ({ Effect: 'Allow', ...statement }));
}

export const roles = (functions: string[], options: Parameters) => ({
  Resources: Object.fromEntries(
    functions.map((name) => [
      logicalId(name, 'Role'),
      {
        Type: 'AWS::IAM::Role',
        Properties: {
          AssumeRolePolicyDocument: assumedBy('lambda'),
          Policies: [{ PolicyName: name, PolicyDocument: policy(...statementsOf(name, options)) }],
        },
      },
    ]),
  ),
});

/**
 * Gives each role the stage's name as its path, so that IAM can name the stage's roles, and the boundary of the stage, beyond
 * which no template can lift a role (infra/operate/policies.yml). A role with a name of its own has policies of AWS only.
 */
export function confineRoles({ Resources }: Template, stage: string): void {
  const PermissionsBoundary = sub(globalArn('iam', `policy/${boundaryOf(stage)}`));
  for (const { Type, Properties } of Object.values(Resources))
    if (Type === 'AWS::IAM::Role' && !Properties.RoleName)
      Object.assign(Properties, { Path: `/${nameOf(stage)}/`, PermissionsBoundary });
}
