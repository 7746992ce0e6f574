import type { Template } from './template.ts';

/** Names of the property with the tags of a resource. */
const PROPERTIES = ['Tags', 'ResourceTags', 'UserPoolTags', 'BackupVaultTags', 'BackupPlanTags'];

/** Dashboards accept tags only in some Regions, which do not include us-east-1. */
const UNTAGGED = 'AWS::CloudWatch::Dashboard';

/**
 * Tags each resource whose type accepts tags in every Region, so that costs can be allocated. CloudFormation itself
 * does not propagate the stack's tags to all resources: "propagation to resources varies by resource type"
 * ("CloudFormation resource tagging").
 */
export async function tagResources({ Resources }: Template, tags: Record<string, string>): Promise<void> {
  const { loadAwsServiceSpec } = await import('@aws-cdk/aws-service-spec');
  const spec = await loadAwsServiceSpec();
  const list = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  for (const { Type, Properties } of Object.values(Resources)) {
    const known = spec.lookup('resource', 'cloudFormationType', 'equals', Type)[0];
    const property = PROPERTIES.find((name) => known && name in known.properties);
    if (property && Type !== UNTAGGED) Properties[property] = known?.tagInformation?.variant === 'map' ? tags : list;
  }
}
