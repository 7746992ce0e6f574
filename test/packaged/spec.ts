import { loadAwsServiceSpec } from '@aws-cdk/aws-service-spec';
import type { Template } from '../../infra/stack/template/template.ts';

/*
 * The specification of CloudFormation's resources and CloudWatch's metrics that AWS publishes, as packed by a registry
 * package. It allows checking a template before it is deployed.
 */

const spec = await loadAwsServiceSpec();

const resourceSpec = (type: string) => spec.lookup('resource', 'cloudFormationType', 'equals', type)[0];
type Property = NonNullable<ReturnType<typeof resourceSpec>>['properties'][string];
type PropertyType = Property['type'];

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Lists the references in a value as `[id, attribute]`. For `Ref`, the attribute is `Ref`. */
export function referencesIn(value: unknown): [string, string][] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, argument]): [string, string][] => {
    if (name === 'Ref') return [[argument as string, 'Ref']];
    if (name === 'Fn::GetAtt') return [argument as [string, string]];
    if (name !== 'Fn::Sub') return referencesIn(argument);
    return [...(argument as string).matchAll(/\$\{([\w:]+)(?:\.([\w.]+))?\}/g)].map(
      ([, id = '', attribute = 'Ref']) => [id, attribute],
    );
  });
}

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

const IS: Partial<Record<PropertyType['type'], (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  json: isObject,
  array: Array.isArray,
  map: isObject,
  ref: isObject,
};

function typeErrors(type: PropertyType, value: unknown, path: string): string[] {
  if (isIntrinsic(value)) return [];
  if (IS[type.type]?.(value) === false) return [`${path} is not a ${type.type}`];
  if (type.type === 'array' || type.type === 'map')
    return Object.entries(value as object).flatMap(([name, each]) => typeErrors(type.element, each, `${path}.${name}`));
  if (type.type === 'ref')
    return propertyErrors(spec.get('typeDefinition', type.reference.$ref).properties, value as object, path);
  if (type.type === 'union') {
    const errors = type.types.map((each) => typeErrors(each, value, path));
    return errors.some((each) => each.length === 0) ? [] : errors.flat();
  }
  if (type.type === 'string' && type.allowedValues && !type.allowedValues.includes(value as string))
    return [`${path} is not one of ${type.allowedValues}`];
  return [];
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

/** Whether AWS publishes a metric of this name with exactly these dimensions. */
export const isAwsMetric = (namespace: string, name: string, dimensions: string[]): boolean =>
  [...spec.lookup('metric', 'namespace', 'equals', namespace)]
    .filter((metric) => metric.name === name)
    .flatMap((metric) => spec.follow('usesDimensionSet', metric))
    .some(({ entity }) => `${entity.dimensions.map((each) => each.name).sort()}` === `${dimensions.toSorted()}`);
