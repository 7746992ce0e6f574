import { userInfo } from 'node:os';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { LIMITS } from '../../lib/table/sdk.ts';
import { explain } from './explain.ts';
import { Stop } from './stop.ts';

/** The ARN of the IAM identity whose credentials the environment has. STS grants the question to every identity. */
async function identityInAws(): Promise<string> {
  const { Arn } = await new STSClient(LIMITS).send(new GetCallerIdentityCommand());
  if (!Arn) throw new Error('The response has no ARN.');
  return Arn;
}

/**
 * Who runs a command: in AWS the ARN of an IAM identity, on this machine the user's name.
 *
 * @throws Stop when that cannot be found out.
 */
export async function identify(inAws: boolean): Promise<string> {
  try {
    return inAws ? await identityInAws() : userInfo().username;
  } catch (error) {
    throw new Stop(`Nothing was changed, as it is not known who you are. ${explain(error as Error, 'AWS STS')}`);
  }
}
