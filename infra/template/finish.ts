import { referencesIn, type Template } from './template.ts';

/** The part of serverless that is used here. */
interface Serverless {
  service: {
    provider: { compiledCloudFormationTemplate: Template; stackTags: Record<string, string> };
  };
}

/** A dashboard takes tags in some regions only, and refuses them in others, such as us-east-1. */
const UNTAGGED = 'AWS::CloudWatch::Dashboard';

/**
 * Tags each resource that takes tags in every region. The tags are the stack's, of which CloudFormation says that "propagation to
 * resources varies by resource type" ("CloudFormation resource tagging"); costs are allocated by them.
 */
async function tag({ Resources }: Template, tags: Record<string, string>): Promise<void> {
  const { loadAwsServiceSpec } = await import('@aws-cdk/aws-service-spec');
  const spec = await loadAwsServiceSpec();
  const list = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  for (const { Type, Properties } of Object.values(Resources)) {
    const known = spec.lookup('resource', 'cloudFormationType', 'equals', Type)[0];
    const property = ['Tags', 'ResourceTags'].find((name) => known && name in known.properties);
    if (property && Type !== UNTAGGED) Properties[property] = known?.tagInformation?.variant === 'map' ? tags : list;
  }
}

/** Removes dependencies that a reference implies already; serverless writes many. cfn-lint calls them W3005. */
function removeImpliedDependencies({ Resources }: Template): void {
  for (const resource of Object.values(Resources)) {
    const referred = referencesIn(resource.Properties).map(([id]) => id);
    const others = [resource.DependsOn ?? []].flat().filter((id) => !referred.includes(id));
    if (others.length > 0) resource.DependsOn = others;
    else delete resource.DependsOn;
  }
}

/** Has the API's stage wait for the routes that its settings name: API Gateway refuses settings of an unknown route. */
function orderRouteSettings({ Resources }: Template): void {
  for (const resource of Object.values(Resources)) {
    const { RouteSettings = {} } = resource.Properties ?? {};
    const routes = Object.entries(Resources).filter(
      ([, { Type, Properties }]) => Type === 'AWS::ApiGatewayV2::Route' && Properties.RouteKey in RouteSettings,
    );
    if (routes.length > 0) resource.DependsOn = [resource.DependsOn ?? [], routes.map(([id]) => id)].flat(2);
  }
}

/** A plugin of serverless: completes the template when all of its parts are merged. */
export default class Finish {
  readonly hooks: Record<string, () => Promise<void>>;

  constructor({ service: { provider } }: Serverless) {
    this.hooks = {
      'after:aws:package:finalize:mergeCustomProviderResources': async () => {
        const template = provider.compiledCloudFormationTemplate;
        await tag(template, provider.stackTags);
        removeImpliedDependencies(template);
        orderRouteSettings(template);
      },
    };
  }
}
