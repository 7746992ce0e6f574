import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { accessOf, nameOf } from '../../stack/template/definitions.ts';
import { type Parameters, parametersOf } from '../../stack/template/parameters.ts';
import { API, DATA, orderIn } from './stacks.ts';

/** What a removal has of its process. */
interface Host {
  print: (line: string) => void;
  /** Asks for a text on a terminal. Missing where nobody can be asked. */
  ask: ((message: string) => Promise<unknown>) | undefined;
  /** Removes a stack, by its folder. */
  remove: (folder: string, args: string[]) => Promise<void>;
}

const GUIDE = 'docs/operations.md#remove-a-stage';

/**
 * Removes the stacks of a stage after it was named a second time: on the terminal, or with `--confirm`. Both stacks are looked at
 * before the first is removed. One that is gone is skipped, so a removal that failed can be repeated.
 *
 * @throws Error before anything was removed, or that says which stack is left.
 */
export async function removeStage(args: string[], { print, ask, remove }: Host): Promise<void> {
  const { stage, given, confirmed } = orderIn(args);
  const parameters = await parametersOf(stage, given);
  const found = await existing(stage, parameters.region);
  if (found.length === 0)
    throw new Error(
      `Stage ${stage} has no stacks in ${parameters.region}, in the account of these credentials. Nothing was changed.`,
    );
  const isKept = parameters.dataRemoval !== 'Delete';
  const data = isKept ? 'keeps the table and all other data' : 'deletes the table, all its data and the card key';
  const what = `Removes ${found.map(([, stack]) => stack).join(' and ')}, and ${data}`;
  if (confirmed === undefined && !ask)
    throw new Error(`${what}. Nobody can be asked here: add "--confirm ${stage}". Nothing was changed.`);
  print(`${what}.`);
  if ((confirmed ?? (await ask?.(`Type the name of the stage to remove it.`))) !== stage)
    throw new Error(`That is not ${stage}. Nothing was changed.`);
  for (const [at, [folder, stack]] of found.entries())
    await remove(folder, args).catch((error: Error) => {
      const left = found.slice(at).map(([, each]) => each);
      throw new Error(
        `${error.message}\n${stack} was not removed. Left: ${left.join(', ')}. Mend what its events name (aws cloudformation describe-stack-events --stack-name ${stack}), and run the same command again.`,
      );
    });
  print(leftBehind(stage, parameters, isKept));
}

/** The folders and names of the stacks that exist, in the order of their removal. @throws Error for one that is protected. */
async function existing(stage: string, region: string): Promise<(readonly [folder: string, stack: string])[]> {
  const client = new CloudFormationClient({ region });
  const found = [];
  for (const [folder, StackName] of [[API, nameOf(stage)] as const, [DATA, `${nameOf(stage)}-data`] as const]) {
    const { Stacks: [stack] = [] } = await client
      .send(new DescribeStacksCommand({ StackName }))
      .catch((error: Error) => {
        if (/does not exist/.test(error.message)) return { Stacks: [] };
        throw new Error(`The stack ${StackName} cannot be read: ${error.message} Nothing was changed.`);
      });
    if (stack?.EnableTerminationProtection)
      throw new Error(
        `The stack ${StackName} is protected. Set "protection: false" in the row of ${stage}, deploy, and remove it then (${GUIDE}). Nothing was changed.`,
      );
    if (stack) found.push([folder, StackName] as const);
  }
  return found;
}

/** What no removal of the stacks takes along. */
const leftBehind = (stage: string, { table }: Parameters, isKept: boolean): string => {
  const left = [`the stack ${accessOf(stage)} with the policies, which people's roles may have`];
  if (isKept) left.push(`the data of ${nameOf(stage)}`);
  if (table !== nameOf(stage)) left.push(`the restored table ${table}`);
  return `Left behind: ${left.join('; ')}. ${GUIDE} has the commands that remove it.`;
};
