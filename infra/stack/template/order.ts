import type { Resource, Template } from './template.ts';

/*
 * In which order CloudFormation creates and changes resources, where references do not say it.
 */

const dependOn = (resource: Resource, ...ids: string[]): void => {
  resource.DependsOn = [resource.DependsOn ?? [], ids].flat(2);
};

/** Makes the API's stage depend on the routes in its settings: API Gateway rejects settings of an unknown route. */
export function orderRouteSettings({ Resources }: Template): void {
  const { HttpApiStage } = Resources;
  for (const [id, { Type, Properties }] of Object.entries(Resources))
    if (
      HttpApiStage &&
      Type === 'AWS::ApiGatewayV2::Route' &&
      Properties.RouteKey in HttpApiStage.Properties.RouteSettings
    )
      dependOn(HttpApiStage, id);
}

/**
 * Makes each integration depend on the permission to invoke its function or alias. Otherwise API Gateway may invoke it before
 * it is allowed to, and respond with 500, while a function becomes gradual, or no longer is.
 */
export function orderPermissions({ Resources }: Template): void {
  for (const [id, resource] of Object.entries(Resources))
    if (resource.Type === 'AWS::ApiGatewayV2::Integration')
      dependOn(resource, `${id.replace('HttpApiIntegration', '')}LambdaPermissionHttpApi`);
}
