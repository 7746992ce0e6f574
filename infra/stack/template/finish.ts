import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { orderPermissions, orderRouteSettings } from './order.ts';
import { confineRoles } from './roles.ts';
import type { Template } from './template.ts';
import { addVersions } from './versions.ts';

/** The part of the serverless API that this plugin uses. */
interface Serverless {
  configSchemaHandler: { defineFunctionProperties: (provider: string, schema: object) => void };
  serviceDir: string;
  service: {
    functions: Record<string, { package: { artifact: string } }>;
    provider: { stage: string; compiledCloudFormationTemplate: Template };
  };
}

/** A serverless plugin that completes the template of a stack once serverless has merged all parts of it. */
export default class Finish {
  readonly hooks: Record<string, () => Promise<void>>;

  constructor({ configSchemaHandler, service, serviceDir }: Serverless) {
    // The framework points the triggers of a function to its `targetAlias`, and leaves it out of its schema.
    configSchemaHandler.defineFunctionProperties('aws', { properties: { targetAlias: { type: 'object' } } });
    this.hooks = {
      'after:aws:package:finalize:mergeCustomProviderResources': async () => {
        const { functions, provider } = service;
        const template = provider.compiledCloudFormationTemplate;
        addVersions(template, (name) => readFileSync(resolve(serviceDir, functions[name]?.package.artifact ?? '')));
        confineRoles(template, provider.stage);
        removeExports(template);
        orderRouteSettings(template);
        orderPermissions(template);
      },
    };
  }
}

/**
 * Takes the export of each output away: nothing imports them, and the framework gives those of a stage's two stacks the same names,
 * which CloudFormation refuses ("Outputs": an export name must be unique within a Region of an account).
 */
function removeExports({ Outputs }: Template): void {
  for (const output of Object.values(Outputs)) delete output.Export;
}
