import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import {
  CancelUpdateStackCommand,
  CloudFormationClient,
  DescribeStackResourceCommand,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateDescribeStackEvents,
  UpdateStackCommand,
} from '@aws-sdk/client-cloudformation';
import {
  BatchGetDeploymentGroupsCommand,
  CodeDeployClient,
  paginateListDeployments,
  StopDeploymentCommand,
  UpdateDeploymentGroupCommand,
} from '@aws-sdk/client-codedeploy';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { artifactsOf, SERVICE, STAGES } from '../template/definitions.ts';
import type { Resource, Template } from '../template/template.ts';
import { checkAccount, checkHasAccount, checkRegion } from './destination.ts';

/** What a rollback needs of the world around it. */
export interface Surroundings {
  print(line: string): void;
  /** Runs `serverless` with these arguments, and returns its exit code. */
  serverless(args: string[]): Promise<number>;
  /** Time between two looks at a stack that is changing. */
  pauseMs: number;
}

/** What a stage runs before and after a rollback: times of deployments, in milliseconds. */
export interface RolledBack {
  from: string;
  to: string;
}

/** The directory of a deployment in the bucket of artifacts, such as `1795630592238-2026-11-25T18:16:32.238Z`. */
const DIRECTORY = /\/(\d{13})-\d{4}-\d\d-\d\dT[\d:.]+Z\//;

const ALL_AT_ONCE = 'CodeDeployDefault.LambdaAllAtOnce';

/** How long a stack may take to go back. */
const SETTLING_MS = 30 * 60_000;

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs in the project's folder, with the output of serverless on this process's. */
const SURROUNDINGS: Surroundings = {
  print: (line) => process.stdout.write(`${line}\n`),
  async serverless(args) {
    const serverless = `${root}node_modules/serverless/bin/serverless.js`;
    const [code] = await once(spawn(process.execPath, [serverless, ...args], { cwd: root, stdio: 'inherit' }), 'close');
    return code ?? 1;
  },
  pauseMs: 5000,
};

/** A stage that is deployed, and the clients of its account and Region. */
interface Deployed {
  stage: string;
  stack: string;
  cloudFormation: CloudFormationClient;
  codeDeploy: CodeDeployClient;
  s3: S3Client;
}

/**
 * Connects to a stage.
 *
 * @throws Error if there is no such stage, or if the credentials are of another account than the stage's.
 */
async function connect(stage: string): Promise<Deployed> {
  const row = STAGES[stage];
  if (!row) throw new Error(`There is no stage "${stage}". Stages: ${Object.keys(STAGES).join(', ')}.`);
  const destination = { stage, account: row.account, region: row.region };
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  checkRegion(destination, { AWS_REGION, AWS_DEFAULT_REGION });
  checkHasAccount(destination);
  const at = { region: row.region as string };
  const { Account } = await new STSClient(at).send(new GetCallerIdentityCommand());
  checkAccount(destination, Account);
  return {
    stage,
    stack: `${SERVICE}-${stage}`,
    cloudFormation: new CloudFormationClient(at),
    codeDeploy: new CodeDeployClient(at),
    s3: new S3Client(at),
  };
}

/** The status of the stack, such as `UPDATE_COMPLETE`. */
async function statusOf({ stack, cloudFormation }: Deployed): Promise<string> {
  const { Stacks = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName: stack }));
  return Stacks[0]?.StackStatus ?? 'unknown';
}

/** The template in use, and the deployment that it is of. */
async function inUse({ stack, cloudFormation }: Deployed): Promise<{ template: Template; deployment: string }> {
  const { TemplateBody = '{}' } = await cloudFormation.send(new GetTemplateCommand({ StackName: stack }));
  const deployment = DIRECTORY.exec(TemplateBody)?.[1];
  if (!deployment) throw new Error(`The stack ${stack} has no functions of a deployment.`);
  return { template: JSON.parse(TemplateBody), deployment };
}

