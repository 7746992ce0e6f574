import { readFileSync } from 'node:fs';
import type { AttributeDefinition, GlobalSecondaryIndex, TableDescription } from '@aws-sdk/client-dynamodb';
import { parse } from 'yaml';
import { ceilings } from '../../stack/template/ceilings.ts';
import { functionsOf, parameterOf, SERVICE } from '../../stack/template/definitions.ts';
import { hasIssuer, parametersOf } from '../../stack/template/parameters.ts';
import { table } from '../../stack/template/table.ts';

/*
 * What the parameters of a stage make of its routes and its table, by the code that makes the templates.
 */

/** Limits of the API's routes, as API Gateway and CloudFormation have them. */
export interface Limits {
  DefaultRouteSettings: RouteLimit & { DetailedMetricsEnabled?: boolean };
  RouteSettings: Record<string, RouteLimit>;
}

interface RouteLimit {
  ThrottlingRateLimit: number;
  ThrottlingBurstLimit: number;
}

/** The limits that the deployment of a stage gives its routes. */
export async function limitsOf(stage: string): Promise<Limits> {
  const parameters = await parametersOf(stage);
  const { extensions } = ceilings(parameters, stage, functionsOf(hasIssuer(parameters)));
  return {
    DefaultRouteSettings: {
      DetailedMetricsEnabled: false,
      ThrottlingRateLimit: parameters.throttleRate,
      ThrottlingBurstLimit: parameters.throttleBurst,
    },
    RouteSettings: extensions.HttpApiStage.Properties.RouteSettings,
  };
}

/** What infra/stack/table.yml and a stage say of its table, as CloudFormation has it. */
export interface TableSettings extends Pick<TableDescription, 'OnDemandThroughput'> {
  AttributeDefinitions: AttributeDefinition[];
  DeletionProtectionEnabled: boolean;
  PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: boolean };
  TimeToLiveSpecification: { AttributeName: string; Enabled: boolean };
  SSESpecification: { KMSMasterKeyId?: string };
  StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' };
  WarmThroughput?: Record<string, number>;
  GlobalSecondaryIndexes: GlobalSecondaryIndex[];
  Tags: { Key: string; Value: string }[];
}

export async function tableSettingsOf(stage: string): Promise<TableSettings> {
  const text = readFileSync(new URL('../../stack/table.yml', import.meta.url), 'utf8').replace(
    /\$\{param:(\w+)\}/g,
    (_, name: string) => JSON.stringify(parameterOf(stage, name)),
  );
  return {
    ...parse(text).Resources.Table.Properties,
    ...table(await parametersOf(stage)).extensions?.Table.Properties,
    Tags: Object.entries({ service: SERVICE, stage }).map(([Key, Value]) => ({ Key, Value })),
  };
}
