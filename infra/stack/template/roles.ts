import { acquirers } from '../../../lib/table/keys.ts';
import { ACCESS, type Grants, INDEXES, isKind, logicalId, SECRETS, STAGE_NAME, STEPS } from './definitions.ts';
import type { Parameters } from './parameters.ts';
import { RECORD_STREAM } from './record.ts';

/** The table in use, by name: it is in another stack, or in none. */
export const TABLE_ARN = `arn:\${AWS::Partition}:dynamodb:\${AWS::Region}:\${AWS::AccountId}:table/\${param:table}`;

/**
 * What a grant on a secret names. The ARN of a secret ends in a hyphen and six random characters, with which and without
 * which a stage may name it; the wildcards match nothing else ("Use ? in place of the suffix": "Identity-based policies",
 * Secrets Manager User Guide).
 */
function secretArns(secret: string) {
  if (secret.startsWith('arn:')) return [secret, `${secret}-??????`];
  return {
    'Fn::Sub': `arn:\${AWS::Partition}:secretsmanager:\${AWS::Region}:\${AWS::AccountId}:secret:${secret}-??????`,
  };
}

/** The log stream with the copy of the operator's record. */
const RECORD_LOG_STREAM = {
  'Fn::Sub': `arn:\${AWS::Partition}:logs:\${AWS::Region}:\${AWS::AccountId}:log-group:/${STAGE_NAME}/record:log-stream:${RECORD_STREAM}`,
};

/**
 * A statement that allows actions on an index, a secret, the table's stream or the record's log. The partition keys of an
 * index (an acquirer's UUID, a MID) have no kind, so it is granted as a whole.
 *
 * @throws Error if there is no such index.
 */
function statementOf(name: string, actions: string[], { cardHmacKeySecret }: Parameters) {
  if (name === 'stream')
    return {
      Action: actions.map((action) => `dynamodb:${action}`),
      Resource: { 'Fn::Sub': `${TABLE_ARN}/stream/*` },
    };
  if (name === 'record-log') return { Action: actions.map((action) => `logs:${action}`), Resource: RECORD_LOG_STREAM };
  if (SECRETS[name])
    return {
      Action: actions.map((action) => `secretsmanager:${action}`),
      Resource: secretArns(name === 'secret' ? cardHmacKeySecret : `\${param:${SECRETS[name]}}`),
    };
  if (!INDEXES.includes(name)) throw new Error(`infra/stack/functions.yml: there is no index ${name}.`);
  return {
    Action: actions.map((action) => `dynamodb:${action}`),
    Resource: { 'Fn::Sub': `${TABLE_ARN}/index/${name}` },
  };
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
export function itemStatements(grants: Grants, Resource: unknown = { 'Fn::Sub': TABLE_ARN }) {
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
  Condition: { StringEquals: { 'kms:ViaService': { 'Fn::Sub': `dynamodb.\${AWS::Region}.amazonaws.com` } } },
});

/** X-Ray has no resources to name ("Actions, resources, and condition keys for AWS X-Ray"). */
const TRACING = { Action: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'], Resource: '*' };

/** One role per function, with its `access` from functions.yml and permission to write to its own log group. */
export const roles = (functions: string[], options: Parameters) => ({
  Resources: Object.fromEntries(
    functions
      .map((name) => [name, ACCESS[name] ?? {}] as const)
      .map(([name, grants]) => [
        logicalId(name, 'Role'),
        {
          Type: 'AWS::IAM::Role',
          Properties: {
            AssumeRolePolicyDocument: {
              Version: '2012-10-17',
              Statement: [
                { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
              ],
            },
            Policies: [
              {
                PolicyName: name,
                PolicyDocument: {
                  Version: '2012-10-17',
                  Statement: [
                    {
                      Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
                      Resource: { 'Fn::GetAtt': [logicalId(name, 'LogGroup'), 'Arn'] },
                    },
                    ...itemStatements(grants),
                    ...Object.entries(grants)
                      .filter(([resource]) => !isKind(resource))
                      .map((grant) => statementOf(...grant, options)),
                    ...(options.kmsKey && (Object.keys(grants).some(isKind) || grants['stream'])
                      ? [keyStatement(options.kmsKey)]
                      : []),
                    ...(options.tracing ? [TRACING] : []),
                  ].map((statement) => ({ Effect: 'Allow', ...statement })),
                },
              },
            ],
          },
        },
      ]),
  ),
});
