import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { boundaryOf, executionRoleOf, nameOf } from '../../operate/policies/policies.ts';
import { functionsOf, GRADUAL, LIVE, logicalId } from './definitions.ts';
import { referencesIn, type Template } from './template.ts';
import { addVersions } from './versions.ts';

/** The part of the serverless API that this plugin uses. */
interface Serverless {
  configSchemaHandler: { defineFunctionProperties: (provider: string, schema: object) => void };
  serviceDir: string;
  service: {
    /** The last two only of the API's stack. */
    custom: { account: string; hasIssuer?: boolean; deployment?: string };
    functions: Record<string, FunctionConfiguration>;
    provider: {
      stage: string;
      iam?: { deploymentRole: string };
      compiledCloudFormationTemplate: Template;
      stackTags: Record<string, string>;
    };
  };
}

/** The part of a function's configuration that this plugin reads or sets. */
interface FunctionConfiguration {
  role?: string;
  /** To which the framework points the function's triggers. */
  targetAlias?: { name: string; logicalId: string };
  warmInstances?: number | string;
  package: { artifact: string };
}

/** Dashboards accept tags only in some Regions, which do not include us-east-1. */
const UNTAGGED = 'AWS::CloudWatch::Dashboard';

/**
 * Tags each resource whose type accepts tags in every Region, so that costs can be allocated. CloudFormation itself
 * does not propagate the stack's tags to all resources: "propagation to resources varies by resource type"
 * ("CloudFormation resource tagging").
 */
async function tag({ Resources }: Template, tags: Record<string, string>): Promise<void> {
  const { loadAwsServiceSpec } = await import('@aws-cdk/aws-service-spec');
  const spec = await loadAwsServiceSpec();
  const list = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  for (const { Type, Properties } of Object.values(Resources)) {
    const known = spec.lookup('resource', 'cloudFormationType', 'equals', Type)[0];
    const property = ['Tags', 'ResourceTags', 'UserPoolTags', 'BackupVaultTags', 'BackupPlanTags'].find(
      (name) => known && name in known.properties,
    );
    if (property && Type !== UNTAGGED) Properties[property] = known?.tagInformation?.variant === 'map' ? tags : list;
  }
}

/**
 * Takes the export of each output away: nothing imports them, and the framework gives those of a stage's two stacks the same names,
 * which CloudFormation refuses ("Outputs": an export name must be unique within a Region of an account).
 */
function removeExports({ Outputs }: Template): void {
  for (const output of Object.values(Outputs)) delete output.Export;
}

/** Removes the dependencies that references already imply (cfn-lint W3005). serverless generates many. */
function removeImpliedDependencies({ Resources }: Template): void {
  for (const resource of Object.values(Resources)) {
    const referred = referencesIn(resource.Properties).map(([id]) => id);
    const others = [resource.DependsOn ?? []].flat().filter((id) => !referred.includes(id));
    if (others.length > 0) resource.DependsOn = others;
    else delete resource.DependsOn;
  }
}

/** Makes the API's stage depend on the routes in its settings: API Gateway rejects settings of an unknown route. */
function orderRouteSettings({ Resources }: Template): void {
  for (const resource of Object.values(Resources)) {
    const { RouteSettings = {} } = resource.Properties ?? {};
    const routes = Object.entries(Resources).filter(
      ([, { Type, Properties }]) => Type === 'AWS::ApiGatewayV2::Route' && Properties.RouteKey in RouteSettings,
    );
    if (routes.length > 0) resource.DependsOn = [resource.DependsOn ?? [], routes.map(([id]) => id)].flat(2);
  }
}

/**
 * Gives each role the stage's name as its path, so that IAM can name the stage's roles, and the boundary of the stage, beyond
 * which no template can lift a role (infra/operate/policies/). A role with a name of its own has policies of AWS only.
 */
function confineRoles({ Resources }: Template, stage: string): void {
  for (const { Type, Properties } of Object.values(Resources))
    if (Type === 'AWS::IAM::Role' && !Properties.RoleName)
      Object.assign(Properties, {
        Path: `/${nameOf(stage)}/`,
        PermissionsBoundary: {
          'Fn::Sub': `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:policy/${boundaryOf(stage)}`,
        },
      });
}

/**
 * Makes each integration depend on the permission to invoke its function or alias. Otherwise API Gateway may invoke it before
 * it is allowed to, and respond with 500, while a function becomes gradual, or no longer is.
 */
function orderPermissions({ Resources }: Template): void {
  for (const [id, resource] of Object.entries(Resources))
    if (resource.Type === 'AWS::ApiGatewayV2::Integration') {
      const permission = `${id.replace('HttpApiIntegration', '')}LambdaPermissionHttpApi`;
      resource.DependsOn = [resource.DependsOn ?? [], permission].flat();
    }
}

/** A value of each gradual function. */
const ofGradual = <T>(
  functions: Record<string, FunctionConfiguration>,
  read: (definition: FunctionConfiguration) => T,
): Record<string, T> =>
  Object.fromEntries(
    Object.entries(functions)
      .filter(([name]) => GRADUAL.includes(name))
      .map(([name, definition]) => [name, read(definition)]),
  );

/**
 * A serverless plugin that removes the functions that a stage does not have, gives each other one the role made of its
 * `access`, and gradual ones an alias, and completes the template after all parts have been merged. It serves both stacks.
 */
export default class Finish {
  readonly hooks: Record<string, () => Promise<void>>;

  constructor({ configSchemaHandler, service, serviceDir }: Serverless) {
    configSchemaHandler.defineFunctionProperties('aws', {
      properties: { access: { type: 'object' }, gradual: { const: true }, warmInstances: {} },
      required: ['access'],
    });
    this.hooks = {
      // Earlier, the stage's parameters are not resolved.
      initialize: async () => {
        const { functions, custom, provider } = service;
        const ofStage = functionsOf(custom.hasIssuer ?? false);
        for (const name of Object.keys(functions)) if (!ofStage.includes(name)) delete functions[name];
        // Whoever deploys, CloudFormation acts with this role, for good ("CloudFormation service role").
        if (custom.account)
          provider.iam = { deploymentRole: `arn:aws:iam::${custom.account}:role/${executionRoleOf(provider.stage)}` };
        for (const [name, definition] of Object.entries(functions)) {
          definition.role = logicalId(name, 'Role');
          if (GRADUAL.includes(name)) definition.targetAlias = { name: LIVE, logicalId: logicalId(name, 'LiveAlias') };
        }
      },
      'after:aws:package:finalize:mergeCustomProviderResources': async () => {
        const { provider, functions, custom } = service;
        const template = provider.compiledCloudFormationTemplate;
        if (custom.deployment !== undefined)
          addVersions(template, {
            strategy: custom.deployment,
            // serverless-esbuild writes the same zip for the same bundle.
            digests: ofGradual(functions, ({ package: { artifact } }) =>
              createHash('sha256')
                .update(readFileSync(resolve(serviceDir, artifact)))
                .digest('hex'),
            ),
            warmInstances: ofGradual(functions, ({ warmInstances = 0 }) => Number(warmInstances)),
          });
        removeExports(template);
        confineRoles(template, provider.stage);
        await tag(template, provider.stackTags);
        removeImpliedDependencies(template);
        orderRouteSettings(template);
        orderPermissions(template);
      },
    };
  }
}