/**
 * Returns the older deployment than `current` that the stage ran last, from the stack's events, which CloudFormation keeps
 * for 90 days ("View stack events", AWS CloudFormation User Guide). The bucket alone does not tell: it also has the
 * artifacts of deployments that failed. What ran last was not rolled back from, unless it is newer than `current`: then it
 * is what the stage was rolled back from to `current`.
 */
async function previousOf({ stack, cloudFormation }: Deployed, current: string): Promise<string | undefined> {
  let succeeded = false;
  // Newest first: the end of each operation comes before its parts.
  for await (const { StackEvents = [] } of paginateDescribeStackEvents(
    { client: cloudFormation },
    { StackName: stack },
  ))
    for (const { StackId, PhysicalResourceId, ResourceStatus = '', ResourceProperties = '' } of StackEvents) {
      if (PhysicalResourceId === StackId && /(COMPLETE|FAILED)$/.test(ResourceStatus))
        succeeded = /^(CREATE|UPDATE)_COMPLETE$/.test(ResourceStatus);
      const deployment = DIRECTORY.exec(ResourceProperties)?.[1];
      if (succeeded && deployment && deployment < current) return deployment;
    }
  return undefined;
}

/** The deployment groups of a template: by name, what it says about how they shift. */
const groupsIn = ({ Resources }: Template): Map<string, { strategy: string; alarms: boolean }> =>
  new Map(
    Object.values(Resources)
      .filter(({ Type }) => Type === 'AWS::CodeDeploy::DeploymentGroup')
      .map(({ Properties }) => [
        Properties.DeploymentGroupName,
        { strategy: Properties.DeploymentConfigName, alarms: Properties.AlarmConfiguration.Enabled },
      ]),
  );

/**
 * Sets how the deployment groups of the stage shift: all at once and whatever fires, or as the template in use says.
 * Changes only groups that differ, so it can be repeated.
 *
 * @returns How many groups were changed.
 */
async function setGroups(deployed: Deployed, how: 'all at once' | 'as deployed'): Promise<number> {
  const { stack: applicationName, codeDeploy } = deployed;
  const groups = groupsIn((await inUse(deployed)).template);
  if (groups.size === 0) return 0;
  let changed = 0;
  // At most 100 per request ("BatchGetDeploymentGroups", CodeDeploy API Reference); a stage has a group per function.
  const { deploymentGroupsInfo = [] } = await codeDeploy.send(
    new BatchGetDeploymentGroupsCommand({ applicationName, deploymentGroupNames: [...groups.keys()] }),
  );
  for (const { deploymentGroupName = '', deploymentConfigName, alarmConfiguration } of deploymentGroupsInfo) {
    const wanted = how === 'all at once' ? { strategy: ALL_AT_ONCE, alarms: false } : groups.get(deploymentGroupName);
    if (!wanted || (deploymentConfigName === wanted.strategy && alarmConfiguration?.enabled === wanted.alarms))
      continue;
    await codeDeploy.send(
      new UpdateDeploymentGroupCommand({
        applicationName,
        currentDeploymentGroupName: deploymentGroupName,
        deploymentConfigName: wanted.strategy,
        alarmConfiguration: { ...alarmConfiguration, enabled: wanted.alarms },
      }),
    );
    changed += 1;
  }
  return changed;
}

/** Waits until the stack does not change any more, and returns its status; after half an hour, whatever it is then. */
async function settled(deployed: Deployed, { pauseMs }: Surroundings): Promise<string> {
  const until = Date.now() + SETTLING_MS;
  let status = await statusOf(deployed);
  while (status.endsWith('_IN_PROGRESS') && Date.now() < until) {
    await sleep(pauseMs);
    status = await statusOf(deployed);
  }
  return status;
}

