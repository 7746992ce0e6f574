import { loadAwsServiceSpec } from '@aws-cdk/aws-service-spec';
import { type Resource, referencesIn, type Template } from '../../infra/template/template.ts';

/*
 * The specification of CloudFormation's resources and CloudWatch's metrics that AWS publishes, as packed by a registry
 * package. It allows checking a template before it is deployed.
 */

const spec = await loadAwsServiceSpec();

const resourceSpec = (type: string) => spec.lookup('resource', 'cloudFormationType', 'equals', type)[0];
type Property = NonNullable<ReturnType<typeof resourceSpec>>['properties'][string];
type PropertyType = Property['type'];

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Whether a value is `Ref` or a function such as `Fn::Sub`, which CloudFormation replaces. */
const isIntrinsic = (value: unknown): boolean =>
  isObject(value) && Object.keys(value).length === 1 && /^(Ref|Fn::\w+)$/.test(Object.keys(value)[0] as string);

/** The errors of properties: unknown, missing, or of another type. */
const propertyErrors = (known: Record<string, Property>, properties: object, path: string): string[] => [
  ...Object.entries(known)
    .filter(([name, { required }]) => required && !(name in properties))
    .map(([name]) => `${path}.${name} is missing`),
  ...Object.entries(properties).flatMap(([name, value]) =>
    known[name] ? typeErrors(known[name].type, value, `${path}.${name}`) : [`${path}.${name} is unknown`],
  ),
];

function typeErrors(type: PropertyType, value: unknown, path: string): string[] {
  if (isIntrinsic(value)) return [];
  const expect = (holds: boolean): string[] => (holds ? [] : [`${path} is not a ${type.type}`]);
  switch (type.type) {
    case 'array':
      return Array.isArray(value)
        ? value.flatMap((each, at) => typeErrors(type.element, each, `${path}.${at}`))
        : expect(false);
    case 'map':
      return isObject(value)
        ? Object.entries(value).flatMap(([name, each]) => typeErrors(type.element, each, `${path}.${name}`))
        : expect(false);
    case 'ref':
      return isObject(value)
        ? propertyErrors(spec.get('typeDefinition', type.reference.$ref).properties, value, path)
        : expect(false);
    case 'union': {
      const errors = type.types.map((each) => typeErrors(each, value, path));
      return errors.some((each) => each.length === 0) ? [] : errors.flat();
    }
    case 'string':
      return type.allowedValues && !type.allowedValues.includes(value as string)
        ? [`${path} is not one of ${type.allowedValues}`]
        : expect(typeof value === 'string');
    case 'integer':
      return expect(Number.isInteger(value));
    case 'number':
      return expect(typeof value === 'number');
    case 'boolean':
      return expect(typeof value === 'boolean');
    default:
      return expect(type.type !== 'json' || isObject(value));
  }
}

/** The errors for which CloudFormation would reject a template: by type, by property, by reference. */
export function templateErrors({ Resources, Outputs }: Template): string[] {
  return [
    ...Object.entries(Resources).flatMap(([id, { Type, Properties = {} }]) => {
      const known = resourceSpec(Type);
      return known ? propertyErrors(known.properties, Properties, id) : [`${id} is of the unknown type ${Type}`];
    }),
    ...referencesIn({ Resources, Outputs }).flatMap(([id, attribute]) => {
      if (id.startsWith('AWS::')) return [];
      const known = Resources[id] && resourceSpec(Resources[id].Type);
      if (!known) return [`${id} does not exist`];
      return attribute === 'Ref' || attribute in known.attributes ? [] : [`${id} has no attribute ${attribute}`];
    }),
  ];
}

/** The tags of a resource by key, `{}` if it has none; `undefined` if its type does not accept tags in every region. */
export function tagsOf({ Type, Properties }: Resource): Record<string, string> | undefined {
  // AWS's data ignores regions and says that it takes tags, but us-east-1 rejects them.
  if (Type === 'AWS::CloudWatch::Dashboard') return undefined;
  const known = resourceSpec(Type);
  if (known?.tagInformation?.variant === 'map') return Properties.Tags ?? {};
  // Budgets has another name for tags, and AWS's data about tags omits it.
  const list = known?.tagInformation ? Properties.Tags : Properties.ResourceTags;
  if (!known?.tagInformation && !known?.properties['ResourceTags']) return undefined;
  return Object.fromEntries((list ?? []).map(({ Key, Value }: Record<string, string>) => [Key, Value]));
}

/** Whether AWS publishes a metric of this name with exactly these dimensions. */
export const isAwsMetric = (namespace: string, name: string, dimensions: string[]): boolean =>
  [...spec.lookup('metric', 'namespace', 'equals', namespace)]
    .filter((metric) => metric.name === name)
    .flatMap((metric) => spec.follow('usesDimensionSet', metric))
    .some(({ entity }) => `${entity.dimensions.map((each) => each.name).sort()}` === `${dimensions.toSorted()}`);
