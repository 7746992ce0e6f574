import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { SERVICE } from '../../stack/template/definitions.ts';
import { connectionTo } from './connection.ts';
import { Stop } from './stop.ts';

/** Returns an output of the stack of a stage's API. @throws Stop if it has none. */
export async function stackOutput(stage: string, name: string): Promise<string> {
  const StackName = `${SERVICE}-${stage}`;
  const client = new CloudFormationClient(connectionTo('CLOUDFORMATION'));
  const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand({ StackName }));
  const { OutputValue } = stack?.Outputs?.find(({ OutputKey }) => OutputKey === name) ?? {};
  if (!OutputValue) throw new Stop(`The stack ${StackName} has no output ${name}. Deploy the stage first.`);
  return OutputValue;
}