/** Cancels the deployment that is running, and waits until the stack is what it was before. */
async function cancel(deployed: Deployed, around: Surroundings): Promise<void> {
  const { stack, cloudFormation, codeDeploy } = deployed;
  await cloudFormation.send(new CancelUpdateStackCommand({ StackName: stack }));
  // Otherwise a canary could go on until its end.
  for await (const { deployments = [] } of paginateListDeployments(
    { client: codeDeploy },
    { applicationName: stack, includeOnlyStatuses: ['Created', 'Queued', 'InProgress', 'Ready'] },
  ))
    for (const deploymentId of deployments)
      await codeDeploy
        .send(new StopDeploymentCommand({ deploymentId, autoRollbackEnabled: true }))
        .catch((error: Error) => {
          // It has ended since it was listed.
          if (error.name !== 'DeploymentAlreadyCompletedException') throw error;
        });
  around.print('The running deployment was canceled. Waiting for the stack to go back.');
  const status = await settled(deployed, around);
  if (!/_COMPLETE$/.test(status))
    throw new Error(`The stack ${stack} is ${status}. See "If a rollback fails" in docs/operations.md.`);
}

/** The error of a rollback that failed, once CloudFormation has gone back. */
async function failureOf(deployed: Deployed, to: string, why: string, around: Surroundings): Promise<Error> {
  const status = await settled(deployed, around);
  return new Error(
    `The rollback to ${to} failed (${why}); the stack is ${status} and runs ${(await inUse(deployed)).deployment}. See "If a rollback fails" in docs/operations.md.`,
  );
}

/**
 * Returns a template with every deployment group that is not as in the template in use changed to shift all at once, without
 * alarms. `undefined` if that changes nothing.
 */
function withGroupsAllAtOnce(template: Template, current: Template): Template | undefined {
  const isGroup = ([id, resource]: [string, Resource]): boolean =>
    resource.Type === 'AWS::CodeDeploy::DeploymentGroup' && !isDeepStrictEqual(resource, current.Resources[id]);
  const changed = Object.entries(template.Resources).filter(isGroup);
  if (changed.length === 0) return undefined;
  const allAtOnce = changed.map(([id, { Properties, ...resource }]) => [
    id,
    {
      ...resource,
      Properties: {
        ...Properties,
        DeploymentConfigName: ALL_AT_ONCE,
        AlarmConfiguration: { ...Properties.AlarmConfiguration, Enabled: false },
      },
    },
  ]);
  return { ...template, Resources: { ...template.Resources, ...Object.fromEntries(allAtOnce) } };
}

/**
 * Deploys the template of an earlier deployment, but with deployment groups that shift all at once, if it would change
 * groups: CloudFormation updates them before the aliases, which would then shift by a canary that the alarms stop. The
 * framework's deployment of the template as it is then changes these groups only.
 */
async function deployAllAtOnce(deployed: Deployed, to: string, around: Surroundings): Promise<void> {
  const { stage, stack: StackName, cloudFormation, s3 } = deployed;
  const { StackResourceDetail } = await cloudFormation.send(
    new DescribeStackResourceCommand({ StackName, LogicalResourceId: 'ServerlessDeploymentBucket' }),
  );
  const Bucket = StackResourceDetail?.PhysicalResourceId;
  // Below the deployment's own directory, with which the framework deletes it.
  const directory = `${artifactsOf(stage)}${to}-${new Date(Number(to)).toISOString()}/`;
  const stored = await s3
    .send(new GetObjectCommand({ Bucket, Key: `${directory}compiled-cloudformation-template.json` }))
    .catch((error: Error) => {
      if (error.name !== 'NoSuchKey') throw error;
      throw new Error(`The bucket has no deployment ${to}. It has: npx serverless deploy list --stage ${stage}`);
    });
  const { template: current } = await inUse(deployed);
  const template = withGroupsAllAtOnce(JSON.parse((await stored.Body?.transformToString()) ?? ''), current);
  if (!template || isDeepStrictEqual(template, current)) return;
  const Key = `${directory}all-at-once.json`;
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: JSON.stringify(template) }));
  await cloudFormation.send(
    new UpdateStackCommand({
      StackName,
      TemplateURL: `https://s3.${await s3.config.region()}.amazonaws.com/${Bucket}/${Key}`,
      Capabilities: ['CAPABILITY_NAMED_IAM'],
    }),
  );
  if ((await settled(deployed, around)) !== 'UPDATE_COMPLETE')
    throw await failureOf(deployed, to, 'its first update', around);
}

