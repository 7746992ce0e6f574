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
