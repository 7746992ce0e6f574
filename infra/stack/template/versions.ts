import { createHash } from 'node:crypto';
import { availabilityAlarmOf } from './alarms.ts';
import { GRADUAL, LIVE, logicalId, STAGE_NAME } from './definitions.ts';
import { arn, assumedBy, policy, sub } from './iam.ts';
import type { Parameters } from './parameters.ts';
import { type Resource, resourceOf, type Template } from './template.ts';

/**
 * Properties of a function that are not part of its versions, or that only say where the zip is. All others are: Lambda
 * publishes their values with a version ("Manage Lambda function versions", AWS Lambda Developer Guide).
 */
const UNVERSIONED = ['Code', 'Description', 'ReservedConcurrentExecutions', 'Tags'];

/** A digest of a function's code and of its whole configuration. */
function digestOf({ Properties }: Resource, zip: Uint8Array): string {
  const code = createHash('sha256').update(zip).digest('hex');
  const configuration = Object.entries(Properties).filter(([name]) => !UNVERSIONED.includes(name));
  return createHash('sha256')
    .update(JSON.stringify([code, configuration]))
    .digest('hex')
    .slice(0, 24);
}

/**
 * Adds a version of each gradual function, which its alias then names.
 *
 * @param zipOf Returns the zip of a function. serverless-esbuild writes the same zip for the same bundle.
 */
export function addVersions(template: Template, zipOf: (name: string) => Uint8Array): void {
  for (const name of GRADUAL.filter((each) => logicalId(each, 'LiveAlias') in template.Resources)) {
    const lambda = resourceOf(template, logicalId(name, 'LambdaFunction'));
    const digest = digestOf(lambda, zipOf(name));
    // Lambda publishes no version of a function that has not changed since the last one, and CloudFormation then fails.
    // With the digest in its description, a function has changed whenever the version's logical id has.
    lambda.Properties.Description = `Version ${digest}`;
    const version = `${logicalId(name, 'Version')}${digest}`;
    template.Resources[version] = {
      Type: 'AWS::Lambda::Version',
      // A version that was in use stays, because requests may still run on it. One of a deployment that failed goes, so
      // that the next attempt can publish it again.
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: { FunctionName: { Ref: logicalId(name, 'LambdaFunction') } },
    };
    const { Properties } = resourceOf(template, logicalId(name, 'LiveAlias'));
    Properties.FunctionVersion = { 'Fn::GetAtt': [version, 'Version'] };
  }
}

const APPLICATION = 'Deployments';
const ROLE = 'DeploymentRole';

/**
 * The actions of AWSCodeDeployRoleForLambdaLimited (AWS Managed Policy Reference Guide) without hooks and without S3, which
 * holds no AppSpec of ours. CloudWatch's has no resource level.
 */
const STATEMENTS = [
  {
    Effect: 'Allow',
    Action: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
    Resource: sub(arn('lambda', `function:${STAGE_NAME}-*`)),
  },
  { Effect: 'Allow', Action: ['cloudwatch:DescribeAlarms'], Resource: '*' },
];

/** The part of the template with which CodeDeploy shifts the alias of each gradual function to a new version. */
export const deployments = (parameters: Parameters) => ({
  Resources: {
    [APPLICATION]: {
      Type: 'AWS::CodeDeploy::Application',
      Properties: { ApplicationName: STAGE_NAME, ComputePlatform: 'Lambda' },
    },
    [ROLE]: {
      Type: 'AWS::IAM::Role',
      Properties: {
        AssumeRolePolicyDocument: assumedBy('codedeploy'),
        Policies: [{ PolicyName: 'deployments', PolicyDocument: policy(...STATEMENTS) }],
      },
    },
    ...Object.fromEntries(
      GRADUAL.flatMap((name) => [
        [logicalId(name, 'LiveAlias'), aliasOf(name, parameters)],
        [logicalId(name, 'DeploymentGroup'), groupOf(name, parameters)],
      ]),
    ),
  },
});

/** The alias of a function. {@link addVersions} adds which version it names. */
function aliasOf(name: string, { memberCheckInstances }: Parameters) {
  // A customer is waiting at the till, so its instances are kept warm.
  const warm = name === 'memberCheck' ? memberCheckInstances : 0;
  return {
    Type: 'AWS::Lambda::Alias',
    // Its references also order the group's update, with its alarms, before the alias's.
    UpdatePolicy: {
      CodeDeployLambdaAliasUpdate: {
        ApplicationName: { Ref: APPLICATION },
        DeploymentGroupName: { Ref: logicalId(name, 'DeploymentGroup') },
      },
    },
    Properties: {
      FunctionName: { Ref: logicalId(name, 'LambdaFunction') },
      Name: LIVE,
      ...(warm > 0 && { ProvisionedConcurrencyConfig: { ProvisionedConcurrentExecutions: warm } }),
    },
  };
}

/**
 * The deployment group of a function. Each function has its own, because a group runs one deployment at a time
 * ("CodeDeploy quotas", AWS CodeDeploy User Guide).
 *
 * A deployment stops and goes back while one of its alarms fires. All at once there is no time in which an alarm could
 * tell the new version from the old one: it would only stop the deployment that mends what it fires for. So they are off.
 */
const groupOf = (name: string, { deployment }: Parameters) => ({
  Type: 'AWS::CodeDeploy::DeploymentGroup',
  Properties: {
    ApplicationName: { Ref: APPLICATION },
    DeploymentGroupName: name,
    ServiceRoleArn: { 'Fn::GetAtt': [ROLE, 'Arn'] },
    DeploymentConfigName: `CodeDeployDefault.Lambda${deployment}`,
    DeploymentStyle: { DeploymentType: 'BLUE_GREEN', DeploymentOption: 'WITH_TRAFFIC_CONTROL' },
    AlarmConfiguration: {
      Enabled: deployment !== 'AllAtOnce',
      Alarms: [availabilityAlarmOf(name), 'SelfCheckAlarm'].map((Ref) => ({ Name: { Ref } })),
    },
    AutoRollbackConfiguration: {
      Enabled: true,
      Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM', 'DEPLOYMENT_STOP_ON_REQUEST'],
    },
  },
});
