export interface Resource {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: each type has properties of its own
  Properties: any;
  Condition?: string;
  DependsOn?: string | string[];
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
  UpdatePolicy?: object;
}

/** A CloudFormation template as serverless compiles it. */
export interface Template {
  Resources: Record<string, Resource>;
  Outputs: Record<string, { Value: unknown; Condition?: string; Export?: object }>;
}

/** What keeps a resource with data: a stage says whether its removal deletes it, and no change does. */
export const KEPT = { DeletionPolicy: `\${param:dataRemoval}`, UpdateReplacePolicy: 'Retain' };

/**
 * Returns a resource of a template.
 *
 * @throws Error if there is none with this id.
 */
export function resourceOf({ Resources }: Template, id: string): Resource {
  const resource = Resources[id];
  if (!resource) throw new Error(`The template has no resource ${id}.`);
  return resource;
}

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
