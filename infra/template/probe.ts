import { rateLimitKey } from '../../lib/table/keys.ts';
import { keyStatement, TABLE_ARN } from './roles.ts';

/**
 * The items on which `npm run verify` finds out how AWS judges the partition keys of a transaction. Each is a window of a rate
 * limit that nobody has, which expires by itself.
 */
export const PROBE_KEYS = [1, 2, 3].map((number) => rateLimitKey('verification', `probe-${number}`, 0));

/** The name of the output with the ARN of the role. */
export const PROBE_OUTPUT = 'ProbeRole';

/**
 * A role that may write these items and nothing else, which whoever verifies the stage assumes with a narrower policy: see
 * infra/verify/leadingKeys.ts. Stages that are protected have none.
 *
 * Each statement allows what a probe does under every reading of `dynamodb:LeadingKeys`, because it lists all keys.
 */
export const probe = (isProtected: boolean, kmsKey: string) =>
  isProtected
    ? {}
    : {
        Resources: {
          [PROBE_OUTPUT]: {
            Type: 'AWS::IAM::Role',
            Properties: {
              AssumeRolePolicyDocument: {
                Version: '2012-10-17',
                Statement: [
                  {
                    Effect: 'Allow',
                    // Who of the account may assume it is up to their own policies.
                    Principal: { AWS: { 'Fn::Sub': `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:root` } },
                    Action: 'sts:AssumeRole',
                  },
                ],
              },
              Policies: [
                {
                  PolicyName: 'probe',
                  PolicyDocument: {
                    Version: '2012-10-17',
                    Statement: [
                      {
                        Effect: 'Allow',
                        Action: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
                        Resource: { 'Fn::Sub': TABLE_ARN },
                        Condition: {
                          'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': PROBE_KEYS.map(({ pk }) => pk) },
                          Null: { 'dynamodb:LeadingKeys': 'false' },
                        },
                      },
                      ...(kmsKey ? [{ Effect: 'Allow', ...keyStatement(kmsKey) }] : []),
                    ],
                  },
                },
              ],
            },
          },
        },
        Outputs: {
          [PROBE_OUTPUT]: {
            Description: 'Role of the probe of npm run verify',
            Value: { 'Fn::GetAtt': [PROBE_OUTPUT, 'Arn'] },
          },
        },
      };
