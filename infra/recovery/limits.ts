import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ceilings, readCeilings } from '../template/ceilings.ts';
import { functionsOf, STAGES } from '../template/definitions.ts';
import { hasIssuer, readSignIn } from '../template/signIn.ts';
import type { Limits } from './cloud.ts';

const { default: defaults } = parse(readFileSync(new URL('../../serverless.yml', import.meta.url), 'utf8')).params;

/**
 * The limits that the deployment of a stage gives its routes.
 *
 * @param stage A stage of serverless.yml.
 */
export async function limitsOf(stage: string): Promise<Limits> {
  const parameters: Record<string, unknown> = { ...defaults, ...STAGES[stage] };
  const param = async (name: string) => parameters[name];
  const functions = functionsOf(hasIssuer(await readSignIn(param)));
  const { extensions } = ceilings(await readCeilings(param), stage, functions);
  return {
    DefaultRouteSettings: {
      DetailedMetricsEnabled: false,
      ThrottlingRateLimit: Number(parameters['throttleRate']),
      ThrottlingBurstLimit: Number(parameters['throttleBurst']),
    },
    RouteSettings: extensions.HttpApiStage.Properties.RouteSettings,
  };
}