/**
 * Deploys an earlier version with the framework, which also checks that its artifacts are there. The framework ends at
 * the first failure, while CloudFormation still goes back.
 */
async function deployAgain(deployed: Deployed, to: string, around: Surroundings): Promise<void> {
  await deployAllAtOnce(deployed, to, around);
  const code = await around.serverless(['rollback', '--stage', deployed.stage, '--timestamp', to]);
  if (code !== 0) throw await failureOf(deployed, to, `exit status ${code}`, around);
}

/**
 * Rolls a stage back to the deployment before the one in use, or cancels the one that is running. For that time, all
 * deployment groups shift all at once and ignore alarms: a rollback must take no canary's time, and the alarms fire.
 *
 * @param to The time of another deployment, in milliseconds, instead of the previous one.
 * @throws Error that says what is in use and what to do. The deployment groups shift as before then, too, unless the
 *   error says otherwise.
 */
export async function rollBack(stage: string, to?: string, around: Surroundings = SURROUNDINGS): Promise<RolledBack> {
  const deployed = await connect(stage);
  const status = await statusOf(deployed);
  if (!/^UPDATE_IN_PROGRESS$|^(CREATE|UPDATE|UPDATE_ROLLBACK)_COMPLETE$/.test(status))
    throw new Error(`The stack ${deployed.stack} is ${status}. See "If a rollback fails" in docs/operations.md.`);
  const { deployment: from } = await inUse(deployed);
  if (status === 'UPDATE_ROLLBACK_COMPLETE' && !to)
    throw new Error(
      `The last deployment failed, and stage ${stage} went back to ${from} by itself. To go further back, add --to <timestamp>.`,
    );
  const target = status === 'UPDATE_IN_PROGRESS' ? undefined : (to ?? (await previousOf(deployed, from)));
  if (status !== 'UPDATE_IN_PROGRESS' && !target)
    throw new Error(
      `No deployment before ${from} is known to have succeeded. Choose one: npx serverless deploy list --stage ${stage}, then --to <its timestamp>.`,
    );
  const goBack = async () => {
    await setGroups(deployed, 'all at once');
    await (target ? deployAgain(deployed, target, around) : cancel(deployed, around));
  };
  const failures: string[] = [];
  for (const step of [goBack, () => restoreGroups(stage, around, deployed)])
    await step().catch(({ message }: Error) => failures.push(message));
  if (failures.length > 0) throw new Error(failures.join('\n'));
  const { deployment } = await inUse(deployed);
  around.print(`Stage ${stage} runs the deployment ${deployment} of ${new Date(Number(deployment)).toISOString()}.`);
  return { from, to: deployment };
}

/**
 * Makes the deployment groups of a stage shift as its template says, such as after a rollback that was killed.
 *
 * @throws Error with the command that repeats it.
 */
export async function restoreGroups(
  stage: string,
  { print }: Surroundings = SURROUNDINGS,
  deployed?: Deployed,
): Promise<void> {
  try {
    const changed = await setGroups(deployed ?? (await connect(stage)), 'as deployed');
    print(`${changed} deployment groups were set back to shift as deployed.`);
  } catch (error) {
    throw new Error(
      `Deployment groups of stage ${stage} still shift all at once and ignore alarms (${(error as Error).message}). Run: npm run rollback -- --stage ${stage} --restore-groups`,
    );
  }
}
