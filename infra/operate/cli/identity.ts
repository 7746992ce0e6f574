import { userInfo } from 'node:os';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { LIMITS } from '../../../lib/aws/sdk.ts';
import { connectionTo } from './connection.ts';
import { explain } from './explain.ts';
import { Stop } from './stop.ts';

/** The ARN of the IAM identity in use. Every identity may call `GetCallerIdentity`. */
async function identityInAws(): Promise<string> {
  const { Arn } = await new STSClient({ ...LIMITS, ...connectionTo('STS') }).send(new GetCallerIdentityCommand());
  if (!Arn) throw new Error('The response has no ARN.');
  return Arn;
}

/**
 * Identifies the operator: by the ARN of the IAM identity in AWS, by the user name on this machine.
 *
 * @throws Stop if STS does not return an identity.
 */
export async function identify(inAws: boolean): Promise<string> {
  try {
    return inAws ? await identityInAws() : userInfo().username;
  } catch (error) {
    throw new Stop(
      `Nothing was changed, because your identity could not be determined. ${explain(error as Error, 'AWS STS')}`,
    );
  }
}
