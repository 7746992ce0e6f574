import { ACCESS, INDEXES, logicalId, SECRETS } from './definitions.ts';

/** By its name: the table in use need not be the stack's own (docs/operations.md, "Restore"). */
const TABLE_ARN = `arn:\${AWS::Partition}:dynamodb:\${AWS::Region}:\${AWS::AccountId}:table/\${param:table}`;

/** ARN of what access.yml names. */
function arnOf(name: string) {
  if (name === 'table') return { 'Fn::Sub': TABLE_ARN };
  if (SECRETS[name]) return { Ref: SECRETS[name] };
  if (!INDEXES.includes(name)) throw new Error(`infra/access.yml: there is no index ${name}.`);
  return { 'Fn::Sub': `${TABLE_ARN}/index/${name}` };
}

/** One role per function: what access.yml grants, and to write to the function's own log group, which the stack makes. */
export const roles = {
  Resources: Object.fromEntries(
    Object.entries(ACCESS).map(([name, granted]) => [
      logicalId(name, 'Role'),
      {
        Type: 'AWS::IAM::Role',
        Properties: {
          AssumeRolePolicyDocument: {
            Version: '2012-10-17',
            Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
          },
          Policies: [
            {
              PolicyName: name,
              PolicyDocument: {
                Version: '2012-10-17',
                Statement: [
                  {
                    Effect: 'Allow',
                    Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
                    Resource: { 'Fn::GetAtt': [logicalId(name, 'LogGroup'), 'Arn'] },
                  },
                  ...Object.entries(granted).map(([resource, actions]) => ({
                    Effect: 'Allow',
                    Action: actions.map((action) => `${SECRETS[resource] ? 'secretsmanager' : 'dynamodb'}:${action}`),
                    Resource: arnOf(resource),
                  })),
                ],
              },
            },
          ],
        },
      },
    ]),
  ),
};
