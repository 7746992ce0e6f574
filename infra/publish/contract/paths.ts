import type { Contract } from '../../../lib/http/contract.ts';

type Parameters = NonNullable<Contract['path']>;

/**
 * A route and its parameters with the contract's names. They are the interface's, because API Gateway needs one name for the
 * MIDs and TIDs of a path level, except for the `id` of `/ext/api/v1/terminals/{id}`: OpenAPI forbids two paths that differ
 * only in names.
 */
export function contractRoute(route: string, parameters: Parameters = {}): { route: string; parameters: Parameters } {
  if (route.endsWith('{id}')) return { route, parameters };
  const nameOf = (parameter: string): string => {
    const kind = parameters[parameter];
    return typeof kind === 'string' ? kind : parameter;
  };
  const entries = Object.entries(parameters).map(([parameter, kind]) => [nameOf(parameter), kind]);
  return {
    route: route.replaceAll(/\{(\w+)\}/g, (_, parameter) => `{${nameOf(parameter)}}`),
    parameters: Object.fromEntries(entries),
  };
}

/** What the contract adds to the description of the parameter `id`, by what it is. */
export const ID_REMARKS = {
  mid: ' PATCH and DELETE of this path take a TID.',
  tid: ' GET and POST of this path take a MID.',
};

/** The parts of an operation of docs/openapi.json that this file reads. */
interface Described {
  parameters?: { name?: string; description?: string; schema?: object }[];
}

/** The paths of docs/openapi.json with the interface's parameter names. Some then differ only in names. */
export function interfacePaths<O extends Described>(paths: Record<string, Record<string, O>>) {
  const named: Record<string, Record<string, O>> = {};
  for (const [path, operations] of Object.entries(paths))
    for (const [method, operation] of Object.entries(operations)) {
      const { parameters = [] } = operation;
      if (!path.startsWith('/ext/api/v1/terminals/')) {
        named[path] = { ...named[path], [method]: operation };
        continue;
      }
      // Only a TID is always a UUID.
      const { schema = {} } = parameters.find(({ name }) => name === 'id') ?? {};
      const kind = 'format' in schema ? 'tid' : 'mid';
      const renamed = parameters.map((each) =>
        each.name === 'id'
          ? { ...each, name: kind, description: each.description?.replace(ID_REMARKS[kind], '') }
          : each,
      );
      const name = path.replace('{id}', `{${kind}}`);
      named[name] = { ...named[name], [method]: { ...operation, parameters: renamed } };
    }
  return named;
}
