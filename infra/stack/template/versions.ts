import { createHash } from 'node:crypto';
import { availabilityAlarmOf } from './alarms.ts';
import { GRADUAL, LIVE, type LogicalKind, logicalId, STAGE_NAME } from './definitions.ts';
import { type Resource, resourceOf, type Template } from './template.ts';

/** How CodeDeploy shifts the calls of an alias to a new version: the parameter `deployment` of a stage. */
export interface Deployment {
  /** A predefined configuration of CodeDeploy for Lambda, without the prefix `CodeDeployDefault.Lambda`. */
  strategy: string;
  /** By function: a digest of its zip's content. */
  digests: Record<string, string>;
  /** By function: how many instances are always warm. */
  warmInstances: Record<string, number>;
}

/**
 * The predefined configurations for Lambda ("Working with deployment configurations in CodeDeploy",
 * https://docs.aws.amazon.com/codedeploy/latest/userguide/deployment-configurations.html).
 */
const STRATEGY = /^(AllAtOnce|Canary10Percent(5|10|15|30)Minutes|Linear10PercentEvery(1Minute|[23]Minutes|10Minutes))$/;

/**
 * Properties of a function that are not part of its versions, or that only say where the zip is. All others are: Lambda
 * publishes their values with a version ("Manage Lambda function versions", AWS Lambda Developer Guide).
 */
const UNVERSIONED = ['Code', 'Description', 'ReservedConcurrentExecutions', 'Tags'];

/** A digest of a function's code and of its whole configuration. */
function digestOf({ Properties }: Resource, zip: string): string {
  const configuration = Object.entries(Properties).filter(([name]) => !UNVERSIONED.includes(name));
  return createHash('sha256')
    .update(JSON.stringify([zip, configuration]))
    .digest('hex')
    .slice(0, 24);
}

const APPLICATION = 'Deployments';
const ROLE = 'DeploymentRole';

/**
 * What the deployments of gradual functions share: an application of CodeDeploy, and the role with which it shifts aliases.
 * The actions are those of AWSCodeDeployRoleForLambdaLimited (AWS Managed Policy Reference Guide) without hooks and
 * without S3, which holds no AppSpec of ours. CloudWatch's has no resource level.
 */
export const deployments = {
  Resources: {
    [APPLICATION]: {
      Type: 'AWS::CodeDeploy::Application',
      Properties: { ApplicationName: STAGE_NAME, ComputePlatform: 'Lambda' },
    },
    [ROLE]: {
      Type: 'AWS::IAM::Role',
      Properties: {
        AssumeRolePolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            { Effect: 'Allow', Principal: { Service: 'codedeploy.amazonaws.com' }, Action: 'sts:AssumeRole' },
          ],
        },
        Policies: [
          {
            PolicyName: 'deployments',
            PolicyDocument: {
              Version: '2012-10-17',
              Statement: [
                {
                  Effect: 'Allow',
                  Action: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
                  Resource: {
                    'Fn::Sub': `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:${STAGE_NAME}-*`,
                  },
                },
                { Effect: 'Allow', Action: ['cloudwatch:DescribeAlarms'], Resource: '*' },
              ],
            },
          },
        ],
      },
    },
  },
};

/**
 * Adds a version and the alias {@link LIVE} to each gradual function, and lets CodeDeploy shift the alias to a new version.
 *
 * @throws Error if the strategy is not one of CodeDeploy's.
 */
export function addVersions(template: Template, deployment: Deployment): void {
  const { strategy, digests, warmInstances } = deployment;
  if (!STRATEGY.test(strategy))
    throw new Error(
      `The parameter deployment must be AllAtOnce or a configuration such as Canary10Percent10Minutes, not "${strategy}".`,
    );
  for (const name of GRADUAL) {
    const lambda = resourceOf(template, logicalId(name, 'LambdaFunction'));
    const digest = digestOf(lambda, digests[name] as string);
    const warm = warmInstances[name] ?? 0;
    // Lambda publishes no version of a function that has not changed since the last one, and CloudFormation then fails.
    // With the digest in its description, a function has changed whenever the version's logical id has.
    lambda.Properties.Description = `Version ${digest}`;
    const version = `${logicalId(name, 'Version')}${digest}`;
    const id = (kind: LogicalKind) => logicalId(name, kind);
    const FunctionName = { Ref: id('LambdaFunction') };
    template.Resources[version] = {
      Type: 'AWS::Lambda::Version',
      // A version that was in use stays, because requests may still run on it. One of a deployment that failed goes, so
      // that the next attempt can publish it again.
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: { FunctionName },
    };
    template.Resources[id('LiveAlias')] = {
      Type: 'AWS::Lambda::Alias',
      // Its references also order the group's update, with its alarms, before the alias's.
      UpdatePolicy: {
        CodeDeployLambdaAliasUpdate: {
          ApplicationName: { Ref: APPLICATION },
          DeploymentGroupName: { Ref: id('DeploymentGroup') },
        },
      },
      Properties: {
        FunctionName,
        FunctionVersion: { 'Fn::GetAtt': [version, 'Version'] },
        Name: LIVE,
        ...(warm > 0 && { ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: warm } }),
      },
    };
    template.Resources[id('DeploymentGroup')] = groupOf(name, strategy);
  }
}

/**
 * The deployment group of a function. Each function has its own, because a group runs one deployment at a time
 * ("CodeDeploy quotas", AWS CodeDeploy User Guide).
 *
 * A deployment stops and goes back while one of its alarms fires. All at once there is no time in which an alarm could
 * tell the new version from the old one: it would only stop the deployment that mends what it fires for. So they are off.
 */
function groupOf(name: string, strategy: string): Resource {
  const alarms = [availabilityAlarmOf(name), 'SelfCheckAlarm'];
  return {
    Type: 'AWS::CodeDeploy::DeploymentGroup',
    Properties: {
      ApplicationName: { Ref: APPLICATION },
      DeploymentGroupName: name,
      ServiceRoleArn: { 'Fn::GetAtt': [ROLE, 'Arn'] },
      DeploymentConfigName: `CodeDeployDefault.Lambda${strategy}`,
      DeploymentStyle: { DeploymentType: 'BLUE_GREEN', DeploymentOption: 'WITH_TRAFFIC_CONTROL' },
      AlarmConfiguration: { Enabled: strategy !== 'AllAtOnce', Alarms: alarms.map((Ref) => ({ Name: { Ref } })) },
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM', 'DEPLOYMENT_STOP_ON_REQUEST'],
      },
    },
  };
}
