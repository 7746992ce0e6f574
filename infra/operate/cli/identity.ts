import { userInfo } from 'node:os';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { LIMITS } from '../../../lib/aws/sdk.ts';
import { connectionTo } from './connection.ts';
import { explain } from './explain.ts';
import { Stop } from './stop.ts';

/**
 * Identifies the operator: by the ARN of the IAM identity in AWS, which every identity may ask for, and by the user name on
 * this machine.
 *
 * @throws Stop if STS does not return an identity.
 */
export async function identify(inAws: boolean): Promise<string> {
  if (!inAws) return userInfo().username;
  try {
    const sts = new STSClient({ ...LIMITS, ...connectionTo('STS') });
    const { Arn } = await sts.send(new GetCallerIdentityCommand());
    if (!Arn) throw new Error('The response has no ARN.');
    return Arn;
  } catch (error) {
    throw new Stop(
      `Nothing was changed, because your identity could not be determined. ${explain(error as Error, 'AWS STS')}`,
    );
  }
}
